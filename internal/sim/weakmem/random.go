package weakmem

import "math/bits"

// Random is a fast generator of pseudo-random numbers (SplitMix64).
type Random uint64

// Next returns 64 random bits.
func (r *Random) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	v := uint64(*r)
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// Below returns a random number from 0 to n-1. n must be positive.
func (r *Random) Below(n int) int {
	hi, _ := bits.Mul64(r.Next(), uint64(n))
	return int(hi)
}

// Chance reports true in n of 256 cases.
func (r *Random) Chance(n int) bool { return int(r.Next()>>56) < n }
