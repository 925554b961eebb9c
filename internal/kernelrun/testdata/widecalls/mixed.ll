target triple = "amdgcn-amd-amdhsa"
declare <7 x i4> @llvm.masked.load.v7i4.p1(ptr addrspace(1), i32, <7 x i1>, <7 x i4>)
declare void @llvm.masked.store.v7i4.p1(<7 x i4>, ptr addrspace(1), i32, <7 x i1>)
declare void @llvm.masked.compressstore.v8i1(<8 x i1>, ptr, <8 x i1>)

define <32 x i64> @shift(<32 x i64> %a, <32 x i64> %b) noinline "amdgpu-num-vgpr"="96" {
  %r = lshr <32 x i64> %a, %b
  ret <32 x i64> %r
}

define i65 @long(i65 %a, <2 x i96> %b, i32 %c) noinline "amdgpu-num-vgpr"="96" {
  %b0 = extractelement <2 x i96> %b, i32 0
  %b1 = extractelement <2 x i96> %b, i32 1
  %d = sub i96 %b1, %b0
  %t = trunc i96 %d to i65
  %z = zext i32 %c to i65
  %s = add i65 %a, %t
  %r = add i65 %s, %z
  ret i65 %r
}

define { i65, i65, i32 } @longs(i65 %a, i96 signext %b) noinline "amdgpu-num-vgpr"="96" {
  %n = trunc i96 %b to i65
  %h = lshr i96 %b, 64
  %i = trunc i96 %h to i32
  %r = insertvalue { i65, i65, i32 } poison, i65 %n, 0
  %r1 = insertvalue { i65, i65, i32 } %r, i65 %a, 1
  %q = insertvalue { i65, i65, i32 } %r1, i32 %i, 2
  ret { i65, i65, i32 } %q
}

define <80 x half> @halves(<80 x half> %a) noinline "amdgpu-num-vgpr"="96" {
  %r = fadd <80 x half> %a, splat (half 1.0)
  ret <80 x half> %r
}

define ptr @pointers(i32 %a, ptr addrspace(3) %b) noinline "amdgpu-num-vgpr"="96" {
  %p = inttoptr i32 %a to ptr
  %n = ptrtoint ptr addrspace(3) %b to i64
  %q = getelementptr i8, ptr %p, i64 %n
  ret ptr %q
}

; out: 64 values of i64, of which the last 32 are less than 64; the results follow
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %a = load <32 x i64>, ptr addrspace(1) %out
  %p = getelementptr i64, ptr addrspace(1) %out, i64 32
  %b = load <32 x i64>, ptr addrspace(1) %p
  %r = call <32 x i64> @shift(<32 x i64> %a, <32 x i64> %b)
  %p1 = getelementptr i64, ptr addrspace(1) %out, i64 64
  store <32 x i64> %r, ptr addrspace(1) %p1

  %x = load i65, ptr addrspace(1) %out
  %y = load <2 x i96>, ptr addrspace(1) %p1
  %c = load i32, ptr addrspace(1) %p
  %l = call i65 @long(i65 %x, <2 x i96> %y, i32 %c)
  %l.low = trunc i65 %l to i64
  %l.shift = lshr i65 %l, 64
  %l.high = trunc i65 %l.shift to i64
  %p2 = getelementptr i64, ptr addrspace(1) %out, i64 96
  store i64 %l.low, ptr addrspace(1) %p2
  %p3 = getelementptr i64, ptr addrspace(1) %out, i64 97
  store i64 %l.high, ptr addrspace(1) %p3

  %y0 = extractelement <2 x i96> %y, i32 0
  %s = call { i65, i65, i32 } @longs(i65 %l, i96 signext %y0)
  %e0 = extractvalue { i65, i65, i32 } %s, 0
  %e1 = extractvalue { i65, i65, i32 } %s, 1
  %s1 = extractvalue { i65, i65, i32 } %s, 2
  %e = mul i65 %e0, %e1
  %e.low = trunc i65 %e to i64
  %p4 = getelementptr i64, ptr addrspace(1) %out, i64 98
  store i64 %e.low, ptr addrspace(1) %p4
  %e.wide = zext i32 %s1 to i64
  %p5 = getelementptr i64, ptr addrspace(1) %out, i64 99
  store i64 %e.wide, ptr addrspace(1) %p5

  %f = call ptr @pointers(i32 %c, ptr addrspace(3) inttoptr (i32 -16 to ptr addrspace(3)))
  %f.int = ptrtoint ptr %f to i64
  %p6 = getelementptr i64, ptr addrspace(1) %out, i64 100
  store i64 %f.int, ptr addrspace(1) %p6

  %p7 = getelementptr i64, ptr addrspace(1) %out, i64 101
  %bits = load i7, ptr addrspace(1) %p
  %mask = bitcast i7 %bits to <7 x i1>
  %m = call <7 x i4> @llvm.masked.load.v7i4.p1(ptr addrspace(1) %out, i32 1, <7 x i1> %mask, <7 x i4> <i4 1, i4 2, i4 3, i4 4, i4 5, i4 6, i4 7>)
  call void @llvm.masked.store.v7i4.p1(<7 x i4> %m, ptr addrspace(1) %p7, i32 1, <7 x i1> <i1 1, i1 1, i1 0, i1 1, i1 1, i1 1, i1 1>)
  %p8 = getelementptr i64, ptr addrspace(1) %out, i64 102
  %flat = addrspacecast ptr addrspace(1) %p8 to ptr
  %byte = load i8, ptr addrspace(1) %out
  %bools = bitcast i8 %byte to <8 x i1>
  %byte2 = load i8, ptr addrspace(1) %p
  %mask2 = bitcast i8 %byte2 to <8 x i1>
  call void @llvm.masked.compressstore.v8i1(<8 x i1> %bools, ptr %flat, <8 x i1> %mask2)

  %g = call <80 x half> @halves(<80 x half> <half 0.0, half 1.0, half 2.0, half 3.0, half 4.0, half 5.0, half 6.0, half 7.0, half 8.0, half 9.0, half 10.0, half 11.0, half 12.0, half 13.0, half 14.0, half 15.0, half 16.0, half 17.0, half 18.0, half 19.0, half 20.0, half 21.0, half 22.0, half 23.0, half 24.0, half 25.0, half 26.0, half 27.0, half 28.0, half 29.0, half 30.0, half 31.0, half 32.0, half 33.0, half 34.0, half 35.0, half 36.0, half 37.0, half 38.0, half 39.0, half 40.0, half 41.0, half 42.0, half 43.0, half 44.0, half 45.0, half 46.0, half 47.0, half 48.0, half 49.0, half 50.0, half 51.0, half 52.0, half 53.0, half 54.0, half 55.0, half 56.0, half 57.0, half 58.0, half 59.0, half 60.0, half 61.0, half 62.0, half 63.0, half 64.0, half 65.0, half 66.0, half 67.0, half 68.0, half 69.0, half 70.0, half 71.0, half 72.0, half 73.0, half 74.0, half 75.0, half 76.0, half 77.0, half 78.0, half 79.0>)
  %g0 = extractelement <80 x half> %g, i32 2
  %g1 = extractelement <80 x half> %g, i32 79
  %g2 = fmul half %g0, %g1
  %g.int = fptoui half %g2 to i64
  %p9 = getelementptr i64, ptr addrspace(1) %out, i64 103
  store i64 %g.int, ptr addrspace(1) %p9
  ret void
}
