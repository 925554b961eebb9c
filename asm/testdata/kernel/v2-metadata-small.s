// RUN amdgcn-amd-amdhsa gfx700 - 2
.amd_amdgpu_hsa_metadata
Version: [1, 0]
.end_amd_amdgpu_hsa_metadata
s_endpgm
