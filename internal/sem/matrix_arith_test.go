package sem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// matDense holds the operands of an instruction as matrices, by block, row and
// column; A and B as values, C as bits.
type matDense struct {
	a, b []float64 // A by block, row, place in K; B by block, column, place in K
	c    []uint64
	kept []bool // which elements of a sparse A are stored
}

// matUnpack reads the matrices from the registers, using the test's layouts.
func matUnpack(set isa.Set, m *Matrix, r MatrixRegs, lanes int, in matInput, mods MatrixMods) (d matDense) {
	d.a = make([]float64, m.Blocks*m.M*m.K)
	d.b = make([]float64, m.Blocks*m.N*m.K)
	d.c = make([]uint64, m.Blocks*m.M*m.N)
	if m.Sparse {
		d.kept = make([]bool, len(d.a))
		matUnpackSparse(set, m, r, in, mods, d)
	} else {
		matUnpackInput(set, m, m.A, m.M, r.A, lanes, in.a, d.a, mods.NegLo&1 != 0)
	}
	matUnpackInput(set, m, m.B, m.N, r.B, lanes, in.b, d.b, mods.NegLo&2 != 0)
	if m.Scaled {
		matUnscale(d.a, m.M, m.K, mods.ScaleA, mods.SelA)
		matUnscale(d.b, m.N, m.K, mods.ScaleB, mods.SelB)
	}
	for lane := range lanes {
		for reg := range r.Dst {
			p := matOutputPos(m, lanes, r.Dst, reg, lane)
			at := (p.b*m.M+p.i)*m.N + p.k
			v := uint64(in.acc[reg*lanes+lane])
			switch {
			case m.D == MatrixF64:
				d.c[at] |= v << (reg & 1 * 32)
			case m.D.Bits() == 16:
				d.c[at] = v >> (mods.OpSel >> 2 & 1 * 16) & 0xffff
			default:
				d.c[at] = v
			}
		}
	}
	return d
}

// matUnscale applies the scales that the lanes hold, each for 32 places in K of
// the row or column with the lane's number modulo the number of rows.
func matUnscale(v []float64, rows, k int, scales []uint32, sel uint8) {
	for lane, s := range scales {
		row, from := lane%rows, lane/rows*32
		for i := from; i < from+32; i++ {
			v[row*k+i] = math.Ldexp(v[row*k+i], int(s>>(8*sel)&0xff)-127)
		}
	}
}

func matUnpackInput(set isa.Set, m *Matrix, t MatrixType, rows, regs, lanes int, src []uint32, dst []float64, signed bool) {
	last := lanes
	if m.Wave {
		last = 16 // the other lanes hold copies
	}
	for lane := range last {
		for n := range max(regs*32/t.Bits(), 1) {
			reg, bit := n*t.Bits()/32, n*t.Bits()%32
			p := matInputPos(m, t, rows, regs, reg, bit, lane)
			v := uint64(src[reg*lanes+lane])
			if t == MatrixF64 {
				v = uint64(src[lane]) | uint64(src[lanes+lane])<<32
			} else {
				if bit+t.Bits() > 32 {
					v |= uint64(src[(reg+1)*lanes+lane]) << 32
				}
				v = v >> bit & (1<<t.Bits() - 1)
			}
			dst[(p.b*rows+p.i)*m.K+p.k] = matElement(set, t, v, signed)
		}
	}
}

func matElement(set isa.Set, t MatrixType, v uint64, signed bool) float64 {
	switch t {
	case MatrixI8, MatrixIU8, MatrixIU4:
		x := float64(v)
		if (signed || t == MatrixI8) && v>>(t.Bits()-1) != 0 {
			x -= float64(int(1) << t.Bits())
		}
		return x
	}
	return matValue(set, t, v)
}

// matUnpackSparse spreads the elements of a sparse A over K. Source: CDNA 3,
// "Details of sparsity structure": the tables of B's layout and of the index.
func matUnpackSparse(set isa.Set, m *Matrix, r MatrixRegs, in matInput, mods MatrixMods, d matDense) {
	size := 8 // bits of the index of a lane
	if m.A.Bits() == 8 {
		size = 16
	}
	if r.A == 4 { // gfx950
		size *= 2
	}
	part := 0
	if mods.CBSZ&3 == 0 {
		part = int(mods.ABID) & (32/size - 1)
	}
	of4 := 4 * 16 / m.A.Bits() // per register, the places in K that its two (four) elements represent
	for lane := range 64 {
		for reg := range r.A {
			for bit := 0; bit < 32; bit += m.A.Bits() {
				n := (reg*32 + bit) / m.A.Bits() // index of the element in the lane
				place := in.index[lane] >> (part*size + 2*n) & 3
				k := r.A*of4*(lane/m.M) + of4*reg + bit/(2*m.A.Bits())*4 + int(place)
				v := uint64(in.a[reg*64+lane]) >> bit & (1<<m.A.Bits() - 1)
				d.a[lane%m.M*m.K+k], d.kept[lane%m.M*m.K+k] = matElement(set, m.A, v, true), true
			}
		}
	}
}

