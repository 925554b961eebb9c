; Arguments and results that fill their registers, in functions limited to 64.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define <16 x i64> @square(<16 x i32> %a) noinline {
  %x = zext <16 x i32> %a to <16 x i64>
  %r = mul <16 x i64> %x, %x
  ret <16 x i64> %r
}

define <16 x i64> @pairs(<16 x i32> %a, <16 x i32> %b) noinline {
  %x = call <16 x i64> @square(<16 x i32> %a)
  %high = shl <16 x i64> %x, splat (i64 32)
  %low = call <16 x i64> @square(<16 x i32> %b)
  %r = or <16 x i64> %high, %low
  ret <16 x i64> %r
}

define amdgpu_kernel void @full(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %v0 = insertelement <16 x i32> poison, i32 %x, i32 0
  %v = shufflevector <16 x i32> %v0, <16 x i32> poison, <16 x i32> zeroinitializer
  %a = add <16 x i32> %v, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %b = mul <16 x i32> %a, splat (i32 1000003)
  %r = call <16 x i64> @pairs(<16 x i32> %a, <16 x i32> %b)
  %s = call i64 @llvm.vector.reduce.xor.v16i64(<16 x i64> %r)
  %e = extractelement <16 x i64> %r, i32 11
  %sum = add i64 %s, %e
  %low = trunc i64 %sum to i32
  %h = lshr i64 %sum, 32
  %high = trunc i64 %h to i32
  %at = shl i32 %x, 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store i32 %low, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %high, ptr addrspace(1) %q
  ret void
}

declare i64 @llvm.vector.reduce.xor.v16i64(<16 x i64>)
