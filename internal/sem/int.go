package sem

// Integer addition, subtraction, multiplication and selection, and moves. The
// clamp bit saturates to the result's type; without it results wrap.
// Source: AMD's ISA documents, "Vector ALU", "Output modifiers", and the
// descriptions of the instructions.

import "math/bits"

// narrow is the set of integer types whose sums, and 16-bit and 24-bit
// products, are exact in an int64.
type narrow interface {
	int16 | uint16 | int32 | uint32
}

// integer is the set of integer types of operands.
type integer interface {
	narrow | int64 | uint64
}

// fit returns an exact result as a T: its low bits, or with clamp the nearest
// T.
func fit[T narrow](c *Ctx, x int64) uint64 {
	if c.Clamp && int64(T(x)) != x {
		return nearest[T](x < 0)
	}
	return uint64(x)
}

// nearest returns the lowest or the highest T.
func nearest[T narrow](low bool) uint64 {
	hi, lo := ^T(0), T(0)
	if hi < 0 {
		for lo = hi; lo<<1 < 0; {
			lo <<= 1
		}
		hi = ^lo
	}
	if low {
		return uint64(lo)
	}
	return uint64(hi)
}

// boolBit returns 1 for true and 0 for false.
func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func intRows() []Row {
	return []Row{
		{Name: "v_mov_b16", Sig: sig(B16, B16), Fn: mov},
		{Name: "v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", Sig: sig(B32, B32), Fn: mov},
		{Name: "v_mov_b64", Sig: sig(B64, B64), Fn: mov},
		// The low element is a dword of the first source, the high one a dword
		// of the second. The caller passes the dword selected by op_sel (not
		// op_sel_hi) as the first source.
		{Name: "v_pk_mov_b32", Sig: sig(B32, B32, B32), Fn: mov},
		// neg and abs apply to the two values
		{Name: "v_cndmask_b16", Sig: sig(B16, F16, F16), Flag: choose},
		{Name: "v_cndmask_b32", Sig: sig(B32, F32, F32), Flag: choose},

		{Name: "v_add_u16 v_add_nc_u16 v_pk_add_u16", Sig: sig(U16, U16, U16), Fn: addInt[uint16]},
		{Name: "v_add_i16 v_add_nc_i16 v_pk_add_i16", Sig: sig(I16, I16, I16), Fn: addInt[int16]},
		{Name: "v_add_nc_i32", Sig: sig(I32, I32, I32), Fn: addInt[int32]},
		{Name: "v_add_nc_u32", Sig: sig(U32, U32, U32), Fn: addInt[uint32]},
		{Name: "v_sub_u16 v_sub_nc_u16 v_pk_sub_u16", Sig: sig(U16, U16, U16), Fn: subInt[uint16]},
		{Name: "v_sub_i16 v_sub_nc_i16 v_pk_sub_i16", Sig: sig(I16, I16, I16), Fn: subInt[int16]},
		{Name: "v_sub_nc_i32", Sig: sig(I32, I32, I32), Fn: subInt[int32]},
		{Name: "v_sub_nc_u32", Sig: sig(U32, U32, U32), Fn: subInt[uint32]},
		{Name: "v_subrev_u16", Sig: sig(U16, U16, U16), Fn: subrevInt[uint16]},
		{Name: "v_subrev_nc_u32", Sig: sig(U32, U32, U32), Fn: subrevInt[uint32]},

		// v_add_u32, v_sub_u32 and v_subrev_u32 have a carry out on gfx8 only,
		// v_add_i32, v_sub_i32 and v_subrev_i32 on gfx6 and gfx7: the encodings
		// of gfx9 have no field for it. The clamp bit of v_add_i32 and v_sub_i32
		// saturates to i32.
		{Name: "v_add_i32", Sig: sig(I32, I32, I32), Flag: addSignedCarryOut},
		{Name: "v_sub_i32", Sig: sig(I32, I32, I32), Flag: subSignedBorrowOut},
		{Name: "v_subrev_i32", Sig: sig(I32, I32, I32), Flag: subrevSignedBorrowOut},
		{Name: "v_add_u32 v_add_co_u32", Sig: sig(U32, U32, U32), Flag: addCarryOut},
		{Name: "v_sub_u32 v_sub_co_u32", Sig: sig(U32, U32, U32), Flag: subBorrowOut},
		{Name: "v_subrev_u32 v_subrev_co_u32", Sig: sig(U32, U32, U32), Flag: subrevBorrowOut},
		{Name: "v_add_co_ci_u32", Sig: sig(U32, U32, U32), Flag: addCarry},
		{Name: "v_sub_co_ci_u32", Sig: sig(U32, U32, U32), Flag: subBorrow},
		{Name: "v_subrev_co_ci_u32", Sig: sig(U32, U32, U32), Flag: subrevBorrow},
		{Name: "v_add3_u32", Sig: sig(U32, U32, U32, U32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a + b + d }},

		{Name: "v_mul_lo_u32 v_mul_lo_i32", Sig: sig(U32, U32, U32), Fn: mulLo},
		{Name: "v_mul_hi_u32", Sig: sig(U32, U32, U32), Fn: mulHi[uint32]},
		{Name: "v_mul_hi_i32", Sig: sig(I32, I32, I32), Fn: mulHi[int32]},
		{Name: "v_mul_lo_u16 v_pk_mul_lo_u16", Sig: sig(U16, U16, U16), Fn: mulLo16},
		{Name: "v_mul_u32_u24", Sig: sig(U32, U32, U32), Fn: func(c *Ctx, a, b, _ uint64) uint64 { return fit[uint32](c, u24(a)*u24(b)) }},
		{Name: "v_mul_i32_i24", Sig: sig(I32, I32, I32), Fn: func(c *Ctx, a, b, _ uint64) uint64 { return fit[int32](c, i24(a)*i24(b)) }},
		{Name: "v_mul_hi_u32_u24", Sig: sig(U32, U32, U32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return uint64(u24(a) * u24(b) >> 32) }},
		{Name: "v_mul_hi_i32_i24", Sig: sig(I32, I32, I32), Fn: func(_ *Ctx, a, b, _ uint64) uint64 { return uint64(i24(a) * i24(b) >> 32) }},

		{Name: "v_mad_u16 v_mad_legacy_u16 v_pk_mad_u16", Sig: sig(U16, U16, U16, U16), Fn: mad[uint16, uint16]},
		{Name: "v_mad_i16 v_mad_legacy_i16 v_pk_mad_i16", Sig: sig(I16, I16, I16, I16), Fn: mad[int16, int16]},
		{Name: "v_mad_u32_u16", Sig: sig(U32, U16, U16, U32), Fn: mad[uint16, uint32]},
		{Name: "v_mad_i32_i16", Sig: sig(I32, I16, I16, I32), Fn: mad[int16, int32]},
		{Name: "v_mad_u32_u24", Sig: sig(U32, U32, U32, U32), Fn: func(c *Ctx, a, b, d uint64) uint64 { return fit[uint32](c, u24(a)*u24(b)+int64(d)) }},
		{Name: "v_mad_i32_i24", Sig: sig(I32, I32, I32, I32), Fn: func(c *Ctx, a, b, d uint64) uint64 { return fit[int32](c, i24(a)*i24(b)+int64(int32(d))) }},
		{Name: "v_mad_co_u64_u32", Sig: sig(U64, U32, U32, U64), Flag: madU64},
		{Name: "v_mad_co_i64_i32", Sig: sig(I64, I32, I32, I64), Flag: madI64},

		{Name: "v_min_u16 v_pk_min_u16", Sig: sig(U16, U16, U16), Fn: minInt[uint16]},
		{Name: "v_min_i16 v_pk_min_i16", Sig: sig(I16, I16, I16), Fn: minInt[int16]},
		{Name: "v_min_u32", Sig: sig(U32, U32, U32), Fn: minInt[uint32]},
		{Name: "v_min_i32", Sig: sig(I32, I32, I32), Fn: minInt[int32]},
		{Name: "v_max_u16 v_pk_max_u16", Sig: sig(U16, U16, U16), Fn: maxInt[uint16]},
		{Name: "v_max_i16 v_pk_max_i16", Sig: sig(I16, I16, I16), Fn: maxInt[int16]},
		{Name: "v_max_u32", Sig: sig(U32, U32, U32), Fn: maxInt[uint32]},
		{Name: "v_max_i32", Sig: sig(I32, I32, I32), Fn: maxInt[int32]},
		{Name: "v_min3_u16 v_pk_min3_u16", Sig: sig(U16, U16, U16, U16), Fn: min3Int[uint16]},
		{Name: "v_min3_i16 v_pk_min3_i16", Sig: sig(I16, I16, I16, I16), Fn: min3Int[int16]},
		{Name: "v_min3_u32", Sig: sig(U32, U32, U32, U32), Fn: min3Int[uint32]},
		{Name: "v_min3_i32", Sig: sig(I32, I32, I32, I32), Fn: min3Int[int32]},
		{Name: "v_max3_u16 v_pk_max3_u16", Sig: sig(U16, U16, U16, U16), Fn: max3Int[uint16]},
		{Name: "v_max3_i16 v_pk_max3_i16", Sig: sig(I16, I16, I16, I16), Fn: max3Int[int16]},
		{Name: "v_max3_u32", Sig: sig(U32, U32, U32, U32), Fn: max3Int[uint32]},
		{Name: "v_max3_i32", Sig: sig(I32, I32, I32, I32), Fn: max3Int[int32]},
		{Name: "v_med3_u16", Sig: sig(U16, U16, U16, U16), Fn: med3Int[uint16]},
		{Name: "v_med3_i16", Sig: sig(I16, I16, I16, I16), Fn: med3Int[int16]},
		{Name: "v_med3_u32", Sig: sig(U32, U32, U32, U32), Fn: med3Int[uint32]},
		{Name: "v_med3_i32", Sig: sig(I32, I32, I32, I32), Fn: med3Int[int32]},
		{Name: "v_maxmin_u32", Sig: sig(U32, U32, U32, U32), Fn: maxminInt[uint32]},
		{Name: "v_maxmin_i32", Sig: sig(I32, I32, I32, I32), Fn: maxminInt[int32]},
		{Name: "v_minmax_u32", Sig: sig(U32, U32, U32, U32), Fn: minmaxInt[uint32]},
		{Name: "v_minmax_i32", Sig: sig(I32, I32, I32, I32), Fn: minmaxInt[int32]},

		{Name: "v_cvt_i32_i16", Sig: sig(I32, I16), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(int16(s)) }},
		{Name: "v_cvt_u32_u16", Sig: sig(U32, U16), Fn: mov},
		{Name: "v_cvt_pk_i16_i32", Sig: sig(B32, I32, I32), Fn: packI16},
		{Name: "v_cvt_pk_u16_u32", Sig: sig(B32, U32, U32), Fn: packU16},
		{Name: "v_sat_pk_u8_i16", Sig: sig(B16, B32), Fn: packU8},
		{Name: "v_pack_b32_f16", Sig: sig(B32, F16, F16), Fn: packF16},
	}
}

