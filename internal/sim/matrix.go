package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// matrixOp holds the operands of a matrix instruction.
type matrixOp struct {
	m          *sem.Matrix
	mods       sem.MatrixMods
	a, b, c, x operand
	scales     *scaleOp
	after32    *sem.Matrix // the instruction after one that loads scales for blocks of 32 places in K
	after16    *sem.Matrix // the same for 16 places
}

// prepareMAI prepares v_mfma, v_smfmac and the moves to and from AGPRs.
func prepareMAI(d *Device, o *op) bool {
	if f := vectorSpecials.From(makeVectorSpecials)[o.in.Enc.Name()]; f != nil {
		o.class = classVALU
		return f(d, o)
	}
	m := sem.MatrixOf(o.in.Enc.Op())
	return m != nil && prepareMatrix(o, m)
}

func prepareMatrix(o *op, m *sem.Matrix) bool {
	o.class = classMatrix
	in := &o.in
	if m = m.WithFormats(matrixFormats(in, m)); m == nil {
		o.run = runIllegal
		return true
	}
	if _, ok := m.Regs(in.Set, int(in.Wave)); !ok {
		return false
	}
	x := &matrixOp{m: m, after32: m.WithScales(32)}
	if m.Wave {
		x.after16 = m.WithScales(16)
	}
	o.matrix = x
	ops := in.Enc.Operands()
	for i := range ops {
		p := &ops[i]
		if p.Class.Info().Files == 0 {
			continue
		}
		r, ok := o.read(p, sem.None)
		if !ok {
			return false
		}
		switch p.Field {
		case isa.FieldVdst:
			o.dst = r
		case isa.FieldSrc0:
			x.a = r
		case isa.FieldSrc1:
			x.b = r
		case isa.FieldSrc2:
			x.c = r
		case isa.FieldIdx:
			x.x = r
		}
	}
	if m.Sparse && x.x.kind == noOperand {
		x.x = x.c
	}
	if m.Sparse {
		x.c = o.dst
	}
	x.mods = matrixMods(in, m)
	o.run = runMatrix
	if m.Scaled {
		x.scales = o.prepareScales(m.ScaleBlock, m.Wave)
	}
	if x.a.kind != inVGPR || x.b.kind != inVGPR || m.Sparse && x.x.kind != inVGPR || // only C can be a constant
		m.Scaled && (x.scales == nil || m.Wave && !m.ValidScales(x.scales.mods.ScaleFmtA, x.scales.mods.ScaleFmtB)) {
		o.run = runIllegal
	}
	return true
}

// matrixFormats returns the values that select the types of A and B.
func matrixFormats(in *isa.Inst, m *sem.Matrix) (a, b uint8) {
	if m.Wave {
		return uint8(in.Matrix(isa.FieldMatrixAFmt)), uint8(in.Matrix(isa.FieldMatrixBFmt))
	}
	return uint8(in.Field(isa.FieldCbsz)), uint8(in.Field(isa.FieldBlgp))
}

// matrixMods returns the modifiers that do not belong to scales.
func matrixMods(in *isa.Inst, m *sem.Matrix) sem.MatrixMods {
	field := func(f isa.Field) uint8 { return uint8(in.Field(f)) }
	switch {
	case !m.Wave:
		return sem.MatrixMods{CBSZ: field(isa.FieldCbsz), ABID: field(isa.FieldAbid), BLGP: field(isa.FieldBlgp), Clamp: in.Field(isa.FieldClamp) != 0}
	case in.Enc.Form() == isa.VOP3PX: // signs of C only
		return sem.MatrixMods{NegLo: field(isa.FieldNeg2) << 2, NegHi: field(isa.FieldNegHi2) << 2}
	}
	sel := field(isa.FieldOpSel)
	return sem.MatrixMods{NegLo: field(isa.FieldNeg), NegHi: field(isa.FieldNegHi), OpSel: sel, Key: sel & 3, Clamp: in.Field(isa.FieldClamp) != 0}
}

func runMatrix(w *wave, o *op) {
	x := o.matrix
	if w.matrix == nil {
		w.matrix = new(sem.MatrixScratch)
	}
	regs, _ := x.m.Regs(w.dev.set, w.lanes)
	view := func(s *operand, n int) []uint32 {
		if s.kind == inVGPR {
			return w.v[s.off : int(s.off)+n*w.lanes]
		}
		return w.matrix.Constant(x.m, regs, w.lanes, w.scalar(s))
	}
	var index []uint32
	if x.m.Sparse {
		index = view(&x.x, regs.Index)
	}
	mods := x.mods
	multiply := x.m
	if x.scales != nil {
		w.readScales(x.scales, &mods)
	} else if m := w.useScales(x, &mods); m != nil {
		multiply = m
		if m.Wave && !m.ValidScales(mods.ScaleFmtA, mods.ScaleFmtB) {
			runIllegal(w, o)
			return
		}
	}
	mods.Clamp = mods.Clamp || !x.m.Wave && w.ctx.Ovfl
	multiply.Run(&w.ctx, w.matrix, w.lanes, view(&o.dst, regs.Dst), view(&x.a, regs.A), view(&x.b, regs.B), view(&x.c, regs.Acc), index, mods)
}
