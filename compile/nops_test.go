package compile

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// nopCases lists kernels with hazards that need wait states.
var nopCases = []struct {
	name, text string
	cpus       []string
}{
	{"matrix result in VALU", matrixKernel("<4 x float>", "<4 x half>", "f32.16x16x16f16", "%e = extractelement <4 x float> %m, i32 0\n%f = fadd float %e, %e\nstore float %f, ptr addrspace(1) %p"), []string{"gfx908", "gfx90a", "gfx942", "gfx950"}},
	{"matrix result in memory", matrixKernel("<16 x float>", "<4 x half>", "f32.32x32x8f16", "store <16 x float> %m, ptr addrspace(1) %p"), []string{"gfx908", "gfx90a", "gfx942", "gfx950"}},
	{"f64 matrix result", matrixKernel("<4 x double>", "double", "f64.16x16x4f64", "%e = extractelement <4 x double> %m, i32 0\n%f = fadd double %e, %e\nstore double %f, ptr addrspace(1) %p"), []string{"gfx90a", "gfx942", "gfx950"}},
	{"DPP", `define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %a = mul i32 %id, %x
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %a, i32 273, i32 15, i32 15, i1 true)
  store i32 %d, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
`, []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030"}},
	{"division", `define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x, float %y) {
  %d = fdiv float %x, %y
  store float %d, ptr addrspace(1) %p
  ret void
}
`, []string{"gfx700", "gfx900", "gfx90a", "gfx942", "gfx1100"}},
	{"lane of a lane", `define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %l = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %id)
  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %id, i32 %l)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
`, []string{"gfx803", "gfx900", "gfx942"}},
}

// matrixKernel returns a kernel that uses the result of a matrix instruction.
func matrixKernel(d, ab, name, use string) string {
	return fmt.Sprintf(`define amdgpu_kernel void @k(ptr addrspace(1) %%p, ptr addrspace(1) %%q) {
  %%id = call i32 @llvm.amdgcn.workitem.id.x()
  %%g = getelementptr %[2]s, ptr addrspace(1) %%q, i32 %%id
  %%a = load %[2]s, ptr addrspace(1) %%g
  %%m = call %[1]s @llvm.amdgcn.mfma.%[3]s(%[2]s %%a, %[2]s %%a, %[1]s zeroinitializer, i32 0, i32 0, i32 0)
  %[4]s
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare %[1]s @llvm.amdgcn.mfma.%[3]s(%[2]s, %[2]s, %[1]s, i32 immarg, i32 immarg, i32 immarg)
`, d, ab, name, use)
}

var nopLine = regexp.MustCompile(`(?m)^\ts_nop (\w+)`)

// nopStates sums up the wait states of s_nop instructions.
func nopStates(text string) (n int) {
	for _, m := range nopLine.FindAllStringSubmatch(text, -1) {
		x, _ := strconv.ParseInt(m[1], 0, 32)
		n += int(x) + 1
	}
	return n
}

// code returns the instructions of the kernel.
func code(text string) string {
	_, text, _ = strings.Cut(text, "\nk:")
	text, _, _ = strings.Cut(text, ".Lfunc_end0")
	return text
}

// TestNops checks that hazards cost about as many wait states as with llc,
// whose instruction order differs.
func TestNops(t *testing.T) {
	const more = 6
	llc := oracle.Tool(t, "llc-22")
	for _, c := range nopCases {
		for _, cpu := range c.cpus {
			theirs, errs, exit := oracle.Run(t, []byte(c.text), time.Minute, llc, "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-O2", "-o", "-")
			if exit != 0 {
				t.Fatalf("%s on %s: llc: %s", c.name, cpu, errs)
			}
			r, err := Compile(context.Background(), []Input{{Name: "k.ll", Data: []byte(c.text)}}, Options{Triple: "amdgcn-amd-amdhsa", CPU: cpu, Level: 2, Format: Assembly})
			if err != nil {
				t.Errorf("%s on %s: %v", c.name, cpu, err)
				continue
			}
			ours, want := nopStates(string(r.Data)), nopStates(string(theirs))
			t.Logf("%s on %s: %d, llc %d", c.name, cpu, ours, want)
			if ours > want+more {
				t.Errorf("%s on %s: %d wait states, llc has %d:\n%s", c.name, cpu, ours, want, code(string(r.Data)))
			}
		}
	}
}
