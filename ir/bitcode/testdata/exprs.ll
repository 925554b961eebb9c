; Constant expressions that LLVM 22 no longer has. exprs-14.bc is the output of llvm-as-14.
target triple = "amdgcn-amd-amdhsa"
@a = global i32 0
@b = global i32 0
@f = global float 0.0

define i64 @code(i1 %c) {
  %x = add i64 mul (i64 ptrtoint (i32* @a to i64), i64 3), 1
  %y = select i1 icmp eq (i32* @a, i32* @b), i64 %x, i64 zext (i32 ptrtoint (i32* @b to i32) to i64)
  br i1 %c, label %one, label %two
one:
  br i1 %c, label %two, label %two
two:
  %p = phi i64 [ %y, %0 ], [ sdiv (i64 ptrtoint (i32* @a to i64), i64 7), %one ], [ sdiv (i64 ptrtoint (i32* @a to i64), i64 7), %one ]
  %q = phi i64 [ and (i64 ptrtoint (i32* @a to i64), i64 7), %0 ], [ shl (i64 ptrtoint (i32* @b to i64), i64 1), %one ], [ shl (i64 ptrtoint (i32* @b to i64), i64 1), %one ]
  %s = add i64 %p, %q
  ret i64 %s
}

define <2 x i64> @vector() {
  ret <2 x i64> <i64 1, i64 mul (i64 ptrtoint (i32* @a to i64), i64 5)>
}
