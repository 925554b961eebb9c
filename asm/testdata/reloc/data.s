.text
lab:
s_mov_b32 s0, ext
s_mov_b32 s0, ext+8
s_mov_b32 s0, ext@rel32@lo+4
s_mov_b32 s0, ext@rel32@hi+12
s_mov_b32 s0, ext@gotpcrel32@lo+4
s_mov_b32 s0, ext@gotpcrel32@hi+12
s_mov_b32 s0, ext@gotpcrel
s_mov_b32 s0, ext@abs32@lo+16
s_mov_b32 s0, ext@abs32@hi+20
s_mov_b32 s0, SCRATCH_RSRC_DWORD0+5
s_branch oth2
.data
d:
.quad ext+100
.long ext-0x7fffffff
.long ext+0xffffffff
.long ext-.
.quad ext-.+3
.quad ext@rel64+7
.quad ext@abs64+7
.quad ext@gotpcrel+7
.long ext@rel32@lo+9
.quad lab+5
.quad ext+0x123456789abcdef
.long lab+3
.reloc d+8, R_AMDGPU_ABS32, ext+77
.section other,"ax"
oth2:
s_nop 0
s_branch lab
