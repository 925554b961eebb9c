#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
module {
  func.func @f(%m: memref<16x16xf32>, %t: tensor<16x16xf32>, %i: index, %v: vector<4xf32>, %w: vector<4x8xf32>, %k: vector<4xi1>, %p: vector<4x4xf32>, %zd: memref<f32>) -> tensor<16x16xf32> {
    %z = arith.constant 0.0 : f32
    %r0 = vector.transfer_read %m[%i, %i], %z : memref<16x16xf32>, vector<4xf32>
    %r1 = vector.transfer_read %m[%i, %i], %z, %k {in_bounds = [true]} : memref<16x16xf32>, vector<4xf32>
    %r2 = vector.transfer_read %m[%i, %i], %z {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, false]} : memref<16x16xf32>, vector<4x8xf32>
    %r3 = vector.transfer_read %t[%i, %i], %z {permutation_map = affine_map<(d0, d1) -> (0, d1)>, in_bounds = [true, false], note} : tensor<16x16xf32>, vector<4x8xf32>
    vector.transfer_write %r0, %m[%i, %i], %k : vector<4xf32>, memref<16x16xf32>
    %tt = vector.transfer_write %w, %t[%i, %i] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<16x16xf32>
    %o0 = vector.outerproduct %v, %v : vector<4xf32>, vector<4xf32>
    %o1 = vector.outerproduct %v, %v, %p {kind = #vector.kind<maxnumf>} : vector<4xf32>, vector<4xf32>
    %o2 = vector.outerproduct %v, %v, %p : vector<4xf32>, vector<4xf32>
    %o3 = vector.outerproduct %v, %z : vector<4xf32>, f32
    %ct = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} %p, %p, %p : vector<4x4xf32>, vector<4x4xf32> into vector<4x4xf32>
    %cu = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %v, %v, %z {tag = 3 : i32} : vector<4xf32>, vector<4xf32> into f32
    %mk = vector.mask %k { vector.transfer_read %m[%i, %i], %z : memref<16x16xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
    vector.mask %k { vector.transfer_write %v, %m[%i, %i] : vector<4xf32>, memref<16x16xf32> } : vector<4xi1>
    %red = vector.mask %k { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
    %sh = vector.shuffle %v, %v [0, 5, 2] : vector<4xf32>, vector<4xf32>
    %sh2 = vector.shuffle %w, %w [0, 5, 2] : vector<4x8xf32>, vector<4x8xf32>
    %vs = vector.vscale
    %st = vector.step : vector<4xindex>
    vector.print %v : vector<4xf32>
    %rd = vector.multi_reduction <mul>, %w, %v [1] : vector<4x8xf32> to vector<4xf32>
    return %tt : tensor<16x16xf32>
  }
}
