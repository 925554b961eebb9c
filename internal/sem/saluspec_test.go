package sem

import (
	"math/big"
	"slices"
	"testing"
)

// result returns a definition that also sets SCC if the n-bit result is not 0.
func result(names, types string, n int, f func(x *args) *big.Int) spec {
	return spec{names, types, false, f, func(x *args) bool { return modulo(f(x), n).Sign() != 0 }}
}

func overflows(f func(x *args) *big.Int) func(x *args) bool {
	return func(x *args) bool { return clampTo(f(x), 32, true).Cmp(f(x)) != 0 }
}

func chooseSCC(x *args) *big.Int {
	if x.in {
		return x.v[0]
	}
	return x.v[1]
}

func magnitude(a *big.Int) *big.Int { return new(big.Int).Abs(a) }

// wrapped interprets the low 32 bits of a number as signed.
func wrapped(a *big.Int) *big.Int {
	d := modulo(a, 32)
	if d.Bit(31) != 0 {
		d.Sub(d, pow2(32))
	}
	return d
}

func shiftedSum(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return add(shl(x.v[0], n), x.v[1]) }
}

// halves combines two 16-bit halves, source 0's lowest.
func halves(hi0, hi1 int) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return add(x.field(0, 16*hi0, 16, false), shl(x.field(1, 16*hi1, 16, false), 16))
	}
}

// imm returns the signed immediate of SOPK, source 0.
func imm(x *args) *big.Int { return x.field(0, 0, 16, true) }

func addImm(x *args) *big.Int { return add(imm(x), x.v[1]) }

var scalarSpecs = []spec{
	{"s_add_u32 s_add_co_u32", "u32=u32,u32", false, total, outside(total)},
	{"s_sub_u32 s_sub_co_u32", "u32=u32,u32", false, diff, outside(diff)},
	{"s_addc_u32 s_add_co_ci_u32", "u32=u32,u32", false, sumIn, outside(sumIn)},
	{"s_subb_u32 s_sub_co_ci_u32", "u32=u32,u32", false, diffIn, outside(diffIn)},
	{"s_add_i32 s_add_co_i32", "i32=i32,i32", false, total, overflows(total)},
	{"s_sub_i32 s_sub_co_i32", "i32=i32,i32", false, diff, overflows(diff)},
	{"s_addk_i32 s_addk_co_i32", "i32=b16,i32", false, addImm, overflows(addImm)},
	{"s_mulk_i32", "i32=b16,i32", false, func(x *args) *big.Int { return mul(imm(x), x.v[1]) }, nil},
	{"s_movk_i32", "i32=b16", false, imm, nil},
	{"s_cmovk_i32", "i32=b16,i32", false, func(x *args) *big.Int {
		if x.in {
			return imm(x)
		}
		return x.v[1]
	}, unchanged},
	result("s_absdiff_i32", "i32=i32,i32", 32, func(x *args) *big.Int { return magnitude(wrapped(diff(x))) }),
	result("s_abs_i32", "i32=i32", 32, func(x *args) *big.Int { return magnitude(x.v[0]) }),
	{"s_lshl1_add_u32", "u32=u32,u32", false, shiftedSum(1), outside(shiftedSum(1))},
	{"s_lshl2_add_u32", "u32=u32,u32", false, shiftedSum(2), outside(shiftedSum(2))},
	{"s_lshl3_add_u32", "u32=u32,u32", false, shiftedSum(3), outside(shiftedSum(3))},
	{"s_lshl4_add_u32", "u32=u32,u32", false, shiftedSum(4), outside(shiftedSum(4))},
	{"s_mul_i32", "i32=i32,i32", false, prod, nil},
	{"s_mul_hi_u32", "u32=u32,u32", false, func(x *args) *big.Int { return shr(prod(x), 32) }, nil},
	{"s_mul_hi_i32", "i32=i32,i32", false, func(x *args) *big.Int { return shr(prod(x), 32) }, nil},
	{"s_add_nc_u64", "u64=u64,u64", false, total, nil},
	{"s_sub_nc_u64", "u64=u64,u64", false, diff, nil},
	{"s_mul_u64", "u64=u64,u64", false, prod, nil},
	{"s_min_i32", "i32=i32,i32", false, min2, func(x *args) bool { return x.v[0].Cmp(x.v[1]) < 0 }},
	{"s_min_u32", "u32=u32,u32", false, min2, func(x *args) bool { return x.v[0].Cmp(x.v[1]) < 0 }},
	{"s_max_i32", "i32=i32,i32", false, max2, func(x *args) bool { return x.v[0].Cmp(x.v[1]) >= 0 }},
	{"s_max_u32", "u32=u32,u32", false, max2, func(x *args) bool { return x.v[0].Cmp(x.v[1]) >= 0 }},
	{"s_cselect_b32 s_cmov_b32", "b32=b32,b32", false, chooseSCC, unchanged},
	{"s_cselect_b64 s_cmov_b64", "b64=b64,b64", false, chooseSCC, unchanged},
	{"s_mov_b32", "b32=b32", false, first, nil},
	{"s_mov_b64", "b64=b64", false, first, nil},
	{"s_sext_i32_i8", "i32=b32", false, func(x *args) *big.Int { return x.field(0, 0, 8, true) }, nil},
	{"s_sext_i32_i16", "i32=b32", false, func(x *args) *big.Int { return x.field(0, 0, 16, true) }, nil},
	{"s_pack_ll_b32_b16", "b32=b32,b32", false, halves(0, 0), nil},
	{"s_pack_lh_b32_b16", "b32=b32,b32", false, halves(0, 1), nil},
	{"s_pack_hh_b32_b16", "b32=b32,b32", false, halves(1, 1), nil},
	{"s_pack_hl_b32_b16", "b32=b32,b32", false, halves(1, 0), nil},
}

