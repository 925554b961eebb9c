package clrx

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
)

// TestInstructions assembles an instruction of each form, with expressions and
// register symbols.
func TestInstructions(t *testing.T) {
	for _, c := range []struct{ arch, text, want string }{
		{"GCN1.0", "S_MOV_B32 s0, S[1]", "010380be"},
		{"GCN1.0", "s_mov_b64 s[0:1], m0", "7c0480be"},
		{"GCN1.0", "s_add_u32 s0, lit(64), -16", "ffd0008040000000"},
		{"GCN1.0", "s_add_u32 s0, @first-first+1, 1.0", "81f20080"},
		{"GCN1.0", "s_mov_b32 s0, 1.0h; s_mov_b32 s0, 1.5l; s_mov_b32 s0, 0x1p-1", "f20380beff0380be0000f83ff00380be"},
		{"GCN1.0", "n = 2; s_mov_b32 s[n], s[n+1]", "030382be"},
		{"GCN1.0", "r = %s[4:7]; s_mov_b64 r[0:1], r[2:3]; s_mov_b32 r[0], r[3]", "060484be070384be"},
		{"GCN1.0", "c = %-4; s_mov_b32 s0, c", "c40380be"},
		{"GCN1.0", "s_cmpk_eq_i32 s3, -1", "ffff83b1"},
		{"GCN1.0", "s_setreg_imm32_b32 hwreg(@1, 0, 32), 5", "01f880ba05000000"},
		{"GCN1.0", "s_waitcnt vmcnt(0) lgkmcnt(3)", "70038cbf"},
		{"GCN1.0", "s_sendmsg sendmsg(msg_gs, gs_op_emit, 1)", "220190bf"},
		{"GCN1.0", "s_load_dword s0, s[2:3], 4", "040300c0"},
		{"GCN1.1", "s_load_dword s0, s[2:3], lit(4); s_load_dword s0, s[2:3], 0x100", "ff0200c004000000ff0200c000010000"},
		{"GCN1.4", "s_load_dword s0, s[2:3], s4 glc offset:16", "014003c010000008"},
		{"GCN1.4", "s_load_dword s0, s[2:3], 4 nv:1", "018002c004000000"},
		{"GCN1.0", "v_add_f32 v1, -v2, |v3| clamp", "010a06d202070220"},
		{"GCN1.0", "v_add_f32 v1, neg(v2), abs(-v3)", "010206d202070260"},
		{"GCN1.0", "v_add_f32 v1, 2, v3 neg:1 abs:[1,0] omod:3", "010106d282060238"},
		{"GCN1.0", "v_cmp_lt_f32 vcc, v1, v2; v_cmp_lt_f32 s[2:3], v1, v2", "0105027c020002d001050200"},
		{"GCN1.0", "v_madmk_f32 v1, v2, 1.0, v3; v_madak_f32 v1, v2, v3, 2", "020702400000803f0207024202000000"},
		{"GCN1.0", "v_readlane_b32 s1, v2, s3; v_readlane_b32 s1, v2, s3 vop3", "02070202010002d202070000"},
		{"GCN1.2", "v_mov_b32 v1, sext(v2) src0_sel:b2; v_mov_b32 v1, v2 dst_sel:@5", "f902027e02060a00f902027e02050600"},
		{"GCN1.2", "v_mov_b32 v1, v2 dpp; v_mov_b32 v1, v2 row_bcast:31 bound_ctrl:0:0", "fa02027e02e400fffa02027e024301ff"},
		{"GCN1.4", "v_pk_add_f16 v1, v2, v3 op_sel:[1,0] neg_hi:2", "014a8fd302070218"},
		{"GCN1.4", "v_add_f32 v1, v2, v3 op_sel:[0,0,1]", "014001d102070200"},
		{"GCN1.4", "v_cmp_eq_u32 s[2:3], v1, s4 src0_sel:w1", "f908947d01820586"},
		{"GCN1.2", "v_interp_p1_f32 v1, v2, attr3.y; v_interp_mov_f32 v1, p20, attr0.x vop3", "020d04d4010072d200020000"},
		{"GCN1.0", "v_nop; s_endpgm", "0000007e000081bf"},
		{"GCN1.0", "ds_write2_b32 v1, v2, v3 offset0:1 offset1:late; late = 2", "010238d801020300"},
		{"GCN1.0", "ds_add_u32 v1, v2 offset:late gds:1 offset:3; late = 2", "030002d801020000"},
		{"GCN1.0", "buffer_load_dword v1, s[4:7], 0 offset:late; late = 5", "050030e000010180"},
		{"GCN1.0", "buffer_load_dword v1, v[2:3], s[4:7], s8 addr64 glc slc:0", "00c030e002010108"},
		{"GCN1.0", "tbuffer_load_format_x v1, v2, s[4:7], 0 idxen format:[32,float]", "0020a0eb02010180"},
		{"GCN1.0", "tbuffer_load_format_x v1, s[4:7], 0 format:[@3,@2]; tbuffer_load_format_x v1, s[4:7], 0 format:[uint]",
			"000018e900010180000008ea00010180"},
		{"GCN1.0", "image_load v[0:1], v[4:7], s[8:11] dmask:3 r128 unorm:1", "009300f004000200"},
		{"GCN1.4", "image_load v0, v4, s[8:15] dmask:3 d16 a16", "008300f004000280"},
		{"GCN1.0", "exp mrt3, v1, off, v3, off done; exp mrtz, v1, v1, off, v3 compr vm", "350800f8010003008b1400f801030000"},
		{"GCN1.2", "flat_load_dword v[1:2], v[2:3] glc tfe", "000051dc02008001"},
		{"GCN1.4", "flat_store_dword v[2:3], v1 inst_offset:late nv; late = 16", "100070dc02018000"},
		{"GCN1.4", "global_load_dword v1, v2, s[4:5] inst_offset:-16 lds", "f0bf50dc02000401"},
		{"GCN1.4", "scratch_store_dword off, v1, s4; scratch_load_dword v1, v2, off", "004070dc00010400004050dc02007f01"},
		{"GCN1.4", "global_atomic_add v[2:3], v1, off", "008008dd02017f00"},
		{"GCN1.0", "s_branch end; s_nop late; s_movk_i32 s0, late; s_mov_b32 s1, late; end: late = 7", "040082bf070080bf070000b0ff0381be07000000"},
		{"GCN1.2", "s_atc_probe late, s[2:3], late; late = 3", "c1009ac003000000"},
		{"GCN1.2", "s_set_gpr_idx_on s0, late; late = 3", "000311bf"},
		{"GCN1.0", "s_load_dword s0, s[2:3], late; late = 9", "090300c0"},
		{"GCN1.0", "v_add_f32 v1, lit(1.5), v2", "ff0402060000c03f"},
		{"GCN1.2", "v_add_f32 v1, -ttmp1, v3", "010001d171060220"},
	} {
		code, problems := assembleRows(t, c.arch, []string{c.text})
		want, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(code[0], append(want, make([]byte, slot-len(want))...)) {
			t.Errorf("%s %s: %x %s, want %s", c.arch, c.text, code[0], problems[0], c.want)
		}
	}
}

