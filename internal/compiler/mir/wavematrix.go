package mir

import (
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// Modifiers of matrix instructions of gfx12.5: formats, scales and reuse of A
// and B.

// waveMods lists the modifiers: of instructions with scales, which share no bits
// with the negation of C, and of the other instructions, where opSel is bit 0 of
// a modifier in the place of op_sel or op_sel_hi.
var waveMods = [...]struct {
	field isa.Field
	shift uint8
	mask  uint32
	opSel Mods
}{
	{isa.FieldMatrixAFmt, 6, 7, OpSel0},
	{isa.FieldMatrixBFmt, 10, 7, OpSelHi0},
	{isa.FieldMatrixAScale, 16, 3, 0},
	{isa.FieldMatrixBScale, 18, 3, 0},
	{isa.FieldMatrixAScaleFmt, 20, 3, 0},
	{isa.FieldMatrixBScaleFmt, 22, 3, 0},
	{isa.FieldMatrixAReuse, 24, 1, OpSel0 << 2},
	{isa.FieldMatrixBReuse, 25, 1, OpSelHi0 << 2},
}

// WaveMatrix returns the bits of a modifier with value v.
func (x *OpInfo) WaveMatrix(f isa.Field, v uint32) Mods {
	for i := range waveMods {
		m := &waveMods[i]
		switch {
		case m.field != f:
		case x.Form != isa.VOP3PX:
			return m.opSel * Mods(v&m.mask)
		default:
			return Mods(v&m.mask) << m.shift
		}
	}
	return 0
}

// WaveMatrixOf returns the format of matrix A or B.
func (x *OpInfo) WaveMatrixOf(f isa.Field, m Mods) uint32 {
	if f == isa.FieldMatrixAFmt {
		return uint32(m / OpSel0 & 7)
	}
	return uint32(m / OpSelHi0 & 7)
}

// OpSelHi returns the value of op_sel_hi of a packed instruction without such a
// modifier.
func (x *OpInfo) OpSelHi() Mods {
	switch {
	case x.has(isa.FieldMatrixBFmt):
		return 0
	case x.has(isa.FieldMatrixBReuse):
		return 3 * OpSelHi0
	}
	return OpSelHiAll
}

// has reports whether an instruction has an operand or a modifier.
func (x *OpInfo) has(f isa.Field) bool {
	return slices.ContainsFunc(x.Encs[0].Operands(), func(o isa.OperandInfo) bool { return o.Field == f })
}

// waveMatrix encodes the modifiers of a matrix instruction with scales.
func (e *encoder) waveMatrix() {
	const source2 = 256 // the fixed source 2 of the word with the scales
	m := e.mods
	e.in.SetField(isa.FieldRes, source2)
	e.in.SetField(isa.FieldNeg2, uint32(m/Neg0>>2&1))
	e.in.SetField(isa.FieldNegHi2, uint32(m/Abs0>>2&1))
	for i := range waveMods {
		x := &waveMods[i]
		v := uint32(m>>x.shift) & x.mask
		if x.field == isa.FieldMatrixBFmt && !e.x.has(x.field) { // matrices of one format
			v = x.mask
		}
		e.in.SetMatrix(x.field, v)
	}
}
