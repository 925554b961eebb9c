#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 - 10 == 0)>
module {
  func.func @maps(%m: memref<8x16xf32>, %v: memref<100xf32>, %n: index) -> f32 {
    %c = arith.constant 1.0 : f32
    %a = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%n)[%n]
    %lo = affine.min affine_map<(d0)[s0] -> (d0, s0 - 1, 4)>(%n)[%n]
    %hi = affine.max affine_map<(d0) -> (d0, 4)>(%n) {note = 1 : i32}
    affine.for %i = 0 to 8 {
      affine.for %j = max affine_map<(d0) -> (0, d0 - 3)>(%i) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n] step 2 {
        %x = affine.load %m[%i, %j + 3] : memref<8x16xf32>
        affine.store %x, %m[%i floordiv 2, (%j + symbol(%n)) mod 4] : memref<8x16xf32>
        %w = affine.vector_load %m[%i, 2 * %j - 1] : memref<8x16xf32>, vector<4xf32>
        affine.vector_store %w, %m[0, %j ceildiv 3] {k} : memref<8x16xf32>, vector<4xf32>
        affine.prefetch %m[%i, %j + 5], read, locality<3>, data : memref<8x16xf32>
        affine.prefetch %m[%i, %j], write, locality<0>, instr {k = 2 : i64} : memref<8x16xf32>
        affine.if #set(%j)[%n] {
          affine.store %c, %m[%i, %j] : memref<8x16xf32>
        } else {
          affine.store %x, %m[%i, -%j + 15] : memref<8x16xf32>
        }
      } {loop = "inner"}
    }
    %s = affine.for %i = affine_map<(d0) -> (d0 + 1)>(%n) to %n step 4 iter_args(%acc = %c) -> (f32) {
      %x = affine.load %v[%i] : memref<100xf32>
      %y = arith.addf %acc, %x : f32
      %z = affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) -> f32 {
        affine.yield %y : f32
      } else {
        affine.yield %x : f32
      }
      affine.yield %z : f32
    }
    affine.for %i = %n to 100 {
    }
    affine.parallel (%i, %j) = (0, max(%n, 3)) to (%n, min(%n + 4, 16)) step (2, 3) {
      affine.store %s, %m[%i, %j] : memref<8x16xf32>
    }
    affine.parallel (%i) = (symbol(%n)) to (symbol(%n) + 7) {
    }
    affine.parallel () = () to () {
    } {a}
    %r:2 = affine.parallel (%i) = (0) to (16) reduce ("addf", "maximumf") -> (f32, f32) {
      %x = affine.load %v[%i] : memref<100xf32>
      affine.yield %x, %x : f32, f32
    }
    return %r#0 : f32
  }
}
