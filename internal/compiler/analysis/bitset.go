package analysis

import "math/bits"

// BitSet is a set of small numbers. All sets of one analysis have the same length.
type BitSet []uint64

// Has reports whether a number is in the set.
func (s BitSet) Has(i uint32) bool { return s[i/64]>>(i%64)&1 != 0 }

// Add adds a number to the set.
func (s BitSet) Add(i uint32) { s[i/64] |= 1 << (i % 64) }

// Remove removes a number from the set.
func (s BitSet) Remove(i uint32) { s[i/64] &^= 1 << (i % 64) }

// Next returns the smallest number in the set that is at least i, or -1 if the
// set has no such number:
//
//	for i := s.Next(0); i >= 0; i = s.Next(uint32(i) + 1) { … }
func (s BitSet) Next(i uint32) int {
	w := int(i / 64)
	if w >= len(s) {
		return -1
	}
	word := s[w] >> (i % 64) << (i % 64)
	for word == 0 {
		if w++; w == len(s) {
			return -1
		}
		word = s[w]
	}
	return w*64 + bits.TrailingZeros64(word)
}

// Count returns the number of elements of the set.
func (s BitSet) Count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Union adds the elements of another set.
func (s BitSet) Union(o BitSet) {
	for i, w := range o {
		s[i] |= w
	}
}
