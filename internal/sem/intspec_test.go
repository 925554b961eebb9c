package sem

import "math/big"

// negative reports whether a number is negative.
func negative(a *big.Int) bool { return a.Sign() < 0 }

// tall reports whether a number does not fit in n bits, unsigned.
func tall(a *big.Int, n int) bool { return a.Sign() < 0 || a.BitLen() > n }

func inBit(x *args) *big.Int {
	if x.in {
		return num(1)
	}
	return num(0)
}

func first(x *args) *big.Int { return x.v[0] }
func total(x *args) *big.Int { return add(x.v[0], x.v[1]) }
func diff(x *args) *big.Int  { return sub(x.v[0], x.v[1]) }
func rev(x *args) *big.Int   { return sub(x.v[1], x.v[0]) }
func prod(x *args) *big.Int  { return mul(x.v[0], x.v[1]) }
func muladd(x *args) *big.Int {
	return add(mul(x.v[0], x.v[1]), x.v[2])
}

func sumIn(x *args) *big.Int  { return add(total(x), inBit(x)) }
func diffIn(x *args) *big.Int { return sub(diff(x), inBit(x)) }
func revIn(x *args) *big.Int  { return sub(rev(x), inBit(x)) }

// outside reports whether an exact result does not fit in 32 unsigned bits.
func outside(f func(x *args) *big.Int) func(x *args) bool {
	return func(x *args) bool { return tall(f(x), 32) }
}

// unsigned returns a 32-bit source as an unsigned number.
func unsigned(x *args, src int) *big.Int { return x.field(src, 0, 32, false) }

// prod24 multiplies the low 24 bits.
func prod24(x *args, signed bool) *big.Int {
	return mul(x.field(0, 0, 24, signed), x.field(1, 0, 24, signed))
}

func min2(x *args) *big.Int { return smaller(x.v[0], x.v[1]) }
func max2(x *args) *big.Int { return larger(x.v[0], x.v[1]) }
func min3(x *args) *big.Int { return smaller(min2(x), x.v[2]) }
func max3(x *args) *big.Int { return larger(max2(x), x.v[2]) }

// middle returns the number that is neither the smallest nor the largest.
func middle(x *args) *big.Int {
	all := add(add(x.v[0], x.v[1]), x.v[2])
	return sub(sub(all, min3(x)), max3(x))
}

func chosen(x *args) *big.Int {
	if x.in {
		return x.v[1]
	}
	return x.v[0]
}

func unchanged(x *args) bool { return x.in }

// f16Kept returns a 16-bit source of v_pack_b32_f16. A denormal is flushed
// unless the mode keeps denormal sources (FP_DENORM of f16, its bit 0).
func f16Kept(x *args, src int) *big.Int {
	d := x.field(src, 0, 16, false)
	exponent := x.field(src, 10, 5, false)
	if x.c.Mode>>6&1 == 0 && exponent.Sign() == 0 {
		return bitwise(16, func(i int) bool { return i == 15 && x.bit(src, 15) })
	}
	return d
}

