; llvm.vector.splice, which LLVM 22 upgrades, here without declarations.
target triple = "amdgcn-amd-amdhsa"
; processors: gfx803 gfx1100

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %in1 = getelementptr i8, ptr addrspace(1) %in, i32 16
  %out = getelementptr i8, ptr addrspace(1) %in, i32 128
  %out1 = getelementptr i8, ptr addrspace(1) %in, i32 160
  %a = load <4 x i32>, ptr addrspace(1) %in
  %b = load <4 x i32>, ptr addrspace(1) %in1
  %l = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %a, <4 x i32> %b, i32 1)
  %r = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %a, <4 x i32> %b, i32 -1)
  store <4 x i32> %l, ptr addrspace(1) %out
  store <4 x i32> %r, ptr addrspace(1) %out1
  ret void
}
