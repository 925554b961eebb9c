package sem

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// scaledFormat holds the sizes of the exponent and fraction of a small format, its
// bias, and its encodings of infinity and NaN, 0 if it has none.
type scaledFormat struct {
	exp, mant, bias int
	inf, nan        uint32
}

var scaledFormats = map[string]scaledFormat{
	"fp8": {4, 3, 7, 0, 0x7f}, "bf8": {5, 2, 15, 0x7c, 0x7d},
	"fp6": {2, 3, 1, 0, 0}, "bf6": {3, 2, 3, 0, 0}, "fp4": {2, 1, 1, 0, 0},
}

// value returns the number of a magnitude.
func (f scaledFormat) value(v uint32) float64 {
	exp, frac := int(v>>f.mant), float64(v&(1<<f.mant-1))
	if exp == 0 {
		return math.Ldexp(frac, 1-f.bias-f.mant)
	}
	return math.Ldexp(frac+float64(int(1)<<f.mant), exp-f.bias-f.mant)
}

func (f scaledFormat) bits() int { return 1 + f.exp + f.mant }

// top returns the largest finite magnitude.
func (f scaledFormat) top() uint32 {
	switch {
	case f.inf != 0:
		return f.inf - 1
	case f.nan != 0:
		return f.nan - 1
	}
	return 1<<(f.exp+f.mant) - 1
}

// scaledValue returns the number that the bits of a wide format mean.
func scaledValue(name string, v uint32) float64 {
	switch name {
	case "f32":
		return float64(math.Float32frombits(v))
	case "bf16":
		return float64(math.Float32frombits(v << 16))
	}
	if v&0x7c00 == 0x7c00 {
		if v&0x3ff != 0 {
			return math.NaN()
		}
		return math.Inf(1 - int(v>>14&2))
	}
	return float64(f16(uint64(v)))
}

// scaledBits rounds a number to a wide format.
func scaledBits(name string, x float64) uint32 {
	switch {
	case name == "f32":
		return math.Float32bits(float32(x))
	case name == "bf16":
		return uint32(matRound16(MatrixBF16, x))
	}
	return uint32(matRound16(MatrixF16, x))
}

// refNarrow searches the magnitude nearest to x, the even one on ties.
func (f scaledFormat) refNarrow(x float64, ovfl bool) uint32 {
	sign := uint32(0)
	if math.Signbit(x) {
		sign = 1 << (f.exp + f.mant)
	}
	x = math.Abs(x)
	top := f.top()
	switch step := f.value(top) - f.value(top-1); {
	case f.nan == 0 && (x != x || x > f.value(top)):
		return sign | top
	case x != x:
		return sign | 0x7f
	case math.IsInf(x, 0) || x > f.value(top)+step/2 || x == f.value(top)+step/2 && top&1 != 0:
		switch {
		case ovfl && !math.IsInf(x, 0):
			return sign | top
		case f.inf != 0:
			return sign | f.inf
		}
		return sign | f.nan
	}
	best := uint32(0)
	for v := range top + 1 {
		d, old := math.Abs(f.value(v)-x), math.Abs(f.value(best)-x)
		if d < old || d == old && v&1 == 0 {
			best = v
		}
	}
	return sign | best
}

// refStochastic adds a fraction to x in units of the last place, and truncates.
// x has as many bits below the last place as the wide format has more than the
// small one.
func (f scaledFormat) refStochastic(x float64, wideMant int, seed uint32, ovfl bool) uint32 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return f.refNarrow(x, ovfl)
	}
	sign := uint32(0)
	if math.Signbit(x) {
		sign = 1 << (f.exp + f.mant)
	}
	x = math.Abs(x)
	ulp := math.Ldexp(1, max(math.Ilogb(x), 1-f.bias)-f.mant)
	drop := wideMant - f.mant
	n := math.Floor(x/ulp*float64(int(1)<<drop)) + float64(seed>>(32-drop))
	y := math.Floor(n/float64(int(1)<<drop)) * ulp
	if y > f.value(f.top()) {
		if f.nan == 0 || ovfl {
			return sign | f.top()
		}
		return sign | max(f.inf, f.nan*uint32(1-min(f.inf, 1)))
	}
	return f.refNarrow(math.Copysign(y, 1-2*float64(sign)), ovfl)
}

var scaledMants = map[string]int{"f32": 23, "f16": 10, "bf16": 7}

