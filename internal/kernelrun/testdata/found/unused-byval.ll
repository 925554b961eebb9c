target triple = "amdgcn-amd-amdhsa"

; The callee does not use its byval copy, but the copy requires scratch memory nevertheless.
define i32 @helper(ptr addrspace(5) byval([4 x i32]) align 4 %x) noinline {
  ret i32 -1
}

define amdgpu_kernel void @test0(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %a = alloca [4 x i32], align 16, addrspace(5)
  store i32 7, ptr addrspace(5) %a
  %r = call i32 @helper(ptr addrspace(5) byval([4 x i32]) align 4 %a)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