var intSpecs = []spec{
	{"v_mov_b16", "b16=b16", false, first, nil},
	{"v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", "b32=b32", false, first, nil},
	{"v_mov_b64", "b64=b64", false, first, nil},
	{"v_pk_mov_b32", "b32=b32,b32", false, first, nil},
	{"v_cndmask_b16", "b16=f16,f16", false, chosen, unchanged},
	{"v_cndmask_b32", "b32=f32,f32", false, chosen, unchanged},

	{"v_add_u16 v_add_nc_u16 v_pk_add_u16", "u16=u16,u16", true, total, nil},
	{"v_add_i16 v_add_nc_i16 v_pk_add_i16", "i16=i16,i16", true, total, nil},
	{"v_add_nc_i32", "i32=i32,i32", true, total, nil},
	{"v_add_nc_u32", "u32=u32,u32", true, total, nil},
	{"v_sub_u16 v_sub_nc_u16 v_pk_sub_u16", "u16=u16,u16", true, diff, nil},
	{"v_sub_i16 v_sub_nc_i16 v_pk_sub_i16", "i16=i16,i16", true, diff, nil},
	{"v_sub_nc_i32", "i32=i32,i32", true, diff, nil},
	{"v_sub_nc_u32", "u32=u32,u32", true, diff, nil},
	{"v_subrev_u16", "u16=u16,u16", true, rev, nil},
	{"v_subrev_nc_u32", "u32=u32,u32", true, rev, nil},
	{"v_add_i32", "i32=i32,i32", true, total, func(x *args) bool { return tall(add(unsigned(x, 0), unsigned(x, 1)), 32) }},
	{"v_sub_i32", "i32=i32,i32", true, diff, func(x *args) bool { return negative(sub(unsigned(x, 0), unsigned(x, 1))) }},
	{"v_subrev_i32", "i32=i32,i32", true, rev, func(x *args) bool { return negative(sub(unsigned(x, 1), unsigned(x, 0))) }},
	{"v_add_u32 v_add_co_u32", "u32=u32,u32", true, total, outside(total)},
	{"v_sub_u32 v_sub_co_u32", "u32=u32,u32", true, diff, outside(diff)},
	{"v_subrev_u32 v_subrev_co_u32", "u32=u32,u32", true, rev, outside(rev)},
	{"v_addc_u32 v_addc_co_u32 v_add_co_ci_u32", "u32=u32,u32", true, sumIn, outside(sumIn)},
	{"v_subb_u32 v_subb_co_u32 v_sub_co_ci_u32", "u32=u32,u32", true, diffIn, outside(diffIn)},
	{"v_subbrev_u32 v_subbrev_co_u32 v_subrev_co_ci_u32", "u32=u32,u32", true, revIn, outside(revIn)},
	{"v_add3_u32", "u32=u32,u32,u32", false, func(x *args) *big.Int { return add(total(x), x.v[2]) }, nil},

	{"v_mul_lo_u32 v_mul_lo_i32", "u32=u32,u32", false, prod, nil},
	{"v_mul_hi_u32", "u32=u32,u32", false, func(x *args) *big.Int { return shr(prod(x), 32) }, nil},
	{"v_mul_hi_i32", "i32=i32,i32", false, func(x *args) *big.Int { return shr(prod(x), 32) }, nil},
	{"v_mul_lo_u16 v_pk_mul_lo_u16", "u16=u16,u16", true, prod, nil},
	{"v_mul_u32_u24", "u32=u32,u32", true, func(x *args) *big.Int { return prod24(x, false) }, nil},
	{"v_mul_i32_i24", "i32=i32,i32", true, func(x *args) *big.Int { return prod24(x, true) }, nil},
	{"v_mul_hi_u32_u24", "u32=u32,u32", false, func(x *args) *big.Int { return shr(prod24(x, false), 32) }, nil},
	{"v_mul_hi_i32_i24", "i32=i32,i32", false, func(x *args) *big.Int { return shr(prod24(x, true), 32) }, nil},

	{"v_mad_u16 v_mad_legacy_u16 v_pk_mad_u16", "u16=u16,u16,u16", true, muladd, nil},
	{"v_mad_i16 v_mad_legacy_i16 v_pk_mad_i16", "i16=i16,i16,i16", true, muladd, nil},
	{"v_mad_u32_u16", "u32=u16,u16,u32", true, muladd, nil},
	{"v_mad_i32_i16", "i32=i16,i16,i32", true, muladd, nil},
	{"v_mad_u32_u24", "u32=u32,u32,u32", true, func(x *args) *big.Int { return add(prod24(x, false), x.v[2]) }, nil},
	{"v_mad_i32_i24", "i32=i32,i32,i32", true, func(x *args) *big.Int { return add(prod24(x, true), x.v[2]) }, nil},
	{"v_mad_u64_u32 v_mad_co_u64_u32", "u64=u32,u32,u64", true, muladd, func(x *args) bool { return tall(muladd(x), 64) }},
	{"v_mad_i64_i32 v_mad_co_i64_i32", "i64=i32,i32,i64", true, muladd, func(x *args) bool { return negative(muladd(x)) }},

	{"v_min_u16 v_pk_min_u16", "u16=u16,u16", false, min2, nil},
	{"v_min_i16 v_pk_min_i16", "i16=i16,i16", false, min2, nil},
	{"v_min_u32", "u32=u32,u32", false, min2, nil},
	{"v_min_i32", "i32=i32,i32", false, min2, nil},
	{"v_max_u16 v_pk_max_u16", "u16=u16,u16", false, max2, nil},
	{"v_max_i16 v_pk_max_i16", "i16=i16,i16", false, max2, nil},
	{"v_max_u32", "u32=u32,u32", false, max2, nil},
	{"v_max_i32", "i32=i32,i32", false, max2, nil},
	{"v_min3_u16 v_pk_min3_u16", "u16=u16,u16,u16", false, min3, nil},
	{"v_min3_i16 v_pk_min3_i16", "i16=i16,i16,i16", false, min3, nil},
	{"v_min3_u32", "u32=u32,u32,u32", false, min3, nil},
	{"v_min3_i32", "i32=i32,i32,i32", false, min3, nil},
	{"v_max3_u16 v_pk_max3_u16", "u16=u16,u16,u16", false, max3, nil},
	{"v_max3_i16 v_pk_max3_i16", "i16=i16,i16,i16", false, max3, nil},
	{"v_max3_u32", "u32=u32,u32,u32", false, max3, nil},
	{"v_max3_i32", "i32=i32,i32,i32", false, max3, nil},
	{"v_med3_u16", "u16=u16,u16,u16", false, middle, nil},
	{"v_med3_i16", "i16=i16,i16,i16", false, middle, nil},
	{"v_med3_u32", "u32=u32,u32,u32", false, middle, nil},
	{"v_med3_i32", "i32=i32,i32,i32", false, middle, nil},
	{"v_maxmin_u32", "u32=u32,u32,u32", false, func(x *args) *big.Int { return smaller(max2(x), x.v[2]) }, nil},
	{"v_maxmin_i32", "i32=i32,i32,i32", false, func(x *args) *big.Int { return smaller(max2(x), x.v[2]) }, nil},
	{"v_minmax_u32", "u32=u32,u32,u32", false, func(x *args) *big.Int { return larger(min2(x), x.v[2]) }, nil},
	{"v_minmax_i32", "i32=i32,i32,i32", false, func(x *args) *big.Int { return larger(min2(x), x.v[2]) }, nil},

	{"v_cvt_i32_i16", "i32=i16", false, first, nil},
	{"v_cvt_u32_u16", "u32=u16", false, first, nil},
	{"v_cvt_pk_i16_i32", "b32=i32,i32", false, func(x *args) *big.Int {
		return join(16, 2, func(i int) *big.Int { return clampTo(x.v[i], 16, true) })
	}, nil},
	{"v_cvt_pk_u16_u32", "b32=u32,u32", false, func(x *args) *big.Int {
		return join(16, 2, func(i int) *big.Int { return clampTo(x.v[i], 16, false) })
	}, nil},
	{"v_sat_pk_u8_i16", "b16=b32", false, func(x *args) *big.Int {
		return join(8, 2, func(i int) *big.Int { return clampTo(x.field(0, 16*i, 16, true), 8, false) })
	}, nil},
	{"v_pack_b32_f16", "b32=f16,f16", false, func(x *args) *big.Int {
		return join(16, 2, func(i int) *big.Int { return f16Kept(x, i) })
	}, nil},
}

