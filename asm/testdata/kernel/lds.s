// RUN amdgcn-amd-amdhsa gfx803 - 2 3 4
// RUN amdgcn-amd-amdpal gfx1030 - 6
// RUN amdgcn-- gfx1100 - 6
.globl lds0
.amdgpu_lds lds0, 512, 4
.amdgpu_lds lds1, 512, 1<<4
.amdgpu_lds lds2, 65536-2048
.amdgpu_lds lds3, 0, 1
.amdgpu_lds used, 16
.globl used
