package sem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// The matrix instructions of gfx12.5. As for gfx12, the tests describe matrices
// by row and column, place them in registers lane by lane, and multiply them with
// exact arithmetic.

// lateSlot returns the row (column of B) and the place in K of an element of
// an operand: of lane `lane`, where `slot` elements precede it in the lane.
func lateSlot(m *Matrix, t MatrixType, k, lane, slot int) (row, place int) {
	row = lane % 16
	if m.M == 32 && k*t.Bits()*m.M == 32*32*16 && slot >= 64 { // A of 32 rows: eight registers for each 16
		row, slot = row+16, slot-64
	}
	chunk := map[int]int{32: 2, 16: 8, 8: 16, 6: 32, 4: 32}[t.Bits()]
	if m.Sparse && k == m.K {
		chunk *= 2
	}
	return row, 2*chunk*(slot/chunk) + chunk*(lane/16) + slot%chunk
}

// latePackInput places rows of k elements in registers.
func latePackInput(m *Matrix, t MatrixType, v []uint64, k, rows, regs int) []uint32 {
	out := make([]uint32, regs*32)
	for lane := range 32 {
		for slot := range regs * 32 / t.Bits() {
			row, place := lateSlot(m, t, k, lane, slot)
			if rows == 16 && row >= 16 {
				panic("row")
			}
			bit := slot * t.Bits()
			x := v[row*k+place] << (bit % 32)
			out[bit/32*32+lane] |= uint32(x)
			if x>>32 != 0 {
				out[(bit/32+1)*32+lane] |= uint32(x >> 32)
			}
		}
	}
	return out
}

// lateAccumulator places C in registers, and lateResult reads D from them.
func lateAccumulator(m *Matrix, c []uint64, regs int) []uint32 {
	out := make([]uint32, regs*32)
	lateElements(m, m.C.Bits(), regs, func(reg, lane, shift, at int) { out[reg*32+lane] |= uint32(c[at]) << shift })
	return out
}

func lateResult(m *Matrix, d []uint32, regs int) []uint64 {
	out := make([]uint64, m.M*m.N)
	lateElements(m, m.D.Bits(), regs, func(reg, lane, shift, at int) {
		out[at] = uint64(d[reg*32+lane]) >> shift & (1<<m.D.Bits() - 1)
	})
	return out
}

func lateElements(m *Matrix, bits, regs int, f func(reg, lane, shift, at int)) {
	for lane := range 32 {
		for e := range regs * 32 / bits {
			row := e%8 + 8*(lane/16) + e/8*16
			f(e*bits/32, lane, e*bits%32, row*16+lane%16)
		}
	}
}

// latePackIndex places the indices of a sparse A. The first lane of a row has
// the indices of the first half of the registers of both lanes.
func latePackIndex(m *Matrix, pick []int) []uint32 {
	inLane := m.aK() / 2
	out := make([]uint32, inLane*2/32*32*1)
	for lane := range 32 {
		for slot := range inLane {
			row, k := lateSlot(m, m.A, m.aK(), lane, slot)
			to := row
			if slot >= inLane/2 {
				to += 16
			}
			bit := 2 * (slot % (inLane / 2))
			if lane >= 16 {
				bit += inLane
			}
			out[bit/32*32+to] |= uint32(pick[row*m.aK()+k]) << (bit % 32)
		}
	}
	return out
}

// lateScale returns the value of a scale.
func lateScale(format, v uint8) float64 {
	switch {
	case format == ScaleE8M0 && v == 0xff, format == ScaleE5M3 && v == 0xff, format == ScaleE4M3 && v&0x7f == 0x7f:
		return math.NaN()
	case format == ScaleE8M0:
		return math.Ldexp(1, int(v)-127)
	case format == ScaleE5M3 && v < 8:
		return math.Ldexp(float64(v), -17)
	case format == ScaleE5M3:
		return math.Ldexp(float64(8|v&7), int(v>>3)-18)
	}
	return gfx12Value(MatrixFP8, uint64(v), false)
}

