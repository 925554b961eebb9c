target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
define amdgpu_kernel void @w0(i32 %n, ptr %fp, ptr addrspace(3) %l)   {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w1(i32 %n, ptr %fp, ptr addrspace(3) %l) "amdgpu-flat-work-group-size"="1,1"  {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w2(i32 %n, ptr %fp, ptr addrspace(3) %l) "amdgpu-flat-work-group-size"="64,64"  {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w3(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w4(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w5(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !2 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w6(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !3 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w7(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !4 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w8(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !5 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w9(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !6 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w10(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !7 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w11(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !8 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w12(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !9 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define amdgpu_kernel void @w13(i32 %n, ptr %fp, ptr addrspace(3) %l)  !reqd_work_group_size !10 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %s5 = lshr i32 %x, 5
  %s6 = lshr i32 %x, 6
  %s7 = ashr i32 %x, 7
  %m5 = and i32 %x, -32
  %m6 = and i32 %x, -64
  %m7 = and i32 -256, %x
  %mn = shl i32 %n, 6
  %mm = and i32 %x, %mn
  %mn5 = shl i32 %n, 5
  %mm5 = and i32 %mn5, %x
  %ld = load i32, ptr addrspace(3) %l
  ret void
}
define  void @a0(i32 %a, i32 inreg %b, i1 inreg %c, ptr addrspace(5) byval(i32) %d, i1 %e) {
  ret void
}
define amdgpu_ps void @a1(i32 %a, i32 inreg %b, ptr addrspace(5) byval(i32) %c) {
  ret void
}
define amdgpu_gfx void @a2(i32 %a, i32 inreg %b) {
  ret void
}
define fastcc void @a3(i32 %a, i32 inreg %b) {
  ret void
}
define spir_kernel void @a4(i32 %a, i32 inreg %b) {
  ret void
}
define amdgpu_cs void @a5(i32 %a, i32 inreg %b) {
  ret void
}
define spir_func void @a6(i32 %a, i32 inreg %b) {
  ret void
}
define amdgpu_cs_chain void @a7(<3 x i32> %a, i32 inreg %b) {
  unreachable
}
define amdgpu_kernel void @asm(i32 %n, i32 %m) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %r0 = call i32 asm "; def $0", "=s,s"(i32 %n)
  %r1 = call i32 asm "; def $0", "=s,s"(i32 %t)
  %r2 = call i32 asm "; def $0", "=v,s"(i32 %n)
  %r3 = call i32 asm "; def $0", "=v,s"(i32 %t)
  %r4 = call i32 asm "; def $0", "=r,s"(i32 %n)
  %r5 = call i32 asm "; def $0", "=r,s"(i32 %t)
  %r6 = call i32 asm "; def $0", "=a,s"(i32 %n)
  %r7 = call i32 asm "; def $0", "=a,s"(i32 %t)
  %r8 = call i64 asm "; def $0", "=s,s"(i32 %n)
  %r9 = call i64 asm "; def $0", "=s,s"(i32 %t)
  %r10 = call i16 asm "; def $0", "=s,s"(i32 %n)
  %r11 = call i16 asm "; def $0", "=s,s"(i32 %t)
  %r12 = call i8 asm "; def $0", "=s,s"(i32 %n)
  %r13 = call i8 asm "; def $0", "=s,s"(i32 %t)
  %r14 = call i1 asm "; def $0", "=s,s"(i32 %n)
  %r15 = call i1 asm "; def $0", "=s,s"(i32 %t)
  %r16 = call i1 asm "; def $0", "=r,s"(i32 %n)
  %r17 = call i1 asm "; def $0", "=r,s"(i32 %t)
  %r18 = call <4 x i32> asm "; def $0", "=s,s"(i32 %n)
  %r19 = call <4 x i32> asm "; def $0", "=s,s"(i32 %t)
  %r20 = call <2 x i16> asm "; def $0", "=s,s"(i32 %n)
  %r21 = call <2 x i16> asm "; def $0", "=s,s"(i32 %t)
  %r22 = call i32 asm "; def $0", "={s5},s"(i32 %n)
  %r23 = call i32 asm "; def $0", "={s5},s"(i32 %t)
  %r24 = call i32 asm "; def $0", "={v5},s"(i32 %n)
  %r25 = call i32 asm "; def $0", "={v5},s"(i32 %t)
  %r26 = call i64 asm "; def $0", "={s[6:7]},s"(i32 %n)
  %r27 = call i64 asm "; def $0", "={s[6:7]},s"(i32 %t)
  %r28 = call i64 asm "; def $0", "={v[6:7]},s"(i32 %n)
  %r29 = call i64 asm "; def $0", "={v[6:7]},s"(i32 %t)
  %r30 = call i64 asm "; def $0", "={vcc},s"(i32 %n)
  %r31 = call i64 asm "; def $0", "={vcc},s"(i32 %t)
  %r32 = call i32 asm "; def $0", "={m0},s"(i32 %n)
  %r33 = call i32 asm "; def $0", "={m0},s"(i32 %t)
  %r34 = call i64 asm "; def $0", "={exec},s"(i32 %n)
  %r35 = call i64 asm "; def $0", "={exec},s"(i32 %t)
  %r36 = call i32 asm "; def $0", "=&s,s"(i32 %n)
  %r37 = call i32 asm "; def $0", "=&s,s"(i32 %t)
  %r38 = call i32 asm "; def $0", "={a3},s"(i32 %n)
  %r39 = call i32 asm "; def $0", "={a3},s"(i32 %t)
  %r40 = call i32 asm "; def $0", "=^VA,s"(i32 %n)
  %r41 = call i32 asm "; def $0", "=^VA,s"(i32 %t)
  %r42 = call float asm "; def $0", "=s,s"(i32 %n)
  %r43 = call float asm "; def $0", "=s,s"(i32 %t)
  %r44 = call half asm "; def $0", "=s,s"(i32 %n)
  %r45 = call half asm "; def $0", "=s,s"(i32 %t)
  %r46 = call double asm "; def $0", "=v,s"(i32 %n)
  %r47 = call double asm "; def $0", "=v,s"(i32 %t)
  %r48 = call <16 x i32> asm "; def $0", "=s,s"(i32 %n)
  %r49 = call <16 x i32> asm "; def $0", "=s,s"(i32 %t)
  %r50 = call <32 x i32> asm "; def $0", "=s,s"(i32 %n)
  %r51 = call <32 x i32> asm "; def $0", "=s,s"(i32 %t)
  %r52 = call <3 x i32> asm "; def $0", "=s,s"(i32 %n)
  %r53 = call <3 x i32> asm "; def $0", "=s,s"(i32 %t)
  %r54 = call <13 x i32> asm "; def $0", "=s,s"(i32 %n)
  %r55 = call <13 x i32> asm "; def $0", "=s,s"(i32 %t)
  %r56 = call i32 asm "; def $0", "={scc},s"(i32 %n)
  %r57 = call i32 asm "; def $0", "={scc},s"(i32 %t)
  %r58 = call i32 asm "; def $0", "={vcc_lo},s"(i32 %n)
  %r59 = call i32 asm "; def $0", "={vcc_lo},s"(i32 %t)
  %r60 = call i32 asm "; def $0", "={ttmp3},s"(i32 %n)
  %r61 = call i32 asm "; def $0", "={ttmp3},s"(i32 %t)
  %r62 = call i32 asm "; def $0", "={exec_lo},s"(i32 %n)
  %r63 = call i32 asm "; def $0", "={exec_lo},s"(i32 %t)
  %r64 = call i64 asm "; def $0", "={flat_scratch},s"(i32 %n)
  %r65 = call i64 asm "; def $0", "={flat_scratch},s"(i32 %t)
  %r66 = call i128 asm "; def $0", "=s,s"(i32 %n)
  %r67 = call i128 asm "; def $0", "=s,s"(i32 %t)
  %r68 = call ptr asm "; def $0", "=s,s"(i32 %n)
  %r69 = call ptr asm "; def $0", "=s,s"(i32 %t)
  %r70 = call ptr addrspace(3) asm "; def $0", "=s,s"(i32 %n)
  %r71 = call ptr addrspace(3) asm "; def $0", "=s,s"(i32 %t)
  %st = call {i32, i32} asm "; def $0", "=s,=v,s"(i32 %t)
  %e0 = extractvalue {i32,i32} %st, 0
  %e1 = extractvalue {i32,i32} %st, 1
  %st2 = call {i32, i64} asm "; def $0", "=s,=s,s"(i32 %t)
  %f0 = extractvalue {i32,i64} %st2, 0
  %f1 = extractvalue {i32,i64} %st2, 1
  call void asm sideeffect "; use $0", "s"(i32 %t)
  ret void
}
declare i32 @llvm.read_register.i32(metadata)
declare i64 @llvm.read_register.i64(metadata)
define amdgpu_kernel void @rr() {
  %r0 = call i32 @llvm.read_register.i32(metadata !11)
  %r1 = call i32 @llvm.read_register.i32(metadata !12)
  %r2 = call i64 @llvm.read_register.i64(metadata !13)
  %r3 = call i64 @llvm.read_register.i64(metadata !14)
  %r4 = call i32 @llvm.read_register.i32(metadata !15)
  %r5 = call i64 @llvm.read_register.i64(metadata !16)
  %r6 = call i32 @llvm.read_register.i32(metadata !17)
  %r7 = call i32 @llvm.read_register.i32(metadata !18)
  ret void
}
!0 = !{i32 64, i32 1, i32 1}
!1 = !{i32 64, i32 2, i32 1}
!2 = !{i32 63, i32 1, i32 1}
!3 = !{i32 63, i32 2, i32 1}
!4 = !{i32 32, i32 2, i32 1}
!5 = !{i32 32, i32 1, i32 1}
!6 = !{i32 128, i32 2, i32 2}
!7 = !{i32 96, i32 2, i32 1}
!8 = !{i32 1, i32 1, i32 1}
!9 = !{i32 1, i32 64, i32 1}
!10 = !{i32 1, i32 1, i32 2}
!11 = !{!"m0"}
!12 = !{!"v0"}
!13 = !{!"exec"}
!14 = !{!"vcc"}
!15 = !{!"s3"}
!16 = !{!"flat_scratch"}
!17 = !{!"a0"}
!18 = !{!"vcc_lo"}
