package sem

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// refSmall is the definition of a small format: its exponent bits, bias, and
// the codes of magnitudes that are no finite numbers.
type refSmall struct {
	t              Small
	bits, exp      int
	bias, last     int // last: the code of the largest number
	inf, nan, over int // inf, nan: -1 if none; over: results beyond last
}

var refSmalls = []refSmall{
	{SmallFP4, 4, 2, 1, 7, -1, -1, 7},
	{SmallFP6, 6, 2, 1, 31, -1, -1, 31},
	{SmallBF6, 6, 3, 3, 31, -1, -1, 31},
	{SmallFP8, 8, 4, 7, 126, -1, 127, 127},
	{SmallBF8, 8, 5, 15, 123, 124, 127, 124},
	{SmallE5M3, 9, 5, 15, 254, -1, 255, 255}, // the ninth bit is a sign that does not exist
}

// number returns the value of a finite magnitude's code.
func (r refSmall) number(code int) *big.Float {
	mant := r.bits - 1 - r.exp
	e, frac := code>>mant, code&(1<<mant-1)
	if e == 0 {
		e = 1
	} else {
		frac += 1 << mant
	}
	return refNew().Mul(refNew().SetInt64(int64(frac)), refPow(e-r.bias-mant))
}

var refWide = []refFormat{ref32, ref16, refB16}

// TestSmallWiden converts every code with many scales to every format.
func TestSmallWiden(t *testing.T) {
	for _, r := range refSmalls {
		for _, f := range refWide {
			for code := range 1 << min(r.bits, 8) {
				for _, scale := range []uint8{0, 1, 2, 60, 100, 111, 112, 119, 127, 128, 141, 142, 143, 200, 250, 254, 255} {
					neg, mag := code>>(r.bits-1) != 0, code&(1<<(r.bits-1)-1)
					var want uint64
					switch {
					case scale == 255 || mag > r.last && mag != r.inf:
						want = f.infinity() | f.quietBit()
					case mag == r.inf:
						want = f.infinity()
					case mag != 0:
						x := refNew().Mul(r.number(mag), refPow(int(scale)-127))
						want, _ = f.round(RoundNearestEven, false, x)
					}
					want |= f.sign(neg)
					got := r.t.widen(new(Ctx), formatOf[f.typ], uint8(code), scale)
					if got != want {
						t.Fatalf("%s %#x scale %d to %v: %#x, want %#x", ocpFormats[r.t].name, code, scale, typeNames[f.typ], got, want)
					}
				}
			}
		}
	}
}

// nearest returns the code nearest to a magnitude, the even one on ties.
func (r refSmall) nearest(x *big.Float) int {
	below := sort.Search(r.last, func(i int) bool { return r.number(i+1).Cmp(x) > 0 })
	best, dist := -1, refNew()
	for code := below; code <= min(below+1, r.last); code++ {
		d := refNew().Sub(r.number(code), x)
		d.Abs(d)
		if c := d.Cmp(dist); best < 0 || c < 0 || c == 0 && code&1 == 0 {
			best, dist = code, d
		}
	}
	if best == r.last && r.over != r.last {
		// As if the next code were a number: on ties, the even one is nearer.
		next := refNew().Add(r.number(r.last), refNew().Sub(r.number(r.last), r.number(r.last-1)))
		up := refNew().Sub(next, x)
		if c := up.Cmp(refNew().Sub(x, r.number(r.last))); c < 0 || c == 0 && r.last&1 != 0 {
			return r.over
		}
	}
	return best
}

