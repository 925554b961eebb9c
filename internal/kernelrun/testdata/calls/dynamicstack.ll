; Allocas of variable size: in kernels and functions, in loops, with divergent sizes and addresses.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(5) @llvm.stacksave.p5()
declare void @llvm.stackrestore.p5(ptr addrspace(5))

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; fill writes n consecutive numbers starting with v; noinline, with a separate frame.
define internal void @fill(ptr addrspace(5) %p, i32 %n, i32 %v) noinline {
entry:
  %tmp = alloca [8 x i32], addrspace(5)
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %k = and i32 %i, 7
  %t = getelementptr [8 x i32], ptr addrspace(5) %tmp, i32 0, i32 %k
  %w = add i32 %v, %i
  store volatile i32 %w, ptr addrspace(5) %t
  %w1 = load volatile i32, ptr addrspace(5) %t
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  store i32 %w1, ptr addrspace(5) %q
  %i1 = add i32 %i, 1
  br label %head
end:
  ret void
}

define internal i32 @sum(ptr addrspace(5) %p, i32 %n) noinline {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi i32 [ 0, %entry ], [ %s1, %body ]
  %c = icmp ult i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  %w = load i32, ptr addrspace(5) %q
  %s3 = mul i32 %s, 3
  %s1 = add i32 %s3, %w
  %i1 = add i32 %i, 1
  br label %head
end:
  ret i32 %s
}

define amdgpu_kernel void @test_uniform(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %b = load i8, ptr addrspace(1) %in
  %m = and i8 %b, 7
  %z = zext i8 %m to i32
  %n = add i32 %z, 3
  %a = alloca i32, i32 %n, addrspace(5)
  %c = alloca i32, i32 %n, align 64, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 10)
  call void @fill(ptr addrspace(5) %c, i32 %n, i32 20)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  %t = call i32 @sum(ptr addrspace(5) %c, i32 %n)
  %i = ptrtoint ptr addrspace(5) %c to i32
  %l = and i32 %i, 63
  call void @put(ptr addrspace(1) %out, i32 0, i32 %s)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %t)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %l)
  ret void
}

define amdgpu_kernel void @test_divergent(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %fixed = alloca [5 x i32], addrspace(5)
  %x7 = mul i32 %x, 7
  %n = sub i32 25, %x7
  %n64 = zext i32 %n to i64
  %a = alloca i32, i64 %n64, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 %x)
  call void @fill(ptr addrspace(5) %fixed, i32 5, i32 100)
  %c = alloca i32, i32 %n, align 32, addrspace(5)
  call void @fill(ptr addrspace(5) %c, i32 %n, i32 20)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  %t = call i32 @sum(ptr addrspace(5) %c, i32 %n)
  %u = call i32 @sum(ptr addrspace(5) %fixed, i32 5)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %s)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %t)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %u)
  ret void
}

; A wide and a narrow integer as the number of elements; structs as elements.
define amdgpu_kernel void @test_types(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = add i32 %x, 1
  %n8 = trunc i32 %n to i8
  %n128 = zext i32 %n to i128
  %a = alloca { i8, [3 x i32] }, i8 %n8, addrspace(5)
  %b = alloca [3 x i32], i128 %n128, align 4, addrspace(5)
  %n4 = mul i32 %n, 4
  %n3 = mul i32 %n, 3
  call void @fill(ptr addrspace(5) %b, i32 %n3, i32 5)
  call void @fill(ptr addrspace(5) %a, i32 %n4, i32 1)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n4)
  %t = call i32 @sum(ptr addrspace(5) %b, i32 %n3)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %s)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %t)
  ret void
}

; Each iteration restores the stack pointer. Without that, the stack would overflow.
define amdgpu_kernel void @test_loop(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %rounds = add i32 %x, 20
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %head ]
  %h = phi i32 [ 0, %entry ], [ %h1, %head ]
  %saved = call ptr addrspace(5) @llvm.stacksave.p5()
  %e = mul i32 %i, 2
  %n = add i32 %e, 250
  %a = alloca i32, i32 %n, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 %i)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  %h5 = mul i32 %h, 5
  %h1 = add i32 %h5, %s
  call void @llvm.stackrestore.p5(ptr addrspace(5) %saved)
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %rounds
  br i1 %c, label %head, label %end
