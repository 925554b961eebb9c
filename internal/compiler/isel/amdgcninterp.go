package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Interpolation of parameters, and exports.

// quadOps maps the intrinsics whose parameters are in the lanes of a quad to
// their operations.
var quadOps = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrAMDGCNInterpInregP10:    mir.VInterpP10F32,
		ir.IntrAMDGCNInterpInregP2:     mir.VInterpP2F32,
		ir.IntrAMDGCNInterpInregP10F16: mir.VInterpP10F16F32,
		ir.IntrAMDGCNInterpInregP2F16:  mir.VInterpP2F16F32,
		ir.IntrAMDGCNInterpP10RtzF16:   mir.VInterpP10RtzF16F32,
		ir.IntrAMDGCNInterpP2RtzF16:    mir.VInterpP2RtzF16F32,
	}
}}

// interpQuad selects an interpolation whose parameters are in the lanes of a
// quad. The last argument of those with f16 parameters selects their half.
func (s *Selector) interpQuad(v ir.Value, r *intrinsicRow) {
	op := quadOps.Get()[r.id]
	i := s.putInstr(op, 1, mir.R(s.regOf(v)), s.vgpr(s.arg(v, 0)), s.vgpr(s.arg(v, 1)), s.vgpr(s.arg(v, 2)), mir.Imm(noWaitExport))
	if len(s.f.Args(v)) < 4 || s.flagArg(v, 3) == 0 {
		return
	}
	mods := mir.OpSel0
	if op == mir.VInterpP10F16F32 || op == mir.VInterpP10RtzF16F32 {
		mods |= mir.OpSel0 << 2
	}
	s.out.SetMods(i, mods)
}

// interpMov selects interp.mov.
func (s *Selector) interpMov(v ir.Value, r *intrinsicRow) {
	s.putInstr(mir.VInterpMovF32, 1, mir.R(s.regOf(v)), mir.Imm(s.constArg(v, 0)), mir.Imm(s.constArg(v, 2)), mir.Imm(s.constArg(v, 1)), s.paramsAt(v, 3))
}

// interpP1 selects interp.p1. On LDS with 16 banks, the instruction writes its
// result before it has read all sources.
func (s *Selector) interpP1(v ir.Value, r *intrinsicRow) {
	dst := mir.R(s.regOf(v))
	dst.Flags |= mir.Early
	s.putInstr(mir.VInterpP1F32, 1, dst, s.vgpr(s.arg(v, 0)), mir.Imm(s.constArg(v, 2)), mir.Imm(s.constArg(v, 1)), s.paramsAt(v, 3))
}

// interpP2 selects interp.p2, which adds to its first argument.
func (s *Selector) interpP2(v ir.Value, r *intrinsicRow) {
	sum, j := s.tiedSource(s.use(s.arg(v, 0)), s.arg(v, 0)), s.vgpr(s.arg(v, 1))
	s.putInstr(mir.VInterpP2F32, 1, mir.R(s.regOf(v)), j, mir.Imm(s.constArg(v, 3)), mir.Imm(s.constArg(v, 2)), sum, s.paramsAt(v, 4))
}

// paramsAt moves the argument that locates the parameters to M0.
func (s *Selector) paramsAt(v ir.Value, n int) mir.Operand { return s.inM0(s.scalar(s.arg(v, n))) }

// MODE's field for the rounding of f16 and f64, as an operand of s_setreg, and
// its value for rounding toward zero.
const (
	modeRoundSmall  = 1 | 2<<6 | 1<<11
	modeRoundAll    = 1 | 3<<11 // with the field for f32 below
	roundTowardZero = 3
)

// towardZero emits instructions with f16 and f64 rounded toward zero, as LLVM
// does for f16 interpolations (SIModeRegister.cpp).
func (s *Selector) towardZero(emit func()) { s.withRounding(modeRoundSmall, roundTowardZero, emit) }

// withRounding emits instructions with another rounding mode than to nearest in
// a field of MODE.
func (s *Selector) withRounding(field, round int64, emit func()) {
	for _, mode := range [...]int64{round, 0} {
		s.out.SetFlags(s.putInstr(mir.SSetregImm32B32, 0, mir.Imm(field), mir.Imm(mode)), mir.NoReorder)
		if mode != 0 {
			emit()
		}
	}
}

