package analysis

import "github.com/gfx-toolchain/gfx/ir"

// CrossesLanes reports whether a value may depend on other lanes or on the set
// of active lanes, because it depends on a convergent call. Any other value is
// the same for a lane whichever other lanes are active.
func CrossesLanes(f *ir.Function, v ir.Value) bool {
	return crossesLanes(f, v, map[ir.Value]bool{})
}

func crossesLanes(f *ir.Function, v ir.Value, seen map[ir.Value]bool) bool {
	if !v.IsLocal() || seen[v] || f.Parent(v) == 0 {
		return false
	}
	seen[v] = true
	if f.Op(v).IsCall() {
		m, callee := f.Module(), f.CalledFunction(v)
		if callee == nil || f.CalledIntrinsic(v) == ir.NoIntrinsic || m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrFunction), ir.AttrConvergent) {
			return true
		}
	}
	for _, o := range f.Operands(v) {
		if crossesLanes(f, o.Value, seen) {
			return true
		}
	}
	return false
}
