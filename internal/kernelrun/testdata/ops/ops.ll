; Operations that are rare in random modules: half conversions, addresses as constants, address space casts, wide comparisons.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@g = internal addrspace(1) global [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6], align 16
@h = internal addrspace(1) global i64 6, align 16
@t = internal addrspace(4) constant [4 x i64] [i64 11, i64 -22, i64 33, i64 -44], align 16
@l = internal addrspace(3) global [64 x i32] poison, align 4

declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.copysign.f32(float, float)
declare half @llvm.copysign.f16(half, half)
declare double @llvm.copysign.f64(double, double)
declare <2 x half> @llvm.fabs.v2f16(<2 x half>)
declare half @llvm.fabs.f16(half)
declare <2 x half> @llvm.copysign.v2f16(<2 x half>, <2 x half>)
declare i1 @llvm.is.fpclass.f32(float, i32)
declare i1 @llvm.is.fpclass.f64(double, i32)
declare <2 x i16> @llvm.smin.v2i16(<2 x i16>, <2 x i16>)
declare <2 x i16> @llvm.umax.v2i16(<2 x i16>, <2 x i16>)
declare i64 @llvm.bswap.i64(i64)
declare i32 @llvm.bswap.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i32 @llvm.fptoui.sat.i32.f16(half)
declare i64 @llvm.fptosi.sat.i64.f32(float)
declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @testHalf(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o = mul i64 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %o
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %n = load i32, ptr addrspace(1) %p
  %b = load i8, ptr addrspace(1) %p
  %m = and i32 %n, 1023
  %h = uitofp i32 %m to half
  %s = sub i32 %m, 512
  %h2 = sitofp i32 %s to half
  %h3 = fadd half %h, %h2
  %d = fpext half %h3 to double
  %e = fmul double %d, 0.25
  %f = fptosi double %e to i32
  %u = fptoui half %h to i32
  %v = fptosi half %h2 to i32
  %w = fptosi half %h2 to i64
  %x = uitofp i8 %b to half
  %y = sitofp i8 %b to double
  %z = fptoui half %x to i8
  store i32 %f, ptr addrspace(1) %q
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 1
  store i32 %u, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %q, i64 2
  store i32 %v, ptr addrspace(1) %q2
  %q3 = getelementptr i64, ptr addrspace(1) %q, i64 2
  store i64 %w, ptr addrspace(1) %q3
  %q4 = getelementptr i64, ptr addrspace(1) %q, i64 3
  store double %y, ptr addrspace(1) %q4
  %q5 = getelementptr i8, ptr addrspace(1) %q, i64 12
  store i8 %z, ptr addrspace(1) %q5
  ret void
}

