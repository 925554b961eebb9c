# volume = stack, rows = the first layer of stack, line = the first row of it
.amd
.include "common.inc"
.kernel shapes
    .config
        .dims xyz
        .cws 4, 4, 4
        .arg stack, image2d_array, read_only
        .arg volume, image3d, write_only
        .arg rows, image1d_array, write_only
        .arg line, image1d, write_only
        .userdata ptr_resource_table, 0, 0, 2
        .userdata ptr_uav_table, 0, 2, 2
    .text
        s_load_dwordx8 s[8:15], s[0:1], 0
        s_load_dwordx8 s[16:23], s[2:3], 0
        s_load_dwordx8 s[24:31], s[2:3], 8*step
        s_load_dwordx8 s[32:39], s[2:3], 16*step
        s_lshl_b32 s4, s4, 2
        s_lshl_b32 s5, s5, 2
        s_lshl_b32 s6, s6, 2
        add32 v0, s4, v0
        add32 v1, s5, v1
        add32 v2, s6, v2
        v_mov_b32 v3, 0
        s_waitcnt lgkmcnt(0)
        image_load v[4:7], v[0:3], s[8:15] dmask:15 unorm da
        s_waitcnt vmcnt(0)
        image_store v[4:7], v[0:3], s[16:23] dmask:15 unorm
        v_cmp_eq_u32 vcc, 0, v2
        s_and_b64 exec, exec, vcc
        s_cbranch_execz over
        image_store v[4:7], v[0:3], s[24:31] dmask:15 unorm da
        v_cmp_eq_u32 vcc, 0, v1
        s_and_b64 exec, exec, vcc
        s_cbranch_execz over
        image_store v[4:7], v[0:3], s[32:39] dmask:15 unorm
over:   s_endpgm
