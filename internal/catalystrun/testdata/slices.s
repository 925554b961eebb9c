# stack[x, y, z] = volume[x, y, z] + line[x] + table[y]
.amd
.include "common.inc"
.kernel slices
    .config
        .dims xyz
        .cws 8, 8, 1
        .arg volume, image3d, read_only
        .arg line, image1d, read_only
        .arg table, image1d_buffer, read_only
        .arg stack, image2d_array, write_only
        .userdata ptr_resource_table, 0, 2, 2
        .userdata ptr_uav_table, 0, 4, 2
        .userdata imm_const_buffer, 1, 8, 4
    .text
        s_load_dwordx8 s[16:23], s[2:3], 0
        s_load_dwordx8 s[24:31], s[2:3], 8*step
        s_load_dwordx4 s[32:35], s[2:3], 16*step
        s_load_dwordx8 s[40:47], s[4:5], 0
        s_buffer_load_dwordx2 s[36:37], s[8:11], 0      # width, height
        s_buffer_load_dword s38, s[8:11], 2*step        # depth
        s_lshl_b32 s12, s12, 3
        s_lshl_b32 s13, s13, 3
        add32 v0, s12, v0
        add32 v1, s13, v1
        add32 v2, s14, v2
        s_waitcnt lgkmcnt(0)
        v_cmp_gt_u32 vcc, s36, v0
        v_cmp_gt_u32 s[48:49], s37, v1
        s_and_b64 vcc, vcc, s[48:49]
        v_cmp_gt_u32 s[48:49], s38, v2
        s_and_b64 vcc, vcc, s[48:49]
        s_and_saveexec_b64 s[48:49], vcc
        s_cbranch_execz outside
        v_mov_b32 v3, 0
        image_load v[4:7], v[0:3], s[16:23] dmask:15 unorm
        image_load v[8:11], v[0:3], s[24:31] dmask:15 unorm
        buffer_load_format_xyzw v[12:15], v1, s[32:35], 0 idxen
        s_waitcnt vmcnt(0)
    .irpc c, 0123
        v_add_f32 v[4+\c], v[4+\c], v[8+\c]
        v_add_f32 v[4+\c], v[4+\c], v[12+\c]
    .endr
        image_store v[4:7], v[0:3], s[40:47] dmask:15 unorm da
outside:
        s_endpgm
