package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Comparisons that write EXEC. From gfx10 on, v_cmpx removes lanes from EXEC and
// writes no other register. It replaces a comparison whose result is only
// combined with EXEC. gfx10.1 is excluded, where it would wait for earlier
// readers of EXEC.
//
// Source: LLVM, SIOptimizeExecMasking.cpp.

// execForms maps comparisons to the ones that write EXEC.
var execForms = lazy.Value[map[isa.Op]mir.Op]{Make: func() map[isa.Op]mir.Op {
	m := map[isa.Op]mir.Op{}
	for op := mir.VCmpxClassF16; op <= mir.VCmpxUF64; op++ {
		if e, end := isa.EncsNamed(op.String()); e < end {
			m[e.Op().Base()] = op
		}
	}
	return m
}}

// compareWindow is the maximum distance between a comparison and the instruction
// that combines its result with EXEC.
const compareWindow = 12

// fuseCompares replaces comparisons. It uses the liveness that removeDeadScalars
// computed.
func (p *deadScalars) fuseCompares() {
	f := p.f
	if !f.M.Set.Has(isa.SinceGFX1030) {
		return
	}
	for _, b := range f.Layout {
		p.startAtEnd(b)
		for i := f.Last(b); i != 0; i = f.Prev(i) {
			if c := p.comparisonFor(i); c != 0 && fuseCompare(f, c, i) {
				i = c
			}
			p.instr(i)
		}
	}
}

// restriction returns the mask that an instruction combines with EXEC. The
// instruction may save EXEC as well.
func (p *deadScalars) restriction(i mir.Instr) (mask mir.Operand, ok bool) {
	f := p.f
	switch f.Op(i) {
	case mir.SAndB32, mir.SAndB64:
		x, y := *f.Use(i, 0), *f.Use(i, 1)
		if x.Reg() != mir.Exec {
			x, y = y, x
		}
		mask, ok = y, f.Def(i, 0) == mir.Exec && x.Reg() == mir.Exec
	case mir.SAndSaveexecB32, mir.SAndSaveexecB64:
		mask, ok = *f.Use(i, 0), true
	}
	return mask, ok && mask.Kind == mir.KindReg && mask.Reg() < mir.TTMP0
}

// isLive reports whether a register of an operand is live.
func (p *deadScalars) isLive(o mir.Operand) bool {
	for k := range mir.Reg(max(int(o.N), 1)) {
		if p.live.has(o.Reg() + k) {
			return true
		}
	}
	return false
}

// comparisonFor returns the comparison whose only use is to restrict EXEC at an
// instruction, and which can move there, or 0.
func (p *deadScalars) comparisonFor(at mir.Instr) mir.Instr {
	f := p.f
	mask, ok := p.restriction(at)
	if !ok || p.live.has(mir.SCC) {
		return 0
	}
	d := f.Defs(at)[0]
	if !overlap(d, mask) && p.isLive(mask) {
		return 0
	}
	c := f.Prev(at)
	for n := 0; c != 0 && n < compareWindow && !touches(f, c, mask); n++ {
		if !canCross(f, c) {
			return 0
		}
		c = f.Prev(c)
	}
	if c == 0 || !isComparison(f, c) || f.Def(c, 0) != mask.Reg() {
		return 0
	}
	for _, o := range f.Uses(c) {
		if overlap(o, d) { // the copy of EXEC precedes the comparison
			return 0
		}
		for i := f.Next(c); i != at; i = f.Next(i) {
			if slices.ContainsFunc(f.Defs(i), func(x mir.Operand) bool { return overlap(o, x) }) {
				return 0
			}
		}
	}
	return c
}

// canCross reports whether a comparison can move down past an instruction that
// does not write its sources.
func canCross(f *mir.Func, i mir.Instr) bool {
	if f.Op(i).IsPseudo() || f.Info(i).Flags&(mir.Effects|mir.WritesExec|mir.Terminator) != 0 {
		return false
	}
	return len(f.Defs(i)) == 0 || f.Def(i, 0) != mir.Exec
}

// isComparison reports whether an instruction is a comparison with a form that
// writes EXEC.
func isComparison(f *mir.Func, i mir.Instr) bool {
	x := f.Info(i)
	if x.Unit != mir.UnitVALU || len(x.Encs) == 0 || len(f.Defs(i)) != 1 || f.Ext(i) != 0 || f.Flags(i)&mir.WholeWave != 0 {
		return false
	}
	op := execForms.Get()[x.Encs[0].Op()]
	return op != mir.OpNone && f.M.Has(op)
}

// overlap reports whether two operands share a register.
func overlap(x, y mir.Operand) bool {
	r, q := x.Reg(), y.Reg()
	return r != mir.NoReg && q != mir.NoReg && r < q+mir.Reg(max(int(y.N), 1)) && q < r+mir.Reg(max(int(x.N), 1))
}

// fuseCompare replaces a comparison and the instruction that combines its result
// with EXEC, if that saves an instruction or shortens the comparison.
func fuseCompare(f *mir.Func, c, at mir.Instr) bool {
	d, old := f.Defs(at)[0], f.Op(c)
	result, uses := f.Defs(c)[0], slices.Clone(f.Uses(c))
	before, err := f.Encode(c)
	if err != nil {
		return false
	}
	f.SetOp(c, execForms.Get()[f.Info(c).Encs[0].Op()])
	f.SetOperands(c, 0, uses...)
	if after, err := f.Encode(c); err != nil || d.Reg() != mir.Exec && after.Size >= before.Size {
		f.SetOp(c, old)
		f.SetOperands(c, 1, append([]mir.Operand{result}, uses...)...)
		return false
	}
	f.Unlink(c)
	f.InsertAfter(c, at)
	if d.Reg() == mir.Exec {
		f.Erase(at)
		return true
	}
	move := mir.SMovB64
	if f.M.Wave == 32 {
		move = mir.SMovB32
	}
	f.SetOp(at, move)
	f.SetOperands(at, 1, d, mir.Phys(mir.Exec, f.M.MaskDwords()))
	return true
}
