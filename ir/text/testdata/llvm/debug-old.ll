; debug information as intrinsic functions
define i32 @f(i32 %a, i8* %p) !dbg !5 {
  call void @llvm.dbg.value(metadata i32 %a, metadata !9, metadata !DIExpression()), !dbg !11
  call void @llvm.dbg.declare(metadata i8* %p, metadata !10, metadata !DIExpression()), !dbg !11
  %x = add i32 %a, 1, !dbg !11
  tail call void @llvm.dbg.value(metadata i32 %x, metadata !9, metadata !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value)), !dbg !11
  call void @llvm.dbg.value(metadata i32 7, metadata !9, metadata !DIExpression()), !dbg !11
  call void @llvm.dbg.value(metadata i32 undef, metadata !9, metadata !DIExpression()), !dbg !11
  call void @llvm.dbg.value(metadata !DIArgList(i32 %x, i32 %a), metadata !9, metadata !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value)), !dbg !11
  call void @llvm.dbg.label(metadata !12), !dbg !11
  br label %l, !dbg !11
l:
  %y = phi i32 [ %x, %0 ]
  call void @llvm.dbg.value(metadata i32 %y, metadata !9, metadata !DIExpression()), !dbg !11
  ret i32 %y, !dbg !11
}
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "clang", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !2)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !6, isLocal: false, isDefinition: true, scopeLine: 1, flags: DIFlagPrototyped, isOptimized: true, unit: !0, retainedNodes: !8)
!6 = !DISubroutineType(types: !7)
!7 = !{!13, !13}
!8 = !{!9, !10}
!9 = !DILocalVariable(name: "a", arg: 1, scope: !5, file: !1, line: 1, type: !13)
!10 = !DILocalVariable(name: "p", arg: 2, scope: !5, file: !1, line: 1, type: !13)
!11 = !DILocation(line: 2, scope: !5)
!12 = !DILabel(scope: !5, name: "l", file: !1, line: 3)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
