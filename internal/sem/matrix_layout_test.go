package sem

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

func matNamed(t testing.TB, name string) *Matrix {
	t.Helper()
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Name() == name {
			if m := MatrixOf(e.Op()); m != nil {
				return m
			}
		}
	}
	t.Fatalf("no matrix instruction %s", name)
	return nil
}

func matShape(m *Matrix) string {
	return fmt.Sprint(m.M, m.N, m.K, m.Blocks, m.A, m.B, m.D)
}

// matPos identifies the contents of some bits of a register: row of A, C or D
// or column of B, place in K or column of C or D, and block.
type matPos struct{ i, k, b int }

// The functions below map registers and lanes to elements as in AMD's matrix
// instruction calculator, "Register to matrix element mapping with no
// modifiers". The code under test implements the opposite direction, from
// elements to registers.

// matInputPos returns the element of A (rows m.M) or B (rows m.N) that begins
// at a bit of a register.
func matInputPos(m *Matrix, t MatrixType, rows, regs, reg, bit, lane int) matPos {
	per := 32 / t.Bits() // elements in a register
	if m.Wave {
		return matPos{lane % 16, per*reg + bit/t.Bits(), 0}
	}
	p := matPos{i: lane % rows}
	if m.Blocks > 1 {
		p.b = lane / rows
	}
	if t == MatrixF64 {
		p.b %= 4
		p.k = lane / 16
		if m.Blocks == 1 {
			p.b = 0
		}
		return p
	}
	if m.K*m.M == 2048 && !m.Sparse { // f8f6f4
		n := (32*reg + bit) / t.Bits()
		p.k = 32*(lane/rows) + n
		if t.Bits() == 8 {
			p.k = n/16*16*(64/rows) + 16*(lane/rows) + n%16
		}
		return p
	}
	if skip := per * regs; skip < m.K {
		p.k = skip * (lane / rows)
	}
	p.k += per*reg + bit/t.Bits()
	return p
}

// matOutputPos returns the element of C and D that a register and lane hold.
func matOutputPos(m *Matrix, lanes, regs, reg, lane int) matPos {
	p := matPos{k: lane % m.N}
	switch {
	case m.Wave:
		p.i = lanes/16*reg + lane/16
		return p
	case m.D == MatrixF64 && m.Blocks == 1:
		p.i = 4*(reg/2) + lane/16
		return p
	case m.D == MatrixF64:
		p.i, p.b = lane/16, lane/4%4
		return p
	}
	if m.M > 16 {
		p.i = 8 * (reg / 4) % 32
	}
	if m.M != 4 {
		p.i += 4 * (lane / m.M)
	}
	p.i += reg % 4
	if each := regs / m.Blocks; m.Blocks > 1 && each == 0 {
		p.b = lane / m.M
	} else if m.Blocks > 1 {
		p.b = reg / each
	}
	return p
}

