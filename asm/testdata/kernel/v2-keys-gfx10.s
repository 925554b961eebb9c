// RUN amdgcn-amd-amdhsa gfx1010 - 2
// RUN amdgcn-amd-amdhsa gfx1030 - 2
// RUN amdgcn-amd-amdhsa gfx1012 -wavefrontsize32,+wavefrontsize64,+cumode 2
.amd_kernel_code_t
  enable_wgp_mode = 1
  enable_mem_ordered = 1
  enable_fwd_progress = 1
  enable_dx10_clamp = 1
.end_amd_kernel_code_t
.amd_kernel_code_t
.end_amd_kernel_code_t