// matExpected computes D from matrices.
func matExpected(set isa.Set, m *Matrix, mode Mode, d matDense, b, i, j int, mods MatrixMods) uint64 {
	row, col := d.a[(b*m.M+i)*m.K:][:m.K], d.b[(b*m.N+j)*m.K:][:m.K]
	c := d.c[(b*m.M+i)*m.N+j]
	if m.D == MatrixI32 {
		sum := float64(int32(c))
		for k := range row {
			sum += row[k] * col[k]
		}
		if mods.Clamp && set != isa.GFX908 && set != isa.GFX90A {
			sum = max(min(sum, math.MaxInt32), math.MinInt32)
		}
		return uint64(uint32(int64(sum)))
	}
	if m.Sparse { // only the stored elements are added
		var ra, rb []float64
		for k := range row {
			if d.kept[(b*m.M+i)*m.K+k] {
				ra, rb = append(ra, row[k]), append(rb, col[k])
			}
		}
		row, col = ra, rb
	}
	r := matRef(set, m, mode, row, col, matValue(set, m.D, c))
	switch m.D {
	case MatrixF64:
		return math.Float64bits(r)
	case MatrixF32:
		if r != r {
			return 0x7fc00000
		}
		return uint64(math.Float32bits(float32(r)))
	}
	return matRound16(m.D, r)
}

// matRound16 finds the nearest f16 or bf16 by trying all; on ties, the even
// one.
func matRound16(t MatrixType, x float64) uint64 {
	inf := uint64(0x7c00)
	if t == MatrixBF16 {
		inf = 0x7f80
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	value := func(v uint64) float64 {
		if v == inf { // as if the exponent range continued
			return matValue(isa.GFX942, t, inf-1) + (matValue(isa.GFX942, t, inf-1) - matValue(isa.GFX942, t, inf-2))
		}
		return matValue(isa.GFX942, t, v)
	}
	lo, hi := uint64(0), inf
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; value(mid) <= x {
			lo = mid
		} else {
			hi = mid
		}
	}
	dl, dh := x-value(lo), value(hi)-x
	if dh < dl || dh == dl && hi&1 == 0 {
		return sign | hi
	}
	return sign | lo
}

// TestMatrixProducts multiplies random matrices with every instruction of every
// set.
func TestMatrixProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 11))
	for _, set := range matTestSets {
		matEncs(set, func(e isa.Enc, lanes int) {
			m := MatrixOf(e.Op())
			if m.A == MatrixF8F6F4 {
				matProductsMixed(t, rnd, set, m)
				return
			}
			tries := 4
			if set == isa.GFX950 && slices.Contains(matEncNames(isa.GFX942), m.Name) {
				tries = 1
			}
			for n := range tries {
				mode := Mode(n%4) << 4 // denormals of f32
				var mods MatrixMods
				switch {
				case m.Sparse:
					mods = MatrixMods{ABID: uint8(rnd.IntN(4)), CBSZ: uint8(rnd.IntN(3) / 2)}
				case m.D == MatrixI32:
					mods.Clamp = n&1 != 0
					if m.Wave {
						mods.NegLo = uint8(n)
					}
				case m.Wave && m.D.Bits() == 16:
					mods.OpSel = uint8(n&1) << 2
				}
				if !matCompare(t, rnd, set, m, lanes, mode, mods) {
					return
				}
			}
		})
	}
}

// matProductsMixed multiplies random matrices of all pairs of formats.
func matProductsMixed(t *testing.T, rnd *rand.Rand, set isa.Set, m *Matrix) {
	t.Helper()
	for cbsz := range uint8(5) {
		for blgp := range uint8(5) {
			if !m.Scaled && cbsz != blgp {
				continue
			}
			mods := MatrixMods{CBSZ: cbsz, BLGP: blgp, SelA: uint8(rnd.IntN(4)), SelB: uint8(rnd.IntN(4))}
			spread := []int{1, 10, 127}[rnd.IntN(3)]
			for range 64 {
				mods.ScaleA = append(mods.ScaleA, uint32(127+rnd.IntN(2*spread)-spread)<<(8*mods.SelA)|rnd.Uint32()&^(0xff<<(8*mods.SelA)))
				mods.ScaleB = append(mods.ScaleB, uint32(127+rnd.IntN(2*spread)-spread)<<(8*mods.SelB)|rnd.Uint32()&^(0xff<<(8*mods.SelB)))
			}
			if !matCompare(t, rnd, set, m.WithFormats(cbsz, blgp), 64, 0xf0, mods) {
				return
			}
		}
	}
}

