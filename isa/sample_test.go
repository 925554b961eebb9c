package isa

import "testing"

// TestSamples decodes the example of every encoding of every set.
func TestSamples(t *testing.T) {
	for s := range Set(NumSets) {
		if c := CoverageOf(s, nil); c.Decoded != c.Instructions {
			t.Errorf("%s: examples of %d of %d instructions are decoded", s, c.Decoded, c.Instructions)
		}
	}
}

// TestFixedBits flips each bit that an encoding has fixed in its example: then
// it is not an instruction of that encoding.
func TestFixedBits(t *testing.T) {
	for s := range Set(NumSets) {
		for _, wave := range s.WaveSizes() {
			d := NewDecoder(s, wave)
			for e := range Enc(len(encs)) {
				in, ok := Sample(e, s, wave)
				if !ok || in.Enc != e {
					continue
				}
				fixed := e.fixedBits(s)
				for bit := range 128 {
					if (fixed.zero[bit/32]|fixed.one[bit/32])>>(bit%32)&1 == 0 {
						continue
					}
					bad := in
					bad.Words[bit/32] ^= 1 << (bit % 32)
					if got, _, err := d.Decode(append(Encode(nil, &bad), make([]byte, 16)...)); err == nil && got.Enc == e {
						t.Fatalf("%s/%d: %s decodes with bit %d flipped", s, wave, e.Name(), bit)
					}
				}
			}
		}
	}
}
