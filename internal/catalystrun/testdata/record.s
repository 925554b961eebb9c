# Each wave writes a record of two dwords to the data of printf.
.amd
.include "common.inc"
.kernel record
    .config
        .dims x
        .useprintf
        .arg value, uint
        .userdata imm_uav, 9, 0, 4
        .userdata imm_const_buffer, 1, 4, 4
    .text
        arg s9, s[4:7], 0
        s_mov_b64 exec, 1
        v_mov_b32 v0, 12
        v_mov_b32 v1, 0
        s_waitcnt lgkmcnt(0)
        buffer_atomic_add v0, v1, s[0:3], 0 offen glc
        v_mov_b32 v2, 1
        v_mov_b32 v3, s9
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[2:3], v0, s[0:3], 0 offen offset:4
        s_endpgm
