// y[i] = a * x[i] + y[i] for 32-bit floats and i < n, one work-item for each i, in
// work-groups of 256 work-items. For gfx1030, in waves of 32.
//
// On entry s[0:1] holds the address of the kernel's arguments (x, y: addresses; a: a
// float; n: an integer), s2 the number of the work-group, and v0 that of the work-item
// in it.
	.text
	.globl	saxpy
	.p2align	8
	.type	saxpy,@function
saxpy:
	s_load_dwordx4 s[4:7], s[0:1], 0x0      // x in s[4:5], y in s[6:7]
	s_load_dwordx2 s[8:9], s[0:1], 0x10     // a in s8, n in s9
	v_lshl_add_u32 v0, s2, 8, v0            // i = group * 256 + item
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_u32_e32 vcc_lo, s9, v0         // the lanes with n > i
	s_and_saveexec_b32 s3, vcc_lo           // go on with these alone
	s_cbranch_execz .Ldone
	v_lshlrev_b32_e32 v0, 2, v0             // i * 4: the offset of element i
	global_load_dword v1, v0, s[4:5]
	global_load_dword v2, v0, s[6:7]
	s_waitcnt vmcnt(0)
	v_fmac_f32_e32 v2, s8, v1
	global_store_dword v0, v2, s[6:7]
.Ldone:
	s_endpgm
.Lend:
	.size	saxpy, .Lend-saxpy

// What the command processor needs to start the kernel.
	.rodata
	.p2align	6
	.amdhsa_kernel saxpy
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 24
		.amdhsa_wavefront_size32 1
		.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
	.end_amdhsa_kernel

// What the runtime needs to launch it.
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1030
amdhsa.kernels:
  - .name: saxpy
    .symbol: saxpy.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
    .args:
      - { .name: x, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
      - { .name: y, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: a, .size: 4, .offset: 16, .value_kind: by_value }
      - { .name: n, .size: 4, .offset: 20, .value_kind: by_value }
...
	.end_amdgpu_metadata
