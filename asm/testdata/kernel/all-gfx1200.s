// RUN amdgcn-amd-amdhsa gfx1200 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx12-generic +wavefrontsize64 6
.text
.globl all
.p2align 8
.type all,@function
all:
  s_endpgm
.Lend:
.size all, .Lend-all

.section .rodata,"a"
.p2align 6
.amdhsa_kernel all
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_private_segment_fixed_size 64
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_queue_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_dispatch_id 1
  .amdhsa_user_sgpr_private_segment_size 1
  .amdhsa_system_sgpr_workgroup_id_x 0
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_system_sgpr_workgroup_info 1
  .amdhsa_system_vgpr_workitem_id 2
  .amdhsa_float_round_mode_32 1
  .amdhsa_float_round_mode_16_64 2
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_float_denorm_mode_16_64 0
  .amdhsa_exception_fp_ieee_invalid_op 1
  .amdhsa_exception_fp_denorm_src 1
  .amdhsa_exception_fp_ieee_div_zero 1
  .amdhsa_exception_fp_ieee_overflow 1
  .amdhsa_exception_fp_ieee_underflow 1
  .amdhsa_exception_fp_ieee_inexact 1
  .amdhsa_exception_int_div_zero 1
  .amdhsa_reserve_vcc 0
  .amdhsa_workgroup_processor_mode 0
  .amdhsa_memory_ordered 0
  .amdhsa_forward_progress 1
  .amdhsa_fp16_overflow 1
  .amdhsa_enable_private_segment 1
  .amdhsa_inst_pref_size 255
  .amdhsa_round_robin_scheduling 1
  .amdhsa_next_free_vgpr 37
  .amdhsa_next_free_sgpr 41
.end_amdhsa_kernel
