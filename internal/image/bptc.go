package image

// Formats BC6 and BC7. Source: Khronos Data Format Specification, "BPTC
// compressed texture image formats".

// bptcBits reads a block of 128 bits from the lowest bit on.
type bptcBits struct{ lo, hi uint64 }

func (b *bptcBits) takeBits(n uint8) uint32 {
	v := uint32(b.lo) & (1<<n - 1)
	b.lo = b.lo>>n | b.hi<<(64-n)
	b.hi >>= n
	return v
}

// bptcWeights lists the weights of the second endpoint in 1/64, for indexes of 2
// to 4 bits.
var bptcWeights = [...][16]uint8{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

// bptcPairs lists the partitions into two subsets: bit i is the subset of texel i.
var bptcPairs = [64]uint16{
	0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
	0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
	0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
	0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
}

// bptcTriples lists the partitions into three subsets: two bits per texel.
var bptcTriples = [64]uint32{
	0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
	0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
	0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
	0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
	0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
	0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
	0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
	0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
}

// bptcAnchors lists the texels whose index lacks its highest bit, 0: of the
// second of two subsets, and of the second and the third of three. The first
// subset's is texel 0.
var bptcAnchors = [3][64]uint8{
	{15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15},
	{3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3},
	{15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8},
}

// bptcSubset returns the subset of texel i, and the anchor of each subset.
func bptcSubset(subsets uint8, partition, i uint32) (subset uint32, anchors [3]uint8) {
	switch subsets {
	case 2:
		anchors[1] = bptcAnchors[0][partition]
		return uint32(bptcPairs[partition] >> i & 1), anchors
	case 3:
		anchors[1], anchors[2] = bptcAnchors[1][partition], bptcAnchors[2][partition]
		return bptcTriples[partition] >> (2 * i) & 3, anchors
	}
	return 0, anchors
}

// bptcIndex reads the indexes of texels up to texel i, and returns its index.
func (b *bptcBits) bptcIndex(subsets, bits uint8, partition, i uint32) uint8 {
	for k := uint32(0); ; k++ {
		n := bits
		if subset, anchors := bptcSubset(subsets, partition, k); uint32(anchors[subset]) == k {
			n--
		}
		if v := b.takeBits(n); k == i {
			return uint8(v)
		}
	}
}

// bc7Modes lists the modes: numbers of subsets and of bits.
var bc7Modes = [8]struct {
	subsets, partition, rotation, selection, color, alpha uint8
	single, shared                                        bool // a lowest bit per endpoint, or per subset
	index, second                                         uint8
}{
	{3, 4, 0, 0, 4, 0, true, false, 3, 0},
	{2, 6, 0, 0, 6, 0, false, true, 3, 0},
	{3, 6, 0, 0, 5, 0, false, false, 2, 0},
	{2, 6, 0, 0, 7, 0, true, false, 2, 0},
	{1, 0, 2, 1, 5, 6, false, false, 2, 3},
	{1, 0, 2, 0, 7, 8, false, false, 2, 2},
	{1, 0, 0, 0, 7, 7, true, false, 4, 0},
	{2, 6, 0, 0, 5, 5, true, false, 2, 0},
}

// bc7Texel returns the components of texel i, 0 to 255. A reserved block is 0.
func bc7Texel(lo, hi uint64, i uint32) (c [4]uint8) {
	b := bptcBits{lo, hi}
	mode := 0
	for mode < len(bc7Modes) && b.takeBits(1) == 0 {
		mode++
	}
	if mode == len(bc7Modes) {
		return c
	}
	m := &bc7Modes[mode]
	partition, rotation, selection := b.takeBits(m.partition), b.takeBits(m.rotation), b.takeBits(m.selection)
	ends := b.bc7Ends(mode)
	subset, _ := bptcSubset(m.subsets, partition, i)
	second := b
	index := b.bptcIndex(m.subsets, m.index, partition, i)
	weights := [2]uint8{bptcWeights[m.index][index], bptcWeights[m.index][index]} // of colour and alpha
	if m.second > 0 {
		second.bptcIndex(1, m.index, 0, 15)
		weights[1] = bptcWeights[m.second][second.bptcIndex(1, m.second, 0, i)]
	}
	if selection == 1 {
		weights[0], weights[1] = weights[1], weights[0]
	}
	for k := range c {
		w := uint32(weights[k/3])
		c[k] = uint8((uint32(ends[2*subset][k])*(64-w) + uint32(ends[2*subset+1][k])*w + 32) >> 6)
	}
	if rotation > 0 {
		c[3], c[rotation-1] = c[rotation-1], c[3]
	}
	return c
}

// bc7Ends reads the endpoints of a block: two of each subset.
func (b *bptcBits) bc7Ends(mode int) (ends [6][4]uint8) {
	m := &bc7Modes[mode]
	n := 2 * int(m.subsets)
	var widths [4]uint8
	for k := range widths {
		widths[k] = m.color
		if k == 3 {
			widths[k] = m.alpha
		}
		for e := range n {
			ends[e][k] = uint8(b.takeBits(widths[k]))
		}
	}
	low := uint32(0)
	for e := range n {
		if m.single || m.shared && e&1 == 0 {
			low = b.takeBits(1)
		}
		for k, w := range widths {
			v := uint32(ends[e][k])
			if m.single || m.shared {
				v, w = v<<1|low, w+1
			}
			v <<= 8 - w
			ends[e][k] = uint8(v | v>>w)
		}
		if m.alpha == 0 {
			ends[e][3] = 255
		}
	}
	return ends
}

// bc6Modes lists the modes by number: whether endpoints after the first one are
// differences, the bits of the first one and of the others' components, and the
// places of the bits. r0:10 are the low ten bits of the first endpoint's red,
// g2.4 is bit 4 of the third one's green. Modes with a third endpoint have two
// subsets.
var bc6Modes = [32]struct {
	delta  bool
	first  uint8
	others [3]uint8
	bits   string
}{
	0:  {true, 10, [3]uint8{5, 5, 5}, "g2.4 b2.4 b3.4 r0:10 g0:10 b0:10 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3"},
	1:  {true, 7, [3]uint8{6, 6, 6}, "g2.5 g3.4 g3.5 r0:7 b3.0 b3.1 b2.4 g0:7 b2.5 b3.2 g2.4 b0:7 b3.3 b3.5 b3.4 r1:6 g2:4 g1:6 g3:4 b1:6 b2:4 r2:6 r3:6"},
	2:  {true, 11, [3]uint8{5, 4, 4}, "r0:10 g0:10 b0:10 r1:5 r0.10 g2:4 g1:4 g0.10 b3.0 g3:4 b1:4 b0.10 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3"},
	3:  {false, 10, [3]uint8{10, 10, 10}, "r0:10 g0:10 b0:10 r1:10 g1:10 b1:10"},
	6:  {true, 11, [3]uint8{4, 5, 4}, "r0:10 g0:10 b0:10 r1:4 r0.10 g3.4 g2:4 g1:5 g0.10 g3:4 b1:4 b0.10 b3.1 b2:4 r2:4 b3.0 b3.2 r3:4 g2.4 b3.3"},
	7:  {true, 11, [3]uint8{9, 9, 9}, "r0:10 g0:10 b0:10 r1:9 r0.10 g1:9 g0.10 b1:9 b0.10"},
	10: {true, 11, [3]uint8{4, 4, 5}, "r0:10 g0:10 b0:10 r1:4 r0.10 b2.4 g2:4 g1:4 g0.10 b3.0 g3:4 b1:5 b0.10 b2:4 r2:4 b3.1 b3.2 r3:4 b3.4 b3.3"},
	11: {true, 12, [3]uint8{8, 8, 8}, "r0:10 g0:10 b0:10 r1:8 r0.11 r0.10 g1:8 g0.11 g0.10 b1:8 b0.11 b0.10"},
	14: {true, 9, [3]uint8{5, 5, 5}, "r0:9 b2.4 g0:9 g2.4 b0:9 b3.4 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3"},
	15: {true, 16, [3]uint8{4, 4, 4}, "r0:10 g0:10 b0:10 r1:4 r0.15 r0.14 r0.13 r0.12 r0.11 r0.10 g1:4 g0.15 g0.14 g0.13 g0.12 g0.11 g0.10 b1:4 b0.15 b0.14 b0.13 b0.12 b0.11 b0.10"},
	18: {true, 8, [3]uint8{6, 5, 5}, "r0:8 g3.4 b2.4 g0:8 b3.2 g2.4 b0:8 b3.3 b3.4 r1:6 g2:4 g1:5 b3.0 g3:4 b1:5 b3.1 b2:4 r2:6 r3:6"},
	22: {true, 8, [3]uint8{5, 6, 5}, "r0:8 b3.0 b2.4 g0:8 g2.5 g2.4 b0:8 g3.5 b3.4 r1:5 g3.4 g2:4 g1:6 g3:4 b1:5 b3.1 b2:4 r2:5 b3.2 r3:5 b3.3"},
	26: {true, 8, [3]uint8{5, 5, 6}, "r0:8 b3.1 b2.4 g0:8 b2.5 g2.4 b0:8 b3.5 b3.4 r1:5 g3.4 g2:4 g1:5 b3.0 g3:4 b1:6 b2:4 r2:5 b3.2 r3:5 b3.3"},
	30: {false, 6, [3]uint8{6, 6, 6}, "r0:6 g3.4 b3.0 b3.1 b2.4 g0:6 g2.5 b2.5 b3.2 g2.4 b0:6 g3.5 b3.3 b3.5 b3.4 r1:6 g2:4 g1:6 g3:4 b1:6 b2:4 r2:6 r3:6"},
}

// bc6Texel returns the components of texel i in half precision. A reserved block
// is 0.
func bc6Texel(lo, hi uint64, i uint32, signed bool) (c [3]uint16) {
	b := bptcBits{lo, hi}
	mode := b.takeBits(2)
	if mode > 1 {
		mode |= b.takeBits(3) << 2
	}
	m := &bc6Modes[mode]
	if m.first == 0 {
		return c
	}
	ends := b.bc6Ends(m.bits)
	subsets, index, partition := uint8(1), uint8(4), uint32(0)
	if mode < 3 || mode&3 == 2 {
		subsets, index = 2, 3
		partition = b.takeBits(5)
	}
	subset, _ := bptcSubset(subsets, partition, i)
	w := int32(bptcWeights[index][b.bptcIndex(subsets, index, partition, i)])
	for k := range c {
		var e [2]int32
		for j := range e {
			e[j] = bc6Unquantize(bc6End(&ends, k, int(2*subset)+j, m.delta, signed, m.first, m.others[k]), m.first, signed)
		}
		c[k] = bc6Half((e[0]*(64-w)+e[1]*w+32)>>6, signed)
	}
	return c
}

// bc6Ends reads the endpoints: up to four, with three components.
func (b *bptcBits) bc6Ends(places string) (ends [4][3]uint32) {
	for at := 0; at < len(places); at++ { // past the space
		component, end, single := colorNumber(places[at]), places[at+1]-'0', places[at+2] == '.'
		n := uint8(0)
		for at += 3; at < len(places) && places[at] != ' '; at++ {
			n = 10*n + places[at] - '0'
		}
		if single {
			ends[end][component] |= b.takeBits(1) << n
		} else {
			ends[end][component] |= b.takeBits(n)
		}
	}
	return ends
}

// colorNumber returns the number of the component r, g or b.
func colorNumber(c byte) int {
	switch c {
	case 'g':
		return 1
	case 'b':
		return 2
	}
	return 0
}

// bc6End returns component k of an endpoint before the conversion to 16 bits.
func bc6End(ends *[4][3]uint32, k, end int, delta, signed bool, first, others uint8) int32 {
	base := int32(ends[0][k])
	extend := func(v int32, bits uint8) int32 { return v << (32 - bits) >> (32 - bits) }
	v := base
	if end > 0 {
		v = int32(ends[end][k])
		if delta {
			v = (extend(v, others) + base) & (1<<first - 1)
		}
	}
	if signed {
		v = extend(v, first)
	}
	return v
}

// bc6Unquantize converts an endpoint of some bits to 16 bits, or to 15 bits and a
// sign.
func bc6Unquantize(v int32, bits uint8, signed bool) int32 {
	if !signed {
		switch {
		case bits >= 15 || v == 0:
			return v
		case v == 1<<bits-1:
			return 0xffff
		}
		return (v<<16 + 0x8000) >> bits
	}
	abs := max(v, -v)
	switch {
	case bits >= 16 || v == 0:
		return v
	case abs >= 1<<(bits-1)-1:
		abs = 0x7fff
	default:
		abs = (abs<<15 + 0x4000) >> (bits - 1)
	}
	if v < 0 {
		return -abs
	}
	return abs
}

// bc6Half converts an interpolated value to half precision.
func bc6Half(v int32, signed bool) uint16 {
	switch {
	case !signed:
		return uint16(v * 31 >> 6)
	case v < 0:
		return 0x8000 | uint16(-v*31>>5)
	}
	return uint16(v * 31 >> 5)
}
