llvm.mlir.global internal @t(dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>) : !llvm.array<2 x array<2 x i16>>
llvm.mlir.global internal @s() : !llvm.struct<(i32, ptr)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, ptr)>
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i32, ptr)>
  %3 = llvm.mlir.addressof @t : !llvm.ptr
  %4 = llvm.getelementptr %3[1] : (!llvm.ptr) -> !llvm.ptr, i16
  %5 = llvm.insertvalue %4, %2[1] : !llvm.struct<(i32, ptr)>
  llvm.return %5 : !llvm.struct<(i32, ptr)>
}
llvm.mlir.global internal @lds() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.mlir.global internal @big(123456789012345678901234567890 : i128) : i128
llvm.mlir.global internal @half(1.5 : f16) : f16
llvm.func @variadic(i32, ...) -> i32
llvm.func @arith(%a: i32, %b: i32, %x: f32, %y: f32, %l: i64, %p: !llvm.ptr, %v: vector<4xi32>, %c: i1) -> !llvm.struct<(i32, f32)> {
  %0 = llvm.add %a, %b overflow<nsw, nuw> : i32
  %1 = llvm.sub %0, %b overflow<nsw> : i32
  %2 = llvm.mul %1, %b overflow<nuw> : i32
  %3 = llvm.udiv exact %2, %b : i32
  %4 = llvm.sdiv %3, %b : i32
  %5 = llvm.urem %4, %b : i32
  %6 = llvm.srem %5, %b : i32
  %7 = llvm.and %6, %b : i32
  %8 = llvm.or disjoint %7, %b : i32
  %9 = llvm.xor %8, %b : i32
  %10 = llvm.shl %9, %b : i32
  %11 = llvm.lshr exact %10, %b : i32
  %12 = llvm.ashr %11, %b : i32
  %13 = llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<nnan, ninf, contract>} : f32
  %14 = llvm.fsub %13, %y : f32
  %15 = llvm.fmul %14, %y {fastmathFlags = #llvm.fastmath<fast>} : f32
  %16 = llvm.fdiv %15, %y : f32
  %17 = llvm.frem %16, %y : f32
  %18 = llvm.fneg %17 : f32
  %19 = llvm.trunc %l overflow<nsw> : i64 to i32
  %20 = llvm.zext nneg %a : i32 to i64
  %21 = llvm.sext %a : i32 to i64
  %22 = llvm.fptosi %x : f32 to i32
  %23 = llvm.fptoui %x : f32 to i32
  %24 = llvm.sitofp %a : i32 to f32
  %25 = llvm.uitofp nneg %a : i32 to f32
  %26 = llvm.fpext %x : f32 to f64
  %27 = llvm.fptrunc %26 : f64 to f32
  %28 = llvm.ptrtoint %p : !llvm.ptr to i64
  %29 = llvm.inttoptr %l : i64 to !llvm.ptr
  %30 = llvm.bitcast %a : i32 to f32
  %31 = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<1>
  %32 = llvm.icmp "ult" %a, %b : i32
  %33 = llvm.fcmp "ogt" %x, %y {fastmathFlags = #llvm.fastmath<nnan>} : f32
  %34 = llvm.select %32, %a, %12 : i1, i32
  %35 = llvm.freeze %34 : i32
  %36 = llvm.shufflevector %v, %v [0, -1, 5, 2] : vector<4xi32>
  %37 = llvm.extractelement %36[%a : i32] : vector<4xi32>
  %38 = llvm.alloca %a x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr<5>
  %39 = llvm.getelementptr inbounds|nuw %p[%l, 3] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x i32>
  llvm.store volatile %35, %39 : i32, !llvm.ptr
  llvm.store %18, %p atomic syncscope("workgroup") release {alignment = 4 : i64} : f32, !llvm.ptr
  %40 = llvm.cmpxchg weak volatile %p, %a, %b syncscope("agent") acq_rel monotonic {alignment = 8 : i64} : !llvm.ptr, i32
  %41 = llvm.extractvalue %40[0] : !llvm.struct<(i32, i1)>
  %42 = llvm.atomicrmw volatile uinc_wrap %p, %41 seq_cst : !llvm.ptr, i32
  %43 = llvm.call @variadic(%a, %x) vararg(!llvm.func<i32 (i32, ...)>) : (i32, f32) -> i32
  %44 = llvm.call %p(%42) : !llvm.ptr, (i32) -> i32
  %45 = llvm.mlir.constant(dense<[1, 2, 3, 4]> : vector<4xi32>) : vector<4xi32>
  %46 = llvm.mlir.constant(dense<0.5> : vector<2xf16>) : vector<2xf16>
  %47 = llvm.mlir.constant([1 : i32, 2.0 : f32]) : !llvm.struct<(i32, f32)>
  %48 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
  %49 = llvm.insertvalue %44, %48[0] : !llvm.struct<(i32, f32)>
  %50 = llvm.insertvalue %27, %49[1] : !llvm.struct<(i32, f32)>
  %51 = llvm.mlir.constant("ab") : !llvm.array<2 x i8>
  llvm.store %45, %p : vector<4xi32>, !llvm.ptr
  llvm.store %46, %p : vector<2xf16>, !llvm.ptr
  llvm.store %51, %p : !llvm.array<2 x i8>, !llvm.ptr
  llvm.store %47, %p : !llvm.struct<(i32, f32)>, !llvm.ptr
  %52 = llvm.va_arg %p : (!llvm.ptr) -> i32
  %53 = llvm.inline_asm has_side_effects asm_dialect = att "v_mov_b32 $0, $1", "=v,v" %52 : (i32) -> i32
  llvm.fence syncscope("agent") acquire
  %54 = llvm.insertelement %53, %v[%a : i32] : vector<4xi32>
  llvm.store %54, %p {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr
  %55 = llvm.mlir.zero : !llvm.struct<"node", (i32, ptr)>
  llvm.store %55, %p : !llvm.struct<"node", (i32, ptr)>, !llvm.ptr
  llvm.return %50 : !llvm.struct<(i32, f32)>
}
