// RUN amdgcn-amd-amdhsa gfx90a - 4 5 6
// RUN amdgcn-amd-amdhsa gfx1030 - 6
s_endpgm
.amdhsa_code_object_version 4
