package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// findArgs creates scopes for the used noalias arguments of the callee.
func (s *scopeMapper) findArgs(in *inliner) {
	s.scopes.Reset()
	c, f, m := in.callee, in.f, in.m
	found := 0
	for i := range c.NumArgs() {
		arg := c.Arg(i)
		if !c.HasUses(arg) || !m.IsPtr(c.TypeOf(arg)) ||
			!m.HasAttr(m.AttrsAt(c.Attributes, ir.AttrParams+i), ir.AttrNoAlias) &&
				!m.HasAttr(m.AttrsAt(f.CallAttrs(in.call), ir.AttrParams+i), ir.AttrNoAlias) {
			continue
		}
		scope := s.scopes.Add(c, arg, found)
		found++
		decl := m.DeclareIntrinsic(ir.IntrExperimentalNoaliasScopeDecl)
		var b ir.Builder
		b.F = f
		b.Before(in.call)
		b.Call(decl, m.NewTuple(scope).Value())
	}
}

// finish adds the scopes to the copies.
func (s *scopeMapper) finish(in *inliner) {
	if s.scopes.Empty() && s.aliasScope|s.noAlias|s.access|s.parallel == 0 {
		return
	}
	c := in.callee
	for b := c.Entry(); b != 0; b = c.NextBlock(b) {
		for v := c.First(b); v != ir.None; v = c.Next(v) {
			n := in.mp.Values[v]
			if op := c.Op(v); !analysis.AccessesMemory(c, v) || op == ir.OpFence || in.f.Op(n) != op {
				continue
			}
			if !s.scopes.Empty() {
				s.scopes.Describe(c, v, in.f, n)
			}
			s.passOn(in, n)
		}
	}
}

// passOn adds the scopes and access groups of the call to a copy.
func (s *scopeMapper) passOn(in *inliner, n ir.Value) {
	f, m := in.f, in.m
	for _, k := range [...]struct {
		kind ir.MDKind
		node ir.Metadata
	}{{ir.MDAliasScope, s.aliasScope}, {ir.MDNoAlias, s.noAlias}, {ir.MDParallelLoopAccess, s.parallel}} {
		if k.node != 0 {
			f.SetAttachment(n, k.kind, emit.Concatenate(m, f.Attachment(n, k.kind), k.node))
		}
	}
	if s.access != 0 {
		f.SetAttachment(n, ir.MDAccessGroup, uniteGroups(m, f.Attachment(n, ir.MDAccessGroup), s.access))
	}
}

// uniteGroups returns the union of two sets of access groups. A distinct node
// without operands is a set of one.
func uniteGroups(m *ir.Module, a, b ir.Metadata) ir.Metadata {
	set := func(md ir.Metadata) ir.Metadata {
		if md != 0 && len(m.MDOperands(md)) == 0 {
			return m.NewTuple(md)
		}
		return md
	}
	switch {
	case a == 0 || a == b:
		return b
	case b == 0:
		return a
	}
	return emit.Concatenate(m, set(a), set(b))
}
