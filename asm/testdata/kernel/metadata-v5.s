// RUN amdgcn-amd-amdhsa gfx900 - 5 6
.amdgpu_metadata
---
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.version:
  - 1
  - 2
amdhsa.printf:
  - '1:1:4:%d\n'
  - "2:0:quoted \"text\"; not a comment\n"
amdhsa.kernels:
  - .name: vec_add
    .symbol: vec_add.kd
    .language: OpenCL C
    .language_version: [ 2, 0 ]
    .args:
      - .name: a
        .type_name: 'float*'
        .size: 8
        .offset: 0
        .value_kind: global_buffer
        .address_space: global
        .access: read_only
        .actual_access: read_only
        .is_const: true
        .is_restrict: false
        .is_volatile: false
      - .size: 0x4
        .offset: 8
        .value_kind: by_value
      - .size: 4
        .offset: 12
        .value_kind: dynamic_shared_pointer
        .pointee_align: 16
        .address_space: local
      - { .size: 8, .offset: 16, .value_kind: hidden_block_count_x }
    .reqd_workgroup_size: [64, 1, 1]
    .workgroup_size_hint: [64, 1, 1]
    .vec_type_hint: int
    .device_enqueue_symbol: vec_add_runtime
    .kernarg_segment_size: 24
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 40
    .max_flat_workgroup_size: 256
    .uses_dynamic_stack: false
    .kind: normal
    .agpr_count: 0
    .uniform_work_group_size: 1
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    vendor.key: [1, -2, 3.5, text, true, {x: y}]
...
.end_amdgpu_metadata