// scalarExtract reads offset and width from source 1.
func scalarExtract(n int, offset int, signed bool) func(x *args) *big.Int {
	return func(x *args) *big.Int { return extract(x, x.low(1, offset), x.low(1, 23)>>16, n, signed) }
}

// scalarShift shifts source 0 by the low bits of source 1.
func scalarShift(f func(*big.Int, int) *big.Int, bits int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return f(x.v[0], x.low(1, bits)) }
}

// setBit returns the old destination, source 1, with one bit changed.
func setBit(n, bits int, to bool) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return bitwise(n, func(i int) bool {
			if i == x.low(0, bits) {
				return to
			}
			return x.bit(1, i)
		})
	}
}

// anyOfQuad reports whether one of four bits is set.
func anyOfQuad(x *args, quad int) bool {
	return slices.ContainsFunc([]int{0, 1, 2, 3}, func(i int) bool { return x.bit(0, 4*quad+i) })
}

func quadMaskOf(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return bitwise(n/4, func(i int) bool { return anyOfQuad(x, i) }) }
}

func wholeQuadsOf(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return bitwise(n, func(i int) bool { return anyOfQuad(x, i/4) }) }
}

func reversed(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return bitwise(n, func(i int) bool { return x.bit(0, n-1-i) }) }
}

func counted(n int, set bool) func(x *args) *big.Int {
	return func(x *args) *big.Int { return countBits(x, n, set) }
}

func firstClear(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return search(n, func(i int) bool { return !x.bit(0, i) }) }
}

