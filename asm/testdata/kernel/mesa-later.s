// RUN amdgcn-mesa-mesa3d gfx900 - 6
// RUN amdgcn-amd-amdpal gfx803 - 6
.amdgpu_hsa_kernel k
k:
.amd_kernel_code_t
  granulated_workitem_vgpr_count = vgprs
  granulated_wavefront_sgpr_count = sgprs-1
  float_mode = 240
  enable_ieee_mode = one
  user_sgpr_count = sgprs
  enable_sgpr_workgroup_id_x = one
  is_dynamic_callstack = one
  is_ptr64 = 1
  workitem_private_segment_byte_size = stack
  wavefront_sgpr_count = sgprs
  workitem_vgpr_count = vgprs
.end_amd_kernel_code_t
s_endpgm
vgprs = 9
sgprs = 12
one = 1
stack = 0x10000
