package lanes

import "github.com/gfx-toolchain/gfx/internal/lazy"

//go:noescape
func simdMerge(d, s *uint32, exec, shift uint64, keep uint32, n int)

//go:noescape
func simdField(d, s *uint32, left, right uint64, n int)

//go:noescape
func simdSignedField(d, s *uint32, left, right uint64, n int)

//go:noescape
func simdPairs(d, s *uint32, lo, hi uint64, sign uint32, n int)

//go:noescape
func simdPermute(d, s, from *uint32, valid uint64, n int)

//go:noescape
func simdClamp(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdClampNumber(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdOMod(d, a, b, c *uint32, exec uint64, n int) (left uint64)

// Merge computes d = d & keep | s << shift &^ keep for the lanes of exec.
func Merge(d, s *uint32, exec uint64, shift uint8, keep uint32, n int) {
	if HasSIMD {
		simdMerge(d, s, exec, uint64(shift), keep, n)
		return
	}
	mergeAny(d, s, exec, shift, keep, n)
}

// Field computes d = s << left >> right for n lanes, with an arithmetic right
// shift if signed is set.
func Field(d, s *uint32, left, right uint8, signed bool, n int) {
	switch {
	case !HasSIMD:
		fieldAny(d, s, left, right, signed, n)
	case signed:
		simdSignedField(d, s, uint64(left), uint64(right), n)
	default:
		simdField(d, s, uint64(left), uint64(right), n)
	}
}

// Pairs computes d = (s >> lo & 0xffff | s >> hi << 16) ^ sign for n lanes.
func Pairs(d, s *uint32, lo, hi uint8, sign uint32, n int) {
	if HasSIMD {
		simdPairs(d, s, uint64(lo), uint64(hi), sign, n)
		return
	}
	pairsAny(d, s, lo, hi, sign, n)
}

// Take copies lane from[l] of s to each lane l of d, or 0 if l is not in
// valid. d and s must not overlap.
func Take(d, s *uint32, from *[64]uint32, valid uint64, n int) {
	if HasSIMD {
		simdPermute(d, s, &from[0], valid, n)
		return
	}
	takeLanesAny(d, s, from, valid, n)
}

// omodFactors holds the factors of the output modifiers in all lanes.
var omodFactors = lazy.Value[*[4][64]uint32]{Make: func() *[4][64]uint32 {
	m := new([4][64]uint32)
	for omod, factor := range [...]uint32{1: 0x40000000, 2: 0x40800000, 3: 0x3f000000} {
		spreadAny(&m[omod][0], factor, 64)
	}
	return m
}}

// OMod applies an output modifier to f32 results that flush denormals. n is
// Counts.Float. It returns the lanes that it did not modify.
func OMod(d *uint32, omod uint8, exec uint64, n int) (left uint64) {
	if !HasSIMD || n&Flush == 0 {
		return exec
	}
	return simdOMod(d, d, &omodFactors.Get()[omod][0], nil, exec, n)
}

// Clamp clamps f32 results of n lanes to [0, 1]. zeroNaN specifies that a
// NaN becomes 0. It returns the lanes that it did not clamp.
func Clamp(d *uint32, exec uint64, zeroNaN bool, n int) (left uint64) {
	switch {
	case !HasSIMD:
		return exec
	case zeroNaN:
		return simdClamp(d, d, nil, nil, exec, n)
	}
	return simdClampNumber(d, d, nil, nil, exec, n)
}

// lanesBelow holds the masks of the lanes below each lane, for lanes 0 to 31
// and lanes 32 to 63.
var lanesBelow = lazy.Value[*[2][64]uint32]{Make: func() *[2][64]uint32 {
	m := new([2][64]uint32)
	for l := range 64 {
		below := uint64(1)<<l - 1
		m[0][l], m[1][l] = uint32(below), uint32(below>>32)
	}
	return m
}}

// CountBelow executes v_mbcnt_hi_u32_b32 or v_mbcnt_lo_u32_b32. It returns false
// if it is not supported.
func CountBelow(d, src, add *uint32, exec uint64, high bool, n int) bool {
	if !HasSIMD {
		return false
	}
	below := &lanesBelow.Get()[0]
	if high {
		below = &lanesBelow.Get()[1]
	}
	simdMbcnt(d, src, add, &below[0], exec, n)
	return true
}

// WidenHalves converts f16 to f32. n is Counts.Half. It returns the lanes
// that it did not convert.
func WidenHalves(p *uint32, exec uint64, n int) (left uint64) {
	if !HasSIMD || n == 0 {
		return exec
	}
	return simdCvtF32F16(p, p, p, p, exec, n)
}

// MovePairs copies two registers of n lanes from s to d, for the lanes of exec.
func MovePairs(d, s *uint32, exec uint64, n int) { simdMov64(d, s, s, s, exec, n) }
