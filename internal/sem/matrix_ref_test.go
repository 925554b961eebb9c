package sem

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/gfx-toolchain/gfx/isa"
)

// A plain matrix multiplication with exact arithmetic, as reference.

const matPrec = 1200 // bits: enough for every sum here

func matBig(x float64) *big.Float { return new(big.Float).SetPrec(matPrec).SetFloat64(x) }

// matValue returns a finite element's value from the definition of its format.
func matValue(set isa.Set, t MatrixType, v uint64) float64 {
	type format struct{ exp, mant, bias int }
	f := map[MatrixType]format{
		MatrixF16: {5, 10, 15}, MatrixBF16: {8, 7, 127}, MatrixF32: {8, 23, 127}, MatrixXF32: {8, 23, 127},
		MatrixF64: {11, 52, 1023}, MatrixFP8: {4, 3, 8}, MatrixBF8: {5, 2, 16}, MatrixFP6: {2, 3, 1}, MatrixBF6: {3, 2, 3}, MatrixFP4: {2, 1, 1},
	}[t]
	if set == isa.GFX950 && t.Bits() == 8 {
		f.bias--
	}
	sign := 1.0
	if v>>(f.exp+f.mant)&1 != 0 {
		sign = -1
	}
	e, frac := int(v>>f.mant)&(1<<f.exp-1), v&(1<<f.mant-1)
	if t == MatrixXF32 {
		frac &^= 0x1fff
	}
	if e == 0 {
		return math.Copysign(math.Ldexp(float64(frac), 1-f.bias-f.mant), sign)
	}
	return sign * math.Ldexp(float64(frac|1<<f.mant), e-f.bias-f.mant)
}

// matExp returns the exponent that matters for truncation: the element's own,
// but at least the exponent of the smallest normal number.
func matExp(set isa.Set, t MatrixType, x float64) int {
	least := map[MatrixType]int{MatrixF16: -14, MatrixBF16: -126, MatrixF32: -126, MatrixXF32: -126, MatrixFP8: -7, MatrixBF8: -15}[t]
	if set == isa.GFX950 && t.Bits() == 8 {
		least++
	}
	if x == 0 {
		return least
	}
	return max(math.Ilogb(x), least)
}

// matRef computes one element of D: c and the elements of a row and a column.
func matRef(set isa.Set, m *Matrix, mode Mode, a, b []float64, c float64) float64 {
	switch {
	case m.K*m.M == 2048 && !m.Sparse: // f8f6f4
		sum := matBig(c)
		for k := range a {
			sum.Add(sum, new(big.Float).SetPrec(matPrec).Mul(matBig(a[k]), matBig(b[k])))
		}
		f, _ := sum.Float32()
		if sum.Sign() == 0 {
			return 0
		}
		return float64(f)
	case m.A == MatrixF64:
		for k := range a {
			p := new(big.Float).SetPrec(matPrec).Mul(matBig(a[k]), matBig(b[k]))
			c, _ = p.Add(p, matBig(c)).Float64()
		}
		return c
	case m.A == MatrixF32 || m.Wave:
		return matRefFMA(set, m, mode, a, b, c)
	case m.A == MatrixFP8 || m.A == MatrixBF8:
		for k := 0; k < len(a); k += 16 {
			c = matRefF8(set, m, a[k:k+16], b[k:k+16], c)
		}
		return c
	case set == isa.GFX942 || set == isa.GFX950:
		step := 8
		if m.A == MatrixXF32 {
			step = 4
		}
		for k := 0; k < len(a); k += step {
			end := min(k+step, len(a))
			if x, ok := matRefInf(a[k:end], b[k:end], c); ok {
				c = x
				continue
			}
			sum, e := matRefCut(set, m, a[k:end], b[k:end], 1, 0)
			c = matRefJoin(sum, e, c, false)
		}
		return c
	case set == isa.GFX90A:
		return matRefFlush(m, a, b, c)
	}
	step := 4
	if m.A == MatrixBF16 {
		step = 2
	}
	for k := 0; k < len(a); k += step {
		if math.IsInf(c, 0) {
			return c
		}
		sum := matBig(c)
		for i := k; i < k+step; i++ {
			sum.Add(sum, new(big.Float).SetPrec(matPrec).Mul(matBig(a[i]), matBig(b[i])))
		}
		f, _ := sum.Float32()
		c = float64(f)
		if sum.Sign() == 0 {
			c = 0 // never −0
		}
	}
	return c
}

