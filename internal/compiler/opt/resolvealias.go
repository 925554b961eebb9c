package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// aliasResolver replaces calls of aliases by direct calls.
type aliasResolver struct {
	m       *ir.Module
	targets map[ir.Value]*ir.Function // by alias
	used    map[ir.Value]bool         // constants that are still used
	changed bool
}

// resolveAliases makes calls through aliases direct if the linker cannot
// interpose the alias or its function (as LLVM's globalopt and
// amdgpu-always-inline do), and removes local aliases that become unused.
func resolveAliases(m *ir.Module) bool {
	x := aliasResolver{m: m}
	for _, g := range m.Globals() {
		if f := aliasedFunction(m, g); f != nil {
			if x.targets == nil {
				x.targets, x.used = map[ir.Value]*ir.Function{}, map[ir.Value]bool{}
			}
			x.targets[g.Value()] = f
		}
	}
	if x.targets == nil {
		return false
	}
	for _, g := range m.Globals() {
		if g == nil {
			continue
		}
		x.use(g.Init)
		if g.Func != nil {
			x.function(g.Func)
		}
	}
	for v := range x.targets {
		if g := m.ConstGlobal(v); g.Linkage.IsLocal() && !x.used[v] {
			m.RemoveGlobal(g)
			x.changed = true
		}
	}
	return x.changed
}

// aliasedFunction returns the function that an alias always refers to, or nil.
func aliasedFunction(m *ir.Module, g *ir.Global) *ir.Function {
	for range analysis.MaxObjects { // aliases of aliases
		if g == nil || g.Kind != ir.GlobalAlias || g.Linkage.IsInterposable() {
			return nil
		}
		if g = m.ConstGlobal(g.Init); g != nil && g.Func != nil {
			if g.Kind != ir.GlobalFunc || g.Linkage.IsInterposable() {
				return nil
			}
			return g.Func
		}
	}
	return nil
}

// function resolves the calls of a function and records its other uses of
// aliases.
func (x *aliasResolver) function(f *ir.Function) {
	x.use(f.Personality)
	x.use(f.Prefix)
	x.use(f.Prologue)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v).IsCall() {
				if to := x.targets[f.Callee(v)]; to != nil && to.Global.Type == f.CallType(v) {
					f.SetOperand(v, f.NumOperands(v)-1, to.Global.Value())
					x.changed = true
				}
			}
			for _, o := range f.Operands(v) {
				x.use(o.Value)
			}
		}
	}
}

// use records a constant and its operands.
func (x *aliasResolver) use(v ir.Value) {
	if !v.IsConst() || x.used[v] {
		return
	}
	x.used[v] = true
	for _, o := range x.m.ConstOperands(v) {
		x.use(o)
	}
}
