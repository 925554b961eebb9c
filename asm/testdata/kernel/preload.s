// RUN amdgcn-amd-amdhsa gfx90a - 4 6
// RUN amdgcn-amd-amdhsa gfx942 - 4 5 6
.amdhsa_kernel preload
.amdhsa_next_free_vgpr 8
.amdhsa_next_free_sgpr 2
.amdhsa_accum_offset 4
.amdhsa_kernarg_size 64
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_user_sgpr_kernarg_preload_length 10
.amdhsa_user_sgpr_kernarg_preload_offset 3
.end_amdhsa_kernel
