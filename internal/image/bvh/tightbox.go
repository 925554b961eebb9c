package bvh

import (
	"math"
	"math/bits"
)

// Boxes of high precision. Their planes have a sign, 17 bits of a mantissa and
// an exponent that is common to an axis.

// bitsAt returns up to 32 bits of a node. Bits outside of it are 0.
func bitsAt(d []byte, at, n int) uint32 {
	if at < 0 || at >= 8*len(d) {
		return 0
	}
	v := uint64(0)
	for i, b := range d[at/8 : min(at/8+8, len(d))] {
		v |= uint64(b) << (8 * i)
	}
	return uint32(v >> (at % 8) & (1<<n - 1))
}

// tightUnused is the type of a child that does not exist.
const tightUnused = 2

// readTightBoxes decodes a node. The children are contiguous in memory.
func readTightBoxes(d []byte, to []box) {
	base := bitsAt(d, 0, 29)
	for i := range to[:4] {
		b := &to[i]
		*b = box{child: InvalidNode, flags: uint8(bitsAt(d, 41+4*i, 4))}
		if i == 3 {
			b.flags &= 7
		}
		typ := bitsAt(d, 29+3*i, 3)
		if typ != tightUnused {
			b.child = base<<3 | typ
		}
		base++
		if typ == 6 || typ == 3 { // nodes of 128 bytes
			base++
		}
		for k := range 3 {
			exp := bitsAt(d, 56+8*k, 8)
			b.min[k] = tightValue(bitsAt(d, 80+18*(6*i+k), 18), exp, false)
			b.max[k] = tightValue(bitsAt(d, 80+18*(6*i+k+3), 18), exp, true)
		}
	}
}

// tightValue decodes a plane and rounds it outwards: up for a maximum, down for
// a minimum.
func tightValue(v, common uint32, up bool) float32 {
	sign, mantissa := v>>17&1, v&(1<<17-1)
	away := up == (sign == 0)
	exp, frac := uint32(0), uint32(0)
	switch {
	case mantissa != 0:
		shift := min(uint32(bits.LeadingZeros32(mantissa)-15), common)
		exp = common - shift
		frac = mantissa << (7 + shift)
		if away && exp != 255 {
			frac |= 1<<(7+shift) - 1
		}
	case away:
		frac = 1<<23 - 1
		if common > 17 {
			exp = common - 17
		}
	}
	return math.Float32frombits(sign<<31 | exp<<23 | frac&(1<<23-1))
}
