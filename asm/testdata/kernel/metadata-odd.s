// RUN amdgcn-amd-amdhsa gfx1100 - 6
.amdgpu_metadata
    amdhsa.version:
        - 1
        - 2
    amdhsa.target: "amdgcn-amd-amdhsa--gfx1100"
    amdhsa.kernels:
      - .name: "k"
        .symbol: 'k.kd'
        .kernarg_segment_size: "8"
        .group_segment_fixed_size: 0x10
        .private_segment_fixed_size: 0
        .kernarg_segment_align: 8
        .wavefront_size: 32
        .sgpr_count: 4294967296
        .vgpr_count: 18446744073709551615
        .max_flat_workgroup_size: 1024
        .workgroup_processor_mode: 1
        .y: "longer than thirty-one characters, to see the next form"
    .end_amdgpu_metadata
