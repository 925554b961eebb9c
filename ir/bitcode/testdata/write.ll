source_filename = "write \22odd\22.ll"
target datalayout = "e-p:64:64-p1:32:32-i64:64-n32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm "first:"
module asm "\09second: .byte \22x\22"

%named = type { i32, %1, ptr }
%0 = type { i8 }
%1 = type <{ %0, i1 }>
%opaque = type opaque
%"odd name" = type { [0 x i32] }

$any = comdat any
$largest = comdat largest

@unused.type = external global %opaque
@0 = private unnamed_addr constant [3 x i8] c"ab\00", align 1
@1 = internal global %named { i32 1, %1 <{ %0 { i8 2 }, i1 true }>, ptr @1 }
@strings = global { [5 x i8], [4 x i8], [4 x i8], [3 x i8], [2 x i8] } { [5 x i8] c"a_B.\00", [4 x i8] c"a b\00", [4 x i8] c"a\80b\00", [3 x i8] c"\00a\00", [2 x i8] c"xy" }
@odd = global %"odd name" zeroinitializer, comdat($any)
@wide = global [6 x i200] [i200 -1, i200 1, i200 9223372036854775808, i200 18446744073709551616, i200 -9223372036854775808, i200 0]
@int128 = global [5 x i128] [i128 9223372036854775808, i128 -9223372036854775808, i128 18446744073709551615, i128 -1, i128 170141183460469231731687303715884105727]
@small = global [4 x i3] [i3 -4, i3 3, i3 -1, i3 poison]
@floats = global { half, bfloat, float, double, x86_fp80, fp128, ppc_fp128 } { half 0xH7C01, bfloat 0xRFF81, float 0x7FF8000020000000, double 0xFFF0000000000001, x86_fp80 0xKC000C90FDAA22168C235, fp128 0xL00000000000000018000000000000001, ppc_fp128 0xM80000000000000008000000000000000 }
@zeros = global { half, float, double, x86_fp80, fp128, ppc_fp128 } { half -0.0, float -0.0, double 0.0, x86_fp80 0xK80000000000000000000, fp128 0xL00000000000000008000000000000000, ppc_fp128 0xM00000000000000000000000000000000 }
@data = global { <3 x i16>, [2 x i64], <2 x half>, [2 x float], <2 x double>, <4 x i1>, <2 x ptr>, <2 x i24> } { <3 x i16> <i16 1, i16 -1, i16 -32768>, [2 x i64] [i64 -1, i64 1], <2 x half> <half 0xH3C00, half 0xH8000>, [2 x float] [float 1.0, float 2.0], <2 x double> <double 0.1, double -0.0>, <4 x i1> <i1 1, i1 0, i1 undef, i1 poison>, <2 x ptr> <ptr @0, ptr null>, <2 x i24> <i24 1, i24 -1> }
@exprs = global [10 x i64] [i64 ptrtoint (ptr @0 to i64), i64 add (i64 ptrtoint (ptr @0 to i64), i64 5), i64 sub nuw nsw (i64 ptrtoint (ptr @1 to i64), i64 ptrtoint (ptr @0 to i64)), i64 xor (i64 ptrtoint (ptr @0 to i64), i64 -1), i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @1, i64 3) to i64), i64 ptrtoint (ptr getelementptr nuw (%named, ptr @1, i64 1, i32 1) to i64), i64 ptrtoint (ptr getelementptr inbounds nuw inrange(-4, 8) (i8, ptr @1, i64 4) to i64), i64 ptrtoint (ptr blockaddress(@addressed, %one) to i64), i64 ptrtoaddr (ptr @0 to i64), i64 undef]
@inrange1 = global ptr addrspace(1) getelementptr inrange(-2, 2147483647) (i8, ptr addrspace(1) @as1, i32 4)
@cast = global ptr addrspace(1) addrspacecast (ptr @0 to ptr addrspace(1))
@inttoptr = global ptr inttoptr (i64 add (i64 ptrtoint (ptr @later to i64), i64 1) to ptr)
@vector.gep = global <2 x ptr> getelementptr (i8, <2 x ptr> <ptr @0, ptr @1>, <2 x i64> <i64 1, i64 2>)
@extract = global i64 extractelement (<2 x i64> <i64 1, i64 2>, i32 ptrtoint (ptr @0 to i32))
@insert = global <2 x i64> insertelement (<2 x i64> <i64 1, i64 2>, i64 7, i32 ptrtoint (ptr @0 to i32))
@trunc = global i32 trunc (i64 ptrtoint (ptr @0 to i64) to i32)
@equivalent = global i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @declared to i64), i64 ptrtoint (ptr @equivalent to i64)) to i32)
@cfi = global ptr no_cfi @declared
@auth = global ptr ptrauth (ptr @0, i32 1, i64 65535, ptr @auth)
@auth0 = global ptr ptrauth (ptr @0, i32 0)
@as1 = addrspace(1) global i8 0
@tls = thread_local(localexec) externally_initialized global i32 poison, section "s \22", partition "part", comdat($largest), align 4096, !attached !0, !another !1
@san = dllexport local_unnamed_addr constant i8 undef, no_sanitize_address, no_sanitize_hwaddress, sanitize_memtag, sanitize_address_dyninit, code_model "large"
@import = external dllimport global i8
@attrs = global i32 0 #0
@later = available_externally hidden global i32 3
@llvm.used = appending global [2 x ptr] [ptr @0, ptr @1], section "llvm.metadata"