define amdgpu_kernel void @testSigns(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %k) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o = mul i64 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %o
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %n = load i32, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i64 1
  %n1 = load i32, ptr addrspace(1) %p1
  %m = and i32 %n, 65535
  %f = uitofp i32 %m to float
  %m1 = and i32 %n1, 255
  %s1 = sub i32 %m1, 100
  %f1 = sitofp i32 %s1 to float
  %c = call float @llvm.copysign.f32(float %f, float %f1)
  %d = fpext float %f to double
  %d1 = fpext float %f1 to double
  %cd = call double @llvm.copysign.f64(double %d, double %d1)
  %v = insertelement <2 x i32> poison, i32 %m1, i32 0
  %v1 = insertelement <2 x i32> %v, i32 %s1, i32 1
  %h = sitofp <2 x i32> %v1 to <2 x half>
  %ha = call <2 x half> @llvm.fabs.v2f16(<2 x half> %h)
  %hn = fneg <2 x half> %ha
  %hc = call <2 x half> @llvm.copysign.v2f16(<2 x half> %ha, <2 x half> %h)
  %hs = fadd <2 x half> %hc, %hn
  %h0 = extractelement <2 x half> %h, i32 1
  %h1 = call half @llvm.fabs.f16(half %h0)
  %k1 = and i32 %k, 511
  %k2 = sub i32 %k1, 300
  %kd = sitofp i32 %k2 to double
  %kn = fneg double %kd
  %kf = fptrunc double %kn to float
  %ks = call i32 @llvm.fptosi.sat.i32.f64(double %kn)
  %hu = call i32 @llvm.fptoui.sat.i32.f16(half %h0)
  %fs = call i64 @llvm.fptosi.sat.i64.f32(float %c)
  %t0 = fcmp olt double %cd, 0.0
  %t1 = call i1 @llvm.is.fpclass.f32(float %c, i32 60)
  %t2 = call i1 @llvm.is.fpclass.f64(double %cd, i32 960)
  %t3 = xor i1 %t0, %t1
  %t4 = and i1 %t3, %t2
  %t5 = zext i1 %t4 to i32
  store float %c, ptr addrspace(1) %q
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 1
  store <2 x half> %hs, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %q, i64 2
  store i32 %ks, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %q, i64 3
  store float %kf, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %q, i64 4
  store i32 %hu, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %q, i64 5
  store i32 %t5, ptr addrspace(1) %q5
  %q6 = getelementptr i64, ptr addrspace(1) %q, i64 3
  store i64 %fs, ptr addrspace(1) %q6
  ret void
}

define amdgpu_kernel void @testConstants(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %a = sub i64 ptrtoint (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @g, i64 5) to i64), ptrtoint (ptr addrspace(1) @g to i64)
  %b = load i32, ptr addrspace(1) inttoptr (i64 add (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 20) to ptr addrspace(1))
  %c = load i32, ptr addrspacecast (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @g, i64 2) to ptr)
  %d = load i64, ptr addrspace(4) getelementptr (i64, ptr addrspace(4) @t, i64 3)
  %e = trunc i64 sub (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 1) to i32
  %f = sub i32 %e, ptrtoint (ptr addrspace(1) @g to i32)
  %g = icmp eq ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3)), inttoptr (i32 -1 to ptr addrspace(3))
  %h = zext i1 %g to i32
  %j = icmp eq ptr addrspacecast (ptr addrspace(5) inttoptr (i32 -1 to ptr addrspace(5)) to ptr), null
  %k = zext i1 %j to i32
  %l = shl i32 %h, 1
  %m0 = or i32 %l, %k
  %n = add i64 sub (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 ptrtoint (ptr addrspace(1) @h to i64)), sub (i64 ptrtoint (ptr addrspace(1) @h to i64), i64 ptrtoint (ptr addrspace(1) @g to i64))
  %n1 = sub i64 add (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 ptrtoint (ptr addrspace(1) @h to i64)), add (i64 ptrtoint (ptr addrspace(1) @h to i64), i64 ptrtoint (ptr addrspace(1) @g to i64))
  %n2 = sub i32 sub (i32 ptrtoint (ptr addrspace(1) @g to i32), i32 ptrtoint (ptr addrspace(1) @h to i32)), trunc (i64 sub (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 ptrtoint (ptr addrspace(1) @h to i64)) to i32)
  %n3 = sub i64 sub (i64 9, i64 ptrtoint (ptr addrspace(1) @g to i64)), xor (i64 ptrtoint (ptr addrspace(1) @g to i64), i64 -1)
  %n4 = add i64 %n, %n1
  %n5 = add i64 %n4, %n3
  %n6 = trunc i64 %n5 to i32
  %n7 = add i32 %n6, %n2
  %n8 = shl i32 %n7, 2
  %m = or i32 %m0, %n8
  store i64 %a, ptr addrspace(1) %q
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 2
  store i32 %b, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %q, i64 3
  store i32 %c, ptr addrspace(1) %q2
  %q3 = getelementptr i64, ptr addrspace(1) %q, i64 2
  store i64 %d, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %q, i64 6
  store i32 %f, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %q, i64 7
  store i32 %m, ptr addrspace(1) %q5
  ret void
}

