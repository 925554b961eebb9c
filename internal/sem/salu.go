package sem

// Scalar operations with two sources and with one. A FlagFunc receives SCC and
// returns the new SCC; a Func neither reads nor writes it. An operation that
// reads SCC without writing it returns it unchanged. Source: AMD's ISA
// documents, SOP2 and SOP1.

import "math/bits"

func salu2Rows() []Row {
	return []Row{
		{Name: "s_add_co_u32", Sig: sig(U32, U32, U32), Flag: func(_ *Ctx, a, b, _ uint64, _ bool) (uint64, bool) { return a + b, (a+b)>>32 != 0 }},
		{Name: "s_sub_co_u32", Sig: sig(U32, U32, U32), Flag: func(_ *Ctx, a, b, _ uint64, _ bool) (uint64, bool) { return a - b, a < b }},
		{Name: "s_add_co_ci_u32", Sig: sig(U32, U32, U32), Flag: scalarAddCarry},
		{Name: "s_sub_co_ci_u32", Sig: sig(U32, U32, U32), Flag: scalarSubBorrow},
		{Name: "s_add_co_i32", Sig: sig(I32, I32, I32), Flag: scalarAdd},
		{Name: "s_sub_co_i32", Sig: sig(I32, I32, I32), Flag: scalarSub},
		{Name: "s_absdiff_i32", Sig: sig(I32, I32, I32), Flag: nonzero32(func(_ *Ctx, a, b, _ uint64) uint64 { return abs32(int32(a) - int32(b)) })},
		{Name: "s_lshl1_add_u32", Sig: sig(U32, U32, U32), Flag: shiftAdd(1)},
		{Name: "s_lshl2_add_u32", Sig: sig(U32, U32, U32), Flag: shiftAdd(2)},
		{Name: "s_lshl3_add_u32", Sig: sig(U32, U32, U32), Flag: shiftAdd(3)},
		{Name: "s_lshl4_add_u32", Sig: sig(U32, U32, U32), Flag: shiftAdd(4)},
		{Name: "s_mul_i32", Sig: sig(I32, I32, I32), Fn: mulLo},
		{Name: "s_mul_hi_u32", Sig: sig(U32, U32, U32), Fn: mulHi[uint32]},
		{Name: "s_mul_hi_i32", Sig: sig(I32, I32, I32), Fn: mulHi[int32]},
		{Name: "s_add_nc_u64", Sig: sig(U64, U64, U64), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a + b }},
		{Name: "s_sub_nc_u64", Sig: sig(U64, U64, U64), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a - b }},
		{Name: "s_mul_u64", Sig: sig(U64, U64, U64), Fn: mulLo},

		// SCC is set if the first source is selected
		{Name: "s_min_i32", Sig: sig(I32, I32, I32), Flag: scalarChoice(less[int32])},
		{Name: "s_min_u32", Sig: sig(U32, U32, U32), Flag: scalarChoice(less[uint32])},
		{Name: "s_max_i32", Sig: sig(I32, I32, I32), Flag: scalarChoice(greaterEqual[int32])},
		{Name: "s_max_u32", Sig: sig(U32, U32, U32), Flag: scalarChoice(greaterEqual[uint32])},
		{Name: "s_cselect_b32", Sig: sig(B32, B32, B32), Flag: selectFirst},
		{Name: "s_cselect_b64", Sig: sig(B64, B64, B64), Flag: selectFirst},

		{Name: "s_and_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(and)},
		{Name: "s_and_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(and)},
		{Name: "s_or_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(or)},
		{Name: "s_or_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(or)},
		{Name: "s_xor_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(xor)},
		{Name: "s_xor_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(xor)},
		{Name: "s_nand_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(nand)},
		{Name: "s_nand_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(nand)},
		{Name: "s_nor_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(nor)},
		{Name: "s_nor_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(nor)},
		{Name: "s_xnor_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(xnor)},
		{Name: "s_xnor_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(xnor)},
		{Name: "s_and_not1_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(andn2)},
		{Name: "s_and_not1_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(andn2)},
		{Name: "s_or_not1_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(orn2)},
		{Name: "s_or_not1_b64", Sig: sig(B64, B64, B64), Flag: nonzero64(orn2)},

		{Name: "s_lshl_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(func(_ *Ctx, s, n, _ uint64) uint64 { return s << (n & 31) })},
		{Name: "s_lshl_b64", Sig: sig(B64, B64, B32), Flag: nonzero64(func(_ *Ctx, s, n, _ uint64) uint64 { return s << (n & 63) })},
		{Name: "s_lshr_b32", Sig: sig(B32, B32, B32), Flag: nonzero32(func(_ *Ctx, s, n, _ uint64) uint64 { return s >> (n & 31) })},
		{Name: "s_lshr_b64", Sig: sig(B64, B64, B32), Flag: nonzero64(func(_ *Ctx, s, n, _ uint64) uint64 { return s >> (n & 63) })},
		{Name: "s_ashr_i32", Sig: sig(I32, I32, B32), Flag: nonzero32(func(_ *Ctx, s, n, _ uint64) uint64 { return uint64(int32(s) >> (n & 31)) })},
		{Name: "s_ashr_i64", Sig: sig(I64, I64, B32), Flag: nonzero64(func(_ *Ctx, s, n, _ uint64) uint64 { return uint64(int64(s) >> (n & 63)) })},
		{Name: "s_bfe_u32", Sig: sig(U32, U32, B32), Flag: nonzero32(func(_ *Ctx, s, f, _ uint64) uint64 { return s >> (f & 31) & ones(fieldWidth(f)) })},
		{Name: "s_bfe_u64", Sig: sig(U64, U64, B32), Flag: nonzero64(func(_ *Ctx, s, f, _ uint64) uint64 { return s >> (f & 63) & ones(fieldWidth(f)) })},
		{Name: "s_bfe_i32", Sig: sig(I32, I32, B32), Flag: nonzero32(func(_ *Ctx, s, f, _ uint64) uint64 {
			return signed(uint64(int32(s)>>(f&31)), fieldWidth(f))
		})},
		{Name: "s_bfe_i64", Sig: sig(I64, I64, B32), Flag: nonzero64(func(_ *Ctx, s, f, _ uint64) uint64 {
			return signed(uint64(int64(s)>>(f&63)), fieldWidth(f))
		})},
		{Name: "s_bfm_b32", Sig: sig(B32, B32, B32), Fn: bfm32},
		{Name: "s_bfm_b64", Sig: sig(B64, B32, B32), Fn: func(_ *Ctx, width, at, _ uint64) uint64 { return ones(width&63) << (at & 63) }},

		{Name: "s_pack_ll_b32_b16", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a&0xffff | b<<16 }},
		{Name: "s_pack_lh_b32_b16", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a&0xffff | b&0xffff0000 }},
		{Name: "s_pack_hh_b32_b16", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a>>16 | b&0xffff0000 }},
		{Name: "s_pack_hl_b32_b16", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return a>>16 | b<<16 }},
	}
}

// salu1Rows lists SOP1. The old destination of s_cmov and s_bitset is the last
// source.
func salu1Rows() []Row {
	return []Row{
		{Name: "s_mov_b32", Sig: sig(B32, B32), Fn: mov},
		{Name: "s_mov_b64", Sig: sig(B64, B64), Fn: mov},
		{Name: "s_cmov_b32", Sig: sig(B32, B32, B32), Flag: selectFirst},
		{Name: "s_cmov_b64", Sig: sig(B64, B64, B64), Flag: selectFirst},
		{Name: "s_not_b32", Sig: sig(B32, B32), Flag: nonzero32(not)},
		{Name: "s_not_b64", Sig: sig(B64, B64), Flag: nonzero64(not)},
		{Name: "s_abs_i32", Sig: sig(I32, I32), Flag: nonzero32(func(_ *Ctx, s, _, _ uint64) uint64 { return abs32(int32(s)) })},
		{Name: "s_sext_i32_i8", Sig: sig(I32, B32), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(int8(s)) }},
		{Name: "s_sext_i32_i16", Sig: sig(I32, B32), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(int16(s)) }},
		{Name: "s_brev_b32", Sig: sig(B32, B32), Fn: reverse32},
		{Name: "s_brev_b64", Sig: sig(B64, B64), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return bits.Reverse64(s) }},

		{Name: "s_bcnt0_i32_b32", Sig: sig(I32, B32), Flag: nonzero32(func(_ *Ctx, s, _, _ uint64) uint64 { return 32 - uint64(bits.OnesCount64(s)) })},
		{Name: "s_bcnt0_i32_b64", Sig: sig(I32, B64), Flag: nonzero32(func(_ *Ctx, s, _, _ uint64) uint64 { return 64 - uint64(bits.OnesCount64(s)) })},
		{Name: "s_bcnt1_i32_b32", Sig: sig(I32, B32), Flag: nonzero32(func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(bits.OnesCount64(s)) })},
		{Name: "s_bcnt1_i32_b64", Sig: sig(I32, B64), Flag: nonzero32(func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(bits.OnesCount64(s)) })},
		{Name: "s_ff0_i32_b32", Sig: sig(I32, B32), Fn: func(c *Ctx, s, _, _ uint64) uint64 { return firstOneLo32(c, s^0xffffffff, 0, 0) }},
		{Name: "s_ff0_i32_b64", Sig: sig(I32, B64), Fn: func(c *Ctx, s, _, _ uint64) uint64 { return firstOneLo32(c, ^s, 0, 0) }},
		{Name: "s_ctz_i32_b32", Sig: sig(I32, B32), Fn: firstOneLo32},
		{Name: "s_ctz_i32_b64", Sig: sig(I32, B64), Fn: firstOneLo32},
		{Name: "s_clz_i32_u32", Sig: sig(I32, B32), Fn: firstOneHi32},
		{Name: "s_clz_i32_u64", Sig: sig(I32, B64), Fn: firstOneHi64},
		{Name: "s_cls_i32", Sig: sig(I32, I32), Fn: signBits32},
		{Name: "s_cls_i32_i64", Sig: sig(I32, I64), Fn: func(c *Ctx, s, _, _ uint64) uint64 {
			return firstOneHi64(c, s^uint64(int64(s)>>63), 0, 0)
		}},

		{Name: "s_bitset0_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, n, old, _ uint64) uint64 { return old &^ (1 << (n & 31)) }},
		{Name: "s_bitset0_b64", Sig: sig(B64, B32, B64), Fn: func(_ *Ctx, n, old, _ uint64) uint64 { return old &^ (1 << (n & 63)) }},
		{Name: "s_bitset1_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, n, old, _ uint64) uint64 { return old | 1<<(n&31) }},
		{Name: "s_bitset1_b64", Sig: sig(B64, B32, B64), Fn: func(_ *Ctx, n, old, _ uint64) uint64 { return old | 1<<(n&63) }},
		{Name: "s_bitreplicate_b64_b32", Sig: sig(B64, B32), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return spread(s) * 3 }},
		{Name: "s_quadmask_b32", Sig: sig(B32, B32), Flag: nonzero32(quadMask)},
		{Name: "s_quadmask_b64", Sig: sig(B64, B64), Flag: nonzero64(quadMask)},
		{Name: "s_wqm_b32", Sig: sig(B32, B32), Flag: nonzero32(wholeQuads)},
		{Name: "s_wqm_b64", Sig: sig(B64, B64), Flag: nonzero64(wholeQuads)},
	}
}

// nonzero32 turns a 32-bit operation into one that sets SCC if its result is
// not 0.
func nonzero32(f Func) FlagFunc {
	return func(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) {
		d := f(c, s0, s1, s2) & 0xffffffff
		return d, d != 0
	}
}

// nonzero64 is nonzero32 for 64 bits.
func nonzero64(f Func) FlagFunc {
	return func(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) {
		d := f(c, s0, s1, s2)
		return d, d != 0
	}
}

func scalarAddCarry(_ *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	d := s0 + s1 + boolBit(in)
	return d, d>>32 != 0
}

func scalarSubBorrow(_ *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	s1 += boolBit(in)
	return s0 - s1, s0 < s1
}

// scalarAdd and scalarSub set SCC on signed overflow.
func scalarAdd(_ *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
	d := int64(int32(s0)) + int64(int32(s1))
	return uint64(d), d != int64(int32(d))
}

func scalarSub(_ *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
	d := int64(int32(s0)) - int64(int32(s1))
	return uint64(d), d != int64(int32(d))
}

// shiftAdd sets SCC if the exact sum does not fit in 32 bits.
func shiftAdd(n int) FlagFunc {
	return func(_ *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
		d := s0<<n + s1
		return d, d>>32 != 0
	}
}

// scalarChoice selects the first source if the comparison is true.
func scalarChoice(f Func) FlagFunc {
	return func(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
		if f(c, s0, s1, 0) != 0 {
			return s0, true
		}
		return s1, false
	}
}

func selectFirst(_ *Ctx, s0, s1, _ uint64, scc bool) (uint64, bool) {
	if scc {
		return s0, scc
	}
	return s1, scc
}

// abs32 returns the absolute value of a number; for the lowest one, the number
// itself.
func abs32(s int32) uint64 { return uint64(max(s, -s)) }

// fieldWidth returns the width of a bit field, 0 to 127, from a source of
// s_bfe. A field that extends beyond the source ends with it.
func fieldWidth(f uint64) uint64 { return min(f>>16&0x7f, 64) }

func firstOneHi64(_ *Ctx, s, _, _ uint64) uint64 {
	if s == 0 {
		return notFound
	}
	return uint64(bits.LeadingZeros64(s))
}

// spread moves bit n of 32 bits to bit 2n.
func spread(s uint64) uint64 {
	s = (s | s<<16) & 0x0000ffff0000ffff
	s = (s | s<<8) & 0x00ff00ff00ff00ff
	s = (s | s<<4) & 0x0f0f0f0f0f0f0f0f
	s = (s | s<<2) & 0x3333333333333333
	return (s | s<<1) & 0x5555555555555555
}

// quads returns the lowest bit of each group of four in which any bit is set.
func quads(s uint64) uint64 {
	s |= s >> 1
	return (s | s>>2) & 0x1111111111111111
}

// wholeQuads sets all four bits of each group in which any is set.
func wholeQuads(_ *Ctx, s, _, _ uint64) uint64 { return quads(s) * 15 }

// quadMask returns one bit for each group of four, set if any of the four is.
func quadMask(_ *Ctx, s, _, _ uint64) uint64 {
	s = quads(s)
	s = (s | s>>3) & 0x0303030303030303
	s = (s | s>>6) & 0x000f000f000f000f
	s = (s | s>>12) & 0x000000ff000000ff
	return (s | s>>24) & 0xffff
}