func mov(_ *Ctx, s0, _, _ uint64) uint64 { return s0 }

func choose(_ *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	if in {
		return s1, in
	}
	return s0, in
}

func addInt[T narrow](c *Ctx, s0, s1, _ uint64) uint64 {
	return fit[T](c, int64(T(s0))+int64(T(s1)))
}

func subInt[T narrow](c *Ctx, s0, s1, _ uint64) uint64 {
	return fit[T](c, int64(T(s0))-int64(T(s1)))
}

func subrevInt[T narrow](c *Ctx, s0, s1, _ uint64) uint64 {
	return fit[T](c, int64(T(s1))-int64(T(s0)))
}

// carry splits the sum of two u32 and a carry into result and carry.
func carry(c *Ctx, sum uint64) (uint64, bool) {
	if sum>>32 == 0 {
		return sum, false
	}
	if c.Clamp {
		return 0xffffffff, true
	}
	return sum, true
}

// borrow does likewise for a difference.
func borrow(c *Ctx, diff uint64) (uint64, bool) {
	if diff>>32 == 0 {
		return diff, false
	}
	if c.Clamp {
		return 0, true
	}
	return diff, true
}

func addCarryOut(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool)  { return carry(c, s0+s1) }
func subBorrowOut(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) { return borrow(c, s0-s1) }
func subrevBorrowOut(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
	return borrow(c, s1-s0)
}

