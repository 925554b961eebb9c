// RUN amdgcn-amd-amdhsa gfx900 - 3 4 5 6
.text
.p2align 8
.amdhsa_kernel before
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel

before:
  s_endpgm
.p2align 8
.globl second
second:
  s_endpgm
.p2align 6
.amdhsa_kernel second
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
