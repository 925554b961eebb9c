package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/ir"
)

// lineMapper computes the locations of copied instructions: the callee's
// locations, inlined at the call.
type lineMapper struct {
	active  bool        // the call has a location
	noLines bool        // the callee has no debug information: use the call's location
	call    ir.Metadata // location of the call
	at      ir.Metadata // the location as a distinct node for inlinedAt, 0 before its creation
	chain   map[ir.Metadata]ir.Metadata
	last    [2]ir.Metadata // last mapped location, and the result
	loops   map[ir.Metadata]ir.Metadata
	list    []ir.Metadata
}

func (l *lineMapper) start(f *ir.Function, call ir.Value, callee *ir.Function) {
	l.call = f.Instr(call).Loc
	l.active = l.call != 0 || subprogram(callee) != 0
	l.noLines = subprogram(callee) == 0
	l.at, l.last = 0, [2]ir.Metadata{}
	clear(l.chain)
	clear(l.loops)
}

// location maps a location of the callee to the caller. It returns 0 if the
// call has no location.
func (l *lineMapper) location(m *ir.Module, loc ir.Metadata) ir.Metadata {
	if l.call == 0 {
		return 0
	}
	if l.last[0] == loc {
		return l.last[1]
	}
	var ops [2]ir.Metadata
	var ints [8]uint64
	copy(ops[:], m.MDOperands(loc))
	n := copy(ints[:], m.MDInts(loc))
	ops[locInlinedAt] = l.inlinedAt(m, ops[locInlinedAt])
	l.last = [2]ir.Metadata{loc, m.NewNode(ir.NodeLocation, ops[:], ints[:n])}
	return l.last[1]
}

// inlinedAt appends the call to the chain of inlinedAt nodes of a location.
func (l *lineMapper) inlinedAt(m *ir.Module, old ir.Metadata) ir.Metadata {
	if l.at == 0 {
		ops, ints := m.MDOperands(l.call), m.MDInts(l.call)
		l.at = newCallSite(m, ints[locLine], ints[locColumn], ops[locScope], ops[locInlinedAt])
	}
	if l.chain == nil {
		l.chain = map[ir.Metadata]ir.Metadata{}
	}
	l.list = l.list[:0]
	last := l.at
	for old != 0 {
		if known, ok := l.chain[old]; ok {
			last = known
			break
		}
		l.list = append(l.list, old)
		old = m.MDOperands(old)[locInlinedAt]
	}
	for _, md := range slices.Backward(l.list) {
		ints := m.MDInts(md)
		last = newCallSite(m, ints[locLine], ints[locColumn], m.MDOperands(md)[locScope], last)
		l.chain[md] = last
	}
	return last
}

// newCallSite returns the distinct location of an inlined call.
func newCallSite(m *ir.Module, line, column uint64, scope, inlinedAt ir.Metadata) ir.Metadata {
	ints := [locInts]uint64{locLine: line, locColumn: column}
	return m.NewDistinct(ir.NodeLocation, []ir.Metadata{scope, inlinedAt}, ints[:])
}

// dropLost removes the debug records before a copied instruction that have lost
// their location: without a location of the call they have none in the caller.
func (l *lineMapper) dropLost(f *ir.Function, v ir.Value) {
	if l.call != 0 {
		return
	}
	for r := f.FirstRecord(v); r != ir.None; {
		next := f.NextRecord(r)
		if f.Instr(r).Loc == 0 {
			f.EraseRecord(r)
		}
		r = next
	}
}

// fix sets the location of a copied instruction without location to the call's
// location if the callee has no debug information. It also updates the
// locations in the metadata of its loop.
func (l *lineMapper) fix(f *ir.Function, v ir.Value, alloca bool) {
	if l.call != 0 && l.noLines && !alloca && f.Instr(v).Loc == 0 {
		f.Instr(v).Loc = l.call
	}
	if l.active && f.HasAttachments(v) {
		if md := f.Attachment(v, ir.MDLoop); md != 0 {
			f.SetAttachment(v, ir.MDLoop, l.loop(f.Module(), md))
		}
	}
}

