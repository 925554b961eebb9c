source_filename = "instructions.ll"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%pair = type { i32, [2 x float] }
%packed = type <{ i8, i32 }>
%opaque = type opaque
%empty = type {}
%0 = type { i8, %1 }
%1 = type { ptr }

define i32 @arithmetic(i32 %a, i32 %b, float %x, float %y, <4 x i32> %v) {
  %1 = add i32 %a, %b
  %2 = add nuw nsw i32 %1, 1
  %3 = sub nsw i32 0, %2
  %4 = mul nuw i32 %3, -7
  %5 = udiv exact i32 %4, 3
  %6 = sdiv i32 %5, %b
  %7 = urem i32 %6, %b
  %8 = srem i32 %7, %b
  %9 = shl nuw i32 %8, 3
  %10 = lshr exact i32 %9, 2
  %11 = ashr i32 %10, 1
  %12 = and i32 %11, 255
  %13 = or disjoint i32 %12, 256
  %14 = xor i32 %13, -1
  %15 = fneg nnan float %x
  %16 = fadd fast float %15, %y
  %17 = fsub reassoc nnan ninf nsz arcp contract afn float %16, 1.000000e+00
  %18 = fmul contract float %17, 0x3FB99999A0000000
  %19 = fdiv arcp float %18, %y
  %20 = frem float %19, %y
  %21 = add <4 x i32> %v, splat (i32 5)
  %22 = add <4 x i32> %21, <i32 1, i32 2, i32 3, i32 4>
  %23 = mul <4 x i32> %22, zeroinitializer
  %24 = extractelement <4 x i32> %23, i32 %a
  %25 = insertelement <4 x i32> %23, i32 %24, i64 2
  %26 = shufflevector <4 x i32> %25, <4 x i32> poison, <4 x i32> <i32 0, i32 poison, i32 5, i32 2>
  %27 = shufflevector <4 x i32> %26, <4 x i32> %25, <2 x i32> zeroinitializer
  %28 = shufflevector <4 x i32> %26, <4 x i32> %25, <3 x i32> poison
  %29 = freeze i32 %24
  %30 = icmp samesign ult i32 %29, %a
  %31 = icmp eq <4 x i32> %25, %26
  %32 = fcmp nnan oge float %20, 0.000000e+00
  %33 = fcmp uno float %20, %x
  %34 = select i1 %30, i32 %29, i32 %a
  %35 = select fast i1 %32, float %19, float %20
  %36 = select <4 x i1> %31, <4 x i32> %25, <4 x i32> %26
  %37 = icmp sge i32 %34, -2147483648
  ret i32 %34
}

define void @conversions(i64 %a, double %d, ptr %p, ptr addrspace(1) %g) {
  %t = trunc nuw nsw i64 %a to i8
  %z = zext nneg i8 %t to i100
  %s = sext i8 %t to i32
  %ui = fptoui double %d to i32
  %si = fptosi double %d to i7
  %uf = uitofp nneg i32 %s to half
  %sf = sitofp i32 %s to bfloat
  %ft = fptrunc fast double %d to float
  %fe = fpext float %ft to fp128
  %pi = ptrtoint ptr %p to i64
  %pa = ptrtoaddr ptr %p to i64
  %ip = inttoptr i64 %pi to ptr addrspace(3)
  %bc = bitcast i64 %a to <2 x float>
  %as = addrspacecast ptr addrspace(1) %g to ptr
  %vp = inttoptr <2 x i64> <i64 1, i64 2> to <2 x ptr>
  ret void
}

