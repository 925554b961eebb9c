; Forms that kernels rarely have. forms-22.bc is the output of llvm-as-22, forms-14.bc of llvm-as-14.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

module asm "; a line"

$c = comdat any
@data = internal addrspace(4) constant [4 x i32] [i32 1, i32 -2, i32 3, i32 4], align 16
@text = private unnamed_addr addrspace(4) constant [6 x i8] c"hello\00"
@agg = addrspace(1) global { i32, [2 x float], i128 } { i32 7, [2 x float] [float 1.0, float 0.5], i128 -170141183460469231731687303715884105728 }, comdat($c)
@ext = external addrspace(1) global i32
@tls = thread_local(localexec) global i16 3
@half = global <2 x half> <half 0xH3C00, half 0xH4000>
@wide = global i100 1267650600228229401496703205375
@fp = global fp128 0xL00000000000000003FFF000000000000

define i32 @math(i32 %a, i32 %b, float %x, <4 x i32> %v) #0 {
entry:
  %add = add nuw nsw i32 %a, %b
  %div = sdiv exact i32 %add, 3
  %f = fmul fast float %x, %x
  %g = fadd nnan contract float %f, 2.0
  %neg = fneg float %g
  %c = fcmp ninf olt float %neg, 0.0
  %i = icmp slt i32 %div, %b
  %both = select i1 %c, i1 %i, i1 false
  %e = extractelement <4 x i32> %v, i32 2
  %ins = insertelement <4 x i32> %v, i32 %e, i32 0
  %sh = shufflevector <4 x i32> %ins, <4 x i32> %v, <2 x i32> <i32 0, i32 7>
  %s = extractelement <2 x i32> %sh, i32 0
  br i1 %both, label %loop, label %exit

loop:
  %p = phi i32 [ %s, %entry ], [ %next, %loop ]
  %next = add i32 %p, 1
  switch i32 %next, label %loop [
    i32 10, label %exit
    i32 -1, label %dead
  ]

dead:
  unreachable

exit:
  %r = phi i32 [ %div, %entry ], [ %next, %loop ]
  %fr = freeze i32 %r
  ret i32 %fr
}

define { i32, i1 } @memory(i32* %p, i32* byval(i32) align 4 %q) {
  %slot = alloca [4 x i32], align 8, addrspace(5)
  %cast = addrspacecast [4 x i32] addrspace(5)* %slot to [4 x i32]*
  %at = getelementptr inbounds [4 x i32], [4 x i32]* %cast, i64 0, i64 2
  store volatile i32 1, i32* %at, align 4
  %l = load atomic i32, i32* %p syncscope("agent") acquire, align 4
  store atomic i32 %l, i32* %q release, align 4
  fence syncscope("workgroup") seq_cst
  %old = atomicrmw umax i32* %p, i32 %l syncscope("agent") monotonic
  %x = cmpxchg weak i32* %p, i32 %old, i32 %l acq_rel monotonic
  %v = extractvalue { i32, i1 } %x, 0
  %w = insertvalue { i32, i1 } %x, i32 %v, 0
  %asm = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,v"(i32 %v)
  %t = tail call i32 (i32, ...) @callee(i32 %asm, i64 9) [ "tag"(i32 %v, i64 3) ]
  %m = call i32 @math(i32 %t, i32 0, float undef, <4 x i32> zeroinitializer), !range !0
  ret { i32, i1 } %w
}

declare i32 @callee(i32, ...)
declare i32 @personality(...)

define void @unwind(i8* %to) personality i32 (...)* @personality {
  indirectbr i8* %to, [label %one, label %two]
one:
  %r = invoke i32 (i32, ...) @callee(i32 1, i32 2) to label %two unwind label %pad
two:
  ret void
pad:
  %l = landingpad { i8*, i32 } cleanup catch i8* null
  resume { i8*, i32 } %l
}

@block = addrspace(1) constant i8* blockaddress(@unwind, %two)
@gep = constant i32 addrspace(4)* getelementptr inbounds ([4 x i32], [4 x i32] addrspace(4)* @data, i64 0, i64 1)
@alias = alias i32 (i32, i32, float, <4 x i32>), i32 (i32, i32, float, <4 x i32>)* @math

attributes #0 = { nounwind readnone "target-cpu"="gfx900" }
!named = !{!1, !2}
!0 = !{i32 0, i32 100}
!1 = distinct !{!1, !0, !"text", null}
!2 = !{!2, i64 5}
