// RUN amdgcn-amd-amdhsa gfx900 - 3 4 6
// RUN amdgcn-amd-amdhsa gfx90a - 6
// RUN amdgcn-amd-amdhsa gfx1103 - 5
.byte .amdgcn.gfx_generation_number, .amdgcn.gfx_generation_minor, .amdgcn.gfx_generation_stepping
.if .amdgcn.gfx_generation_number >= 10
  s_code_end
.else
  s_nop 1
.endif
.long .amdgcn.next_free_vgpr
v_mov_b32 v[254], v3
.long .amdgcn.next_free_vgpr, .amdgcn.next_free_sgpr
