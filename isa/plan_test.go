package isa

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestPlans decodes random words by the encodings' plans and operand by
// operand; the answers are the same.
func TestPlans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for s := range Set(NumSets) {
		for _, wave := range s.WaveSizes() {
			fast := NewDecoder(s, wave)
			slow := &Decoder{set: s, wave: uint8(wave), tab: newDecodeTable(s)}
			for i := range slow.tab.plans {
				slow.tab.plans[i].simple = false
			}
			for range 20000 {
				var src [MaxSize]byte
				for i := 0; i < len(src); i += 4 {
					binary.LittleEndian.PutUint32(src[i:], r.Uint32())
				}
				// Every prefix is met, not only those that many words have.
				src[3] = byte(r.Uint32())
				a, n, err := fast.Decode(src[:])
				b, m, err2 := slow.Decode(src[:])
				if a != b || n != m || err != err2 {
					t.Fatalf("%s: %x: %v %d %v by plan, %v %d %v by operand", s, src, a, n, err, b, m, err2)
				}
			}
		}
	}
}
