package opt

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// globalMarker marks the globals that a module needs, by Index of their value.
// Other constants are marked when visited.
type globalMarker struct {
	m      *ir.Module
	marked []bool
	work   []*ir.Global
	groups map[*ir.Comdat][]*ir.Global
}

func (g *globalMarker) start(m *ir.Module) {
	g.m = m
	g.marked = Sized(g.marked, m.NumConsts())
	g.work = g.work[:0]
	if g.groups == nil {
		g.groups = map[*ir.Comdat][]*ir.Global{}
	}
	clear(g.groups)
	for _, gl := range m.Globals() {
		if gl != nil && gl.Comdat != nil {
			g.groups[gl.Comdat] = append(g.groups[gl.Comdat], gl)
		}
	}
}

// constant marks the globals that a constant refers to.
func (g *globalMarker) constant(v ir.Value) {
	if v == ir.None || !v.IsConst() || g.marked[v.Index()] {
		return
	}
	if gl := g.m.ConstGlobal(v); gl != nil {
		g.global(gl)
		return
	}
	g.marked[v.Index()] = true
	for _, o := range g.m.ConstOperands(v) {
		g.constant(o)
	}
}

func (g *globalMarker) global(gl *ir.Global) {
	if i := gl.Value().Index(); !g.marked[i] {
		g.marked[i] = true
		g.work = append(g.work, gl)
	}
}

func (g *globalMarker) isMarked(gl *ir.Global) bool { return g.marked[gl.Value().Index()] }

// uses marks the globals that a global refers to.
func (g *globalMarker) uses(gl *ir.Global) {
	g.constant(gl.Init)
	f := gl.Func
	if f == nil {
		return
	}
	g.constant(f.Personality)
	g.constant(f.Prefix)
	g.constant(f.Prologue)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for _, o := range f.Operands(v) {
				g.constant(o.Value)
			}
		}
	}
}

// flow marks everything that marked globals need, including all members of
// their comdats.
func (g *globalMarker) flow() {
	for len(g.work) > 0 {
		gl := g.work[len(g.work)-1]
		g.work = g.work[:len(g.work)-1]
		g.uses(gl)
		if gl.Comdat != nil {
			for _, o := range g.groups[gl.Comdat] {
				g.global(o)
			}
		}
	}
}

// globalDCE removes unused globals: their linkage permits it, and they are used
// only by other removed globals (LLVM's globaldce). The globals of a comdat are
// removed together.
func globalDCE(ctx *Context, m *ir.Module) bool {
	g := Scratch[globalMarker](ctx)
	g.start(m)
	for _, gl := range m.Globals() {
		if gl != nil && !gl.IsDeclaration() && !gl.Linkage.IsDiscardable() {
			g.global(gl)
		}
	}
	g.flow()
	return g.sweep(func(*ir.Global) bool { return true })
}

// sweep removes the unmarked globals that may be removed.
func (g *globalMarker) sweep(may func(*ir.Global) bool) bool {
	m, changed := g.m, false
	for _, gl := range m.Globals() {
		if gl != nil && !g.isMarked(gl) && may(gl) {
			if gl.Func != nil {
				gl.Func.Discard()
			}
			m.RemoveGlobal(gl)
			changed = true
		}
	}
	if changed {
		m.Comdats = slices.DeleteFunc(m.Comdats, func(c *ir.Comdat) bool {
			return len(g.groups[c]) > 0 && !slices.ContainsFunc(g.groups[c], g.isMarked)
		})
	}
	return changed
}

// stripDeadPrototypes removes unused declarations (LLVM's
// strip-dead-prototypes).
func stripDeadPrototypes(ctx *Context, m *ir.Module) bool {
	g := Scratch[globalMarker](ctx)
	g.start(m)
	for _, gl := range m.Globals() {
		if gl != nil {
			g.uses(gl)
		}
	}
	return g.sweep((*ir.Global).IsDeclaration)
}

// keptNames lists globals with a special meaning (LLVM's internalize).
var keptNames = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"llvm.used": true, "llvm.compiler.used": true, "llvm.global_ctors": true, "llvm.global_dtors": true,
		"llvm.global.annotations": true, "__stack_chk_fail": true, "__stack_chk_guard": true,
	}
}}

// internalize changes globals that only this module needs to internal linkage, as
// LLVM does for AMDGPU. Entry points, members of llvm.used, used variables and
// sanitizer functions remain external.
func internalize(ctx *Context, m *ir.Module) bool {
	g := Scratch[globalMarker](ctx)
	g.start(m)
	for _, gl := range m.Globals() {
		if gl != nil {
			g.uses(gl)
		}
	}
	used := map[*ir.Global]bool{}
	if list := m.Global("llvm.used"); list != nil && list.Init != ir.None {
		for _, v := range m.ConstOperands(list.Init) {
			used[m.ConstGlobal(analysis.BaseOfConst(m, v))] = true
		}
	}
	keep := func(gl *ir.Global) bool { return used[gl] || g.staysExternal(gl) }
	changed := false
	for _, gl := range m.Globals() {
		if gl == nil || gl.Linkage.IsLocal() {
			continue
		}
		if gl.Comdat == nil && keep(gl) || gl.Comdat != nil && slices.ContainsFunc(g.groups[gl.Comdat], keep) {
			continue
		}
		if gl.Comdat != nil {
			g.leaveComdat(gl)
		}
		gl.Vis, gl.Linkage, gl.DSOLocal = ir.DefaultVisibility, ir.Internal, true
		changed = true
	}
	return changed
}

// leaveComdat removes a global from its comdat. If the comdat has other
// members, it becomes local to the module instead.
func (g *globalMarker) leaveComdat(gl *ir.Global) {
	if len(g.groups[gl.Comdat]) > 1 {
		gl.Comdat.Selection = ir.ComdatNoDeduplicate
		return
	}
	c := gl.Comdat
	gl.Comdat = nil
	g.m.Comdats = slices.DeleteFunc(g.m.Comdats, func(o *ir.Comdat) bool { return o == c })
}

// staysExternal reports whether internalize keeps a global that is not in
// llvm.used.
func (g *globalMarker) staysExternal(gl *ir.Global) bool {
	if gl.IsDeclaration() || gl.Linkage == ir.AvailableExternally || gl.DLL == ir.DLLExport || gl.ExtInit || keptNames.Get()[gl.Name()] {
		return true
	}
	if f := gl.Func; f != nil {
		return f.CC.IsEntry() || f.CC.IsChain() || strings.HasPrefix(gl.Name(), "__asan_") || strings.HasPrefix(gl.Name(), "__sanitizer_")
	}
	return g.isMarked(gl)
}