@alias = weak_odr protected thread_local(initialexec) unnamed_addr alias i32, ptr @tls, partition "part"
@alias.expr = internal alias i8, getelementptr (i8, ptr @1, i64 4)
@2 = dso_local alias i8, ptr @alias.expr
@ifunc = internal ifunc void (i32), ptr @resolver, partition "other"

declare ptr @resolver()
declare void @declared()
declare !attached !2 extern_weak range(i8 -5, 7) i8 @params(ptr noalias captures(address, read_provenance) noundef align 16 dereferenceable(8) initializes((-8, 4), (8, 12)) dead_on_unwind writable, i64 range(i64 0, -1) %x, double nofpclass(nan inf sub), ptr sret(%named), ptr byval([3 x i8]) align 8, i33 signext range(i33 -1, 1), i128 range(i128 -170141183460469231731687303715884105728, 18446744073709551616), ...) unnamed_addr #1

define hidden void @addressed(ptr %p, i32 %"a b", i32, i64 %"\C3\A9") #2 section "text" partition "part" comdat($any) align 64 gc "shadow-stack" prefix i32 7 prologue [2 x i8] c"\90\90" personality ptr @declared !attached !3 {
entry:
  %slots = alloca [3 x %named], i64 %"\C3\A9", align 256
  %swift = alloca swifterror ptr, align 8
  %sized = alloca i8, i33 5, align 1, addrspace(1)
  indirectbr ptr blockaddress(@addressed, %two), [label %one, label %two]

one:                                              ; forward references with types of their own
  %w = add i64 %late, 1
  %w2 = getelementptr %named, ptr %late.p, i64 %late, i32 1
  %w3 = load i32, ptr %late.p
  store i64 %late, ptr %late.p
  %w4 = icmp eq i64 %late, 0
  %w5 = select i1 %late.c, i64 %late, i64 %w
  %w6 = trunc i64 %late to i32
  %w7 = extractvalue { i64, ptr } %late.s, 1
  %w8 = insertvalue { i64, ptr } %late.s, ptr %late.p, 1
  %w9 = fneg nnan double %late.d
  %w10 = fneg double %late.d
  %w11 = freeze ptr %late.p
  %w12 = call fast double (ptr, ...) %late.p(ptr %late.p, i64 %late, double %late.d) #3
  ret void

two:
  %late = load atomic volatile i64, ptr %p syncscope("my scope") acquire, align 8
  %late.p = load ptr, ptr %p, align 1
  %late.c = icmp samesign ult i64 %late, %"\C3\A9"
  %late.s = insertvalue { i64, ptr } undef, i64 1, 0
  %late.d = uitofp nneg i64 %late to double
  br i1 %late.c, label %one, label %three

