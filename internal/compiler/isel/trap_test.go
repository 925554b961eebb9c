package isel_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// trapCase is the body of a kernel in which %t is the work-item and %n a
// number. It lists the numbers among 0, 5, 63 and 64 for which the kernel
// traps. For other numbers, each of the 64 work-items stores the result of
// want.
type trapCase struct {
	name, body, functions string
	traps                 []uint32
	want                  func(t, n uint32) uint32
}

func itself(t, n uint32) uint32 { return t + n }

const trapSum = `
  %s = add i32 %t, %n
  store i32 %s, ptr addrspace(1) %q
  ret void`

var trapCases = []trapCase{
	{name: "divergent, then unreachable", traps: []uint32{0, 5, 63}, want: itself, body: `%c = icmp eq i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.trap()
  unreachable
b:` + trapSum},
	{name: "divergent, and code after it", traps: []uint32{0, 5, 63}, want: itself, body: `%c = icmp eq i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.ubsantrap(i8 7)
  store i32 77, ptr addrspace(1) %q
  br label %b
b:` + trapSum},
	{name: "uniform", traps: []uint32{5}, want: itself, body: `%c = icmp eq i32 %n, 5
  br i1 %c, label %a, label %b
a:
  call void @llvm.trap()
  unreachable
b:` + trapSum},
	{name: "always", traps: []uint32{0, 5, 63, 64}, body: `store i32 1, ptr addrspace(1) %q
  call void @llvm.trap()
  ret void`},
	{name: "in a loop", traps: []uint32{0, 5}, want: func(t, n uint32) uint32 { return t&7 + 1 + n }, body: `%m = and i32 %t, 7
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %c = icmp eq i32 %i, %n
  br i1 %c, label %a, label %next
a:
  call void @llvm.trap()
  br label %next
next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i, %m
  br i1 %more, label %l, label %b
b:
  %s = add i32 %i1, %n
  store i32 %s, ptr addrspace(1) %q
  ret void`},
	{name: "in a function", traps: []uint32{0, 5, 63}, want: func(t, n uint32) uint32 { return t*3 + n },
		body: `%r = call i32 @check(i32 %t, i32 %n)
  %s = add i32 %r, %n
  store i32 %s, ptr addrspace(1) %q
  ret void`,
		functions: `define internal i32 @check(i32 %t, i32 %n) noinline {
  %c = icmp eq i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.trap()
  unreachable
b:
  %r = mul i32 %t, 3
  ret i32 %r
}
`},
	{name: "in a function that some lanes call", traps: []uint32{5, 63}, want: itself,
		body: `%odd = trunc i32 %t to i1
  br i1 %odd, label %o, label %b
o:
  call void @check2(i32 %t, i32 %n)
  br label %b
b:` + trapSum,
		functions: `define internal void @check2(i32 %t, i32 %n) noinline {
  %c = icmp eq i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.trap()
  ret void
b:
  ret void
}
`},
	{name: "uniform in divergent code that no lane reaches", traps: []uint32{63}, want: itself, body: `%far = icmp ugt i32 %t, 61
  %big = icmp ugt i32 %n, 62
  %twice = shl i32 %n, 1
  %some = icmp ult i32 %t, %twice
  br i1 %far, label %d, label %b
d:
  br i1 %big, label %u, label %b
u:
  br i1 %some, label %w, label %b
w:
  %even = and i32 %n, 1
  %odd = icmp ne i32 %even, 0
  br i1 %odd, label %a, label %b
a:
  call void @llvm.trap()
  unreachable
b:` + trapSum},
	{name: "in code that no lane reaches", want: itself, body: `%small = icmp ult i32 %t, 10
  br i1 %small, label %d, label %b
d:
  %large = icmp ugt i32 %t, 20
  br i1 %large, label %a, label %b
a:
  call void @llvm.trap()
  br label %b
b:` + trapSum},
	{name: "after a loop that lanes leave at different times", traps: []uint32{5}, want: itself, body: `%m = and i32 %t, 7
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %last = icmp eq i32 %i, %m
  br i1 %last, label %out, label %next
next:
  %i1 = add i32 %i, 1
  %six = icmp eq i32 %i1, 6
  %five = icmp eq i32 %n, 5
  %both = and i1 %six, %five
  br i1 %both, label %a, label %l
a:
  call void @llvm.trap()
  unreachable
out:` + trapSum},
	{name: "debugtrap", want: itself, body: `%c = icmp eq i32 %t, %n
  br i1 %c, label %a, label %b
a:
  call void @llvm.debugtrap()
  br label %b
b:` + trapSum},
}

