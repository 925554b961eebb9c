package sem

import (
	"math/big"
	"testing"
)

// logic returns an operation on the bits of two sources.
func logic(n int, f func(a, b bool) bool) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return bitwise(n, func(i int) bool { return f(x.bit(0, i), x.bit(1, i)) })
	}
}

func logic3(f func(a, b, c bool) bool) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return bitwise(32, func(i int) bool { return f(x.bit(0, i), x.bit(1, i), x.bit(2, i)) })
	}
}

func bothSet(a, b bool) bool   { return a && b }
func eitherSet(a, b bool) bool { return a || b }
func differ(a, b bool) bool    { return a != b }
func same(a, b bool) bool      { return a == b }
func unset(a, _ bool) bool     { return !a }

// search returns the first i below n for which f is true, or all ones.
func search(n int, f func(i int) bool) *big.Int {
	for i := range n {
		if f(i) {
			return num(i)
		}
	}
	return num(-1)
}

func firstSetHi(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return search(n, func(i int) bool { return x.bit(0, n-1-i) }) }
}

func firstSetLo(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return search(n, func(i int) bool { return x.bit(0, i) }) }
}

func firstUnlikeSign(n int) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return search(n, func(i int) bool { return x.bit(0, n-1-i) != x.bit(0, n-1) })
	}
}

// countBits counts the bits of a source that equal set.
func countBits(x *args, n int, set bool) *big.Int {
	d := 0
	for i := range n {
		if x.bit(0, i) == set {
			d++
		}
	}
	return num(d)
}

// extract returns a bit field, extended by the source's sign or by zeros.
func extract(x *args, at, width int, bits int, signed bool) *big.Int {
	if width == 0 {
		return num(0)
	}
	get := func(i int) bool {
		if at+i >= bits {
			return signed && x.bit(0, bits-1)
		}
		return x.bit(0, at+i)
	}
	d := bitwise(width, get)
	if signed && get(width-1) {
		d.Sub(d, pow2(width))
	}
	return d
}

// shiftPacked shifts two sources by the third and packs the bytes that are
// nearest to the results.
func shiftPacked(signed bool) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		lo := clampTo(shr(x.v[0], x.low(2, 5)), 8, signed)
		hi := clampTo(shr(x.v[1], x.low(2, 5)), 8, signed)
		d := new(big.Int)
		for i := range 8 {
			d.SetBit(d, i, lo.Bit(i))
			d.SetBit(d, 8+i, hi.Bit(i))
		}
		return d
	}
}

// mask returns ones at bits at to at+width-1.
func mask(n, width, at int) *big.Int {
	return bitwise(n, func(i int) bool { return i >= at && i < at+width })
}

// wide returns the 64 bits source 0:source 1, shifted right.
func wide(x *args, n int) *big.Int { return shr(add(shl(x.v[0], 32), x.v[1]), n) }

// permuted is v_perm_b32 as described in the ISA document, byte by byte.
func permuted(x *args) *big.Int {
	return join(8, 4, func(i int) *big.Int {
		sel := x.low(2, 32) >> (8 * i) & 255
		in := func(b int) *big.Int { return x.field(1-b/4, b%4*8, 8, false) }
		switch {
		case sel >= 13:
			return num(255)
		case sel == 12:
			return num(0)
		case sel >= 8:
			return num(255 * int(in(2*(sel-8)+1).Bit(7)))
		}
		return in(sel)
	})
}

func averages(x *args) *big.Int {
	return join(8, 4, func(i int) *big.Int {
		d := add(x.field(0, 8*i, 8, false), x.field(1, 8*i, 8, false))
		return shr(add(d, x.field(2, 8*i, 1, false)), 1)
	})
}