var scalarBitSpecs = []spec{
	result("s_and_b32", "b32=b32,b32", 32, logic(32, bothSet)),
	result("s_and_b64", "b64=b64,b64", 64, logic(64, bothSet)),
	result("s_or_b32", "b32=b32,b32", 32, logic(32, eitherSet)),
	result("s_or_b64", "b64=b64,b64", 64, logic(64, eitherSet)),
	result("s_xor_b32", "b32=b32,b32", 32, logic(32, differ)),
	result("s_xor_b64", "b64=b64,b64", 64, logic(64, differ)),
	result("s_nand_b32", "b32=b32,b32", 32, logic(32, func(a, b bool) bool { return !(a && b) })),
	result("s_nand_b64", "b64=b64,b64", 64, logic(64, func(a, b bool) bool { return !(a && b) })),
	result("s_nor_b32", "b32=b32,b32", 32, logic(32, func(a, b bool) bool { return !(a || b) })),
	result("s_nor_b64", "b64=b64,b64", 64, logic(64, func(a, b bool) bool { return !(a || b) })),
	result("s_xnor_b32", "b32=b32,b32", 32, logic(32, same)),
	result("s_xnor_b64", "b64=b64,b64", 64, logic(64, same)),
	result("s_andn2_b32 s_and_not1_b32", "b32=b32,b32", 32, logic(32, func(a, b bool) bool { return a && !b })),
	result("s_andn2_b64 s_and_not1_b64", "b64=b64,b64", 64, logic(64, func(a, b bool) bool { return a && !b })),
	result("s_orn2_b32 s_or_not1_b32", "b32=b32,b32", 32, logic(32, func(a, b bool) bool { return a || !b })),
	result("s_orn2_b64 s_or_not1_b64", "b64=b64,b64", 64, logic(64, func(a, b bool) bool { return a || !b })),
	result("s_not_b32", "b32=b32", 32, logic(32, unset)),
	result("s_not_b64", "b64=b64", 64, logic(64, unset)),
	result("s_lshl_b32", "b32=b32,b32", 32, scalarShift(shl, 5)),
	result("s_lshl_b64", "b64=b64,b32", 64, scalarShift(shl, 6)),
	result("s_lshr_b32", "b32=b32,b32", 32, scalarShift(shr, 5)),
	result("s_lshr_b64", "b64=b64,b32", 64, scalarShift(shr, 6)),
	result("s_ashr_i32", "i32=i32,b32", 32, scalarShift(shr, 5)),
	result("s_ashr_i64", "i64=i64,b32", 64, scalarShift(shr, 6)),
	result("s_bfe_u32", "u32=u32,b32", 32, scalarExtract(32, 5, false)),
	result("s_bfe_u64", "u64=u64,b32", 64, scalarExtract(64, 6, false)),
	result("s_bfe_i32", "i32=i32,b32", 32, scalarExtract(32, 5, true)),
	result("s_bfe_i64", "i64=i64,b32", 64, scalarExtract(64, 6, true)),
	{"s_bfm_b32", "b32=b32,b32", false, func(x *args) *big.Int { return mask(32, x.low(0, 5), x.low(1, 5)) }, nil},
	{"s_bfm_b64", "b64=b32,b32", false, func(x *args) *big.Int { return mask(64, x.low(0, 6), x.low(1, 6)) }, nil},
	{"s_brev_b32", "b32=b32", false, reversed(32), nil},
	{"s_brev_b64", "b64=b64", false, reversed(64), nil},
	result("s_bcnt0_i32_b32", "i32=b32", 32, counted(32, false)),
	result("s_bcnt0_i32_b64", "i32=b64", 32, counted(64, false)),
	result("s_bcnt1_i32_b32", "i32=b32", 32, counted(32, true)),
	result("s_bcnt1_i32_b64", "i32=b64", 32, counted(64, true)),
	{"s_ff0_i32_b32", "i32=b32", false, firstClear(32), nil},
	{"s_ff0_i32_b64", "i32=b64", false, firstClear(64), nil},
	{"s_ff1_i32_b32 s_ctz_i32_b32", "i32=b32", false, firstSetLo(32), nil},
	{"s_ff1_i32_b64 s_ctz_i32_b64", "i32=b64", false, firstSetLo(64), nil},
	{"s_flbit_i32_b32 s_clz_i32_u32", "i32=b32", false, firstSetHi(32), nil},
	{"s_flbit_i32_b64 s_clz_i32_u64", "i32=b64", false, firstSetHi(64), nil},
	{"s_flbit_i32 s_cls_i32", "i32=i32", false, firstUnlikeSign(32), nil},
	{"s_flbit_i32_i64 s_cls_i32_i64", "i32=i64", false, firstUnlikeSign(64), nil},
	{"s_bitset0_b32", "b32=b32,b32", false, setBit(32, 5, false), nil},
	{"s_bitset0_b64", "b64=b32,b64", false, setBit(64, 6, false), nil},
	{"s_bitset1_b32", "b32=b32,b32", false, setBit(32, 5, true), nil},
	{"s_bitset1_b64", "b64=b32,b64", false, setBit(64, 6, true), nil},
	{"s_bitreplicate_b64_b32", "b64=b32", false, func(x *args) *big.Int { return bitwise(64, func(i int) bool { return x.bit(0, i/2) }) }, nil},
	result("s_quadmask_b32", "b32=b32", 32, quadMaskOf(32)),
	result("s_quadmask_b64", "b64=b64", 64, quadMaskOf(64)),
	result("s_wqm_b32", "b32=b32", 32, wholeQuadsOf(32)),
	result("s_wqm_b64", "b64=b64", 64, wholeQuadsOf(64)),
}

func scalarCmpSpecs() []spec {
	cmp := func(name, types string, holds func(int) bool, b func(x *args) *big.Int) spec {
		return spec{name, types, false, nil, func(x *args) bool { return holds(x.v[0].Cmp(b(x))) }}
	}
	second := func(x *args) *big.Int { return x.v[1] }
	var list []spec
	for _, p := range []string{"eq", "lg", "gt", "ge", "lt", "le"} {
		holds := relations[p]
		list = append(list,
			cmp("s_cmp_"+p+"_i32", "none=i32,i32", holds, second),
			cmp("s_cmp_"+p+"_u32", "none=u32,u32", holds, second),
			cmp("s_cmpk_"+p+"_i32", "none=i32,b16", holds, func(x *args) *big.Int { return x.field(1, 0, 16, true) }),
			cmp("s_cmpk_"+p+"_u32", "none=u32,b16", holds, second))
	}
	bitOf := func(name, types string, bits int, want bool) spec {
		return spec{name, types, false, nil, func(x *args) bool { return x.bit(0, x.low(1, bits)) == want }}
	}
	return append(list,
		cmp("s_cmp_eq_u64", "none=u64,u64", relations["eq"], second),
		cmp("s_cmp_lg_u64", "none=u64,u64", relations["lg"], second),
		bitOf("s_bitcmp0_b32", "none=b32,b32", 5, false),
		bitOf("s_bitcmp1_b32", "none=b32,b32", 5, true),
		bitOf("s_bitcmp0_b64", "none=b64,b32", 6, false),
		bitOf("s_bitcmp1_b64", "none=b64,b32", 6, true))
}

// rowNamed returns the row of a name from any of the tables.
func rowNamed(t *testing.T, name string) *Row {
	t.Helper()
	row := Of(opNamed(t, name))
	if row == nil {
		t.Fatal("no row for " + name)
	}
	return row
}
