; A call of vector.splice, which LLVM 22 replaces; a text need not declare it.

define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b) {
  %r = call <4 x i32> @llvm.vector.splice.v4i32(<4 x i32> %a, <4 x i32> %b, i32 -1)
  ret <4 x i32> %r
}