// sad sums the distances between elements of a width, from bit at of source 0
// on, and the elements of source 1; masked skips the elements that are 0 there.
func sad(x *args, at, width, n int, masked bool) *big.Int {
	d := num(0)
	for i := range n {
		a, b := x.field(0, at+width*i, width, false), x.field(1, width*i, width, false)
		if !masked || b.Sign() != 0 {
			d = add(d, distance(a, b))
		}
	}
	return d
}

// sadQuad computes the four 16-bit sums of v_qsad and v_mqsad.
func sadQuad(x *args, masked bool) *big.Int {
	return join(16, 4, func(i int) *big.Int {
		d := add(sad(x, 8*i, 8, 4, masked), x.field(2, 16*i, 16, false))
		if x.c.Clamp {
			d = clampTo(d, 16, false)
		}
		return d
	})
}

var sadSpecs = []spec{
	{"v_sad_u8", "u32=b32,b32,u32", true, func(x *args) *big.Int { return add(sad(x, 0, 8, 4, false), x.v[2]) }, nil},
	{"v_sad_hi_u8", "u32=b32,b32,u32", true, func(x *args) *big.Int { return add(shl(sad(x, 0, 8, 4, false), 16), x.v[2]) }, nil},
	{"v_sad_u16", "u32=b32,b32,u32", true, func(x *args) *big.Int { return add(sad(x, 0, 16, 2, false), x.v[2]) }, nil},
	{"v_sad_u32", "u32=u32,u32,u32", true, func(x *args) *big.Int { return add(distance(x.v[0], x.v[1]), x.v[2]) }, nil},
	{"v_msad_u8", "u32=b32,b32,u32", true, func(x *args) *big.Int { return add(sad(x, 0, 8, 4, true), x.v[2]) }, nil},
	{"v_qsad_pk_u16_u8", "b64=b64,b32,b64", false, func(x *args) *big.Int { return sadQuad(x, false) }, nil},
	{"v_mqsad_pk_u16_u8", "b64=b64,b32,b64", false, func(x *args) *big.Int { return sadQuad(x, true) }, nil},
}

// relations lists the predicates of integers by the signs of comparisons.
var relations = map[string]func(sign int) bool{
	"f":  func(int) bool { return false },
	"lt": func(s int) bool { return s < 0 },
	"eq": func(s int) bool { return s == 0 },
	"le": func(s int) bool { return s <= 0 },
	"gt": func(s int) bool { return s > 0 },
	"ne": func(s int) bool { return s != 0 },
	"lg": func(s int) bool { return s != 0 },
	"ge": func(s int) bool { return s >= 0 },
	"t":  func(int) bool { return true },
}

func cmpSpecs() []spec {
	var list []spec
	for _, t := range []string{"i16", "i32", "i64", "u16", "u32", "u64"} {
		for p, holds := range relations {
			if p == "lg" {
				continue
			}
			n := p + "_" + t
			list = append(list, spec{"v_cmp_" + n + " v_cmpx_" + n, "bool=" + t + "," + t, false, func(x *args) *big.Int {
				if holds(x.v[0].Cmp(x.v[1])) {
					return num(1)
				}
				return num(0)
			}, nil})
		}
	}
	return list
}
