// RUN amdgcn-amd-amdhsa gfx600 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx602 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx701 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx802 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx810 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx904 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx908 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx909 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1013 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1036 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1103 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1153 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1201 - 4 5 6
// RUN amdgcn-amd-amdhsa gfx9-generic - 6
// RUN amdgcn-amd-amdhsa gfx10-1-generic - 6
// RUN amdgcn-amd-amdhsa gfx10-3-generic - 6
// RUN amdgcn-amd-amdhsa gfx600 - 3
// RUN amdgcn-amd-amdhsa gfx700 - 3
// RUN amdgcn-amd-amdhsa gfx801 - 3
// RUN amdgcn-amd-amdhsa gfx900 - 3
// RUN amdgcn-amd-amdhsa gfx906 - 3
.globl k
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 3
  .amdhsa_next_free_sgpr 5
.end_amdhsa_kernel
