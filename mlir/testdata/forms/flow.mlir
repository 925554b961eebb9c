module {
  func.func @f(%m: memref<16xf32>, %t: tensor<16xf32>, %i: index, %x: i32, %b: i1) -> f32 {
    %z = arith.constant 0.0 : f32
    %i0 = index.constant 42
    %i1 = index.constant -3
    %i2 = index.bool.constant true
    %cm = index.cmp slt(%i0, %i1)
    scf.parallel (%a, %c) = (%i, %i) to (%i0, %i0) step (%i0, %i0) {
      memref.store %z, %m[%a] : memref<16xf32>
    }
    %r:2 = scf.parallel (%a) = (%i) to (%i0) step (%i0) init (%z, %z) -> (f32, f32) {
      %y = memref.load %m[%a] : memref<16xf32>
      scf.reduce(%y, %y : f32, f32) {
      ^bb0(%l: f32, %h: f32):
        %s = arith.addf %l, %h : f32
        scf.reduce.return %s : f32
      }, {
      ^bb0(%l: f32, %h: f32):
        %s = arith.mulf %l, %h : f32
        scf.reduce.return %s : f32
      }
    } {k = 1 : i32}
    scf.forall (%a, %c) in (%i, 4) {
      memref.store %z, %m[%a] : memref<16xf32>
    }
    scf.forall (%a) = (%i) to (16) step (2) {
      memref.store %z, %m[%a] : memref<16xf32>
    } {k}
    %q = scf.forall (%a) in (16) shared_outs(%o = %t) -> (tensor<16xf32>) {
      scf.forall.in_parallel {
      }
    }
    %e:2 = scf.if %b -> (f32, i32) {
      scf.yield %z, %x : f32, i32
    } else {
      scf.yield %z, %x : f32, i32
    }
    cf.switch %x : i32, [
      default: ^bb1(%z : f32),
      0: ^bb2,
      -3: ^bb3(%z, %x : f32, i32)
    ]
  ^bb1(%u: f32):
    cf.cond_br %b, ^bb2, ^bb1(%u : f32)
  ^bb2:
    cf.switch %x : i32, [
      default: ^bb2
    ]
  ^bb3(%v: f32, %w: i32):
    cf.assert %b, "message"
    return %v : f32
  }
}
