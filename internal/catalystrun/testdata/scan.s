# Sums of all numbers up to each one, in local memory.
.amd
.include "common.inc"
.kernel scan
    .config
        .dims x
        .cws 256
        .arg dst, uint*, global
        .arg src, uint*, global, const
        .arg sums, uint*, local
        .userdata ptr_uav_table, 0, 2, 2
        .userdata imm_const_buffer, 1, 4, 4
    .text
        s_mov_b32 m0, 0x8000
        uav s[12:15], s[2:3], 12
        uav s[16:19], s[2:3], 13
        arg s20, s[4:7], 32
        s_lshl_b32 s21, s8, 10
        v_lshlrev_b32 v1, 2, v0
        add32 v2, s21, v1
        s_waitcnt lgkmcnt(0)
        add32 v1, s20, v1
        buffer_load_dword v3, v2, s[16:19], 0 offen
        s_waitcnt vmcnt(0)
        ds_write_b32 v1, v3
    .irp by, 1, 2, 4, 8, 16, 32, 64, 128
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_cmp_le_u32 vcc, \by, v0
        s_and_saveexec_b64 s[22:23], vcc
        sub32 v4, \by*4, v1
        ds_read_b32 v5, v4
        s_waitcnt lgkmcnt(0)
        add32 v3, v3, v5
        s_mov_b64 exec, s[22:23]
        s_barrier
        ds_write_b32 v1, v3
    .endr
        buffer_store_dword v3, v2, s[12:15], 0 offen
        s_endpgm
