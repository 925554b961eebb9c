module {
  memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]> {alignment = 64 : i64}
  memref.global "private" @zero : memref<2x2xf32> = dense<0.0>
  memref.global @extern : memref<4xf32>
  memref.global "nested" @space : memref<4xf32, 3> = uninitialized
  func.func @f(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>, %n: index, %flat: memref<64xi8>, %u: memref<*xf32>) {
    %z = arith.constant 1.0 : f32
    %b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<?x?xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
    %p = memref.extract_aligned_pointer_as_index %m : memref<?x?xf32, strided<[?, ?], offset: ?>> -> index
    %t0 = memref.transpose %m (i, j) -> (j, i) : memref<?x?xf32, strided<[?, ?], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %al = memref.alloc(%n) : memref<?x8xf32>
    %al2 = memref.alloca() {alignment = 16 : i64} : memref<f32>
    %al3 = memref.alloc(%n)[%n] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    %d = memref.dim %al, %n : memref<?x8xf32>
    %k = memref.rank %u : memref<*xf32>
    %c = memref.cast %al : memref<?x8xf32> to memref<8x8xf32>
    %rc = memref.reinterpret_cast %u to offset: [%n], sizes: [4, %n], strides: [%n, 1] : memref<*xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
    %sv = memref.subview %c[0, %n] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: ?>>
    %vw = memref.view %flat[%n][%n] : memref<64xi8> to memref<?x4xf32>
    %cs = memref.collapse_shape %c [[0, 1]] : memref<8x8xf32> into memref<64xf32>
    %es = memref.expand_shape %cs [[0, 1]] output_shape [16, 4] : memref<64xf32> into memref<16x4xf32>
    %ms = memref.memory_space_cast %c : memref<8x8xf32> to memref<8x8xf32, 1>
    %g = memref.get_global @table : memref<4xi32>
    %re = memref.realloc %cs(%n) : memref<64xf32> to memref<?xf32>
    memref.prefetch %c[%n, %n], read, locality<2>, data : memref<8x8xf32>
    memref.prefetch %c[%n, %n], write, locality<1>, instr : memref<8x8xf32>
    %q = memref.generic_atomic_rmw %c[%n, %n] : memref<8x8xf32> {
    ^bb0(%cur: f32):
      %new = arith.addf %cur, %z : f32
      memref.atomic_yield %new : f32
    } {tag}
    %q2 = memref.atomic_rmw addf %z, %c[%n, %n] : (f32, memref<8x8xf32>) -> f32
    memref.alloca_scope {
      %x = memref.alloca() : memref<4xf32>
    }
    %sc = memref.alloca_scope -> (f32) {
      memref.alloca_scope.return %z : f32
    }
    %tag = memref.alloc() : memref<1xi32>
    memref.dma_start %cs[%n], %al2[], %n, %tag[%n] : memref<64xf32>, memref<f32>, memref<1xi32>
    memref.dma_start %cs[%n], %al2[], %n, %tag[%n], %n, %n : memref<64xf32>, memref<f32>, memref<1xi32>
    memref.dma_wait %tag[%n], %n : memref<1xi32>
    memref.copy %c, %c : memref<8x8xf32> to memref<8x8xf32>
    memref.store %z, %c[%n, %n] {nontemporal = true} : memref<8x8xf32>
    memref.dealloc %c : memref<8x8xf32>
    return
  }
}
