package weakmem

import "math/bits"

// Random is a fast generator of pseudo-random numbers (wyrand). Its first numbers depend little on
// small differences of its value; see NewRandom.
type Random uint64

// NewRandom returns a generator for a seed. Generators for neighboring seeds have nothing in common.
func NewRandom(seed uint64) Random {
	v := seed + 0x9e3779b97f4a7c15 // SplitMix64
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return Random(v ^ v>>31)
}

// Next returns 64 random bits.
func (r *Random) Next() uint64 {
	*r += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(uint64(*r), uint64(*r)^0xe7037ed1a0b428db)
	return hi ^ lo
}

// Below returns a random number from 0 to n-1. n must be positive.
func (r *Random) Below(n int) int {
	hi, _ := bits.Mul64(r.Next(), uint64(n))
	return int(hi)
}

// Chance reports true in n of 256 cases.
func (r *Random) Chance(n int) bool { return int(r.Next()>>56) < n }
