; The operations on fp128 that llc compiles: moves, signs, classes, and
; conversions of wide integers. Each lane has 512 bytes of memory, inputs and then
; results.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, fp128 %arg, <2 x fp128> %args, {i8, fp128} %pair) { ; 16 32 32 bytes
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %out = getelementptr i8, ptr addrspace(1) %in, i32 128
  %in1 = getelementptr i8, ptr addrspace(1) %in, i32 16
  %in2 = getelementptr i8, ptr addrspace(1) %in, i32 32
  %in3 = getelementptr i8, ptr addrspace(1) %in, i32 48
  %a = load fp128, ptr addrspace(1) %in
  %b = load fp128, ptr addrspace(1) %in1, align 8
  %i = load i128, ptr addrspace(1) %in2
  %w = load i32, ptr addrspace(1) %in3

  ; kernel arguments
  store fp128 %arg, ptr addrspace(1) %out
  %o1 = getelementptr i8, ptr addrspace(1) %out, i32 16
  %args1 = extractelement <2 x fp128> %args, i32 1
  %p1 = extractvalue {i8, fp128} %pair, 1
  %c0 = icmp slt i32 %w, 0
  %sel = select i1 %c0, fp128 %args1, fp128 %p1
  store fp128 %sel, ptr addrspace(1) %o1

  ; signs
  %neg = fneg fp128 %a
  %abs = call fp128 @llvm.fabs.f128(fp128 %b)
  %copy = call fp128 @llvm.copysign.f128(fp128 %a, fp128 %b)
  %v0 = insertelement <2 x fp128> poison, fp128 %neg, i32 0
  %v1 = insertelement <2 x fp128> %v0, fp128 %copy, i32 1
  %o2 = getelementptr i8, ptr addrspace(1) %out, i32 32
  store <2 x fp128> %v1, ptr addrspace(1) %o2
  %vn = fneg <2 x fp128> %v1
  %va = call <2 x fp128> @llvm.fabs.v2f128(<2 x fp128> %vn)
  %wi = and i32 %w, 1
  %ve = extractelement <2 x fp128> %va, i32 %wi
  %o4 = getelementptr i8, ptr addrspace(1) %out, i32 64
  store fp128 %ve, ptr addrspace(1) %o4
  %o5 = getelementptr i8, ptr addrspace(1) %out, i32 80
  store fp128 %abs, ptr addrspace(1) %o5

  ; bits, and a branch
  %bits = bitcast fp128 %a to i128
  %sum = add i128 %bits, %i
  %sumf = bitcast i128 %sum to fp128
  %odd = and i32 %w, 2
  %c1 = icmp eq i32 %odd, 0
  br i1 %c1, label %then, label %join
then:
  %words = bitcast fp128 %b to <4 x i32>
  %word = shufflevector <4 x i32> %words, <4 x i32> poison, <4 x i32> <i32 3, i32 1, i32 2, i32 0>
  %back = bitcast <4 x i32> %word to fp128
  br label %join
join:
  %phi = phi fp128 [ %sumf, %0 ], [ %back, %then ]
  %o6 = getelementptr i8, ptr addrspace(1) %out, i32 96
  store fp128 %phi, ptr addrspace(1) %o6

  ; conversions: any integer; numbers of any exponent that fits
  %fs = sitofp i128 %i to fp128
  %o7 = getelementptr i8, ptr addrspace(1) %out, i32 112
  store fp128 %fs, ptr addrspace(1) %o7
  %shift = and i32 %w, 127
  %shift128 = zext i32 %shift to i128
  %small = lshr i128 %i, %shift128
  %fu = uitofp i128 %small to fp128
  %o8 = getelementptr i8, ptr addrspace(1) %out, i32 128
  store fp128 %fu, ptr addrspace(1) %o8
  %mant = and i128 %bits, 5192296858534827628530496329220095
  %up = urem i32 %shift, 126
  %exp = add i32 %up, 16381
  %exp128 = zext i32 %exp to i128
  %expbits = shl i128 %exp128, 112
  %posbits = or i128 %mant, %expbits
  %pos = bitcast i128 %posbits to fp128
  %num = call fp128 @llvm.copysign.f128(fp128 %pos, fp128 %b)
  %iu = fptoui fp128 %pos to i128
  %is = fptosi fp128 %num to i128
  %is200 = fptosi fp128 %num to i200
  %big = shl i200 %is200, 70
  %o9 = getelementptr i8, ptr addrspace(1) %out, i32 144
  store i128 %iu, ptr addrspace(1) %o9
  %o10 = getelementptr i8, ptr addrspace(1) %out, i32 160
  store i128 %is, ptr addrspace(1) %o10
  %o11 = getelementptr i8, ptr addrspace(1) %out, i32 176
  %f200 = sitofp i200 %big to fp128
  store fp128 %f200, ptr addrspace(1) %o11
  %i140 = sext i128 %i to i140
  %f140 = sitofp i140 %i140 to fp128
  %o12 = getelementptr i8, ptr addrspace(1) %out, i32 192
  store fp128 %f140, ptr addrspace(1) %o12

  ; a call, memory of the function, a constant
  %called = call fp128 @f(i32 %w, fp128 %a, <2 x fp128> %v1)
  %o13 = getelementptr i8, ptr addrspace(1) %out, i32 208
  store fp128 %called, ptr addrspace(1) %o13
  %asm = call fp128 asm "; $0 $1", "={v[40:43]},{v[40:43]}"(fp128 %called)
  %o14 = getelementptr i8, ptr addrspace(1) %out, i32 224
  store fp128 %asm, ptr addrspace(1) %o14
  ret void
}