// lateScales returns random scales by row and block, and their registers. The
// lanes that the instruction does not read have other scales.
func lateScales(rnd *rand.Rand, m *Matrix, rows int, format, sel uint8) (values []float64, regs []uint32) {
	blocks := m.K / m.ScaleBlock
	regs = make([]uint32, blocks/4*32)
	for i := range regs {
		regs[i] = rnd.Uint32()
	}
	kind := rnd.IntN(3)
	for row := range rows {
		for b := range blocks {
			v := uint8(rnd.Uint32())
			if kind < 2 && format == ScaleE8M0 {
				v = uint8(127 + rnd.IntN(21) - 10)
			}
			if kind < 2 && lateScale(format, v) != lateScale(format, v) {
				v = 1
			}
			values = append(values, lateScale(format, v))
			lane := row
			if rows == 16 {
				lane += 16 * int(sel)
			}
			at, shift := b/4*32+lane, b%4*8
			regs[at] = regs[at]&^(0xff<<shift) | uint32(v)<<shift
		}
	}
	return values, regs
}

// lateExact returns c plus all products, rounded to f32 once.
func lateExact(a, b []float64, c float64) uint64 {
	sum, plain := matBig(0), c
	for k := range a {
		plain += a[k] * b[k]
	}
	if math.IsInf(plain, 0) {
		return uint64(math.Float32bits(float32(plain)))
	}
	if plain != plain {
		return 0x7fc00000
	}
	for k := range a {
		sum.Add(sum, new(big.Float).SetPrec(matPrec).Mul(matBig(a[k]), matBig(b[k])))
	}
	sum.Add(sum, matBig(c))
	if sum.Sign() == 0 {
		return 0
	}
	f, _ := sum.Float32()
	return uint64(math.Float32bits(f))
}

// lateRandom returns random matrices as gfx12Random does.
func lateRandom(rnd *rand.Rand, m *Matrix, kind int) (x gfx12Matrices) {
	one := *m
	one.D = m.C
	for range m.M / 16 {
		y := gfx12Random(rnd, &one, kind)
		x.a, x.b, x.c, x.pick = append(x.a, y.a...), y.b, append(x.c, y.c...), append(x.pick, y.pick...)
	}
	return x
}

// lateExpected returns D: every lateStep-th element. scaleA and scaleB are the
// scales by row and block.
func lateExpected(m *Matrix, x gfx12Matrices, mods MatrixMods, scaleA, scaleB []float64) []uint64 {
	value := func(t MatrixType, src, k int, v uint64) float64 {
		y := gfx12Value(t, v, mods.NegLo>>src&1 != 0)
		neg := mods.NegLo
		if t.Bits() == 16 && k&1 != 0 {
			neg = mods.NegHi
		}
		if t.Bits() >= 16 && neg>>src&1 != 0 {
			y = -y
		}
		return y
	}
	out := make([]uint64, m.M*m.N)
	for at := 0; at < len(out); at += lateStep(m) {
		row, col := at/16, at%16
		var a, b []float64
		for k := range m.aK() {
			kb := k
			if m.Sparse {
				kb = k/2*4 + x.pick[row*m.aK()+k]
			}
			va, vb := value(m.A, 0, k, x.a[row*m.aK()+k]), value(m.B, 1, kb, x.b[col*m.K+kb])
			if m.Scaled {
				va *= scaleA[row*m.K/m.ScaleBlock+k/m.ScaleBlock] // exact in float64
				vb *= scaleB[col*m.K/m.ScaleBlock+k/m.ScaleBlock]
			}
			a, b = append(a, va), append(b, vb)
		}
		c := gfx12Value(m.C, x.c[at], true)
		if m.D != MatrixI32 && mods.NegHi&4 != 0 {
			c = math.Abs(c)
		}
		if m.D != MatrixI32 && mods.NegLo&4 != 0 {
			c = -c
		}
		if m.mixed {
			out[at] = lateExact(a, b, c)
		} else {
			out[at] = gfx12Dot(m, a, b, c, mods.Clamp)
		}
	}
	return out
}

