// RUN amdgcn-amd-amdhsa gfx900 - 3 4 6
.text
a:
  v_add_f32 v5, v17, v2
  s_mov_b64 s[20:21], 0
  s_endpgm
.section .rodata,"a"
.p2align 6
.amdhsa_kernel a
  .amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
  .amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
.end_amdhsa_kernel

.set .amdgcn.next_free_vgpr, 0
.set .amdgcn.next_free_sgpr, 0
.text
b:
  v_mov_b32 v1, s33
  s_endpgm
.section .rodata
.amdhsa_kernel b
  .amdhsa_next_free_vgpr .amdgcn.next_free_vgpr+1
  .amdhsa_next_free_sgpr .amdgcn.next_free_sgpr*2
.end_amdhsa_kernel
