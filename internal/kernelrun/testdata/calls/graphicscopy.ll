target triple = "amdgcn-amd-amdhsa"

; Graphics functions get the addresses of byval arguments in registers and may change the memory: the caller passes a copy.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, i32 %x1, ptr addrspace(1) %mix) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %m = getelementptr [64 x i8], ptr addrspace(1) %mix, i32 %id
  %a = alloca [5 x i32], align 8, addrspace(5)
  %b = alloca [2 x i64], align 8, addrspace(5)
  %v = load <4 x i32>, ptr addrspace(1) %m
  %w = load i64, ptr addrspace(1) %m
  store <4 x i32> %v, ptr addrspace(5) %a, align 8
  %a4 = getelementptr i32, ptr addrspace(5) %a, i32 4
  store i32 %id, ptr addrspace(5) %a4
  %b8 = getelementptr i8, ptr addrspace(5) %b, i32 8
  store i64 3, ptr addrspace(5) %b
  store i64 %w, ptr addrspace(5) %b8
  %r = tail call amdgpu_gfx i32 @sum(ptr addrspace(5) byval([5 x i32]) align 8 %a, i32 %x1, ptr addrspace(5) byval([2 x i64]) align 8 %b)
  %s = call amdgpu_gfx i32 @forward(ptr addrspace(5) byval([5 x i32]) align 8 %a, i32 %x1, ptr addrspace(5) byval([2 x i64]) align 8 %b)
  %o1 = getelementptr i32, ptr addrspace(1) %o, i32 1
  store i32 %r, ptr addrspace(1) %o
  store i32 %s, ptr addrspace(1) %o1
  %p = load <4 x i32>, ptr addrspace(5) %a, align 8
  %o4 = getelementptr i32, ptr addrspace(1) %o, i32 4
  store <4 x i32> %p, ptr addrspace(1) %o4, align 4
  %q = load i64, ptr addrspace(5) %b8
  %o8 = getelementptr i32, ptr addrspace(1) %o, i32 8
  store i64 %q, ptr addrspace(1) %o8, align 4
  ret void
}

define internal amdgpu_gfx i32 @sum(ptr addrspace(5) byval([5 x i32]) align 8 %p, i32 %k, ptr addrspace(5) byval([2 x i64]) align 8 %q) noinline {
  %i = and i32 %k, 3
  %e = getelementptr i32, ptr addrspace(5) %p, i32 %i
  %x = load i32, ptr addrspace(5) %e
  store i32 77, ptr addrspace(5) %e
  %l = getelementptr i32, ptr addrspace(5) %p, i32 4
  %y = load i32, ptr addrspace(5) %l
  %f = getelementptr i8, ptr addrspace(5) %q, i32 8
  %z = load i64, ptr addrspace(5) %f
  store i64 88, ptr addrspace(5) %f
  %t = trunc i64 %z to i32
  %s = add i32 %x, %y
  %r = add i32 %s, %t
  ret i32 %r
}

define internal amdgpu_gfx i32 @forward(ptr addrspace(5) byval([5 x i32]) align 8 %p, i32 %k, ptr addrspace(5) byval([2 x i64]) align 8 %q) noinline {
  %l = getelementptr i32, ptr addrspace(5) %p, i32 4
  store i32 1000, ptr addrspace(5) %l
  %r = call amdgpu_gfx i32 @sum(ptr addrspace(5) byval([5 x i32]) align 8 %p, i32 1, ptr addrspace(5) byval([2 x i64]) align 8 %q)
  %y = load i32, ptr addrspace(5) %l
  %f = getelementptr i8, ptr addrspace(5) %q, i32 8
  %z = load i32, ptr addrspace(5) %f
  %s = add i32 %r, %y
  %t = add i32 %s, %z
  ret i32 %t
}

declare i32 @llvm.amdgcn.workitem.id.x()
