// RUN amdgcn-amd-amdhsa gfx900 - 4 6
.macro kernel name, vgprs=4, args:vararg
.globl \name
\name:
  s_endpgm
.pushsection .rodata.kd,"a"
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr \vgprs
  .amdhsa_next_free_sgpr 10
  \args
.end_amdhsa_kernel
.popsection
.endm
kernel one
kernel two, 9
kernel three, 25, .amdhsa_ieee_mode 0
