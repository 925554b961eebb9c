package sem

// Integer operations of gfx1250: 64-bit arithmetic, sums with a minimum or a
// maximum, and saturation to four bits. The clamp bit saturates v_add_nc_u64,
// v_sub_nc_u64 and v_mad_nc. The sums of v_add_max and its relatives always
// saturate: LLVM selects these instructions for llvm.sadd.sat and
// llvm.uadd.sat, but not for plain additions. Source: LLVM,
// VOP2Instructions.td and VOP3Instructions.td; AMD's CDNA 5 ISA.

import "math/bits"

func int64Rows() []Row {
	return []Row{
		{Name: "v_add_nc_u64", Sig: sig(U64, U64, U64), Fn: addWide},
		{Name: "v_sub_nc_u64", Sig: sig(U64, U64, U64), Fn: subWide},
		{Name: "v_mul_u64", Sig: sig(U64, U64, U64), Fn: mulLo},
		{Name: "v_mad_nc_u64_u32", Sig: sig(U64, U32, U32, U64), Fn: withoutCarry(madU64)},
		{Name: "v_mad_nc_i64_i32", Sig: sig(I64, I32, I32, I64), Fn: withoutCarry(madI64)},
		{Name: "v_mad_u32", Sig: sig(U32, U32, U32, U32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a*b + d }},
		{Name: "v_min_u64", Sig: sig(U64, U64, U64), Fn: minWide[uint64]},
		{Name: "v_min_i64", Sig: sig(I64, I64, I64), Fn: minWide[int64]},
		{Name: "v_max_u64", Sig: sig(U64, U64, U64), Fn: maxWide[uint64]},
		{Name: "v_max_i64", Sig: sig(I64, I64, I64), Fn: maxWide[int64]},

		{Name: "v_add_max_u32", Sig: sig(U32, U32, U32, U32), Fn: nested(saturatedSum[uint32], maxInt[uint32])},
		{Name: "v_add_max_i32", Sig: sig(I32, I32, I32, I32), Fn: nested(saturatedSum[int32], maxInt[int32])},
		{Name: "v_add_min_u32", Sig: sig(U32, U32, U32, U32), Fn: nested(saturatedSum[uint32], minInt[uint32])},
		{Name: "v_add_min_i32", Sig: sig(I32, I32, I32, I32), Fn: nested(saturatedSum[int32], minInt[int32])},
		{Name: "v_pk_add_max_u16", Sig: sig(U16, U16, U16, U16), Fn: nested(saturatedSum[uint16], maxInt[uint16])},
		{Name: "v_pk_add_max_i16", Sig: sig(I16, I16, I16, I16), Fn: nested(saturatedSum[int16], maxInt[int16])},
		{Name: "v_pk_add_min_u16", Sig: sig(U16, U16, U16, U16), Fn: nested(saturatedSum[uint16], minInt[uint16])},
		{Name: "v_pk_add_min_i16", Sig: sig(I16, I16, I16, I16), Fn: nested(saturatedSum[int16], minInt[int16])},

		{Name: "v_sat_pk4_i4_i8", Sig: sig(B16, B32), Fn: saturateNibbles[int8](-8, 7)},
		{Name: "v_sat_pk4_u4_u8", Sig: sig(B16, B32), Fn: saturateNibbles[uint8](0, 15)},
	}
}

func addWide(c *Ctx, s0, s1, _ uint64) uint64 {
	d, carry := bits.Add64(s0, s1, 0)
	if c.Clamp && carry != 0 {
		return 1<<64 - 1
	}
	return d
}

func subWide(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.Clamp && s0 < s1 {
		return 0
	}
	return s0 - s1
}

// withoutCarry returns an operation without its carry.
func withoutCarry(f FlagFunc) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		d, _ := f(c, s0, s1, s2, false)
		return d
	}
}

// saturatedSum returns the T nearest to the sum.
func saturatedSum[T narrow](_ *Ctx, s0, s1, _ uint64) uint64 {
	x := int64(T(s0)) + int64(T(s1))
	if int64(T(x)) != x {
		return nearest[T](x < 0)
	}
	return uint64(x)
}

func minWide[T int64 | uint64](_ *Ctx, s0, s1, _ uint64) uint64 { return uint64(min(T(s0), T(s1))) }
func maxWide[T int64 | uint64](_ *Ctx, s0, s1, _ uint64) uint64 { return uint64(max(T(s0), T(s1))) }

// saturateNibbles clamps four bytes to the range of four bits, and packs them.
func saturateNibbles[T int8 | uint8](lo, hi T) Func {
	return func(_ *Ctx, s0, _, _ uint64) (d uint64) {
		for i := range 4 {
			d |= uint64(min(max(T(s0>>(8*i)), lo), hi)) & 15 << (4 * i)
		}
		return d
	}
}
