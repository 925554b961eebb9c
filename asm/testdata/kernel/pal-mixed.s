// RUN amdgcn-amd-amdpal gfx900 - 6
.amd_amdgpu_pal_metadata 1,2
.amdgpu_pal_metadata
amdpal.pipelines: [ { .registers: { 0x2c07: 5 } } ]
.end_amdgpu_pal_metadata
.amd_amdgpu_pal_metadata 0x2c07,0x10,7,8
