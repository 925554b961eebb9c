// RUN amdgcn-amd-amdhsa gfx900 - 4 6
.globl lds0
.amdgpu_lds lds0, 512, 4
.amdgpu_lds lds1, 512, 1<<4
.amdgpu_lds lds2, 65536-2048
.amdgpu_lds lds3, 0, 1
.amdgpu_lds used, 16
.globl used
.text
s_mov_b32 s0, used@abs32@lo
s_mov_b32 s1, lds1@abs32@lo+4
