// A kernel with a mistake: it adds the loaded elements before the loads are
// complete. The check of "gfx run" reports it:
//
//	gfx run --check=wait missing-wait.s
//
// gfx run: --mcpu=gfx900 --grid=64 --group=64
// gfx run: --arg='buf:f32[64]=iota' --arg='buf:f32[64]=const(0.5)' --arg='buf:f32[64]'
	.text
	.globl	add
	.p2align	8
	.type	add,@function
add:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_lshlrev_b32_e32 v0, 2, v0             // the offset of the work-item's element
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	global_load_dword v2, v0, s[6:7]
	v_add_f32_e32 v1, v1, v2                // s_waitcnt vmcnt(0) is missing before it
	global_store_dword v0, v1, s[8:9]
	s_endpgm
.Lend:
	.size	add, .Lend-add

	.rodata
	.p2align	6
	.amdhsa_kernel add
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
    .args:
      - { .name: a, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
      - { .name: b, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: c, .size: 8, .offset: 16, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