// TestMatrixSamples checks single places taken from the documents: the layouts
// of CDNA 1 to 3 and RDNA 3, and the kernel of the shared corpus that
// multiplies with v_mfma_f32_32x32x2f32.
func TestMatrixSamples(t *testing.T) {
	for _, c := range []struct {
		name           string
		lanes          int
		operand        byte // 'A', 'B' or 'D'
		reg, bit, lane int
		i, k, b        int
	}{
		{"v_mfma_f32_32x32x2f32", 64, 'A', 0, 0, 37, 5, 1, 0},
		{"v_mfma_f32_32x32x2f32", 64, 'D', 6, 0, 35, 14, 3, 0}, // (6>>2)*8 + (35>>5)*4 + (6&3)
		{"v_mfma_f32_32x32x2f32", 64, 'D', 15, 0, 63, 31, 31, 0},
		{"v_mfma_f32_32x32x1f32", 64, 'B', 0, 0, 40, 8, 0, 1},
		{"v_mfma_f32_32x32x1f32", 64, 'D', 17, 0, 33, 5, 1, 1},
		{"v_mfma_f32_16x16x1f32", 64, 'A', 0, 0, 50, 2, 0, 3},
		{"v_mfma_f32_16x16x1f32", 64, 'D', 13, 0, 20, 5, 4, 3},
		{"v_mfma_f32_4x4x1f32", 64, 'A', 0, 0, 62, 2, 0, 15},
		{"v_mfma_f32_4x4x1f32", 64, 'D', 3, 0, 21, 3, 1, 5},
		{"v_mfma_f32_4x4x4f16", 64, 'A', 1, 16, 6, 2, 3, 1},
		{"v_mfma_f32_32x32x8f16", 64, 'B', 1, 0, 34, 2, 6, 0},
		{"v_mfma_f32_16x16x16f16", 64, 'A', 0, 16, 33, 1, 9, 0},
		{"v_mfma_i32_16x16x16i8", 64, 'A', 0, 24, 17, 1, 7, 0},
		{"v_mfma_i32_16x16x32_i8", 64, 'B', 1, 8, 49, 1, 29, 0},
		{"v_mfma_f32_16x16x8_xf32", 64, 'A', 1, 0, 32, 0, 5, 0},
		{"v_mfma_f32_32x32x16_fp8_bf8", 64, 'A', 1, 16, 35, 3, 14, 0},
		{"v_mfma_f64_16x16x4f64", 64, 'A', 0, 0, 35, 3, 2, 0},
		{"v_mfma_f64_16x16x4f64", 64, 'D', 4, 0, 50, 11, 2, 0},
		{"v_mfma_f64_4x4x4f64", 64, 'A', 0, 0, 39, 3, 2, 1},
		{"v_mfma_f64_4x4x4f64", 64, 'D', 0, 0, 55, 3, 3, 1},
		{"v_wmma_f32_16x16x16_f16", 32, 'A', 3, 16, 9, 9, 7, 0},
		{"v_wmma_f32_16x16x16_f16", 32, 'D', 3, 0, 17, 7, 1, 0},
		{"v_wmma_f32_16x16x16_f16", 64, 'D', 3, 0, 49, 15, 1, 0},
		{"v_wmma_i32_16x16x16_iu4", 32, 'B', 1, 12, 4, 4, 11, 0},
		{"v_wmma_i32_16x16x16_iu8", 64, 'B', 2, 8, 15, 15, 9, 0},
	} {
		m := matNamed(t, c.name)
		set := matTestSet(m)
		r, _ := m.Regs(set, c.lanes)
		want := matPos{c.i, c.k, c.b}
		var got matPos
		switch c.operand {
		case 'A':
			got = matInputPos(m, m.A, m.M, r.A, c.reg, c.bit, c.lane)
		case 'B':
			got = matInputPos(m, m.B, m.N, r.B, c.reg, c.bit, c.lane)
		case 'D':
			got = matOutputPos(m, c.lanes, r.Dst, c.reg, c.lane)
		}
		if got != want {
			t.Errorf("%s %c v%d[%d] lane %d: the test's formula yields %v, expected %v", c.name, c.operand, c.reg, c.bit, c.lane, got, want)
		}
		if got := matProbe(m, set, c.lanes, c.operand, c.reg, c.bit, c.lane); got != want {
			t.Errorf("%s %c v%d[%d] lane %d: %v, expected %v", c.name, c.operand, c.reg, c.bit, c.lane, got, want)
		}
	}
}

// matTestSet returns a set that has an instruction.
func matTestSet(m *Matrix) (set isa.Set) {
	for _, s := range matTestSets {
		matEncs(s, func(e isa.Enc, _ int) {
			if e.Name() == m.Name {
				set = s
			}
		})
	}
	return set
}

// matProbe finds by running an instruction which element a place holds. For D,
// it is the element whose C appears there when all products are 0; for A and B,
// the element whose change affects results.
func matProbe(m *Matrix, set isa.Set, lanes int, operand byte, reg, bit, lane int) (p matPos) {
	r, _ := m.Regs(set, lanes)
	s, c := new(MatrixScratch), &Ctx{Set: set, Mode: 0xf0}
	one := matOne(m.A)
	run := func(a, b []uint32, acc uint64) []uint32 {
		dst := make([]uint32, r.Dst*lanes)
		m.Run(c, s, lanes, dst, a, b, s.Constant(m, r, lanes, acc), nil, MatrixMods{})
		return dst
	}
	zero := func(regs int) []uint32 { return make([]uint32, regs*lanes) }
	put := func(v []uint32, t MatrixType, reg, bit, lane int) {
		if t == MatrixF64 {
			v[lanes+lane] = uint32(one >> 32)
			return
		}
		v[reg*lanes+lane] |= uint32(one) << bit
	}
	if operand == 'D' {
		// The product of row i of A and column j of B, one block at a time.
		for b := range m.Blocks {
			for i := range m.M {
				for j := range m.N {
					va, vb := zero(r.A), zero(r.B)
					matFill(va, lanes, r.A, m.A, one, func(q matPos) bool { return q.i == i && q.b == b }, func(reg, bit, lane int) matPos { return matInputPos(m, m.A, m.M, r.A, reg, bit, lane) })
					matFill(vb, lanes, r.B, m.B, one, func(q matPos) bool { return q.i == j && q.b == b }, func(reg, bit, lane int) matPos { return matInputPos(m, m.B, m.N, r.B, reg, bit, lane) })
					if matAt(run(va, vb, 0), m, lanes, reg, lane) != 0 {
						return matPos{i, j, b}
					}
				}
			}
		}
		return matPos{-1, -1, -1}
	}
	// One element of A or B times all elements of the other operand except one
	// place in K.
	for k := range m.K {
		va, vb := zero(r.A), zero(r.B)
		mine, other, t, u := va, vb, m.A, m.B
		rows, orows, regs, oregs := m.M, m.N, r.A, r.B
		if operand == 'B' {
			mine, other, t, u = vb, va, m.B, m.A
			rows, orows, regs, oregs = m.N, m.M, r.B, r.A
		}
		put(mine, t, reg, bit, lane)
		matFill(other, lanes, oregs, u, one, func(q matPos) bool { return q.k == k }, func(reg, bit, lane int) matPos { return matInputPos(m, u, orows, oregs, reg, bit, lane) })
		d := run(va, vb, 0)
		_, _ = rows, regs
		for reg := range r.Dst {
			for lane := range lanes {
				if matAt(d, m, lanes, reg, lane) != 0 {
					q := matOutputPos(m, lanes, r.Dst, reg, lane)
					if operand == 'B' {
						return matPos{q.k, k, q.b}
					}
					return matPos{q.i, k, q.b}
				}
			}
		}
	}
	return matPos{-1, -1, -1}
}

