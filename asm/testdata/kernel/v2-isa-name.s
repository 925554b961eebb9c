// RUN amdgcn-amd-amdhsa gfx803 - 2
.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"
s_endpgm
