package prepare

import "github.com/gfx-toolchain/gfx/ir"

// dropActiveParams turns functions of the convention amdgpu_gfx_whole_wave into
// amdgpu_gfx functions without the first parameter, the active lanes, and
// llvm.amdgcn.call.whole.wave into calls. The pass amdgpu-whole-quad has
// replaced the uses of the parameter.
func (x *signatureFlattener) dropActiveParams() (changed bool) {
	m := x.M
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && g.Func.CC == ir.CCAMDGPUGfxWholeWave {
			info := m.TypeInfo(g.Type)
			t := m.FuncType(info.Elem, append([]ir.Type(nil), info.Elems[1:]...), false)
			replaceFunction(m, g, t, x.withoutParam(g.Func.Attributes), x.moveWithoutActive)
			g.Func.CC = ir.CCAMDGPUGfx
			changed = true
		}
	}
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			changed = x.callWholeWaves(g.Func) || changed
		}
	}
	return changed
}

// withoutParam returns attributes without the first parameter's ones.
func (x *signatureFlattener) withoutParam(l ir.AttrList) ir.AttrList {
	m := x.M
	sets := []ir.AttrSet{m.AttrsAt(l, ir.AttrFunction), m.AttrsAt(l, ir.AttrResult)}
	for i := ir.AttrParams + 1; i < len(m.AttrSets(l)); i++ {
		sets = append(sets, m.AttrsAt(l, i))
	}
	return m.AttrList(sets)
}

// moveWithoutActive copies the body of a function to one without the first
// parameter.
func (x *signatureFlattener) moveWithoutActive(f, old *ir.Function) {
	mp := ir.NewMapper(old)
	mp.Values[old.Arg(0)] = x.M.Poison(ir.I1)
	for i := 1; i < old.NumArgs(); i++ {
		mp.Values[old.Arg(i)] = f.Arg(i - 1)
		if name := old.NameOf(old.Arg(i)); name != nil {
			f.SetName(f.Arg(i-1), name)
		}
	}
	f.CopyBody(old, mp)
}

// callWholeWaves replaces the calls of llvm.amdgcn.call.whole.wave in a function.
func (x *signatureFlattener) callWholeWaves(f *ir.Function) bool {
	var calls []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.CalledIntrinsic(v) == ir.IntrAMDGCNCallWholeWave {
				calls = append(calls, v)
			}
		}
	}
	x.f, x.F = f, f
	for _, v := range calls {
		var types []ir.Type
		var args []ir.Value
		for _, a := range f.Args(v)[1:] {
			types, args = append(types, f.TypeOf(a.Value)), append(args, a.Value)
		}
		x.Before(v)
		n := x.CallValue(x.M.FuncType(f.TypeOf(v), types, false), f.Args(v)[0].Value, args...)
		f.SetCallConv(n, ir.CCAMDGPUGfx)
		f.SetCallAttrs(n, x.withoutParam(f.CallAttrs(v)))
		f.ReplaceUses(v, n)
		f.Erase(v)
	}
	return len(calls) > 0
}
