target triple = "amdgcn-amd-amdhsa"
define void @f(ptr addrspace(3) %l, ptr addrspace(1) %g, ptr %p, float %x, i32 %i, <2 x i16> %h) #0 {
  %a = call i32 @llvm.amdgcn.alignbit(i32 %i, i32 %i, i32 3)
  %b = call i32 @llvm.amdgcn.atomic.inc.i32.p1(ptr addrspace(1) %g, i32 %i, i32 2, i32 0, i1 false), !tbaa !0
  %c = call i32 @llvm.amdgcn.atomic.dec.i32.p0(ptr %p, i32 %i, i32 0, i32 0, i1 true)
  %d = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) %l, float %x, i32 0, i32 0, i1 false)
  %e = call float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1) %g, float %x)
  %e2 = call float @llvm.amdgcn.flat.atomic.fadd.f32.p0.f32(ptr %p, float %x)
  %e3 = call <2 x i16> @llvm.amdgcn.flat.atomic.fadd.v2bf16.p0(ptr %p, <2 x i16> %h)
  %e4 = call <2 x i16> @llvm.amdgcn.ds.fadd.v2bf16(ptr addrspace(3) %l, <2 x i16> %h)
  %k = call float @llvm.amdgcn.ldexp.f32(float %x, i32 %i)
  %m = atomicrmw fadd ptr %p, float %x seq_cst
  %m1 = atomicrmw fadd ptr addrspace(3) %l, float %x seq_cst, align 4
  %m2 = atomicrmw add ptr addrspace(3) %l, i32 5 seq_cst, align 4
  %n = call i32 @llvm.amdgcn.atomic.csub.u32.p1(ptr addrspace(1) %g, i32 %i)
  %n2 = call i32 @llvm.amdgcn.global.atomic.csub.p1(ptr addrspace(1) %g, i32 %i)
  %n3 = call float @llvm.amdgcn.flat.atomic.fmin.f32.p0.f32(ptr %p, float %x)
  %n4 = tail call nnan float @llvm.amdgcn.ldexp.f32(float %x, i32 %i) #0, !tbaa !0
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %p, i64 4, i32 8, i1 true) #0
  tail call void @llvm.memset.p0i8.i64(i8* align 2 %p, i8 0, i64 4, i32 1, i1 true)
  ret void
}
declare i32 @llvm.amdgcn.alignbit(i32, i32, i32)
declare i32 @llvm.amdgcn.atomic.inc.i32.p1(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @llvm.amdgcn.atomic.dec.i32.p0(ptr, i32, i32, i32, i1)
declare float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) , float , i32 , i32 , i1 )
declare float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1), float)
declare float @llvm.amdgcn.flat.atomic.fadd.f32.p0.f32(ptr, float)
declare <2 x i16> @llvm.amdgcn.flat.atomic.fadd.v2bf16.p0(ptr, <2 x i16>)
declare <2 x i16> @llvm.amdgcn.ds.fadd.v2bf16(ptr addrspace(3), <2 x i16>)
declare float @llvm.amdgcn.ldexp.f32(float, i32)
declare i32 @llvm.amdgcn.atomic.csub.u32.p1(ptr addrspace(1), i32)
declare i32 @llvm.amdgcn.global.atomic.csub.p1(ptr addrspace(1), i32)
declare float @llvm.amdgcn.flat.atomic.fmin.f32.p0.f32(ptr, float)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i32, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i32, i1)
attributes #0 = { nounwind "amdgpu-unsafe-fp-atomics"="true" "uniform-work-group-size"="true" }
!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2}
!2 = !{!"root"}