// screenBytes lists the bytes of each entry of the table of
// V_SCREEN_PARTITION_4SE_B32 in AMD's Vega document; all others are 15.
var screenBytes = map[int][]int{
	1:  {0, 102, 153, 255},
	2:  {17, 119, 136, 238},
	3:  {1, 103, 137, 239},
	4:  {34, 68, 187, 221},
	5:  {4, 38, 157, 191},
	6:  {18, 72, 116, 120, 123, 184, 209, 210, 222, 226},
	7:  {2, 8, 100, 127, 145, 185, 223, 230},
	8:  {51, 85, 170, 204},
	9:  {48, 86, 89, 90, 106, 154, 192, 240, 243, 252},
	10: {21, 55, 140, 174},
	11: {25, 49, 87, 110, 128, 138, 236, 247},
	12: {35, 69, 171, 205},
	13: {32, 42, 70, 93, 155, 179, 196, 253},
	14: {19, 59, 76, 117, 162, 168, 206, 213},
}

func screenEntry(x *args) *big.Int {
	for mask, bytes := range screenBytes {
		for _, b := range bytes {
			if b == x.low(0, 8) {
				return num(mask)
			}
		}
	}
	return num(15)
}

var bitSpecs = []spec{
	{"v_and_b16", "b16=b16,b16", false, logic(16, bothSet), nil},
	{"v_and_b32", "b32=b32,b32", false, logic(32, bothSet), nil},
	{"v_or_b16", "b16=b16,b16", false, logic(16, eitherSet), nil},
	{"v_or_b32", "b32=b32,b32", false, logic(32, eitherSet), nil},
	{"v_xor_b16", "b16=b16,b16", false, logic(16, differ), nil},
	{"v_xor_b32", "b32=b32,b32", false, logic(32, differ), nil},
	{"v_xnor_b32", "b32=b32,b32", false, logic(32, same), nil},
	{"v_not_b16", "b16=b16", false, logic(16, unset), nil},
	{"v_not_b32", "b32=b32", false, logic(32, unset), nil},
	{"v_or3_b32", "b32=b32,b32,b32", false, logic3(func(a, b, c bool) bool { return a || b || c }), nil},
	{"v_xor3_b32", "b32=b32,b32,b32", false, logic3(func(a, b, c bool) bool { return a != b != c }), nil},
	{"v_and_or_b32", "b32=b32,b32,b32", false, logic3(func(a, b, c bool) bool { return a && b || c }), nil},
	{"v_bfi_b32", "b32=b32,b32,b32", false, logic3(func(m, a, b bool) bool { return m && a || !m && b }), nil},
	{"v_prng_b32", "b32=b32", false, func(x *args) *big.Int {
		return bitwise(32, func(i int) bool {
			tap := x.bit(0, 31) && (i == 0 || i == 2 || i == 6 || i == 7)
			return tap != (i > 0 && x.bit(0, i-1))
		})
	}, nil},
	{"v_ashr_pk_i8_i32", "b16=i32,i32,b32", false, shiftPacked(true), nil},
	{"v_ashr_pk_u8_i32", "b16=i32,i32,b32", false, shiftPacked(false), nil},
	{"v_bitop3_b16", "b16=b16,b16,b16", false, func(*args) *big.Int { return num(0) }, nil}, // the empty table; TestBitOp3 has all
	{"v_bitop3_b32", "b32=b32,b32,b32", false, func(*args) *big.Int { return num(0) }, nil},
	{"v_xad_u32", "u32=u32,u32,u32", false, func(x *args) *big.Int { return add(logic(32, differ)(x), x.v[2]) }, nil},

	{"v_lshlrev_b16 v_pk_lshlrev_b16", "b16=b16,b16", false, func(x *args) *big.Int { return shl(x.v[1], x.low(0, 4)) }, nil},
	{"v_lshrrev_b16 v_pk_lshrrev_b16", "b16=b16,b16", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 4)) }, nil},
	{"v_ashrrev_i16 v_pk_ashrrev_i16", "i16=b16,i16", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 4)) }, nil},
	{"v_lshlrev_b32", "b32=b32,b32", false, func(x *args) *big.Int { return shl(x.v[1], x.low(0, 5)) }, nil},
	{"v_lshrrev_b32", "b32=b32,b32", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 5)) }, nil},
	{"v_ashrrev_i32", "i32=b32,i32", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 5)) }, nil},
	{"v_lshlrev_b64", "b64=b32,b64", false, func(x *args) *big.Int { return shl(x.v[1], x.low(0, 6)) }, nil},
	{"v_lshrrev_b64", "b64=b32,b64", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 6)) }, nil},
	{"v_ashrrev_i64", "i64=b32,i64", false, func(x *args) *big.Int { return shr(x.v[1], x.low(0, 6)) }, nil},
	{"v_lshl_b32", "b32=b32,b32", false, func(x *args) *big.Int { return shl(x.v[0], x.low(1, 5)) }, nil},
	{"v_lshr_b32", "b32=b32,b32", false, func(x *args) *big.Int { return shr(x.v[0], x.low(1, 5)) }, nil},
	{"v_ashr_i32", "i32=i32,b32", false, func(x *args) *big.Int { return shr(x.v[0], x.low(1, 5)) }, nil},
	{"v_lshl_b64", "b64=b64,b32", false, func(x *args) *big.Int { return shl(x.v[0], x.low(1, 6)) }, nil},
	{"v_lshr_b64", "b64=b64,b32", false, func(x *args) *big.Int { return shr(x.v[0], x.low(1, 6)) }, nil},
	{"v_ashr_i64", "i64=i64,b32", false, func(x *args) *big.Int { return shr(x.v[0], x.low(1, 6)) }, nil},
	{"v_lshl_add_u32", "u32=u32,b32,u32", false, func(x *args) *big.Int { return add(shl(x.v[0], x.low(1, 5)), x.v[2]) }, nil},
	{"v_lshl_add_u64", "u64=u64,b32,u64", false, func(x *args) *big.Int { return add(shl(x.v[0], x.low(1, 3)), x.v[2]) }, nil},
	{"v_add_lshl_u32", "u32=u32,u32,b32", false, func(x *args) *big.Int { return shl(total(x), x.low(2, 5)) }, nil},
	{"v_lshl_or_b32", "b32=b32,b32,b32", false, func(x *args) *big.Int {
		return bitwise(32, func(i int) bool { n := x.low(1, 5); return i >= n && x.bit(0, i-n) || x.bit(2, i) })
	}, nil},

	{"v_bfe_u32", "u32=u32,b32,b32", false, func(x *args) *big.Int { return extract(x, x.low(1, 5), x.low(2, 5), 32, false) }, nil},
	{"v_bfe_i32", "i32=i32,b32,b32", false, func(x *args) *big.Int { return extract(x, x.low(1, 5), x.low(2, 5), 32, true) }, nil},
	{"v_bfm_b32", "b32=b32,b32", false, func(x *args) *big.Int { return mask(32, x.low(0, 5), x.low(1, 5)) }, nil},
	{"v_bfrev_b32", "b32=b32", false, func(x *args) *big.Int { return bitwise(32, func(i int) bool { return x.bit(0, 31-i) }) }, nil},
	{"v_ffbh_u32 v_clz_i32_u32", "i32=u32", false, firstSetHi(32), nil},
	{"v_ffbl_b32 v_ctz_i32_b32", "i32=b32", false, firstSetLo(32), nil},
	{"v_ffbh_i32 v_cls_i32", "i32=i32", false, firstUnlikeSign(32), nil},
	{"v_bcnt_u32_b32", "u32=b32,u32", false, func(x *args) *big.Int { return add(countBits(x, 32, true), x.v[1]) }, nil},

	{"v_alignbit_b32", "b32=b32,b32,b32", false, func(x *args) *big.Int { return wide(x, x.low(2, 5)) }, nil},
	{"v_alignbyte_b32", "b32=b32,b32,b32", false, func(x *args) *big.Int { return wide(x, 8*x.low(2, 2)) }, nil},
	{"v_perm_b32", "b32=b32,b32,b32", false, permuted, nil},
	{"v_lerp_u8", "b32=b32,b32,b32", false, averages, nil},
	{"v_screen_partition_4se_b32", "b32=b32", false, screenEntry, nil},
}

