// RUN amdgcn-amd-amdhsa gfx900 - 4 6
start:
  s_nop 0
  s_endpgm
end:
.amdhsa_kernel distance
  .amdhsa_group_segment_fixed_size end-start
  .amdhsa_private_segment_fixed_size far-end
  .amdhsa_next_free_vgpr end-start
  .amdhsa_next_free_sgpr (end-start)*2+1
  .amdhsa_fp16_overflow (end-start) == 9
.end_amdhsa_kernel
far:
