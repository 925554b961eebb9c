// RUN amdgcn-amd-amdhsa gfx1100 - 6
.section .text.k,"ax",@progbits
.globl k
.type k,@function
k: s_endpgm
.section .rodata.k,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.section ".amdgpu.kernels","aw"
.byte 1
.amdhsa_kernel "odd name"
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
