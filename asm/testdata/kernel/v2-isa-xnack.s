// RUN amdgcn-amd-amdhsa gfx900 +xnack 2
.amdgcn_target "amdgcn-amd-amdhsa--gfx901"
.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx901"
