package sem

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Matrix describes a matrix instruction: D = A·B + C, in Blocks independent
// blocks. A is M×K, B is K×N, C and D are M×N. The elements are spread over the
// lanes of the wave. These instructions ignore EXEC: all lanes take part.
//
// Sources: AMD's instruction set documents for CDNA 1 to 4 (chapter "Matrix
// fused-multiply-add") and RDNA 3 and 4 (section "Wave Matrix Multiply
// Accumulate"); for the layouts, AMD's matrix instruction calculator, for gfx12
// and gfx12.5 AMD's numerical sanitizer with its tests, which ran on gfx1201 and
// gfx1250, and for the scales of gfx12.5 AMD's emulator of that processor.
type Matrix struct {
	Name    string
	M, N, K int
	Blocks  int
	A, B    MatrixType
	C, D    MatrixType // the same, except that a bf16 D may have a C of f32
	Sparse  bool       // A is 4:2 sparse: it has half of the elements, with an index of their places in K
	Wave    bool       // v_wmma and v_swmmac: RDNA's layouts; otherwise CDNA's
	Pairs   bool       // the bf16 instructions of gfx908, which add two products where the f16 ones add four
	Scaled  bool       // blocks of ScaleBlock places in K of A and B have scales

	ScaleBlock int // 32 or 16

	mixed   bool                                  // types of 4 to 8 bits; usually, modifiers select them
	late    bool                                  // only gfx12.5 has the instruction
	formats *[matrixFormats][matrixFormats]Matrix // the instruction for each value of the modifiers
}

// MatrixType is the type of a matrix's elements.
type MatrixType uint8

const (
	MatrixNone MatrixType = iota
	MatrixF16
	MatrixBF16
	MatrixF32
	MatrixXF32 // f32 of which the multiplier reads the upper 10 bits of the mantissa
	MatrixF64
	MatrixFP8    // E4M3: on gfx942 FNUZ with bias 8, no infinities and no negative zero, later OCP's with bias 7
	MatrixBF8    // E5M2: on gfx942 FNUZ with bias 16, later OCP's with bias 15 and infinities
	MatrixFP6    // E2M3, finite
	MatrixBF6    // E3M2, finite
	MatrixFP4    // E2M1, finite
	MatrixF8F6F4 // a type from FP8 to FP4, as the instruction's modifiers select
	MatrixI8
	MatrixIU8 // signed or not, depending on neg_lo
	MatrixIU4
	MatrixI32
)

// matrixTypes lists the type names in instruction names and the sizes in bits.
var matrixTypes = [...]struct {
	name string
	bits int
}{
	MatrixNone:   {"", 0},
	MatrixF16:    {"f16", 16},
	MatrixBF16:   {"bf16", 16},
	MatrixF32:    {"f32", 32},
	MatrixXF32:   {"xf32", 32},
	MatrixF64:    {"f64", 64},
	MatrixFP8:    {"fp8", 8},
	MatrixBF8:    {"bf8", 8},
	MatrixFP6:    {"fp6", 6},
	MatrixBF6:    {"bf6", 6},
	MatrixFP4:    {"fp4", 4},
	MatrixF8F6F4: {"f8f6f4", 8},
	MatrixI8:     {"i8", 8},
	MatrixIU8:    {"iu8", 8},
	MatrixIU4:    {"iu4", 4},
	MatrixI32:    {"i32", 32},
}

// Bits returns the size of an element in bits.
func (t MatrixType) Bits() int { return matrixTypes[t].bits }

// String returns the type's name in instruction names, such as "bf16".
func (t MatrixType) String() string { return matrixTypes[t].name }

// MatrixMods holds the modifiers of a matrix instruction as encoded.
type MatrixMods struct {
	// CBSZ, ABID and BLGP select, for v_mfma, the blocks and lanes from which A
	// and B are read. If CBSZ is c, each group of 1<<c blocks reads A from
	// block ABID of the group. For v_mfma_f64, BLGP holds the signs: bits 0 to
	// 2 negate A, B and C on gfx942, and it has no meaning on gfx90a. For
	// v_smfmac, ABID selects the part of the index register if CBSZ is 0.
	CBSZ, ABID, BLGP uint8

	// NegLo and NegHi apply to v_wmma: bits 0 and 1 negate the even and odd
	// elements of A and B, bit 2 of NegLo negates C, bit 2 of NegHi takes its
	// absolute value first. For iu8 and iu4, bits 0 and 1 of NegLo mark A and B
	// as signed, for f32 they negate all elements.
	NegLo, NegHi uint8

	// Key selects the part of the index register of v_swmmac.
	Key uint8

	// OpSel bit 2 puts 16-bit elements of C and D into the upper halves of
	// their registers (v_wmma on gfx11); the other halves are not changed.
	OpSel uint8

	// Clamp saturates integer results of v_wmma (the clamp bit). For v_mfma and
	// v_smfmac on gfx942 it is MODE.FP16_OVFL: integers saturate, and float
	// overflow yields the largest finite number.
	Clamp bool

	// ScaleA and ScaleB are the registers with the scales of a scaled
	// instruction. For v_mfma, they hold E8M0 exponents in byte SelA and SelB of
	// each lane, the scale of block k of row i in lane i + M*k. For v_wmma, byte
	// k of lane i has the scale of block k of row i, and ScaleFmtA and ScaleFmtB
	// select the format. If there are 16 rows, SelA and SelB 1 add 16 to the lane.
	ScaleA, ScaleB       []uint32
	SelA, SelB           uint8
	ScaleFmtA, ScaleFmtB uint8
}

