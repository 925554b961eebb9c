// RUN amdgcn-amd-amdhsa gfx90a - 4 6
.amdhsa_kernel late
  .amdhsa_next_free_vgpr vgprs
  .amdhsa_next_free_sgpr max(3, sgprs)
  .amdhsa_accum_offset accum
  .amdhsa_tg_split one
.end_amdhsa_kernel
vgprs = 100
sgprs = or(9, 2)
accum = 64
one = 1
