; Extended 32-bit indexes, logic on several values, 64-bit arithmetic.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; The index is negative: 8*x-8+8 doubles from a base that is 8 doubles higher.
define amdgpu_kernel void @test_negative(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x8 = shl i32 %x, 3
  %high = getelementptr i8, ptr addrspace(1) %out, i64 16384
  %i = sub i32 %x8, 2048
  %w = sext i32 %i to i64
  %p = getelementptr double, ptr addrspace(1) %high, i64 %w
  store i64 77, ptr addrspace(1) %p
  %i2 = or i32 %i, 1
  %w2 = sext i32 %i2 to i64
  %p2 = getelementptr double, ptr addrspace(1) %high, i64 %w2
  store i32 %i2, ptr addrspace(1) %p2
  %i4 = shl i32 %i2, 1
  %i5 = or i32 %i4, 1
  %w5 = sext i32 %i5 to i64
  %p5 = getelementptr float, ptr addrspace(1) %high, i64 %w5
  %old = load i32, ptr addrspace(1) %p2
  %new = xor i32 %old, %x
  store i32 %new, ptr addrspace(1) %p5
  %q = getelementptr double, ptr addrspace(1) %p, i32 2
  %y = load i64, ptr addrspace(1) %p
  %z = mul i64 %y, %w
  %s = sub i64 %z, %w2
  %t = mul i64 %s, 4294967299
  store i64 %t, ptr addrspace(1) %q
  ret void
}

; The index is at most 2^31-1 as an unsigned number; the constant is added to it
; with 64 bits.
define amdgpu_kernel void @test_logic(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 3
  %w = zext nneg i32 %at to i64
  %p = getelementptr double, ptr addrspace(1) %out, i64 %w
  %a = mul i32 %x, 305419897
  %b = mul i32 %x, -1640531527
  %c = mul i32 %a, %b
  %na = xor i32 %a, -1
  %l1 = and i32 %na, %b
  %l2 = or i32 %l1, %c
  %l3 = xor i32 %l2, %a
  store i32 %l3, ptr addrspace(1) %p
  %m1 = and i32 %a, %b
  %m2 = and i32 %na, %c
  %m3 = xor i32 %m1, %m2
  %p1 = getelementptr double, ptr addrspace(1) %p, i32 1
  store i32 %m3, ptr addrspace(1) %p1
  %n1 = or i32 %a, %b
  %n2 = and i32 %n1, 15
  %n3 = xor i32 %n2, -1
  %n4 = or i32 %n3, %b
  %p2 = getelementptr double, ptr addrspace(1) %p, i32 2
  store i32 %n4, ptr addrspace(1) %p2
  %k1 = xor i32 %a, %b
  %k2 = xor i32 %k1, %c
  %k3 = and i32 %k2, %x
  %p3 = getelementptr double, ptr addrspace(1) %p, i32 3
  store i32 %k3, ptr addrspace(1) %p3
  %d = mul i32 %c, %b
  %e = add i32 %d, %a
  %p4 = getelementptr double, ptr addrspace(1) %p, i32 4
  store i32 %e, ptr addrspace(1) %p4
  ret void
}

; A negative index of 64 bits times 12.
define amdgpu_kernel void @test_wide(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %high = getelementptr i8, ptr addrspace(1) %out, i64 16
  %w = zext i32 %x to i64
  %i = xor i64 %w, -1
  %down = getelementptr [3 x i32], ptr addrspace(1) %high, i64 %i
  %at = mul nuw nsw i64 %w, 76
  %p = getelementptr i8, ptr addrspace(1) %down, i64 %at
  store i32 %x, ptr addrspace(1) %p
  ret void
}
