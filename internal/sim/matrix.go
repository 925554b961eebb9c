package sim

import (
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// matrixOp holds the operands of a matrix instruction.
type matrixOp struct {
	m              *sem.Matrix
	mods           sem.MatrixMods
	a, b, c, x     operand
	scaleA, scaleB operand
	scaled         *sem.Matrix // the instruction after v_mfma_ld_scale_b32
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
	if !m.Wave {
		if m = m.WithFormats(uint8(o.in.Field(isa.FieldCbsz)), uint8(o.in.Field(isa.FieldBlgp))); m == nil {
			o.run = runIllegal
			return true
		}
	}
	if _, ok := m.Regs(o.in.Set, int(o.in.Wave)); !ok {
		return false
	}
	in := &o.in
	x := &matrixOp{m: m, scaled: m.WithScales()}
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
		case isa.FieldScaleSrc0:
			x.scaleA = r
		case isa.FieldScaleSrc1:
			x.scaleB = r
		}
	}
	if m.Sparse && x.x.kind == noOperand {
		x.x = x.c
	}
	if m.Sparse {
		x.c = o.dst
	}
	x.mods = sem.MatrixMods{CBSZ: uint8(in.Field(isa.FieldCbsz)), ABID: uint8(in.Field(isa.FieldAbid)), BLGP: uint8(in.Field(isa.FieldBlgp)), Clamp: in.Field(isa.FieldClamp) != 0}
	if m.Scaled {
		x.mods.SelA, x.mods.SelB = scaleBytes(in)
	}
	if m.Wave {
		x.mods.NegLo, x.mods.NegHi, x.mods.OpSel = uint8(in.Field(isa.FieldNeg)), uint8(in.Field(isa.FieldNegHi)), uint8(in.Field(isa.FieldOpSel))
		x.mods.Key = x.mods.OpSel & 3
	}
	o.run = runMatrix
	if x.a.kind != inVGPR || x.b.kind != inVGPR || m.Sparse && x.x.kind != inVGPR { // only C can be a constant
		o.run = runIllegal
	}
	return true
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
	if s := w.scales; s != nil && s.next == w.at && x.scaled != nil {
		multiply, s.next = x.scaled, -1
		mods.ScaleA, mods.ScaleB, mods.SelA, mods.SelB = s.a[:], s.b[:], s.selA, s.selB
	}
	if x.m.Scaled {
		mods.ScaleA, mods.ScaleB = w.scalesOf(&x.scaleA, 0), w.scalesOf(&x.scaleB, 1)
	}
	mods.Clamp = mods.Clamp || !x.m.Wave && w.ctx.Ovfl
	multiply.Run(&w.ctx, w.matrix, w.lanes, view(&o.dst, regs.Dst), view(&x.a, regs.A), view(&x.b, regs.B), view(&x.c, regs.Acc), index, mods)
}

// scalesOf returns the lanes of a scale operand; i is its number.
func (w *wave) scalesOf(s *operand, i int) []uint32 {
	return array(w.lanesOf(s, &w.tmp[i]))[:w.lanes]
}

// scaleBytes returns the bytes of the scale registers that an instruction
// selects: op_sel has their low bits, op_sel_hi the high ones.
func scaleBytes(in *isa.Inst) (a, b uint8) {
	lo, hi := uint8(in.Field(isa.FieldOpSel)), uint8(in.Field(isa.FieldOpSelHi))
	return lo&1 | hi&1<<1, lo>>1&1 | hi&2
}

// loadedScales holds the scales of v_mfma_ld_scale_b32, which apply to the next
// instruction only.
type loadedScales struct {
	next       int32 // index of that instruction
	a, b       [64]uint32
	selA, selB uint8
}

// runLoadScale executes v_mfma_ld_scale_b32.
func runLoadScale(w *wave, o *op) {
	if w.scales == nil {
		w.scales = new(loadedScales)
	}
	s := w.scales
	s.next = o.next
	copy(s.a[:], w.scalesOf(&o.src[0], 0))
	copy(s.b[:], w.scalesOf(&o.src[1], 1))
	s.selA, s.selB = scaleBytes(&o.in)
}
