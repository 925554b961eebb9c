// RUN amdgcn-amd-amdhsa gfx803 - 2
.amd_amdgpu_hsa_metadata
---
Version: [ 1, 0 ]
Printf: [ '1:1:4:%d\n' ]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Language: OpenCL C
    LanguageVersion: [ 2, 0 ]
    Attrs:
      ReqdWorkGroupSize: [ 64, 1, 1 ]
      WorkGroupSizeHint: [ 8, 8, 1 ]
      VecTypeHint: float4
      RuntimeHandle: h
    Args:
      - Name: a
        TypeName: 'float*'
        Size: 8
        Align: 8
        ValueKind: GlobalBuffer
        AddrSpaceQual: Global
        AccQual: ReadOnly
        ActualAccQual: ReadWrite
        IsConst: true
        IsRestrict: true
        IsVolatile: true
      - Size: 4
        Align: 4
        ValueKind: DynamicSharedPointer
        PointeeAlign: 16
        AddrSpaceQual: Local
      - Size: 8
        Align: 8
        ValueKind: HiddenGlobalOffsetX
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 4
      PrivateSegmentFixedSize: 8
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 10
      NumVGPRs: 11
      MaxFlatWorkGroupSize: 256
      IsDynamicCallStack: true
      IsXNACKEnabled: true
      NumSpilledSGPRs: 1
      NumSpilledVGPRs: 2
    DebugProps:
      DebuggerABIVersion: [ 1, 0 ]
      ReservedNumVGPRs: 4
      ReservedFirstVGPR: 11
      PrivateSegmentBufferSGPR: 0
      WavefrontPrivateSegmentOffsetSGPR: 11
...
.end_amd_amdgpu_hsa_metadata
