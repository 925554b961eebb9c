target triple = "amdgcn-amd-amdhsa"

; A parameter of more than 64 bits: the replacement of the function is still a kernel. The implicit arguments keep
; their positions.
define amdgpu_kernel void @test0(i8 %x1, i128 %x2, i8 %x3, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %y = zext i8 %x1 to i128
  %z = add i128 %y, %x2
  store i128 %z, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i32 16
  store i8 %x3, ptr addrspace(1) %q
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %size = getelementptr i8, ptr addrspace(4) %implicit, i32 12
  %group = load i16, ptr addrspace(4) %size
  %r = getelementptr i8, ptr addrspace(1) %p, i32 18
  store i16 %group, ptr addrspace(1) %r
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
