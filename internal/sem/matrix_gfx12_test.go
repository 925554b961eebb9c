package sem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// The matrix instructions of gfx12. The tests describe matrices by row and
// column, place them in registers lane by lane, and multiply them with exact
// arithmetic. The placement follows AMD's tests of these instructions, which
// ran on gfx1201.

// gfx12Matrices holds the operands of an instruction as bits of elements.
type gfx12Matrices struct {
	a, b, c []uint64 // a by row and stored element, b by column and place in K, c by row and column
	pick    []int    // places in K of the elements of a sparse A, among four
}

// gfx12Block returns the part of K that a lane holds, of the given number of
// parts, or -1 if the lane holds none.
func gfx12Block(lane, lanes, parts int) int {
	block := lane / 16
	switch {
	case block >= parts:
		return -1
	case lanes == 64 && parts == 4:
		return block&1<<1 | block>>1
	}
	return block
}

// gfx12Row returns the row of C and D that element e of a lane belongs to.
func gfx12Row(lane, lanes, e int) int {
	if lanes == 64 {
		return e + 8*(lane>>4&1) + 4*(lane>>5)
	}
	return e + 8*(lane>>4)
}

// gfx12PackInput places rows of k elements in registers.
func gfx12PackInput(v []uint64, bits, k, regs, lanes int) []uint32 {
	out := make([]uint32, regs*lanes)
	each := min(regs*32/bits, k/2)
	for lane := range lanes {
		block := gfx12Block(lane, lanes, k/each)
		for e := range each {
			if block >= 0 {
				out[e*bits/32*lanes+lane] |= uint32(v[lane%16*k+block*each+e]) << (e * bits % 32)
			}
		}
	}
	return out
}

// gfx12PackIndex places the indices of a sparse A with k elements in a row in
// the part key of the index register. The other parts are random.
func gfx12PackIndex(rnd *rand.Rand, pick []int, k, each, lanes, key int) []uint32 {
	out := make([]uint32, lanes)
	for lane := range out {
		out[lane] = rnd.Uint32()
		block := gfx12Block(lane, lanes, k/each)
		for e := range each {
			if block >= 0 {
				at := key*2*each + 2*e
				out[lane] = out[lane]&^(3<<at) | uint32(pick[lane%16*k+block*each+e])<<at
			}
		}
	}
	return out
}

// gfx12Accumulator places C in registers, and gfx12Result reads D from them.
func gfx12Accumulator(c []uint64, bits, regs, lanes int) []uint32 {
	out := make([]uint32, regs*lanes)
	gfx12Elements(bits, regs, lanes, func(reg, lane, shift, row, col int) {
		out[reg*lanes+lane] |= uint32(c[row*16+col]) << shift
	})
	return out
}

func gfx12Result(d []uint32, bits, regs, lanes int) []uint64 {
	out := make([]uint64, 256)
	gfx12Elements(bits, regs, lanes, func(reg, lane, shift, row, col int) {
		out[row*16+col] = uint64(d[reg*lanes+lane]) >> shift & (1<<bits - 1)
	})
	return out
}

func gfx12Elements(bits, regs, lanes int, f func(reg, lane, shift, row, col int)) {
	for lane := range lanes {
		for e := range regs * 32 / bits {
			f(e*bits/32, lane, e*bits%32, gfx12Row(lane, lanes, e), lane%16)
		}
	}
}

// gfx12Formats lists the formats of floats.
var gfx12Formats = [...]struct{ exp, mant, bias int }{
	MatrixF16: {5, 10, 15}, MatrixBF16: {8, 7, 127}, MatrixF32: {8, 23, 127}, MatrixFP8: {4, 3, 7}, MatrixBF8: {5, 2, 15}, MatrixFP6: {2, 3, 1}, MatrixBF6: {3, 2, 3}, MatrixFP4: {2, 1, 1}, MatrixI32: {},
}

// gfx12Value returns an element's value: of OCP's formats for 8 bits.
func gfx12Value(t MatrixType, v uint64, signed bool) float64 {
	f := gfx12Formats[t]
	if f.exp == 0 {
		x := float64(v)
		if signed && v>>(t.Bits()-1) != 0 {
			x -= float64(int(1) << t.Bits())
		}
		return x
	}
	finite := t.Bits() < 8
	sign := 1 - 2*float64(v>>(f.exp+f.mant)&1)
	e, frac := int(v>>f.mant)&(1<<f.exp-1), v&(1<<f.mant-1)
	switch {
	case t == MatrixFP8 && e == 15 && frac == 7:
		return math.NaN()
	case t != MatrixFP8 && !finite && e == 1<<f.exp-1 && frac != 0:
		return math.NaN()
	case t != MatrixFP8 && !finite && e == 1<<f.exp-1:
		return math.Inf(int(sign))
	case e == 0:
		return math.Copysign(math.Ldexp(float64(frac), 1-f.bias-f.mant), sign)
	}
	return sign * math.Ldexp(float64(frac|1<<f.mant), e-f.bias-f.mant)
}

