# Writes the dwords of an image's argument.
.amd
.include "common.inc"
.kernel formats
    .config
        .dims x
        .arg dst, uint*, global
        .arg src, image2d_array, read_only
        .userdata ptr_uav_table, 0, 2, 2
        .userdata ptr_const_buffer_table, 0, 4, 2
    .text
        uav s[8:11], s[2:3], 12
        s_load_dwordx4 s[12:15], s[4:5], 4*step
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dword v1, v0, s[12:15], 0 offen offset:16
        s_waitcnt vmcnt(0)
        buffer_store_dword v1, v0, s[8:11], 0 offen
        s_endpgm
