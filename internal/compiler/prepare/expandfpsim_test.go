package prepare

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// simCase is an fpCase for one type, as function @f<number> of a module.
type simCase struct {
	fpCase
	letter        rune // letter of T
	result        rune // 0 for an integer
	text, altText string
	argTypes      []string
}

// simLanes is the number of arguments for each case.
const simLanes = 256

// simModule returns the text of a module whose kernel executes all cases, with
// arguments from in and results in out, 8 bytes each.
func simModule(cases []simCase, attrs string) string {
	var b strings.Builder
	declared := map[string]bool{}
	b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\ntarget datalayout = \"e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9\"\n")
	b.WriteString("declare i32 @llvm.amdgcn.workitem.id.x()\n")
	for i, c := range cases {
		for _, line := range strings.SplitAfter(strings.ReplaceAll(c.text, "!0", fmt.Sprint("!", i)), "\n") {
			if strings.HasPrefix(line, "declare") {
				if declared[line] {
					continue
				}
				declared[line] = true
			}
			line = strings.ReplaceAll(line, "@f(", fmt.Sprintf("@f%d(", i))
			if strings.HasPrefix(line, "define") {
				line = strings.Replace(strings.Replace(line, "define", "define internal", 1), ") {", ") #0 {", 1)
			}
			b.WriteString(line)
		}
	}
	b.WriteString("\ndefine amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {\n  %id = call i32 @llvm.amdgcn.workitem.id.x()\n")
	for i, c := range cases {
		simCall(&b, i, c)
	}
	fmt.Fprintf(&b, "  ret void\n}\nattributes #0 = { noinline %s }\n", attrs)
	return b.String()
}

// simCall writes the call of a case in the kernel.
func simCall(b *strings.Builder, i int, c simCase) {
	var list []string
	for j, a := range c.argTypes {
		v := fmt.Sprintf("%d.%d", i, j)
		n := typeBits(a)
		fmt.Fprintf(b, "  %%j%s = add i32 %%id, %d\n  %%p%s = getelementptr i64, ptr addrspace(1) %%in, i32 %%j%s\n", v, (3*i+j)*simLanes, v, v)
		word := "%w" + v
		fmt.Fprintf(b, "  %s = load i64, ptr addrspace(1) %%p%s\n", word, v)
		if n < 64 {
			fmt.Fprintf(b, "  %%n%s = trunc i64 %s to i%d\n", v, word, n)
			word = "%n" + v
		}
		fmt.Fprintf(b, "  %%a%s = bitcast i%d %s to %s\n", v, n, word, a)
		list = append(list, fmt.Sprintf("%s %%a%s", a, v))
	}
	r := strings.Fields(c.text)[1]
	n := typeBits(r)
	fmt.Fprintf(b, "  %%r%d = call %s @f%d(%s)\n  %%rb%d = bitcast %s %%r%d to i%d\n", i, r, i, strings.Join(list, ", "), i, r, i, n)
	word := fmt.Sprint("%rb", i)
	if n < 64 {
		fmt.Fprintf(b, "  %%rz%d = zext i%d %%rb%d to i64\n", i, n, i)
		word = fmt.Sprint("%rz", i)
	}
	fmt.Fprintf(b, "  %%o%d = add i32 %%id, %d\n  %%q%d = getelementptr i64, ptr addrspace(1) %%out, i32 %%o%d\n  store i64 %s, ptr addrspace(1) %%q%d\n", i, i*simLanes, i, i, word, i)
}

// typeBits returns the width of a type of a case.
func typeBits(s string) int {
	if l := letterOf(s); l != 0 {
		return fpTypes[l].bits
	}
	n := 0
	fmt.Sscanf(s, "i%d", &n)
	return n
}

// simCasesOf returns the cases for each type.
func simCasesOf(list []fpCase) (out []simCase) {
	for _, c := range list {
		for _, l := range c.types {
			k := fpTypes[l]
			typed := strings.NewReplacer("T", k.name, ".I", "."+k.intr)
			s := simCase{fpCase: c, letter: l, text: typed.Replace(c.body), altText: typed.Replace(c.alt)}
			s.result = letterOf(strings.Fields(s.text)[1])
			for _, a := range strings.Fields(strings.ReplaceAll(c.args, "T", k.name)) {
				if letterOf(a) == 0 {
					a = "i" + a
				}
				s.argTypes = append(s.argTypes, a)
			}
			out = append(out, s)
		}
	}
	return out
}