func TestSmallNarrow(t *testing.T) {
	for _, r := range refSmalls {
		for _, f := range refWide {
			check := func(v uint64, scale uint8) {
				want := r.over
				switch {
				case f.nan(v) || scale == 255:
					want = max(r.nan, r.last)
				case !f.infinite(v):
					want = r.nearest(refNew().Mul(f.magnitude(f.abs(v)), refPow(127-int(scale))))
				}
				if f.neg(v) && r.bits <= 8 {
					want |= 1 << (r.bits - 1)
				}
				for _, ovfl := range []bool{false, true} {
					if ovfl && want&^(1<<(r.bits-1)) == r.over && !f.infinite(v) && !f.nan(v) && scale != 255 {
						want += r.last - r.over
					}
					if got := r.t.narrow(&Ctx{Ovfl: ovfl}, formatOf[f.typ], v, scale, smallRounding{}); int(got) != want {
						t.Fatalf("%s of %#x (%s) scale %d ovfl %v: %#x, want %#x", ocpFormats[r.t].name, v, typeNames[f.typ], scale, ovfl, got, want)
					}
				}
			}
			rnd := refRand(t)
			for code := range r.last + 1 { // numbers and midpoints, and their neighbours
				mid := refNew().Quo(refNew().Add(r.number(code), r.number(min(code+1, r.last))), refNew().SetInt64(2))
				for _, x := range []*big.Float{r.number(code), mid} {
					for d := range uint64(3) {
						check(f.floor(x)+d, 127)
						check(max(f.floor(x), 1)-d&1|f.signBit(), 127)
						check(f.floor(refNew().Mul(x, refPow(3)))+d, 130)
					}
				}
			}
			for _, v := range f.edges() {
				for _, scale := range []uint8{0, 1, 100, 127, 140, 254, 255} {
					check(v, scale)
				}
			}
			for range 150 {
				check(f.random(rnd, f.one()), uint8(120+rnd.IntN(16)))
				check(f.random(rnd, rnd.Uint64()), uint8(rnd.Uint32()))
			}
		}
	}
}

// TestSmallStochastic checks that results are the codes next to a number, in
// the ratio of their distances.
func TestSmallStochastic(t *testing.T) {
	rnd := refRand(t)
	for _, r := range refSmalls {
		for range 200 {
			code := rnd.IntN(r.last)
			part := rnd.IntN(16)
			x := refNew().Sub(r.number(code+1), r.number(code))
			x.Mul(x, refNew().SetFloat64(float64(part)/16)).Add(x, r.number(code))
			v := ref32.floor(x)
			up := 0
			for i := range uint32(64) {
				switch got := int(r.t.narrow(new(Ctx), &single, v, 127, smallRounding{true, i << 26})); got {
				case code + 1:
					up++
				case code:
				default:
					t.Fatalf("%s of %#x: %#x, want %#x or the next", ocpFormats[r.t].name, v, got, code)
				}
			}
			if up != part*4 {
				t.Fatalf("%s of %#x: %d of 64 go up, want %d", ocpFormats[r.t].name, v, up, part*4)
			}
		}
	}
}

// TestSeeds checks the shift register bit by bit.
func TestSeeds(t *testing.T) {
	for _, x := range []struct{ in, want uint32 }{{0, 0}, {1, 2}, {0x80000000, 197}, {0xffffffff, 0xffffff3b}, {0xc0000001, 0x800000c7}} {
		if got := nextSeed(x.in); got != x.want {
			t.Errorf("%#x becomes %#x, want %#x", x.in, got, x.want)
		}
	}
}

// TestWideRows compares the sizes of operands with the instruction table, and
// checks that instructions with wide operands have rows.
func TestWideRows(t *testing.T) {
	found := 0
	for e := range isa.Enc(isa.NumEncs()) {
		r := WideOf(e.Op())
		if r == nil {
			continue
		}
		found++
		got := [4]int{r.Dst, r.Src[0], r.Src[1], r.Src[2]}
		var want [4]int
		for _, o := range e.Operands() {
			if i := slices.Index([]isa.Field{isa.FieldVdst, isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2}, o.Field); i >= 0 {
				want[i] = int(o.Class.Info().Dwords)
			}
		}
		if got != want {
			t.Errorf("%s: operands of %v dwords, want %v", r.Name, got, want)
		}
	}
	if found != len(wideRows()) {
		t.Errorf("%d encodings of %d rows", found, len(wideRows()))
	}
}

// wideBits returns n bits of consecutive dwords, found bit by bit.
func wideBits(v []uint32, at, n int) (x uint32) {
	for i := range n {
		x |= v[(at+i)/32] >> ((at + i) % 32) & 1 << i
	}
	return x
}

func TestWideElements(t *testing.T) {
	rnd := refRand(t)
	for _, r := range wideRows() {
		for range 20 {
			var src [3][]uint32
			for i, n := range r.Src {
				for range n {
					src[i] = append(src[i], rnd.Uint32())
				}
			}
			src[1][0] = 0x3f800000 ^ src[1][0]&0x807fffff
			if r.Src[2] == 1 {
				src[2][0] = 0x40000000
			}
			dst := make([]uint32, r.Dst)
			for i := range dst {
				dst[i] = rnd.Uint32()
			}
			if r.Scaled != 0 {
				src[1][0] = 126
			}
			r.Fn(new(Ctx), dst, &src)
			checkWide(t, r, dst, src)
		}
	}
}

