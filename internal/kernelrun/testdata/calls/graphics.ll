; Functions of the convention amdgpu_gfx.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define amdgpu_gfx i32 @scalars(i32 inreg %a, i32 %b, i64 inreg %c, i16 inreg %h, i8 %d, i1 %e, float inreg %f, double %g, i1 inreg %i) noinline {
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
  %s7 = select i1 %i, i32 %s6, i32 %s4
  ret i32 %s7
}

; Calls a function of the other convention, and clobbers registers that only one of them preserves.
define i32 @compute(i32 %a, i32 %b) noinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call amdgpu_gfx i32 @middle(i32 %a, i32 %b)
  call void asm sideeffect "", "~{s20},~{s36},~{s50},~{s66},~{v41}"()
  %s = mul i32 %r, 7
  %t = add i32 %s, %x
  ret i32 %t
}

define amdgpu_gfx i32 @middle(i32 %a, i32 %b) noinline {
  %r = call i32 @leaf(i32 %b, i32 %a)
  call void asm sideeffect "", "~{s20},~{s36},~{s50},~{s66},~{v41},~{v57}"()
  %s = mul i32 %r, 5
  %t = sub i32 %s, %a
  ret i32 %t
}

define i32 @leaf(i32 %a, i32 %b) noinline {
  call void asm sideeffect "", "~{s4},~{s5},~{s6},~{s7},~{s8},~{s9},~{s10},~{s11},~{s12},~{s20},~{s28},~{s29}"()
  %r = shl i32 %a, 3
  %s = xor i32 %r, %b
  ret i32 %s
}

; Arguments in all registers and on the stack, an aligned frame, and a call.
define amdgpu_gfx i32 @aligned(<28 x i32> inreg %v, <36 x i32> %w, i32 inreg %last) noinline {
  %t = alloca i32, align 64, addrspace(5)
  %e = extractelement <28 x i32> %v, i32 27
  %d = extractelement <28 x i32> %v, i32 5
  %f = extractelement <36 x i32> %w, i32 35
  %h = extractelement <36 x i32> %w, i32 31
  store volatile i32 %f, ptr addrspace(5) %t
  %s = call amdgpu_gfx i32 @middle(i32 %d, i32 %f)
  %b = load volatile i32, ptr addrspace(5) %t
  %r = add i32 %s, %b
  %r2 = add i32 %r, %e
  %r3 = sub i32 %r2, %last
  %r4 = xor i32 %r3, %h
  ret i32 %r4
}

; Results of more registers than functions of the other convention return.
define amdgpu_gfx { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } @results(i32 %a, i32 %b) noinline {
  %v = insertelement <60 x i32> zeroinitializer, i32 %a, i32 59
  %w = insertelement <60 x i32> %v, i32 %b, i32 33
  %a64 = zext i32 %a to i64
  %a64s = shl i64 %a64, 20
  %c = icmp ult i32 %a, %b
  %a16 = trunc i32 %a to i16
  %h = insertelement <5 x i16> zeroinitializer, i16 %a16, i32 4
  %a8 = trunc i32 %a to i8
  %r0 = insertvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } zeroinitializer, <60 x i32> %w, 0
  %r1 = insertvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r0, i64 %a64s, 1
  %r2 = insertvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r1, i1 %c, 2
  %r3 = insertvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r2, <5 x i16> %h, 3
  %r4 = insertvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r3, i8 %a8, 4, 2
  ret { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r4
}

; A result in memory.
define amdgpu_gfx <140 x i32> @large(i32 %a, i32 inreg %b) noinline {
  %v = insertelement <140 x i32> zeroinitializer, i32 %a, i32 139
  %w = insertelement <140 x i32> %v, i32 %b, i32 3
  ret <140 x i32> %w
}