three:
  fence syncscope("singlethread") seq_cst
  store atomic i64 1, ptr %p syncscope("other scope") release, align 8
  %x = cmpxchg weak volatile ptr %p, i64 1, i64 2 syncscope("my scope") acq_rel monotonic, align 16
  %y = atomicrmw volatile fmaximum ptr %p, double 1.0 syncscope("my scope") seq_cst, align 8
  %z = atomicrmw usub_sat ptr %p, i64 1 monotonic, align 8
  %or = or disjoint i64 %z, 1
  %zext = zext nneg i32 %"a b" to i64
  %trunc = trunc nuw nsw i64 %zext to i8
  %shl = shl nuw nsw i64 %or, 1
  %exact = udiv exact i64 %shl, 3
  %fadd = fadd reassoc nnan ninf nsz arcp contract afn double %y, %y
  %fcmp = fcmp fast oeq double %y, %fadd
  %select = select nnan i1 %fcmp, double %y, double %fadd
  %phi.fast = call reassoc <2 x float> @llvm.fabs.v2f32(<2 x float> zeroinitializer)
  %gep = getelementptr inbounds nuw i8, <2 x ptr> <ptr @0, ptr null>, i64 %z
  %gep2 = getelementptr nusw [2 x i8], ptr %p, <2 x i64> <i64 0, i64 1>, i64 1
  %shuffle = shufflevector <2 x ptr> %gep, <2 x ptr> %gep2, <5 x i32> <i32 3, i32 poison, i32 0, i32 1, i32 2>
  %shuffle.zero = shufflevector <2 x ptr> %gep, <2 x ptr> poison, <3 x i32> zeroinitializer
  %shuffle.poison = shufflevector <2 x ptr> %gep, <2 x ptr> poison, <2 x i32> poison
  %element = extractelement <5 x ptr> %shuffle, i8 2
  %inserted = insertelement <5 x ptr> %shuffle, ptr %element, i64 %z
  %va = va_arg ptr %p, i128
  switch i128 %va, label %four [
    i128 -1, label %one
    i128 170141183460469231731687303715884105727, label %two
  ]

four:
  %asm = call { i32, i64 } asm sideeffect alignstack inteldialect unwind "mov $0, $1 \22\0A", "=r,=r,r"(i32 5)
  call void @declared() [ "deopt"(i32 1, ptr %p, metadata !4), "odd tag"() ]
  musttail call void @addressed(ptr %p, i32 1, i32 2, i64 3)
  ret void
}

define swiftcc void @calls(ptr %f, i64 %n) personality ptr @declared {
  tail call fastcc void %f()
  notail call cc1023 addrspace(0) void %f(ptr blockaddress(@addressed, %three), ptr blockaddress(@addressed, %four))
  call void @llvm.dbg.user(metadata i64 %n, metadata i64 %later, metadata !"text", metadata i32 7, metadata !4, metadata !{})
  invoke void (ptr, ...) %f(ptr @0, i64 %n) [ "funclet"(token none) ]
          to label %normal unwind label %pad

normal:
  %r = callbr i32 asm "", "=r,r,!i,!i"(i64 %n)
          to label %next [label %other, label %next]

other:
  unreachable

next:
  %later = add i64 %n, 1
  ret void

pad:
  %l = landingpad { ptr, i32 }
          cleanup
          catch ptr null
          filter [1 x ptr] [ptr @0]
  resume { ptr, i32 } %l
}

define void @funclets() personality ptr @declared {
  invoke void @declared()
          to label %ok unwind label %switch

ok:
  ret void

switch:
  %s = catchswitch within none [label %handler, label %second] unwind label %cleanup

handler:
  %c = catchpad within %s [ptr null, i32 64, ptr @0]
  catchret from %c to label %ok

second:
  %d = catchpad within %s []
  %inner = catchswitch within %d [label %third] unwind to caller

third:
  %e = catchpad within %inner []
  catchret from %e to label %ok

cleanup:
  %p = cleanuppad within none [i32 1]
  cleanupret from %p unwind to caller
}

define i64 @debug(i64 %x, ptr %p) !dbg !9 {
    #dbg_value(i64 %x, !10, !DIExpression(), !11)
    #dbg_value(i64 %later, !10, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value), !11)
    #dbg_value(!DIArgList(i64 %x, i64 %later, i32 7, ptr @0), !10, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !11)
    #dbg_value(i64 poison, !10, !DIExpression(), !11)
    #dbg_value(ptr @0, !10, !DIExpression(), !11)
    #dbg_value(!4, !10, !DIExpression(), !11)
    #dbg_value(!DIArgList(), !10, !DIExpression(), !11)
    #dbg_declare(ptr %p, !10, !DIExpression(DW_OP_deref), !11)
    #dbg_declare(ptr poison, !10, !DIExpression(), !11)
    #dbg_declare_value(i64 %later, !10, !DIExpression(), !11)
    #dbg_assign(i64 %x, !10, !DIExpression(), !12, ptr %p, !DIExpression(), !11)
    #dbg_assign(i64 1, !10, !DIExpression(), !12, ptr undef, !DIExpression(), !11)
    #dbg_label(!13, !11)
  %a = add i64 %x, 1, !dbg !11
    #dbg_value(i64 %a, !10, !DIExpression(), !11)
  %b = add i64 %a, 1, !dbg !11, !attached !1
  %c = add i64 %b, 1, !dbg !14
  %d = add i64 %c, 1, !dbg !14
  %later = add i64 %d, 1, !dbg !16
  ret i64 %later, !dbg !11
}