// interpP1Half selects interp.p1.f16. On LDS with 16 banks, P0 is loaded
// separately.
func (s *Selector) interpP1Half(v ir.Value, r *intrinsicRow) {
	i, high := s.vgpr(s.arg(v, 0)), mir.Imm(s.constArg(v, 3)&1)
	channel, attr := mir.Imm(s.constArg(v, 1)), mir.Imm(s.constArg(v, 2))
	m0 := s.paramsAt(v, 4)
	if !s.env.Target.Has(target.FeatureLDSBanks16) {
		s.towardZero(func() {
			s.out.SetFlags(s.putInstr(mir.VInterpP1llF16, 1, mir.R(s.regOf(v)), i, attr, channel, high, m0), mir.NoReorder)
		})
		return
	}
	const slotP0 = 2
	p0 := mir.R(s.newV(1))
	s.putInstr(mir.VInterpMovF32, 1, p0, mir.Imm(slotP0), attr, channel, m0)
	s.towardZero(func() {
		s.out.SetFlags(s.putInstr(mir.VInterpP1lvF16, 1, mir.R(s.regOf(v)), i, attr, channel, p0, high, m0), mir.NoReorder)
	})
}

// interpP2Half selects interp.p2.f16. gfx9 has the instruction of gfx8 under
// another name.
func (s *Selector) interpP2Half(v ir.Value, r *intrinsicRow) {
	op := mir.VInterpP2F16
	if s.out.M.Has(mir.VInterpP2LegacyF16) {
		op = mir.VInterpP2LegacyF16
	}
	sum, j, high := s.vgpr(s.arg(v, 0)), s.vgpr(s.arg(v, 1)), mir.Imm(s.constArg(v, 4)&1)
	channel, attr := mir.Imm(s.constArg(v, 2)), mir.Imm(s.constArg(v, 3))
	m0 := s.paramsAt(v, 5)
	s.towardZero(func() {
		s.out.SetFlags(s.putInstr(op, 1, mir.R(s.regOf(v)), j, attr, channel, sum, high, m0), mir.NoReorder)
	})
}

// export selects exp.
func (s *Selector) export(v ir.Value, r *intrinsicRow) { s.putExport(v, 4, 0) }

// exportRow selects exp.row.
func (s *Selector) exportRow(v ir.Value, r *intrinsicRow) { s.putExport(v, 4, mir.ExportRow) }

// exportCompressed selects exp.compr.
func (s *Selector) exportCompressed(v ir.Value, r *intrinsicRow) {
	s.putExport(v, 2, mir.ExportCompressed)
}

// putExport emits an export of n sources. The arguments are the target, the
// mask of components, the sources, the flag "done", and the flag "vm" or the
// row.
func (s *Selector) putExport(v ir.Value, n int, flags int64) {
	const first = 2
	en := s.constArg(v, 1)
	uses := []mir.Operand{mir.Imm(s.constArg(v, 0)), mir.None, mir.None, mir.None, mir.None, mir.Imm(en), mir.None, mir.None}
	for k := range n {
		if per := 4 / n; en>>(per*k)&(1<<per-1) != 0 {
			uses[1+k] = s.exportSource(s.arg(v, first+k))
		}
	}
	flags |= int64(s.flagArg(v, first+n)) * mir.ExportDone
	switch {
	case flags&mir.ExportRow != 0:
		uses[7] = s.paramsAt(v, first+n+1)
	case s.set.Has(isa.PropExportVm):
		flags |= int64(s.flagArg(v, first+n+1)) * mir.ExportValidMask
	}
	uses[6] = mir.Imm(flags)
	s.out.SetFlags(s.putInstr(mir.Export, 0, uses...), mir.NoReorder)
}

// exportSource returns an exported value in a vector register.
func (s *Selector) exportSource(x ir.Value) mir.Operand {
	if x.IsConst() && s.isUndef(x) {
		return s.tiedSource(mir.None, x)
	}
	return s.vgpr(x)
}
