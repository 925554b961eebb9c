	.hsa_code_object_version 2,1
	.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
	.text
	.globl	test
	.p2align	8
	.type	test,@function
	.amdgpu_hsa_kernel test
test:
	.amd_kernel_code_t
		is_ptr64 = 1
		enable_sgpr_kernarg_segment_ptr = 1
		kernarg_segment_byte_size = 48
		workgroup_group_segment_byte_size = 12
		workitem_private_segment_byte_size = 0
		wavefront_sgpr_count = 8
		workitem_vgpr_count = 4
	.end_amd_kernel_code_t
	s_endpgm
	.size	test, .-test

	.amd_amdgpu_hsa_metadata
---
Version: [ 1, 0 ]
Kernels:
  - Name: test
    SymbolName: 'test@kd'
    Attrs:
      ReqdWorkGroupSize: [ 8, 1, 1 ]
    Args:
      - { Name: c, Size: 1, Align: 1, ValueKind: ByValue, ValueType: I8 }
      - { Name: p, Size: 8, Align: 8, ValueKind: GlobalBuffer, ValueType: F32, AddrSpaceQual: Global }
      - { Name: l, Size: 4, Align: 4, ValueKind: DynamicSharedPointer, ValueType: F32, AddrSpaceQual: Local, PointeeAlign: 16 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetX, ValueType: I64 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetY, ValueType: I64 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetZ, ValueType: I64 }
    CodeProps:
      KernargSegmentSize: 48
      GroupSegmentFixedSize: 12
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize: 64
...
	.end_amd_amdgpu_hsa_metadata
