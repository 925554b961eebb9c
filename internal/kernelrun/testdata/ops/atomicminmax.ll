; Atomic floating-point minimum and maximum.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@shared = internal addrspace(3) global [64 x double] poison

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @test_double(ptr addrspace(1) %out, double %n) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 3
  %p = getelementptr double, ptr addrspace(1) %out, i32 %at
  %xf = uitofp i32 %x to double
  store double 20.0, ptr addrspace(1) %p
  %old = atomicrmw fmin ptr addrspace(1) %p, double %xf syncscope("agent") monotonic, align 8, !amdgpu.no.fine.grained.memory !0
  %q = getelementptr double, ptr addrspace(1) %p, i32 1
  store double %old, ptr addrspace(1) %q
  %max = atomicrmw fmax ptr addrspace(1) %p, double 7.0 syncscope("agent") monotonic, align 8, !amdgpu.no.fine.grained.memory !0
  %flat = addrspacecast ptr addrspace(1) %q to ptr
  %old2 = atomicrmw fmax ptr %flat, double %xf syncscope("agent") monotonic, align 8, !amdgpu.no.fine.grained.memory !0
  %old3 = atomicrmw fmin ptr %flat, double 15.0 syncscope("agent") monotonic, align 8, !amdgpu.no.fine.grained.memory !0
  %r = getelementptr double, ptr addrspace(1) %p, i32 2
  store double %max, ptr addrspace(1) %r
  %s = getelementptr double, ptr addrspace(1) %p, i32 3
  %sum = fadd double %old2, %old3
  store double %sum, ptr addrspace(1) %s
  ret void
}

define amdgpu_kernel void @test_local(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %x, 63
  %l = getelementptr [64 x double], ptr addrspace(3) @shared, i32 0, i32 %i
  store double -3.0, ptr addrspace(3) %l
  %xf = uitofp i32 %x to double
  %a = atomicrmw fmax ptr addrspace(3) %l, double %xf syncscope("workgroup") monotonic, align 8
  %b = atomicrmw fmin ptr addrspace(3) %l, double 9.0 syncscope("workgroup") monotonic, align 8
  %c = load double, ptr addrspace(3) %l
  %at = shl i32 %x, 3
  %p = getelementptr double, ptr addrspace(1) %out, i32 %at
  %ab = fadd double %a, %b
  store double %ab, ptr addrspace(1) %p
  %q = getelementptr double, ptr addrspace(1) %p, i32 1
  store double %c, ptr addrspace(1) %q
  ret void
}

!0 = !{}