// matCompare runs an instruction once and compares all of D.
func matCompare(t *testing.T, rnd *rand.Rand, set isa.Set, m *Matrix, lanes int, mode Mode, mods MatrixMods) bool {
	t.Helper()
	r, _ := m.Regs(set, lanes)
	in := matRandom(rnd, set, m, r, lanes)
	if m.Sparse && mods.ABID == 0 {
		for i := range in.acc {
			in.acc[i] &= 0x807fffff // small C, which does not hide the products
		}
	}
	d := matUnpack(set, m, r, lanes, in, mods)
	got := append([]uint32{}, in.acc...)
	for i := range got {
		got[i] ^= 0x5a5a5a5a
	}
	before := append([]uint32{}, got...)
	c := &Ctx{Set: set, Mode: mode}
	m.Run(c, new(MatrixScratch), lanes, got, in.a, in.b, in.acc, in.index, mods)
	half := int(mods.OpSel) >> 2 & 1 * 16
	for reg := range r.Dst {
		for lane := range lanes {
			if m.D == MatrixF64 && reg&1 != 0 {
				continue
			}
			if m.A <= MatrixFP4 && m.A >= MatrixFP8 && m.M*m.K == 2048 && (reg*lanes+lane)%19 != 0 { // a sample
				continue
			}
			p := matOutputPos(m, lanes, r.Dst, reg, lane)
			want := matExpected(set, m, mode, d, p.b, p.i, p.k, mods)
			if m.D.Bits() == 16 {
				want = uint64(before[reg*lanes+lane])&^(0xffff<<half) | want<<half
			}
			if g := matAt(got, m, lanes, reg, lane); g != want {
				t.Errorf("%s %s mode %#x %+v: D[%d][%d] of block %d is %#x, expected %#x (C %#x)", set, m.Name, mode, mods, p.i, p.k, p.b, g, want,
					d.c[(p.b*m.M+p.i)*m.N+p.k])
				for k := range m.K {
					t.Logf("%v * %v", d.a[(p.b*m.M+p.i)*m.K+k], d.b[(p.b*m.N+p.k)*m.K+k])
				}
				return false
			}
		}
	}
	return true
}

// TestMatrixHardware checks results measured on a gfx1100 (the shared corpus'
// semantics/gfx1100.jsonl): all elements of A and B are 1, all elements of C
// are equal.
func TestMatrixHardware(t *testing.T) {
	for _, c := range []struct {
		name      string
		ones      uint32
		acc, want uint32
	}{
		{"v_wmma_f32_16x16x16_f16", 0x3c003c00, 0, 1098907648},
		{"v_wmma_f32_16x16x16_f16", 0x3c003c00, 0x40a00000, 1101529088},
		{"v_wmma_f32_16x16x16_bf16", 0x3f803f80, 0, 1098907648},
		{"v_wmma_f32_16x16x16_bf16", 0x3f803f80, 0x40a00000, 1101529088},
		{"v_wmma_f16_16x16x16_f16", 0x3c003c00, 0, 19456},
	} {
		m := matNamed(t, c.name)
		r, _ := m.Regs(isa.GFX1100, 32)
		a := make([]uint32, r.A*32)
		for i := range a {
			a[i] = c.ones
		}
		s := new(MatrixScratch)
		d := make([]uint32, r.Dst*32)
		m.Run(&Ctx{Set: isa.GFX1100}, s, 32, d, a, a, s.Constant(m, r, 32, uint64(c.acc)), nil, MatrixMods{})
		for i, v := range d {
			if v != c.want {
				t.Fatalf("%s: dword %d is %#x, expected %#x", c.name, i, v, c.want)
			}
		}
	}
}

// matRow runs an instruction with one row of A and one column of B and returns
// D[0][0].
func matRow(t *testing.T, set isa.Set, name string, a, b []uint64, c uint32, mods MatrixMods) uint32 {
	t.Helper()
	m := matNamed(t, name).WithFormats(mods.CBSZ, mods.BLGP)
	lanes := 64
	r, ok := m.Regs(set, lanes)
	if !ok {
		t.Fatalf("%s on %s", name, set)
	}
	va, vb := make([]uint32, r.A*lanes), make([]uint32, r.B*lanes)
	for k := range a {
		matFill(va, lanes, r.A, m.A, a[k], func(p matPos) bool { return p == matPos{0, k, 0} }, func(reg, bit, lane int) matPos { return matInputPos(m, m.A, m.M, r.A, reg, bit, lane) })
		matFill(vb, lanes, r.B, m.B, b[k], func(p matPos) bool { return p == matPos{0, k, 0} }, func(reg, bit, lane int) matPos { return matInputPos(m, m.B, m.N, r.B, reg, bit, lane) })
	}
	if m.Wave {
		lanes = 64
	}
	s := new(MatrixScratch)
	d := make([]uint32, r.Dst*lanes)
	m.Run(&Ctx{Set: set, Mode: 0xf0}, s, lanes, d, va, vb, s.Constant(m, r, lanes, uint64(c)), nil, mods)
	return d[0]
}