// lateStep samples results whose exact sum takes long.
func lateStep(m *Matrix) int {
	if m.mixed {
		return 7
	}
	return 1
}

// TestMatrixGFX125 multiplies matrices with every instruction that only gfx12.5
// has, with all pairs of formats.
func TestMatrixGFX125(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 5))
	ran, pairs := map[string]bool{}, map[[2]MatrixType]int{}
	lateMatrices(func(op *Matrix) {
		ran[op.Name] = true
		if op.formats == nil {
			lateCompare(t, rnd, op, 9)
			return
		}
		for a := range uint8(5) {
			for b := range uint8(5) {
				m := op.WithFormats(a, b)
				pairs[[2]MatrixType{m.A, m.B}]++
				lateCompare(t, rnd, m, 3)
			}
		}
		for _, f := range [][2]uint8{{5, 0}, {0, 5}, {7, 7}} {
			if op.WithFormats(f[0], f[1]) != nil {
				t.Errorf("%s has formats %v", op.Name, f)
			}
		}
	})
	if len(ran) != 43 || len(pairs) != 25 {
		t.Errorf("%d instructions and %d pairs of formats ran, expected 43 and 25", len(ran), len(pairs))
	}
}

// lateMatrices calls f for every matrix instruction that only gfx12.5 has.
func lateMatrices(f func(m *Matrix)) {
	done := map[isa.Op]bool{}
	matEncs(isa.GFX1250, func(e isa.Enc, _ int) {
		if m := MatrixOf(e.Op()); m != nil && m.late && !done[e.Op()] {
			done[e.Op()] = true
			f(m)
		}
	})
}

// lateCompare multiplies random matrices several times.
func lateCompare(t *testing.T, rnd *rand.Rand, m *Matrix, tries int) {
	t.Helper()
	r, ok := m.Regs(isa.GFX1250, 32)
	if !ok {
		t.Fatalf("%s has no operands", m.Name)
	}
	for n := range tries {
		x := lateRandom(rnd, m, n%3)
		var mods MatrixMods
		switch {
		case m.D == MatrixI32:
			mods.NegLo, mods.Clamp = uint8(rnd.IntN(4)), n&1 != 0
		case n >= 1:
			mods.NegLo, mods.NegHi = uint8(rnd.IntN(8)), uint8(rnd.IntN(8))
		}
		var index []uint32
		if m.Sparse {
			mods.NegLo, mods.NegHi, mods.Key = mods.NegLo&3, mods.NegHi&3, uint8(rnd.IntN(2))
			index = latePackIndex(m, x.pick)
		}
		var scaleA, scaleB []float64
		if m.Scaled {
			mods.SelA, mods.SelB, mods.ScaleFmtA, mods.ScaleFmtB = uint8(rnd.IntN(2)), uint8(rnd.IntN(2)), uint8(rnd.IntN(3)), uint8(rnd.IntN(3))
			scaleA, mods.ScaleA = lateScales(rnd, m, m.M, mods.ScaleFmtA, mods.SelA)
			scaleB, mods.ScaleB = lateScales(rnd, m, m.N, mods.ScaleFmtB, mods.SelB)
		}
		a, b := latePackInput(m, m.A, x.a, m.aK(), m.M, r.A), latePackInput(m, m.B, x.b, m.K, m.N, r.B)
		acc := lateAccumulator(m, x.c, r.Acc)
		dst := make([]uint32, r.Dst*32)
		m.Run(&Ctx{Set: isa.GFX1250, Mode: Mode(rnd.IntN(1024))}, new(MatrixScratch), 32, dst, a, b, acc, index, mods)
		got, want := lateResult(m, dst, r.Dst), lateExpected(m, x, mods, scaleA, scaleB)
		for i := 0; i < len(want); i += lateStep(m) {
			if got[i] != want[i] {
				t.Errorf("%s %v %v, %+v: D[%d][%d] is %#x, expected %#x", m.Name, m.A, m.B, mods, i/16, i%16, got[i], want[i])
				return
			}
		}
	}
}

