; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"
target triple = "amdgcn-amd-amdhsa"

module asm "a"
module asm "b"

$any = comdat any

@gg = linkonce_odr dso_local constant i32 4, section "s", comdat($any), align 8
@ge = external thread_local global i32
@gi = global ptr @gg
@gd = internal global [3 x i32] [i32 1, i32 2, i32 3]
@gd2 = internal global [2 x [3 x float]] [[3 x float] [float 1.000000e+00, float 1.000000e+00, float 1.000000e+00], [3 x float] [float 1.000000e+00, float 1.000000e+00, float 1.000000e+00]]
@gc = common global i32 0
@te = external addrspace(3) externally_initialized global target("amdgcn.named.barrier", 0) #0
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @c, ptr null }]

@al = alias i32, ptr @gg

define void @c() {
  ret void
}

define i32 @f(ptr %0, i32 %1, float %2, i1 %3) {
  %5 = load volatile ptr, ptr %0, align 4, !tbaa !6, !invariant.load !9, !alias.scope !10, !noalias !14, !nontemporal !16, !dereferenceable !17, !invariant.group !9, !llvm.access.group !18
  store i32 %1, ptr %0, align 4, !tbaa !21, !nontemporal !16, !llvm.access.group !19, !mmra !22
  %6 = atomicrmw fadd ptr %0, float %2 syncscope("agent") monotonic, align 8, !alias.scope !24, !amdgpu.ignore.denormal.mode !9, !amdgpu.no.fine.grained.memory !9, !amdgpu.no.remote.memory !9
  call void @llvm.experimental.noalias.scope.decl(metadata !24)
  %7 = load i32, ptr %0, align 4, !mmra !5, !amdgpu.last.use !9
  br i1 %3, label %8, label %17, !prof !25, !llvm.loop !26

8:                                                ; preds = %4, %17
  %9 = phi i32 [ %18, %17 ], [ %1, %4 ]
  call void @llvm.assume(i1 true) [ "align"(ptr %0, i32 %1) ]
  %10 = call i32 @llvm.expect.i32(i32 %1, i32 %7)
  %11 = tail call fastcc i32 @f(ptr %0, i32 %1, float %2, i1 %3) #5
  switch i32 %1, label %12 [
    i32 1, label %12
    i32 2, label %15
  ], !prof !34

12:                                               ; preds = %8, %8
  indirectbr ptr blockaddress(@f, %13), [label %13]

13:                                               ; preds = %12
  %14 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %1)
  br label %15

15:                                               ; preds = %13, %8
  %16 = phi i32 [ %1, %13 ], [ %1, %8 ]
  ret i32 %9

17:                                               ; preds = %4
  %18 = phi i32 [ %7, %4 ]
  br label %8
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.experimental.noalias.scope.decl(metadata) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare i32 @llvm.expect.i32(i32, i32) #3

; Function Attrs: convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #4

attributes #0 = { "a" "b"="c" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #4 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #5 = { convergent nounwind willreturn memory(argmem: read) }

!llvm.ident = !{!0}
!llvm.commandline = !{!1}
!llvm.dependent-libraries = !{!2}
!llvm.module.flags = !{!3, !4}
!llvm.linker.options = !{!5}

!0 = !{!"hello"}
!1 = !{!"x"}
!2 = !{!"q"}
!3 = !{i32 1, !"wchar_size", i32 4}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{!"a", !"b"}
!6 = !{!7, !7, i64 0}
!7 = !{!"int", !8, i64 0}
!8 = !{!"root"}
!9 = !{}
!10 = !{!11, !13}
!11 = distinct !{!11, !12, !"sc"}
!12 = distinct !{!12, !"dom"}
!13 = distinct !{!13, !12}
!14 = !{!15}
!15 = !{!"str", !12}
!16 = !{i32 1}
!17 = !{i64 8}
!18 = !{!19, !20}
!19 = distinct !{}
!20 = distinct !{}
!21 = !{!7, !7, i64 0, i64 1}
!22 = !{!5, !23}
!23 = !{!"a", !"c"}
!24 = !{!11}
!25 = !{!"branch_weights", i32 3, i32 5}
!26 = distinct !{!26, !27, !28, !29, !30, !31, !32, !33}
!27 = !{!"llvm.loop.disable_nonforced"}
!28 = !{!"llvm.loop.mustprogress"}
!29 = !{!"llvm.loop.vectorize.enable", i1 true}
!30 = !{!"llvm.loop.vectorize.width", i32 8}
!31 = !{!"llvm.loop.unroll.disable"}
!32 = !{!"llvm.loop.unroll.count", i32 4}
!33 = !{!"llvm.loop.parallel_accesses", !19, !20}
!34 = !{!"branch_weights", i32 1, i32 2, i32 3}
