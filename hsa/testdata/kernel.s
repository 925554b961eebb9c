// A kernel with an argument of each kind, and variables that are relocated.
	.text
	.globl	test
	.p2align	8
	.type	test,@function
test:
	s_endpgm
.Ltest_end:
	.size	test, .Ltest_end-test

	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel test
		.amdhsa_group_segment_fixed_size 20
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_kernarg_size 344
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel

	.data
	.globl	counter
	.type	counter,@object
	.p2align	3
counter:
	.quad	42
	.size	counter, 8

	.globl	table
	.type	table,@object
	.p2align	3
table:
	.quad	counter
	.quad	counter+4
	.quad	local
	.quad	outside
	.size	table, 32

local:
	.quad	7

	.weak	outside
	.globl	zeros
	.type	zeros,@object
	.bss
	.p2align	4
zeros:
	.zero	64
	.size	zeros, 64

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: test
    .symbol: test.kd
    .kernarg_segment_size: 344
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 20
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: n, .offset: 8, .size: 4, .value_kind: by_value}
      - {.name: x, .offset: 12, .size: 2, .value_kind: by_value}
      - {.name: l, .offset: 16, .size: 4, .value_kind: dynamic_shared_pointer, .pointee_align: 8, .address_space: local}
      - {.name: m, .offset: 20, .size: 4, .value_kind: dynamic_shared_pointer, .pointee_align: 16, .address_space: local}
      - {.name: s, .offset: 24, .size: 16, .value_kind: by_value}
      - {.offset: 40, .size: 4, .value_kind: hidden_block_count_x}
      - {.offset: 44, .size: 4, .value_kind: hidden_block_count_y}
      - {.offset: 48, .size: 4, .value_kind: hidden_block_count_z}
      - {.offset: 52, .size: 2, .value_kind: hidden_group_size_x}
      - {.offset: 54, .size: 2, .value_kind: hidden_group_size_y}
      - {.offset: 56, .size: 2, .value_kind: hidden_group_size_z}
      - {.offset: 58, .size: 2, .value_kind: hidden_remainder_x}
      - {.offset: 60, .size: 2, .value_kind: hidden_remainder_y}
      - {.offset: 62, .size: 2, .value_kind: hidden_remainder_z}
      - {.offset: 80, .size: 8, .value_kind: hidden_global_offset_x}
      - {.offset: 88, .size: 8, .value_kind: hidden_global_offset_y}
      - {.offset: 96, .size: 8, .value_kind: hidden_global_offset_z}
      - {.offset: 104, .size: 2, .value_kind: hidden_grid_dims}
      - {.offset: 120, .size: 8, .value_kind: hidden_hostcall_buffer}
      - {.offset: 160, .size: 4, .value_kind: hidden_dynamic_lds_size}
      - {.offset: 232, .size: 4, .value_kind: hidden_private_base}
      - {.offset: 236, .size: 4, .value_kind: hidden_shared_base}
      - {.offset: 240, .size: 8, .value_kind: hidden_queue_ptr}
...
	.end_amdgpu_metadata
