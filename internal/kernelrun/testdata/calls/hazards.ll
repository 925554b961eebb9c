target triple = "amdgcn-amd-amdhsa"

; Hazards between a function and its caller: a transcendental result that is used immediately, on both sides; a store that may not
; have read EXEC yet when the caller's loop changes it; lane masks on both sides.
declare float @llvm.amdgcn.exp2.f32(float)
declare i32 @llvm.amdgcn.workitem.id.x()

define internal float @exp(float %x) noinline {
  %y = call float @llvm.amdgcn.exp2.f32(float %x)
  ret float %y
}

define internal float @add(float %x, float %y) noinline {
  %z = fadd float %x, %y
  ret float %z
}

define amdgpu_kernel void @results(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %f = uitofp i32 %i to float
  %a = call float @exp(float %f)
  %b = fadd float %a, 1.0
  %c = call float @llvm.amdgcn.exp2.f32(float %f)
  %d = call float @add(float %b, float %c)
  %o = mul i32 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %out, i32 %o
  store float %d, ptr addrspace(1) %p
  ret void
}

define internal i32 @store(i32 %i, ptr addrspace(5) %p) noinline {
  %q = getelementptr i8, ptr addrspace(5) %p, i32 4
  store i32 %i, ptr addrspace(5) %q
  ret i32 0
}

define internal i32 @loop(i32 %n, ptr addrspace(5) %p) noinline {
entry:
  br label %again
again:
  %i = phi i32 [ 0, %entry ], [ %j, %again ]
  %r = call i32 @store(i32 %i, ptr addrspace(5) %p)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %again, label %end
end:
  ret i32 %r
}

define amdgpu_kernel void @exec(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %m = alloca [2 x i32], align 8, addrspace(5)
  store i32 0, ptr addrspace(5) %m
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %n = and i32 %i, 3
  %r = call i32 @loop(i32 %n, ptr addrspace(5) %m)
  %q = getelementptr i8, ptr addrspace(5) %m, i32 4
  %x = load i32, ptr addrspace(5) %q
  %y = add i32 %x, %r
  %o = mul i32 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %out, i32 %o
  store i32 %y, ptr addrspace(1) %p
  ret void
}

define internal i32 @choose(i32 %x, i32 %y) noinline {
  %c = icmp sgt i32 %x, %y
  %a = select i1 %c, i32 %x, i32 7
  %b = select i1 %c, i32 9, i32 %y
  %z = mul i32 %a, %b
  %d = icmp sgt i32 %z, 20
  %s = select i1 %d, i32 %z, i32 %x
  ret i32 %s
}

define amdgpu_kernel void @masks(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %j = sub i32 20, %i
  %c = icmp sgt i32 %i, %j
  %x = select i1 %c, i32 %i, i32 3
  %u = call i32 @choose(i32 %x, i32 %j)
  %d = icmp slt i32 %u, %i
  %v = select i1 %d, i32 %u, i32 %x
  %e = xor i1 %c, %d
  %w = select i1 %e, i32 %v, i32 %u
  %r = call i32 @choose(i32 %w, i32 %v)
  %s = select i1 %c, i32 %r, i32 %w
  %o = mul i32 %i, 64
  %p = getelementptr i8, ptr addrspace(1) %out, i32 %o
  store i32 %s, ptr addrspace(1) %p
  ret void
}