// randomScaled returns a number near the range of the small formats, mostly.
func randomScaled(r *rand.Rand, name string) uint32 {
	n := map[string]int{"f32": 32, "f16": 16, "bf16": 16}[name]
	v := r.Uint32() & (1<<n - 1)
	if r.IntN(3) != 0 {
		v = scaledBits(name, math.Ldexp(float64(r.IntN(1<<14)-1<<13), r.IntN(24)-22))
	}
	return v
}

// TestScaleConvert runs every conversion on random numbers, scales and seeds,
// and compares with the formats' definitions and the layout of AMD's
// pseudo-code.
func TestScaleConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	names := map[string]bool{}
	for e := range isa.Enc(isa.NumEncs()) {
		x := ScaleConvertOf(e.Op())
		if x == nil || names[e.Name()] {
			continue
		}
		names[e.Name()] = true
		for range 400 {
			refScaleConvert(t, r, x)
			if t.Failed() {
				break
			}
		}
	}
	if len(names) < 48 {
		t.Errorf("%d conversions found", len(names))
	}
}

func refScaleConvert(t *testing.T, r *rand.Rand, x *ScaleConvert) {
	t.Helper()
	parts := strings.Split(x.Name, "_")
	to, from := parts[len(parts)-2], parts[len(parts)-1]
	c := &Ctx{Set: isa.GFX950, Mode: Mode(r.IntN(256)), OpSel: uint8(r.IntN(16)), Ovfl: r.IntN(2) != 0}
	scale := uint32(r.IntN(256))
	if r.IntN(4) != 0 {
		scale = uint32(117 + r.IntN(20))
	}
	seed := r.Uint32()
	random := func(n int) []uint32 {
		v := make([]uint32, n)
		for i := range v {
			v[i] = r.Uint32()
		}
		return v
	}
	dst, a, b := random(32), random(32), random(32)
	if !x.Widen {
		for _, v := range [][]uint32{a, b} {
			for i := range v {
				v[i] = randomScaled(r, from)
				if from != "f32" {
					v[i] |= randomScaled(r, from) << 16
				}
			}
		}
	}
	got := append([]uint32{}, dst...)
	x.Run(c, got, a, b, seed, scale<<23|r.Uint32()&0x807fffff)
	get := func(v []uint32, at, n int) (y uint32) {
		for i := range n {
			y |= v[(at+i)/32] >> ((at + i) % 32) & 1 << i
		}
		return y
	}
	want := append([]uint32{}, dst...)
	put := func(at, n int, y uint32) {
		for i := range n {
			want[(at+i)/32] = want[(at+i)/32]&^(1<<((at+i)%32)) | y>>i&1<<((at+i)%32)
		}
	}
	for i := range x.Count {
		if x.Widen {
			f := scaledFormats[from]
			at := i * f.bits()
			switch x.Count * f.bits() {
			case 8:
				at += int(c.OpSel&3) * 8
			case 16:
				at += int(c.OpSel&1) * 16
			}
			v := get(a, at, f.bits())
			neg, mag := v>>(f.bits()-1) != 0, v&(1<<(f.bits()-1)-1)
			y := math.Ldexp(f.value(mag), int(scale)-127)
			if f.nan != 0 && mag >= f.nan || scale == 255 {
				y = math.NaN()
			} else if f.inf != 0 && mag == f.inf {
				y = math.Inf(1)
			}
			bits := map[string]uint32{"f32": 0x7fc00000, "f16": 0x7e00, "bf16": 0x7fc0}[to]
			n := map[string]int{"f32": 32, "f16": 16, "bf16": 16}[to]
			switch {
			case math.IsInf(y, 0):
				bits &^= bits & -bits
			case y == y:
				if bits = scaledBits(to, y); bits == 0x7c00 && to == "f16" && c.Ovfl {
					bits--
				}
			}
			if neg {
				bits |= 1 << (n - 1)
			}
			half := 0
			if x.Count == 1 && n == 16 {
				half = int(c.OpSel>>3) * 16
			}
			put(half+i*n, n, bits)
			continue
		}
		f := scaledFormats[to]
		n := map[string]int{"f32": 32, "f16": 16, "bf16": 16}[from]
		at, data := i*n, a
		switch {
		case strings.Contains(x.Name, "2xpk16"), from == "f32" && x.Count == 2 && !x.Stochastic:
			at = i / 2 * n
			if i&1 != 0 {
				data = b
			}
		case x.Count == 1 && n == 16:
			at = int(c.OpSel&1) * 16
		}
		y := math.Ldexp(scaledValue(from, get(data, at, n)), 127-int(scale))
		if scale == 255 {
			y = math.Copysign(math.NaN(), y)
		}
		bits := uint32(0)
		if x.Stochastic {
			bits = f.refStochastic(y, scaledMants[from], seed, c.Ovfl)
			seed = seed<<1 ^ seed>>31*197
		} else {
			bits = f.refNarrow(y, c.Ovfl)
		}
		if y != y && get(data, at, n)>>(n-1) != 0 {
			bits |= 1 << (f.bits() - 1)
		}
		out := i * f.bits()
		switch x.Count * f.bits() {
		case 8:
			out += int(c.OpSel>>2) * 8
		case 16:
			out += int(c.OpSel>>3) * 16
		}
		put(out, f.bits(), bits)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: dword %d is %#x, expected %#x: scale %d, seed %#x, a %#x, b %#x, %+v", x.Name, i, got[i], want[i], scale, seed, a[:2], b[:2], *c)
			return
		}
	}
}

