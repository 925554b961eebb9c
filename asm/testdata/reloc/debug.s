.file 1 "x.cl"
.section .debug_str,"MS",@progbits,1
.Ls0: .asciz "abc"
.Ls1: .asciz "defg"
.section .debug_info,"",@progbits
.Lcu:
.long .Lend-.Lcu
.long .Labbr
.long .Ls0
.long .Ls1
.long .Ls1+1
.quad .Lfunc
.quad f
.quad .Lfunc+8
.long .debug_line
.long g
.short 1
.byte 3
.Lend:
.section .debug_abbrev,"",@progbits
.byte 0
.Labbr: .byte 0
.text
.globl f
.protected f
.type f,@function
f:
.cfi_sections .debug_frame, .eh_frame
.cfi_startproc
.loc 1 1 2
.Lfunc:
s_nop 0
.loc 1 2 3
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, g@rel32@lo+4
s_addc_u32 s1, s1, g@rel32@hi+12
s_add_u32 s0, s0, loc@gotpcrel32@lo+4
s_mov_b32 s0, loc@abs32@lo-8
s_mov_b32 s0, data@abs32@hi+8
s_mov_b32 s0, data
s_cbranch_scc0 other
s_cbranch_scc1 other2
s_cbranch_scc1 f
s_call_b64 s[2:3], other
.cfi_endproc
.size f,.-f
loc:
s_endpgm
.section .tx,"ax",@progbits
.space 0x1c
other: s_nop 0
.globl other2
other2:
s_nop 0
.data
.p2align 3
data:
.quad f@abs64+1
.quad f@rel64-1
.quad f-.
.long f-data2+6
data2:
f2=data2
.section .text.g,"axG",@progbits,gg,comdat
.weak gg
gg: s_mov_b32 s0, gg@rel32@lo
s_mov_b32 s0, gh@abs32@lo+0x7fffffff
.section .rodata.str,"aMS",@progbits,1
str: .asciz "x"
str2: .asciz "y"
.data
.quad str, str2, str2+1
.weak ww
.quad ww+1
.section .tdata,"awT",@progbits
tl: .long 1
.data
.long tl+4
.set zz, data2+8
.quad zz
.addrsig
.addrsig_sym f
