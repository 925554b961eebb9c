; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

define amdgpu_kernel void @k1(ptr noalias noundef nonnull readonly align 16 captures(none) dereferenceable(64) %0, ptr dereferenceable_or_null(8) %1, i32 inreg signext range(i32 0, 10) %2) #0 !reqd_work_group_size !1 {
  ret void
}

define amdgpu_kernel void @k2() #1 {
  ret void
}

; Function Attrs: convergent noinline nounwind willreturn memory(argmem: read, inaccessiblemem: readwrite) alignstack(4) uwtable vscale_range(1,2)
define hidden void @k3() unnamed_addr #2 section "sec" align 64 gc "gc" personality ptr @k2 !prof !2 !reqd_work_group_size !1 !vec_type_hint !3 !work_group_size_hint !4 !intel_reqd_sub_group_size !5 {
  ret void
}

; Function Attrs: noinline optnone
define void @k4() #3 {
  ret void
}

; Function Attrs: alwaysinline inlinehint
define void @k5() #4 {
  ret void
}

declare fastcc zeroext i32 @k6()

attributes #0 = { "amdgpu-flat-work-group-size"="1,128" "amdgpu-unsafe-fp-atomics"="true" "amdgpu-waves-per-eu"="2" "uniform-work-group-size"="false" }
attributes #1 = { "amdgpu-flat-work-group-size"="32,64" "uniform-work-group-size"="true" }
attributes #2 = { convergent noinline nounwind willreturn memory(argmem: read, inaccessiblemem: readwrite) alignstack=4 uwtable vscale_range(1,2) "a"="b" "denormal-fp-math"="ieee" "denormal-fp-math-f32"="preserve-sign" "foo" "fp-contract"="fast" "frame-pointer"="all" "instrument-function-entry"="mcount" "instrument-function-exit"="mcount" "no-infs-fp-math"="true" "no-nans-fp-math"="false" "no-signed-zeros-fp-math"="true" "prefer-vector-width"="128" "reciprocal-estimates"="r" "target-cpu"="gfx900" "target-features"="+a,-b" "tune-cpu"="x" }
attributes #3 = { noinline optnone "aarch64_pstate_sm_enabled" }
attributes #4 = { alwaysinline inlinehint }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 64, i32 2, i32 1}
!2 = !{!"function_entry_count", i64 5}
!3 = !{<4 x i32> undef, i32 1}
!4 = !{i32 1, i32 2, i32 3}
!5 = !{i32 8}