// MatrixRegs holds the size of each operand in registers (dwords per lane).
type MatrixRegs struct {
	Dst, A, B, Acc, Index int

	packed bool // C's registers hold two elements each
}

// MatrixScratch is the working memory of Run. Each goroutine needs its own.
type MatrixScratch struct {
	raw    [matrixA]uint64  // undecoded elements
	a      [matrixA]float64 // elements of A by block and row
	b      [matrixB]float64 // elements of B by block and column
	ea     [matrixA]int32   // their exponents, or integers
	eb     [matrixB]int32
	pick   [matrixB]uint16  // places in K of the elements of a sparse A
	pb     [matrixK]float64 // the elements of B that correspond to a row of a sparse A
	peb    [matrixK]int32
	out    [matrixOut]uint32
	filled [matrixOut]uint32
	job    matJob
}

// Maximum sizes over all instructions.
const (
	matrixA   = 4096 // elements
	matrixB   = 2048
	matrixK   = 128
	matrixOut = 32 * 64 // dwords of D
)

// Constant returns a C or D operand all of whose elements are v. The result is
// part of the scratch and valid until the next call of Constant.
func (s *MatrixScratch) Constant(m *Matrix, r MatrixRegs, lanes int, v uint64) []uint32 {
	c := s.filled[:r.Acc*lanes]
	for i := range c {
		c[i] = uint32(v)
		if m.C == MatrixF64 && i/lanes&1 != 0 {
			c[i] = uint32(v >> 32)
		}
		if r.packed {
			c[i] |= uint32(v) << 16
		}
	}
	return c
}

// MatrixOf returns the matrix operation of an instruction, or nil if it is not
// a matrix instruction.
func MatrixOf(op isa.Op) *Matrix {
	if !isMatrixName(op.Name()) {
		return nil
	}
	if m := matrixIndex.Get()[op]; m != nil {
		return m
	}
	return lateIndex.Get()[op]
}

// matrixSets is the set of instruction sets whose matrix instructions are
// supported.
const matrixSets isa.SetMask = 1<<isa.GFX908 | 1<<isa.GFX90A | 1<<isa.GFX942 | 1<<isa.GFX950 | 1<<isa.GFX9_4Generic | 1<<isa.GFX1100 | 1<<isa.GFX1150 | denseSets

// denseSets is the set of instruction sets whose v_wmma has no copies of A and
// B in the lanes, and no unused halves of registers.
const denseSets isa.SetMask = 1<<isa.GFX1200 | isa.SinceGFX1250

// waveSets is the set of instruction sets with v_wmma.
const waveSets = 1<<isa.GFX1100 | 1<<isa.GFX1150 | denseSets

// matrixIndex and lateIndex hold the instructions that exist before gfx12.5 and
// the others. Most programs need only one of them.
var (
	matrixIndex = lazy.Value[map[isa.Op]*Matrix]{Make: func() map[isa.Op]*Matrix { return indexMatrices(false) }}
	lateIndex   = lazy.Value[map[isa.Op]*Matrix]{Make: func() map[isa.Op]*Matrix { return indexMatrices(true) }}
)

func indexMatrices(late bool) map[isa.Op]*Matrix {
	ops := map[isa.Op]*Matrix{}
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Sets()&matrixSets == 0 || late != (e.Sets()&^isa.SinceGFX1250 == 0) || !isMatrixName(e.Name()) || ops[e.Op()] != nil {
			continue
		}
		if m := parseMatrix(e.Name()); m != nil {
			m.late = late
			m.addFormats()
			ops[e.Op()] = m
		}
	}
	return ops
}

// WithFormats returns the instruction with the types of A and B that CBSZ and
// BLGP or matrix_a_fmt and matrix_b_fmt select, which is m if they select none.
// It returns nil for reserved values.
func (m *Matrix) WithFormats(a, b uint8) *Matrix {
	switch {
	case m.formats == nil:
		return m
	case a >= matrixFormats || b >= matrixFormats:
		return nil
	}
	return &m.formats[a][b]
}

// WithScales returns the instruction that m becomes after an instruction that
// loads scales for blocks of the given number of places in K. It returns nil if
// m takes none.
func (m *Matrix) WithScales(block int) *Matrix {
	if !m.mixed || m.Scaled {
		return nil
	}
	scaled := *m
	scaled.Scaled, scaled.ScaleBlock = true, block
	return &scaled
}

