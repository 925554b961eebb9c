package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// usesText formats register uses: "<" for reads, ">" for writes, "^" if part of
// the register is preserved, then the register and its role. EXEC, which all
// vector instructions read, is omitted.
func usesText(uses []reguse.Use) string {
	roles := [reguse.NumRoles]string{"dst", "dst2", "src0", "src1", "src2", "index", "addr", "data", "result", "sbase", "soffset", "implicit"}
	var out []string
	for _, u := range uses {
		if u.First == reguse.Exec && u.How == reguse.Read && u.Role == reguse.RoleImplicit {
			continue
		}
		s := ""
		for i, mark := range []string{"<", ">", "^"} {
			if u.How>>i&1 != 0 {
				s += mark
			}
		}
		s += u.First.String()
		if u.N > 1 {
			s += fmt.Sprintf("+%d", u.N)
		}
		if u.Y {
			s += "'"
		}
		out = append(out, s+":"+roles[u.Role])
	}
	return strings.Join(out, " ")
}

// decodeText assembles one instruction.
func decodeText(t testing.TB, cpu string, wave int, text string) isa.Inst {
	t.Helper()
	k := kernelTest{cpu: cpu, wave: wave, text: text}
	k.defaults()
	tgt, err := target.New("amdgcn-amd-amdhsa", k.cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	code, _ := k.assemble(t, tgt)
	set, _ := isa.SetOf(tgt.Processor)
	in, _, err := isa.NewDecoder(set, wave).Decode(code[256:])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return in
}

// useCases lists the register uses of instructions of every format, by
// processor.
var useCases = []struct {
	cpu   string
	cases [][2]string
}{
	{"gfx900", [][2]string{
		// Scalar formats.
		{"s_add_u32 s0, s1, 5", ">s0:dst <s1:src0 >scc:implicit"},
		{"s_addc_u32 s0, s1, vcc_lo", ">s0:dst <s1:src0 <vcc_lo:src1 <scc:implicit >scc:implicit"},
		{"s_lshl_b64 s[2:3], s[4:5], s6", ">s2+2:dst <s4+2:src0 <s6:src1 >scc:implicit"},
		{"s_mov_b32 m0, s7", ">m0:dst <s7:src0"},
		{"s_and_saveexec_b64 s[2:3], vcc", ">s2+2:dst <vcc_lo+2:src0 >exec_lo+2:implicit >scc:implicit"},
		{"s_cmp_eq_u32 s1, s2", "<s1:src0 <s2:src1 >scc:implicit"},
		{"s_movk_i32 s1, 5", ">s1:dst"},
		{"s_addk_i32 s1, 5", "<>s1:dst >scc:implicit"},
		{"s_mulk_i32 s1, 5", "<>s1:dst"},
		{"s_cmpk_eq_i32 s1, 5", "<s1:dst >scc:implicit"},
		{"s_cmovk_i32 s1, 5", ">^s1:dst <scc:implicit"},
		{"s_bitset1_b64 s[2:3], s5", ">^s2+2:dst <s5:src0"},
		{"s_setreg_b32 hwreg(HW_REG_MODE), s4", "<s4:dst"},
		{"s_getreg_b32 s4, hwreg(HW_REG_MODE)", ">s4:dst"},
		{"s_swappc_b64 s[2:3], s[4:5]", ">s2+2:dst <s4+2:src0"},
		{"s_cbranch_vccz 0", "<vcc_lo+2:implicit"},
		{"s_cbranch_execz 0", ""},
		{"s_sendmsg sendmsg(MSG_INTERRUPT)", "<m0:implicit"},
		{"s_nop 0", ""},
		{"s_waitcnt 0", ""},
		{"s_mov_b32 s0, src_vccz", ">s0:dst <vcc_lo+2:implicit"},
		{"s_mov_b32 s0, src_scc", ">s0:dst <scc:implicit"},
		// Scalar memory.
		{"s_load_dword s4, s[2:3], 0x10", ">s4:result <s2+2:sbase"},
		{"s_buffer_load_dwordx2 s[4:5], s[8:11], s0", "<s0:soffset >s4+2:result <s8+4:sbase"},
		{"s_store_dword s4, s[2:3], 0x10", "<s4:data <s2+2:sbase"},
		{"s_atomic_add s4, s[2:3], 0x10", "<s4:data <s2+2:sbase"},
		{"s_atomic_add s4, s[2:3], 0x10 glc", "<>s4:result <s2+2:sbase"},
		{"s_memtime s[4:5]", ">s4+2:result"},
		{"s_dcache_inv", ""},
		// Vector ALU.
		{"v_mov_b32_e32 v1, s2", ">v1:dst <s2:src0"},
		{"v_add_u32_e32 v1, v2, v3", ">v1:dst <v2:src0 <v3:src1"},
		{"v_add_co_u32_e32 v1, vcc, v2, v3", ">v1:dst <v2:src0 <v3:src1 >vcc_lo+2:implicit"},
		{"v_addc_co_u32_e32 v1, vcc, v2, v3, vcc", ">v1:dst <v2:src0 <v3:src1 <vcc_lo+2:implicit >vcc_lo+2:implicit"},
		{"v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7]", ">v1:dst >s4+2:dst2 <v2:src0 <v3:src1 <s6+2:src2"},
		{"v_cmp_eq_u32_e32 vcc, s1, v2", "<s1:src0 <v2:src1 >vcc_lo+2:implicit"},
		{"v_cmp_eq_u32_e64 s[4:5], v1, v2", ">s4+2:dst2 <v1:src0 <v2:src1"},
		{"v_cmpx_eq_u32_e32 vcc, v1, v2", "<v1:src0 <v2:src1 >vcc_lo+2:implicit >exec_lo+2:implicit"},
		{"v_cndmask_b32_e32 v1, v2, v3, vcc", ">v1:dst <v2:src0 <v3:src1 <vcc_lo+2:implicit"},
		{"v_cndmask_b32_e64 v1, v2, v3, s[4:5]", ">v1:dst <v2:src0 <v3:src1 <s4+2:src2"},
		{"v_mac_f32_e32 v1, v2, v3", "<>v1:dst <v2:src0 <v3:src1"},
		{"v_madmk_f32 v1, v2, 0x12345, v3", ">v1:dst <v2:src0 <v3:src1"},
		{"v_fma_f64 v[2:3], v[4:5], s[6:7], v[8:9]", ">v2+2:dst <v4+2:src0 <s6+2:src1 <v8+2:src2"},
		{"v_mad_u64_u32 v[2:3], s[4:5], v4, v5, v[6:7]", ">v2+2:dst >s4+2:dst2 <v4:src0 <v5:src1 <v6+2:src2"},
		{"v_div_fmas_f32 v1, v2, v3, v4", ">v1:dst <v2:src0 <v3:src1 <v4:src2 <vcc_lo+2:implicit"},
		{"v_readfirstlane_b32 s4, v1", ">s4:dst <v1:src0"},
		{"v_readlane_b32 s4, v1, s5", ">s4:dst <v1:src0 <s5:src1"},
		{"v_writelane_b32 v1, s4, 5", ">^v1:dst <s4:src0"},
		{"v_swap_b32 v1, v2", "<>v1:dst <>v2:src0"},
		{"v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", ">v1:dst <v2:src0"},
		{"v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf", ">^v1:dst <v2:src0"},
		{"v_mov_b32_sdwa v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", ">^v1:dst <v2:src0"},
		{"v_add_u32_sdwa v1, s2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD", ">v1:dst <s2:src0 <v3:src1"},
		{"v_cmp_eq_u32_sdwa s[4:5], v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", ">s4+2:dst2 <v1:src0 <v2:src1"},
		{"v_cmp_eq_u32_sdwa vcc, v1, v2 src0_sel:BYTE_0 src1_sel:DWORD", ">vcc_lo+2:dst2 <v1:src0 <v2:src1"},
		{"v_pk_mad_u16 v1, v2, v3, v4", ">v1:dst <v2:src0 <v3:src1 <v4:src2"},
		{"v_mad_mixhi_f16 v1, v2, v3, v4", ">^v1:dst <v2:src0 <v3:src1 <v4:src2"},
		{"v_mad_f16 v1, v2, v3, v4 op_sel:[0,0,0,1]", ">^v1:dst <v2:src0 <v3:src1 <v4:src2"},
		// Vector memory.
		{"ds_append v2", ">v2:result <m0:implicit"},
		{"ds_add_u32 v1, v2 gds", "<v1:addr <v2:data <m0:implicit"},
		{"ds_read_u16_d16_hi v2, v1", ">^v2:result <v1:addr"},
		{"flat_load_dwordx2 v[2:3], v[4:5]", "<v4+2:addr >v2+2:result <s102+2:implicit"},
		{"flat_store_dword v[4:5], v1", "<v4+2:addr <v1:data <s102+2:implicit"},
		{"global_load_dword v1, v[2:3], off", "<v2+2:addr >v1:result"},
		{"global_load_dword v1, v2, s[4:5]", "<v2:addr <s4+2:sbase >v1:result"},
		{"global_load_short_d16_hi v1, v[2:3], off", "<v2+2:addr >^v1:result"},
		{"global_atomic_cmpswap v0, v[2:3], v[4:5], off glc", "<v2+2:addr >v0:result <v4+2:data"},
		{"global_atomic_add v[2:3], v4, off", "<v2+2:addr <v4:data"},
		{"buffer_load_dwordx2 v[2:3], v1, s[4:7], s8 offen", "<v1:addr <s4+4:sbase <s8:soffset >v2+2:result"},
		{"buffer_load_dword v2, v[0:1], s[4:7], 0 idxen offen", "<v0+2:addr <s4+4:sbase >v2:result"},
		{"buffer_load_dword v2, off, s[4:7], 0", "<s4+4:sbase >v2:result"},
		{"buffer_load_short_d16 v2, off, s[4:7], 0", "<s4+4:sbase >^v2:result"},
		{"buffer_store_dword v2, v1, s[4:7], 0 offen", "<v1:addr <s4+4:sbase <v2:data"},
		{"buffer_atomic_add v2, v1, s[4:7], 0 offen", "<v1:addr <s4+4:sbase <v2:data"},
		{"buffer_atomic_add v2, v1, s[4:7], 0 offen glc", "<v1:addr <s4+4:sbase <>v2:result"},
		{"buffer_load_dword off, s[4:7], 0 lds", "<s4+4:sbase <m0:implicit"},
		{"buffer_wbinvl1_vol", ""},
		{"tbuffer_load_format_xy v[2:3], v1, s[4:7], 0 offen", "<v1:addr <s4+4:sbase >v2+2:result"},
		{"image_load v[0:3], v4, s[8:15] dmask:0xf", "<v4:addr >v0+4:result <s8+8:sbase"},
		{"exp mrt0 v1, v2, off, v4", "<v1:data <v2:data <v4:data"},
	}},
	{"gfx803", [][2]string{
		{"s_load_dwordx4 s[4:7], s[2:3], s9", "<s9:soffset >s4+4:result <s2+2:sbase"},
		{"ds_read_b64 v[2:3], v1", ">v2+2:result <v1:addr <m0:implicit"},
	}},
	{"gfx908", [][2]string{
		{"v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[4:7]", ">a0+4:dst <v1:src0 <v2:src1 <a4+4:src2"},
		{"v_accvgpr_read_b32 v1, a2", ">v1:dst <a2:src0"},
		{"v_accvgpr_write_b32 a1, v2", ">a1:dst <v2:src0"},
		{"v_dot2c_f32_f16 v1, v2, v3", "<>v1:dst <v2:src0 <v3:src1"},
	}},
	{"gfx90a", [][2]string{
		{"v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]", ">v0+8:dst <v8+2:src0 <v10+2:src1 <v0+8:src2"},
		{"ds_read_b64 a[2:3], v1", ">a2+2:result <v1:addr"},
		{"ds_write2_b32 v1, v2, v3", "<v1:addr <v2:data <v3:data"},
		{"ds_add_rtn_u32 v0, v1, v2", ">v0:result <v1:addr <v2:data"},
		{"ds_bpermute_b32 v0, v1, v2", ">v0:result <v1:addr <v2:data"},
		{"global_store_dwordx2 v[2:3], a[4:5], off", "<v2+2:addr <a4+2:data"},
		{"buffer_load_dword a2, v1, s[4:7], 0 offen", "<v1:addr <s4+4:sbase >a2:result"},
	}},
	{"gfx942", [][2]string{
		{"v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", "<>v0+4:dst <v4+2:src0 <v6+4:src1 <v10:index"},
		{"scratch_load_dword v1, v2, s3", "<v2:addr <s3:sbase >v1:result"},
	}},
	{"gfx1030", [][2]string{
		{"s_mov_b32 null, s7", "<s7:src0"},
		{"s_and_saveexec_b32 s2, vcc_lo", ">s2:dst <vcc_lo:src0 >exec_lo:implicit >scc:implicit"},
		{"s_waitcnt_vscnt null, 0", ""},
		{"s_load_dword s4, s[2:3], s5", "<s5:soffset >s4:result <s2+2:sbase"},
		{"s_load_dword s4, s[2:3], null", ">s4:result <s2+2:sbase"},
		{"v_add_co_ci_u32_e64 v1, s4, v2, v3, s6", ">v1:dst >s4:dst2 <v2:src0 <v3:src1 <s6:src2"},
		{"v_cmpx_eq_u32_e32 v1, v2", "<v1:src0 <v2:src1 >exec_lo:implicit"},
		{"v_cmp_eq_u32_e32 vcc_lo, v1, v2", "<v1:src0 <v2:src1 >vcc_lo:implicit"},
		{"v_permlane16_b32 v1, v2, s3, s4", ">^v1:dst <v2:src0 <s3:src1 <s4:src2"},
		{"v_movrels_b32_e32 v1, v2", ">v1:dst <v2:src0 <m0:implicit"},
		{"scratch_load_dword v1, v2, off", "<v2:addr >v1:result"},
		{"scratch_load_dword v1, off, s3", "<s3:sbase >v1:result"},
		{"image_sample v[0:1], [v4, v9], s[8:15], s[16:19] dmask:0x3 dim:SQ_RSRC_IMG_2D", "<v4:addr <v9:addr >v0+2:result <s8+8:sbase <s16+4:sbase"},
	}},
	{"gfx1100", [][2]string{
		{"s_mov_b32 m0, s7", ">m0:dst <s7:src0"},
		{"s_load_b64 s[4:5], s[2:3], 0x0", ">s4+2:result <s2+2:sbase"},
		{"v_dual_fmac_f32 v2, v3, v4 :: v_dual_mov_b32 v5, s6", "<>v2:dst <v3:src0 <v4:src1 >v5':dst <s6':src0"},
		{"v_dual_cndmask_b32 v2, v3, v4 :: v_dual_add_f32 v5, s6, v7", ">v2:dst <v3:src0 <v4:src1 <vcc_lo:implicit >v5':dst <s6':src0 <v7':src1"},
		{"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", ">v0+8:dst <v8+8:src0 <v16+8:src1 <v0+8:src2"},
	}},
}

func TestRegUses(t *testing.T) {
	for _, g := range useCases {
		wave := 64
		if strings.HasPrefix(g.cpu, "gfx1") {
			wave = 32
		}
		for _, c := range g.cases {
			in := decodeText(t, g.cpu, wave, c[0])
			if got := usesText(reguse.Of(&in)); got != c[1] {
				t.Errorf("%s %s:\n got %s\nwant %s", g.cpu, c[0], got, c[1])
			}
		}
	}
}

// TestRegUsesInFiles checks that no instruction of any encoding uses a
// nonexistent register.
func TestRegUsesInFiles(t *testing.T) {
	for set := range isa.Set(isa.NumSets) {
		if !Supports(set) {
			continue
		}
		for e := range isa.Enc(isa.NumEncs()) {
			for _, wave := range []int{32, 64} {
				in, ok := isa.Sample(e, set, wave)
				if !ok || wave == 32 && set.Gen() < isa.Gen10 {
					continue
				}
				for _, u := range reguse.Of(&in) {
					if end := u.First + reguse.Reg(u.N); u.N == 0 || u.How == 0 || end > reguse.NumRegs || u.First < reguse.AGPR && end > reguse.AGPR || u.First < reguse.Scalar && end > reguse.Scalar {
						t.Errorf("%v %s: %v+%d, %d", set, e.Name(), u.First, u.N, u.How)
					}
				}
			}
		}
	}
}
