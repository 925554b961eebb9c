package lanes

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/testing/lanetest"
)

// TestSIMDMoves compares the SIMD move functions with the portable ones.
func TestSIMDMoves(t *testing.T) {
	if !HasSIMD {
		t.Skip("the host has no AVX2 and FMA")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 32 << r.IntN(2)
		var d, s [128]uint32
		lanetest.Randomize(r, &d)
		lanetest.Randomize(r, &s)
		exec := (r.Uint64() | r.Uint64()<<r.IntN(64)) & (^uint64(0) >> (64 - n))
		a, b := uint8(r.IntN(32)), uint8(r.IntN(32))
		word := r.Uint32()
		check := func(name string, quick, plain func(d *uint32)) {
			x, y := d, d
			quick(&x[0])
			plain(&y[0])
			if x != y {
				t.Fatalf("%s(%d, %d, %#x) of %d lanes: %x, want %x", name, a, b, word, n, x, y)
			}
		}
		check("merge", func(d *uint32) { Merge(d, &s[0], exec, a, word, n) }, func(d *uint32) { mergeAny(d, &s[0], exec, a, word, n) })
		for _, signed := range []bool{false, true} {
			check("field", func(d *uint32) { Field(d, &s[0], a, b, signed, n) }, func(d *uint32) { fieldAny(d, &s[0], a, b, signed, n) })
		}
		check("pairs", func(d *uint32) { Pairs(d, &s[0], a&16, b&16, word, n) }, func(d *uint32) { pairsAny(d, &s[0], a&16, b&16, word, n) })
		check("bitsOf", func(d *uint32) { Bits(d, &s[0], a, word, s[3], n) }, func(d *uint32) { bitsOfAny(d, &s[0], a, word, s[3], n) })
		check("spread", func(d *uint32) { Spread(d, word, n) }, func(d *uint32) { spreadAny(d, word, n) })
		var from [64]uint32
		for i := range from {
			from[i] = r.Uint32N(uint32(n))
		}
		check("takeLanes", func(d *uint32) { Take(d, &s[0], &from, exec, n) }, func(d *uint32) { takeLanesAny(d, &s[0], &from, exec, n) })
	}
}

// TestSIMDModifiers compares the SIMD output modifiers with package sem.
func TestSIMDModifiers(t *testing.T) {
	if !HasSIMD {
		t.Skip("the host has no AVX2 and FMA")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		lanes := 32 << r.IntN(2)
		mode := []uint32{0x1c0, 0xc0, 0x1f0, 0x3c0, 0x1c1}[r.IntN(5)]
		ctx := &sem.Ctx{Mode: sem.Mode(mode)}
		counts := CountsOf(mode, false, lanes)
		exec := (r.Uint64() | r.Uint64()<<r.IntN(64)) & (^uint64(0) >> (64 - lanes))
		var s [128]uint32
		lanetest.Randomize(r, &s)
		check := func(name string, got *[128]uint32, left uint64, want func(v uint64) uint64) {
			if left&^exec != 0 {
				t.Fatal("lanes outside of EXEC")
			}
			for l := range lanes {
				x := s[l]
				if exec&^left>>l&1 != 0 {
					x = uint32(want(uint64(x)))
				}
				if got[l] != x {
					t.Fatalf("%s mode %#x: %#x: got %#x, want %#x", name, mode, s[l], got[l], x)
				}
			}
		}
		d := s
		left := Clamp(&d[0], exec, ctx.Mode.DX10Clamp(), lanes)
		check("clamp", &d, left, func(v uint64) uint64 { return sem.ClampFloat(ctx, sem.F32, v) })
		if ctx.Mode.IEEE() {
			continue // no output modifiers
		}
		for omod := sem.OModMul2; omod <= sem.OModDiv2; omod++ {
			d := s
			left := OMod(&d[0], omod, exec, counts.Float)
			check("omod", &d, left, func(v uint64) uint64 { return sem.OMod(ctx, sem.F32, v, omod) })
			if mode == 0x1c0 && left != 0 && left == exec && exec != 1 {
				t.Fatal("no lane was done")
			}
		}
	}
}
