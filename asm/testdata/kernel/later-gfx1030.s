// RUN amdgcn-amd-amdhsa gfx1030 - 4 6
// RUN amdgcn-amd-amdhsa gfx1030 +wavefrontsize64 6
// RUN amdgcn-amd-amdhsa gfx1150 - 6
.amdhsa_kernel wave32
  .amdhsa_next_free_vgpr vgprs
  .amdhsa_next_free_sgpr sgprs
  .amdhsa_wavefront_size32 1
  .amdhsa_workgroup_processor_mode one-1
  .amdhsa_memory_ordered one
.end_amdhsa_kernel
.amdhsa_kernel wave64
  .amdhsa_next_free_vgpr vgprs
  .amdhsa_next_free_sgpr sgprs
  .amdhsa_wavefront_size32 0
.end_amdhsa_kernel
vgprs = 100
sgprs = 9
one = 1