define ptr @memory(ptr %p, ptr addrspace(3) %l, i32 %n, %pair %agg) {
entry:
  %a = alloca i32, align 4, addrspace(5)
  %b = alloca [4 x %pair], i32 %n, align 16, addrspace(5)
  %c = alloca i8, i64 8, align 1, addrspace(5)
  %ld = load i32, ptr addrspace(5) %a, align 4
  %lv = load volatile <2 x half>, ptr %p, align 2
  %la = load atomic i32, ptr %p syncscope("agent") acquire, align 4
  %lm = load atomic volatile ptr, ptr %p monotonic, align 8
  store i32 %ld, ptr %p, align 1
  store volatile half 0xH3C00, ptr %p, align 2
  store atomic i64 0, ptr %p syncscope("workgroup-one-as") release, align 8
  fence syncscope("wavefront") acq_rel
  fence seq_cst
  %x = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic, align 4
  %y = cmpxchg weak volatile ptr addrspace(3) %l, ptr null, ptr %p syncscope("singlethread") seq_cst seq_cst, align 8
  %old = extractvalue { i32, i1 } %x, 0
  %r1 = atomicrmw xchg ptr %p, float 1.000000e+00 monotonic, align 4
  %r2 = atomicrmw volatile umax ptr addrspace(3) %l, i64 5 syncscope("agent") release, align 8
  %r3 = atomicrmw fadd ptr %p, <2 x half> zeroinitializer seq_cst, align 4
  %r4 = atomicrmw uinc_wrap ptr %p, i32 %n acquire, align 4
  %r5 = atomicrmw usub_cond ptr %p, i32 %n acquire, align 4
  %r6 = atomicrmw fmaximum ptr %p, double 1.000000e+00 acquire, align 8
  %r7 = atomicrmw nand ptr %p, i8 1 acquire, align 1
  %g1 = getelementptr inbounds %pair, ptr %p, i64 1, i32 1, i64 1
  %g2 = getelementptr nusw nuw i8, ptr %p, i64 4
  %g3 = getelementptr i32, ptr %p, <4 x i64> zeroinitializer
  %g4 = getelementptr inbounds nuw %packed, ptr addrspace(3) %l, i32 0, i32 1
  %ev = extractvalue %pair %agg, 1, 0
  %iv = insertvalue %pair %agg, float %ev, 1, 1
  %va = va_arg ptr %p, i32
  br label %tail

tail:
  %n.ext = phi i64 [ 0, %entry ], [ %n.next, %tail ]
  %f.phi = phi nnan float [ 0.000000e+00, %entry ], [ %ev, %tail ]
  %n.next = add i64 %n.ext, 1
  %cond = icmp eq i64 %n.next, 10
  br i1 %cond, label %done, label %tail

done:
  ret ptr %g2
}

define void @flow(i32 %x, ptr %target) {
  switch i32 %x, label %8 [
    i32 0, label %1
    i32 -5, label %2
    i32 7, label %2
  ]

1:                                                ; preds = %0
  br label %2

2:                                                ; preds = %1, %0, %0
  %3 = phi i32 [ 1, %0 ], [ 1, %0 ], [ 2, %1 ]
  indirectbr ptr %target, [label %4, label %5]

4:                                                ; preds = %2
  unreachable

5:                                                ; preds = %2
  %6 = icmp eq i32 %3, 2
  br i1 %6, label %"quoted label", label %7

"quoted label":                                   ; preds = %5
  ret void

7:                                                ; preds = %5
  ret void

8:                                                ; preds = %0
  switch i64 0, label %9 [
  ]

9:                                                ; preds = %8
  ret void
}

declare i32 @callee(i32, ptr)
declare void @variadic(ptr, ...)
declare amdgpu_gfx <4 x float> @gfx(<4 x float> inreg)

define i32 @calls(ptr %f, i32 %"strange name", ptr %p) {
  %1 = call i32 @callee(i32 noundef %"strange name", ptr nonnull align 8 dereferenceable(16) %p)
  %2 = tail call i32 %f(i32 1)
  %3 = notail call noundef i32 @callee(i32 1, ptr null) #0 [ "deopt"(i32 %1, ptr %p), "tag"() ]
  call void (ptr, ...) @variadic(ptr %p, i32 1, double 2.000000e+00)
  %4 = call nnan nsz amdgpu_gfx <4 x float> @gfx(<4 x float> inreg zeroinitializer)
  call void asm sideeffect "s_nop $0", "i,~{memory}"(i32 7)
  %5 = call i32 asm "v_mov_b32 $0, $1\0A", "=v,v"(i32 %2) #1
  %6 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %1, i32 %2)
  %7 = call cc 1000 i32 @callee(i32 0, ptr undef)
  call addrspace(0) void (ptr, ...) @variadic(ptr byval(%pair) align 4 %p)
  ret i32 %7
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)

define void @tailing(ptr %p, ...) {
  musttail call void (ptr, ...) @variadic(ptr %p, ...)
  ret void
}

define amdgpu_kernel void @kernel(ptr addrspace(1) noundef %out, %0 %s, ptr %o) #2 {
  ret void
}

define amdgpu_cs_chain void @chain(<3 x i32> inreg %a, { i32, ptr addrspace(5) } %b) {
  unreachable
}

define amdgpu_vs void @vs() {
  ret void
}

define spir_kernel void @spir(ptr addrspace(1) %p) {
  ret void
}

define fastcc void @fast() {
  ret void
}

attributes #0 = { nounwind }
attributes #1 = { nounwind memory(none) }
attributes #2 = { "amdgpu-flat-work-group-size"="1,256" "target-cpu"="gfx900" }
