; Structs of vectors that intrinsics return, products without carries, and atomic subtractions in LDS.
; processors: gfx700 gfx803 gfx900 gfx90a gfx1030 gfx1100
target triple = "amdgcn-amd-amdhsa"

@shared = internal addrspace(3) global [64 x i32] poison

define internal { <2 x float>, <2 x i32> } @parts(<2 x float> %x) noinline {
  %r = call { <2 x float>, <2 x i32> } @llvm.frexp.v2f32.v2i32(<2 x float> %x)
  ret { <2 x float>, <2 x i32> } %r
}

define internal { <2 x i16>, <2 x i16> } @halves(<4 x i16> %x) noinline {
  %r = call { <2 x i16>, <2 x i16> } @llvm.vector.deinterleave2.v4i16(<4 x i16> %x)
  ret { <2 x i16>, <2 x i16> } %r
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %out = getelementptr i8, ptr addrspace(1) %in, i32 128
  %w = load i32, ptr addrspace(1) %in
  %in1 = getelementptr i8, ptr addrspace(1) %in, i32 8
  %v = load <2 x i32>, ptr addrspace(1) %in1
  %h = load <4 x i16>, ptr addrspace(1) %in1

  %f = uitofp <2 x i32> %v to <2 x float>
  %s = call { <2 x float>, <2 x i32> } @parts(<2 x float> %f)
  %fraction = extractvalue { <2 x float>, <2 x i32> } %s, 0
  %exponent = extractvalue { <2 x float>, <2 x i32> } %s, 1
  store <2 x float> %fraction, ptr addrspace(1) %out
  %out1 = getelementptr i8, ptr addrspace(1) %out, i32 8
  store <2 x i32> %exponent, ptr addrspace(1) %out1

  %d = call { <2 x i16>, <2 x i16> } @halves(<4 x i16> %h)
  %even = extractvalue { <2 x i16>, <2 x i16> } %d, 0
  %odd = extractvalue { <2 x i16>, <2 x i16> } %d, 1
  %out2 = getelementptr i8, ptr addrspace(1) %out, i32 16
  store <2 x i16> %even, ptr addrspace(1) %out2
  %out3 = getelementptr i8, ptr addrspace(1) %out, i32 20
  store <2 x i16> %odd, ptr addrspace(1) %out3

  %x = extractelement <2 x i32> %v, i32 0
  %c32 = call i32 @llvm.clmul.i32(i32 %w, i32 %x)
  %out4 = getelementptr i8, ptr addrspace(1) %out, i32 24
  store i32 %c32, ptr addrspace(1) %out4
  %b = trunc i32 %w to i8
  %e = trunc i32 %x to i8
  %c8 = call i8 @llvm.clmul.i8(i8 %b, i8 %e)
  %out5 = getelementptr i8, ptr addrspace(1) %out, i32 28
  store i8 %c8, ptr addrspace(1) %out5
  %y = bitcast <2 x i32> %v to i64
  %c64 = call i64 @llvm.clmul.i64(i64 %y, i64 %y)
  %out6 = getelementptr i8, ptr addrspace(1) %out, i32 32
  store i64 %c64, ptr addrspace(1) %out6

  %slot = getelementptr i32, ptr addrspace(3) @shared, i32 %id
  store i32 %w, ptr addrspace(3) %slot
  %flat = addrspacecast ptr addrspace(3) %slot to ptr
  %old = atomicrmw usub_sat ptr %flat, i32 %x syncscope("workgroup") monotonic
  %new = load i32, ptr addrspace(3) %slot
  %out7 = getelementptr i8, ptr addrspace(1) %out, i32 40
  store i32 %old, ptr addrspace(1) %out7
  %out8 = getelementptr i8, ptr addrspace(1) %out, i32 44
  store i32 %new, ptr addrspace(1) %out8
  ret void
}