define amdgpu_kernel void @testSpaces(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %k) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %lp = getelementptr i32, ptr addrspace(3) @l, i32 %id
  store i32 %id, ptr addrspace(3) %lp
  %a = alloca i32, addrspace(5)
  store volatile i32 77, ptr addrspace(5) %a
  %fa = addrspacecast ptr addrspace(5) %a to ptr
  %fl = addrspacecast ptr addrspace(3) %lp to ptr
  %fc = addrspacecast ptr addrspace(3) @l to ptr
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %p = select i1 %c, ptr %fa, ptr %fl
  %x = load volatile i32, ptr %p
  %ca = icmp ne ptr %fc, null
  %kz = and i32 %k, 1
  %ck = icmp eq i32 %kz, 0
  %up = select i1 %ck, ptr %fc, ptr null
  %lu = addrspacecast ptr %up to ptr addrspace(3)
  %same = icmp eq ptr addrspace(3) %lu, @l
  %nul = icmp eq ptr addrspace(3) %lu, addrspacecast (ptr null to ptr addrspace(3))
  %one = xor i1 %same, %nul
  %vp = select i1 %c, ptr %fl, ptr null
  %vl = addrspacecast ptr %vp to ptr addrspace(3)
  %vs = icmp eq ptr addrspace(3) %vl, %lp
  %bits0 = zext i1 %ca to i32
  %bits1 = zext i1 %one to i32
  %bits2 = zext i1 %vs to i32
  %s1 = shl i32 %bits1, 1
  %s2 = shl i32 %bits2, 2
  %t = or i32 %bits0, %s1
  %u = or i32 %t, %s2
  store i32 %x, ptr addrspace(1) %q
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 1
  store i32 %u, ptr addrspace(1) %q1
  ret void
}

define amdgpu_kernel void @testWide(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %k, i32 %z) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o = mul i64 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %o
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %n = load i64, ptr addrspace(1) %p
  %b = call i64 @llvm.bswap.i64(i64 %n)
  %kb = call i64 @llvm.bswap.i64(i64 %k)
  %zb = call i32 @llvm.bswap.i32(i32 %z)
  %zw = zext i32 %zb to i64
  %pc = call i64 @llvm.ctpop.i64(i64 %n)
  %x = add i64 %b, %kb
  %y = xor i64 %x, %zw
  %w = add i64 %y, %pc
  store i64 %w, ptr addrspace(1) %q
  %v = load <2 x i16>, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i64 1
  %v1 = load <2 x i16>, ptr addrspace(1) %p1
  %mn = call <2 x i16> @llvm.smin.v2i16(<2 x i16> %v, <2 x i16> %v1)
  %mx = call <2 x i16> @llvm.umax.v2i16(<2 x i16> %v, <2 x i16> %v1)
  %sh = shl <2 x i16> %mn, <i16 3, i16 5>
  %sv = and <2 x i16> %v1, <i16 15, i16 15>
  %sr = ashr <2 x i16> %mx, %sv
  %ad = add <2 x i16> %sh, %sr
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 2
  store <2 x i16> %ad, ptr addrspace(1) %q1
  %e = extractelement <2 x i16> %ad, i32 1
  %e1 = sext i16 %e to i32
  %q2 = getelementptr i32, ptr addrspace(1) %q, i64 3
  store i32 %e1, ptr addrspace(1) %q2
  %kc = icmp slt i64 %k, 5
  %i3 = load <3 x i32>, ptr addrspace(1) %p
  %s3 = select i1 %kc, <3 x i32> %i3, <3 x i32> <i32 7, i32 8, i32 -9>
  %nc = icmp slt i64 %n, 5
  %t3 = select i1 %nc, <3 x i32> %s3, <3 x i32> <i32 1, i32 2, i32 3>
  %q3 = getelementptr i32, ptr addrspace(1) %q, i64 4
  store <3 x i32> %t3, ptr addrspace(1) %q3, align 4
  %kr = urem i64 %k, 3
  %m7 = mul i64 %kr, 12
  %gp = getelementptr [3 x i32], ptr addrspace(1) @g, i64 %kr
  %cmp = icmp ult i64 %m7, 20
  %gv = load i32, ptr addrspace(1) %gp
  %g2 = select i1 %cmp, i32 %gv, i32 0
  %q4 = getelementptr i32, ptr addrspace(1) %q, i64 7
  store i32 %g2, ptr addrspace(1) %q4
  ret void
}

