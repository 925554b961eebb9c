; Functions that align their frames more than the stack, at an end of the stack that is not so aligned, with arguments on the stack.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal i32 @inner(i32 %n) noinline {
  %a = alloca [48 x i32], align 64, addrspace(5)
  %last = getelementptr [48 x i32], ptr addrspace(5) %a, i32 0, i32 47
  store volatile i32 %n, ptr addrspace(5) %last
  %at = ptrtoint ptr addrspace(5) %a to i32
  %low = and i32 %at, 63
  %v = load volatile i32, ptr addrspace(5) %last
  %r = add i32 %v, %low
  ret i32 %r
}

define internal i32 @outer(ptr addrspace(5) byval([9 x i64]) align 8 %s, i32 %n) noinline {
  %a = alloca [64 x i32], align 256, addrspace(5)
  %last = getelementptr [64 x i32], ptr addrspace(5) %a, i32 0, i32 63
  store volatile i32 %n, ptr addrspace(5) %last
  %q = getelementptr i64, ptr addrspace(5) %s, i32 8
  %x = load volatile i64, ptr addrspace(5) %q
  %y = trunc i64 %x to i32
  %i = call i32 @inner(i32 %y)
  %at = ptrtoint ptr addrspace(5) %a to i32
  %low = and i32 %at, 255
  %v = load volatile i32, ptr addrspace(5) %last
  %s1 = add i32 %v, %i
  %s2 = add i32 %s1, %low
  ret i32 %s2
}

define amdgpu_kernel void @test_realign(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = mul i32 %x, 1000
  %v = alloca [9 x i64], align 8, addrspace(5)
  %q = getelementptr i64, ptr addrspace(5) %v, i32 8
  %w = zext i32 %n to i64
  store i64 %w, ptr addrspace(5) %q
  %r = call i32 @outer(ptr addrspace(5) byval([9 x i64]) align 8 %v, i32 %x)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %r, ptr addrspace(1) %p
  ret void
}
