package linker

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// alwaysExternal lists symbols that keep their linkage because code generation
// or the object linker refers to them by name.
var alwaysExternal = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"llvm.used": true, "llvm.compiler.used": true, "llvm.global_ctors": true, "llvm.global_dtors": true,
		"llvm.global.annotations": true, "__stack_chk_fail": true, "__stack_chk_guard": true, "__llvm_rpc_client": true,
	}
}}

// comdatInfo holds the properties of a COMDAT that internalize needs.
type comdatInfo struct {
	size     int
	external bool // a member stays external, so all members do
}

// internalizer changes the linkage of symbols to internal.
type internalizer struct {
	m       *ir.Module
	names   map[string]bool
	used    map[*ir.Global]bool
	comdats map[*ir.Comdat]*comdatInfo
}

// internalize sets the linkage of the definitions in names to internal, except
// for symbols that are referenced from outside.
func internalize(m *ir.Module, names map[string]bool) {
	in := internalizer{m: m, names: names, used: map[*ir.Global]bool{}, comdats: map[*ir.Comdat]*comdatInfo{}}
	if g := m.Global("llvm.used"); g != nil && g.Init != ir.None {
		for _, v := range m.ConstOperands(g.Init) {
			if u := m.ConstGlobal(stripCasts(m, v)); u != nil {
				in.used[u] = true
			}
		}
	}
	eachGlobal(m, func(g *ir.Global) error {
		if c := comdatOf(m, g); c != nil && g.Kind != ir.GlobalIFunc {
			info := in.comdats[c]
			if info == nil {
				info = &comdatInfo{}
				in.comdats[c] = info
			}
			info.size++
			info.external = info.external || in.outside(g)
		}
		return nil
	})
	for _, kind := range [...]ir.GlobalKind{ir.GlobalFunc, ir.GlobalVar, ir.GlobalAlias} {
		for _, g := range m.Globals() {
			if g != nil && g.Kind == kind {
				in.global(g)
			}
		}
	}
}

// preserved reports whether a global outside any COMDAT keeps its linkage.
func (in *internalizer) preserved(g *ir.Global) bool {
	return in.outside(g) || !g.Linkage.IsLocal() && (alwaysExternal.Get()[g.Name()] || in.used[g])
}

// outside reports whether a global is defined elsewhere or is not to be
// internalized. LLVM checks nothing else for members of a COMDAT.
func (in *internalizer) outside(g *ir.Global) bool {
	if g.IsDeclaration() || g.Linkage == ir.AvailableExternally || g.DLL == ir.DLLExport || g.ExtInit {
		return true
	}
	return !g.Linkage.IsLocal() && !in.names[g.Name()]
}

func (in *internalizer) global(g *ir.Global) {
	if c := comdatOf(in.m, g); c != nil {
		info := in.comdats[c]
		if info == nil || info.external {
			return
		}
		if g.Kind != ir.GlobalAlias {
			if info.size == 1 {
				g.Comdat = nil
			} else {
				c.Selection = ir.ComdatNoDeduplicate
			}
		}
		if g.Linkage.IsLocal() {
			return
		}
	} else if g.Linkage.IsLocal() || in.preserved(g) {
		return
	}
	setVisibility(g, ir.DefaultVisibility)
	setLinkage(g, ir.Internal)
}
