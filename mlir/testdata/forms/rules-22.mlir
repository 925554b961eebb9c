func.func @f(%i: index, %j: i32, %f: f32, %v: vector<4xf32>, %x: vector<2x2xi32>, %k: vector<2x2xi1>, %w: vector<2x2xf32>, %m: memref<16x16xf32>, %t: tensor<16x16xf32>, %n: memref<4xf32>, %h: f8E4M3FN, %e: f8E8M0FNU) {
  %0:3 = affine.delinearize_index %i into (2, %i, 4) : index, index, index
  %1 = affine.linearize_index [%i, %i] by (2, %i) : index
  %2 = arith.scaling_extf %h, %e : f8E4M3FN, f8E8M0FNU to f32
  %3 = arith.scaling_truncf %f, %e : f32, f8E8M0FNU to f8E4M3FN
  %4 = gpu.cluster_block_id x
  %5, %6 = gpu.rotate %f, 3, 16 : f32
  %7 = gpu.subgroup_broadcast %f, specific_lane %j : f32
  %8 = gpu.subgroup_broadcast %f, first_active_lane : f32
  %9 = math.clampf %f to [%f, %f] : f32
  %30 = math.isnan %f : f32
  gpu.printf "%d", %j : i32
  %10, %11 = math.sincos %f : f32
  %12:2 = memref.distinct_objects %n, %n : memref<4xf32>, memref<4xf32>
  %13 = ub.poison : vector<4xf32>
  %14:4 = vector.to_elements %v : vector<4xf32>
  %15 = vector.gather %m[%i, %i] [%x], %k, %w : memref<16x16xf32>, vector<2x2xi32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
  vector.scatter %m[%i, %i] [%x], %k, %w : memref<16x16xf32>, vector<2x2xi32>, vector<2x2xi1>, vector<2x2xf32>
  %16 = vector.maskedload %m[%i, %i], %k, %w : memref<16x16xf32>, vector<2x2xi1>, vector<2x2xf32> into vector<2x2xf32>
  return
}
