package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sem"
)

// TestQuickFloats compares the fast floating-point atomics with package sem in
// all denormal modes.
func TestQuickFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	full := map[sem.AtomicKind][2]func(c *sem.Ctx, a, b uint64) uint64{
		sem.AtomicFAdd: {sem.AddF32, sem.AddF64},
		sem.AtomicFMin: {sem.MinF32, sem.MinF64},
		sem.AtomicFMax: {sem.MaxF32, sem.MaxF64},
	}
	odd32 := []uint32{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x3f800000, 0xbf800000, 0x33800000, 0x33800001}
	pick := func(bits int) uint64 {
		if bits == 0 {
			switch r.IntN(3) {
			case 0:
				return uint64(odd32[r.IntN(len(odd32))])
			case 1:
				return uint64(r.Uint32())
			}
			return uint64(math.Float32bits(float32(r.NormFloat64())))
		}
		switch r.IntN(3) {
		case 0:
			v := odd32[r.IntN(len(odd32))]
			return uint64(v>>31)<<63 | uint64(v>>23&0xff*2047/255)<<52 | uint64(v&0x7fffff)
		case 1:
			return r.Uint64()
		}
		return math.Float64bits(r.NormFloat64())
	}
	for range 200000 {
		c := sem.Ctx{Mode: sem.Mode(r.Uint32N(1 << 10))}
		for kind, fns := range full {
			i := r.IntN(2)
			a, b := pick(i), pick(i)
			got, want := quickFloats.Get()[kind][i](&c, a, b, 0), fns[i](&c, a, b)
			if got != want {
				t.Fatalf("kind %d, %d bits, mode %#x: %#x, %#x: got %#x, want %#x", kind, 32<<i, c.Mode, a, b, got, want)
			}
		}
	}
}
