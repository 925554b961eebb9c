# Sum of a wave's numbers by exchanges between lanes.
.amd
.include "common.inc"
.kernel wavesum
    .config
        .dims x
        .cws 64
        .arg dst, uint*, global
        .arg src, uint*, global, const
        .userdata ptr_uav_table, 0, 2, 2
    .text
        uav s[8:11], s[2:3], 12
        uav s[12:15], s[2:3], 13
        s_lshl_b32 s0, s4, 8
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt lgkmcnt(0)
        buffer_load_dword v1, v0, s[12:15], s0 offen
        s_waitcnt vmcnt(0)
    .irp by, 1, 2, 4, 8, 16
        ds_swizzle_b32 v2, v1 offset:0x1f | \by << 10
        s_waitcnt lgkmcnt(0)
        add32 v1, v1, v2
    .endr
        s_nop 1
        v_readlane_b32 s0, v1, 0
        v_readlane_b32 s1, v1, 32
        s_add_u32 s0, s0, s1
        s_lshl_b32 s2, s4, 2
        v_mov_b32 v0, s2
        v_mov_b32 v1, s0
        s_mov_b64 exec, 1
        buffer_store_dword v1, v0, s[8:11], 0 offen
        s_endpgm
