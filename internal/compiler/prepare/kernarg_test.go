package prepare

import (
	"testing"

	"github.com/gfx-toolchain/gfx/target"
)

// TestKernelArgs compares offsets with LLVM 22's metadata for the same kernel.
func TestKernelArgs(t *testing.T) {
	m := parse(t, "k.ll", `
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i8 %a, i16 zeroext %b, i1 %c, <3 x i32> %v3, half %h, [3 x i16] %arr, {i8, i64} %s, <3 x i16> %v16, ptr byref(i64) align 16 %br, ptr addrspace(4) byref({i8,i32}) %br2, i8 %unused, <2 x i8> %v2, bfloat %bf, i24 %odd, ptr addrspace(3) align 8 %lp) {
  ret void
}`)
	f := m.Function("k")
	want := []uint64{0, 8, 10, 12, 16, 32, 34, 40, 56, 64, 72, 80, 82, 84, 88, 92}
	for _, os := range []struct {
		os             target.OS
		base, implicit uint64
	}{{target.AMDHSA, 0, 96}, {target.Mesa3D, 0, 96}, {target.UnknownOS, 36, 132}} {
		k := KernelArgsOf(f, os.os)
		for i, w := range want {
			if k.Args[i].Offset != w+os.base {
				t.Errorf("%v: argument %d is at %d, not %d", os.os, i, k.Args[i].Offset, w+os.base)
			}
		}
		if k.Explicit != 96 || k.Implicit != os.implicit || k.Align != 16 {
			t.Errorf("%v: %d bytes, implicit ones at %d, alignment %d", os.os, k.Explicit, k.Implicit, k.Align)
		}
	}
}
