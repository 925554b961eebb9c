package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// inlineRun inlines the calls of a module, callees first.
type inlineRun struct {
	ctx  *Context
	g    analysis.CallGraph
	in   inliner
	cost inlineCost

	mandatory bool // inline only where required
	changed   bool
	work      []callSite
	history   []inlineStep
	dead      []int32
}

// callSite is a call in the current function. step is its origin: the index of
// an entry of history plus one, or 0 for an original call.
type callSite struct {
	call ir.Value
	step int32
}

// inlineStep records that a function was inlined, into a copy made by another
// step.
type inlineStep struct{ callee, from int32 }

// alwaysInline inlines the functions with the attribute alwaysinline (LLVM's
// always-inline).
func alwaysInline(ctx *Context, m *ir.Module) bool { return runInline(ctx, m, true) }

// inline inlines required and sufficiently cheap calls (LLVM's inline, with
// AMDGPU's thresholds).
func inline(ctx *Context, m *ir.Module) bool {
	return runInline(ctx, m, ctx.Param("only-mandatory") != 0)
}

func runInline(ctx *Context, m *ir.Module, mandatory bool) bool {
	r := Scratch[inlineRun](ctx)
	r.ctx, r.mandatory, r.changed = ctx, mandatory, false
	r.dead = r.dead[:0]
	if resolveAliases(m) {
		r.changed = true
	}
	r.g.Reset(m)
	r.g.SortSCCs()
	for _, id := range r.g.Order {
		if f := r.g.Funcs[id]; !f.IsDeclaration() {
			r.function(f)
		}
	}
	r.removeDead(m)
	return r.changed
}

// function inlines the calls of a function, including calls that inlining adds.
func (r *inlineRun) function(f *ir.Function) {
	r.work, r.history = r.work[:0], r.history[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v).IsCall() {
				r.work = append(r.work, callSite{v, 0})
			}
		}
	}
	for i := 0; i < len(r.work); i++ {
		r.site(f, r.work[i])
	}
}

func (r *inlineRun) site(f *ir.Function, s callSite) {
	if f.Op(s.call) == ir.OpNone {
		return // was in removed code
	}
	id := r.g.ID(f.Callee(s.call))
	if id < 0 || r.g.Funcs[id].IsDeclaration() || r.isInHistory(id, s.step) {
		return
	}
	callee := r.g.Funcs[id]
	reason, silent := r.decide(f, s.call, id)
	if reason == "" {
		reason = r.in.inline(f, s.call)
	}
	if reason != "" {
		if !silent {
			r.ctx.AddRemark(f, s.call, "'"+callee.Name()+"' not inlined into '"+f.Name()+"': "+reason)
		}
		return
	}
	r.changed = true
	mergeInlined(f, callee)
	r.history = append(r.history, inlineStep{id, s.step})
	step := int32(len(r.history))
	for _, v := range r.in.calls {
		if f.Op(v) != ir.OpNone {
			r.work = append(r.work, callSite{v, step})
		}
	}
	r.countCopies(f, callee)
	r.g.Uses[id]--
	if r.isDead(id) {
		r.kill(id)
	}
}

// isInHistory reports whether a call results from inlining the function that it
// calls.
func (r *inlineRun) isInHistory(id, step int32) bool {
	for step != 0 {
		s := r.history[step-1]
		if s.callee == id {
			return true
		}
		step = s.from
	}
	return false
}

// countCopies counts the uses of functions in copied code.
func (r *inlineRun) countCopies(f, callee *ir.Function) {
	for b := callee.Entry(); b != 0; b = callee.NextBlock(b) {
		for v := callee.First(b); v != ir.None; v = callee.Next(v) {
			r.g.Count(callee, v, 1)
		}
	}
}

// decide returns "" if a call is to be inlined, otherwise the reason. silent
// means that no remark is expected.
func (r *inlineRun) decide(f *ir.Function, call ir.Value, id int32) (reason string, silent bool) {
	m, callee := f.Module(), r.g.Funcs[id]
	own := m.AttrsAt(f.CallAttrs(call), ir.AttrFunction)
	switch {
	case m.HasAttr(own, ir.AttrNoInline):
		return "noinline call site attribute", r.mandatory
	case analysis.CallHas(f, call, ir.AttrAlwaysInline):
		return "", false
	case r.mandatory:
		return "not alwaysinline", true
	case fnAttr(callee, ir.AttrNoInline):
		return "noinline function attribute", false
	case fnAttr(f, ir.AttrOptNone):
		return "optnone attribute", false
	case callee.Linkage.IsInterposable():
		return "interposable", false
	case !fnAttr(f, ir.AttrNullPointerIsValid) && fnAttr(callee, ir.AttrNullPointerIsValid):
		return "nullptr definitions incompatible", false
	case !inlineCompatible(r.ctx, f, callee):
		return "conflicting attributes", false
	case f.NumBlocks()+callee.NumBlocks() > maxBlocks && callee.NextBlock(callee.Entry()) != 0 && !fnAttr(callee, ir.AttrInlineHint):
		return "too many blocks", false
	}
	last := callee.Linkage.IsLocal() && r.g.Uses[id] == 1 && !r.g.Referenced[id]
	return r.cost.estimate(f, call, last), false
}

// isDead reports whether a function can be removed.
func (r *inlineRun) isDead(id int32) bool {
	f := r.g.Funcs[id]
	if !r.g.IsUnused(id) || !f.Linkage.IsDiscardable() || f.Comdat != nil && !f.Linkage.IsLocal() {
		return false
	}
	return !r.mandatory || fnAttr(f, ir.AttrAlwaysInline)
}

// kill removes the body of a dead function, so that the functions that it calls
// may become dead too.
func (r *inlineRun) kill(id int32) {
	f := r.g.Funcs[id]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			r.g.Count(f, v, -1)
		}
	}
	f.Discard()
	r.dead = append(r.dead, id)
}

// removeDead removes dead functions from the module, including functions that
// were initially unused.
func (r *inlineRun) removeDead(m *ir.Module) {
	for again := true; again; {
		again = false
		for id, f := range r.g.Funcs {
			if !f.IsDeclaration() && r.isDead(int32(id)) && (r.mandatory || f.Linkage.IsLocal()) {
				r.kill(int32(id))
				again = true
			}
		}
	}
	for _, id := range r.dead {
		m.RemoveGlobal(r.g.Funcs[id].Global)
		r.changed = true
	}
}