define amdgpu_kernel void @test_scalars(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i8, ptr addrspace(1) %in
  %b32 = zext i8 %b to i32
  %b64 = zext i8 %b to i64
  %b16 = zext i8 %b to i16
  %odd = trunc i32 %x to i1
  %c = shl i64 %b64, 33
  %f = uitofp i32 %b32 to float
  %d = uitofp i32 %x to double
  %x8 = trunc i32 %x to i8
  %r = call amdgpu_gfx i32 @scalars(i32 inreg %b32, i32 %x, i64 inreg %c, i16 inreg %b16, i8 %x8, i1 %odd, float inreg %f, double %d, i1 inreg true)
  %s = call amdgpu_gfx i32 @scalars(i32 inreg 1, i32 %r, i64 inreg 2, i16 inreg 3, i8 -4, i1 true, float inreg 6.0, double 7.0, i1 inreg false)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %s)
  ret void
}

define amdgpu_kernel void @test_compute(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i32, ptr addrspace(1) %in
  %b2 = mul i32 %b, 3
  %r = call i32 @compute(i32 %b, i32 %x)
  %s = call amdgpu_gfx i32 @middle(i32 %r, i32 %b2)
  %q = icmp ult i32 %x, 2
  br i1 %q, label %some, label %done
some:
  %u = call amdgpu_gfx i32 @middle(i32 %s, i32 %x)
  br label %done
done:
  %p = phi i32 [ %s, %0 ], [ %u, %some ]
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %p)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %b2)
  ret void
}

define amdgpu_kernel void @test_aligned(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-flat-work-group-size"="1,256" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %v = load <28 x i32>, ptr addrspace(1) %in, align 4
  %i = insertelement <36 x i32> zeroinitializer, i32 %x, i32 35
  %j = insertelement <36 x i32> %i, i32 77, i32 31
  %e = extractelement <28 x i32> %v, i32 3
  %r = call amdgpu_gfx i32 @aligned(<28 x i32> inreg %v, <36 x i32> %j, i32 inreg %e)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}

define amdgpu_kernel void @test_results(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-flat-work-group-size"="1,256" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i32, ptr addrspace(1) %in
  %r = call amdgpu_gfx { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } @results(i32 %b, i32 %x)
  %v = extractvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r, 0
  %v0 = extractelement <60 x i32> %v, i32 59
  %v1 = extractelement <60 x i32> %v, i32 33
  %l = extractvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r, 1
  %lh = lshr i64 %l, 32
  %l32 = trunc i64 %lh to i32
  %c = extractvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r, 2
  %c32 = zext i1 %c to i32
  %h = extractvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r, 3
  %h4 = extractelement <5 x i16> %h, i32 4
  %h32 = zext i16 %h4 to i32
  %d = extractvalue { <60 x i32>, i64, i1, <5 x i16>, [3 x i8] } %r, 4, 2
  %d32 = zext i8 %d to i32
  %m = call amdgpu_gfx <140 x i32> @large(i32 %x, i32 inreg %b)
  %m0 = extractelement <140 x i32> %m, i32 139
  %m1 = extractelement <140 x i32> %m, i32 3
  call void @put(ptr addrspace(1) %out, i32 0, i32 %v0)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %v1)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %l32)
  call void @put(ptr addrspace(1) %out, i32 3, i32 %c32)
  call void @put(ptr addrspace(1) %out, i32 4, i32 %h32)
  call void @put(ptr addrspace(1) %out, i32 5, i32 %d32)
  call void @put(ptr addrspace(1) %out, i32 6, i32 %m0)
  call void @put(ptr addrspace(1) %out, i32 7, i32 %m1)
  ret void
}

; Calls through a divergent pointer, and a tail call.
define internal amdgpu_gfx i32 @one(i32 inreg %a, i32 %b) noinline {
  %r = sub i32 %a, %b
  ret i32 %r
}

define internal amdgpu_gfx i32 @two(i32 inreg %a, i32 %b) noinline {
  %c = mul i32 %a, %b
  %r = tail call amdgpu_gfx i32 @middle(i32 %c, i32 %a)
  ret i32 %r
}

define amdgpu_kernel void @test_pointer(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %b = load i8, ptr addrspace(1) %in
  %b32 = zext i8 %b to i32
  %c = icmp ult i32 %x, 2
  %f = select i1 %c, ptr @one, ptr @two
  %r = call amdgpu_gfx i32 %f(i32 inreg %b32, i32 %x)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}
