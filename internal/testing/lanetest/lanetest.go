// Package lanetest supplies the contents of vector registers for tests of the
// simulator.
package lanetest

import (
	"math"
	"math/rand/v2"
)

// Edges lists interesting dwords for floats and integers.
var Edges = []uint32{0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xffff, 0x10000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
	0x3f800000, 0xbf800000, 0x00800000, 0x80800000, 0x007fffff, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0xffc12345, 0x7f7fffff, 0x4f000000, 0xcf000000,
	0x4f800000, 0x34000000, 0x3ff00000, 0x7ff00000, 0x7ff80000, 0xfff00000, 0x00100000, 0x000fffff, 0x7fefffff}

// Randomize fills registers with random values: edges, small integers, floats of
// magnitudes relevant to mathematical functions, and any dwords.
func Randomize(r *rand.Rand, p *[128]uint32) {
	for i := range p {
		switch r.IntN(6) {
		case 0:
			p[i] = Edges[r.IntN(len(Edges))]
		case 1:
			p[i] = uint32(r.IntN(70))
		case 2:
			p[i] = 0x3f000000 + r.Uint32()>>7 | r.Uint32()&(1<<31)
		case 3: // floats of a magnitude relevant to math functions
			p[i] = math.Float32bits(float32(math.Ldexp(r.Float64()-0.5, r.IntN(30)-20)))
		case 4:
			p[i] = math.Float32bits(float32(r.IntN(1200)-600)/4 + float32(math.Ldexp(r.Float64()-0.5, -r.IntN(20))))
		default:
			p[i] = r.Uint32()
		}
	}
}
