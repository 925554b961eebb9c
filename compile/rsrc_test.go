package compile

import (
	"context"
	"strings"
	"testing"
)

// TestLargeResources compiles buffer resources of 57 bits of base and 45 bits of
// records, from scalar registers and from constants.
func TestLargeResources(t *testing.T) {
	const source = `
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32 immarg)
declare <8 x float> @llvm.amdgcn.cvt.scale.pk8.f32.fp8(<2 x i32>, i32, i32 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %p, i64 %n, i32 %flags, i32 %wide) {
  %stride = trunc i32 %wide to i16
  %a = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p, i16 %stride, i64 %n, i32 %flags)
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %a, i32 0, i32 0, i32 0)
  %b = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p, i16 3, i64 130, i32 5)
  %y = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %b, i32 0, i32 0, i32 0)
  %z = add i32 %x, %y
  %v = insertelement <2 x i32> zeroinitializer, i32 %z, i32 0
  %w = call <8 x float> @llvm.amdgcn.cvt.scale.pk8.f32.fp8(<2 x i32> %v, i32 %z, i32 5)
  store <8 x float> %w, ptr addrspace(1) %p
  ret void
}`
	r, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(source)}}, Options{CPU: "gfx1250", Level: 1, Format: Assembly, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"s_lshr_b64 s", ", 7", // the number of records without the 7 bits in the second word
		", 25\n", ", 12\n", ", 28\n", // shifts of the records, the stride and the flags
		"s_and_b32 s", "0xffff", // the stride without the upper bits of its register
		"0x50003000", // stride 3 and flags 5 of constants
		"0x4000000",  // 2 of the 130 records in the second word
		"scale_sel:5",
	} {
		if !strings.Contains(string(r.Data), want) {
			t.Errorf("no %q in\n%s", want, r.Data)
		}
	}
}
