# Appends the odd numbers of src to dst and adds all numbers to a second counter.
.amd
.include "common.inc"
.kernel compact
    .config
        .dims x
        .cws 64
        .arg count, counter32
        .arg total, counter32
        .arg dst, uint*, global
        .arg src, uint*, global, const
        .userdata imm_gds_counter_range, 0, 0, 1
        .userdata ptr_uav_table, 0, 2, 2
    .text
        uav s[8:11], s[2:3], 12
        uav s[12:15], s[2:3], 13
        s_lshl_b32 s5, s4, 8
        v_lshlrev_b32 v1, 2, v0
        add32 v1, s5, v1
        s_mov_b32 m0, s0
        v_mov_b32 v7, 0
        s_waitcnt lgkmcnt(0)
        buffer_load_dword v2, v1, s[12:15], 0 offen
        s_waitcnt vmcnt(0)
        ds_add_u32 v7, v2 offset:4 gds
        v_and_b32 v4, 1, v2
        v_cmp_eq_u32 vcc, 1, v4
        s_waitcnt expcnt(0)         # GDS reads the mask and the data later
        s_and_saveexec_b64 s[6:7], vcc
        s_cbranch_execz none
        ds_append v5 gds
        v_mbcnt_lo_u32_b32 v6, exec_lo, 0
        v_mbcnt_hi_u32_b32 v6, exec_hi, v6
        s_waitcnt lgkmcnt(0)
        add32 v5, v5, v6
        v_lshlrev_b32 v5, 2, v5
        buffer_store_dword v2, v5, s[8:11], 0 offen
none:   s_endpgm