func addSignedCarryOut(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
	return addInt[int32](c, s0, s1, 0), (s0+s1)>>32 != 0
}

func subSignedBorrowOut(c *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) {
	return subInt[int32](c, s0, s1, 0), s0 < s1
}

func subrevSignedBorrowOut(c *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	return subSignedBorrowOut(c, s1, s0, 0, in)
}

func addCarry(c *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	return carry(c, s0+s1+boolBit(in))
}

func subBorrow(c *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	return borrow(c, s0-s1-boolBit(in))
}

func subrevBorrow(c *Ctx, s0, s1, _ uint64, in bool) (uint64, bool) {
	return borrow(c, s1-s0-boolBit(in))
}

// u24 and i24 return the low 24 bits of a source.
func u24(s uint64) int64 { return int64(s & 0xffffff) }
func i24(s uint64) int64 { return int64(s<<40) >> 40 }

func mulLo(_ *Ctx, s0, s1, _ uint64) uint64 { return s0 * s1 }

func mulHi[T int32 | uint32](_ *Ctx, s0, s1, _ uint64) uint64 {
	return uint64(T(s0)) * uint64(T(s1)) >> 32
}

func mulLo16(c *Ctx, s0, s1, _ uint64) uint64 { return fit[uint16](c, int64(s0*s1)) }

