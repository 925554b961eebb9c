// A product of matrices by one wave: each lane has an element of a 16x4 and one of a
// 4x16 matrix, loaded through buffers that check their bounds, and four sums.
gpu.module @kernels {
  gpu.func @product(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<256xf32>) kernel {
    %lane = gpu.thread_id x
    %i = arith.index_castui %lane : index to i32
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %x = amdgpu.raw_buffer_load %a[%i] : memref<64xf32>, i32 -> f32
    %y = amdgpu.raw_buffer_load %b[%i] : memref<64xf32>, i32 -> f32
    %d = amdgpu.mfma 16x16x4 %x * %y + %zero blgp = none : f32, f32, vector<4xf32>
    %four = arith.constant 4 : i32
    %o = arith.muli %i, %four : i32
    amdgpu.raw_buffer_store %d -> %c[%o] : vector<4xf32> -> memref<256xf32>, i32
    gpu.return
  }
}
