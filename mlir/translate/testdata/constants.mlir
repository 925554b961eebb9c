llvm.mlir.global internal constant @sum() {addr_space = 0 : i32} : i32 {
  %0 = llvm.mlir.constant(3 : i32) : i32
  %1 = llvm.mlir.constant(4 : i32) : i32
  %2 = llvm.add %0, %1 : i32
  llvm.return %2 : i32
}
llvm.mlir.global internal @cast() : i64 {
  %0 = llvm.mlir.addressof @sum : !llvm.ptr
  %1 = llvm.ptrtoint %0 : !llvm.ptr to i64
  llvm.return %1 : i64
}
llvm.mlir.global internal @pair() : !llvm.struct<(i32, f32)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, f32)>
  %1 = llvm.mlir.constant(1 : i32) : i32
  %2 = llvm.mlir.constant(2.0 : f32) : f32
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i32, f32)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(i32, f32)>
  llvm.return %4 : !llvm.struct<(i32, f32)>
}
llvm.mlir.global internal @member() : i32 {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, f32)>
  %1 = llvm.mlir.constant(1 : i32) : i32
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i32, f32)>
  %4 = llvm.extractvalue %3[0] : !llvm.struct<(i32, f32)>
  llvm.return %4 : i32
}
llvm.mlir.global internal @vec() : vector<2xi32> {
  %0 = llvm.mlir.undef : vector<2xi32>
  %i = llvm.mlir.constant(0 : i32) : i32
  %j = llvm.mlir.constant(1 : i32) : i32
  %1 = llvm.mlir.constant(5 : i32) : i32
  %3 = llvm.insertelement %1, %0[%i : i32] : vector<2xi32>
  %4 = llvm.insertelement %i, %3[%j : i32] : vector<2xi32>
  llvm.return %4 : vector<2xi32>
}
llvm.mlir.global internal @lane() : i32 {
  %0 = llvm.mlir.constant(dense<[7, 8]> : vector<2xi32>) : vector<2xi32>
  %j = llvm.mlir.constant(1 : i32) : i32
  %4 = llvm.extractelement %0[%j : i32] : vector<2xi32>
  llvm.return %4 : i32
}
llvm.mlir.global internal @wide(123456789012345678901234567890 : i128) : i128
llvm.mlir.global internal @narrow(-1 : i4) : i4
llvm.mlir.global internal @text("a\0Ab\22c") : !llvm.array<5 x i8>
llvm.mlir.global internal @halves(dense<[1.5, -0.0]> : tensor<2xf16>) : !llvm.array<2 x f16>
llvm.mlir.global internal @splat(dense<3> : tensor<2x2xi16>) : !llvm.array<2 x array<2 x i16>>
llvm.mlir.global internal @bits(dense<[true, false]> : tensor<2xi1>) : !llvm.array<2 x i1>
llvm.mlir.global internal @bf(1.0 : bf16) : bf16
llvm.func @dtor() { llvm.return }
llvm.mlir.global_dtors dtors = [@dtor], priorities = [3 : i32], data = [#llvm.zero]
llvm.func fastcc @fast() { llvm.return }
llvm.func amdgpu_kernelcc @kern() { llvm.return }
llvm.func @up() attributes {uwtable_kind = #llvm.uwtableKind<sync>} { llvm.return }
llvm.func @casts(%x: i64, %p: !llvm.ptr, %f: f64) -> i64 {
  %0 = llvm.trunc %x overflow<nsw> : i64 to i32
  %1 = llvm.zext %0 : i32 to i64
  %2 = llvm.bitcast %x : i64 to i64
  %3 = llvm.add %1, %2 : i64
  llvm.inline_asm has_side_effects asm_dialect = intel "nop", "~{memory}" : () -> ()
  llvm.call fastcc @fast() : () -> ()
  llvm.return %3 : i64
}
llvm.mlir.global external constant @nothing(dense<> : tensor<3x0x4xf32>) {addr_space = 0 : i32} : !llvm.array<3 x array<0 x array<4 x f32>>>
llvm.func @empty() -> !llvm.array<0 x f32> {
  %0 = llvm.mlir.constant(dense<> : tensor<0xf32>) : !llvm.array<0 x f32>
  llvm.return %0 : !llvm.array<0 x f32>
}
