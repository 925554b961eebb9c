; Arguments in scalar registers.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define i32 @scalars(i32 inreg %a, i32 %b, i64 inreg %c, i16 inreg %h, i8 inreg %d, i1 inreg %e, float inreg %f, double inreg %g) noinline {
  %a3 = mul i32 %a, 3
  %s0 = add i32 %a3, %b
  %c1 = lshr i64 %c, 20
  %c32 = trunc i64 %c1 to i32
  %s1 = xor i32 %s0, %c32
  %h32 = zext i16 %h to i32
  %s2 = add i32 %s1, %h32
  %d32 = sext i8 %d to i32
  %s3 = mul i32 %s2, %d32
  %s4 = select i1 %e, i32 %s3, i32 %s2
  %fi = fptosi float %f to i32
  %s5 = add i32 %s4, %fi
  %gi = fptosi double %g to i32
  %s6 = sub i32 %s5, %gi
  ret i32 %s6
}

; More arguments than scalar registers, which continue in v0; a frame with calls.
define i32 @many(<20 x i32> inreg %v, i32 %a, <3 x i16> inreg %h, { i32, i64 } inreg %s) noinline {
  %t = alloca [4 x i32], addrspace(5)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %k = and i32 %x, 3
  %p = getelementptr [4 x i32], ptr addrspace(5) %t, i32 0, i32 %k
  store volatile i32 %a, ptr addrspace(5) %p
  %e0 = extractelement <20 x i32> %v, i32 0
  %e1 = extractelement <20 x i32> %v, i32 13
  %e2 = extractelement <20 x i32> %v, i32 19
  %h2 = extractelement <3 x i16> %h, i32 2
  %h32 = sext i16 %h2 to i32
  %s0 = extractvalue { i32, i64 } %s, 0
  %s1 = extractvalue { i32, i64 } %s, 1
  %e64 = zext i32 %e1 to i64
  %e16 = trunc i32 %e1 to i16
  %r = call i32 @scalars(i32 inreg %e0, i32 %a, i64 inreg %e64, i16 inreg %e16, i8 inreg 3, i1 inreg true, float inreg 2.0, double inreg 3.0)
  %w = load volatile i32, ptr addrspace(5) %p
  %m0 = mul i32 %r, 5
  %m1 = add i32 %m0, %e1
  %m2 = mul i32 %m1, 5
  %m3 = add i32 %m2, %e2
  %m4 = add i32 %m3, %h32
  %m5 = xor i32 %m4, %s0
  %s1l = trunc i64 %s1 to i32
  %m6 = add i32 %m5, %w
  %m7 = sub i32 %m6, %s1l
  ret i32 %m7
}

; All argument registers, an aligned frame, and stack arguments.
define i32 @aligned(<30 x i32> inreg %v, <32 x i32> %w) noinline "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-implicitarg-ptr" "amdgpu-flat-work-group-size"="1,256" {
  %t = alloca i32, align 64, addrspace(5)
  %e = extractelement <30 x i32> %v, i32 25
  %d = extractelement <30 x i32> %v, i32 5
  %f = extractelement <32 x i32> %w, i32 31
  store volatile i32 %f, ptr addrspace(5) %t
  %g = extractelement <30 x i32> %v, i32 12
  %s = call i32 @scalars(i32 inreg %d, i32 %f, i64 inreg 5, i16 inreg 6, i8 inreg 3, i1 inreg false, float inreg 2.0, double inreg 3.0)
  %b = load volatile i32, ptr addrspace(5) %t
  %r = add i32 %s, %b
  %r2 = add i32 %r, %g
  %r3 = sub i32 %r2, %e
  ret i32 %r3
}

define amdgpu_kernel void @test_scalars(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i8, ptr addrspace(1) %in
  %b32 = zext i8 %b to i32
  %b64 = zext i8 %b to i64
  %b16 = zext i8 %b to i16
  %odd = trunc i8 %b to i1
  %c = shl i64 %b64, 33
  %f = uitofp i32 %b32 to float
  %d = uitofp i32 %b32 to double
  %r = call i32 @scalars(i32 inreg %b32, i32 %x, i64 inreg %c, i16 inreg %b16, i8 inreg %b, i1 inreg %odd, float inreg %f, double inreg %d)
  %s = call i32 @scalars(i32 inreg 1, i32 %r, i64 inreg 2, i16 inreg 3, i8 inreg -4, i1 inreg true, float inreg 6.0, double inreg 7.0)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %s)
  ret void
}

define amdgpu_kernel void @test_many(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %v = load <20 x i32>, ptr addrspace(1) %in, align 4
  %h = load <3 x i16>, ptr addrspace(1) %in, align 8
  %p = getelementptr i8, ptr addrspace(1) %in, i32 40
  %s = load { i32, i64 }, ptr addrspace(1) %p
  %r = call i32 @many(<20 x i32> inreg %v, i32 %x, <3 x i16> inreg %h, { i32, i64 } inreg %s)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}

define amdgpu_kernel void @test_aligned(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-flat-work-group-size"="1,256" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %v = load <30 x i32>, ptr addrspace(1) %in, align 4
  %i = insertelement <32 x i32> zeroinitializer, i32 %x, i32 31
  %r = call i32 @aligned(<30 x i32> inreg %v, <32 x i32> %i)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}

; Calls through a divergent pointer.
define internal i32 @one(i32 inreg %a, i32 %b) noinline {
  %r = sub i32 %a, %b
  ret i32 %r
}

define internal i32 @two(i32 inreg %a, i32 %b) noinline {
  %r = mul i32 %a, %b
  ret i32 %r
}

define amdgpu_kernel void @test_pointer(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i8, ptr addrspace(1) %in
  %b32 = zext i8 %b to i32
  %c = icmp ult i32 %x, 2
  %f = select i1 %c, ptr @one, ptr @two
  %r = call i32 %f(i32 inreg %b32, i32 %x)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}
