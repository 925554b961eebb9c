// RUN amdgcn-amd-amdhsa gfx803 - 2
// RUN amdgcn-amd-amdhsa gfx900 - 2
.amdgpu_hsa_kernel one
.globl one
one:
.byte .option.machine_version_major, .option.machine_version_minor, .option.machine_version_stepping
v_mov_b32 v7, s9
.byte .kernel.vgpr_count, .kernel.sgpr_count
.amdgpu_hsa_kernel two
.byte .kernel.vgpr_count, .kernel.sgpr_count
two:
v_mov_b32 v2, s1
.byte .kernel.vgpr_count, .kernel.sgpr_count
.amdgpu_hsa_kernel undefined
.long undefined