// trapKernel surrounds the body of a case.
const trapKernel = `target triple = "amdgcn-amd-amdhsa"
$Fdefine amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  $B
}
`

func trapText(c *trapCase) string {
	return strings.NewReplacer("$F", c.functions, "$B", c.body).Replace(trapKernel)
}

// runTrap runs a kernel with a number, and returns the stored bytes.
func runTrap(code []byte, n uint32) ([]byte, error) {
	u32 := manifest.LookupType("u32")
	man := &manifest.Manifest{Name: "trap", Buffers: []manifest.Buffer{{Name: "b", Type: u32, Count: 64, Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 256)}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{64, 1, 1}, Group: [3]uint16{64, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint32(nil, n), Align: 4}}}}}
	open := func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }
	res, err := kernelrun.Run(context.Background(), "trap", code, man, open, kernelrun.Options{})
	if err != nil {
		return nil, err
	}
	return res.Contents[0], nil
}

// TestTraps runs traps on the simulator. They must fault if and only if a lane
// reaches them.
func TestTraps(t *testing.T) {
	for _, cpu := range []string{"gfx601", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"} {
		for _, mode := range []struct{ level, cov int }{{0, 6}, {1, 5}, {2, 6}, {2, 4}, {2, 3}, {2, 2}} {
			if mode.cov == 2 && cpu != "gfx803" && cpu != "gfx700" || mode.cov < 5 && slices.Contains([]string{"gfx942", "gfx950", "gfx1150", "gfx1200", "gfx1250"}, cpu) {
				continue
			}
			for i := range trapCases {
				c := &trapCases[i]
				what := fmt.Sprintf("%s -O%d V%d: %s", cpu, mode.level, mode.cov, c.name)
				res, err := compile.Compile(context.Background(), []compile.Input{{Name: "trap.ll", Data: []byte(trapText(c))}},
					compile.Options{CPU: cpu, Level: mode.level, COV: mode.cov, Verify: true})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				for _, n := range []uint32{0, 5, 63, 64} {
					checkTrap(t, fmt.Sprintf("%s with %d", what, n), c, res.Data, n)
				}
			}
		}
	}
}

func checkTrap(t *testing.T, what string, c *trapCase, code []byte, n uint32) {
	got, err := runTrap(code, n)
	if slices.Contains(c.traps, n) {
		if fault := new(device.Fault); !errors.As(err, &fault) || fault.Kind != device.FaultTrap {
			t.Errorf("%s: %v, want a trap", what, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for lane := range uint32(64) {
		if x := binary.LittleEndian.Uint32(got[4*lane:]); x != c.want(lane, n) {
			t.Errorf("%s: work-item %d stored %d, want %d", what, lane, x, c.want(lane, n))
			return
		}
	}
}

// trapLine matches a line of assembly that belongs to a trap.
var trapLine = regexp.MustCompile(`(?m)^\s+(s_trap|s_sendmsg|s_bitset1|s_sethalt|s_and_b32 s0|s_mov_b32 (ttmp2|m0)|s_cbranch_execnz|s_endpgm|s_setpc|s_set_pc|s_mov_b64 s\[0:1\]).*$`)

// TestTrapText compares the instructions of traps with llc's, with and without
// a trap handler.
func TestTrapText(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	const src = `target triple = "amdgcn-amd-amdhsa"
define void @f(i32 %x) {
  call void @llvm.debugtrap()
  call void @llvm.trap()
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}
`
	label := regexp.MustCompile(`\.?L?BB\d+_\d+|;.*`)
	lines := func(text string) string {
		text, _, _ = strings.Cut(text, ".size")
		list := trapLine.FindAllString(text, -1)
		for n := range list {
			list[n] = strings.TrimSpace(label.ReplaceAllString(list[n], ""))
		}
		return strings.Join(list, "\n")
	}
	for _, cpu := range []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1103", "gfx11-generic", "gfx1150", "gfx1200"} {
		for _, mattr := range []string{"", "-trap-handler"} {
			text := src
			if strings.HasSuffix(cpu, "generic") {
				text = strings.Replace(src, "i32 400", "i32 600", 1)
			}
			cmd := exec.Command(llc, "-mcpu="+cpu, "-mattr="+mattr, "-O1", "-o", "-", "-")
			cmd.Stdin = strings.NewReader(text)
			theirs, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "trap.ll", Data: []byte(text)}},
				compile.Options{CPU: cpu, Features: mattr, Level: 1, Format: compile.Assembly, Verify: true})
			if err != nil {
				t.Errorf("%s %s: %v", cpu, mattr, err)
				continue
			}
			if dropped := len(res.Report.Warnings) > 0; dropped != (mattr != "") {
				t.Errorf("%s %s: warnings %q", cpu, mattr, res.Report.Warnings)
			}
			if got, want := lines(string(res.Data)), lines(string(theirs)); got != want {
				t.Errorf("%s %s:\n%s\nllc:\n%s", cpu, mattr, got, want)
			}
		}
	}
}

