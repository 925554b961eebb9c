# Reads a picture with the sampler of an argument and with two of the program:
# normalized, clamp to edge, linear; in texels, clamp, nearest.
.amd
.include "common.inc"
.kernel blend
    .config
        .dims xy
        .cws 8, 8
        .arg src, image2d, read_only
        .arg dst, image2d, write_only
        .arg smp, sampler
        .sampler 0x25, 0x16
        .userdata ptr_resource_table, 0, 2, 2
        .userdata ptr_sampler_table, 0, 4, 2
        .userdata ptr_uav_table, 0, 6, 2
        .userdata imm_const_buffer, 1, 8, 4
    .text
        s_load_dwordx8 s[16:23], s[2:3], 0
        s_load_dwordx4 s[24:27], s[4:5], 0
        s_load_dwordx4 s[28:31], s[4:5], 4*step
        s_load_dwordx4 s[40:43], s[4:5], 8*step
        s_load_dwordx8 s[32:39], s[6:7], 0
        arg s14, s[8:11], 64                # the value of the sampler
        s_lshl_b32 s12, s12, 3
        s_lshl_b32 s13, s13, 3
        add32 v0, s12, v0
        add32 v1, s13, v1
        v_cvt_f32_u32 v4, v0
        v_cvt_f32_u32 v5, v1
        v_mul_f32 v8, 0.5, v4               # in texels
        v_sub_f32 v9, v5, 2.0
        v_mov_b32 v2, 0x3d800000            # 1/16 of the size
        v_mul_f32 v4, v4, v2
        v_mul_f32 v5, v5, v2
        v_mov_b32 v6, 0
        v_mov_b32 v7, 0
        v_mov_b32 v10, 0
        v_mov_b32 v11, 0
        s_waitcnt lgkmcnt(0)
        image_sample_lz v[12:15], v[4:7], s[16:23], s[24:27] dmask:15
        image_sample_l v[16:19], v[4:7], s[16:23], s[28:31] dmask:15
        image_sample_lz v[20:23], v[8:11], s[16:23], s[40:43] dmask:15
        v_cvt_f32_u32 v24, s14
        s_waitcnt vmcnt(0)
    .irpc c, 0123
        v_add_f32 v[12+\c], v[12+\c], v[16+\c]
        v_add_f32 v[12+\c], v[12+\c], v[20+\c]
    .endr
        v_add_f32 v15, v15, v24
        v_mov_b32 v2, 0
        v_mov_b32 v3, 0
        image_store v[12:15], v[0:3], s[32:39] dmask:15 unorm
        s_endpgm
