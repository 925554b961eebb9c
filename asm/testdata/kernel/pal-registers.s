// RUN amdgcn-amd-amdpal gfx900 - 6
.amd_amdgpu_pal_metadata 0x2c0a,0x2c0042,0x2c0b,8
s_endpgm
.amd_amdgpu_pal_metadata 0x2c0a,0x1, 0x10000006,0x20, 3, 0xffffffff
