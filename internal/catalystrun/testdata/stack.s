# Numbers pass through scratch memory whose descriptor is in registers; a ticket
# for each item comes from region memory behind a counter.
.amd
.include "common.inc"
.kernel tickets
    .config
        .dims x
        .scratchbuffer 8
        .hwregion 64
        .arg done, counter32
        .arg dst, uint2*, global
        .userdata imm_scratch_buffer, 0, 0, 4
        .userdata ptr_uav_table, 0, 4, 2
        .userdata imm_gds_memory_range, 0, 6, 1
        .userdata imm_gds_counter_range, 0, 7, 1
        .userdata imm_gws_base, 0, 8, 1
    .text
        # s9 is the group, s10 the place of the wave's scratch memory
        uav s[12:15], s[4:5], 12
        s_lshl_b32 s11, s9, 6
        add32 v0, s11, v0
        v_mov_b32 v1, 4
        buffer_store_dword v0, v1, s[0:3], s10 offen
        s_mov_b32 m0, s6
        v_mov_b32 v2, 1
        v_mov_b32 v3, 8
        ds_add_rtn_u32 v5, v3, v2 gds
        s_mov_b32 m0, s7
        v_mov_b32 v6, 0
        ds_add_u32 v6, v2 gds
        s_waitcnt vmcnt(0) & lgkmcnt(0) & expcnt(0)
        buffer_load_dword v4, s[0:3], s10 offset:4
        add32 v5, s8, v5
        v_lshlrev_b32 v0, 3, v0
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[4:5], v0, s[12:15], 0 offen
        s_endpgm
