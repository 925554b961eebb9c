// RUN amdgcn-amd-amdpal gfx1030 - 6
// RUN amdgcn-amd-amdpal gfx900 - 6
.amdgpu_pal_metadata
---
amdpal.version: [2, 1]
amdpal.pipelines:
  - .api: Vulkan
    .hardware_stages:
      .cs:
        .entry_point: cs_main
        .lds_size: 0x800
        .sgpr_count: 0x40
    .internal_pipeline_hash: [0x1234567890abcdef, 0xfedcba0987654321]
    .registers:
      0x2c0a (SPI_SHADER_PGM_RSRC1_PS): 0x42000000
      '0x2e12 (COMPUTE_PGM_RSRC1)': 1
      11275: 0
...
.end_amdgpu_pal_metadata
s_endpgm
