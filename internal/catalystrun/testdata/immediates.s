# Image, sampler and UAV are in registers.
.amd
.include "common.inc"
.kernel immediates
    .config
        .dims x
        .arg src, image2d, read_only
        .arg smp, sampler
        .arg dst, float4*, global
        .userdata imm_resource, 0, 0, 8
        .userdata imm_sampler, 0, 8, 4
        .userdata imm_uav, 12, 12, 4
    .text
        v_cvt_f32_u32 v4, v0
        v_add_f32 v4, 0.5, v4
        v_mul_f32 v5, 0.5, v4
        v_mov_b32 v6, 0
        v_mov_b32 v7, 0
        image_sample_lz v[8:11], v[4:7], s[0:7], s[8:11] dmask:15
        v_lshlrev_b32 v0, 4, v0
        s_waitcnt vmcnt(0)
        buffer_store_dwordx4 v[8:11], v0, s[12:15], 0 offen
        s_endpgm