// TestTrapQueue checks for the queue address, which the trap handler needs
// before gfx9, in kernels and their descriptors.
func TestTrapQueue(t *testing.T) {
	for _, x := range []struct {
		cpu, mattr string
		cov        int
		has, hasNo string
	}{
		{"gfx803", "", 6, `s_load_dwordx2 s\[0:1\], .*0xc8(?s:.*)s_trap 2(?s:.*)hidden_queue_ptr`, ""},
		{"gfx700", "", 5, `s_load_dwordx2 s\[0:1\], .*0x32(?s:.*)s_trap 2(?s:.*)hidden_queue_ptr`, ""},
		{"gfx803", "", 4, `s_trap 2(?s:.*)user_sgpr_queue_ptr 1`, "hidden_queue_ptr"},
		{"gfx803", "", 2, `enable_sgpr_queue_ptr = 1(?s:.*)s_trap 2`, ""},
		{"gfx803", "-trap-handler", 4, `user_sgpr_queue_ptr 0`, "s_trap"},
		{"gfx900", "", 4, `s_trap 2(?s:.*)user_sgpr_queue_ptr 0`, "hidden_queue_ptr"},
	} {
		text := strings.Replace(trapText(&trapCases[3]), "store i32 1, ptr addrspace(1) %q", "", 1)
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: "trap.ll", Data: []byte(text)}},
			compile.Options{CPU: x.cpu, Features: x.mattr, COV: x.cov, Level: 1, Format: compile.Assembly, Verify: true})
		if err != nil {
			t.Error(err)
			continue
		}
		if !regexp.MustCompile(x.has).Match(res.Data) || x.hasNo != "" && regexp.MustCompile(x.hasNo).Match(res.Data) {
			t.Errorf("%s %s V%d:\n%s", x.cpu, x.mattr, x.cov, res.Data)
		}
	}
}

// TestTrapErrors checks that traps that call a function are rejected, as by
// llc.
func TestTrapErrors(t *testing.T) {
	const text = `target triple = "amdgcn-amd-amdhsa"
define void @f() {
  call void @llvm.trap() "trap-func-name"="mytrap"
  ret void
}
`
	_, err := compile.Compile(context.Background(), []compile.Input{{Name: "trap.ll", Data: []byte(text)}}, compile.Options{CPU: "gfx900"})
	if err == nil || !strings.Contains(err.Error(), `"mytrap"`) {
		t.Errorf("got %v", err)
	}
}

// TestTrapsFromClang runs the code that clang generates for its trap functions
// and checks for undefined behavior.
func TestTrapsFromClang(t *testing.T) {
	clang := oracle.Tool(t, "clang-22")
	const src = `__kernel void k(__global int *p, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  int x[4] = {1, 2, 3, 4};
  if (n == 63 && t == 3) __builtin_trap();
  if (t == n) __builtin_debugtrap();
  p[t] = (1000 / (t - n + 100 * (n == 64))) + (1 << (n & 31)) + x[n & (n == 5 ? 7 : 3)];
}
`
	const checks = "shift-base,shift-exponent,integer-divide-by-zero,array-bounds,signed-integer-overflow"
	want := func(t uint32) uint32 { return uint32(1000/(int32(t)+36)) + 1 + 1 }
	for _, level := range []string{"-O0", "-O2"} {
		for _, cpu := range []string{"gfx803", "gfx90a", "gfx1030", "gfx1100"} {
			cmd := exec.Command(clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu="+cpu, level, "-nogpulib", "-Xclang", "-finclude-default-header",
				"-Xclang", "-fsanitize="+checks, "-Xclang", "-fsanitize-trap="+checks, "-emit-llvm", "-S", "-o", "-", "-")
			cmd.Stdin = strings.NewReader(src)
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "clang.ll", Data: text}}, compile.Options{Level: int(level[2] - '0'), Verify: true})
			if err != nil {
				t.Errorf("%s %s: %v", cpu, level, err)
				continue
			}
			c := &trapCase{name: cpu + " " + level, traps: []uint32{0, 5, 63}, want: func(t, _ uint32) uint32 { return want(t) }}
			for _, n := range []uint32{0, 5, 63, 64} {
				checkTrap(t, fmt.Sprintf("%s with %d", c.name, n), c, res.Data, n)
			}
		}
	}
}
