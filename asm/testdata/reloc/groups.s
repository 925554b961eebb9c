// relocations of sections in groups, of one name, without a name that ends alike
.section .text.g,"axG",@progbits,g,comdat
.weak g
g:
s_getpc_b64 s[4:5]
s_add_u32 s4, s4, h@rel32@lo+4
s_addc_u32 s5, s5, h@rel32@hi+12
.section .data.g,"awG",@progbits,g,comdat
.quad g+8
.section data,"aw",@progbits
.long ldata-8
.section .data,"aw",@progbits
ldata: .long data
.section .data,"aw",@progbits,unique,1
.quad ldata+1
.section rel.data,"aw",@progbits
.quad rel.data
.section .rel.x,"aw",@progbits
.quad reldata+3
reldata:
.comm common,8,4
.quad common+4
.text
s_mov_b32 s0, common@abs32@lo+16
.symver impl, impl@V1
impl:
.quad impl
.globl impl
.quad impl+2
.section .note.x,"",@note
.quad SCRATCH_RSRC_DWORD0, SCRATCH_RSRC_DWORD1+1
.uleb128 1f-0f
0: .space 200
1: .long 1b-0b
.long ext-.
.quad ext-0b