// TestBitOp3 applies truth tables bit by bit.
func TestBitOp3(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	row := ByName("v_bitop3_b32")
	for table := range 256 {
		a, b, d := r.Uint64()>>32, r.Uint64()>>32, r.Uint64()>>32
		got := row.Fn(&Ctx{BitOp: uint8(table)}, a, b, d)
		for i := range 32 {
			index := a>>i&1*4 + b>>i&1*2 + d>>i&1
			if want := uint64(table) >> index & 1; got>>i&1 != want {
				t.Fatalf("table %#x: bit %d of %#x, %#x, %#x is not %d", table, i, a, b, d, want)
			}
		}
	}
	if row := ByName("v_bitop3_b16"); row.Sig.Dst != B16 {
		t.Error("v_bitop3_b16 has no result of 16 bits")
	}
}

// TestStochastic16 compares v_cvt_sr_f16_f32 and v_cvt_sr_bf16_f32 with their
// definition, and v_cvt_pk_f16_f32 and v_cvt_pk_bf16_f32 with a search of the
// nearest number.
func TestStochastic16(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, f := range []struct {
		name    string
		t       MatrixType
		mant, e int
		inf     uint64
	}{{"f16", MatrixF16, 10, -14, 0x7c00}, {"bf16", MatrixBF16, 7, -126, 0x7f80}} {
		sr, pk := ByName("v_cvt_sr_"+f.name+"_f32"), ByName("v_cvt_pk_"+f.name+"_f32")
		for range 20000 {
			v, seed, old := randomScaled(r, "f32"), r.Uint32(), r.Uint64()>>32
			x := math.Abs(float64(math.Float32frombits(v)))
			if math.IsInf(x, 0) || x != x {
				continue
			}
			c := &Ctx{Set: isa.GFX950, Mode: 0xf0, OpSel: uint8(r.IntN(2)) << 3, Ovfl: r.IntN(2) != 0}
			sign := uint64(v >> 31 << 15)
			want := matRound16(f.t, x)
			if want >= f.inf && c.Ovfl && f.name == "f16" {
				want = f.inf - 1
			}
			if got := pk.Fn(c, uint64(v), uint64(v), 0); got != (want|sign)*0x10001 && !(want >= f.inf && c.Ovfl) {
				t.Fatalf("%s of %#x is %#x, expected %#x", pk.Name, v, got, want|sign)
			}
			want = 0
			if x != 0 {
				ulp := math.Ldexp(1, max(math.Ilogb(x), f.e)-f.mant)
				drop := min(23-f.mant+max(f.e-math.Ilogb(x), 0), 32) // all bits below the last one kept
				n := math.Floor(x/ulp*float64(int(1)<<drop)) + float64(seed>>(32-drop))
				want = matRound16(f.t, math.Floor(n/float64(int(1)<<drop))*ulp)
			}
			if want >= f.inf && c.Ovfl {
				want = f.inf - 1
			}
			shift := c.OpSel >> 3 * 16
			want = old&^(0xffff<<shift) | (want|sign)<<shift
			if got := sr.Fn(c, uint64(v), uint64(seed), old); got != want {
				t.Fatalf("%s of %#x, seed %#x is %#x, expected %#x", sr.Name, v, seed, got, want)
			}
		}
	}
	if got := ByName("v_cvt_f32_bf16").Fn(&Ctx{}, 0xff81, 0, 0); got != 0xff810000 {
		t.Errorf("v_cvt_f32_bf16 of a NaN is %#x", got)
	}
}
