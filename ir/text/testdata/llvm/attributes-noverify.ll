%s = type { i32, ptr }

define noundef range(i32 -5, 10) i32 @params(ptr noalias nocapture noundef nonnull readonly align 16 dereferenceable(8) %a, ptr captures(address, read_provenance) writeonly %b, i8 signext %c, i8 zeroext inreg %d, ptr byval(%s) align 8 %e, ptr byref(i32) %f) {
  ret i32 0
}
define void @more(ptr sret(%s) align 8 %a, ptr nest %b, ptr %c) { ret void }
define ptr @returned(ptr returned dereferenceable_or_null(64) %c, ptr captures(ret: address, provenance) %d, ptr captures(address_is_null) %e) { ret ptr %c }
declare nofpclass(nan inf) float @fp(float nofpclass(snan pzero), <2 x float> nofpclass(all))
declare noext i16 @ext(i16 noext, i32 immarg)
declare void @init(ptr initializes((0, 4), (8, 16)) dead_on_unwind writable, ptr dead_on_return)
declare noalias ptr @alloc(i64 allocalign, i64) allockind("alloc,uninitialized,aligned") allocsize(1) "alloc-family"="malloc"
declare ptr @alloc2(i32, i32) allocsize(0,1)
declare void @free(ptr allocptr) allockind("free")
declare void @swift(ptr swiftself, ptr swifterror)
declare void @async(ptr swiftasync)
declare void @ina(ptr inalloca(%s))
declare void @pre(ptr preallocated(%s))
declare void @strattr(i32 "key"="value" "novalue")
declare "retkey" i32 @rets()
declare void @stack() alignstack(16)
declare void @elem(ptr elementtype(i32))

define void @f1() alwaysinline nounwind uwtable { ret void }
define void @f2() #0 { ret void }
define void @f3() #1 { ret void }
define void @f4() #0 #2 noinline { ret void }
define void @f5() memory(argmem: read, inaccessiblemem: readwrite) { ret void }
define void @f6() memory(readwrite, argmem: none) { ret void }
define void @f7() readnone { ret void }
define void @f8() argmemonly readonly { ret void }
define void @f9() inaccessiblemem_or_argmemonly { ret void }
define void @g0() memory(read) { ret void }
define void @g1() vscale_range(1,16) { ret void }
define void @g2() vscale_range(2) { ret void }
define void @g3() uwtable(sync) { ret void }
define void @g4() sanitize_address sanitize_thread sanitize_memory ssp sspstrong sspreq { ret void }
define void @g5() "b" "a"="x" "c"="\22q\22" { ret void }
define void @g6() #3 { ret void }
define void @g7() memory(target_mem0: read) { ret void }

define void @calls(ptr %p) {
  call void @f2() #0
  call void @f2() nounwind #2
  %1 = call noundef nonnull align 4 ptr @returned(ptr %p, ptr null, ptr null)
  %2 = call range(i8 0, 3) i8 @i8()
  call void @elem(ptr elementtype(%s) %p) memory(none)
  %3 = call nofpclass(nan) float @fp(float nofpclass(zero) 0.0, <2 x float> zeroinitializer)
  ret void
}
declare i8 @i8()

attributes #0 = { nounwind willreturn "k"="v" }
attributes #1 = { alignstack=8 cold hot nocallback nofree norecurse noreturn nosync convergent minsize optsize "z" "a"="1" }
attributes #2 = { noduplicate "k"="w" }
attributes #3 = { allockind("realloc,zeroed") builtin disable_sanitizer_instrumentation fn_ret_thunk_extern hybrid_patchable inlinehint jumptable mustprogress naked nobuiltin nocf_check nocreateundeforpoison nodivergencesource noimplicitfloat nomerge nonlazybind noprofile noredzone nosanitize_bounds nosanitize_coverage null_pointer_is_valid optdebug optforfuzzing presplitcoroutine returns_twice safestack sanitize_hwaddress sanitize_memtag sanitize_numerical_stability sanitize_realtime sanitize_type shadowcallstack skipprofile speculatable speculative_load_hardening strictfp coro_only_destroy_when_complete coro_elide_safe noinline }
