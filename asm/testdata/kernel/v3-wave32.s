// RUN amdgcn-amd-amdhsa gfx1010 - 3
// RUN amdgcn-amd-amdhsa gfx1030 - 3
.amdhsa_kernel k
  .amdhsa_wavefront_size32 1
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 99
.end_amdhsa_kernel
