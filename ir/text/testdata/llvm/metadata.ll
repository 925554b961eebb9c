source_filename = "metadata.ll"

@g = global i32 0, !dbg !60, !type !90, !type !91

define i32 @f(i32 %a, ptr %p) !dbg !10 !prof !92 {
entry:
    #dbg_value(i32 %a, !20, !DIExpression(), !30)
    #dbg_declare(ptr %p, !21, !DIExpression(DW_OP_deref), !30)
  %l = load i32, ptr %p, align 4, !dbg !31, !tbaa !93, !range !94, !noundef !95
    #dbg_value(!DIArgList(i32 %l, i32 %a), !20, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !31)
    #dbg_value(i32 poison, !20, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !31)
    #dbg_value(!95, !20, !DIExpression(), !31)
    #dbg_label(!22, !31)
    #dbg_assign(i32 %l, !20, !DIExpression(), !23, ptr %p, !DIExpression(), !31)
    #dbg_value(i32 7, !20, !DIExpression(DW_OP_plus_uconst, 3, DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_convert, 64, DW_ATE_signed, DW_OP_stack_value), !31)
    #dbg_declare_value(i32 %a, !20, !DIExpression(), !31)
  store i32 %l, ptr %p, align 4, !dbg !31, !DIAssignID !23, !nontemporal !96
  br label %loop, !dbg !31

loop:
  %c = call i1 @llvm.type.test(ptr %p, metadata !"typeid"), !dbg !32
  %r = call i64 @llvm.read_register.i64(metadata !97), !dbg !32, !custom.kind !{}
  br i1 %c, label %loop, label %exit, !dbg !32, !llvm.loop !98, !prof !99

exit:
  ret i32 %l, !dbg !DILocation(line: 9, scope: !10)
}