// matRefInf returns the sum where C or a product is infinite in f32.
func matRefInf(a, b []float64, c float64) (x float64, ok bool) {
	x = c
	for k := range a {
		if p := a[k] * b[k]; math.Abs(p) >= 0x1p128 {
			x += math.Inf(int(math.Copysign(1, p)))
		}
	}
	return x, math.IsInf(x, 0) || x != x
}

// matRefFMA adds products one by one.
func matRefFMA(set isa.Set, m *Matrix, mode Mode, a, b []float64, c float64) float64 {
	flushIn, flushOut := false, false
	if !m.Wave {
		flushIn, flushOut = mode>>4&1 == 0, mode>>4&2 == 0
	}
	flush := func(x float64, on bool) float64 {
		if on && math.Abs(x) < 0x1p-126 {
			return math.Copysign(0, x)
		}
		return x
	}
	c = flush(c, flushIn && set != isa.GFX942 && set != isa.GFX950)
	for k := range a {
		p := new(big.Float).SetPrec(matPrec).Mul(matBig(flush(a[k], flushIn)), matBig(flush(b[k], flushIn)))
		f, _ := p.Add(p, matBig(c)).Float32()
		c = flush(float64(f), flushOut && set != isa.GFX942 && set != isa.GFX950)
	}
	return c
}

// matRefFlush implements gfx90a's arithmetic: every step is rounded to f32, and
// denormals are zero.
func matRefFlush(m *Matrix, a, b []float64, c float64) float64 {
	least := 0x1p-126
	if m.A == MatrixF16 {
		least = 0x1p-14
	}
	in := func(x, least float64) float64 {
		if math.Abs(x) < least {
			return 0
		}
		return x
	}
	out := func(x *big.Float) float64 {
		f, _ := x.Float32()
		if math.Abs(float64(f)) < 0x1p-126 {
			return math.Copysign(0, float64(f))
		}
		return float64(f)
	}
	finite := func(x, y float64) bool { return math.Abs(x)+math.Abs(y) <= math.MaxFloat64 }
	add := func(x, y float64) float64 {
		if !finite(x, y) {
			return x + y
		}
		return out(new(big.Float).SetPrec(matPrec).Add(matBig(x), matBig(y)))
	}
	mul := func(x, y float64) float64 {
		return out(new(big.Float).SetPrec(matPrec).Mul(matBig(in(x, least)), matBig(in(y, least))))
	}
	c = in(c, 0x1p-126)
	for k := 0; k < len(a); {
		s := add(mul(a[k], b[k]), mul(a[k+1], b[k+1]))
		k += 2
		if m.A == MatrixF16 || m.D == MatrixF32 && !m.Pairs {
			s = add(s, add(mul(a[k], b[k]), mul(a[k+1], b[k+1])))
			k += 2
		}
		c = add(c, s)
	}
	return c
}

// matRefCut adds products at first, first+stride, …, each truncated towards
// zero to a multiple of 2^(e-24), where e is the largest exponent.
func matRefCut(set isa.Set, m *Matrix, a, b []float64, stride, first int) (sum *big.Rat, e int) {
	e = math.MinInt
	exp := func(k int) int {
		if a[k]*b[k] == 0 {
			return -126
		}
		return matExp(set, m.A, a[k]) + matExp(set, m.B, b[k])
	}
	for k := first; k < len(a); k += stride {
		e = max(e, exp(k))
	}
	sum = new(big.Rat)
	for k := first; k < len(a); k += stride {
		p := new(big.Rat).Mul(new(big.Rat).SetFloat64(a[k]), new(big.Rat).SetFloat64(b[k]))
		sum.Add(sum, matToGrid(p, e-24, true))
	}
	return sum, e
}

// matToGrid truncates a number to a multiple of 2^e: towards zero, or down.
func matToGrid(x *big.Rat, e int, toZero bool) *big.Rat {
	unit := new(big.Rat).SetInt64(1)
	if e >= 0 {
		unit.SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
	} else {
		unit.SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
	}
	q := new(big.Rat).Quo(x, unit)
	n := new(big.Int)
	if toZero {
		n.Quo(q.Num(), q.Denom())
	} else {
		n.Div(q.Num(), q.Denom())
	}
	return unit.Mul(unit, new(big.Rat).SetInt(n))
}

