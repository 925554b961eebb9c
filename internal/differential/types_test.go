package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// elem is a type of a number.
type elem uint8

const (
	i1 elem = iota
	i8
	i16
	i24
	i32
	i48
	i64
	i128
	f16
	f32
	f64
)

var elemNames = [...]string{"i1", "i8", "i16", "i24", "i32", "i48", "i64", "i128", "half", "float", "double"}
var elemMangled = [...]string{"i1", "i8", "i16", "i24", "i32", "i48", "i64", "i128", "f16", "f32", "f64"}
var elemBits = [...]int{1, 8, 16, 24, 32, 48, 64, 128, 16, 32, 64}

func (e elem) float() bool { return e >= f16 }
func (e elem) bits() int   { return elemBits[e] }

// typ is a number or a vector of n numbers.
type typ struct {
	elem elem
	n    int // 0: no vector
}

func (t typ) String() string {
	if t.n == 0 {
		return elemNames[t.elem]
	}
	return fmt.Sprintf("<%d x %s>", t.n, elemNames[t.elem])
}

// mangled is the type as it stands in names of intrinsics.
func (t typ) mangled() string {
	if t.n == 0 {
		return elemMangled[t.elem]
	}
	return fmt.Sprintf("v%d%s", t.n, elemMangled[t.elem])
}

func (t typ) bits() int        { return max(t.n, 1) * t.elem.bits() }
func (t typ) with(e elem) typ  { return typ{e, t.n} }
func (t typ) float() bool      { return t.elem.float() }
func (t typ) scalar() typ      { return typ{t.elem, 0} }
func (t typ) isBool() bool     { return t.elem == i1 }
func (t typ) inMemory() bool   { return t.elem != i1 && t.elem != i24 && t.elem != i48 && t.n != 3 }
func (t typ) is(e elem) bool   { return t.n == 0 && t.elem == e }
func (t typ) plainInt() bool   { return !t.float() && !t.isBool() }
func (t typ) ofSize(b int) typ { return typ{intOf(b), t.n} }

// intOf gives the integer of a number of bits.
func intOf(bits int) elem {
	for e := i8; e <= i128; e++ {
		if elemBits[e] == bits {
			return e
		}
	}
	panic(fmt.Sprintf("no integer of %d bits", bits))
}

// randomType gives a type that values may have.
func randomType(r *rand.Rand) typ {
	t := typ{elem: [...]elem{i8, i16, i16, i32, i32, i32, i32, i64, i64, f16, f16, f32, f32, f32, f64, f64, i24, i48, i128}[r.IntN(19)]}
	if t.elem.bits() == 24 || t.elem.bits() == 48 || t.elem.bits() == 128 || r.IntN(3) != 0 {
		return t
	}
	t.n = [...]int{2, 2, 2, 3, 4, 4, 8}[r.IntN(7)]
	if t.elem.bits() == 64 {
		t.n = 2 + r.IntN(2)
	}
	return t
}

// constant gives a constant of a type, no NaN.
func constant(r *rand.Rand, t typ) string {
	if t.n == 0 {
		return constantNumber(r, t.elem)
	}
	parts := make([]string, t.n)
	for i := range parts {
		parts[i] = elemNames[t.elem] + " " + constantNumber(r, t.elem)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// splat gives a vector of one constant, or the constant for a number.
func splat(t typ, text string) string {
	if t.n == 0 {
		return text
	}
	return fmt.Sprintf("splat (%s %s)", elemNames[t.elem], text)
}

var (
	halves  = []uint16{0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0xfc00, 0x4248, 0x1234, 0xc9f1}
	floats  = []uint32{0, 1 << 31, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 1, 0x807fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x40490fdb, 0x4b000001, 0xcf000000, 0x5f000000, 0x3e22f983}
	doubles = []uint64{0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x4000000000000000, 1, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x400921fb54442d18, 0x4330000000000001, 0xc1e0000000000000, 0x3fc45f306dc9c882}
	ints    = []int64{0, 1, 2, 3, -1, -2, 4, 7, 8, 15, 16, 31, 32, 63, 64, -16, -17, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, -0x80000000, 0xffffffff, 0x0123456789abcdef, -0x7fffffffffffffff - 1}
)

func constantNumber(r *rand.Rand, e elem) string {
	switch e {
	case i1:
		return [...]string{"false", "true"}[r.IntN(2)]
	case f16:
		v := halves[r.IntN(len(halves))]
		if r.IntN(3) == 0 {
			v = uint16(r.Uint32()) &^ 0x4000
		}
		return fmt.Sprintf("0xH%04X", v)
	case f32:
		v := floats[r.IntN(len(floats))]
		if r.IntN(3) == 0 {
			v = r.Uint32()&0xbfffffff | 0x3000_0000
		}
		return fmt.Sprintf("bitcast (i32 %d to float)", v)
	case f64:
		v := doubles[r.IntN(len(doubles))]
		if r.IntN(3) == 0 {
			v = r.Uint64()&^(1<<62) | 0x3000_0000_0000_0000
		}
		return fmt.Sprintf("0x%016X", v)
	}
	v := ints[r.IntN(len(ints))]
	if r.IntN(2) == 0 {
		v = r.Int64() >> r.IntN(64)
	}
	if b := e.bits(); b < 64 {
		v = v << (64 - b) >> (64 - b)
	}
	return fmt.Sprint(v)
}

// usualNaN is what takes the place of a NaN.
var usualNaN = map[elem]string{f16: "0xH3E00", f32: "1.5", f64: "1.5"}
