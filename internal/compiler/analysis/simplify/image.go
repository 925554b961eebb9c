package simplify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// image is a constant as a bit string, lowest bit first, for bitcasts and
// loads. Each bit is known, undef or poison.
type image struct {
	m      *ir.Module
	n      uint64
	bits   []uint64
	undef  []uint64 // mask of undef bits
	poison []uint64 // mask of poison bits
	at     uint64
	room   [24]uint64
}

// maxImage bounds the size of an image in bits.
const maxImage = 1 << 20

// init sets g to n zero bits. It returns false if n is too large.
func (g *image) init(m *ir.Module, n uint64) bool {
	if n > maxImage {
		return false
	}
	words := int(n+63) / 64
	all := g.room[:]
	if 3*words > len(all) {
		all = make([]uint64, 3*words)
	}
	g.m, g.n = m, n
	g.bits, g.undef, g.poison = all[:words], all[words:2*words], all[2*words:3*words]
	return true
}

// putBits sets up to 64 bits at a bit position and ignores bits outside the
// image.
func (g *image) putBits(to []uint64, at, n, x uint64) {
	if at >= g.n {
		return
	}
	n = min(n, g.n-at)
	if n < 64 {
		x &= 1<<n - 1
	}
	w, s := at/64, at%64
	to[w] |= x << s
	if s+n > 64 {
		to[w+1] |= x >> (64 - s)
	}
}

// getBits returns n <= 64 bits at a bit position.
func getBits(from []uint64, at, n uint64) uint64 {
	w, s := at/64, at%64
	x := from[w] >> s
	if s+n > 64 {
		x |= from[w+1] << (64 - s)
	}
	if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// fill sets n bits of the undef or poison mask.
func (g *image) fill(to []uint64, at, n uint64) {
	for n > 0 {
		k := min(n, 64)
		g.putBits(to, at, k, ^uint64(0))
		at, n = at+k, n-k
	}
}

// addBits appends a scalar, or a vector's elements without padding. It returns
// false if the bits are unknown.
func (g *image) addBits(v ir.Value) bool {
	t := g.m.TypeOfConst(v)
	if info := g.m.TypeInfo(t); info.Kind == ir.KindVector {
		for i := range info.N {
			if e := g.m.Element(v, i); e == ir.None || !g.addBits(e) {
				return false
			}
		}
		return true
	}
	n := uint64(g.m.ScalarBits(t))
	if n == 0 || !g.scalar(v, g.at, n) {
		return false
	}
	g.at += n
	return true
}

// scalar stores a scalar of n bits at a bit position.
func (g *image) scalar(v ir.Value, at, n uint64) bool {
	switch c := g.m.Const(v); c.Kind {
	case ir.ConstInt, ir.ConstFloat:
		g.putBits(g.bits, at, n, c.Bits())
	case ir.ConstWide:
		for i, w := range g.m.Words(v) {
			if off := uint64(i) * 64; off < n {
				g.putBits(g.bits, at+off, min(64, n-off), w)
			}
		}
	case ir.ConstZero:
	case ir.ConstUndef:
		g.fill(g.undef, at, n)
	case ir.ConstPoison:
		g.fill(g.poison, at, n)
	default:
		return false
	}
	return true
}

// bitsAt returns the scalar of type t at a bit position. It is poison or undef
// if all its bits are; otherwise such bits count as 0, as in LLVM.
func (g *image) bitsAt(t ir.Type, at uint64) ir.Value {
	n := uint64(g.m.ScalarBits(t))
	if n == 0 {
		return ir.None
	}
	if n <= 64 {
		all := ^uint64(0) >> (64 - n)
		switch {
		case getBits(g.poison, at, n) == all:
			return g.m.Poison(t)
		case getBits(g.undef, at, n) == all:
			return g.m.Undef(t)
		}
		return g.number(t, []uint64{getBits(g.bits, at, n)})
	}
	words := make([]uint64, 0, (n+63)/64)
	allUndef, allPoison := true, true
	for off := uint64(0); off < n; off += 64 {
		k := min(64, n-off)
		all := ^uint64(0) >> (64 - k)
		allPoison = allPoison && getBits(g.poison, at+off, k) == all
		allUndef = allUndef && getBits(g.undef, at+off, k) == all
		words = append(words, getBits(g.bits, at+off, k))
	}
	switch {
	case allPoison:
		return g.m.Poison(t)
	case allUndef:
		return g.m.Undef(t)
	}
	return g.number(t, words)
}

func (g *image) number(t ir.Type, words []uint64) ir.Value {
	if t == ir.PPCFP128 {
		return ir.None
	}
	return g.m.NewWide(t, words)
}
