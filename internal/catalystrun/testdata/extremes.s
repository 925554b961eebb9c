# Least, greatest, sum, all bits, 64-bit sum, and the largest number by exchange.
.amd
.include "common.inc"
.kernel extremes
    .config
        .dims x
        .arg out, uint*, global
        .arg src, uint*, global, const
        .userdata ptr_uav_table, 0, 2, 2
    .text
        uav s[8:11], s[2:3], 12
        uav s[12:15], s[2:3], 13
        s_lshl_b32 s5, s4, 6
        add32 v0, s5, v0
        v_lshlrev_b32 v0, 2, v0
        v_mov_b32 v1, 0
        v_mov_b32 v3, 0
        s_waitcnt lgkmcnt(0)
        buffer_load_dword v2, v0, s[12:15], 0 offen
        s_waitcnt vmcnt(0)
        buffer_atomic_umin v2, v1, s[8:11], 0 offen
        buffer_atomic_umax v2, v1, s[8:11], 0 offen offset:4
        buffer_atomic_add v2, v1, s[8:11], 0 offen offset:8
        buffer_atomic_or v2, v1, s[8:11], 0 offen offset:12
        buffer_atomic_add_x2 v[2:3], v1, s[8:11], 0 offen offset:16
        buffer_load_dword v5, v1, s[8:11], 0 offen offset:24 glc
        s_waitcnt vmcnt(0)
        s_mov_b64 s[6:7], exec
swap:                                       # while v5, the old value, is less than v2
        v_cmp_lt_u32 vcc, v5, v2
        s_and_b64 exec, exec, vcc
        s_cbranch_execz over
        s_waitcnt expcnt(0)
        v_mov_b32 v8, v2
        v_mov_b32 v9, v5
        buffer_atomic_cmpswap v[8:9], v1, s[8:11], 0 offen offset:24 glc
        s_waitcnt vmcnt(0)
        v_cmp_lg_u32 vcc, v8, v5
        s_and_b64 exec, exec, vcc           # these lost against another item
        v_mov_b32 v5, v8
        s_branch swap
over:   s_endpgm
