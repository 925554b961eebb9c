package sem

// Logic, shifts, bit fields and bit counting of vectors. None of them obeys the
// clamp bit. Source: AMD's ISA documents, the descriptions of the instructions.

import "math/bits"

// bitOp3 applies the truth table to the bits of the sources.
func bitOp3(c *Ctx, a, b, d uint64) (r uint64) {
	for i := range 8 {
		if c.BitOp>>i&1 == 0 {
			continue
		}
		m := ^uint64(0)
		for n, s := range [...]uint64{d, b, a} {
			if i>>n&1 == 0 {
				s = ^s
			}
			m &= s
		}
		r |= m
	}
	return r
}

func bitRows() []Row {
	return []Row{
		{Name: "v_and_b16", Sig: sig(B16, B16, B16), Fn: and},
		{Name: "v_and_b32", Sig: sig(B32, B32, B32), Fn: and},
		{Name: "v_or_b16", Sig: sig(B16, B16, B16), Fn: or},
		{Name: "v_or_b32", Sig: sig(B32, B32, B32), Fn: or},
		{Name: "v_xor_b16", Sig: sig(B16, B16, B16), Fn: xor},
		{Name: "v_xor_b32", Sig: sig(B32, B32, B32), Fn: xor},
		{Name: "v_xnor_b32", Sig: sig(B32, B32, B32), Fn: xnor},
		{Name: "v_not_b16", Sig: sig(B16, B16), Fn: not},
		{Name: "v_not_b32", Sig: sig(B32, B32), Fn: not},
		{Name: "v_or3_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a | b | d }},
		{Name: "v_xor3_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a ^ b ^ d }},
		{Name: "v_and_or_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a&b | d }},
		{Name: "v_xad_u32", Sig: sig(U32, U32, U32, U32), Fn: func(_ *Ctx, a, b, d uint64) uint64 { return a ^ b + d }},

		{Name: "v_bitop3_b16", Sig: sig(B16, B16, B16, B16), Fn: bitOp3},
		{Name: "v_bitop3_b32", Sig: sig(B32, B32, B32, B32), Fn: bitOp3},
		{Name: "v_prng_b32", Sig: sig(B32, B32), Fn: func(_ *Ctx, s, _, _ uint64) uint64 { return uint64(nextSeed(uint32(s))) }},

		{Name: "v_lshlrev_b16 v_pk_lshlrev_b16", Sig: sig(B16, B16, B16), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s << (n & 15) }},
		{Name: "v_lshrrev_b16 v_pk_lshrrev_b16", Sig: sig(B16, B16, B16), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s >> (n & 15) }},
		{Name: "v_ashrrev_i16 v_pk_ashrrev_i16", Sig: sig(I16, B16, I16), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return uint64(int16(s) >> (n & 15)) }},
		{Name: "v_lshlrev_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s << (n & 31) }},
		{Name: "v_lshrrev_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s >> (n & 31) }},
		{Name: "v_ashrrev_i32", Sig: sig(I32, B32, I32), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return uint64(int32(s) >> (n & 31)) }},
		{Name: "v_lshl_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return s << (n & 31) }},
		{Name: "v_lshr_b32", Sig: sig(B32, B32, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return s >> (n & 31) }},
		{Name: "v_ashr_i32", Sig: sig(I32, I32, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return uint64(int32(s) >> (n & 31)) }},
		{Name: "v_lshl_b64", Sig: sig(B64, B64, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return s << (n & 63) }},
		{Name: "v_lshr_b64", Sig: sig(B64, B64, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return s >> (n & 63) }},
		{Name: "v_ashr_i64", Sig: sig(I64, I64, B32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return uint64(int64(s) >> (n & 63)) }},
		{Name: "v_lshlrev_b64", Sig: sig(B64, B32, B64), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s << (n & 63) }},
		{Name: "v_lshrrev_b64", Sig: sig(B64, B32, B64), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return s >> (n & 63) }},
		{Name: "v_ashrrev_i64", Sig: sig(I64, B32, I64), Fn: func(_ *Ctx, n, s, _ uint64) uint64 { return uint64(int64(s) >> (n & 63)) }},
		{Name: "v_lshl_add_u32", Sig: sig(U32, U32, B32, U32), Fn: func(_ *Ctx, a, n, d uint64) uint64 { return a<<(n&31) + d }},
		{Name: "v_lshl_add_u64", Sig: sig(U64, U64, B32, U64), Fn: func(_ *Ctx, a, n, d uint64) uint64 { return a<<(n&7) + d }},
		{Name: "v_add_lshl_u32", Sig: sig(U32, U32, U32, B32), Fn: func(_ *Ctx, a, b, n uint64) uint64 { return (a + b) << (n & 31) }},
		{Name: "v_lshl_or_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, a, n, d uint64) uint64 { return a<<(n&31) | d }},

		{Name: "v_ashr_pk_i8_i32", Sig: sig(B16, I32, I32, B32), Fn: shiftPack(-128, 127)},
		{Name: "v_ashr_pk_u8_i32", Sig: sig(B16, I32, I32, B32), Fn: shiftPack(0, 255)},
		{Name: "v_bfe_u32", Sig: sig(U32, U32, B32, B32), Fn: func(_ *Ctx, s, at, width uint64) uint64 { return s >> (at & 31) & ones(width&31) }},
		{Name: "v_bfe_i32", Sig: sig(I32, I32, B32, B32), Fn: func(_ *Ctx, s, at, width uint64) uint64 {
			return signed(uint64(int32(s)>>(at&31)), width&31)
		}},
		{Name: "v_bfi_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, mask, a, b uint64) uint64 { return mask&a | ^mask&b }},
		{Name: "v_bfm_b32", Sig: sig(B32, B32, B32), Fn: bfm32},
		{Name: "v_bfrev_b32", Sig: sig(B32, B32), Fn: reverse32},
		{Name: "v_clz_i32_u32", Sig: sig(I32, U32), Fn: firstOneHi32},
		{Name: "v_ctz_i32_b32", Sig: sig(I32, B32), Fn: firstOneLo32},
		{Name: "v_cls_i32", Sig: sig(I32, I32), Fn: signBits32},
		{Name: "v_bcnt_u32_b32", Sig: sig(U32, B32, U32), Fn: func(_ *Ctx, s, n, _ uint64) uint64 { return uint64(bits.OnesCount64(s)) + n }},

		{Name: "v_alignbit_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, hi, lo, n uint64) uint64 { return (hi<<32 | lo) >> (n & 31) }},
		{Name: "v_alignbyte_b32", Sig: sig(B32, B32, B32, B32), Fn: func(_ *Ctx, hi, lo, n uint64) uint64 { return (hi<<32 | lo) >> (n & 3 * 8) }},
		{Name: "v_perm_b32", Sig: sig(B32, B32, B32, B32), Fn: perm},
		{Name: "v_lerp_u8", Sig: sig(B32, B32, B32, B32), Fn: lerp},
		{Name: "v_screen_partition_4se_b32", Sig: sig(B32, B32), Fn: screenPartition},
	}
}

func and(_ *Ctx, s0, s1, _ uint64) uint64   { return s0 & s1 }
func or(_ *Ctx, s0, s1, _ uint64) uint64    { return s0 | s1 }
func xor(_ *Ctx, s0, s1, _ uint64) uint64   { return s0 ^ s1 }
func xnor(_ *Ctx, s0, s1, _ uint64) uint64  { return ^(s0 ^ s1) }
func nand(_ *Ctx, s0, s1, _ uint64) uint64  { return ^(s0 & s1) }
func nor(_ *Ctx, s0, s1, _ uint64) uint64   { return ^(s0 | s1) }
func andn2(_ *Ctx, s0, s1, _ uint64) uint64 { return s0 &^ s1 }
func orn2(_ *Ctx, s0, s1, _ uint64) uint64  { return s0 | ^s1 }
func not(_ *Ctx, s0, _, _ uint64) uint64    { return ^s0 }

// ones returns a number whose low n bits are set.
func ones(n uint64) uint64 { return 1<<n - 1 }

// signed extends the sign of a field of the low width bits; a field of no bits is 0.
func signed(x, width uint64) uint64 {
	return uint64(int64(x<<(64-width)) >> (64 - width))
}

func bfm32(_ *Ctx, width, at, _ uint64) uint64 { return ones(width&31) << (at & 31) }

func reverse32(_ *Ctx, s, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(s))) }

// notFound is the result of an unsuccessful search for a bit.
const notFound = 0xffffffff

// firstOneHi32 counts the zeros above the highest one bit.
func firstOneHi32(_ *Ctx, s, _, _ uint64) uint64 {
	if s == 0 {
		return notFound
	}
	return uint64(bits.LeadingZeros32(uint32(s)))
}

// firstOneLo32 counts the zeros below the lowest one bit, also of 64 bits.
func firstOneLo32(_ *Ctx, s, _, _ uint64) uint64 {
	if s == 0 {
		return notFound
	}
	return uint64(bits.TrailingZeros64(s))
}

// signBits32 counts the bits from the top that equal the sign.
func signBits32(_ *Ctx, s, _, _ uint64) uint64 {
	n := bits.LeadingZeros32(uint32(int32(s) ^ int32(s)>>31))
	if n == 32 {
		return notFound
	}
	return uint64(n)
}

// MBCntLo is v_mbcnt_lo_u32_b32 for one lane: src plus the number of set bits
// of mask for the lower lanes among lanes 0 to 31. It has no Row because it
// depends on the lane's number.
func MBCntLo(mask, src uint32, lane int) uint32 {
	if lane < 32 {
		mask &= 1<<lane - 1
	}
	return src + uint32(bits.OnesCount32(mask))
}

// MBCntHi is v_mbcnt_hi_u32_b32, likewise for lanes 32 to 63.
func MBCntHi(mask, src uint32, lane int) uint32 {
	mask &= 1<<max(lane-32, 0) - 1
	return src + uint32(bits.OnesCount32(mask))
}

// perm selects four bytes of the 64 bits hi:lo, the signs of words, 0 or 0xff.
func perm(_ *Ctx, hi, lo, selectors uint64) (d uint64) {
	data := hi<<32 | lo
	for i := range 4 {
		d |= permByte(data, selectors>>(8*i)&0xff) << (8 * i)
	}
	return d
}

func permByte(data, selector uint64) uint64 {
	switch {
	case selector < 8:
		return data >> (8 * selector) & 0xff
	case selector < 12: // the sign of word selector-8
		return -(data >> (16*(selector-8) + 15) & 1) & 0xff
	case selector == 12:
		return 0
	}
	return 0xff
}

// lerp returns the averages of bytes, with halves rounded up where bit 0 of the
// third source's byte is set.
func lerp(_ *Ctx, s0, s1, s2 uint64) (d uint64) {
	for i := 0; i < 32; i += 8 {
		d |= (s0>>i&0xff + s1>>i&0xff + s2>>i&1) >> 1 << i
	}
	return d
}

// screenPartition looks up the partition mask of a byte. Source: AMD's Vega
// ISA document, V_SCREEN_PARTITION_4SE_B32.
func screenPartition(_ *Ctx, s0, _, _ uint64) uint64 {
	d := screenMasks[s0&0xff]
	if d >= 'a' {
		return uint64(d - 'a' + 10)
	}
	return uint64(d - '0')
}

const screenMasks = "" +
	"137f5fff7fffffff" +
	"f26efafffbffffff" +
	"df4cff5fffdfffff" +
	"9bf8fffafffeffff" +
	"ffff4cdf6fffefff" +
	"fffff89bf99ffdff" +
	"ffff7f13ff9fffbf" +
	"ffff6ef26ff6fff7" +
	"bfffffff23bfafff" +
	"f7fffffff19df5ff" +
	"ffefffffef8cffaf" +
	"fffdffff67f4fff5" +
	"9fffdfffffff8cef" +
	"f66ffefffffff467" +
	"ff6fff7fffffbf23" +
	"9ff9fffbffff9df1"

// shiftPack shifts two integers right and packs them as saturated bytes.
func shiftPack(low, high int32) Func {
	return func(_ *Ctx, a, b, n uint64) uint64 {
		x, y := int32(a)>>(n&31), int32(b)>>(n&31)
		return uint64(uint8(min(max(x, low), high))) | uint64(uint8(min(max(y, low), high)))<<8
	}
}