define amdgpu_kernel void @testLDSPieces(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(3) %local.2048) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o = mul i64 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %o
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %n = load <3 x i32>, ptr addrspace(1) %p, align 4
  %n4 = load <4 x i32>, ptr addrspace(1) %p, align 4
  %at = mul i32 %id, 96
  %lp = getelementptr i8, ptr addrspace(3) %local.2048, i32 %at
  store <3 x i32> %n, ptr addrspace(3) %lp, align 4
  %lp1 = getelementptr i8, ptr addrspace(3) %lp, i32 16
  store <4 x i32> %n4, ptr addrspace(3) %lp1, align 4
  %far = getelementptr i8, ptr addrspace(3) %lp, i32 1540
  store <4 x i32> %n4, ptr addrspace(3) %far, align 4
  call void @llvm.amdgcn.s.barrier()
  %x = load <3 x i32>, ptr addrspace(3) %lp, align 4
  %y = load <4 x i32>, ptr addrspace(3) %far, align 4
  %z = load <4 x i32>, ptr addrspace(3) %lp1, align 8
  %x1 = extractelement <3 x i32> %x, i32 2
  %y1 = extractelement <4 x i32> %y, i32 3
  %z1 = extractelement <4 x i32> %z, i32 1
  %s = add i32 %x1, %y1
  %t = xor i32 %s, %z1
  store i32 %t, ptr addrspace(1) %q
  ret void
}

define amdgpu_kernel void @testAtomics(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %id to i64
  %o2 = mul i64 %i, 64
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %o2
  %a = alloca [4 x i32], addrspace(5)
  store i32 5, ptr addrspace(5) %a
  %a1 = getelementptr i32, ptr addrspace(5) %a, i32 1
  store i32 6, ptr addrspace(5) %a1
  %r = cmpxchg ptr addrspace(5) %a, i32 5, i32 8 monotonic monotonic
  %o = atomicrmw add ptr addrspace(5) %a1, i32 %id monotonic
  %v = extractvalue { i32, i1 } %r, 0
  %s = extractvalue { i32, i1 } %r, 1
  %b = load i32, ptr addrspace(5) %a
  %c = load i32, ptr addrspace(5) %a1
  %d = zext i1 %s to i32
  %e = add i32 %v, %o
  %f = mul i32 %b, %c
  %g = add i32 %e, %f
  %h = add i32 %g, %d
  store i32 %h, ptr addrspace(1) %q
  %q1 = getelementptr i32, ptr addrspace(1) %q, i64 1
  store i32 9, ptr addrspace(1) %q1
  %x = cmpxchg ptr addrspace(1) %q1, i32 9, i32 10 monotonic monotonic
  %x0 = extractvalue { i32, i1 } %x, 0
  %q2 = getelementptr i32, ptr addrspace(1) %q, i64 2
  store i32 %x0, ptr addrspace(1) %q2
  %q3 = getelementptr i64, ptr addrspace(1) %q, i64 2
  store i64 9, ptr addrspace(1) %q3
  %y = cmpxchg ptr addrspace(1) %q3, i64 9, i64 -1 monotonic monotonic
  %y0 = extractvalue { i64, i1 } %y, 1
  %y1 = zext i1 %y0 to i32
  %q4 = getelementptr i32, ptr addrspace(1) %q, i64 6
  store i32 %y1, ptr addrspace(1) %q4
  ret void
}
