// c[i] = a[i] + b[i] for 32-bit floats, one work-item for each i, in work-groups
// of 64 work-items. Assemble for gfx900:
//
//	gfx as --mcpu=gfx900 vecadd.s
//
// or run it at once, on a = 0, 1, 2, … and b = 0.5, 0.5, …; print c:
//
//	gfx run --mcpu=gfx900 --kernel=vecadd --grid=256 --group=64 \
//	    --arg='buf:f32[256]=iota' --arg='buf:f32[256]=const(0.5)' \
//	    --arg='buf:f32[256]' --print=2:8 vecadd.s
//
// On entry s[0:1] holds the address of the kernel's arguments (a, b, c: three
// addresses), s2 the number of the work-group, and v0 that of the work-item in it.
	.text
	.globl	vecadd
	.p2align	8
	.type	vecadd,@function
vecadd:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_lshl_b32 s2, s2, 6
	v_add_u32_e32 v0, s2, v0
	v_lshlrev_b32_e32 v0, 2, v0             // i * 4: the offset of element i
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	global_load_dword v2, v0, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v2
	global_store_dword v0, v1, s[8:9]
	s_endpgm
.Lend:
	.size	vecadd, .Lend-vecadd

// What the command processor needs to start the kernel.
	.rodata
	.p2align	6
	.amdhsa_kernel vecadd
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
	.end_amdhsa_kernel

// What the runtime needs to launch it.
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - .name: vecadd
    .symbol: vecadd.kd
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
