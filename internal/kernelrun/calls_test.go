package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// callTargets lists the processors of TestCompiledCalls. Different wave sizes
// have different hazards.
var callTargets = []randomTarget{
	{"gfx900", ""}, {"gfx1030", ""}, {"gfx90a", ""}, {"gfx1100", ""}, {"gfx803", ""}, {"gfx1010", "+wavefrontsize64"}, {"gfx942", ""},
	{"gfx1010", ""}, {"gfx1100", "+wavefrontsize64"}, {"gfx950", ""}, {"gfx1200", ""}, {"gfx1250", ""},
}

// TestCompiledCalls compiles the modules of testdata/calls, which test
// functions and the stack, runs them with checks, and compares the results with
// the IR evaluator.
func TestCompiledCalls(t *testing.T) { runModules(t, "testdata/calls/*.ll", device.CheckAll) }

// TestCompiledOps does the same with the modules of testdata/ops, whose
// operations are rare in random modules.
func TestCompiledOps(t *testing.T) { runModules(t, "testdata/ops/*.ll", device.CheckAll) }

// TestCompiledFound does the same with the modules of testdata/found: reduced
// random modules that were once miscompiled.
func TestCompiledFound(t *testing.T) { runModules(t, "testdata/found/*.ll", 0) }

// runModules compiles modules whose kernels have the parameter names of random
// kernels (irrandom.Arguments), runs them, and compares the results with the
// evaluator.
func runModules(t *testing.T, pattern string, checks device.Checks) {
	files, _ := filepath.Glob(pattern)
	if len(files) == 0 {
		t.Fatal("no modules")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ll"), func(t *testing.T) {
			for _, x := range callTargets {
				for _, level := range []int{0, 2} {
					r := randomRun{cpu: x.cpu, attrs: x.attrs, level: level, checks: checks}
					if r.compare(source); r.reason != "" {
						t.Errorf("%s%s -O%d: %s: %s", x.cpu, x.attrs, level, r.reason, r.detail)
					}
				}
			}
		})
	}
}

// Parts of modules that TestCallsOfLLVM removes or replaces.
var (
	kernelBody   = regexp.MustCompile(`(?ms)^define amdgpu_kernel .*?^}\n`)
	localHead    = regexp.MustCompile(`(?m)^define internal (.* noinline)`)
	functionBody = regexp.MustCompile(`(?ms)^define ([^\n]*?) noinline([^\n]*) \{\n.*?^}\n`)
)

// manyRegisters is a function that uses as many registers as a function of
// another object may.
const manyRegisters = `
define void @many.registers() "amdgpu-flat-work-group-size"="1,256" {
  call void asm sideeffect "", "~{v127},~{s80}"()
  ret void
}
`

// TestCallsOfLLVM links kernels compiled by gfx with functions compiled by llc,
// and vice versa, for the calling conventions that both share: with scratch
// instructions and, without inreg, with buffer instructions.
func TestCallsOfLLVM(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	for _, x := range []struct{ file, cpu string }{{"inreg", "gfx942"}, {"inreg", "gfx1100"}, {"results", "gfx942"}, {"results", "gfx1100"}, {"results", "gfx803"},
		{"graphics", "gfx942"}, {"graphics", "gfx1100"}, {"graphics", "gfx1200"}} {
		t.Run(x.file+"/"+x.cpu, func(t *testing.T) {
			source, err := os.ReadFile("testdata/calls/" + x.file + ".ll")
			if err != nil {
				t.Fatal(err)
			}
			m, errs := text.Parse(x.file, source)
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			want := irrandom.Run(m)
			source = localHead.ReplaceAll(source, []byte("define $1"))
			kernels := functionBody.ReplaceAll(source, []byte("declare $1$2\n"))
			functions := kernelBody.ReplaceAll(source, nil)
			many := manyRegisters
			if x.cpu == "gfx942" { // functions spill VGPRs to AGPRs
				many = strings.Replace(many, "~{s80}", "~{s80},~{a63}", 1)
			}
			for _, swap := range []bool{false, true} {
				if swap && x.file == "inreg" { // llc does not convert vector register values to scalars
					continue
				}
				byUs, byLLC := kernels, functions
				if swap {
					byUs, byLLC = functions, kernels
				}
				res, err := compile.Compile(context.Background(), []compile.Input{{Name: "ours.ll", Data: append(bytes.Clone(byUs), many...)}},
					compile.Options{CPU: x.cpu, Level: 2, Format: compile.Object, Verify: true})
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(llc, "-mcpu="+x.cpu, "-filetype=obj", "-o", "-")
				if x.file == "graphics" { // the other selector rejects the convention for amdhsa
					cmd.Args = append(cmd.Args, "-global-isel")
				}
				cmd.Stdin = bytes.NewReader(append(bytes.Clone(byLLC), strings.Replace(many, "many", "more", 1)...))
				theirs, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				code, err := link.Link([]link.Input{{Name: "ours.o", Data: res.Data}, {Name: "theirs.o", Data: theirs}}, link.Options{})
				if err != nil {
					t.Fatal(err)
				}
				r := randomRun{cpu: x.cpu}
				if err := r.simulate(code, want); err != nil {
					t.Errorf("functions by us %v: %v", swap, err)
				}
			}
		})
	}
}