// Bits of f32: infinity, the quiet NaN, the largest number.
const matInf, matQuiet, matTop = 0x7f800000, 0x7fc00000, 0x7f7fffff

type matRowBits = []uint64

// matEdges tests rounding, denormals, infinities, NaNs and overflow: a row of
// A, a column of B, C and D.
var matEdges = []struct {
	set  isa.Set
	name string
	a, b matRowBits
	c    uint32
	mods MatrixMods
	want uint32
}{
	// 1 + 2^-24 is a tie; 2^-48 more is not.
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{0x33800000}, matRowBits{0x3f800000}, 0x3f800000, MatrixMods{}, 0x3f800000},
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{0x33800001}, matRowBits{0x3f800000}, 0x3f800000, MatrixMods{}, 0x3f800001},
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{0x3f800001}, matRowBits{0x337fffff}, 0x3f800000, MatrixMods{}, 0x3f800001},
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{matInf}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{matInf}, matRowBits{0xbf800000}, matInf, MatrixMods{}, matQuiet},
	{isa.GFX908, "v_mfma_f32_32x32x1f32", matRowBits{0x80000000}, matRowBits{0x3f800000}, 0x80000000, MatrixMods{}, 0x80000000},
	{isa.GFX942, "v_mfma_f32_32x32x1_2b_f32", matRowBits{matTop}, matRowBits{0x40000000}, 0, MatrixMods{}, matInf},
	{isa.GFX942, "v_mfma_f32_32x32x1_2b_f32", matRowBits{matTop}, matRowBits{0xc0000000}, 0, MatrixMods{Clamp: true}, 0xff7fffff},
	{isa.GFX942, "v_mfma_f32_32x32x1_2b_f32", matRowBits{matInf}, matRowBits{0x40000000}, 0, MatrixMods{Clamp: true}, matInf},
	// Denormals of f16: 2^-24 · 2^-24.
	{isa.GFX908, "v_mfma_f32_4x4x4f16", matRowBits{1}, matRowBits{1}, 0, MatrixMods{}, 0x27800000},
	{isa.GFX90A, "v_mfma_f32_4x4x4f16", matRowBits{1}, matRowBits{1}, 0, MatrixMods{}, 0},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{1}, matRowBits{1}, 0, MatrixMods{}, 0x27800000},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{}, matRowBits{}, 1, MatrixMods{}, 1},
	{isa.GFX90A, "v_mfma_f32_4x4x4f16", matRowBits{}, matRowBits{}, 0x80000001, MatrixMods{}, 0},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{0x7c00}, matRowBits{0xbc00}, 0, MatrixMods{}, 0xff800000},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{0x7c00, 0x7c00}, matRowBits{0xbc00, 0x3c00}, 0, MatrixMods{}, matQuiet},
	{isa.GFX908, "v_mfma_f32_4x4x4f16", matRowBits{0x7c01}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	{isa.GFX90A, "v_mfma_f32_4x4x4f16", matRowBits{0x7c00}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	// 2^15 · 2^15 − 2^15 · 2^15 + 2^-24·1: exact; lost in pairs; below the cut.
	{isa.GFX908, "v_mfma_f32_4x4x4f16", matRowBits{0x7800, 0x0001, 0xf800}, matRowBits{0x7800, 0x3c00, 0x7800}, 0, MatrixMods{}, 0x33800000},
	{isa.GFX90A, "v_mfma_f32_4x4x4f16", matRowBits{0x7800, 0x1400, 0xf800}, matRowBits{0x7800, 0x3c00, 0x7800}, 0, MatrixMods{}, 0},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{0x7800, 0x0001, 0xf800}, matRowBits{0x7800, 0x3c00, 0x7800}, 0, MatrixMods{}, 0},
	// C is rounded towards minus infinity: −2^-30 becomes −2^-24 next to 1.
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_f16", matRowBits{0x3c00}, matRowBits{0x3c00}, 0xb0800000, MatrixMods{}, 0x3f7fffff},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_bf16", matRowBits{0x7f00}, matRowBits{0x4000}, 0, MatrixMods{}, matInf},
	{isa.GFX942, "v_mfma_f32_4x4x4_16b_bf16", matRowBits{0x7f00, 0xff00}, matRowBits{0x4000, 0x4000}, 0, MatrixMods{}, matQuiet},
	// 8-bit floats without infinities: 0x80 is the NaN, 0x7f the largest.
	{isa.GFX942, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0x80}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	{isa.GFX942, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0x7f}, matRowBits{0x40}, 0, MatrixMods{}, 0x43700000}, // 240
	{isa.GFX942, "v_mfma_f32_32x32x16_bf8_fp8", matRowBits{0x7f}, matRowBits{0x40}, 0, MatrixMods{}, 0x47600000}, // 57344
	{isa.GFX942, "v_mfma_f32_32x32x16_bf8_bf8", matRowBits{0x01}, matRowBits{0x40}, 0, MatrixMods{}, 0x37000000}, // 2^-17
	{isa.GFX942, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0xc0}, matRowBits{0x01}, 0, MatrixMods{}, 0xba800000}, // −2^-10
	{isa.GFX942, "v_mfma_f32_16x16x8_xf32", matRowBits{0x3f801fff}, matRowBits{0x3f803fff}, 0, MatrixMods{}, 0x3f802000},
	{isa.GFX942, "v_mfma_f32_16x16x8_xf32", matRowBits{0x7f800001}, matRowBits{0x3f800000}, 0, MatrixMods{}, matQuiet},
	// The Open Compute Project's 8-bit floats: 0x80 is negative zero, fp8 has one
	// NaN per sign, bf8 infinities.
	{isa.GFX950, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0x80}, matRowBits{0x38}, 0x3f800000, MatrixMods{}, 0x3f800000},
	{isa.GFX950, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0x7e}, matRowBits{0x38}, 0, MatrixMods{}, 0x43e00000}, // 448
	{isa.GFX950, "v_mfma_f32_32x32x16_fp8_fp8", matRowBits{0xff}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	{isa.GFX950, "v_mfma_f32_32x32x16_bf8_fp8", matRowBits{0x7c}, matRowBits{0xb8}, 0, MatrixMods{}, 0xff800000},
	{isa.GFX950, "v_mfma_f32_32x32x16_bf8_fp8", matRowBits{0x7d}, matRowBits{0x38}, 0, MatrixMods{}, matQuiet},
	{isa.GFX950, "v_mfma_f32_16x16x32_f16", matRowBits{0x7c00, 0x7c00}, matRowBits{0xbc00, 0x3c00}, 0, MatrixMods{}, matQuiet},
	{isa.GFX950, "v_mfma_f32_32x32x16_bf16", matRowBits{0x7f00}, matRowBits{0x4000}, 0, MatrixMods{}, matInf},
	{isa.GFX950, "v_mfma_i32_16x16x64_i8", matRowBits{0x7f}, matRowBits{0x7f}, 0x7fffffff, MatrixMods{}, 0x80003f00},
	{isa.GFX950, "v_mfma_i32_16x16x64_i8", matRowBits{0x7f}, matRowBits{0x7f}, 0x7fffffff, MatrixMods{Clamp: true}, 0x7fffffff},
	// Selected formats: infinities and NaNs of bf8 and fp8, the range of fp4, one
	// rounding of the whole sum.
	{isa.GFX950, "v_mfma_f32_32x32x64_f8f6f4", matRowBits{0x7c}, matRowBits{0xbc}, 0, MatrixMods{CBSZ: 1, BLGP: 1}, 0xff800000},
	{isa.GFX950, "v_mfma_f32_32x32x64_f8f6f4", matRowBits{0x7c, 0xfc}, matRowBits{0x3c, 0x3c}, 0, MatrixMods{CBSZ: 1, BLGP: 1}, matQuiet},
	{isa.GFX950, "v_mfma_f32_32x32x64_f8f6f4", matRowBits{0x7f}, matRowBits{0}, 0, MatrixMods{}, matQuiet},
	{isa.GFX950, "v_mfma_f32_32x32x64_f8f6f4", matRowBits{0x38}, matRowBits{0x38}, matInf, MatrixMods{Clamp: true}, matInf},
	{isa.GFX950, "v_mfma_f32_16x16x128_f8f6f4", matRowBits{0xf}, matRowBits{7}, 0, MatrixMods{CBSZ: 4, BLGP: 4}, 0xc2100000}, // −36
	{isa.GFX950, "v_mfma_f32_16x16x128_f8f6f4", matRowBits{0x77, 0x77, 0xf7, 0xf7}, matRowBits{0x3c, 0x3c, 0x3c, 0x3c}, 1, MatrixMods{CBSZ: 1, BLGP: 1}, 1},
	{isa.GFX950, "v_mfma_f32_16x16x128_f8f6f4", matRowBits{0x38}, matRowBits{0x38}, 0xb3800001, MatrixMods{}, 0x3f7fffff}, // 1 − 2^-24·(1+2^-23)
	// Integers wrap, or saturate on gfx942.
	{isa.GFX90A, "v_mfma_i32_4x4x4i8", matRowBits{0x7f}, matRowBits{0x7f}, 0x7fffffff, MatrixMods{Clamp: true}, 0x80003f00},
	{isa.GFX942, "v_mfma_i32_4x4x4_16b_i8", matRowBits{0x7f}, matRowBits{0x80}, 0x80000001, MatrixMods{}, 0x7fffc081},
	{isa.GFX942, "v_mfma_i32_4x4x4_16b_i8", matRowBits{0x7f}, matRowBits{0x80}, 0x80000001, MatrixMods{Clamp: true}, 0x80000000},
	{isa.GFX1100, "v_wmma_i32_16x16x16_iu8", matRowBits{0xff}, matRowBits{0xff}, 0, MatrixMods{}, 65025},
	{isa.GFX1100, "v_wmma_i32_16x16x16_iu8", matRowBits{0xff}, matRowBits{0xff}, 0, MatrixMods{NegLo: 1}, 0xffffff01},
	{isa.GFX1100, "v_wmma_i32_16x16x16_iu4", matRowBits{0xf}, matRowBits{0xf}, 0, MatrixMods{NegLo: 2}, 0xfffffff1},
	{isa.GFX1100, "v_wmma_i32_16x16x16_iu4", matRowBits{0xf}, matRowBits{0xf}, 0, MatrixMods{NegLo: 3}, 1},
	// Signs of v_wmma: even and odd elements, C and its absolute value.
	{isa.GFX1100, "v_wmma_f32_16x16x16_f16", matRowBits{0x3c00, 0x4000}, matRowBits{0x3c00, 0x3c00}, 0x41200000, MatrixMods{NegLo: 1}, 0x41300000}, // −1+2+10
	{isa.GFX1100, "v_wmma_f32_16x16x16_f16", matRowBits{0x3c00, 0x4000}, matRowBits{0x3c00, 0x3c00}, 0x41200000, MatrixMods{NegHi: 2}, 0x41100000}, // 1−2+10
	{isa.GFX1100, "v_wmma_f32_16x16x16_f16", matRowBits{0x3c00}, matRowBits{0x3c00}, 0x41200000, MatrixMods{NegLo: 4}, 0xc1100000},
	{isa.GFX1100, "v_wmma_f32_16x16x16_f16", matRowBits{0x3c00}, matRowBits{0x3c00}, 0xc1200000, MatrixMods{NegHi: 4}, 0x41300000},
	{isa.GFX1100, "v_wmma_f32_16x16x16_f16", matRowBits{0x3c00}, matRowBits{0x3c00}, 0xc1200000, MatrixMods{NegLo: 4, NegHi: 4}, 0xc1100000},
	{isa.GFX1100, "v_wmma_f16_16x16x16_f16", matRowBits{0x7bff}, matRowBits{0x4000}, 0, MatrixMods{}, 0x7c00},
	{isa.GFX1100, "v_wmma_f16_16x16x16_f16", matRowBits{0x7e01}, matRowBits{0x4000}, 0, MatrixMods{}, 0x7e00},
	{isa.GFX1100, "v_wmma_bf16_16x16x16_bf16", matRowBits{0x3f80}, matRowBits{0x3f80}, 0x3b80, MatrixMods{}, 0x3f80}, // 1 + 2^-8: a tie
	{isa.GFX1100, "v_wmma_bf16_16x16x16_bf16", matRowBits{0x3f81}, matRowBits{0x3f80}, 0x3b80, MatrixMods{}, 0x3f82},
	{isa.GFX1100, "v_wmma_bf16_16x16x16_bf16", matRowBits{0x7fff}, matRowBits{0x3f80}, 0, MatrixMods{}, 0x7fc0},
}