// dot sums products of elements of a width and adds the third source.
func dot(x *args, width int, signedA, signedB bool) *big.Int {
	d := x.v[2]
	for at := 0; at < 32; at += width {
		d = add(d, mul(x.field(0, at, width, signedA), x.field(1, at, width, signedB)))
	}
	return d
}

func dotOf(width int, signed bool) func(x *args) *big.Int {
	return func(x *args) *big.Int { return dot(x, width, signed, signed) }
}

func dotMixed(width int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return dot(x, width, x.c.NegLo&1 != 0, x.c.NegLo&2 != 0) }
}

var dotSpecs = []spec{
	{"v_dot2_i32_i16 v_dot2c_i32_i16", "i32=b32,b32,i32", true, dotOf(16, true), nil},
	{"v_dot2_u32_u16", "u32=b32,b32,u32", true, dotOf(16, false), nil},
	{"v_dot4_i32_i8 v_dot4c_i32_i8", "i32=b32,b32,i32", true, dotOf(8, true), nil},
	{"v_dot4_u32_u8", "u32=b32,b32,u32", true, dotOf(8, false), nil},
	{"v_dot4_i32_iu8", "i32=b32,b32,i32", true, dotMixed(8), nil},
	{"v_dot8_i32_i4 v_dot8c_i32_i4", "i32=b32,b32,i32", true, dotOf(4, true), nil},
	{"v_dot8_u32_u4", "u32=b32,b32,u32", true, dotOf(4, false), nil},
	{"v_dot8_i32_iu4", "i32=b32,b32,i32", true, dotMixed(4), nil},
}

