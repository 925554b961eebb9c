package image

import "math/bits"

// Formats ETC2 and EAC. Source: Khronos Data Format Specification, "ETC2
// compressed texture image formats".

// etcModifiers lists the smaller and the larger distance of a table.
var etcModifiers = [8][2]int32{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}

// etcDistances lists the distances of the modes T and H.
var etcDistances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// eacModifiers lists the distances of the tables of single components.
var eacModifiers = [16][8]int32{
	{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10}, {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9}, {-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9}, {-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
}

// etcBlock is 8 bytes of a block, the first one in the highest bits.
type etcBlock uint64

// at returns n bits, the lowest of which is at a position.
func (b etcBlock) at(low, n uint) int32 { return int32(b >> low & (1<<n - 1)) }

// widen8 repeats the high bits of a number of n bits in 8 bits.
func widen8(v int32, n uint) int32 { return v<<(8-n) | v>>(2*n-8) }

// etcColor is red, green and blue in 8 bits.
type etcColor [3]int32

// plus returns the colour with a distance added to each component.
func (c etcColor) plus(d int32) etcColor {
	for i := range c {
		c[i] = min(max(c[i]+d, 0), 255)
	}
	return c
}

// etcTexel returns the colour of a texel of a block, and whether it is
// transparent. With punch, only blocks without bit 33 have transparent texels.
func etcTexel(block uint64, x, y uint32, punch bool) (c etcColor, transparent bool) {
	b := etcBlock(block)
	k := uint(4*x + y)
	index := b.at(16+k, 1)<<1 | b.at(k, 1)
	differences := punch || b.at(33, 1) != 0
	clear := punch && b.at(33, 1) == 0
	if !differences {
		first, second := b.colors(60, 8, 4), b.colors(56, 8, 4)
		return b.modify(first, second, x, y, index, false), false
	}
	first, wide := b.colors(59, 8, 5), [3]int32{}
	for i := range 3 {
		wide[i] = b.at(uint(59-8*i), 5) + b.at(uint(56-8*i), 3)<<29>>29
	}
	switch {
	case uint32(wide[0]) > 31:
		c = b.modeT(index)
	case uint32(wide[1]) > 31:
		c = b.modeH(index)
	case uint32(wide[2]) > 31:
		return b.planar(int32(x), int32(y)), false
	default:
		second := etcColor{widen8(wide[0], 5), widen8(wide[1], 5), widen8(wide[2], 5)}
		c = b.modify(first, second, x, y, index, clear)
	}
	if clear && index == 2 {
		return etcColor{}, true
	}
	return c, false
}

// colors returns three components of n bits, the first of which begins at a
// position and the others at lower ones in equal steps.
func (b etcBlock) colors(low, step, n uint) (c etcColor) {
	for i := range c {
		c[i] = widen8(b.at(low-step*uint(i), n), n)
	}
	return c
}

// modify adds the distance that a texel selects to the colour of its half of the
// block. If zero is set, the smaller distances are 0.
func (b etcBlock) modify(first, second etcColor, x, y uint32, index int32, zero bool) etcColor {
	flip := b.at(32, 1) != 0
	c, table := first, b.at(37, 3)
	if flip && y >= 2 || !flip && x >= 2 {
		c, table = second, b.at(34, 3)
	}
	d := etcModifiers[table][index&1]
	if zero && index&1 == 0 {
		d = 0
	}
	if index&2 != 0 {
		d = -d
	}
	return c.plus(d)
}

// modeT is the mode with one colour and three that differ by a distance.
func (b etcBlock) modeT(index int32) etcColor {
	one := etcColor{widen8(b.at(59, 2)<<2|b.at(56, 2), 4), widen8(b.at(52, 4), 4), widen8(b.at(48, 4), 4)}
	d := etcDistances[b.at(34, 2)<<1|b.at(32, 1)]
	if index == 0 {
		return one
	}
	return b.colors(44, 4, 4).plus(d * (2 - index))
}

// modeH is the mode with two colours, each with a distance added and subtracted.
// The order of the colours is the lowest bit of the distance's number.
func (b etcBlock) modeH(index int32) etcColor {
	v := [6]int32{b.at(59, 4), b.at(56, 3)<<1 | b.at(52, 1), b.at(51, 1)<<3 | b.at(47, 3), b.at(43, 4), b.at(39, 4), b.at(35, 4)}
	n := b.at(34, 1)<<2 | b.at(32, 1)<<1
	if v[0]<<8|v[1]<<4|v[2] >= v[3]<<8|v[4]<<4|v[5] {
		n++
	}
	c := v[:3]
	if index >= 2 {
		c = v[3:]
	}
	d := etcDistances[n]
	if index&1 != 0 {
		d = -d
	}
	return etcColor{widen8(c[0], 4), widen8(c[1], 4), widen8(c[2], 4)}.plus(d)
}

// planar is the mode with a gradient between three colours.
func (b etcBlock) planar(x, y int32) (c etcColor) {
	o := [3]int32{widen8(b.at(57, 6), 6), widen8(b.at(56, 1)<<6|b.at(49, 6), 7), widen8(b.at(48, 1)<<5|b.at(43, 2)<<3|b.at(39, 3), 6)}
	h := [3]int32{widen8(b.at(34, 5)<<1|b.at(32, 1), 6), widen8(b.at(25, 7), 7), widen8(b.at(19, 6), 6)}
	v := [3]int32{widen8(b.at(13, 6), 6), widen8(b.at(6, 7), 7), widen8(b.at(0, 6), 6)}
	for i := range c {
		c[i] = min(max((x*(h[i]-o[i])+y*(v[i]-o[i])+4*o[i]+2)>>2, 0), 255)
	}
	return c
}

// eacDistance returns the distance that a texel of a block of one component
// selects, and its multiplier.
func (b etcBlock) eacDistance(x, y uint32) (d, multiplier int32) {
	return eacModifiers[b.at(48, 4)][b.at(uint(45-3*(4*x+y)), 3)], b.at(52, 4)
}

// eacAlpha returns the component of a texel in 8 bits.
func eacAlpha(block uint64, x, y uint32) int32 {
	b := etcBlock(block)
	d, m := b.eacDistance(x, y)
	return min(max(b.at(56, 8)+d*m, 0), 255)
}

// eacChannel returns the component of a texel in 11 bits as a fraction.
func eacChannel(block uint64, x, y uint32, signed bool) float64 {
	b := etcBlock(block)
	d, m := b.eacDistance(x, y)
	if d *= 8 * m; m == 0 {
		d, _ = b.eacDistance(x, y)
	}
	if signed {
		base := max(int32(int8(b.at(56, 8))), -127)
		return float64(min(max(base*8+d, -1023), 1023)) / 1023
	}
	return float64(min(max(b.at(56, 8)*8+4+d, 0), 2047)) / 2047
}

// unpackETC returns the components of a texel of a block, whose dwords have the
// first byte in the lowest bits.
func (f *Format) unpackETC(raw *Raw, x, y uint32) (v [4]float64) {
	lo, hi := bits.ReverseBytes64(uint64(raw[0])|uint64(raw[1])<<32), bits.ReverseBytes64(uint64(raw[2])|uint64(raw[3])<<32)
	signed := f.Num == Snorm
	v[3] = 1
	switch f.Data {
	case "ETC2_R":
		v[0] = eacChannel(lo, x, y, signed)
		return v
	case "ETC2_RG":
		v[0], v[1] = eacChannel(lo, x, y, signed), eacChannel(hi, x, y, signed)
		return v
	case "ETC2_RGBA":
		v[3] = float64(eacAlpha(lo, x, y)) / 255
		lo = hi
	}
	c, transparent := etcTexel(lo, x, y, f.Data == "ETC2_RGBA1")
	for i := range c {
		v[i] = float64(c[i]) / 255
	}
	if transparent {
		v[3] = 0
	}
	return v
}
