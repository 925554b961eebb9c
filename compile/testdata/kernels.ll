; Kernels with all that metadata and descriptors tell.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%struct.pair = type { i8, i64 }

@dynamic = external addrspace(3) global [0 x i32]

define amdgpu_kernel void @plain(ptr addrspace(1) %out) {
  ret void
}

define amdgpu_kernel void @kinds(ptr addrspace(1) noalias readonly %a, ptr addrspace(1) noalias writeonly %b, ptr addrspace(3) align 16 %c, ptr addrspace(4) %d, i8 %e, i16 %f, <3 x i32> %g, double %h, %struct.pair %i, ptr addrspace(1) %image, ptr addrspace(4) %sampler, ptr addrspace(1) %pipe, ptr addrspace(1) %queue, ptr %flat, ptr addrspace(4) byref(%struct.pair) align 32 %ref, [3 x i16] %array, half %half, <4 x i8> %bytes) #0 !kernel_arg_addr_space !10 !kernel_arg_access_qual !11 !kernel_arg_type !12 !kernel_arg_base_type !13 !kernel_arg_type_qual !14 !kernel_arg_name !15 !reqd_work_group_size !16 !work_group_size_hint !17 !vec_type_hint !18 {
  ret void
}

define amdgpu_kernel void @daz(i32 %x) #1 !vec_type_hint !19 {
  ret void
}

define protected amdgpu_kernel void @hints(i64 %x) #2 {
  ret void
}

define hidden amdgpu_kernel void @none() #3 {
  ret void
}

define amdgpu_kernel void @lds(ptr addrspace(1) %out) #4 {
  %x = load i32, ptr addrspace(3) @dynamic
  store i32 %x, ptr addrspace(1) %out
  ret void
}

define weak_odr amdgpu_kernel void @weak(i32 %x) #5 {
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="24,24" "uniform-work-group-size"="true" }
attributes #1 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" }
attributes #2 = { "denormal-fp-math"="positive-zero,positive-zero" "amdgpu-ieee"="false" "amdgpu-dx10-clamp"="false" "amdgpu-max-num-workgroups"="12,0,7" "amdgpu-flat-work-group-size"="1,512" }
attributes #3 = { "amdgpu-no-implicitarg-ptr" "denormal-fp-math-f32"="ieee,preserve-sign" }
attributes #4 = { "amdgpu-implicitarg-num-bytes"="48" }
attributes #5 = { "uniform-work-group-size"="false" "denormal-fp-math-f32"="preserve-sign,ieee" }

!llvm.module.flags = !{!0}
!opencl.ocl.version = !{!1}
!llvm.printf.fmts = !{!2, !3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{i32 1, i32 2}
!2 = !{!"1:1:4:%d\5Cn"}
!3 = !{!"2:1:8:%g\5Cn"}
!10 = !{i32 1, i32 1, i32 3, i32 4, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 4, i32 1, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0}
!11 = !{!"none", !"none", !"none", !"none", !"none", !"none", !"none", !"none", !"none", !"read_only", !"none", !"write_only", !"none", !"none", !"none", !"none", !"none", !"read_write"}
!12 = !{!"int*", !"float*", !"char*", !"constant int*", !"uchar", !"short", !"int3", !"double", !"pair", !"image2d_t", !"sampler_t", !"int", !"queue_t", !"int*", !"pair", !"short[3]", !"half", !"char4"}
!13 = !{!"int*", !"float*", !"char*", !"int*", !"uchar", !"short", !"int __attribute__((ext_vector_type(3)))", !"double", !"struct pair", !"image2d_t", !"sampler_t", !"int", !"queue_t", !"int*", !"struct pair", !"short[3]", !"half", !"char4"}
!14 = !{!"const restrict", !"volatile", !"", !"const", !"", !"", !"", !"", !"", !"", !"", !"pipe", !"", !"const volatile restrict", !"", !"", !"", !""}
!15 = !{!"a", !"b", !"c", !"d", !"e", !"f", !"g", !"h", !"i", !"image", !"sampler", !"pipe", !"queue", !"flat", !"ref", !"array", !"half", !"bytes"}
!16 = !{i32 2, i32 3, i32 4}
!17 = !{i32 8, i32 1, i32 1}
!18 = !{<4 x i32> poison, i32 1}
!19 = !{i8 poison, i32 0}
