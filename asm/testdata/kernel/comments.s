// RUN amdgcn-amd-amdhsa gfx900 - 4 6
.amdhsa_kernel k // the name
  // nothing

  .amdhsa_next_free_vgpr 8 ; one
/* two */ .amdhsa_next_free_sgpr /* three */ 8
# four
  .amdhsa_ieee_mode (1 + 1) / 2 // five
.end_amdhsa_kernel // end
s_endpgm