declare i1 @llvm.type.test(ptr, metadata)
declare i64 @llvm.read_register.i64(metadata)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1, !2}
!expr = !{!DIExpression(), !3, !48, !104, !82}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !4, producer: "clang \22x\22", isOptimized: true, flags: "-O2", runtimeVersion: 2, splitDebugFilename: "a.dwo", emissionKind: FullDebug, enums: !5, retainedTypes: !6, globals: !7, imports: !8, macros: !9, dwoId: 12345, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "x.sdk")
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{!DIExpression(DW_OP_constu, 5), !"x", null, i8 1, float 1.0, <2 x i32> <i32 1, i32 2>}
!4 = !DIFile(filename: "a.c", directory: "/d", checksumkind: CSK_MD5, checksum: "00112233445566778899aabbccddeeff", source: "int x;\0A")
!5 = !{!40}
!6 = !{!41, !42, !43, !44, !45, !46, !47, !49}
!7 = !{!60}
!8 = !{!61, !62}
!9 = !{!63}
!10 = distinct !DISubprogram(name: "f", linkageName: "_f", scope: !4, file: !4, line: 3, type: !11, scopeLine: 4, containingType: !43, virtualIndex: 2, thisAdjustment: -4, flags: DIFlagPrototyped | DIFlagNoReturn, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0, templateParams: !64, declaration: !65, retainedNodes: !66, thrownTypes: !67, annotations: !68, targetFuncName: "t", keyInstructions: true)
!11 = !DISubroutineType(flags: DIFlagLValueReference, cc: DW_CC_normal, types: !12)
!12 = !{!41, null}
!20 = !DILocalVariable(name: "a", arg: 1, scope: !10, file: !4, line: 3, type: !41, flags: DIFlagArtificial, align: 32, annotations: !68)
!21 = !DILocalVariable(scope: !24, type: !42)
!22 = !DILabel(scope: !24, name: "lab", file: !4, line: 7, column: 3)
!23 = distinct !DIAssignID()
!24 = distinct !DILexicalBlock(scope: !10, file: !4, line: 4, column: 5)
!25 = !DILexicalBlockFile(scope: !24, file: !4, discriminator: 2)
!30 = !DILocation(line: 3, column: 7, scope: !10)
!31 = !DILocation(line: 0, scope: !25, inlinedAt: !33, isImplicitCode: true)
!32 = !DILocation(line: 5, column: 2, scope: !24)
!33 = distinct !DILocation(line: 8, scope: !10, atomGroup: 1, atomRank: 2)
!40 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "e", scope: !0, file: !4, line: 1, baseType: !41, size: 32, flags: DIFlagEnumClass, elements: !50, identifier: "id", enumKind: DW_APPLE_ENUM_KIND_Open)
!41 = !DIBasicType(name: "int", size: 32, align: 32, encoding: DW_ATE_signed, flags: DIFlagBigEndian)
!42 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !41, size: 64, dwarfAddressSpace: 0)
!43 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "s", file: !4, line: 2, size: 128, align: 64, offset: 3, flags: DIFlagPublic | DIFlagSingleInheritance | DIFlagFwdDecl | DIFlagVirtual, elements: !51, runtimeLang: DW_LANG_C_plus_plus, vtableHolder: !43, templateParams: !64, annotations: !68)
!44 = !DICompositeType(tag: DW_TAG_array_type, baseType: !41, size: 96, elements: !52, dataLocation: !DIExpression(DW_OP_push_object_address, DW_OP_deref), associated: !DIExpression(DW_OP_push_object_address), allocated: !20, rank: 2)
!45 = !DIStringType(name: "str", stringLength: !20, stringLengthExpression: !DIExpression(), size: 32)
!46 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !43, file: !4, line: 3, baseType: !41, size: 3, offset: 32, flags: DIFlagBitField | DIFlagPrivate, extraData: i64 0)
!47 = !DIDerivedType(tag: DW_TAG_inheritance, baseType: null)
!48 = !GenericDINode(tag: DW_TAG_friend, header: "h\00x", operands: {!41, null, !42})
!49 = !DIFixedPointType(name: "fixed", size: 32, encoding: DW_ATE_signed_fixed, kind: Binary, factor: -4)
!50 = !{!53, !54, !55}
!51 = !{!46, !56, !57}
!52 = !{!58, !59, !70, !71}
!53 = !DIEnumerator(name: "A", value: 0)
!54 = !DIEnumerator(name: "B", value: -5)
!55 = !DIEnumerator(name: "C", value: 18446744073709551615, isUnsigned: true)
!56 = !DIObjCProperty(name: "p", file: !4, line: 7, setter: "set", getter: "get", attributes: 7, type: !41)
!57 = !DIDerivedType(tag: DW_TAG_typedef, name: "t", scope: null, file: !4, line: 3, baseType: !43, annotations: !68)
!58 = !DISubrange(count: 3)
!59 = !DISubrange(lowerBound: -1, upperBound: !20, stride: !DIExpression(DW_OP_constu, 4))
!60 = !DIGlobalVariableExpression(var: !72, expr: !DIExpression(DW_OP_constu, 5, DW_OP_stack_value))
!61 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !0, entity: !73, file: !4, line: 5)
!62 = !DIImportedEntity(tag: DW_TAG_imported_declaration, name: "n", scope: !0, entity: !72, file: !4, line: 6, elements: !5)
!63 = !DIMacroFile(line: 1, file: !4, nodes: !74)
!64 = !{!75, !76, !77}
!65 = !DISubprogram(name: "f", scope: !43, file: !4, line: 2, type: !11, spFlags: DISPFlagPureVirtual)
!66 = !{!20}
!67 = !{!41}
!68 = !{!78}
!70 = !DIGenericSubrange(lowerBound: 0, upperBound: !DIExpression(DW_OP_constu, 3), stride: !20)
!71 = !DISubrangeType(name: "sub", file: !4, line: 1, baseType: !41, size: 32, lowerBound: 3, upperBound: 9)
!72 = distinct !DIGlobalVariable(name: "g", linkageName: "g_", scope: !0, file: !4, line: 1, type: !41, isLocal: false, isDefinition: true, declaration: !46, templateParams: !64, align: 32)
!73 = !DIModule(scope: !0, name: "mod", configMacros: "-D", includePath: "/i", apinotes: "x", file: !4, line: 2, isDecl: true)
!74 = !{!79, !80}
!75 = !DITemplateTypeParameter(name: "T", type: !41, defaulted: true)
!76 = !DITemplateValueParameter(name: "V", type: !41, value: i32 7)
!77 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "TT", value: !"x")
!78 = !{!"btf", !"tag"}
!79 = !DIMacro(type: DW_MACINFO_define, line: 3, name: "M", value: "1")
!80 = !DIMacro(type: DW_MACINFO_undef, line: 4, name: "M")
!81 = !DINamespace(name: "ns", scope: !0, exportSymbols: true)
!82 = !DICommonBlock(scope: !10, declaration: !72, name: "cb", file: !4, line: 3)
!90 = !{i64 0, !"t1"}
!91 = !{i64 8, !81, !82}
!92 = !{!"function_entry_count", i64 100}
!93 = !{!100, !100, i64 0}
!94 = !{i32 0, i32 10, i32 20, i32 30}
!95 = !{}
!96 = !{i32 1}
!97 = !{!"rsp"}
!98 = distinct !{!98, !101, !32}
!99 = !{!"branch_weights", i32 1, i32 99}
!100 = !{!"int", !102, i64 0}
!101 = !{!"llvm.loop.mustprogress"}
!102 = !{!"char", !103, i64 0}
!103 = !{!"Simple C/C++ TBAA"}
!104 = !{!"unused"}