// gfx12Dot returns the bits of c plus the products of a and b.
func gfx12Dot(m *Matrix, a, b []float64, c float64, clamp bool) uint64 {
	if m.D == MatrixI32 {
		sum := new(big.Int).SetInt64(int64(c))
		for k := range a {
			sum.Add(sum, big.NewInt(int64(a[k])*int64(b[k])))
		}
		if clamp {
			sum = smaller(larger(sum, num(math.MinInt32)), num(math.MaxInt32))
		}
		return new(big.Int).Mod(sum, pow2(32)).Uint64()
	}
	for k := range a {
		p := a[k] * b[k] // exact in float64
		if s := p + c; math.IsInf(s, 0) || s != s {
			c = s
			continue
		}
		f, _ := new(big.Float).SetPrec(matPrec).Add(matBig(p), matBig(c)).Float32()
		c = float64(f)
	}
	switch {
	case m.D == MatrixF32 && c != c:
		return 0x7fc00000
	case m.D == MatrixF32:
		return uint64(math.Float32bits(float32(c)))
	}
	special := map[MatrixType][2]uint64{MatrixF16: {0x7e00, 0x7c00}, MatrixBF16: {0x7fc0, 0x7f80}}[m.D]
	switch {
	case c != c:
		return special[0]
	case math.IsInf(c, 1):
		return special[1]
	case math.IsInf(c, -1):
		return special[1] | 0x8000
	}
	return matRound16(m.D, c)
}

// gfx12Integers lists the encodings of -3 to 3.
var gfx12Integers = map[MatrixType][7]uint64{
	MatrixF16:  {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200},
	MatrixBF16: {0xc040, 0xc000, 0xbf80, 0, 0x3f80, 0x4000, 0x4040},
	MatrixF32:  {0xc0400000, 0xc0000000, 0xbf800000, 0, 0x3f800000, 0x40000000, 0x40400000},
	MatrixFP8:  {0xc4, 0xc0, 0xb8, 0, 0x38, 0x40, 0x44},
	MatrixBF8:  {0xc2, 0xc0, 0xbc, 0, 0x3c, 0x40, 0x42},
}

// gfx12Random returns random matrices: small integers, numbers of any size, or
// any bits, which include infinities and NaNs.
func gfx12Random(rnd *rand.Rand, m *Matrix, kind int) (x gfx12Matrices) {
	element := func(t MatrixType) uint64 {
		v := rnd.Uint64() & (1<<t.Bits() - 1)
		switch {
		case t.Bits() < 8 || t == MatrixIU8 || kind == 2 && rnd.IntN(4) == 0:
		case t == MatrixI32:
			v = []uint64{0, 0x7fffffff, 0x80000000, v, v & 0xff, v | 0xffffff00}[rnd.IntN(6)] & 0xffffffff
		case kind == 0: // a small integer
			return gfx12Integers[t][rnd.IntN(len(gfx12Integers[t]))]
		default: // finite, often a denormal
			for x := gfx12Value(t, v, false); x != x || math.IsInf(x, 0); x = gfx12Value(t, v, false) {
				v = rnd.Uint64() & (1<<t.Bits() - 1)
			}
			if rnd.IntN(8) == 0 {
				v &= 1<<(t.Bits()-1) | 3
			}
		}
		return v
	}
	for range 16 * m.aK() {
		x.a = append(x.a, element(m.A))
	}
	for range 16 * m.K {
		x.b = append(x.b, element(m.B))
	}
	for range 256 {
		x.c = append(x.c, element(m.D))
	}
	for range 8 * m.aK() {
		lo := rnd.IntN(4)
		x.pick = append(x.pick, lo, (lo+1+rnd.IntN(3))%4)
	}
	return x
}

