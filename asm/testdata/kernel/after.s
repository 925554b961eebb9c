// RUN amdgcn-amd-amdhsa gfx900 - 4 6
// the binding is the kernel's at its descriptor
.section .rodata,"a"
.p2align 6
.amdhsa_kernel late
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel soft
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel

.globl late
.weak soft
.text
late:
soft:
s_endpgm
