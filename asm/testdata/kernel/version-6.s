// RUN amdgcn-amd-amdhsa gfx900 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx9-generic - 6
.amdhsa_code_object_version 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