// compileSim compiles a module to a code object with LLVM.
func compileSim(t *testing.T, ll, cpu string) []byte {
	t.Helper()
	llc, ld := oracle.Tool(t, "llc-22"), oracle.Tool(t, "ld.lld-22")
	dir := t.TempDir()
	obj, out := filepath.Join(dir, "k.o"), filepath.Join(dir, "k.hsaco")
	if _, msg, exit := oracle.Run(t, []byte(ll), 10*time.Minute, llc, "-O1", "-mcpu="+cpu, "-mtriple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", obj, "-"); exit != 0 {
		t.Fatalf("llc-22: %s", passtest.FirstLines(string(msg), 10))
	}
	if _, msg, exit := oracle.Run(t, nil, time.Minute, ld, "-shared", "-o", out, obj); exit != 0 {
		t.Fatalf("ld.lld-22: %s", msg)
	}
	code, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// runSim runs the kernel on arguments and returns the results.
func runSim(t *testing.T, code []byte, in []uint64) []uint64 {
	t.Helper()
	n := len(in) / 3
	m := &manifest.Manifest{}
	d := manifest.Dispatch{Kernel: "k", Dims: 1, Grid: [3]uint32{simLanes, 1, 1}, Group: [3]uint16{simLanes, 1, 1}}
	for _, a := range []string{fmt.Sprintf("buf:in:u64[%d]=file(in)", 3*n), fmt.Sprintf("buf:out:u64[%d]", n)} {
		if err := m.AddArg(&d, a); err != nil {
			t.Fatal(err)
		}
	}
	m.Dispatches = []manifest.Dispatch{d}
	var data bytes.Buffer
	binary.Write(&data, binary.LittleEndian, in)
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data.Bytes())), nil }
	r, err := kernelrun.Run(context.Background(), "k", code, m, open, kernelrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint64, n)
	if err := binary.Read(bytes.NewReader(r.Contents[1]), binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// simModes lists attributes for denormal modes.
var simModes = []string{"", `"denormal-fp-math-f32"="preserve-sign,preserve-sign"`, `"denormal-fp-math"="preserve-sign,preserve-sign"`,
	`"denormal-fp-math-f32"="preserve-sign,ieee"`, `"denormal-fp-math-f32"="ieee,preserve-sign"`, `"amdgpu-ieee"="false"`}

// TestExpandFPSim runs expanded operations, compiled by LLVM, on the simulator
// and compares them with the operations themselves. The expansion for one
// processor must also run on others.
func TestExpandFPSim(t *testing.T) {
	for i, p := range [][2]string{{"gfx900", "gfx900"}, {"gfx1030", "gfx1030"}, {"gfx600", "gfx803"}, {"gfx700", "gfx803"}, {"gfx803", "gfx803"}, {"gfx90a", "gfx90a"},
		{"gfx942", "gfx942"}, {"gfx1010", "gfx1010"}, {"gfx1100", "gfx1100"}, {"gfx1200", "gfx1100"}} {
		for j, mode := range simModes {
			if os.Getenv("GFX_OPT_TRIES") != "" || i+j == 0 {
				t.Run(p[0]+"/"+mode, func(t *testing.T) { testSim(t, p[0], p[1], mode) })
			}
		}
	}
}

func testSim(t *testing.T, cpu, on, mode string) {
	cases := simCasesOf(fpCases())
	m := parse(t, "sim.ll", simModule(cases, mode))
	expandFPFor(t, m, cpu)
	runSimCases(t, cases, mode, compileSim(t, string(text.Print(m)), on))
}

// CompileIR compiles a module with this module's compiler, for tests. It is a
// variable because its package imports this one.
var CompileIR func(t *testing.T, ll, cpu string, level int) []byte

// TestCompileFP runs operations compiled for the simulator's processors and
// compares them with the operations themselves.
func TestCompileFP(t *testing.T) {
	cases := simCasesOf(fpCases())
	for i, cpu := range []string{"gfx1030", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1100"} {
		for j, mode := range simModes {
			if os.Getenv("GFX_OPT_TRIES") != "" || i == j {
				t.Run(cpu+"/"+mode, func(t *testing.T) { runSimCases(t, cases, mode, CompileIR(t, simModule(cases, mode), cpu, (i+j)%3)) })
			}
		}
	}
}

// runSimCases runs compiled cases on the simulator.
func runSimCases(t *testing.T, cases []simCase, mode string, code []byte) {
	r := rand.New(rand.NewPCG(7, uint64(passtest.Tries(1))))
	in := make([]uint64, 3*simLanes*len(cases))
	for i, c := range cases {
		for j, a := range c.argTypes {
			for k := range simLanes {
				in[(3*i+j)*simLanes+k] = pickArg(r, a)
			}
		}
	}
	out := runSim(t, code, in)
	for i, c := range cases {
		t.Run(c.name+"/"+string(c.letter), func(t *testing.T) {
			before := c.reference(t)
			for k := range simLanes {
				var args []uint64
				for j := range c.argTypes {
					args = append(args, in[(3*i+j)*simLanes+k])
				}
				got := out[i*simLanes+k]
				if problem := before.problem(t, args, got, 0); problem != "" && !before.flushes(t, mode, args, got) {
					t.Fatalf("%s\n%s", problem, c.text)
				}
			}
		})
	}
}

// flushes reports whether denormal arguments or results are flushed.
func (r *reference) flushes(t *testing.T, mode string, args []uint64, got uint64) bool {
	want, _ := r.first.call(t, args)
	flushed := func(l rune, b uint64) bool {
		if !strings.Contains(mode, "preserve") || l == 0 {
			return false
		}
		k := fpTypes[l]
		mag := b & (1<<(k.bits-1) - 1)
		return mag != 0 && mag <= 1<<k.mant // values that round to the smallest normal number may be flushed first
	}
	if (r.alt != "" || strings.HasPrefix(r.name, "powi")) && strings.Contains(mode, "preserve") {
		return true // intermediate values may be denormal
	}
	for i, a := range r.argTypes {
		if flushed(letterOf(a), args[i]) {
			return true
		}
	}
	return flushed(r.result, got) || flushed(r.result, want)
}
