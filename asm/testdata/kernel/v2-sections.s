// RUN amdgcn-amd-amdhsa gfx803 - 2
.hsatext
.p2align 8
.amdgpu_hsa_kernel k
k:
s_endpgm
.hsadata_global_agent
.long 1
.hsadata_global_program
.long 2
.hsarodata_readonly_agent
.long 3
.hsatext
s_nop 0
