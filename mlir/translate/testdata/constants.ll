; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

@sum = internal constant i32 7
@cast = internal global i64 ptrtoint (ptr @sum to i64)
@pair = internal global { i32, float } { i32 1, float 2.000000e+00 }
@member = internal global i32 1
@vec = internal global <2 x i32> <i32 5, i32 0>
@lane = internal global i32 8
@wide = internal global i128 123456789012345678901234567890
@narrow = internal global i4 -1
@text = internal global [5 x i8] c"a\0Ab\22c"
@halves = internal global [2 x half] [half 0xH3E00, half 0xH8000]
@splat = internal global [2 x [2 x i16]] [[2 x i16] [i16 3, i16 3], [2 x i16] [i16 3, i16 3]]
@bits = internal global [2 x i1] [i1 true, i1 false]
@bf = internal global bfloat 0xR3F80
@nothing = constant [3 x [0 x [4 x float]]] zeroinitializer
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 3, ptr @dtor, ptr null }]

define void @dtor() {
  ret void
}

define fastcc void @fast() {
  ret void
}

define amdgpu_kernel void @kern() {
  ret void
}

; Function Attrs: uwtable(sync)
define void @up() #0 {
  ret void
}

define i64 @casts(i64 %0, ptr %1, double %2) {
  %4 = trunc nsw i64 %0 to i32
  %5 = zext i32 %4 to i64
  %6 = add i64 %5, %0
  call void asm sideeffect inteldialect "nop", "~{memory}"()
  call fastcc void @fast()
  ret i64 %6
}

define [0 x float] @empty() {
  ret [0 x float] zeroinitializer
}

attributes #0 = { uwtable(sync) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
