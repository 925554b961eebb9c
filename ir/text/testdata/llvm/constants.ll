@i1 = global i1 true
@i8 = global i8 -1
@i64 = global i64 9223372036854775807
@i100 = global i100 -633825300114114700748351602688
@i128 = global i128 170141183460469231731687303715884105727
@wide = global i256 115792089237316195423570985008687907853269984665640564039457584007913129639935
@f1 = global float 1.000000e+00
@f2 = global float 0x3FB99999A0000000
@f3 = global float 0x7FF8000000000000
@f4 = global float 0xFFF4000000000000
@f5 = global float 0x36A0000000000000
@d1 = global double 1.000000e-01
@d2 = global double 3.141590e+00
@d3 = global double 0x400921FB54442D18
@d4 = global double -0.000000e+00
@d5 = global double 0x7FF0000000000000
@d6 = global double 1.000000e+300
@d7 = global double 1.234560e-05
@h1 = global half 0xH3C00
@h2 = global half 1.5
@b1 = global bfloat 0xR3F80
@b2 = global bfloat 2.0
@x1 = global x86_fp80 0xK3FFF8000000000000000
@q1 = global fp128 0xL00000000000000003FFF000000000000
@p1 = global ppc_fp128 0xM3FF00000000000000000000000000000
@null = global ptr null
@null3 = global ptr addrspace(3) null
@undef = global i32 undef
@poison = global { i32, i8 } poison
@zero = global [4 x { i32, ptr }] zeroinitializer
@str = constant [14 x i8] c"hello\00\09\22\\\FFabc\0A"
@arr = global [3 x i16] [i16 1, i16 -2, i16 3]
@fa = global [2 x float] [float 1.000000e+00, float 0x3FB99999A0000000]
@st = global { i32, ptr, [2 x i8] } { i32 1, ptr @str, [2 x i8] c"ab" }
@ps = global <{ i8, i32 }> <{ i8 1, i32 2 }>
@vec = global <4 x i32> <i32 1, i32 2, i32 3, i32 4>
@spl = global <4 x i32> splat (i32 7)
@splf = global <2 x double> splat (double 5.000000e-01)
@vu = global <2 x i32> <i32 undef, i32 1>
@vpu = global <2 x i32> <i32 undef, i32 poison>
@spu = global { i32, i32 } { i32 undef, i32 poison }
@vp = global <2 x ptr> <ptr @str, ptr null>
@vps = global <2 x ptr> <ptr @str, ptr @str>
@mixed = global [2 x i32] [i32 1, i32 ptrtoint (ptr @str to i32)]
@mixed2 = global [3 x i64] [i64 ptrtoint (ptr @str to i64), i64 1, i64 undef]
@gep1 = global ptr getelementptr inbounds ([14 x i8], ptr @str, i64 0, i64 3)
@gep2 = global ptr getelementptr inbounds nuw (i8, ptr @str, i64 3)
@gep3 = global ptr getelementptr inbounds inrange(-2, 8) (i8, ptr @str, i64 4)
@gep4 = global ptr getelementptr (i8, ptr @str, i64 0)
@cast1 = global i64 ptrtoint (ptr @i64 to i64)
@cast2 = global ptr inttoptr (i64 64 to ptr)
@cast3 = global ptr addrspacecast (ptr addrspace(3) @lds to ptr)
@cast4 = global i32 trunc (i64 ptrtoint (ptr @i64 to i64) to i32)
@addr = global i64 ptrtoaddr (ptr @i64 to i64)
@add = global i64 add (i64 ptrtoint (ptr @i64 to i64), i64 5)
@add2 = global i64 add (i64 5, i64 ptrtoint (ptr @i64 to i64))
@sub = global i64 sub (i64 ptrtoint (ptr @i64 to i64), i64 ptrtoint (ptr @i8 to i64))
@folded = global i32 add (i32 2, i32 3)
@xor = global i64 xor (i64 -1, i64 ptrtoint (ptr @i64 to i64))
@lds = addrspace(3) global [16 x i32] undef
@ba = global ptr blockaddress(@f, %b)
@ba2 = global ptr blockaddress(@f, %1)
@dso = global ptr dso_local_equivalent @g
@cfi = global ptr no_cfi @g
@auth = global ptr ptrauth (ptr @g, i32 1, i64 1234)
@auth2 = global ptr ptrauth (ptr @g, i32 1, i64 0, ptr @i8)
@e0 = global [0 x i32] zeroinitializer
@e1 = global {} zeroinitializer
@tgt = external global target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)
@tgt2 = global target("spirv.Sampler") zeroinitializer
@bc = global <2 x i32> bitcast (i64 5 to <2 x i32>)
@hex = global i32 u0xFF
@shex = global i8 s0xFF
@cut = global i8 300

define void @f() {
  %use = icmp eq ptr blockaddress(@f, %b), null
  %use2 = icmp eq ptr blockaddress(@f, %later), null
  br label %1

1:
  br label %b

b:
  br label %later

later:
  %t = call token @llvm.experimental.convergence.anchor()
  call void @g() [ "convergencectrl"(token %t) ]
  ret void
}

define void @g() convergent {
  %x = add i64 ptrtoint (ptr @i8 to i64), 1
  %c = call ptr @h(ptr getelementptr (i8, ptr @i8, i64 1), <2 x i32> splat (i32 3), float 0.000000e+00)
  ret void
}

declare ptr @h(ptr, <2 x i32>, float)
declare token @llvm.experimental.convergence.anchor() convergent
