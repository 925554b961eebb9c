# Each item writes sixteen numbers to scratch memory and reads one of them.
.amd
.include "common.inc"
.kernel turned
    .config
        .dims x
        .scratchbuffer 64
        .arg dst, uint*, global
        .arg pick, uint
        .userdata ptr_internal_global_table, 0, 0, 2
        .userdata ptr_uav_table, 0, 2, 2
        .userdata imm_const_buffer, 1, 4, 4
    .text
        s_load_dwordx4 s[12:15], s[0:1], 4*step
        uav s[16:19], s[2:3], 12
        arg s20, s[4:7], 16
        s_lshl_b32 s22, s8, 6
        s_mov_b32 s23, 0
        s_waitcnt lgkmcnt(0)
fill:
        v_mov_b32 v1, s23
        s_waitcnt expcnt(0)         # GCN 1.0 reads the data of stores later
        v_mul_u32_u24 v2, 3, v1
        v_lshlrev_b32 v3, 2, v1
        buffer_store_dword v2, v3, s[12:15], s9 offen
        s_add_u32 s23, s23, 1
        s_cmp_lt_u32 s23, 16
        s_cbranch_scc1 fill
        s_waitcnt vmcnt(0) & expcnt(0)
        add32 v1, s20, v0
        v_and_b32 v1, 15, v1
        v_lshlrev_b32 v1, 2, v1
        buffer_load_dword v2, v1, s[12:15], s9 offen
        add32 v0, s22, v0
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt vmcnt(0)
        buffer_store_dword v2, v0, s[16:19], 0 offen
        s_endpgm
