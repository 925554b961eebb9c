package sim

import (
	"strings"
	"sync"
)

// simdTable leads from instructions to their quick versions.
var simdTable = sync.OnceValue(func() map[string]*simdRow {
	m := map[string]*simdRow{}
	for i := range simdRows {
		for _, n := range strings.Fields(simdRows[i].names) {
			m[n] = &simdRows[i].simdRow
		}
	}
	return m
})

var simdRows = []struct {
	names string
	simdRow
}{
	{"v_mov_b32", simdRow{run: simdMov}},
	{"v_not_b32", simdRow{run: simdNot}},
	{"v_and_b32", simdRow{run: simdAnd}},
	{"v_or_b32", simdRow{run: simdOr}},
	{"v_xor_b32", simdRow{run: simdXor}},
	{"v_add_nc_u32", simdRow{run: simdAdd}},
	{"v_sub_nc_u32", simdRow{run: simdSub}},
	{"v_subrev_nc_u32", simdRow{run: simdSubrev}},
	{"v_mul_lo_u32", simdRow{run: simdMulLo}},
	{"v_mul_hi_u32", simdRow{run: simdMulHiU32}},
	{"v_lshlrev_b32", simdRow{run: simdLshlrev}},
	{"v_lshrrev_b32", simdRow{run: simdLshrrev}},
	{"v_ashrrev_i32", simdRow{run: simdAshrrev}},
	{"v_min_i32", simdRow{run: simdMinI32}},
	{"v_max_i32", simdRow{run: simdMaxI32}},
	{"v_min_u32", simdRow{run: simdMinU32}},
	{"v_max_u32", simdRow{run: simdMaxU32}},
	{"v_add3_u32", simdRow{run: simdAdd3}},
	{"v_lshl_add_u32", simdRow{run: simdLshlAdd}},
	{"v_add_lshl_u32", simdRow{run: simdAddLshl}},
	{"v_lshl_or_b32", simdRow{run: simdLshlOr}},
	{"v_and_or_b32", simdRow{run: simdAndOr}},
	{"v_or3_b32", simdRow{run: simdOr3}},
	{"v_xor3_b32", simdRow{run: simdXor3}},
	{"v_xad_u32", simdRow{run: simdXad}},
	{"v_bfi_b32", simdRow{run: simdBfi}},
	{"v_bfe_u32", simdRow{run: simdBfeU32}},
	{"v_alignbit_b32", simdRow{run: simdAlignbit}},
	{"v_mul_u32_u24", simdRow{run: simdMulU24}},
	{"v_mul_i32_i24", simdRow{run: simdMulI24}},
	{"v_mad_u32_u24", simdRow{run: simdMadU24}},
	{"v_mad_i32_i24", simdRow{run: simdMadI24}},

	{"v_add_f32 v_pk_add_f32", simdRow{run: simdAddF32, float: followMode}},
	{"v_sub_f32", simdRow{run: simdSubF32, float: followMode}},
	{"v_subrev_f32", simdRow{run: simdSubrevF32, float: followMode}},
	{"v_mul_f32 v_pk_mul_f32", simdRow{run: simdMulF32, float: followMode}},
	{"v_fma_f32 v_pk_fma_f32 v_fmac_f32 v_fmaak_f32 v_fmamk_f32", simdRow{run: simdFmaF32, float: followMode}},
	{"v_mad_f32 v_mac_f32 v_madak_f32 v_madmk_f32", simdRow{run: simdMadF32, float: alwaysFlush}},
	{"v_max_f32", simdRow{run: simdMaxF32, float: followMode}},
	{"v_min_f32", simdRow{run: simdMinF32, float: followMode}},
	{"v_cvt_f32_i32", simdRow{run: simdCvtF32I32, float: followMode}},
	{"v_cvt_f32_u32", simdRow{run: simdCvtF32U32, float: followMode}},
	{"v_cvt_i32_f32", simdRow{run: simdCvtI32F32, float: followMode}},
	{"v_cvt_u32_f32", simdRow{run: simdCvtU32F32, float: followMode}},
	{"v_rcp_f32 v_rcp_iflag_f32", simdRow{run: simdRcpF32, float: followMode}},
	{"v_sqrt_f32", simdRow{run: simdSqrtF32, float: followMode}},
	{"v_rsq_f32", simdRow{run: simdRsqF32, float: followMode}},
	{"v_exp_f32 v_exp_legacy_f32", simdRow{run: simdExpF32, float: alwaysFlush}},
	{"v_log_f32 v_log_legacy_f32", simdRow{run: simdLogF32, float: alwaysFlush}},
	{"v_sin_f32", simdRow{run: simdSinF32, float: followMode}},
	{"v_cos_f32", simdRow{run: simdCosF32, float: followMode}},

	{"v_cmp_lt_f32", simdRow{run: simdCmpLtF32, float: followMode}},
	{"v_cmp_eq_f32", simdRow{run: simdCmpEqF32, float: followMode}},
	{"v_cmp_le_f32", simdRow{run: simdCmpLeF32, float: followMode}},
	{"v_cmp_gt_f32", simdRow{run: simdCmpGtF32, float: followMode}},
	{"v_cmp_lg_f32", simdRow{run: simdCmpLgF32, float: followMode}},
	{"v_cmp_ge_f32", simdRow{run: simdCmpGeF32, float: followMode}},
	{"v_cmp_o_f32", simdRow{run: simdCmpOF32, float: followMode}},
	{"v_cmp_u_f32", simdRow{run: simdCmpUF32, float: followMode}},
	{"v_cmp_nge_f32", simdRow{run: simdCmpNgeF32, float: followMode}},
	{"v_cmp_nlg_f32", simdRow{run: simdCmpNlgF32, float: followMode}},
	{"v_cmp_ngt_f32", simdRow{run: simdCmpNgtF32, float: followMode}},
	{"v_cmp_nle_f32", simdRow{run: simdCmpNleF32, float: followMode}},
	{"v_cmp_neq_f32", simdRow{run: simdCmpNeqF32, float: followMode}},
	{"v_cmp_nlt_f32", simdRow{run: simdCmpNltF32, float: followMode}},
	{"v_add_f64", simdRow{run: simdAddF64, float: followDouble}},
	{"v_mul_f64", simdRow{run: simdMulF64, float: followDouble}},
	{"v_fma_f64 v_fmac_f64", simdRow{run: simdFmaF64, float: followDouble}},
	{"v_lshlrev_b64", simdRow{run: simdLshlrev64}},
	{"v_lshrrev_b64", simdRow{run: simdLshrrev64}},
	{"v_ashrrev_i64", simdRow{run: simdAshrrev64}},
	{"v_lshl_add_u64", simdRow{run: simdLshlAdd64}},
	{"v_mov_b64", simdRow{run: simdMov64}},
	{"v_cmp_lt_f64", simdRow{run: simdCmpLtF64, float: followDouble}},
	{"v_cmp_eq_f64", simdRow{run: simdCmpEqF64, float: followDouble}},
	{"v_cmp_le_f64", simdRow{run: simdCmpLeF64, float: followDouble}},
	{"v_cmp_gt_f64", simdRow{run: simdCmpGtF64, float: followDouble}},
	{"v_cmp_ge_f64", simdRow{run: simdCmpGeF64, float: followDouble}},
	{"v_cmp_lg_f64", simdRow{run: simdCmpLgF64, float: followDouble}},
	{"v_cmp_o_f64", simdRow{run: simdCmpOF64, float: followDouble}},
	{"v_cmp_u_f64", simdRow{run: simdCmpUF64, float: followDouble}},
	{"v_cmp_nge_f64", simdRow{run: simdCmpNgeF64, float: followDouble}},
	{"v_cmp_ngt_f64", simdRow{run: simdCmpNgtF64, float: followDouble}},
	{"v_cmp_nle_f64", simdRow{run: simdCmpNleF64, float: followDouble}},
	{"v_cmp_nlt_f64", simdRow{run: simdCmpNltF64, float: followDouble}},
	{"v_cmp_neq_f64", simdRow{run: simdCmpNeqF64, float: followDouble}},
	{"v_cmp_nlg_f64", simdRow{run: simdCmpNlgF64, float: followDouble}},
	{"v_cmp_eq_i32 v_cmp_eq_u32", simdRow{run: simdCmpEq}},
	{"v_cmp_ne_i32 v_cmp_ne_u32", simdRow{run: simdCmpNe}},
	{"v_cmp_gt_i32", simdRow{run: simdCmpGtI32}},
	{"v_cmp_lt_i32", simdRow{run: simdCmpLtI32}},
	{"v_cmp_le_i32", simdRow{run: simdCmpLeI32}},
	{"v_cmp_ge_i32", simdRow{run: simdCmpGeI32}},
	{"v_cmp_gt_u32", simdRow{run: simdCmpGtU32}},
	{"v_cmp_lt_u32", simdRow{run: simdCmpLtU32}},
	{"v_cmp_le_u32", simdRow{run: simdCmpLeU32}},
	{"v_cmp_ge_u32", simdRow{run: simdCmpGeU32}},

	{"v_cndmask_b32", simdRow{mask: simdCndmask}},
	{"v_add_u32 v_add_co_u32", simdRow{mask: simdAddc, noIn: true}},
	{"v_addc_u32 v_addc_co_u32 v_add_co_ci_u32", simdRow{mask: simdAddc}},
	{"v_sub_u32 v_sub_co_u32", simdRow{mask: simdSubb, noIn: true}},
	{"v_subrev_u32 v_subrev_co_u32", simdRow{mask: simdSubb, noIn: true, rev: true}},
	{"v_subb_u32 v_subb_co_u32 v_sub_co_ci_u32", simdRow{mask: simdSubb}},
	{"v_subbrev_u32 v_subbrev_co_u32 v_subrev_co_ci_u32", simdRow{mask: simdSubb, rev: true}},
	{"v_mad_u64_u32", simdRow{run: simdMadU64, sum: true}},

	{"v_pk_add_u16 v_pk_add_i16", simdRow{run: simdPkAddU16, pair: true}},
	{"v_pk_sub_u16 v_pk_sub_i16", simdRow{run: simdPkSubU16, pair: true}},
	{"v_pk_mul_lo_u16", simdRow{run: simdPkMulLoU16, pair: true}},
	{"v_pk_mad_u16 v_pk_mad_i16", simdRow{run: simdPkMadU16, pair: true}},
	{"v_pk_min_i16", simdRow{run: simdPkMinI16, pair: true}},
	{"v_pk_max_i16", simdRow{run: simdPkMaxI16, pair: true}},
	{"v_pk_min_u16", simdRow{run: simdPkMinU16, pair: true}},
	{"v_pk_max_u16", simdRow{run: simdPkMaxU16, pair: true}},
}

// simdMoves copies two registers from out.
func simdMoves(w *wave, d, out *uint32, exec uint64) {
	simdMov64(d, out, out, out, exec, w.lanes)
}
