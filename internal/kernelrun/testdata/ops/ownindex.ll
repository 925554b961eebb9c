target triple = "amdgcn-amd-amdhsa"

; Elements of an array in private memory are the indices of its own elements.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, i32 %x1) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %a = alloca [8 x i32], align 4, addrspace(5)
  %s0 = add i32 %id, 3
  %v0 = and i32 %s0, 7
  %p0 = getelementptr i32, ptr addrspace(5) %a, i32 0
  store i32 %v0, ptr addrspace(5) %p0
  %s1 = add i32 %id, 0
  %v1 = and i32 %s1, 7
  %p1 = getelementptr i32, ptr addrspace(5) %a, i32 1
  store i32 %v1, ptr addrspace(5) %p1
  %s2 = add i32 %id, 5
  %v2 = and i32 %s2, 7
  %p2 = getelementptr i32, ptr addrspace(5) %a, i32 2
  store i32 %v2, ptr addrspace(5) %p2
  %s3 = add i32 %id, 2
  %v3 = and i32 %s3, 7
  %p3 = getelementptr i32, ptr addrspace(5) %a, i32 3
  store i32 %v3, ptr addrspace(5) %p3
  %s4 = add i32 %id, 7
  %v4 = and i32 %s4, 7
  %p4 = getelementptr i32, ptr addrspace(5) %a, i32 4
  store i32 %v4, ptr addrspace(5) %p4
  %s5 = add i32 %id, 4
  %v5 = and i32 %s5, 7
  %p5 = getelementptr i32, ptr addrspace(5) %a, i32 5
  store i32 %v5, ptr addrspace(5) %p5
  %s6 = add i32 %id, 1
  %v6 = and i32 %s6, 7
  %p6 = getelementptr i32, ptr addrspace(5) %a, i32 6
  store i32 %v6, ptr addrspace(5) %p6
  %s7 = add i32 %id, 6
  %v7 = and i32 %s7, 7
  %p7 = getelementptr i32, ptr addrspace(5) %a, i32 7
  store i32 %v7, ptr addrspace(5) %p7
  %i = and i32 %x1, 7
  %q0 = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %j = load i32, ptr addrspace(5) %q0
  %q1 = getelementptr i32, ptr addrspace(5) %a, i32 %j
  %k = load i32, ptr addrspace(5) %q1
  store i32 1, ptr addrspace(5) %q1
  %q2 = getelementptr i32, ptr addrspace(5) %a, i32 %k
  %l = load i32, ptr addrspace(5) %q2
  %m = load i32, ptr addrspace(5) %p0
  %q3 = getelementptr i8, ptr addrspace(5) %a, i32 %l
  %n = load i8, ptr addrspace(5) %q3
  %w = zext i8 %n to i32
  %t0 = mul i32 %j, 1000
  %t1 = mul i32 %k, 100
  %t2 = mul i32 %l, 10
  %u0 = add i32 %t0, %t1
  %u1 = add i32 %u0, %t2
  %u2 = add i32 %u1, %m
  %r = xor i32 %u2, %w
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; The same through a pointer in private memory, which changes the order of the uses. The
; output is 0 at the start.
define amdgpu_kernel void @test1(ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %box = alloca ptr addrspace(5), align 4, addrspace(5)
  %a = alloca [8 x i64], align 16, addrspace(5)
  call void @llvm.memcpy.p5.p1.i64(ptr addrspace(5) %a, ptr addrspace(1) %o, i64 64, i1 false)
  store ptr addrspace(5) %a, ptr addrspace(5) %box, align 4
  %b = load ptr addrspace(5), ptr addrspace(5) %box, align 4
  %p = getelementptr i8, ptr addrspace(5) %b, i64 40
  %k = load i64, ptr addrspace(5) %p, align 8
  %q = getelementptr i64, ptr addrspace(5) %b, i64 %k
  %r = load i64, ptr addrspace(5) %q, align 1
  %z = zext i32 %id to i64
  %t = add i64 %r, %z
  store i64 %t, ptr addrspace(1) %o, align 8
  ret void
}

declare void @llvm.memcpy.p5.p1.i64(ptr addrspace(5), ptr addrspace(1), i64, i1)
declare i32 @llvm.amdgcn.workitem.id.x()
