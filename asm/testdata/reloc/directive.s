// .reloc among other relocations
.reloc 0, R_AMDGPU_ABS64, start
start:
.long x1, x2
.reloc start, R_AMDGPU_ABS32_LO, x3
.long x4
.p2align 4
.reloc 8, R_AMDGPU_NONE
second: .quad x5
.reloc second+4, R_AMDGPU_REL32, x6
.reloc start+4, R_AMDGPU_REL32, x6
.long x7
.data
.quad x1
.reloc 4, R_AMDGPU_ABS32, x2
.quad x2
.p2align 5
.quad x3
.reloc 0, R_AMDGPU_ABS32, x2
.reloc second+8, R_AMDGPU_ABS32, x2
d: .quad x4
.uleb128 2f-1f
1: .quad x5
.reloc 1b, R_AMDGPU_GOTPCREL, x5
.reloc d, R_AMDGPU_GOTPCREL, x5
2:
.quad x6
.text 1
.long x9
.reloc ., R_AMDGPU_REL64, x8
.long x10
