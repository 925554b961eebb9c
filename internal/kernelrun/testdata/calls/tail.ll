; Tail calls.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; Mutual recursion of two functions with more iterations than the stack could hold.
define internal i32 @even(i32 inreg %n, i32 %a, i32 %b) noinline {
entry:
  %tmp = alloca [64 x i32], addrspace(5)
  %k = and i32 %a, 63
  %p = getelementptr [64 x i32], ptr addrspace(5) %tmp, i32 0, i32 %k
  store volatile i32 %b, ptr addrspace(5) %p
  %l = load volatile i32, ptr addrspace(5) %p
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
end:
  %s = add i32 %a, %l
  ret i32 %s
more:
  %m = sub i32 %n, 1
  %a1 = mul i32 %a, 3
  %a2 = add i32 %a1, %l
  %r = musttail call i32 @odd(i32 inreg %m, i32 %b, i32 %a2)
  ret i32 %r
}

define internal i32 @odd(i32 inreg %n, i32 %a, i32 %b) noinline {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
end:
  %s = sub i32 %a, %b
  ret i32 %s
more:
  %m = sub i32 %n, 1
  %a1 = xor i32 %a, %n
  %h = call i32 @helper(i32 %a1, i32 %n)
  %r = musttail call i32 @even(i32 inreg %m, i32 %h, i32 %b)
  ret i32 %r
}

define internal i32 @helper(i32 %a, i32 %b) noinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %m = mul i32 %a, 7
  %s = add i32 %m, %b
  %t = add i32 %s, %x
  ret i32 %t
}

define amdgpu_kernel void @test_rounds(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call i32 @even(i32 inreg 301, i32 %x, i32 5)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}

; Lanes end after different numbers of iterations, so a tail call cannot be a jump.
define internal i32 @lanes(i32 %n, i32 %a) noinline {
entry:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
end:
  ret i32 %a
more:
  %m = sub i32 %n, 1
  %a1 = mul i32 %a, 3
  %a2 = add i32 %a1, %n
  %r = musttail call i32 @lanes(i32 %m, i32 %a2)
  ret i32 %r
}

define amdgpu_kernel void @test_lanes(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = add i32 %x, 3
  %r = call i32 @lanes(i32 %n, i32 %x)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}

; Live values in the caller of a function that tail-calls one with many registers.
define internal i32 @first(i32 %a, i32 %b) noinline {
  %s = add i32 %b, 1
  %r = tail call i32 @second(i32 %s, i32 %a)
  ret i32 %r
}

