# Copies with flat instructions: the arguments are addresses.
.amd
.64bit
.include "common.inc"
.kernel flatcopy
    .config
        .dims x
        .arg dst, uint4*, global
        .arg src, uint4*, global, const
        .userdata imm_const_buffer, 1, 4, 4
    .text
        s_buffer_load_dwordx2 s[0:1], s[4:7], 0
        s_buffer_load_dwordx2 s[2:3], s[4:7], 4*step
        s_lshl_b32 s9, s8, 10
        v_lshlrev_b32 v0, 4, v0
        v_or_b32 v0, s9, v0
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v2, s3
        add32 v1, s2, v0
        v_addc_u32 v2, vcc, v2, 0, vcc
        flat_load_dwordx4 v[4:7], v[1:2]
        v_mov_b32 v9, s1
        add32 v8, s0, v0
        v_addc_u32 v9, vcc, v9, 0, vcc
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        flat_store_dwordx4 v[8:9], v[4:7]
        s_endpgm
