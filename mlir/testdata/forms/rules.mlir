func.func @vectors(%m: memref<16x16xf32>, %n: memref<64xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>, %w: vector<2x4xf32>, %u: vector<2xf32>, %s: vector<[4]xf32>, %b: memref<8xvector<4xf32>>, %h: memref<8x4xf32>) {
  vector.compressstore %n[%i], %k, %v : memref<64xf32>, vector<4xi1>, vector<4xf32>
  vector.compressstore %m[%i, %i], %k, %v : memref<16x16xf32>, vector<4xi1>, vector<4xf32>
  %0 = vector.expandload %n[%i], %k, %v : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %1 = vector.gather %n[%i] [%x], %k, %v : memref<64xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = vector.gather %m[%i, %i] [%x], %k, %v : memref<16x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %n[%i] [%x], %k, %v : memref<64xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  vector.scatter %m[%i, %i] [%x], %k, %v : memref<16x16xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %3 = vector.maskedload %n[%i], %k, %v : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %4 = vector.maskedload %m[%i, %i], %k, %v : memref<16x16xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %n[%i], %k, %v : memref<64xf32>, vector<4xi1>, vector<4xf32>
  %5:2 = vector.scan <add>, %w, %u {inclusive = true, reduction_dim = 1 : i64} : vector<2x4xf32>, vector<2xf32>
  %6 = vector.transpose %w, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  %7 = vector.scalable.extract %s[0] : vector<4xf32> from vector<[4]xf32>
  %8 = vector.scalable.insert %v, %s[4] : vector<4xf32> into vector<[4]xf32>
  %9 = vector.type_cast %h : memref<8x4xf32> to memref<vector<8x4xf32>>
  %10 = vector.load %b[%i] : memref<8xvector<4xf32>>, vector<4xf32>
  vector.store %10, %b[%i] : memref<8xvector<4xf32>>, vector<4xf32>
  %11 = vector.constant_mask [2, 3] : vector<2x4xi1>
  %12 = vector.create_mask %i, %i : vector<2x4xi1>
  %13 = vector.outerproduct %u, %v, %w {kind = #vector.kind<maximumf>} : vector<2xf32>, vector<4xf32>
  %14 = vector.multi_reduction <mul>, %w, %u [1] : vector<2x4xf32> to vector<2xf32>
  %15 = vector.shape_cast %w : vector<2x4xf32> to vector<8xf32>
  %16 = vector.broadcast %s : vector<[4]xf32> to vector<2x[4]xf32>
  %17 = vector.insert %u, %6[3] : vector<2xf32> into vector<4x2xf32>
  %18 = vector.extract %6[3] : vector<2xf32> from vector<4x2xf32>
  return
}
func.func @memrefs(%m: memref<4x4xf32>, %n: memref<?x4xf32, strided<[8, 1], offset: ?>>, %s: memref<2xindex>, %i: index, %f: f32, %c: memref<?xf32>) {
  memref.assume_alignment %m, 16 : memref<4x4xf32>
  %0 = memref.reshape %m(%s) : (memref<4x4xf32>, memref<2xindex>) -> memref<?x?xf32>
  %1 = memref.reshape %m(%s) : (memref<4x4xf32>, memref<2xindex>) -> memref<*xf32>
  %2 = memref.subview %n[%i, 0] [4, 2] [1, 2] : memref<?x4xf32, strided<[8, 1], offset: ?>> to memref<4x2xf32, strided<[8, 2], offset: ?>>
  %3 = memref.subview %m[1, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 4>>
  %4 = memref.subview %m[1, 0] [1, 1] [1, 1] : memref<4x4xf32> to memref<f32, strided<[], offset: 4>>
  %5 = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %6 = memref.expand_shape %c [[0, 1]] output_shape [%i, 4] : memref<?xf32> into memref<?x4xf32>
  %7 = memref.cast %n : memref<?x4xf32, strided<[8, 1], offset: ?>> to memref<4x4xf32, strided<[8, 1], offset: 2>>
  %8 = memref.cast %m : memref<4x4xf32> to memref<*xf32>
  %9 = memref.reinterpret_cast %n to offset: [%i], sizes: [2, %i], strides: [8, 1] : memref<?x4xf32, strided<[8, 1], offset: ?>> to memref<2x?xf32, strided<[8, 1], offset: ?>>
  memref.prefetch %m[%i, %i], read, locality<1>, data : memref<4x4xf32>
  %10 = memref.realloc %c(%i) : memref<?xf32> to memref<?xf32>
  %11 = memref.atomic_rmw maximumf %f, %c[%i] : (f32, memref<?xf32>) -> f32
  memref.copy %m, %0 : memref<4x4xf32> to memref<?x?xf32>
  return
}
func.func @others(%f: f32, %i: index, %j: i32, %m: memref<4xf32>, %n: memref<4xf32>) {
  %0 = math.acos %f : f32
  %1 = math.tan %f : f32
  %3 = math.ipowi %j, %j : i32
  %4 = func.constant @callee : (i32) -> i32
  %5 = func.call_indirect %4(%j) : (i32) -> i32
  gpu.memcpy %m, %n : memref<4xf32>, memref<4xf32>
  gpu.memset %m, %f : memref<4xf32>, f32
  %6 = gpu.alloc (%i) : memref<?xf32>
  gpu.dealloc %6 : memref<?xf32>
  gpu.wait
  gpu.set_default_device %j
  %7 = gpu.cluster_id x
  return
}
func.func private @callee(i32) -> i32
