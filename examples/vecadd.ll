; c[i] = a[i] + b[i] for 32-bit floats, one work-item for each i, in work-groups of 64 work-items.
; To be run on a = 0, 1, 2, ... and b = 0.5, 0.5, ...:
;
; gfx run: --mcpu=gfx900 --grid=256 --group=64
; gfx run: --arg='buf:f32[256]=iota' --arg='buf:f32[256]=const(0.5)' --arg='buf:f32[256]' --print=2:8
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @vecadd(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %index = alloca i32, align 4, addrspace(5)
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = mul i32 %group, 64
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %base, %item
  store i32 %i, ptr addrspace(5) %index, align 4
  %i.again = load i32, ptr addrspace(5) %index, align 4
  %offset = zext i32 %i.again to i64
  %pa = getelementptr inbounds float, ptr addrspace(1) %a, i64 %offset
  %x = load float, ptr addrspace(1) %pa, align 4
  %pb = getelementptr inbounds float, ptr addrspace(1) %b, i64 %offset
  %y = load float, ptr addrspace(1) %pb, align 4
  %sum = fadd float %x, %y
  %pc = getelementptr inbounds float, ptr addrspace(1) %c, i64 %offset
  store float %sum, ptr addrspace(1) %pc, align 4
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }
