// RUN amdgcn-amd-amdhsa gfx1100 - 4 5 6
s_endpgm
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels: []
.end_amdgpu_metadata
s_nop 0
.section .note,"a",@note
.long 1
