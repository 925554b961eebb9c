define void @f(i8* %p, i32 %i) {
  %a = alloca i32
  %b = bitcast i32* %a to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b) #0
  tail call void @llvm.lifetime.end.p0i8(i64 4, i8* nocapture %b) #0, !foo !0
  %o = call i64 @llvm.objectsize.i64.p0i8(i8* %p, i1 false, i1 true)
  %v = call i32 @llvm.experimental.vector.reduce.add.v4i32(<4 x i32> zeroinitializer)
  %w = call float @llvm.experimental.vector.reduce.v2.fadd.f32.v4f32(float 1.0, <4 x float> zeroinitializer)
  %l = call <4 x i32> @llvm.masked.load.v4i32.p0v4i32(<4 x i32>* null, i32 4, <4 x i1> zeroinitializer, <4 x i32> zeroinitializer)
  %i2 = call i8* @llvm.invariant.group.barrier.p0i8(i8* %p)
  call void @llvm.var.annotation(i8* %p, i8* %p, i8* %p, i32 5)
  %r = call i32 @llvm.flt.rounds()
  %t = call i8* @llvm.thread.pointer()
  call void @llvm.assume(i1 true) [ "align"(i8* %p, i32 8) ]
  %st = call <4 x i32> @llvm.experimental.stepvector.v4i32()
  %inv = call {}* @llvm.invariant.start.p0i8(i64 4, i8* %p)
  call void @llvm.prefetch(i8* %p, i32 0, i32 0, i32 0)
  ret void
}
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)
declare i64 @llvm.objectsize.i64.p0i8(i8*, i1, i1)
declare i32 @llvm.experimental.vector.reduce.add.v4i32(<4 x i32>)
declare float @llvm.experimental.vector.reduce.v2.fadd.f32.v4f32(float, <4 x float>)
declare <4 x i32> @llvm.masked.load.v4i32.p0v4i32(<4 x i32>*, i32, <4 x i1>, <4 x i32>)
declare i8* @llvm.invariant.group.barrier.p0i8(i8*)
declare void @llvm.var.annotation(i8*, i8*, i8*, i32)
declare i32 @llvm.flt.rounds()
declare i8* @llvm.thread.pointer()
declare void @llvm.assume(i1)
declare <4 x i32> @llvm.experimental.stepvector.v4i32()
declare <4 x i32> @llvm.vector.splice.v4i32(<4 x i32>, <4 x i32>, i32)
declare <4 x i32> @llvm.experimental.vector.splice.v4i32(<4 x i32>, <4 x i32>, i32)
declare {}* @llvm.invariant.start.p0i8(i64, i8*)
declare void @llvm.prefetch(i8*, i32, i32, i32)
attributes #0 = { nounwind }
!0 = !{}
