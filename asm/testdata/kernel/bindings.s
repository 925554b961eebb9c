// RUN amdgcn-amd-amdhsa gfx900 - 3 4 6
.text
.globl global
.weak weak
.local local
.globl hidden
.hidden hidden
.globl protected
.protected protected
.globl internal
.internal internal
global: weak: local: hidden: protected: internal: plain:
  s_endpgm
.data
.p2align 6
.amdhsa_kernel global
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel weak
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel local
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel hidden
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel protected
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel internal
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel plain
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel undefined
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