// TestInstructionErrors checks errors and warnings of instructions.
func TestInstructionErrors(t *testing.T) {
	for _, c := range []struct{ arch, text, want string }{
		{"GCN1.0", "s_nosuch", "1: unknown instruction 's_nosuch'"},
		{"GCN1.0", "s_mov_b32 s1", "13: expected ',' before the argument"},
		{"GCN1.0", "s_mov_b32 v1, s2", "11: expected a scalar register"},
		{"GCN1.0", "s_mov_b32 s104, s2", "11: register is out of range: the last one is 103"},
		{"GCN1.0", "s_mov_b64 s[1:2], s[2:3]", "11: a range of 2 SGPRs cannot begin at s1"},
		{"GCN1.0", "s_mov_b64 s[4:7], s[2:3]", "11: expected 2 registers, found 4"},
		{"GCN1.0", "s_mov_b64 s[4:3], 0", "11: the last register of the range is before the first one"},
		{"GCN1.0", "s_mov_b32 s[70000], 0", "11: register is out of range"},
		{"GCN1.0", "s_add_u32 s1, 100, 101", "20: more than one literal"},
		{"GCN1.0", "s_mov_b32 s0, 0x123456789", "warning 15: value 0x123456789 truncated to 0x23456789"},
		{"GCN1.0", "s_mov_b32 s0, first", "15: expected a number, not a place in the code"},
		{"GCN1.0", "s_mov_b32 s0, lit(1", "20: expected ')' at the end of lit(…)"},
		{"GCN1.0", "s_branch .+6", "13: branch target is not a multiple of 4 bytes away"},
		{"GCN1.0", "s_branch .+0x80000", "19: branch target is too far away"},
		{"GCN1.0", "s_branch later; later = 4", "10: branch target is not in the code of the branch"},
		{"GCN1.0", "s_branch later; later = first+0x100000", "10: branch target is too far away"},
		{"GCN1.0", "s_nop later; later = first", "7: expected a number, not a place in the code"},
		{"GCN1.0", "s_nop later; later = 0x10000", "warning 7: value 0x10000 truncated to 0x0"},
		{"GCN1.0", "v_mad_f32 v1, s2, s3, v4", "1: the instruction reads more than one scalar register or literal"},
		{"GCN1.0", "v_add_f32 v1, v2, v3 nosuch", "22: unknown modifier 'nosuch'"},
		{"GCN1.0", "v_add_f32 v1, v2, v3 mul:3", "22: unknown modifier 'mul:3'"},
		{"GCN1.0", "v_add_i32 v1, vcc, |v2|, v3", "1: abs and clamp are not possible with a second result"},
		{"GCN1.0", "v_madak_f32 v1, v2, s3, 4", "21: expected a vector register"},
		{"GCN1.2", "v_mov_b32 v1, 5 sdwa", "1: SDWA and DPP are not possible with these operands"},
		{"GCN1.2", "v_mov_b32 v1, v2 vop3 dpp", "18: the modifiers belong to different encodings"},
		{"GCN1.2", "v_mov_b32 v1, v2 bound_ctrl:2", "29: bound_ctrl is 0 or 1"},
		{"GCN1.2", "v_mov_b32 v1, v2 quad_perm:1", "28: expected '[' before the lanes"},
		{"GCN1.2", "v_mov_b32 v1, v2 row_shl:20", "26: number of lanes is out of range"},
		{"GCN1.2", "s_store_dword s1, s[2:3], s4", "27: the offset of a store is m0 or a number"},
		{"GCN1.4", "s_load_dword s0, s[2:3], 4 offset:8", "28: the instruction has an offset already"},
		{"GCN1.0", "v_interp_p1_f32 v1, v2, attr64.x", "25: attribute is out of range: the last one is 63"},
		{"GCN1.0", "ds_gws_init v1", "15: the instruction needs gds"},
		{"GCN1.0", "buffer_load_dword v1, s[4:7], 0 offen", "23: offen, idxen and addr64 need an address"},
		{"GCN1.0", "image_load v0, v[0:4], s[8:15]", "16: expected 1 to 4 registers, found 5"},
		{"GCN1.0", "image_load v0, v0, s[9:16]", "20: a range of 8 scalar registers cannot begin there"},
		{"GCN1.0", "image_store v0, v0, s[8:15]", "1: image stores and atomics need unorm"},
		{"GCN1.0", "exp mrt9, v0, v0, v0, v0", "5: export target is out of range: the last one is mrt7"},
		{"GCN1.4", "flat_load_dword v1, v[2:3] lds", "28: lds is not possible in the flat segment"},
		{"GCN1.4", "scratch_load_dword v1, off, off", "1: the instruction needs an address"},
		{"GCN1.4", "scratch_load_dword v1, v2, s3", "24: scratch instructions have one address"},
		{"GCN1.0", "r = %s[0:1]; s_mov_b32 s2, r[2]", "28: range is outside of register symbol 'r'"},
		{"GCN1.0", "v_mov_b32 v1, " + strings.Repeat("abs(", 9), "51: more than 8 nested modifiers of an operand"},
		{"GCN1.0", "r = %100", "6: a literal is not possible here"},
		{"GCN1.0", "v_interp_p1_f32 v1 v2, attr3.y", "20: expected ',' before the argument"},
		{"GCN1.0", "v_interp_p1_f32 v1, v2, at", "25: expected an attribute"},
		{"GCN1.0", "v_interp_p1_f32 v1, v2, attr.y", "29: expected the number of the attribute"},
		{"GCN1.0", "v_interp_p1_f32 v1, v2, attr3.q", "31: expected x, y, z or w"},
		{"GCN1.0", "s_getreg_b32 s1, hwreg(mode, first, 4)", "30: expected a number, not a place in the code"},
		{"GCN1.0", "s_getreg_b32 s1, hwreg mode", "24: expected '(' after hwreg"},
		{"GCN1.0", "s_getreg_b32 s1, hwreg(mode, 4 5)", "32: expected ',' before the argument"},
		{"GCN1.0", "buffer_load_dword v1, v2 s[4:7], 0 offen", "26: expected ',' before the argument"},
		{"GCN1.0", "buffer_load_dword v1, v2, s[4:7], 0 offen offset:first", "50: expected a number, not a place in the code"},
		{"GCN1.0", "buffer_load_dword v1, v2, s[4:7], 0 offen offset:(1", "52: expected ')'"},
		{"GCN1.0", "buffer_load_dword v1, v2, s[4:7], 0 offen offset:", "50: expected an offset"},
		{"GCN1.0", "tbuffer_load_format_x v1, v2, s[4:7], 0 offen format", "53: expected ':' and the value of the modifier"},
		{"GCN1.0", "tbuffer_load_format_x v1, v2, s[4:7], 0 offen format:[none,uint]", "55: unknown format 'none'"},
		{"GCN1.0", "image_load v1 v[4:7], s[8:15]", "15: expected ',' before the argument"},
		{"GCN1.0", "image_load v1, v[4:7] s[8:15]", "23: expected ',' before the argument"},
		{"GCN1.0", "image_load v1, v[4:7], 5", "24: expected a scalar register"},
		{"GCN1.0", "image_load v1, v[4:7], s[8:15] unorm:0 dmask", "45: expected ':' and the value of the modifier"},
		{"GCN1.0", "image_load v1, v[4:7], s[8:15] dmask:(", "39: expected ')'"},
		{"GCN1.2", "flat_load_dword v1 v[2:3]", "20: expected ',' before the argument"},
		{"GCN1.4", "scratch_load_dword v1, v2 s3", "27: expected ',' before the argument"},
		{"GCN1.4", "v_pk_add_u16 v1, v2, v3 neg_lo:[1 0]", "35: expected ',' before the argument"},
		{"GCN1.4", "v_pk_add_u16 v1, v2, v3 neg_lo:[(,0]", "34: expected a number"},
		{"GCN1.4", "v_pk_add_u16 v1, v2, v3 neg_lo:[1,0", "36: expected ']' at the end of the list"},
		{"GCN1.4", "v_pk_add_u16 v1, v2, v3 op_sel", "31: expected ':' and the value of the modifier"},
		{"GCN1.0", "s_mov_b32 s1x, 0", "11: expected a scalar register"},
		{"GCN1.0", "s_mov_b64 s[(:1], 0", "14: expected an operand before the operator"},
		{"GCN1.0", "s_mov_b32 v[1:2], 0", "11: expected a scalar register"},
		{"GCN1.0", "s_branch (1", "12: expected ')'"},
		{"GCN1.0", "s_load_dword s1 s[2:3], 0", "17: expected ',' before the argument"},
		{"GCN1.0", "s_load_dword s1, s[2:3], s[4:5]", "26: expected 1 register, found 2"},
		{"GCN1.0", "s_load_dword s1, s[2:3], s[(4", "30: expected ')'"},
		{"GCN1.0", "s_load_dword s1, s[2:3], (1", "28: expected ')'"},
		{"GCN1.0", "s_load_dword s1, s[2:3], ", "26: expected an offset"},
		{"GCN1.0", "s_load_dword s1, s[2:3], first", "26: expected a number, not a place in the code"},
		{"GCN1.0", "s_load_dword s1, s[2:3], lit+5", "26: undefined symbol 'lit'"},
		{"GCN1.4", "s_load_dword s1, s[2:3], s4 offset", "35: expected ':' and the value of the modifier"},
		{"GCN1.0", "v_add_f32 v1, 1e999999, v2", "23: floating-point number is out of range"},
		{"GCN1.0", "v_add_f32 v1, (1, v2", "18: unexpected text in the expression"},
		{"GCN1.0", "v_add_i32 v1 vcc, v2, v3", "14: expected ',' before the argument"},
		{"GCN1.0", "v_madmk_f32 v1, v2 5, v3", "20: expected ',' before the argument"},
		{"GCN1.2", "v_add_f32 v1, -, v3", "16: expression is not complete"},
		{"GCN1.2", "v_add_f32 v1, abs+v2, v3", "15: undefined symbol 'abs'"},
		{"GCN1.2", "v_add_f32 v1, -x1, v3", "15: undefined symbol 'x1'"},
		{"GCN1.2", "v_add_f32 v1, v2, v3 omod:(", "28: expected ')'"},
		{"GCN1.2", "v_add_f32 v1, v2, v3 mul:(", "27: expected ')'"},
		{"GCN1.2", "v_add_f32 v1, v2, v3 neg", "25: expected ':' and the value of the modifier"},
		{"GCN1.2", "v_add_f32 v1, v2, v3 op_sel:[0,0,0]", "22: unknown modifier 'op_sel'"},
		{"GCN1.2", "v_mov_b32 v1, v2 bank_mask", "27: expected ':' and the value of the modifier"},
		{"GCN1.2", "v_mov_b32 v1, v2 row_shl:(", "27: expected ')'"},
		{"GCN1.2", "v_mov_b32 v1, v2 quad_perm", "27: expected ':' and the value of the modifier"},
		{"GCN1.2", "v_mov_b32 v1, v2 quad_perm:[1 2,3,0]", "31: expected ',' before the argument"},
		{"GCN1.2", "v_mov_b32 v1, v2 quad_perm:[1,(,3,0]", "32: expected a number"},
		{"GCN1.2", "v_mov_b32 v1, v2 quad_perm:[1,2,3,0", "36: expected ']' at the end of the lanes"},
		{"GCN1.2", "v_mov_b32 v1, v2 bound_ctrl:(", "30: expected ')'"},
		{"GCN1.0", "v_madmk_f32 v1, v2, 5, v3 vop3", "27: unknown modifier 'vop3'"},
		{"GCN1.2", "v_cmp_eq_u32 s[2:3], v2, v3 sdwa", "1: SDWA and DPP are not possible with these operands"},
		{"GCN1.2", "v_add_u32 v1, s[2:3], v2, v3 row_shl:1", "1: SDWA and DPP are not possible with these operands"},
	} {
		a := "Pitcairn"
		switch c.arch {
		case "GCN1.2":
			a = "Tonga"
		case "GCN1.4":
			a = "GFX900"
		}
		src := &diag.Source{Text: []byte(".amd\n.gpu " + a + "\n.kernel k\n.config\n.dims x\n.text\nfirst:\n" + c.text + "\n")}
		_, list := AssembleBinary(src, Options{})
		got := ""
		if len(list) > 0 {
			d := list[0]
			if d.Severity == diag.Warning {
				got = "warning "
			}
			got += decimal(d.Off-bytes.LastIndexByte(src.Text[:d.Off], '\n')) + ": " + d.Message
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.arch, c.text, got, c.want)
		}
	}
}