func TestMatrixEdges(t *testing.T) {
	for _, c := range matEdges {
		if got := matRow(t, c.set, c.name, c.a, c.b, c.c, c.mods); got != c.want {
			t.Errorf("%s %s %#x·%#x + %#x %+v: %#x, expected %#x", c.set, c.name, c.a, c.b, c.c, c.mods, got, c.want)
		}
	}
}

// TestMatrixScales checks scales that are not numbers, the smallest and the
// largest one, and that saturation prevents only infinities.
func TestMatrixScales(t *testing.T) {
	m := matNamed(t, "v_mfma_scale_f32_16x16x128_f8f6f4").WithFormats(4, 0)
	r, _ := m.Regs(isa.GFX950, 64)
	fill := func(n int, v uint32) []uint32 {
		x := make([]uint32, n*64)
		for i := range x {
			x[i] = v
		}
		return x
	}
	for _, c := range []struct {
		a, b  uint32
		clamp bool
		want  uint32
	}{
		{127, 127, false, 0x43010000}, // 128 + 1
		{130, 124, false, 0x43010000},
		{0, 0, false, 0x3f800000},
		{255, 127, false, matNaN},
		{127, 255, true, matNaN},
		{254, 127, false, matInf},
		{254, 127, true, 0x7f7fffff},
		{254, 0, false, 0x43010000},
	} {
		s, d := new(MatrixScratch), make([]uint32, r.Dst*64)
		mods := MatrixMods{ScaleA: fill(1, c.a<<8), ScaleB: fill(1, c.b<<24), SelA: 1, SelB: 3, Clamp: c.clamp}
		m.Run(&Ctx{Set: isa.GFX950, Mode: 0xf0}, s, 64, d, fill(r.A, 0x22222222), fill(r.B, 0x38383838), s.Constant(m, r, 64, 0x3f800000), nil, mods)
		for i, v := range d {
			if v != c.want {
				t.Fatalf("scales %d and %d: dword %d is %#x, want %#x", c.a, c.b, i, v, c.want)
			}
		}
	}
}