// mad multiplies two S exactly and adds a D.
func mad[S int16 | uint16, D narrow](c *Ctx, s0, s1, s2 uint64) uint64 {
	return fit[D](c, int64(S(s0))*int64(S(s1))+int64(D(s2)))
}

func madU64(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) {
	d, out := bits.Add64(s0*s1, s2, 0)
	if c.Clamp && out != 0 {
		d = 1<<64 - 1
	}
	return d, out != 0
}

// madI64 returns bit 64 of the exact 65-bit result, its sign, as the carry.
func madI64(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) {
	p := int64(int32(s0)) * int64(int32(s1))
	d := p + int64(s2)
	negative := d < 0
	if (p^d)&(int64(s2)^d) < 0 { // the sum of two numbers of equal sign has the other sign
		negative = p < 0
		if c.Clamp {
			d = 1<<63 - 1 ^ p>>63
		}
	}
	return uint64(d), negative
}

func minInt[T narrow](_ *Ctx, s0, s1, _ uint64) uint64   { return uint64(min(T(s0), T(s1))) }
func maxInt[T narrow](_ *Ctx, s0, s1, _ uint64) uint64   { return uint64(max(T(s0), T(s1))) }
func min3Int[T narrow](_ *Ctx, s0, s1, s2 uint64) uint64 { return uint64(min(T(s0), T(s1), T(s2))) }
func max3Int[T narrow](_ *Ctx, s0, s1, s2 uint64) uint64 { return uint64(max(T(s0), T(s1), T(s2))) }

func med3Int[T narrow](_ *Ctx, s0, s1, s2 uint64) uint64 {
	lo, hi := min(T(s0), T(s1)), max(T(s0), T(s1))
	return uint64(max(lo, min(hi, T(s2))))
}

func maxminInt[T narrow](_ *Ctx, s0, s1, s2 uint64) uint64 {
	return uint64(min(max(T(s0), T(s1)), T(s2)))
}

func minmaxInt[T narrow](_ *Ctx, s0, s1, s2 uint64) uint64 {
	return uint64(max(min(T(s0), T(s1)), T(s2)))
}

func packI16(_ *Ctx, s0, s1, _ uint64) uint64 {
	lo := min(max(int32(s0), -0x8000), 0x7fff)
	hi := min(max(int32(s1), -0x8000), 0x7fff)
	return uint64(uint16(lo)) | uint64(hi)<<16
}

func packU16(_ *Ctx, s0, s1, _ uint64) uint64 {
	return min(s0, 0xffff) | min(s1, 0xffff)<<16
}

func packU8(_ *Ctx, s0, _, _ uint64) uint64 {
	lo := min(max(int16(s0), 0), 0xff)
	hi := min(max(int16(s0>>16), 0), 0xff)
	return uint64(lo) | uint64(hi)<<8
}

// packF16 flushes denormal sources if the mode requests it, and leaves all
// other bits unchanged. Source: Mesa's ACO, which copies halves with
// v_pack_b32_f16 only where the mode keeps denormal sources.
func packF16(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.Mode.FlushIn(F16) {
		s0, s1 = flushHalf(s0), flushHalf(s1)
	}
	return s0 | s1<<16
}

// flushHalf replaces a denormal f16 by a zero of its sign.
func flushHalf(s uint64) uint64 {
	if s&0x7c00 == 0 {
		return s & 0x8000
	}
	return s
}
