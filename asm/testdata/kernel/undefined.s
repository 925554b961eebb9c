// RUN amdgcn-amd-amdhsa gfx900 - 4 6
.amdhsa_kernel elsewhere
  .amdhsa_group_segment_fixed_size lds_size
  .amdhsa_private_segment_fixed_size stack_size+16
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
