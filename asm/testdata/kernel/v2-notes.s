// RUN amdgcn-amd-amdhsa gfx803 - 2
// RUN amdgcn-amd-amdhsa gfx900 +xnack 2
// RUN amdgcn-amd-amdhsa gfx700 - 2
.hsa_code_object_version 2,1
.hsa_code_object_isa
.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
.hsa_code_object_isa 1+1,2,0x3,"A","BCD"
.hsa_code_object_version 0xffffffff, 0
s_endpgm