// matRefJoin adds c to a sum whose largest exponent is e.
func matRefJoin(sum *big.Rat, e int, c float64, dropC bool) float64 {
	ec := matExp(isa.GFX942, MatrixF32, c)
	top := max(e, ec)
	total := matToGrid(sum, top-31, false)
	if !dropC || ec >= top-25 {
		total.Add(total, matToGrid(new(big.Rat).SetFloat64(c), top-24, false))
	}
	f, _ := new(big.Float).SetPrec(matPrec).SetRat(total).Float32()
	return float64(f)
}

// matRefF8 adds sixteen products of 8-bit floats.
func matRefF8(set isa.Set, m *Matrix, a, b []float64, c float64) float64 {
	s0, e0 := matRefCut(set, m, a, b, 2, 0)
	s1, e1 := matRefCut(set, m, a, b, 2, 1)
	e := max(e0, e1)
	sum := new(big.Rat).Add(matToGrid(s0, e-24, false), matToGrid(s1, e-24, false))
	return matRefJoin(sum, e, c, true)
}

// matInput holds random operands.
type matInput struct{ a, b, acc, index []uint32 }

// matRandom returns random finite operands for an instruction: mostly of
// similar size, sometimes of any size, zeros and denormals.
func matRandom(rnd *rand.Rand, set isa.Set, m *Matrix, r MatrixRegs, lanes int) (in matInput) {
	spread := []int{1, 3, 30, 300}[rnd.IntN(4)]
	fill := func(t MatrixType, regs int) []uint32 {
		v := make([]uint32, regs*lanes)
		for n := 0; t != MatrixF64 && n < regs*32/max(t.Bits(), 4); n++ {
			for lane := range lanes {
				reg, bit := n*t.Bits()/32, n*t.Bits()%32
				x := matRandomValue(rnd, set, t, spread) << bit
				v[reg*lanes+lane] |= uint32(x)
				if x>>32 != 0 {
					v[(reg+1)*lanes+lane] |= uint32(x >> 32)
				}
			}
		}
		for i := 0; t == MatrixF64 && i < regs*lanes; i++ {
			if i/lanes&1 == 0 {
				x := matRandomValue(rnd, set, t, spread)
				v[i], v[i+lanes] = uint32(x), uint32(x>>32)
			}
		}
		return v
	}
	in.a, in.b, in.acc = fill(m.A, r.A), fill(m.B, r.B), fill(m.D, r.Acc)
	for range r.Index * lanes {
		var v uint32
		for n := range 8 { // pairs of ascending places
			lo := rnd.IntN(3)
			hi := lo + 1 + rnd.IntN(3-lo)
			v |= uint32(lo|hi<<2) << (4 * n)
		}
		in.index = append(in.index, v)
	}
	return in
}

// matRandomValue returns a random element.
func matRandomValue(rnd *rand.Rand, set isa.Set, t MatrixType, spread int) uint64 {
	f := map[MatrixType]struct{ exp, mant, bias int }{
		MatrixF16: {5, 10, 15}, MatrixBF16: {8, 7, 127}, MatrixF32: {8, 23, 127}, MatrixXF32: {8, 23, 127},
		MatrixF64: {11, 52, 1023}, MatrixFP8: {4, 3, 8}, MatrixBF8: {5, 2, 16}, MatrixFP6: {2, 3, 1}, MatrixBF6: {3, 2, 3}, MatrixFP4: {2, 1, 1},
	}[t]
	if set == isa.GFX950 && t.Bits() == 8 {
		f.bias--
	}
	if f.exp == 0 {
		return rnd.Uint64() & (1<<t.Bits() - 1)
	}
	e := f.bias + rnd.IntN(2*spread+1) - spread
	most := 1<<f.exp - 2
	ocp := set == isa.GFX950 && t.Bits() == 8
	if t.Bits() <= 8 && !(ocp && t == MatrixBF8) {
		most++
	}
	e = min(max(e, 0), most)
	v := uint64(rnd.IntN(2))<<(f.exp+f.mant) | uint64(e)<<f.mant | rnd.Uint64()&(1<<f.mant-1)
	switch rnd.IntN(12) {
	case 0:
		v &^= 1<<(f.exp+f.mant) - 1
	case 1:
		v &^= (1<<f.exp - 1) << f.mant
	case 2:
		v &^= 1<<(f.mant-f.mant/3) - 1 // short mantissas produce ties
	}
	switch {
	case t.Bits() == 8 && !ocp && v == 0x80:
		v = 0
	case ocp && t == MatrixFP8 && v&0x7f == 0x7f:
		v--
	}
	return v
}
