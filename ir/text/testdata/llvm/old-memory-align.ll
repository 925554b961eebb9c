target triple = "amdgcn-amd-amdhsa"
define void @a(ptr addrspace(5) %p, ptr addrspace(1) %q, i64 %n) {
  call void @llvm.memcpy.p5.p1.i64(ptr addrspace(5) %p, ptr addrspace(1) %q, i64 %n, i32 3, i1 false)
  call void @llvm.memset.p5.i64(ptr addrspace(5) %p, i8 0, i64 4, i32 3, i1 false)
  ret void
}
declare void @llvm.memcpy.p5.p1.i64(ptr addrspace(5), ptr addrspace(1), i64, i32, i1)
declare void @llvm.memset.p5.i64(ptr addrspace(5), i8, i64, i32, i1)
