package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// scaleOp holds the scales of a matrix instruction or of an instruction that
// loads them.
type scaleOp struct {
	a, b  operand
	block int            // number of places in K that share a scale
	wave  bool           // of v_wmma: byte k of a lane is for block k
	mods  sem.MatrixMods // the selections and formats
}

// prepareScales binds the scales of an instruction. It returns nil if they are
// invalid.
func (o *op) prepareScales(block int, wave bool) *scaleOp {
	in := &o.in
	x := &scaleOp{block: block, wave: wave}
	if !o.bindScales(x) {
		return nil
	}
	m := &x.mods
	if !wave {
		m.SelA, m.SelB = scaleBytes(in)
		return x
	}
	m.SelA, m.SelB = uint8(in.Matrix(isa.FieldMatrixAScale)), uint8(in.Matrix(isa.FieldMatrixBScale))
	m.ScaleFmtA, m.ScaleFmtB = uint8(in.Matrix(isa.FieldMatrixAScaleFmt)), uint8(in.Matrix(isa.FieldMatrixBScaleFmt))
	if m.SelA > 1 || m.SelB > 1 || m.ScaleFmtA > sem.ScaleE4M3 || m.ScaleFmtB > sem.ScaleE4M3 {
		return nil
	}
	return x
}

// bindScales binds the operands of scales: they are the sources of an
// instruction that only loads them.
func (o *op) bindScales(x *scaleOp) bool {
	own := o.in.Enc.Form() == isa.VOP3PX
	ops := o.in.Enc.Operands()
	for i := range ops {
		p := &ops[i]
		first := p.Field == isa.FieldScaleSrc0 || !own && p.Field == isa.FieldSrc0
		if !first && p.Field != isa.FieldScaleSrc1 && (own || p.Field != isa.FieldSrc1) {
			continue
		}
		r, ok := o.read(p, sem.None)
		if !ok || x.wave && !waveScale(o.in.Operand(p)) {
			return false
		}
		if first {
			x.a = r
		} else {
			x.b = r
		}
	}
	return true
}

// waveScale reports whether v_wmma takes an operand as scales: a VGPR, an SGPR
// or the constant 0. Source: the decoder of AMD's emulator of gfx1250.
func waveScale(v isa.Value) bool {
	switch v.Kind {
	case isa.VGPRValue:
		return true
	case isa.ScalarReg:
		return v.Num < 106
	case isa.InlineInt:
		return isa.InlineIntValue(v.Num) == 0
	}
	return false
}

// readScales reads the scales.
func (w *wave) readScales(x *scaleOp, mods *sem.MatrixMods) {
	mods.SelA, mods.SelB, mods.ScaleFmtA, mods.ScaleFmtB = x.mods.SelA, x.mods.SelB, x.mods.ScaleFmtA, x.mods.ScaleFmtB
	mods.ScaleA = w.scalesOf(x, &x.a, 0, x.mods.ScaleFmtA)
	mods.ScaleB = w.scalesOf(x, &x.b, 1, x.mods.ScaleFmtB)
}

// scaleOne lists the formats' encodings of 1.
var scaleOne = [...]uint32{sem.ScaleE8M0: 0x7f, sem.ScaleE5M3: 0x78, sem.ScaleE4M3: 0x38}

// scalesOf returns the lanes of a scale operand; i is its number. For v_wmma,
// the low byte of an SGPR is the scale of all blocks, and the constant 0
// represents a scale of 1. Source: the tests of AMD's emulator of gfx1250.
func (w *wave) scalesOf(x *scaleOp, s *operand, i int, format uint8) []uint32 {
	if !x.wave {
		return array(w.lanesOf(s, &w.tmp[i]))[:w.lanes]
	}
	n := 32 / x.block * w.lanes
	if s.kind == inVGPR {
		return w.v[s.off : int(s.off)+n]
	}
	one := scaleOne[format]
	if s.kind == inScalar {
		one = w.s[s.off] & 0xff
	}
	lanes := w.tmp[i][:n]
	for l := range lanes {
		lanes[l] = one * 0x01010101
	}
	return lanes
}

// scaleBytes returns the bytes of the scale registers that an instruction of
// gfx950 selects: op_sel has their low bits, op_sel_hi the high ones.
func scaleBytes(in *isa.Inst) (a, b uint8) {
	lo, hi := uint8(in.Field(isa.FieldOpSel)), uint8(in.Field(isa.FieldOpSelHi))
	return lo&1 | hi&1<<1, lo>>1&1 | hi&2
}

// loadedScales holds the scales of an instruction that loads them for the next
// instruction only.
type loadedScales struct {
	next  int32 // index of that instruction
	block int
	mods  sem.MatrixMods
	a, b  [64]uint32
}

// loadsScales returns a preparer of an instruction that loads scales.
func loadsScales(block int, wave bool) preparer {
	return func(_ *Device, o *op) bool {
		if x := o.prepareScales(block, wave); x != nil {
			o.matrix, o.run = &matrixOp{scales: x}, runLoadScale
		} else {
			o.run = runIllegal
		}
		return true
	}
}

func runLoadScale(w *wave, o *op) {
	if w.scales == nil {
		w.scales = new(loadedScales)
	}
	s := w.scales
	s.next, s.block = o.next, o.matrix.scales.block
	w.readScales(o.matrix.scales, &s.mods)
	copy(s.a[:], s.mods.ScaleA)
	copy(s.b[:], s.mods.ScaleB)
	s.mods.ScaleA, s.mods.ScaleB = s.a[:], s.b[:]
}

// useScales returns the instruction with the scales that the previous one
// loaded, and sets their modifiers. It returns nil if there are none.
func (w *wave) useScales(x *matrixOp, mods *sem.MatrixMods) *sem.Matrix {
	s := w.scales
	if s == nil || s.next != w.at || x.after32 == nil {
		return nil
	}
	s.next = -1
	mods.ScaleA, mods.ScaleB, mods.SelA, mods.SelB = s.mods.ScaleA, s.mods.ScaleB, s.mods.SelA, s.mods.SelB
	mods.ScaleFmtA, mods.ScaleFmtB = s.mods.ScaleFmtA, s.mods.ScaleFmtB
	if s.block == 16 {
		return x.after16
	}
	return x.after32
}
