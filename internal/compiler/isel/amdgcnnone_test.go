package isel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestRowsMissing selects calls of unsupported intrinsics, and of intrinsics
// that a processor lacks. The error must name them.
func TestRowsMissing(t *testing.T) {
	for _, c := range []struct{ cpu, call, want string }{
		{"gfx900", "call void @llvm.amdgcn.kill(i1 false)", "llvm.amdgcn.kill (a branch to the end of the function)"},
		{"gfx900", "%a = call float @llvm.amdgcn.rcp.legacy(float 1.0)", "llvm.amdgcn.rcp.legacy on gfx900"},
		{"gfx900", "%a = call i32 @llvm.amdgcn.permlane64.i32(i32 1)", "llvm.amdgcn.permlane64 on gfx900"},
		{"gfx900", `%t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %t, i32 177, i32 15, i32 15, i1 false)
  %a = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)`, "llvm.amdgcn.strict.wwm with a value computed outside whole wave mode or in another block"},
		{"gfx900", `%t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 9
  br label %b
b:
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %t, i32 4)
  %d = select i1 %c, i32 %s, i32 0
  %a = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)`, "llvm.amdgcn.strict.wwm with a value computed outside whole wave mode or in another block"},
		{"gfx900", `%t = call i32 @llvm.amdgcn.workitem.id.x()
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %t, i32 4)
  %o = atomicrmw add ptr addrspace(1) null, i32 %s monotonic
  %d = add i32 %s, %o
  %a = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %d)`, "llvm.amdgcn.strict.wwm with a value computed outside whole wave mode or in another block"},
		{"gfx1100", "%a = call float @llvm.amdgcn.tanh.f32(float 1.0)", "llvm.amdgcn.tanh on gfx1100"},
		{"gfx908", `%t = call i32 @llvm.amdgcn.workitem.id.x()
  %v = insertelement <4 x i32> zeroinitializer, i32 %t, i32 0
  %a = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %v, i32 0, i32 0, i32 0)`, "divergent resource"},
	} {
		use := ""
		if strings.Contains(c.call, "%a = call float") {
			use = "store float %a, ptr addrspace(1) null"
		} else if strings.Contains(c.call, "%a") {
			use = "store i32 %a, ptr addrspace(1) null"
		}
		src := header + "define amdgpu_kernel void @k() {\n  " + c.call + "\n  " + use + "\n  ret void\n}\n"
		mod, errs := text.Parse("x.ll", []byte(src))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		set, _ := isa.SetOf(tgt.Processor)
		f := mod.Function("k")
		var s isel.Selector
		err = s.Select(f, isel.Env{Target: tgt, Entry: abi.Analyze(mod, tgt).Entry(f)}, mir.NewFunc("k", mir.MachineOf(set, tgt.WaveSize())))
		var u *isel.Unsupported
		if !errors.As(err, &u) || !strings.Contains(u.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.call, err, c.want)
		}
	}
}