end:
  call void @put(ptr addrspace(1) %out, i32 0, i32 %h1)
  ret void
}

; Some lanes restore the stack pointer while others still use the memory.
define amdgpu_kernel void @test_early(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %h = phi i32 [ 0, %entry ], [ %h1, %latch ]
  %saved = call ptr addrspace(5) @llvm.stacksave.p5()
  %n = add i32 %i, 200
  %a = alloca i32, i32 %n, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 %i)
  %y = xor i32 %x, %i
  %odd = and i32 %y, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %early, label %late
early:
  call void @llvm.stackrestore.p5(ptr addrspace(5) %saved)
  %b = alloca i32, i32 3, addrspace(5)
  call void @fill(ptr addrspace(5) %b, i32 3, i32 %i)
  %q = call i32 @sum(ptr addrspace(5) %b, i32 3)
  call void @llvm.stackrestore.p5(ptr addrspace(5) %saved)
  br label %latch
late:
  %tmp = alloca i32, i32 2, addrspace(5)
  call void @fill(ptr addrspace(5) %tmp, i32 2, i32 77)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  call void @llvm.stackrestore.p5(ptr addrspace(5) %saved)
  br label %latch
latch:
  %v = phi i32 [ %q, %early ], [ %s, %late ]
  %h5 = mul i32 %h, 5
  %h1 = add i32 %h5, %v
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, 12
  br i1 %again, label %head, label %end
end:
  call void @put(ptr addrspace(1) %out, i32 0, i32 %h1)
  ret void
}

; Stack arguments after dynamic allocas.
define internal i32 @many(<32 x i32> %a, i32 %b, i32 %c, ptr addrspace(5) byval([3 x i32]) %d, ptr addrspace(5) %p, i32 %n) noinline {
  %e = extractelement <32 x i32> %a, i32 31
  %x = alloca i32, i32 %n, align 128, addrspace(5)
  call void @fill(ptr addrspace(5) %x, i32 %n, i32 %b)
  %s = call i32 @sum(ptr addrspace(5) %x, i32 %n)
  %t = call i32 @sum(ptr addrspace(5) %d, i32 3)
  %u = call i32 @sum(ptr addrspace(5) %p, i32 %n)
  %i = ptrtoint ptr addrspace(5) %x to i32
  %low = and i32 %i, 127
  %r0 = add i32 %e, %c
  %r1 = mul i32 %r0, 3
  %r2 = add i32 %r1, %s
  %r3 = mul i32 %r2, 3
  %r4 = add i32 %r3, %t
  %r5 = mul i32 %r4, 3
  %r6 = add i32 %r5, %u
  %r7 = add i32 %r6, %low
  ret i32 %r7
}

define amdgpu_kernel void @test_arguments(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = add i32 %x, 2
  %d = alloca [3 x i32], addrspace(5)
  call void @fill(ptr addrspace(5) %d, i32 3, i32 7)
  %a = alloca i32, i32 %n, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 %x)
  %v = insertelement <32 x i32> zeroinitializer, i32 %x, i32 31
  %r = call i32 @many(<32 x i32> %v, i32 3, i32 4, ptr addrspace(5) byval([3 x i32]) %d, ptr addrspace(5) %a, i32 %n)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  %t = call i32 @sum(ptr addrspace(5) %d, i32 3)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %s)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %t)
  ret void
}

; Recursion with an object in each frame.
define internal i32 @nested(i32 %n, i32 %x) noinline {
entry:
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %end, label %more
more:
  %a = alloca i32, i32 %n, addrspace(5)
  call void @fill(ptr addrspace(5) %a, i32 %n, i32 %x)
  %m = sub i32 %n, 1
  %r = call i32 @nested(i32 %m, i32 %x)
  %s = call i32 @sum(ptr addrspace(5) %a, i32 %n)
  %t = add i32 %r, %s
  br label %end
end:
  %v = phi i32 [ 1, %entry ], [ %t, %more ]
  ret i32 %v
}

define amdgpu_kernel void @test_recursion(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = add i32 %x, 2
  %r = call i32 @nested(i32 %n, i32 %x)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}
