// Embosses a picture: each texel of the result is 0.5 plus the difference of the
// texels up left and down right of it in the source. A work-item computes one
// texel, in work-groups of 16 by 16. On a PNG file:
//
//	gfx run --arg=image:emboss.png --arg=image:out.png,width=96,height=64 \
//	    --arg=sampler:nearest,clamp-to-edge,unnormalized emboss.s
//
// gfx run: --mcpu=gfx900 --grid=96,64 --group=16,16
//
// On entry s[0:1] holds the address of the kernel's arguments (source, result and
// sampler: three addresses of objects), s2 and s3 the numbers of the work-group,
// and v0 and v1 the numbers of the work-item in it.
	.text
	.globl	emboss
	.p2align	8
	.type	emboss,@function
emboss:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	s_lshl_b32 s2, s2, 4
	s_lshl_b32 s3, s3, 4
	v_add_u32_e32 v0, s2, v0
	v_add_u32_e32 v1, s3, v1
	s_waitcnt lgkmcnt(0)
	s_load_dwordx8 s[16:23], s[4:5], 0x0    // resource of the source
	s_load_dwordx8 s[24:31], s[6:7], 0x0    // resource of the result
	s_load_dwordx4 s[12:15], s[8:9], 0x0    // sampler
	v_cvt_f32_u32_e32 v2, v0
	v_cvt_f32_u32_e32 v3, v1
	v_add_f32_e32 v4, 0x3fc00000, v2        // 1.5: the centre of the next texel
	v_add_f32_e32 v5, 0x3fc00000, v3
	v_add_f32_e32 v2, -0.5, v2              // the centre of the previous texel
	v_add_f32_e32 v3, -0.5, v3
	s_waitcnt lgkmcnt(0)
	image_sample_lz v[8:11], v[2:3], s[16:23], s[12:15] dmask:0xf
	image_sample_lz v[12:15], v[4:5], s[16:23], s[12:15] dmask:0xf
	s_waitcnt vmcnt(0)
	v_sub_f32_e32 v8, v8, v12
	v_sub_f32_e32 v9, v9, v13
	v_sub_f32_e32 v10, v10, v14
	v_add_f32_e32 v8, 0.5, v8
	v_add_f32_e32 v9, 0.5, v9
	v_add_f32_e32 v10, 0.5, v10
	v_mov_b32_e32 v11, 1.0
	image_store v[8:11], v[0:1], s[24:31] dmask:0xf unorm // nothing outside the image
	s_endpgm
.Lend:
	.size	emboss, .Lend-emboss

	.rodata
	.p2align	6
	.amdhsa_kernel emboss
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_kernarg_size 24
		.amdhsa_next_free_vgpr .amdgcn.next_free_vgpr
		.amdhsa_next_free_sgpr .amdgcn.next_free_sgpr
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - .name: emboss
    .symbol: emboss.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 16
    .max_flat_workgroup_size: 256
    .args:
      - { .name: source, .size: 8, .offset: 0, .value_kind: image, .type_name: image2d_t, .access: read_only }
      - { .name: result, .size: 8, .offset: 8, .value_kind: image, .type_name: image2d_t, .access: write_only }
      - { .name: sampler, .size: 8, .offset: 16, .value_kind: sampler, .type_name: sampler_t }
...
	.end_amdgpu_metadata
