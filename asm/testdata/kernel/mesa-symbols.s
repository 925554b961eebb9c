// RUN amdgcn-mesa-mesa3d gfx900 - 6
// RUN amdgcn-- gfx90a - 6
.byte .option.machine_version_major, .option.machine_version_minor, .option.machine_version_stepping
v_mov_b32 v7, s9
.byte .kernel.vgpr_count, .kernel.sgpr_count
.amdgpu_hsa_kernel two
.byte .kernel.vgpr_count, .kernel.sgpr_count
