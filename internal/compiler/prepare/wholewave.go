package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// gatherWholeWave copies the computation of an operand of
// llvm.amdgcn.strict.wwm, back to llvm.amdgcn.set.inactive, directly before the
// call: selection executes these instructions with all lanes active. An
// instruction that cannot be copied remains in place; selection rejects it if
// it is in vector registers. LLVM's si-wqm instead marks machine instructions
// in all blocks.
func gatherWholeWave(_ *opt.Context, f *ir.Function) bool {
	var roots []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if isWholeWave(f, v) {
				roots = append(roots, v)
			}
		}
	}
	for _, v := range roots {
		g := wholeWaveSlice{f: f, root: v, members: map[ir.Value]bool{}}
		g.addValue(f.Args(v)[0].Value)
		g.copy()
	}
	return len(roots) > 0
}

// isWholeWave reports whether an instruction's result is computed with all
// lanes active.
func isWholeWave(f *ir.Function, v ir.Value) bool {
	id := f.CalledIntrinsic(v)
	return id == ir.IntrAMDGCNStrictWwm || id == ir.IntrAMDGCNWwm
}

// wholeWaveSlice is the computation of a call's operand.
type wholeWaveSlice struct {
	f       *ir.Function
	root    ir.Value
	members map[ir.Value]bool
}

// addValue adds a value and its operands.
func (g *wholeWaveSlice) addValue(v ir.Value) {
	f := g.f
	if !v.IsLocal() || g.members[v] || f.Parent(v) != f.Parent(g.root) || !g.movable(v) {
		return
	}
	g.members[v] = true
	for n, o := range f.Operands(v) {
		if n > 0 || f.CalledIntrinsic(v) != ir.IntrAMDGCNSetInactive {
			g.addValue(o.Value)
		}
	}
}

// movable reports whether an instruction may be executed again before the root.
func (g *wholeWaveSlice) movable(v ir.Value) bool {
	f := g.f
	switch op := f.Op(v); {
	case op == ir.OpPhi || op == ir.OpAlloca || analysis.MayWrite(f, v) || !f.IsSimple(v) && op == ir.OpLoad || f.TypeOf(v) == ir.Void:
		return false
	case op.IsCall() && f.CalledIntrinsic(v) == ir.NoIntrinsic:
		return false
	}
	if !analysis.MayRead(f, v) {
		return true
	}
	for i := f.Next(v); i != g.root; i = f.Next(i) {
		if analysis.MayWrite(f, i) {
			return false
		}
	}
	return true
}

// copy creates the copies, and removes originals that become unused.
func (g *wholeWaveSlice) copy() {
	if len(g.members) == 0 {
		return
	}
	f := g.f
	mp := ir.NewMapper(f)
	var list []ir.Value
	for v := f.First(f.Parent(g.root)); v != g.root; v = f.Next(v) {
		if g.members[v] {
			list = append(list, v)
		}
	}
	for _, v := range list {
		n := f.CopyInstr(f, v, mp)
		if f.CalledIntrinsic(v) == ir.IntrAMDGCNSetInactive {
			f.SetOperand(n, 0, f.Operand(v, 0))
		}
		f.InsertBefore(n, g.root)
	}
	f.SetOperand(g.root, 0, mp.Value(f.Operand(g.root, 0)))
	for n := len(list) - 1; n >= 0; n-- {
		if v := list[n]; !f.HasUses(v) {
			f.Erase(v)
		}
	}
}