// TestBitExamples checks the functional examples of AMD's ISA documents
// (S_FLBIT_I32_B32, S_FLBIT_I32, V_FFBH_U32 and others).
func TestBitExamples(t *testing.T) {
	for _, x := range []struct {
		name      string
		src, want uint64
	}{
		{"s_flbit_i32_b32", 0x00000000, 0xffffffff},
		{"s_flbit_i32_b32", 0x0000cccc, 16},
		{"s_flbit_i32_b32", 0xffff3333, 0},
		{"s_flbit_i32_b32", 0x7fffffff, 1},
		{"s_flbit_i32_b32", 0x80000000, 0},
		{"s_flbit_i32_b32", 0xffffffff, 0},
		{"s_flbit_i32", 0x00000000, 0xffffffff},
		{"s_flbit_i32", 0x0000cccc, 16},
		{"s_flbit_i32", 0xffff3333, 16},
		{"s_flbit_i32", 0x7fffffff, 1},
	} {
		row := rowNamed(t, x.name)
		if got := row.Fn(&Ctx{}, x.src, 0, 0) & 0xffffffff; got != x.want {
			t.Errorf("%s %#x: %#x, want %#x", x.name, x.src, got, x.want)
		}
	}
}

// TestMaskedCounts counts the bits for the lanes below a lane one by one.
func TestMaskedCounts(t *testing.T) {
	for lane := range 64 {
		for _, m := range edges(typ{bits: 32}) {
			lo, hi := uint32(7), uint32(0xffffffff)
			for i := range lane {
				if i < 32 {
					lo += uint32(m >> i & 1)
				} else {
					hi += uint32(m >> (i - 32) & 1)
				}
			}
			if got := MBCntLo(uint32(m), 7, lane); got != lo {
				t.Errorf("MBCntLo(%#x, 7, %d) = %d, want %d", m, lane, got, lo)
			}
			if got := MBCntHi(uint32(m), 0xffffffff, lane); got != hi {
				t.Errorf("MBCntHi(%#x, -1, %d) = %#x, want %#x", m, lane, got, hi)
			}
		}
	}
}