// TestMatrixSparseGFX125 compares sparse products of small integers, which do not
// depend on the order of K, with the layout that AMD measured on gfx1250 for its
// numerical sanitizer: bit 1 of a place in A and bit 2 of a place in K select the
// half of the lanes.
func TestMatrixSparseGFX125(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 6))
	n := 0
	lateMatrices(func(m *Matrix) {
		if !m.Sparse {
			return
		}
		n++
		r, _ := m.Regs(isa.GFX1250, 32)
		x := lateRandom(rnd, m, 0)
		bits := m.A.Bits()
		put := func(v []uint32, slot, lane int, e uint64) { v[slot*bits/32*32+lane] |= uint32(e) << (slot * bits % 32) }
		a, b, index := make([]uint32, r.A*32), make([]uint32, r.B*32), make([]uint32, r.Index*32)
		for row := range 16 {
			for c := range m.aK() {
				put(a, 2*(c>>2)+c&1, row+16*(c>>1&1), x.a[row*m.aK()+c])
				lane, word, bit := row+16*(c/32), c/2&1, 4*(c/4%8)+2*(c&1)
				if m.K == 64 {
					lane, word, bit = row+16*(c/16), 0, 16*(c>>1&1)+4*(c>>2&3)+2*(c&1)
				}
				index[word*32+lane] |= uint32(x.pick[row*m.aK()+c]) << bit
			}
			for k := range m.K {
				put(b, k&3|k>>3<<2, row+16*(k>>2&1), x.b[row*m.K+k])
			}
		}
		dst := make([]uint32, r.Dst*32)
		m.Run(&Ctx{Set: isa.GFX1250}, new(MatrixScratch), 32, dst, a, b, lateAccumulator(m, x.c, r.Acc), index, MatrixMods{})
		got, want := lateResult(m, dst, r.Dst), lateExpected(m, x, MatrixMods{}, nil, nil)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: D[%d][%d] is %#x, expected %#x", m.Name, i/16, i%16, got[i], want[i])
				break
			}
		}
	})
	if n != 14 {
		t.Errorf("%d instructions ran, expected 14", n)
	}
}

// TestMatrixMixedGFX125 compares products of two formats with the layouts that
// AMD's numerical sanitizer measured: the place in K of an element whose number
// in its lane is s and whose lane is in half h of the wave.
func TestMatrixMixedGFX125(t *testing.T) {
	bit := func(x, from, to int) int { return x >> from & 1 << to }
	eight := func(h, s int) int {
		return s&3 | h<<2 | bit(s, 2, 3) | bit(s, 3, 4) | bit(s, 4, 5) | bit(s, 5, 6)
	}
	small := func(h, s int) int {
		return s&3 | bit(s, 2, 3) | bit(s, 3, 4) | bit(s, 4, 2) | h<<5 | bit(s, 5, 6)
	}
	ones := map[MatrixType]uint64{MatrixFP8: 0x38, MatrixBF8: 0x3c, MatrixFP6: 8, MatrixBF6: 0xc, MatrixFP4: 2}
	op := matNamed(t, "v_wmma_f32_16x16x128_f8f6f4")
	for f := range uint8(5) {
		for g := range uint8(5) {
			m := op.WithFormats(f, g)
			if m.A.Bits() != 8 || m.B.Bits() == 8 {
				continue
			}
			r, _ := m.Regs(isa.GFX1250, 32)
			for k := range m.K {
				// One element of row 0 of A times one of each column of B.
				a, b := make([]uint32, r.A*32), make([]uint32, r.B*32)
				for lane := range 32 {
					for s := range 64 {
						if eight(lane/16, s) == k && lane%16 == 0 {
							a[s*8/32*32+lane] |= uint32(ones[m.A]) << (s * 8 % 32)
						}
						if small(lane/16, s) == k {
							at := s * m.B.Bits()
							v := ones[m.B] << (at % 32)
							b[at/32*32+lane] |= uint32(v)
							if v>>32 != 0 {
								b[(at/32+1)*32+lane] |= uint32(v >> 32)
							}
						}
					}
				}
				d := make([]uint32, r.Dst*32)
				m.Run(&Ctx{Set: isa.GFX1250}, new(MatrixScratch), 32, d, a, b, make([]uint32, r.Acc*32), nil, MatrixMods{})
				for i, v := range lateResult(m, d, r.Dst) {
					if want := uint64(math.Float32bits(1)); i < 16 && v != want || i >= 16 && v != 0 {
						t.Fatalf("%v %v: place %d: D[%d][%d] is %#x", m.A, m.B, k, i/16, i%16, v)
					}
				}
			}
		}
	}
}

