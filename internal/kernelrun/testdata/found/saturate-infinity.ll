target triple = "amdgcn-amd-amdhsa"

; Minus infinity saturates to the smallest integer of a type whose range exceeds the floating-point range.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, ptr addrspace(1) %mix) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %p = getelementptr [64 x i8], ptr addrspace(1) %mix, i32 %id
  %x = load i16, ptr addrspace(1) %p
  %odd = trunc i16 %x to i1
  %h = select i1 %odd, half 0xHFC00, half 0xH7C00
  %f = select i1 %odd, float 0x7FF0000000000000, float 0xFFF0000000000000
  %a = call i129 @llvm.fptosi.sat.i129.f16(half %h)
  %b = call i160 @llvm.fptosi.sat.i160.f32(float %f)
  %ah = lshr i129 %a, 65
  %at = trunc i129 %ah to i64
  %bh = lshr i160 %b, 96
  %bt = trunc i160 %bh to i64
  store i64 %at, ptr addrspace(1) %o
  %o8 = getelementptr i8, ptr addrspace(1) %o, i32 8
  store i64 %bt, ptr addrspace(1) %o8
  ret void
}
