// RUN amdgcn-amd-amdhsa gfx700 - 2
// RUN amdgcn-amd-amdhsa gfx803 - 2
// RUN amdgcn-amd-amdhsa gfx900 - 2
// RUN amdgcn-mesa-mesa3d gfx900 - 6
// RUN amdgcn-- gfx600 - 6
// RUN amdgcn-amd-amdpal gfx90a - 6
k:
.amd_kernel_code_t
  amd_code_version_major = 2596069105
  amd_code_version_minor = 2596069182
  amd_machine_kind = 57227
  amd_machine_version_major = 57304
  amd_machine_version_minor = 57381
  amd_machine_version_stepping = 57458
  kernel_code_entry_byte_offset = 1311768467463790783
  kernel_code_prefetch_byte_size = 1311768467463790860
  max_scratch_backing_memory_byte_size = 1311768467463790937
  granulated_workitem_vgpr_count = 38
  granulated_wavefront_sgpr_count = 3
  priority = 0
  float_mode = 141
  priv = 0
  enable_dx10_clamp = 1
  debug_mode = 0
  enable_ieee_mode = 1
  enable_wgp_mode = 0
  enable_mem_ordered = 0
  enable_fwd_progress = 0
  enable_sgpr_private_segment_wave_byte_offset = 1
  user_sgpr_count = 2
  enable_trap_handler = 1
  enable_sgpr_workgroup_id_x = 0
  enable_sgpr_workgroup_id_y = 1
  enable_sgpr_workgroup_id_z = 0
  enable_sgpr_workgroup_info = 1
  enable_vgpr_workitem_id = 0
  enable_exception_msb = 1
  granulated_lds_size = 426
  enable_exception = 119
  enable_sgpr_private_segment_buffer = 0
  enable_sgpr_dispatch_ptr = 1
  enable_sgpr_queue_ptr = 0
  enable_sgpr_kernarg_segment_ptr = 1
  enable_sgpr_dispatch_id = 0
  enable_sgpr_flat_scratch_init = 1
  enable_sgpr_private_segment_size = 0
  enable_sgpr_grid_workgroup_count_x = 1
  enable_sgpr_grid_workgroup_count_y = 0
  enable_sgpr_grid_workgroup_count_z = 1
  enable_wavefront_size32 = 0
  enable_ordered_append_gds = 1
  private_element_size = 0
  is_ptr64 = 1
  is_dynamic_callstack = 0
  is_debug_enabled = 1
  is_xnack_enabled = 0
  workitem_private_segment_byte_size = 2596072801
  workgroup_group_segment_byte_size = 2596072878
  gds_segment_byte_size = 2596072955
  kernarg_segment_byte_size = 1311768467463794248
  workgroup_fbarrier_count = 2596073109
  wavefront_sgpr_count = 61154
  workitem_vgpr_count = 61231
  reserved_vgpr_first = 61308
  reserved_vgpr_count = 61385
  reserved_sgpr_first = 61462
  reserved_sgpr_count = 61539
  debug_wavefront_private_segment_offset_sgpr = 61616
  debug_private_segment_buffer_sgpr = 61693
  kernarg_segment_alignment = 74
  group_segment_alignment = 151
  private_segment_alignment = 228
  wavefront_size = 6
  call_convention = -1
  runtime_loader_kernel_symbol = 1311768467463795403
.end_amd_kernel_code_t
