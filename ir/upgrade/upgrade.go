package upgrade

import "github.com/gfx-toolchain/gfx/ir"

// Module upgrades a module that has been read as a whole.
func Module(m *ir.Module) error {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			intrinsicAttrs(g.Func)
		}
	}
	return nil
}

// intrinsicAttrs gives an intrinsic function the attributes that LLVM 22 gives it, whatever the text says.
func intrinsicAttrs(f *ir.Function) {
	if f.Intrinsic == ir.NoIntrinsic {
		return
	}
	m := f.Module()
	if _, ok := m.MatchIntrinsic(f.Intrinsic, f.Global.Type); ok {
		f.Attributes = m.IntrinsicAttrs(f.Intrinsic)
	}
}
