// RUN amdgcn-amd-amdhsa gfx803 - 2
// RUN amdgcn-- gfx803 - 6
.amd_kernel_code_t
.end_amd_kernel_code_t
.amd_kernel_code_t // again

  is_ptr64 = 1 // yes
  /* no */ is_ptr64 = 0

  enable_sgpr_kernarg_segment_ptr = 1 + 0 ; here
  max_scratch_backing_memory_byte_size = anything at all
  workitem_vgpr_count = .kernel.vgpr_count + 3
  granulated_workitem_vgpr_count = 300
.end_amd_kernel_code_t
