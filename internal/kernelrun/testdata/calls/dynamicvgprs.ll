; Kernels with dynamically allocated VGPRs (gfx12): memory of their own, and calls.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define internal i32 @callee(ptr addrspace(5) %p, <33 x i32> %v, i32 %n) noinline {
  %a = alloca [4 x i32], addrspace(5)
  %k = and i32 %n, 3
  %q = getelementptr [4 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  store volatile i32 %n, ptr addrspace(5) %q
  %old = load volatile i32, ptr addrspace(5) %p
  %e = extractelement <33 x i32> %v, i32 32
  %s = add i32 %old, %e
  store volatile i32 %s, ptr addrspace(5) %p
  %r = load volatile i32, ptr addrspace(5) %q
  ret i32 %r
}

define amdgpu_kernel void @test_leaf(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-dynamic-vgpr-block-size"="16" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %a = alloca [8 x i32], addrspace(5)
  %k = and i32 %x, 7
  %p = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  %f = addrspacecast ptr addrspace(5) %p to ptr
  store volatile i32 %x, ptr addrspace(5) %p
  %v = load volatile i32, ptr %f
  call void @put(ptr addrspace(1) %out, i32 0, i32 %v)
  ret void
}

define amdgpu_kernel void @test_calls(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-dynamic-vgpr-block-size"="32" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %a = alloca [8 x i32], addrspace(5)
  %k = and i32 %x, 7
  %p = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  store volatile i32 7, ptr addrspace(5) %p
  %v = load <33 x i32>, ptr addrspace(1) %in, align 4
  %i = insertelement <33 x i32> %v, i32 %x, i32 32
  %r = call i32 @callee(ptr addrspace(5) %p, <33 x i32> %i, i32 %x)
  %s = load volatile i32, ptr addrspace(5) %p
  %c = icmp ugt i32 %x, 1
  br i1 %c, label %more, label %done
more:
  %m = alloca i32, i32 %k, addrspace(5)
  %q = getelementptr i8, ptr addrspace(5) %m, i32 0
  %t = mul i32 %s, 3
  br label %done
done:
  %u = phi i32 [ %s, %0 ], [ %t, %more ]
  call void @put(ptr addrspace(1) %out, i32 0, i32 %r)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %u)
  ret void
}

; No private memory.
define amdgpu_kernel void @test_none(ptr addrspace(1) %in, ptr addrspace(1) %out) "amdgpu-dynamic-vgpr-block-size"="16" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  call void @put(ptr addrspace(1) %out, i32 0, i32 %x)
  ret void
}