// matrixFormats is the number of types that modifiers select, which begin with
// MatrixFP8. Source: CDNA 4 ISA, "V_MFMA_F32_16X16X128_F8F6F4".
const matrixFormats = 5

// addFormats adds the instructions of all pairs of types.
func (m *Matrix) addFormats() {
	if m.A != MatrixF8F6F4 {
		return
	}
	var all [matrixFormats][matrixFormats]Matrix
	for a := range all {
		for b := range all[a] {
			all[a][b] = *m
			all[a][b].A, all[a][b].B = MatrixFP8+MatrixType(a), MatrixFP8+MatrixType(b)
		}
	}
	m.formats = &all
}

// Regs returns the sizes of the operands on a set, for a wave of the given
// number of lanes. ok is false if the instruction's layouts are not known
// there.
func (m *Matrix) Regs(set isa.Set, lanes int) (r MatrixRegs, ok bool) {
	if !matrixSets.Has(set) || m.Wave != waveSets.Has(set) || m.late && !isa.SinceGFX1250.Has(set) || !m.hasWave(set, lanes) {
		return r, false
	}
	if denseSets.Has(set) {
		return m.denseRegs(lanes), true
	}
	if m.Wave {
		r = MatrixRegs{
			A:   m.K * m.A.Bits() / 32,
			B:   m.K * m.B.Bits() / 32,
			Dst: m.M * m.N / lanes, // 16-bit elements also occupy a dword
		}
		r.Acc = r.Dst
		return r, true
	}
	r = MatrixRegs{
		A:   m.M * m.aK() * m.Blocks * m.A.Bits() / (32 * 64),
		B:   m.N * m.K * m.Blocks * m.B.Bits() / (32 * 64),
		Dst: m.M * m.N * m.Blocks * m.D.Bits() / (32 * 64),
	}
	r.Acc = r.Dst
	if m.Sparse {
		r.Index = 1
	}
	return r, true
}

// hasWave reports whether the instruction exists in waves of the given number
// of lanes.
func (m *Matrix) hasWave(set isa.Set, lanes int) bool {
	return lanes == 64 && set.Has(isa.PropWave64) || lanes == 32 && m.Wave
}

// denseRegs returns the sizes of the operands on denseSets. The elements of the
// 4-bit instructions do not fill the registers of a wave64.
func (m *Matrix) denseRegs(lanes int) (r MatrixRegs) {
	r.A = max(m.M*m.aK()*m.A.Bits()/(32*lanes), 1)
	r.B = max(m.N*m.K*m.B.Bits()/(32*lanes), 1)
	r.Dst = m.M * m.N * m.D.Bits() / (32 * lanes)
	r.Acc, r.packed = m.M*m.N*m.C.Bits()/(32*lanes), m.C.Bits() == 16
	if m.Sparse {
		r.Index = max(m.aK()/32, 1)
	}
	return r
}

// aK returns the number of elements that are stored in a row of A.
func (m *Matrix) aK() int {
	if m.Sparse {
		return m.K / 2
	}
	return m.K
}

// Run computes the instruction for a wave of the given number of lanes. c.Set
// is the processor, and c.Mode the mode register; Regs must support the
// combination. Register r of lane l of an operand is at r*lanes+l. The slices
// must have at least the lengths that Regs returns for c.Set. acc is C: the
// destination's old value for v_smfmac, or s.Constant. index is v_smfmac's
// third operand. dst may be the same as any of the others, or overlap them.
func (m *Matrix) Run(c *Ctx, s *MatrixScratch, lanes int, dst, a, b, acc, index []uint32, mods MatrixMods) {
	r, ok := m.Regs(c.Set, lanes)
	if !ok {
		panic(fmt.Sprintf("BUG: %s on %s with %d lanes", m.Name, c.Set, lanes))
	}
	l := m.layout(c.Set, lanes)
	s.gather(m, l.a(mods), a, lanes)
	s.convertA(c, m, mods)
	s.gather(m, l.b(mods), b, lanes)
	s.convertB(c, m, mods)
	if m.Scaled {
		m.scale(s.a[:m.M*m.K], m.M, lanes, mods.ScaleA, mods.SelA, mods.ScaleFmtA)
		m.scale(s.b[:m.N*m.K], m.N, lanes, mods.ScaleB, mods.SelB, mods.ScaleFmtB)
	}
	if m.Sparse {
		s.places(&l, index, mods)
	}
	n := r.Dst * lanes
	if m.D.Bits() == 16 {
		copy(s.out[:n], dst)
	}
	s.job = newMatJob(c, m, mods)
	if m.D == MatrixF64 {
		s.multiply64(m, l, acc)
	} else {
		s.multiply(m, l, acc)
	}
	copy(dst[:n], s.out[:n])
}
