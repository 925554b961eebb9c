// Transposes a matrix: a kernel that has been lowered to the dialects llvm and rocdl.
// It takes a descriptor for each memref<?x?xf32>: the address twice, offset, sizes and
// strides. Here the source is a part of a larger matrix: rows of 10, from element 3 on.
//
// gfx run: --mcpu=gfx942 --check=all --grid=8,4 --group=8,4 --print=to
// gfx run: --arg='memref:from:f32[4x8,strides=10x1,offset=3]=iota' --arg='memref:to:f32[8x4]'
gpu.module @kernels {
  llvm.func @transpose(%from_base: !llvm.ptr<1>, %from: !llvm.ptr<1>, %from_offset: i64, %from_size0: i64, %from_size1: i64,
                       %from_stride0: i64, %from_stride1: i64,
                       %to_base: !llvm.ptr<1>, %to: !llvm.ptr<1>, %to_offset: i64, %to_size0: i64, %to_size1: i64,
                       %to_stride0: i64, %to_stride1: i64) attributes {gpu.kernel, rocdl.kernel, rocdl.flat_work_group_size = "32,32"} {
    %x = rocdl.workitem.id.x : i32
    %y = rocdl.workitem.id.y : i32
    %column = llvm.zext %x : i32 to i64
    %row = llvm.zext %y : i32 to i64

    %0 = llvm.mul %row, %from_stride0 : i64
    %1 = llvm.mul %column, %from_stride1 : i64
    %2 = llvm.add %0, %1 : i64
    %3 = llvm.add %2, %from_offset : i64
    %source = llvm.getelementptr %from[%3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %value = llvm.load %source : !llvm.ptr<1> -> f32

    %4 = llvm.mul %column, %to_stride0 : i64
    %5 = llvm.mul %row, %to_stride1 : i64
    %6 = llvm.add %4, %5 : i64
    %7 = llvm.add %6, %to_offset : i64
    %target = llvm.getelementptr %to[%7] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %value, %target : f32, !llvm.ptr<1>
    llvm.return
  }
}