// FuzzInstruction assembles any line. A line that assembles is printed, and the
// text assembles to the same bytes.
func FuzzInstruction(f *testing.F) {
	for _, s := range []string{
		"s_mov_b32 s0, s1", "v_add_f32 v1, -v2, |v3| mul:2", "ds_add_u32 v1, v2 offset:8", "image_load v0, v0, s[0:7] dmask:1",
		"buffer_load_dword v0, v1, s[0:3], 0 offen", "s_sendmsg sendmsg(gs, emit, 1)", "exp mrt0, v0, off, v1, v2 done",
		"global_load_dword v0, v1, s[0:1] inst_offset:-4", "v_mov_b32 v0, v1 quad_perm:[0,1,2,3]", "v_pk_add_f16 v0, v1, v2 op_sel:[0,1]",
	} {
		for arch := range uint8(4) {
			f.Add(arch, s)
		}
	}
	f.Fuzz(func(t *testing.T, arch uint8, line string) {
		if strings.ContainsAny(line, "\n;\\\"'{}=:#/") && !strings.Contains(line, "offset:") {
			return // other statements
		}
		names := []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"}
		testLine(t, names[arch&3], line)
	})
}

// testLine assembles a line, prints its bytes and assembles the text.
func testLine(t *testing.T, arch, line string) {
	device := map[string]string{"GCN1.0": "Pitcairn", "GCN1.1": "Bonaire", "GCN1.2": "Tonga", "GCN1.4": "GFX900"}[arch]
	src := &diag.Source{Text: []byte(".amd\n.gpu " + device + "\n.kernel k\n.config\n.dims x\n.text\n" + line + "\n")}
	b, _ := AssembleBinary(src, Options{MaxOutput: 1 << 20})
	if b == nil || len(b.Kernels) != 1 || len(b.Kernels[0].Code) == 0 || len(b.Kernels[0].Code) > slot-4 {
		return
	}
	testPrinted(t, arch, [][]byte{b.Kernels[0].Code})
}
