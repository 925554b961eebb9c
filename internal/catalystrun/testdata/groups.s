# The first item of each group writes its group, the waves of the group, and the
# sizes of the dispatch.
.amd
.include "common.inc"
.kernel groups
    .config
        .dims xyz
        .tgsize
        .arg dst, uint8*, global
        .userdata ptr_uav_table, 0, 0, 2
        .userdata imm_const_buffer, 0, 4, 4
    .text
        # s[8:10] are the ids of the group, s11 has its size
        uav s[12:15], s[0:1], 12
        s_buffer_load_dwordx2 s[16:17], s[4:7], 8*step      # groups in x and y
        s_buffer_load_dword s18, s[4:7], 3*step             # dimensions
        s_buffer_load_dword s19, s[4:7], 24*step            # offset in x
        s_buffer_load_dword s20, s[4:7], 2*step             # size in z
        v_or_b32 v0, v0, v1
        v_or_b32 v0, v0, v2
        v_cmp_eq_u32 vcc, 0, v0
        s_waitcnt lgkmcnt(0)
        s_and_b64 exec, exec, vcc
        s_mul_i32 s21, s10, s17
        s_add_u32 s21, s21, s9
        s_mul_i32 s21, s21, s16
        s_add_u32 s21, s21, s8
        s_lshl_b32 s21, s21, 5
        s_and_b32 s11, s11, 63
        v_mov_b32 v0, s21
    .irp n, 8, 9, 10, 11
        v_mov_b32 v[\n-6], s\n
    .endr
    .irp n, 17, 18, 19, 20
        v_mov_b32 v[\n-11], s\n
    .endr
        buffer_store_dwordx4 v[2:5], v0, s[12:15], 0 offen
        buffer_store_dwordx4 v[6:9], v0, s[12:15], 0 offen offset:16
        s_endpgm