const moduleParts = `target triple = "amdgcn-amd-amdhsa"
module asm "\09.globl answer"
module asm "\09.type answer,@function"
module asm "answer:"
module asm "\09s_waitcnt vmcnt(0) lgkmcnt(0)"
module asm "\09v_add_f32 v0, v0, v0"
module asm "\09s_setpc_b64 s[30:31]"
module asm "\09.size answer, .-answer"
module asm "\09.section .data.asm,\22aw\22,@progbits"
module asm "number:\09.long 7"
declare float @answer(float)
@number = external hidden addrspace(1) global i32
@g = internal addrspace(1) global i32 1
@llvm.global_ctors = appending addrspace(1) global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @second, ptr null }, { i32, ptr, ptr } { i32 1, ptr @first, ptr null }]
@llvm.global_dtors = appending addrspace(1) global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @last, ptr null }, { i32, ptr, ptr } { i32 2, ptr @first, ptr null }]
define internal void @step(i32 %n) noinline {
  %x = load i32, ptr addrspace(1) @g
  %y = mul i32 %x, 10
  %z = add i32 %y, %n
  store i32 %z, ptr addrspace(1) @g
  ret void
}
define internal void @first() {
  call void @step(i32 2)
  ret void
}
define internal void @second() {
  call void @step(i32 3)
  ret void
}
define internal void @last() {
  call void @step(i32 4)
  ret void
}
define amdgpu_kernel void @get(ptr addrspace(1) %p, i32 %i) {
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) @g
  store i32 %x, ptr addrspace(1) %q
  %r = call float @answer(float 3.0)
  %f = fptoui float %r to i32
  %n = load i32, ptr addrspace(1) @number
  %s = add i32 %f, %n
  %q1 = getelementptr i32, ptr addrspace(1) %q, i32 1
  store i32 %s, ptr addrspace(1) %q1
  ret void
}
`

// TestModuleParts runs a module with inline assembly, constructors and
// destructors, compiled directly and via assembly text.
func TestModuleParts(t *testing.T) {
	u32 := manifest.LookupType("u32")
	get := func(at byte) manifest.Dispatch {
		return manifest.Dispatch{Kernel: "get", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgScalar, Data: []byte{at, 0, 0, 0}, Align: 4}}}
	}
	run := func(name string) manifest.Dispatch {
		return manifest.Dispatch{Kernel: name, Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}}
	}
	man := &manifest.Manifest{Name: "parts", Buffers: []manifest.Buffer{{Name: "out", Type: u32, Count: 6, Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 24)}}},
		Dispatches: []manifest.Dispatch{get(0), run("amdgcn.device.init"), get(2), run("amdgcn.device.fini"), get(4)}}
	want := []uint32{1, 13, 123, 13, 12324, 13}
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1100"} {
		for _, viaText := range []bool{false, true} {
			o := compile.Options{CPU: cpu, Level: 2, Verify: true}
			if viaText {
				o.Format = compile.Assembly
			}
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "parts.ll", Data: []byte(moduleParts)}}, o)
			if err != nil {
				t.Fatal(cpu, err)
			}
			code := res.Data
			if viaText {
				tgt, _ := target.New("", cpu, "")
				tgt.COV = 6
				obj, errs := asm.Assemble(&diag.Source{Name: "parts.s", Text: code}, asm.Options{Target: tgt})
				if errs.HasErrors() {
					t.Fatal(cpu, errs)
				}
				if code, err = link.Link([]link.Input{{Name: "parts.o", Data: obj.Object}}, link.Options{}); err != nil {
					t.Fatal(cpu, err)
				}
			}
			finding := ""
			r, err := Run(context.Background(), "parts", code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
			if err != nil || finding != "" {
				t.Fatal(cpu, err, finding)
			}
			for i, w := range want {
				if got := binary.LittleEndian.Uint32(r.Contents[0][4*i:]); got != w {
					t.Errorf("%s, by text %v: word %d is %d, want %d", cpu, viaText, i, got, w)
				}
			}
		}
	}
}

// TestModuleRefused checks the errors for unsupported parts of modules.
func TestModuleRefused(t *testing.T) {
	for _, x := range []struct{ source, want string }{
		{"module asm \"nonsense v0\"\n", "module asm:1:1: error:"},
		{"@t = internal thread_local addrspace(1) global i32 0\n", "a.ll:2:1: error: variable @t: thread-local variables"},
		{"@gds = internal addrspace(2) global i32 poison\n", "a.ll:2:1: error: variable @gds: variables in address space 2 (GDS)"},
	} {
		source := "target triple = \"amdgcn-amd-amdhsa\"\n" + x.source + "define amdgpu_kernel void @k() {\n ret void\n}\n"
		_, err := compile.Compile(context.Background(), []compile.Input{{Name: "a.ll", Data: []byte(source)}}, compile.Options{CPU: "gfx900"})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %s", x.source, err, x.want)
		}
	}
}
