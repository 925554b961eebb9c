// RUN amdgcn-amd-amdpal gfx1030 - 6
.amd_amdgpu_isa "amdgcn-amd-amdpal--gfx1030"
.amdgcn_target "amdgcn-amd-amdpal--gfx1030"