// TestMatrixNarrow rounds all f16 and bf16, and the numbers at and next to the
// midpoints between them.
func TestMatrixNarrow(t *testing.T) {
	for _, ty := range []MatrixType{MatrixF16, MatrixBF16} {
		for v := range uint64(0x8000) {
			x := matValue(isa.GFX942, ty, v)
			if ty == MatrixF16 && v >= 0x7c00 || v >= 0x7f80 {
				break
			}
			half := math.Float32bits(float32((x + matValue(isa.GFX942, ty, v+1)) / 2))
			for _, bits := range []uint32{math.Float32bits(float32(x)), half - 1, half, half + 1} {
				if f := float64(math.Float32frombits(bits)); !math.IsInf(f, 0) && f == f {
					if got, want := matNarrow(ty, bits), matRound16(ty, f); uint64(got) != want {
						t.Fatalf("%s: %#x becomes %#x, expected %#x", ty, bits, got, want)
					}
				}
			}
			if got := matWiden(ty, uint32(v)); got != math.Float32bits(float32(x)) {
				t.Fatalf("%s %#x widened to %#x", ty, v, got)
			}
		}
	}
}

// TestMatrixBroadcast checks that CBSZ, ABID and BLGP read A and B from other
// lanes. The expected lanes are from AMD's matrix instruction calculator and
// the documents' table of BLGP values.
func TestMatrixBroadcast(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct {
		name string
		mods MatrixMods
		a, b func(lane int) int // the lane that is read instead
	}{
		{"v_mfma_f32_4x4x4f16", MatrixMods{CBSZ: 4, ABID: 9}, func(l int) int { return 36 + l%4 }, nil},
		{"v_mfma_f32_4x4x4f16", MatrixMods{CBSZ: 2, ABID: 1}, func(l int) int { return l/16*16 + 4 + l%4 }, nil},
		{"v_mfma_f32_16x16x1f32", MatrixMods{CBSZ: 1, ABID: 1}, func(l int) int { return l/32*32 + 16 + l%16 }, nil},
		{"v_mfma_f32_16x16x1f32", MatrixMods{CBSZ: 2, ABID: 3}, func(l int) int { return 48 + l%16 }, nil},
		{"v_mfma_f32_32x32x1f32", MatrixMods{CBSZ: 1}, func(l int) int { return l % 32 }, nil},
		{"v_mfma_i32_32x32x4i8", MatrixMods{CBSZ: 1, ABID: 1}, func(l int) int { return 32 + l%32 }, nil},
		{"v_mfma_f32_32x32x1f32", MatrixMods{BLGP: 1}, nil, func(l int) int { return l % 32 }},
		{"v_mfma_f32_32x32x2f32", MatrixMods{BLGP: 2}, nil, func(l int) int { return 32 + l%32 }},
		{"v_mfma_f32_16x16x4f32", MatrixMods{BLGP: 3}, nil, func(l int) int { return (l + 16) % 64 }},
		{"v_mfma_f32_4x4x1f32", MatrixMods{BLGP: 4}, nil, func(l int) int { return l % 16 }},
		{"v_mfma_f32_16x16x16f16", MatrixMods{BLGP: 5}, nil, func(l int) int { return 16 + l%16 }},
		{"v_mfma_f32_32x32x8f16", MatrixMods{BLGP: 6}, nil, func(l int) int { return 32 + l%16 }},
		{"v_mfma_i32_16x16x16i8", MatrixMods{BLGP: 7}, nil, func(l int) int { return 48 + l%16 }},
		{"v_mfma_f32_16x16x1f32", MatrixMods{CBSZ: 2, ABID: 1, BLGP: 3}, func(l int) int { return 16 + l%16 }, func(l int) int { return (l + 16) % 64 }},
		{"v_mfma_f64_16x16x4f64", MatrixMods{CBSZ: 1, ABID: 1, BLGP: 7}, nil, nil}, // no meaning on gfx90a
	} {
		m := matNamed(t, c.name)
		r, _ := m.Regs(isa.GFX90A, 64)
		in := matRandom(rnd, isa.GFX90A, m, r, 64)
		moved := func(v []uint32, from func(int) int) []uint32 {
			if from == nil {
				return v
			}
			w := make([]uint32, len(v))
			for i := range w {
				w[i] = v[i/64*64+from(i%64)]
			}
			return w
		}
		s, ctx := new(MatrixScratch), &Ctx{Set: isa.GFX90A, Mode: 0xf0}
		got, want := make([]uint32, r.Dst*64), make([]uint32, r.Dst*64)
		m.Run(ctx, s, 64, got, in.a, in.b, in.acc, nil, c.mods)
		m.Run(ctx, s, 64, want, moved(in.a, c.a), moved(in.b, c.b), in.acc, nil, MatrixMods{})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s %+v differs", c.name, c.mods)
		}
	}
}