define internal i32 @second(i32 %a, i32 %b) noinline {
  %t = alloca [24 x i32], addrspace(5)
  %p0 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 0
  %v0 = add i32 %a, 0
  store volatile i32 %v0, ptr addrspace(5) %p0
  %p1 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 1
  %v1 = add i32 %a, 1
  store volatile i32 %v1, ptr addrspace(5) %p1
  %p2 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 2
  %v2 = add i32 %a, 4
  store volatile i32 %v2, ptr addrspace(5) %p2
  %p3 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 3
  %v3 = add i32 %a, 9
  store volatile i32 %v3, ptr addrspace(5) %p3
  %p4 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 4
  %v4 = add i32 %a, 16
  store volatile i32 %v4, ptr addrspace(5) %p4
  %p5 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 5
  %v5 = add i32 %a, 25
  store volatile i32 %v5, ptr addrspace(5) %p5
  %p6 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 6
  %v6 = add i32 %a, 36
  store volatile i32 %v6, ptr addrspace(5) %p6
  %p7 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 7
  %v7 = add i32 %a, 49
  store volatile i32 %v7, ptr addrspace(5) %p7
  %p8 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 8
  %v8 = add i32 %a, 64
  store volatile i32 %v8, ptr addrspace(5) %p8
  %p9 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 9
  %v9 = add i32 %a, 81
  store volatile i32 %v9, ptr addrspace(5) %p9
  %p10 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 10
  %v10 = add i32 %a, 100
  store volatile i32 %v10, ptr addrspace(5) %p10
  %p11 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 11
  %v11 = add i32 %a, 121
  store volatile i32 %v11, ptr addrspace(5) %p11
  %p12 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 12
  %v12 = add i32 %a, 144
  store volatile i32 %v12, ptr addrspace(5) %p12
  %p13 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 13
  %v13 = add i32 %a, 169
  store volatile i32 %v13, ptr addrspace(5) %p13
  %p14 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 14
  %v14 = add i32 %a, 196
  store volatile i32 %v14, ptr addrspace(5) %p14
  %p15 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 15
  %v15 = add i32 %a, 225
  store volatile i32 %v15, ptr addrspace(5) %p15
  %p16 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 16
  %v16 = add i32 %a, 256
  store volatile i32 %v16, ptr addrspace(5) %p16
  %p17 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 17
  %v17 = add i32 %a, 289
  store volatile i32 %v17, ptr addrspace(5) %p17
  %p18 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 18
  %v18 = add i32 %a, 324
  store volatile i32 %v18, ptr addrspace(5) %p18
  %p19 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 19
  %v19 = add i32 %a, 361
  store volatile i32 %v19, ptr addrspace(5) %p19
  %p20 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 20
  %v20 = add i32 %a, 400
  store volatile i32 %v20, ptr addrspace(5) %p20
  %p21 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 21
  %v21 = add i32 %a, 441
  store volatile i32 %v21, ptr addrspace(5) %p21
  %p22 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 22
  %v22 = add i32 %a, 484
  store volatile i32 %v22, ptr addrspace(5) %p22
  %p23 = getelementptr [24 x i32], ptr addrspace(5) %t, i32 0, i32 23
  %v23 = add i32 %a, 529
  store volatile i32 %v23, ptr addrspace(5) %p23
  %w0 = load volatile i32, ptr addrspace(5) %p0
  %w1 = load volatile i32, ptr addrspace(5) %p1
  %w2 = load volatile i32, ptr addrspace(5) %p2
  %w3 = load volatile i32, ptr addrspace(5) %p3
  %w4 = load volatile i32, ptr addrspace(5) %p4
  %w5 = load volatile i32, ptr addrspace(5) %p5
  %w6 = load volatile i32, ptr addrspace(5) %p6
  %w7 = load volatile i32, ptr addrspace(5) %p7
  %w8 = load volatile i32, ptr addrspace(5) %p8
  %w9 = load volatile i32, ptr addrspace(5) %p9
  %w10 = load volatile i32, ptr addrspace(5) %p10
  %w11 = load volatile i32, ptr addrspace(5) %p11
  %w12 = load volatile i32, ptr addrspace(5) %p12
  %w13 = load volatile i32, ptr addrspace(5) %p13
  %w14 = load volatile i32, ptr addrspace(5) %p14
  %w15 = load volatile i32, ptr addrspace(5) %p15
  %w16 = load volatile i32, ptr addrspace(5) %p16
  %w17 = load volatile i32, ptr addrspace(5) %p17
  %w18 = load volatile i32, ptr addrspace(5) %p18
  %w19 = load volatile i32, ptr addrspace(5) %p19
  %w20 = load volatile i32, ptr addrspace(5) %p20
  %w21 = load volatile i32, ptr addrspace(5) %p21
  %w22 = load volatile i32, ptr addrspace(5) %p22
  %w23 = load volatile i32, ptr addrspace(5) %p23
  %m23 = mul i32 %b, 3
  %s23 = add i32 %m23, %w23
  %m22 = mul i32 %s23, 3
  %s22 = add i32 %m22, %w22
  %m21 = mul i32 %s22, 3
  %s21 = add i32 %m21, %w21
  %m20 = mul i32 %s21, 3
  %s20 = add i32 %m20, %w20
  %m19 = mul i32 %s20, 3
  %s19 = add i32 %m19, %w19
  %m18 = mul i32 %s19, 3
  %s18 = add i32 %m18, %w18
  %m17 = mul i32 %s18, 3
  %s17 = add i32 %m17, %w17
  %m16 = mul i32 %s17, 3
  %s16 = add i32 %m16, %w16
  %m15 = mul i32 %s16, 3
  %s15 = add i32 %m15, %w15
  %m14 = mul i32 %s15, 3
  %s14 = add i32 %m14, %w14
  %m13 = mul i32 %s14, 3
  %s13 = add i32 %m13, %w13
  %m12 = mul i32 %s13, 3
  %s12 = add i32 %m12, %w12
  %m11 = mul i32 %s12, 3
  %s11 = add i32 %m11, %w11
  %m10 = mul i32 %s11, 3
  %s10 = add i32 %m10, %w10
  %m9 = mul i32 %s10, 3
  %s9 = add i32 %m9, %w9
  %m8 = mul i32 %s9, 3
  %s8 = add i32 %m8, %w8
  %m7 = mul i32 %s8, 3
  %s7 = add i32 %m7, %w7
  %m6 = mul i32 %s7, 3
  %s6 = add i32 %m6, %w6
  %m5 = mul i32 %s6, 3
  %s5 = add i32 %m5, %w5
  %m4 = mul i32 %s5, 3
  %s4 = add i32 %m4, %w4
  %m3 = mul i32 %s4, 3
  %s3 = add i32 %m3, %w3
  %m2 = mul i32 %s3, 3
  %s2 = add i32 %m2, %w2
  %m1 = mul i32 %s2, 3
  %s1 = add i32 %m1, %w1
  %m0 = mul i32 %s1, 3
  %s0 = add i32 %m0, %w0
  ret i32 %s0
}

