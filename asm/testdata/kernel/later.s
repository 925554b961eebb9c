// RUN amdgcn-amd-amdhsa gfx900 - 4 5 6
.globl late
.p2align 6
.amdhsa_kernel late
  .amdhsa_group_segment_fixed_size lds+4
  .amdhsa_private_segment_fixed_size stack
  .amdhsa_next_free_vgpr vgprs
  .amdhsa_next_free_sgpr sgprs
  .amdhsa_reserve_vcc yes
  .amdhsa_reserve_flat_scratch no
  .amdhsa_float_round_mode_32 mode
  .amdhsa_float_denorm_mode_16_64 mode-1
  .amdhsa_ieee_mode no
  .amdhsa_fp16_overflow yes
  .amdhsa_system_vgpr_workitem_id mode
  .amdhsa_exception_int_div_zero yes
  .amdhsa_uses_dynamic_stack yes
.end_amdhsa_kernel
.set lds, 100
stack = vgprs*4
vgprs = 33
sgprs = vgprs+7
yes = 1
no = 0
mode = 2