// TestMatrixValidScales checks which formats of scales the types allow.
func TestMatrixValidScales(t *testing.T) {
	op := matNamed(t, "v_wmma_scale_f32_16x16x128_f8f6f4")
	for _, c := range []struct {
		a, b, fa, fb uint8
		want         bool
	}{
		{0, 0, 0, 0, true}, {0, 4, 0, 2, true}, {0, 4, 1, 0, false}, {4, 4, 1, 1, true}, {4, 4, 1, 2, false},
		{4, 4, 3, 3, false}, {4, 2, 2, 0, true}, {4, 2, 2, 2, false}, {4, 4, 0, 2, false},
	} {
		if got := op.WithFormats(c.a, c.b).ValidScales(c.fa, c.fb); got != c.want {
			t.Errorf("%v: %t", c, got)
		}
	}
}

// TestMatrixLoadedScales compares the instructions that follow a load of scales
// with those that have scales themselves.
func TestMatrixLoadedScales(t *testing.T) {
	for block, prefix := range map[int]string{32: "v_wmma_scale_f32", 16: "v_wmma_scale16_f32"} {
		for _, shape := range []string{"_16x16x128_f8f6f4", "_32x16x128_f4"} {
			got, want := *matNamed(t, "v_wmma_f32"+shape).WithScales(block), *matNamed(t, prefix+shape)
			got.Name, got.formats, want.formats = want.Name, nil, nil
			if got != want {
				t.Errorf("%s: %+v, expected %+v", want.Name, got, want)
			}
		}
	}
	if m := matNamed(t, "v_wmma_f32_16x16x128_fp8_fp8").WithScales(32); m != nil {
		t.Errorf("%s takes scales", m.Name)
	}
}

// TestMatrixConstantGFX125 adds to inline constants: of the type of C.
func TestMatrixConstantGFX125(t *testing.T) {
	for name, c := range map[string][2]uint64{
		"v_wmma_f16_16x16x32_f16": {0x4000, 0x4000}, "v_wmma_bf16_16x16x32_bf16": {0x4000, 0x4000}, "v_wmma_bf16f32_16x16x32_bf16": {0x3fc00000, 0x3fc0}, "v_wmma_f32_32x16x128_f4": {0x40000000, 0x40000000},
	} {
		m := matNamed(t, name)
		r, _ := m.Regs(isa.GFX1250, 32)
		s, d := new(MatrixScratch), make([]uint32, r.Dst*32)
		m.Run(&Ctx{Set: isa.GFX1250}, s, 32, d, make([]uint32, r.A*32), make([]uint32, r.B*32), s.Constant(m, r, 32, c[0]), nil, MatrixMods{})
		for i, v := range lateResult(m, d, r.Dst) {
			if v != c[1] {
				t.Fatalf("%s: element %d is %#x, expected %#x", name, i, v, c[1])
			}
		}
	}
}