define amdgpu_kernel void @test_first(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %l0 = load volatile i32, ptr addrspace(1) %p0
  %y0 = mul i32 %l0, %x
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %l1 = load volatile i32, ptr addrspace(1) %p1
  %y1 = mul i32 %l1, %x
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %l2 = load volatile i32, ptr addrspace(1) %p2
  %y2 = mul i32 %l2, %x
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %l3 = load volatile i32, ptr addrspace(1) %p3
  %y3 = mul i32 %l3, %x
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %l4 = load volatile i32, ptr addrspace(1) %p4
  %y4 = mul i32 %l4, %x
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %l5 = load volatile i32, ptr addrspace(1) %p5
  %y5 = mul i32 %l5, %x
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %l6 = load volatile i32, ptr addrspace(1) %p6
  %y6 = mul i32 %l6, %x
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %l7 = load volatile i32, ptr addrspace(1) %p7
  %y7 = mul i32 %l7, %x
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %l8 = load volatile i32, ptr addrspace(1) %p8
  %y8 = mul i32 %l8, %x
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %l9 = load volatile i32, ptr addrspace(1) %p9
  %y9 = mul i32 %l9, %x
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %l10 = load volatile i32, ptr addrspace(1) %p10
  %y10 = mul i32 %l10, %x
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %l11 = load volatile i32, ptr addrspace(1) %p11
  %y11 = mul i32 %l11, %x
  %r = call i32 @first(i32 %x, i32 7)
  %m0 = mul i32 %r, 5
  %s0 = xor i32 %m0, %y0
  %m1 = mul i32 %s0, 5
  %s1 = xor i32 %m1, %y1
  %m2 = mul i32 %s1, 5
  %s2 = xor i32 %m2, %y2
  %m3 = mul i32 %s2, 5
  %s3 = xor i32 %m3, %y3
  %m4 = mul i32 %s3, 5
  %s4 = xor i32 %m4, %y4
  %m5 = mul i32 %s4, 5
  %s5 = xor i32 %m5, %y5
  %m6 = mul i32 %s5, 5
  %s6 = xor i32 %m6, %y6
  %m7 = mul i32 %s6, 5
  %s7 = xor i32 %m7, %y7
  %m8 = mul i32 %s7, 5
  %s8 = xor i32 %m8, %y8
  %m9 = mul i32 %s8, 5
  %s9 = xor i32 %m9, %y9
  %m10 = mul i32 %s9, 5
  %s10 = xor i32 %m10, %y10
  %m11 = mul i32 %s10, 5
  %s11 = xor i32 %m11, %y11
  call void @put(ptr addrspace(1) %out, i32 0, i32 %s11)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %r)
  ret void
}

; Stack arguments and results.
define internal <34 x i32> @stack(<34 x i32> %a, i32 %n) noinline "amdgpu-flat-work-group-size"="1,256" {
  %e = extractelement <34 x i32> %a, i32 33
  %f = extractelement <34 x i32> %a, i32 0
  %b = insertelement <34 x i32> %a, i32 %n, i32 33
  %c = insertelement <34 x i32> %b, i32 %e, i32 0
  %m = add i32 %n, %f
  %r = musttail call <34 x i32> @stack2(<34 x i32> %c, i32 %m)
  ret <34 x i32> %r
}

define internal <34 x i32> @stack2(<34 x i32> %a, i32 %n) noinline "amdgpu-flat-work-group-size"="1,256" {
  %b = insertelement <34 x i32> %a, i32 %n, i32 1
  ret <34 x i32> %b
}

define amdgpu_kernel void @test_stack(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-flat-work-group-size"="1,256" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %a = insertelement <34 x i32> zeroinitializer, i32 %x, i32 33
  %b = insertelement <34 x i32> %a, i32 1000, i32 0
  %r = call <34 x i32> @stack(<34 x i32> %b, i32 9)
  %r0 = extractelement <34 x i32> %r, i32 0
  %r1 = extractelement <34 x i32> %r, i32 1
  %r33 = extractelement <34 x i32> %r, i32 33
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r0)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %r1)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %r33)
  ret void
}

; Through pointers, with a different function on each path.
define internal i32 @choose(i32 inreg %n, ptr inreg %f, i32 %a) noinline {
  %c = icmp ugt i32 %n, 3
  br i1 %c, label %one, label %two
one:
  %m = lshr i32 %n, 1
  %a1 = add i32 %a, 1
  %r = musttail call i32 %f(i32 inreg %m, ptr inreg %f, i32 %a1)
  ret i32 %r
two:
  %a2 = mul i32 %a, 10
  %s = musttail call i32 @last(i32 inreg %n, ptr inreg %f, i32 %a2)
  ret i32 %s
}

define internal i32 @last(i32 inreg %n, ptr inreg %f, i32 %a) noinline {
  %r = add i32 %n, %a
  ret i32 %r
}

define amdgpu_kernel void @test_pointers(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call i32 @choose(i32 inreg 100, ptr inreg @choose, i32 %x)
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  ret void
}
