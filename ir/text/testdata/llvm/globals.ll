module asm "first line"
module asm "\22second\22\09line"

$any = comdat any
$exact = comdat exactmatch
$big = comdat largest
$nodup = comdat nodeduplicate
$same = comdat samesize
$"odd name" = comdat any

%s = type { i32 }

@a = external global i32
@b = external addrspace(1) externally_initialized constant [4 x i8], section "sec", align 16
@c = private unnamed_addr constant i32 1
@d = internal local_unnamed_addr global %s zeroinitializer
@e = weak hidden thread_local global i32 0
@f = weak_odr protected thread_local(initialexec) global i32 0
@g = linkonce thread_local(localdynamic) global i32 0
@h = linkonce_odr thread_local(localexec) global i32 0
@i = common global i32 0, align 4
@j = appending global [1 x ptr] zeroinitializer
@k = extern_weak global i32
@l = available_externally dso_local global i32 5
@m = dllexport global i32 0
@n = external dllimport global i32
@any = global i32 0, comdat
@o = global i32 0, section "x\01y", partition "part", comdat($exact), align 8, !md !0
@p = global i32 0, code_model "large"
@q = global i32 0, no_sanitize_address, no_sanitize_hwaddress, sanitize_memtag
@r = global i32 0, sanitize_address_dyninit, align 4 #0
@0 = global i32 0
@1 = private global i32 1
@"quoted \22name\22" = global ptr @"with space"
@"with space" = global ptr @1
@"1digit" = global ptr @0
@dollar$ = global i32 0
@-dash.dot_1 = global i32 0
@s = global i32 0, comdat($big)
@t = global i32 0, comdat($nodup)
@u = global i32 0, comdat($same)
@v = global i32 0, comdat($"odd name")

@alias1 = alias i32, ptr @d
@alias2 = weak hidden unnamed_addr alias i8, getelementptr (i8, ptr @o, i64 1)
@alias3 = internal thread_local(initialexec) alias i32, ptr @e
@alias4 = alias i32, ptr @alias1, partition "part"
@ifunc1 = ifunc void (), ptr @resolver
@ifunc2 = internal ifunc i32 (i32), ptr @resolver

define internal ptr @resolver() {
  ret ptr null
}

define linkonce_odr hidden void @fn1() unnamed_addr #0 section "text" comdat($any) align 64 gc "shadow-stack" prefix i32 7 prologue i8 1 personality ptr @pers {
  ret void
}

define available_externally void @fn2() local_unnamed_addr {
  ret void
}

declare extern_weak void @fn3()
declare !md !0 dllimport void @fn4()
declare i32 @pers(...)

define private void @2() !md !0 !other !1 {
  ret void
}

define dso_local void @"fn quoted"() partition "p" {
  call void @2()
  ret void
}

attributes #0 = { nounwind "a"="b" }

!named = !{!0, !1}
!empty = !{}
!o\20dd = !{!2}

!0 = !{!"str", i32 1, ptr @a, null}
!1 = distinct !{!1, !0}
!2 = !{!3, !"\00\22\\x"}
!3 = !{}