// TestMatrixNegF64 checks that the bits of BLGP change the signs of A, B and C
// on gfx942.
func TestMatrixNegF64(t *testing.T) {
	m := matNamed(t, "v_mfma_f64_4x4x4_4b_f64")
	r, _ := m.Regs(isa.GFX942, 64)
	fill := func(x float64) []uint32 {
		v := make([]uint32, 128)
		for i := range 64 {
			v[i], v[64+i] = uint32(math.Float64bits(x)), uint32(math.Float64bits(x)>>32)
		}
		return v
	}
	for neg := range uint8(8) {
		s, d := new(MatrixScratch), make([]uint32, 128)
		m.Run(&Ctx{Set: isa.GFX942}, s, 64, d, fill(3), fill(5), s.Constant(m, r, 64, math.Float64bits(7)), nil, MatrixMods{BLGP: neg})
		sign := func(bit uint8) float64 { return 1 - 2*float64(neg>>bit&1) }
		want := 4*sign(0)*3*sign(1)*5 + sign(2)*7
		if got := math.Float64frombits(uint64(d[5]) | uint64(d[64+5])<<32); got != want {
			t.Errorf("neg %03b: %v, expected %v", neg, got, want)
		}
	}
}

func BenchmarkMatrix(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		set   isa.Set
		lanes int
		name  string
	}{
		{isa.GFX908, 64, "v_mfma_f32_32x32x2f32"},
		{isa.GFX908, 64, "v_mfma_f32_32x32x8f16"},
		{isa.GFX90A, 64, "v_mfma_f32_32x32x8bf16_1k"},
		{isa.GFX90A, 64, "v_mfma_f64_16x16x4f64"},
		{isa.GFX942, 64, "v_mfma_f32_32x32x8_f16"},
		{isa.GFX942, 64, "v_mfma_f32_16x16x32_fp8_fp8"},
		{isa.GFX942, 64, "v_mfma_i32_16x16x32_i8"},
		{isa.GFX942, 64, "v_smfmac_f32_16x16x32_f16"},
		{isa.GFX1100, 32, "v_wmma_f32_16x16x16_f16"},
		{isa.GFX1100, 32, "v_wmma_i32_16x16x16_iu8"},
	} {
		b.Run(fmt.Sprintf("%s/%s", c.set, c.name), func(b *testing.B) {
			m := matNamed(b, c.name)
			r, _ := m.Regs(c.set, c.lanes)
			in := matRandom(rnd, c.set, m, r, c.lanes)
			s, ctx := new(MatrixScratch), &Ctx{Set: c.set, Mode: 0xf0}
			dst := make([]uint32, r.Dst*c.lanes)
			b.ReportAllocs()
			for b.Loop() {
				m.Run(ctx, s, c.lanes, dst, in.a, in.b, in.acc, in.index, MatrixMods{})
			}
			b.ReportMetric(float64(m.M*m.N*m.aK()*m.Blocks)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmac/s")
		})
	}
}
