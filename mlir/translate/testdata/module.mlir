#d = #llvm.alias_scope_domain<id = distinct[0]<>, description = "dom">
#s = #llvm.alias_scope<id = distinct[1]<>, domain = #d, description = "sc">
#s2 = #llvm.alias_scope<id = distinct[2]<>, domain = #d>
#s3 = #llvm.alias_scope<id = "str", domain = #d>
#g = #llvm.access_group<id = distinct[3]<>>
#g2 = #llvm.access_group<id = distinct[4]<>>
#root = #llvm.tbaa_root<id = "root">
#ty = #llvm.tbaa_type_desc<id = "int", members = {<#root, 0>}>
#tag = #llvm.tbaa_tag<base_type = #ty, access_type = #ty, offset = 0>
#tag2 = #llvm.tbaa_tag<base_type = #ty, access_type = #ty, offset = 0, constant = true>
#m1 = #llvm.mmra_tag<"a":"b">
#m2 = #llvm.mmra_tag<"a":"c">
#loop = #llvm.loop_annotation<disableNonforced = true, mustProgress = true, unroll = <disable = true, count = 4 : i32>, vectorize = <disable = false, width = 8 : i32>, parallelAccesses = #g, #g2>
module attributes {llvm.module_asm = ["a", "b"], llvm.ident = "hello", llvm.commandline="x", llvm.target_triple = "amdgcn-amd-amdhsa", llvm.dependent_libraries = ["q"]} {
llvm.module_flags [#llvm.mlir.module_flag<error, "wchar_size", 4 : i32>]
llvm.linker_options ["a", "b"]
llvm.comdat @__llvm_global_comdat { llvm.comdat_selector @any any }
llvm.mlir.global linkonce_odr constant @gg(4 : i32) comdat(@__llvm_global_comdat::@any) {section = "s", alignment = 8 : i64, dso_local} : i32
llvm.mlir.global external thread_local @ge() : i32
llvm.mlir.global external @gi() : !llvm.ptr { %0 = llvm.mlir.addressof @gg : !llvm.ptr 
 llvm.return %0 : !llvm.ptr }
llvm.mlir.global internal @gd(dense<[1,2,3]> : tensor<3xi32>) : !llvm.array<3 x i32>
llvm.mlir.global internal @gd2(dense<1.0> : tensor<2x3xf32>) : !llvm.array<2 x array<3 x f32>>
llvm.mlir.global common @gc(0 : i32) : i32
llvm.mlir.global external @te() {addr_space = 3 : i32, externally_initialized, target_specific_attrs = ["a", ["b","c"]]} : !llvm.target<"amdgcn.named.barrier", 0>
llvm.mlir.alias external @al : i32 { %0 = llvm.mlir.addressof @gg : !llvm.ptr
 llvm.return %0 : !llvm.ptr }
llvm.mlir.global_ctors ctors = [@c], priorities = [0 : i32], data = [#llvm.zero]
llvm.func @c() { llvm.return }
llvm.func @f(%p: !llvm.ptr, %v: i32, %x: f32, %c : i1) -> i32 {
  %0 = llvm.load volatile %p {alignment = 4 : i64, nontemporal, invariant, invariantGroup, alias_scopes = [#s, #s2], noalias_scopes = [#s3], access_groups = [#g, #g2], tbaa = [#tag], dereferenceable = #llvm.dereferenceable<bytes = 8>} : !llvm.ptr -> !llvm.ptr
  llvm.store %v, %p {alignment = 4 : i64, nontemporal, access_groups = [#g], tbaa = [#tag2], llvm.mmra = [#m1, #m2]} : i32, !llvm.ptr
  %1 = llvm.atomicrmw fadd %p, %x syncscope("agent") monotonic {rocdl.no_remote_memory, rocdl.no_fine_grained_memory, rocdl.ignore_denormal_mode, alignment = 8 : i64, alias_scopes = [#s]} : !llvm.ptr, f32
  llvm.intr.experimental.noalias.scope.decl #s
  %2 = llvm.load %p {rocdl.last_use, llvm.mmra = #m1} : !llvm.ptr -> i32
  llvm.cond_br %c weights([3, 5]), ^a(%v : i32), ^a(%2 : i32)  {loop_annotation = #loop}
^a(%4: i32):
  %tt = llvm.mlir.constant(true) : i1
  llvm.intr.assume %tt ["align"(%p, %v : !llvm.ptr, i32)] : i1
  %6 = llvm.intr.expect %v, %2 : i32
  %7 = llvm.call fastcc tail @f(%p, %v, %x, %c) {fastmathFlags = #llvm.fastmath<nnan>, no_unwind, will_return, convergent, memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>} : (!llvm.ptr, i32, f32, i1) -> (i32)
  llvm.switch %v : i32, ^b [1: ^b, 2: ^d(%v : i32)] {branch_weights = array<i32: 1,2,3>}
^b: 
  %8 = llvm.blockaddress <function = @f, tag = <id = 1>> : !llvm.ptr
  llvm.indirectbr %8 : !llvm.ptr, [^e]
^e:
  llvm.blocktag <id = 1>
  %9 = llvm.dso_local_equivalent @f : !llvm.ptr
  %10 = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%v) : (i32) -> i32
  %11 = llvm.mlir.none : !llvm.token
  llvm.br ^d(%v : i32)
^d(%5: i32):
  llvm.return %4 : i32
}
}