// loop returns the metadata of a loop with its locations mapped.
func (l *lineMapper) loop(m *ir.Module, md ir.Metadata) ir.Metadata {
	isLoc := func(o ir.Metadata) bool { return o != 0 && m.NodeKind(o) == ir.NodeLocation }
	ops := m.MDOperands(md)
	if !m.IsDistinct(md) || len(ops) == 0 || ops[0] != md || !slices.ContainsFunc(ops, isLoc) {
		return md
	}
	if known, ok := l.loops[md]; ok {
		return known
	}
	list := []ir.Metadata{0}
	for _, o := range ops[1:] {
		if isLoc(o) {
			o = l.location(m, o)
		}
		if o != 0 {
			list = append(list, o)
		}
	}
	n := m.NewDistinct(ir.NodeTuple, list, nil)
	m.SetMDOperand(n, 0, n)
	if l.loops == nil {
		l.loops = map[ir.Metadata]ir.Metadata{}
	}
	l.loops[md] = n
	return n
}

// scopeMapper distinguishes the copies of a function in alias.scope and noalias
// metadata: each copy has its own scopes. The noalias arguments of the callee
// also become scopes.
type scopeMapper struct {
	cloning bool // the callee has scopes
	clones  map[ir.Metadata]ir.Metadata

	scopes emit.AliasScopes // of the callee's noalias arguments

	// metadata of the call, added to the copies
	aliasScope, noAlias, access, parallel ir.Metadata
}

func (s *scopeMapper) start(in *inliner) {
	clear(s.clones)
	s.cloning = false
	c := in.callee
	for b := c.Entry(); b != 0 && !s.cloning; b = c.NextBlock(b) {
		for v := c.First(b); v != ir.None; v = c.Next(v) {
			if c.HasAttachments(v) && (c.Attachment(v, ir.MDAliasScope) != 0 || c.Attachment(v, ir.MDNoAlias) != 0) ||
				c.CalledIntrinsic(v) == ir.IntrExperimentalNoaliasScopeDecl {
				s.cloning = true
				break
			}
		}
	}
	s.aliasScope = in.f.Attachment(in.call, ir.MDAliasScope)
	s.noAlias = in.f.Attachment(in.call, ir.MDNoAlias)
	s.access = in.f.Attachment(in.call, ir.MDAccessGroup)
	s.parallel = in.f.Attachment(in.call, ir.MDParallelLoopAccess)
	s.findArgs(in)
}

// clone returns the copy of a list of scopes, a scope or a domain. Other
// metadata is unchanged.
func (s *scopeMapper) clone(m *ir.Module, md ir.Metadata) ir.Metadata {
	if md == 0 || m.NodeKind(md) != ir.NodeTuple {
		return md
	}
	if known, ok := s.clones[md]; ok {
		return known
	}
	if s.clones == nil {
		s.clones = map[ir.Metadata]ir.Metadata{}
	}
	n := md
	ops := m.MDOperands(md)
	switch {
	case isScope(m, md) || isDomain(m, md):
		list := slices.Clone(ops)
		n = m.NewDistinct(ir.NodeTuple, list, nil)
		m.SetMDOperand(n, 0, n)
		s.clones[md] = n
		if isScope(m, md) {
			m.SetMDOperand(n, 1, s.clone(m, ops[1]))
		}
	case len(ops) > 0 && !slices.ContainsFunc(ops, func(o ir.Metadata) bool { return o == 0 || !isScope(m, o) }):
		list := make([]ir.Metadata, len(ops))
		for i, o := range ops {
			list[i] = s.clone(m, o)
		}
		n = m.NewTuple(list...)
	}
	s.clones[md] = n
	return n
}

// isDomain reports whether md is a domain of alias scopes: distinct !{itself[, name]}.
func isDomain(m *ir.Module, md ir.Metadata) bool {
	ops := m.MDOperands(md)
	if !m.IsDistinct(md) || len(ops) == 0 || len(ops) > 2 || ops[0] != md {
		return false
	}
	return len(ops) == 1 || ops[1] != 0 && m.NodeKind(ops[1]) == ir.NodeString
}

// isScope reports whether md is an alias scope: distinct !{itself, domain[, name]}.
func isScope(m *ir.Module, md ir.Metadata) bool {
	ops := m.MDOperands(md)
	return m.IsDistinct(md) && (len(ops) == 2 || len(ops) == 3) && ops[0] == md && ops[1] != 0 && ops[1] != md && isDomain(m, ops[1])
}
