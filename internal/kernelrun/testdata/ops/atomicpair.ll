; Atomic sums of pairs of 16-bit floating-point numbers.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@shared = internal addrspace(3) global [64 x <2 x half>] poison

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @test_half(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 2
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store <2 x half> <half 1.5, half -2.25>, ptr addrspace(1) %p
  %n = uitofp i32 %x to half
  %v0 = insertelement <2 x half> poison, half %n, i32 0
  %v = insertelement <2 x half> %v0, half 0xH3400, i32 1
  %old = atomicrmw fadd ptr addrspace(1) %p, <2 x half> %v syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %unused = atomicrmw fadd ptr addrspace(1) %p, <2 x half> <half 0xH0001, half 100.0> syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store <2 x half> %old, ptr addrspace(1) %q
  %flat = addrspacecast ptr addrspace(1) %q to ptr
  %old2 = atomicrmw fadd ptr %flat, <2 x half> %v syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %r = getelementptr i32, ptr addrspace(1) %p, i32 2
  store <2 x half> %old2, ptr addrspace(1) %r
  %l = getelementptr <2 x half>, ptr addrspace(3) @shared, i32 %x
  store <2 x half> <half 3.0, half 0xH8001>, ptr addrspace(3) %l
  %old3 = atomicrmw fadd ptr addrspace(3) %l, <2 x half> %v syncscope("workgroup") monotonic, align 4
  %drop = atomicrmw fadd ptr addrspace(3) %l, <2 x half> %old3 syncscope("workgroup") monotonic, align 4
  %now = load <2 x half>, ptr addrspace(3) %l
  %s = getelementptr i32, ptr addrspace(1) %p, i32 3
  store <2 x half> %now, ptr addrspace(1) %s
  ret void
}

define amdgpu_kernel void @test_bfloat(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 2
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %at
  store <2 x bfloat> <bfloat 1.5, bfloat -2.25>, ptr addrspace(1) %p
  %n = uitofp i32 %x to bfloat
  %v0 = insertelement <2 x bfloat> poison, bfloat %n, i32 0
  %v = insertelement <2 x bfloat> %v0, bfloat 0.25, i32 1
  %old = atomicrmw fadd ptr addrspace(1) %p, <2 x bfloat> %v syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %unused = atomicrmw fadd ptr addrspace(1) %p, <2 x bfloat> <bfloat 1.0, bfloat 100.0> syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store <2 x bfloat> %old, ptr addrspace(1) %q
  %flat = addrspacecast ptr addrspace(1) %q to ptr
  %old2 = atomicrmw fadd ptr %flat, <2 x bfloat> %v syncscope("agent") monotonic, align 4, !amdgpu.no.fine.grained.memory !0
  %r = getelementptr i32, ptr addrspace(1) %p, i32 2
  store <2 x bfloat> %old2, ptr addrspace(1) %r
  %l = getelementptr <2 x half>, ptr addrspace(3) @shared, i32 %x
  store <2 x bfloat> <bfloat 3.0, bfloat 7.5>, ptr addrspace(3) %l
  %old3 = atomicrmw fadd ptr addrspace(3) %l, <2 x bfloat> %v syncscope("workgroup") monotonic, align 4
  %drop = atomicrmw fadd ptr addrspace(3) %l, <2 x bfloat> %old3 syncscope("workgroup") monotonic, align 4
  %now = load <2 x bfloat>, ptr addrspace(3) %l
  %s = getelementptr i32, ptr addrspace(1) %p, i32 3
  store <2 x bfloat> %now, ptr addrspace(1) %s
  ret void
}

!0 = !{}