declare <2 x float> @llvm.fabs.v2f32(<2 x float>)
declare void @llvm.dbg.user(metadata, metadata, metadata, metadata, metadata, metadata)

attributes #0 = { "bss-section"="bss" "toc-data" }
attributes #1 = { nounwind memory(argmem: read, inaccessiblemem: write, errnomem: none, target_mem0: readwrite) allocsize(1,0) allockind("alloc,zeroed") vscale_range(1,16) uwtable(sync) alignstack=16 "key"="value" "empty" }
attributes #2 = { uwtable memory(none) mustprogress }
attributes #3 = { nomerge "call" }

!llvm.module.flags = !{!26}
!named = !{!0, !4, !5, !6, !7, !8, !17, !18, !19, !20, !21, !22, !23, !24, !25}
!odd\20list = !{}

!0 = distinct !{!0}
!1 = !{!1, i32 1, null, !"", !"string", ptr @0}
!2 = distinct !{!2, !3}
!3 = !{!2, !3}
!4 = !{}
!5 = distinct !{}
!6 = !{i64 ptrtoint (ptr @2 to i64), float 1.0, <2 x i8> <i8 1, i8 2>}
!7 = distinct !DICompileUnit(language: DW_LANG_C11, file: !8, producer: "p", isOptimized: true, flags: "-O", runtimeVersion: 2, splitDebugFilename: "s", emissionKind: LineTablesOnly, enums: !4, retainedTypes: !4, globals: !4, imports: !4, macros: !4, dwoId: 18446744073709551615, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "x")
!8 = !DIFile(filename: "f", directory: "d", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "text")
!9 = distinct !DISubprogram(name: "debug", linkageName: "l", scope: !8, file: !8, line: 4, type: !17, scopeLine: 5, containingType: !1, virtualIndex: 7, thisAdjustment: -8, flags: DIFlagPrototyped | DIFlagProtected, spFlags: DISPFlagDefinition | DISPFlagOptimized | DISPFlagPureVirtual, unit: !7, templateParams: !4, retainedNodes: !4, thrownTypes: !4, annotations: !4, targetFuncName: "t", keyInstructions: true)
!10 = !DILocalVariable(name: "v", arg: 1, scope: !9, file: !8, line: 3, flags: DIFlagArtificial, align: 8, annotations: !4)
!11 = !DILocation(line: 1, column: 2, scope: !9)
!12 = distinct !DIAssignID()
!13 = !DILabel(scope: !9, name: "l", file: !8, line: 3, column: 4, isArtificial: true, coroSuspendIdx: 0)
!14 = !DILocation(line: 100000, column: 65535, scope: !9, inlinedAt: !15, isImplicitCode: true, atomGroup: 77, atomRank: 3)
!15 = distinct !DILocation(line: 1, column: 2, scope: !9)
!16 = !DILocation(line: 0, scope: !9, atomGroup: 1)
!17 = !DISubroutineType(flags: DIFlagLValueReference, cc: DW_CC_program, types: !4)
!18 = !DIEnumerator(name: "e", value: -9223372036854775808)
!19 = !DIEnumerator(name: "u", value: 18446744073709551615, isUnsigned: true)
!20 = !DIEnumerator(name: "w", value: -170141183460469231731687303715884105728)
!21 = !DIFixedPointType(name: "q", size: 32, encoding: DW_ATE_signed_fixed, kind: Rational, numerator: -3, denominator: -5)
!22 = !DISubrange(count: !10, lowerBound: -1, upperBound: 9223372036854775807, stride: !DIExpression(DW_OP_constu, 3))
!23 = !DIGenericSubrange(count: -4, lowerBound: !DIExpression(DW_OP_over, DW_OP_constu, 48, DW_OP_mul), upperBound: !10, stride: 4)
!24 = !GenericDINode(tag: 3, header: "some\00header", operands: {!1, null, !3})
!25 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "c", size: !10, offset: 16, identifier: "id", enumKind: DW_APPLE_ENUM_KIND_Open, bitStride: !10, rank: 5, elements: !4)
!26 = !{i32 2, !"Debug Info Version", i32 3}
