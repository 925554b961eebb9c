# dst[i] = table[i & 3] * c[i & 7] with the global data and a constant pointer
.amd
.include "common.inc"
.globaldata
    .int 3, 5, 7, 11
.kernel constants
    .config
        .dims x
        .useconstdata
        .arg dst, uint*, global
        .arg c, uint*, constant
        .userdata ptr_uav_table, 0, 2, 2
        .userdata imm_const_buffer, 0, 4, 4
    .text
        uav s[12:15], s[2:3], 12
        uav s[16:19], s[2:3], 13
        uav s[20:23], s[2:3], 10
        s_buffer_load_dword s0, s[4:7], 32*step     # place of the global data
        s_buffer_load_dword s1, s[4:7], 4*step      # items of a group
        s_waitcnt lgkmcnt(0)
        s_mul_i32 s1, s1, s8
        add32 v0, s1, v0
        v_and_b32 v1, 3, v0
        v_and_b32 v2, 7, v0
        v_lshlrev_b32 v1, 2, v1
        v_lshlrev_b32 v2, 2, v2
        buffer_load_dword v3, v1, s[20:23], s0 offen
        buffer_load_dword v4, v2, s[16:19], 0 offen
        v_lshlrev_b32 v0, 2, v0
        s_waitcnt vmcnt(0)
        v_mul_lo_u32 v3, v3, v4
        buffer_store_dword v3, v0, s[12:15], 0 offen
        s_endpgm