define fp128 @f(i32 %w, fp128 %a, <2 x fp128> %v) noinline {
  %m = alloca [4 x fp128], addrspace(5)
  %m1 = getelementptr [4 x fp128], ptr addrspace(5) %m, i32 0, i32 1
  %m3 = getelementptr [4 x fp128], ptr addrspace(5) %m, i32 0, i32 3
  store fp128 %a, ptr addrspace(5) %m
  store <2 x fp128> %v, ptr addrspace(5) %m1
  store fp128 0xL0123456789ABCDEFFEDCBA9876543210, ptr addrspace(5) %m3
  %i = and i32 %w, 3
  %mi = getelementptr [4 x fp128], ptr addrspace(5) %m, i32 0, i32 %i
  %r = load fp128, ptr addrspace(5) %mi
  ret fp128 %r
}

; Every class, of numbers that have it.
define amdgpu_kernel void @classes(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %raw = load i128, ptr addrspace(1) %in
  ; exponent 0, the largest, or any; significand 0, of its highest bit, or any
  %k = and i32 %id, 3
  %k0 = icmp eq i32 %k, 0
  %k1 = icmp eq i32 %k, 1
  %noexp = and i128 %raw, -170135991163610696904058773219554885633
  %allexp = or i128 %raw, 170135991163610696904058773219554885632
  %x1 = select i1 %k1, i128 %allexp, i128 %raw
  %x2 = select i1 %k0, i128 %noexp, i128 %x1
  %j = lshr i32 %id, 2
  %j3 = and i32 %j, 3
  %j0 = icmp eq i32 %j3, 0
  %j1 = icmp eq i32 %j3, 1
  %zero = and i128 %x2, -5192296858534827628530496329220096
  %high = or i128 %zero, 2596148429267413814265248164610048
  %x3 = select i1 %j1, i128 %high, i128 %x2
  %x4 = select i1 %j0, i128 %zero, i128 %x3
  %f = bitcast i128 %x4 to fp128
  %c0 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 1)
  %z0 = zext i1 %c0 to i8
  %o0 = getelementptr i8, ptr addrspace(1) %in, i32 128
  store i8 %z0, ptr addrspace(1) %o0
  %c1 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 2)
  %z1 = zext i1 %c1 to i8
  %o1 = getelementptr i8, ptr addrspace(1) %in, i32 129
  store i8 %z1, ptr addrspace(1) %o1
  %c2 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 4)
  %z2 = zext i1 %c2 to i8
  %o2 = getelementptr i8, ptr addrspace(1) %in, i32 130
  store i8 %z2, ptr addrspace(1) %o2
  %c3 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 8)
  %z3 = zext i1 %c3 to i8
  %o3 = getelementptr i8, ptr addrspace(1) %in, i32 131
  store i8 %z3, ptr addrspace(1) %o3
  %c4 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 16)
  %z4 = zext i1 %c4 to i8
  %o4 = getelementptr i8, ptr addrspace(1) %in, i32 132
  store i8 %z4, ptr addrspace(1) %o4
  %c5 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 32)
  %z5 = zext i1 %c5 to i8
  %o5 = getelementptr i8, ptr addrspace(1) %in, i32 133
  store i8 %z5, ptr addrspace(1) %o5
  %c6 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 64)
  %z6 = zext i1 %c6 to i8
  %o6 = getelementptr i8, ptr addrspace(1) %in, i32 134
  store i8 %z6, ptr addrspace(1) %o6
  %c7 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 128)
  %z7 = zext i1 %c7 to i8
  %o7 = getelementptr i8, ptr addrspace(1) %in, i32 135
  store i8 %z7, ptr addrspace(1) %o7
  %c8 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 256)
  %z8 = zext i1 %c8 to i8
  %o8 = getelementptr i8, ptr addrspace(1) %in, i32 136
  store i8 %z8, ptr addrspace(1) %o8
  %c9 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 512)
  %z9 = zext i1 %c9 to i8
  %o9 = getelementptr i8, ptr addrspace(1) %in, i32 137
  store i8 %z9, ptr addrspace(1) %o9
  %c10 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 3)
  %z10 = zext i1 %c10 to i8
  %o10 = getelementptr i8, ptr addrspace(1) %in, i32 138
  store i8 %z10, ptr addrspace(1) %o10
  %c11 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 96)
  %z11 = zext i1 %c11 to i8
  %o11 = getelementptr i8, ptr addrspace(1) %in, i32 139
  store i8 %z11, ptr addrspace(1) %o11
  %c12 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 516)
  %z12 = zext i1 %c12 to i8
  %o12 = getelementptr i8, ptr addrspace(1) %in, i32 140
  store i8 %z12, ptr addrspace(1) %o12
  %c13 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 264)
  %z13 = zext i1 %c13 to i8
  %o13 = getelementptr i8, ptr addrspace(1) %in, i32 141
  store i8 %z13, ptr addrspace(1) %o13
  %c14 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 144)
  %z14 = zext i1 %c14 to i8
  %o14 = getelementptr i8, ptr addrspace(1) %in, i32 142
  store i8 %z14, ptr addrspace(1) %o14
  %c15 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 1023)
  %z15 = zext i1 %c15 to i8
  %o15 = getelementptr i8, ptr addrspace(1) %in, i32 143
  store i8 %z15, ptr addrspace(1) %o15
  %c16 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 504)
  %z16 = zext i1 %c16 to i8
  %o16 = getelementptr i8, ptr addrspace(1) %in, i32 144
  store i8 %z16, ptr addrspace(1) %o16
  %c17 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 612)
  %z17 = zext i1 %c17 to i8
  %o17 = getelementptr i8, ptr addrspace(1) %in, i32 145
  store i8 %z17, ptr addrspace(1) %o17
  %c18 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 771)
  %z18 = zext i1 %c18 to i8
  %o18 = getelementptr i8, ptr addrspace(1) %in, i32 146
  store i8 %z18, ptr addrspace(1) %o18
  %c19 = call i1 @llvm.is.fpclass.f128(fp128 %f, i32 0)
  %z19 = zext i1 %c19 to i8
  %o19 = getelementptr i8, ptr addrspace(1) %in, i32 147
  store i8 %z19, ptr addrspace(1) %o19
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare fp128 @llvm.fabs.f128(fp128)
declare fp128 @llvm.copysign.f128(fp128, fp128)
declare <2 x fp128> @llvm.fabs.v2f128(<2 x fp128>)
declare i1 @llvm.is.fpclass.f128(fp128, i32)
