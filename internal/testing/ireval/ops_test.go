package ireval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// outcome is the result of an operation: a number, poison, or undefined
// behaviour.
type outcome struct {
	bits   uint64
	poison bool
	ub     bool
}

func try(mask uint64, f func() (uint64, uint8)) (r outcome) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(*Error); !ok {
				panic(e)
			}
			r = outcome{ub: true}
		}
	}()
	x, p := f()
	if p != 0 {
		return outcome{poison: true}
	}
	return outcome{bits: x & mask}
}

// operand returns an n-bit number, often a boundary value.
func operand(r *rand.Rand, n int32) uint64 {
	mask := maskOf(n)
	switch r.IntN(6) {
	case 0:
		return uint64(r.IntN(4)) & mask
	case 1:
		return -uint64(r.IntN(4)) & mask
	case 2:
		return (1<<(n-1) - uint64(r.IntN(2))) & mask
	case 3:
		return uint64(r.IntN(int(n)+1)) & mask
	}
	return r.Uint64() & mask
}

// TestIntegerImplementations compares the two implementations of every integer operation.
func TestIntegerImplementations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	flags := []ir.Flags{0, ir.NUW, ir.NSW, ir.NUW | ir.NSW, ir.Exact, ir.Disjoint, ir.SameSign, ir.NNeg}
	check := func(name any, k intOp, cast bool) {
		for range 1000 {
			n := 1 + int32(r.IntN(64))
			if name == ir.IntrBswap {
				n = 16 * (1 + int32(r.IntN(4)))
			}
			o := &op{bits: n, rbits: n, flags: flags[r.IntN(len(flags))], sub: uint8(ir.ICmpEQ) + uint8(r.IntN(10))}
			if cast {
				o.rbits = 1 + int32(r.IntN(64))
				if (name == ir.OpTrunc) != (o.rbits < n) {
					continue
				}
			}
			o.mask = maskOf(o.rbits)
			x, y, z := operand(r, n), operand(r, n), operand(r, n)
			wide := func(x uint64) *bigInt { return new(bigInt).SetUint64(x) }
			a := try(o.mask, func() (uint64, uint8) { return k.fast(o, x, y, z) })
			b := try(o.mask, func() (uint64, uint8) {
				w, p := k.wide(o, wide(x), wide(y), wide(z))
				return wrap(w, o.rbits).Uint64(), p
			})
			if a != b {
				t.Fatalf("%v of %d bits, flags %x: %#x %#x %#x: %+v, %+v", name, n, o.flags, x, y, z, a, b)
			}
		}
	}
	for name, k := range intOps {
		check(name, k, false)
	}
	for name, k := range intIntrinsics {
		check(name, k, false)
	}
	check("icmp", intOp{compareFast, compareWide}, false)
	for _, name := range []ir.Op{ir.OpTrunc, ir.OpZExt, ir.OpSExt} {
		check(name, intOp{castOps[name].fast, castOps[name].wide}, true)
	}
}

// TestRound checks rounding to small formats with numbers between the
// representable ones.
func TestRound(t *testing.T) {
	for h := range 0x7c00 {
		x := halfValue(uint16(h))
		if got := round(ir.KindHalf, x); got != uint64(h) {
			t.Fatalf("half %#x: rounding %v returned %#x", h, x, got)
		}
		if next := halfValue(uint16(h + 1)); h < 0x7bff {
			mid := (x + next) / 2
			if got := round(ir.KindHalf, mid); got != uint64(h+h&1) {
				t.Fatalf("half between %#x and the next one: %#x", h, got)
			}
			if got := round(ir.KindHalf, -math.Nextafter(mid, 0)); got != uint64(h)|0x8000 {
				t.Fatalf("half below the middle of %#x and the next one: %#x", h, got)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		x := math.Float64frombits(r.Uint64()&(1<<63-1)&^(3<<61) | 7<<59)
		f := float64(float32(x))
		if got := roundTo(x, 24, -126, 127); got != uint64(math.Float32bits(float32(x))) {
			t.Fatalf("float of %v: %#x", f, got)
		}
	}
}

// TestFMA compares fma with exact arithmetic.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		var x [3]float64
		for i := range x {
			x[i] = float64(math.Float32frombits(uint32(r.IntN(64)+95)<<23 | r.Uint32()&0x7fffff | r.Uint32()&1<<31))
		}
		exact := new(big.Float).SetPrec(400).SetFloat64(x[0])
		exact.Mul(exact, big.NewFloat(x[1]))
		exact.Add(exact, big.NewFloat(x[2]))
		want, _ := exact.Float32()
		if got := fma(ir.KindFloat, x[0], x[1], x[2]); got != uint64(math.Float32bits(want)) {
			t.Fatalf("%v: got %#x, want %#x", x, got, math.Float32bits(want))
		}
	}
}

// TestHardwareFloat checks the results of hardware operations for special
// values against the ISA documents.
func TestHardwareFloat(t *testing.T) {
	const one, two, quiet, signaling = 0x3c00, 0x4000, 0x7e01, 0x7c01
	for _, test := range []struct{ x, y, z, want uint64 }{
		{one, two, 0, one}, {two, 0, one, one}, {quiet, two, one, one}, {two, one, quiet, one},
		{signaling, one, two, two}, {one, signaling, two, two}, {one, two, signaling, 0x7e00},
	} {
		if got := medianOf(minIEEE)(ir.KindHalf, test.x, test.y, test.z); got != test.want {
			t.Errorf("median of %#x, %#x, %#x is %#x, want %#x", test.x, test.y, test.z, got, test.want)
		}
	}
	for turns, want := range map[float64]float64{0: 0, 0.25: 1, 0.5: 0, 0.75: -1, 7: 0, -0.25: -1, -0.5: 0, 1.0 / 12: 0.5} {
		if got := sinTurns(turns); math.Abs(got-want) > 1e-15 || want == 0 && math.Float64bits(got) != 0 {
			t.Errorf("sine of %v turns is %v, want %v", turns, got, want)
		}
		if got := cosTurns(turns - 0.25); math.Abs(got-want) > 1e-15 || want == 0 && math.Float64bits(got) != 0 {
			t.Errorf("cosine of %v turns is %v, want %v", turns-0.25, got, want)
		}
	}
}
