target triple = "amdgcn-amd-amdhsa"

@index = internal addrspace(3) global i32 poison, align 4

; A uniform address in a vector register: the loads are combined into one whose size only scalar memory
; instructions support.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, ptr addrspace(4) %table) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %first = icmp eq i32 %id, 0
  br i1 %first, label %set, label %use

set:
  store i32 4, ptr addrspace(3) @index
  br label %use

use:
  call void @llvm.amdgcn.s.barrier()
  %i = load i32, ptr addrspace(3) @index
  %k = and i32 %i, 4
  %w = zext i32 %k to i64
  %p = getelementptr i8, ptr addrspace(4) %table, i64 %w
  %p1 = getelementptr i8, ptr addrspace(4) %p, i64 8
  %p2 = getelementptr i8, ptr addrspace(4) %p, i64 16
  %p3 = getelementptr i8, ptr addrspace(4) %p, i64 24
  %x0 = load i64, ptr addrspace(4) %p, align 4
  %x1 = load i64, ptr addrspace(4) %p1, align 4
  %x2 = load i64, ptr addrspace(4) %p2, align 4
  %x3 = load i64, ptr addrspace(4) %p3, align 4
  %s0 = sub i64 %x0, %x1
  %s1 = xor i64 %s0, %x2
  %s2 = sub i64 %s1, %x3
  store i64 %s2, ptr addrspace(1) %o
  ret void
}