// checkWide compares a result element by element.
func checkWide(t *testing.T, r WideRow, dst []uint32, src [3][]uint32) {
	t.Helper()
	var size int
	if n, _ := fmt.Sscanf(r.Name, "v_perm_pk16_b%d_u4", &size); n == 1 {
		table := append(slices.Clone(src[1]), src[0]...)
		for i := range 16 {
			want := wideBits(table, size*int(wideBits(src[2], 4*i, 4)), size)
			if got := wideBits(dst, size*i, size); got != want {
				t.Errorf("%s element %d: %#x, want %#x", r.Name, i, got, want)
			}
		}
		return
	}
	for small := range SmallE5M3 {
		for typ, name := range typeNames {
			if name == "" {
				continue
			}
			typ := Type(typ)
			s, f := small, formatOf[typ]
			for _, form := range []string{"v_cvt_scale_pk%d_%s_%s", "v_cvt_scalef32_pk%d_%s_%s", "v_cvt_scalef32_sr_pk%d_%s_%s"} {
				a, b := ocpFormats[small].name, name
				if r.Scaled != 0 {
					a, b = b, a
				}
				n := 8
				if s.Bits() == 6 {
					n = 16
				}
				if fmt.Sprintf(form, n, a, b) != r.Name {
					continue
				}
				seed := src[1][0]
				for i := range n {
					var got, want uint32
					in := typ.Bits()
					if r.Scaled != 0 {
						in = s.Bits()
					}
					v := wideBits(src[0], i*in, in)
					switch {
					case r.Scaled != 0:
						got = wideBits(dst, i*typ.Bits(), typ.Bits())
						want = uint32(s.widen(new(Ctx), f, uint8(v), 126))
					case r.Src[2] != 0:
						got = wideBits(dst, i*s.Bits(), s.Bits())
						want = uint32(s.narrow(new(Ctx), f, uint64(v), 128, smallRounding{true, seed}))
						seed = seed<<1 ^ [2]uint32{0, 0xc5}[seed>>31]
					default:
						got = wideBits(dst, i*s.Bits(), s.Bits())
						want = uint32(s.narrow(new(Ctx), f, uint64(v), 127, smallRounding{}))
					}
					if got != want {
						t.Errorf("%s element %d: %#x, want %#x", r.Name, i, got, want)
					}
				}
				return
			}
		}
	}
	t.Errorf("%s is not checked", r.Name)
}

// TestScaleSource checks the table of LLVM's amdgpu.scaled_ext_packed_matrix:
// block size, first lane and first byte, for both halves of the wave.
func TestScaleSource(t *testing.T) {
	for _, x := range []struct {
		bits       int
		sel        uint8
		first      int
		lower, upp int // bytes
	}{
		{4, 0, 0, 0, 1}, {6, 2, 0, 2, 3}, {4, 4, 16, 0, 1}, {6, 6, 16, 2, 3}, // blocks of 32
		{4, 1, 0, 0, 2}, {6, 5, 16, 0, 2}, {4, 3, 0, 1, 3}, {6, 7, 16, 1, 3}, // blocks of 16
		{8, 0, 0, 0, 0}, {8, 6, 0, 3, 3}, {8, 10, 16, 1, 1},
		{8, 1, 0, 0, 1}, {8, 13, 16, 2, 3},
	} {
		for lane := range 32 {
			from, part := ScaleSource(x.bits, x.sel, lane)
			want := x.lower
			if lane >= 16 {
				want = x.upp
			}
			if from != x.first+lane%16 || part != want {
				t.Errorf("%d bits, scale_sel %d, lane %d: byte %d of lane %d, want %d of %d", x.bits, x.sel, lane, part, from, want, x.first+lane%16)
			}
		}
	}
}

// TestWideDoNotAllocate calls every function once.
func TestWideDoNotAllocate(t *testing.T) {
	for _, r := range wideRows() {
		var src [3][]uint32
		for i, n := range r.Src {
			src[i] = make([]uint32, n)
		}
		dst, c := make([]uint32, r.Dst), new(Ctx)
		if n := testing.AllocsPerRun(3, func() { r.Fn(c, dst, &src) }); n != 0 {
			t.Errorf("%s allocates", r.Name)
		}
	}
}