func matAt(d []uint32, m *Matrix, lanes, reg, lane int) uint64 {
	v := uint64(d[reg*lanes+lane])
	if m.D == MatrixF64 && reg&1 == 0 {
		v |= uint64(d[(reg+1)*lanes+lane]) << 32
	}
	return v
}

// matFill sets the elements of an operand that want selects to v.
func matFill(dst []uint32, lanes, regs int, t MatrixType, v uint64, want func(matPos) bool, at func(reg, bit, lane int) matPos) {
	for lane := range lanes {
		for reg := range regs {
			if t == MatrixF64 {
				if want(at(0, 0, lane)) {
					dst[reg*lanes+lane] = uint32(v >> (32 * reg))
				}
				continue
			}
			for bit := 0; bit < 32; bit += t.Bits() {
				if want(at(reg, bit, lane)) {
					dst[reg*lanes+lane] |= uint32(v) << bit
				}
			}
		}
	}
}

// matOne returns 1 as an element.
func matOne(t MatrixType) uint64 {
	switch t {
	case MatrixF16:
		return 0x3c00
	case MatrixBF16:
		return 0x3f80
	case MatrixF32, MatrixXF32:
		return 0x3f800000
	case MatrixF64:
		return 0x3ff << 52
	case MatrixFP8, MatrixBF8:
		return 0x40
	}
	return 1
}

// TestMatrixOverlap checks that the destination may be any of the sources.
func TestMatrixOverlap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, set := range append(matTestSets, isa.GFX1200, isa.GFX1250) {
		matEncs(set, func(e isa.Enc, lanes int) {
			m := matFitting(MatrixOf(e.Op()), e)
			r, _ := m.Regs(set, lanes)
			in := matRandom(rnd, set, m, r, lanes)
			s, c := new(MatrixScratch), &Ctx{Set: set, Mode: 0xf0}
			scales := in.acc[:min(2*lanes, len(in.acc))]
			mods := MatrixMods{ScaleA: scales, ScaleB: scales}
			want := slices.Clone(in.acc)
			m.Run(c, s, lanes, want, in.a, in.b, in.acc, in.index, mods)
			// All operands in one file: D from the first register on, A and B over it.
			file := make([]uint32, (r.Dst+r.A+r.B)*lanes)
			for at := range 2 {
				copy(file[r.Dst*lanes:], in.acc)
				copy(file, in.a)
				copy(file[r.A*lanes:], in.b)
				dst := file[at*r.A*lanes:][:r.Dst*lanes]
				if m.D.Bits() == 16 { // halves that are not changed
					continue
				}
				m.Run(c, s, lanes, dst, file, file[r.A*lanes:], in.acc, in.index, mods)
				if !slices.Equal(dst, want) {
					t.Errorf("%s %s: D over A or B differs", set, m.Name)
				}
			}
			dst := slices.Clone(in.acc)
			m.Run(c, s, lanes, dst, in.a, in.b, dst, in.index, mods)
			if !slices.Equal(dst, want) {
				t.Errorf("%s %s: D over C differs", set, m.Name)
			}
			if n := testing.AllocsPerRun(2, func() { m.Run(c, s, lanes, dst, in.a, in.b, dst, in.index, mods) }); n != 0 {
				t.Errorf("%s %s: %v allocations", set, m.Name, n)
			}
		})
	}
}
