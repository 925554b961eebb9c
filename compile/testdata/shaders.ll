; Shaders of all stages, with arguments and results of many types.
@lds = addrspace(3) global [64 x i32] poison
@big = addrspace(3) global [300 x i32] poison

define amdgpu_cs void @cs(<4 x i32> inreg %rsrc, i32 inreg %x, <3 x i32> inreg %group, <3 x i32> %id, float %f) {
  %p = alloca [16 x i32], align 4, addrspace(5)
  %i = extractelement <3 x i32> %id, i32 0
  %q = getelementptr [16 x i32], ptr addrspace(5) %p, i32 0, i32 %i
  store volatile i32 %x, ptr addrspace(5) %q
  %l = load volatile i32, ptr addrspace(5) %p
  %g = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %i
  store volatile i32 %l, ptr addrspace(3) %g
  %z = extractelement <3 x i32> %group, i32 2
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %z, <4 x i32> %rsrc, i32 %i, i32 0, i32 0)
  ret void
}
define amdgpu_ps <4 x float> @ps(i32 inreg %mask, <2 x float> %sample, <2 x float> %center, <2 x float> %centroid, <3 x float> %pull, <2 x float> %linear, <2 x float> %lc, <2 x float> %lcc, float %line, float %x, float %y) #1 {
  store volatile i32 %mask, ptr addrspace(3) @big
  %a = extractelement <2 x float> %center, i32 1
  %r = insertelement <4 x float> <float 0.0, float 0.0, float 0.0, float 0.0>, float %a, i32 0
  %r2 = insertelement <4 x float> %r, float %y, i32 2
  ret <4 x float> %r2
}
define amdgpu_vs void @vs(i32 inreg %x, i32 %id) #0 {
  %b = bitcast i32 %id to float
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %b, float 0.0, float 1.0, float 2.0, i1 true, i1 false)
  ret void
}
define amdgpu_gs void @gs() { ret void }
define amdgpu_hs void @hs() "denormal-fp-math-f32"="preserve-sign" { ret void }
define amdgpu_gfx i32 @callee(i32 %x) noinline {
  %s = add i32 %x, 1
  ret i32 %s
}
attributes #0 = { "amdgpu-dx10-clamp"="false" "amdgpu-ieee"="true" }
attributes #1 = { "InitialPSInputAddr"="36869" }
