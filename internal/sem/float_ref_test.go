package sem

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The reference of these tests. Numbers are exact (big.Float with sufficient
// precision), and rounding finds the two encodings around a number by binary
// search. It shares no code with the implementation under test.

const refPrec = 6000

// refFormat is a float type of the reference.
type refFormat struct {
	typ        Type
	bits, mant uint
}

var (
	ref16  = refFormat{F16, 16, 10}
	refB16 = refFormat{BF16, 16, 7}
	ref32  = refFormat{F32, 32, 23}
	ref64  = refFormat{F64, 64, 52}
)

func (f refFormat) signBit() uint64   { return 1 << (f.bits - 1) }
func (f refFormat) infinity() uint64  { return (1<<(f.bits-1-f.mant) - 1) << f.mant }
func (f refFormat) quietBit() uint64  { return 1 << (f.mant - 1) }
func (f refFormat) minNormal() uint64 { return 1 << f.mant }
func (f refFormat) default_() uint64  { return f.signBit() | f.infinity() | f.quietBit() }
func (f refFormat) bias() int         { return 1<<(f.bits-2-f.mant) - 1 }

func (f refFormat) abs(v uint64) uint64     { return v &^ f.signBit() }
func (f refFormat) neg(v uint64) bool       { return v&f.signBit() != 0 }
func (f refFormat) nan(v uint64) bool       { return f.abs(v) > f.infinity() }
func (f refFormat) signaling(v uint64) bool { return f.nan(v) && v&f.quietBit() == 0 }
func (f refFormat) infinite(v uint64) bool  { return f.abs(v) == f.infinity() }
func (f refFormat) denormal(v uint64) bool  { return f.abs(v) != 0 && f.abs(v) < f.minNormal() }
func (f refFormat) sign(neg bool) uint64    { return map[bool]uint64{true: f.signBit()}[neg] }
func (f refFormat) flush(v uint64) uint64 {
	return map[bool]uint64{true: v & f.signBit(), false: v}[f.denormal(v)]
}
func (f refFormat) value(v uint64) *big.Float {
	x := f.magnitude(f.abs(v))
	return refSign(x, f.neg(v))
}

func refSign(x *big.Float, neg bool) *big.Float {
	if neg {
		return x.Neg(x)
	}
	return x
}

func refNew() *big.Float { return new(big.Float).SetPrec(refPrec) }

// refPow returns 2^n.
func refPow(n int) *big.Float { return refNew().SetMantExp(refNew().SetInt64(1), n) }

// magnitude returns the number that a magnitude's bits encode. Infinity is the
// power of two that would follow the largest number.
func (f refFormat) magnitude(v uint64) *big.Float {
	exp, frac := int(v>>f.mant), v&(f.minNormal()-1)
	if exp == 0 {
		exp = 1
	} else {
		frac += f.minNormal()
	}
	x := refNew().SetUint64(frac)
	return x.SetMantExp(x, exp-f.bias()-int(f.mant))
}

// floor returns the largest magnitude that does not exceed x, which must not be
// negative.
func (f refFormat) floor(x *big.Float) uint64 {
	lo, hi := uint64(0), f.infinity()
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; f.magnitude(mid).Cmp(x) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// nearest rounds a magnitude within the exponent range of the format.
func (f refFormat) nearest(rnd Round, neg bool, x *big.Float) (v uint64, exact bool) {
	v = f.floor(x)
	low, high := f.magnitude(v), f.magnitude(v+1)
	if low.Cmp(x) == 0 {
		return v, true
	}
	mid := refNew().Add(low, high)
	mid.Quo(mid, refNew().SetInt64(2))
	up := false
	switch rnd {
	case RoundNearestEven:
		c := x.Cmp(mid)
		up = c > 0 || c == 0 && v&1 != 0
	case RoundPlusInfinity:
		up = !neg
	case RoundMinusInfinity:
		up = neg
	}
	if v == f.infinity()-1 && x.Cmp(high) >= 0 { // beyond all numbers
		up = up || rnd == RoundNearestEven
	}
	if up {
		v++
	}
	return v, false
}

// round rounds a nonzero number and returns the exceptions.
func (f refFormat) round(rnd Round, flush bool, x *big.Float) (uint64, Exceptions) {
	neg := x.Sign() < 0
	mag := refNew().Abs(x)
	v, exact := f.nearest(rnd, neg, mag)
	if v == f.infinity() || f.magnitude(f.infinity()).Cmp(mag) <= 0 {
		return f.sign(neg) | v, Overflow | Inexact
	}
	var excp Exceptions
	if !exact {
		excp = Inexact
	}
	if mag.Cmp(f.magnitude(f.minNormal())) < 0 {
		scaled, _ := f.nearest(rnd, neg, refNew().Mul(mag, refPow(f.bias()-2)))
		scale := f.magnitude(f.minNormal())
		scale.Mul(scale, refPow(f.bias()-2))
		if f.magnitude(scaled).Cmp(scale) < 0 { // tiny after rounding
			if flush {
				return f.sign(neg), Underflow | Inexact
			}
			if !exact {
				excp |= Underflow
			}
		}
	}
	return f.sign(neg) | v, excp
}

// edges returns boundary values.
func (f refFormat) edges() []uint64 {
	one := uint64(f.bias()) << f.mant
	mags := []uint64{
		0, 1, 2, 3, f.minNormal() / 2, f.minNormal() - 1, f.minNormal(), f.minNormal() + 1, 2 * f.minNormal(),
		one / 2, one - f.minNormal(), one - 1, one, one + 1, one + f.minNormal()/2, one + f.minNormal(), one + 2*f.minNormal(),
		f.infinity() - f.minNormal(), f.infinity() - 2, f.infinity() - 1, f.infinity(),
		f.infinity() + 1, f.infinity() | f.quietBit(), f.infinity() | f.quietBit() | 5, f.infinity() | f.quietBit()>>1,
	}
	var all []uint64
	for _, m := range mags {
		all = append(all, m, m|f.signBit())
	}
	return all
}

// random returns bits of all kinds, or a neighbour of another value.
func (f refFormat) random(r *rand.Rand, other uint64) uint64 {
	mask := f.signBit()<<1 - 1
	switch r.IntN(5) {
	case 0: // near other, with either sign
		return (other + uint64(r.IntN(9)) - 4 ^ f.signBit()*uint64(r.IntN(2))) & mask
	case 1: // an exponent near other's
		exp := other&f.infinity() + uint64(r.IntN(2*int(f.mant)+8))*f.minNormal() - uint64(f.mant+4)*f.minNormal()
		return (exp&f.infinity() | r.Uint64()&^f.infinity()) & mask
	case 2: // few bits
		return (r.Uint64()&(f.signBit()|f.infinity()) | r.Uint64N(4)<<(f.mant-2)) & mask
	case 3:
		e := f.edges()
		return e[r.IntN(len(e))]
	}
	return r.Uint64() & mask
}

// refModes returns modes of all roundings and denormal treatments, with IEEE on
// and off.
func refModes() []Mode {
	var all []Mode
	for rnd := range Mode(4) {
		for den := range Mode(4) {
			all = append(all, rnd|rnd<<2|den<<4|den<<6|(den^rnd)&1<<9)
		}
	}
	return append(all, 0xf0, 0xc0, 0x2f0)
}

// refRand returns a reproducible random source.
func refRand(t *testing.T) *rand.Rand {
	var seed [32]byte
	copy(seed[:], t.Name())
	return rand.New(rand.NewChaCha8(seed))
}

// refTuples calls a function with edges of the formats and random values.
func refTuples(t *testing.T, f refFormat, sources, count int, do func(s [3]uint64)) {
	r := refRand(t)
	edges := f.edges()
	// Products (1+u)(1-v)2^e just below the smallest normal number, which the
	// precision of the format cannot distinguish from it.
	e1 := uint64(f.bias()+1) / 2
	e2 := uint64(f.bias()) + 1 - e1
	for u := uint64(1); u < 6; u++ {
		for v := uint64(1); v < 12; v++ {
			a, b := e1<<f.mant+u, e2<<f.mant-v
			do([3]uint64{a, b, r.Uint64() & f.signBit()})
			do([3]uint64{a | f.signBit(), b, 1})
			do([3]uint64{a, b | f.signBit(), 1})
		}
	}
	// Products halfway between two numbers, and tiny addends.
	i := (f.mant + 1) / 2
	for _, trace := range []uint64{0, 1, f.minNormal(), f.one() - 60*f.minNormal(), f.one() - f.minNormal()*uint64(f.bias()/2)} {
		for sign := range uint64(4) {
			a, b := f.one()+f.minNormal()>>i, f.one()+f.minNormal()>>(f.mant+1-i)
			do([3]uint64{a ^ f.signBit()*(sign&1), b, trace&(f.signBit()-1) ^ f.signBit()*(sign>>1)})
		}
	}
	if sources <= 2 {
		for _, a := range edges {
			for _, b := range edges[:max(1, len(edges)*(sources-1))] {
				do([3]uint64{a, b})
			}
		}
	}
	for range count {
		a := f.random(r, r.Uint64())
		b := f.random(r, a)
		d := f.random(r, a)
		if sources == 3 && r.IntN(2) == 0 { // an addend of similar size as the product
			x := refNew().Mul(f.value(f.abs(a)%f.infinity()), f.value(f.abs(b)%f.infinity()))
			d = f.random(r, f.floor(x)|r.Uint64()&f.signBit())
		}
		do([3]uint64{a, b, d})
	}
}

// refSource flushes a source and records its exceptions.
func refSource(f refFormat, m Mode, flush bool, excp *Exceptions, v uint64) uint64 {
	if f.denormal(v) {
		*excp |= InputDenormal
		if flush || m.FlushIn(f.typ) {
			return f.flush(v)
		}
	}
	if f.signaling(v) {
		*excp |= Invalid
	}
	return v
}

// refNaN returns the NaN that an operation propagates from its sources.
func refNaN(f refFormat, m Mode, s ...uint64) (uint64, bool) {
	for _, v := range s {
		if f.nan(v) {
			if m.IEEE() {
				v |= f.quietBit()
			}
			return v, true
		}
	}
	return 0, false
}

// refResult is the result of an operation and its exceptions.
type refResult struct {
	v    uint64
	excp Exceptions
}

// check runs a function with and without exception tracking.
func (want refResult) check(t *testing.T, name string, fn Func, c Ctx, s [3]uint64, mask uint64) {
	t.Helper()
	for _, track := range []bool{true, false} {
		c.Track, c.Excp = track, 0
		got := fn(&c, s[0], s[1], s[2]) & mask
		if got != want.v {
			t.Fatalf("%s mode %#x track %v: %#x %#x %#x = %#x, want %#x", name, c.Mode, track, s[0], s[1], s[2], got, want.v)
		}
		if track && c.Excp != want.excp {
			t.Fatalf("%s mode %#x: %#x %#x %#x = %#x raises %#x, want %#x", name, c.Mode, s[0], s[1], s[2], got, c.Excp, want.excp)
		}
	}
}

// rowOf returns a row by its name.
func rowOf(t *testing.T, name string) *Row {
	t.Helper()
	if r := ByName(name); r != nil {
		return r
	}
	t.Fatalf("no row %s", name)
	return nil
}