// gfx12Expected returns D.
func gfx12Expected(m *Matrix, x gfx12Matrices, mods MatrixMods) []uint64 {
	// negated returns the value of an element of operand src with its sign.
	negated := func(t MatrixType, src, k int, v uint64) float64 {
		y := gfx12Value(t, v, mods.NegLo>>src&1 != 0)
		neg := mods.NegLo
		if k&1 != 0 {
			neg = mods.NegHi
		}
		if t.Bits() == 16 && neg>>src&1 != 0 {
			y = -y
		}
		return y
	}
	out := make([]uint64, 256)
	for row := range 16 {
		for col := range 16 {
			var a, b []float64
			for k := range m.aK() {
				at := k
				if m.Sparse {
					at = k/2*4 + x.pick[row*m.aK()+k]
				}
				a = append(a, negated(m.A, 0, k, x.a[row*m.aK()+k]))
				b = append(b, negated(m.B, 1, at, x.b[col*m.K+at]))
			}
			c := gfx12Value(m.D, x.c[row*16+col], true)
			if m.D != MatrixI32 {
				if mods.NegHi&4 != 0 {
					c = math.Abs(c)
				}
				if mods.NegLo&4 != 0 {
					c = -c
				}
			}
			out[row*16+col] = gfx12Dot(m, a, b, c, mods.Clamp)
		}
	}
	return out
}

// TestMatrixGFX12 multiplies matrices with every instruction of gfx12 in both
// wave sizes.
func TestMatrixGFX12(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	ran := map[string]bool{}
	matEncs(isa.GFX1200, func(e isa.Enc, lanes int) {
		m := MatrixOf(e.Op())
		r, ok := m.Regs(isa.GFX1200, lanes)
		if !ok {
			t.Fatalf("%s has no operands with %d lanes", m.Name, lanes)
		}
		ran[m.Name] = true
		each := min(r.A*32/m.A.Bits(), m.aK()/2)
		for n := range 8 {
			x := gfx12Random(rnd, m, n%3)
			mods := MatrixMods{Key: uint8(rnd.IntN(32 / (2 * each))), OpSel: uint8(rnd.IntN(8))}
			if m.D == MatrixI32 {
				mods.NegLo, mods.Clamp = uint8(rnd.IntN(4)), n&1 != 0
			} else if n >= 4 {
				mods.NegLo, mods.NegHi = uint8(rnd.IntN(8)), uint8(rnd.IntN(8))
			}
			if m.Sparse {
				mods.NegLo, mods.NegHi = mods.NegLo&3, mods.NegHi&3
			}
			a, b := gfx12PackInput(x.a, m.A.Bits(), m.aK(), r.A, lanes), gfx12PackInput(x.b, m.B.Bits(), m.K, r.B, lanes)
			acc := gfx12Accumulator(x.c, m.D.Bits(), r.Acc, lanes)
			later := slices.Clone(acc)
			index := gfx12PackIndex(rnd, x.pick, m.aK(), each, lanes, int(mods.Key))
			m.Run(&Ctx{Set: isa.GFX1200, Mode: 0x3f0}, new(MatrixScratch), lanes, acc, a, b, acc, index, mods)
			if lanes == 32 { // gfx12.5 has the instruction, too
				m.Run(&Ctx{Set: isa.GFX1250, Mode: 0x3f0}, new(MatrixScratch), lanes, later, a, b, later, index, mods)
				if !slices.Equal(later, acc) {
					t.Errorf("%s: the results differ on gfx1250", m.Name)
				}
			}
			got, want := gfx12Result(acc, m.D.Bits(), r.Dst, lanes), gfx12Expected(m, x, mods)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%s, %d lanes, %+v: D[%d][%d] is %#x, expected %#x", m.Name, lanes, mods, i/16, i%16, got[i], want[i])
					break
				}
			}
		}
	})
	if len(ran) != 22 {
		t.Errorf("%d instructions ran, expected 22", len(ran))
	}
}

// TestMatrixConstantGFX12 adds to an inline constant, which is every element of
// C.
func TestMatrixConstantGFX12(t *testing.T) {
	for name, c := range map[string]uint64{"v_wmma_f16_16x16x16_f16": 0x4000, "v_wmma_bf16_16x16x16_bf16": 0x4000, "v_wmma_f32_16x16x16_f16": 0x40000000} {
		m := matNamed(t, name)
		r, _ := m.Regs(isa.GFX1200, 32)
		s, d := new(MatrixScratch), make([]uint32, r.Dst*32)
		m.Run(&Ctx{Set: isa.GFX1200}, s, 32, d, make([]uint32, r.A*32), make([]uint32, r.B*32), s.Constant(m, r, 32, c), nil, MatrixMods{})
		for i, v := range gfx12Result(d, m.D.Bits(), r.Dst, 32) {
			if v != c {
				t.Fatalf("%s: element %d is %#x, expected %#x", name, i, v, c)
			}
		}
	}
}
