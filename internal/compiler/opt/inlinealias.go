package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// objectFinder finds the objects that pointers are derived from.
type objectFinder struct {
	objects []ir.Value
	seen    []ir.Value
	work    []ir.Value
}

// maxObjects bounds the number of values that are examined for one pointer.
const maxObjects = 32

// find adds the objects that a pointer may be derived from to o.objects. It
// returns false if there are too many.
func (o *objectFinder) find(f *ir.Function, p ir.Value) bool {
	o.work, o.seen = append(o.work[:0], p), o.seen[:0]
	for len(o.work) > 0 {
		v := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		if slices.Contains(o.seen, v) {
			continue
		}
		if len(o.seen) >= maxObjects {
			return false
		}
		o.seen = append(o.seen, v)
		switch f.Op(v) {
		case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast, ir.OpFreeze:
			o.work = append(o.work, f.Operand(v, 0))
		case ir.OpSelect:
			o.work = append(o.work, f.Operand(v, 1), f.Operand(v, 2))
		case ir.OpPhi:
			for i := range f.NumIncoming(v) {
				x, _ := f.Incoming(v, i)
				o.work = append(o.work, x)
			}
		default:
			if base := baseOfConst(f.Module(), v); !slices.Contains(o.objects, base) {
				o.objects = append(o.objects, base)
			}
		}
	}
	return true
}

// baseOfConst returns the global that a constant pointer is derived from, or
// the pointer itself.
func baseOfConst(m *ir.Module, v ir.Value) ir.Value {
	for v.IsConst() && m.ConstKindOf(v) == ir.ConstExpr {
		switch c := m.Const(v); c.Op {
		case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast:
			v = m.ConstOperands(v)[0]
		default:
			return v
		}
	}
	return v
}

// findArgs creates scopes for the used noalias arguments of the callee.
func (s *scopeMapper) findArgs(in *inliner) {
	s.args = s.args[:0]
	c, f, m := in.callee, in.f, in.m
	domain := ir.Metadata(0)
	for i := range c.NumArgs() {
		arg := c.Arg(i)
		if !c.HasUses(arg) || !m.IsPtr(c.TypeOf(arg)) ||
			!m.HasAttr(m.AttrsAt(c.Attributes, ir.AttrParams+i), ir.AttrNoAlias) &&
				!m.HasAttr(m.AttrsAt(f.CallAttrs(in.call), ir.AttrParams+i), ir.AttrNoAlias) {
			continue
		}
		if domain == 0 {
			domain = newSelfNode(m, m.NewMDString(c.Name()))
		}
		name := c.Name() + ": %" + string(c.NameOf(arg))
		if c.NameOf(arg) == nil {
			name = c.Name() + ": argument " + itoa(len(s.args))
		}
		scope := newSelfNode(m, domain, m.NewMDString(name))
		s.args = append(s.args, noAliasArg{arg: arg, scope: scope, captured: isCaptured(c, arg)})
		decl := m.DeclareIntrinsic(ir.IntrExperimentalNoaliasScopeDecl)
		var b ir.Builder
		b.F = f
		b.Before(in.call)
		b.Call(decl, m.NewTuple(scope).Value())
	}
}

// newSelfNode returns a distinct node whose first operand is the node itself.
func newSelfNode(m *ir.Module, ops ...ir.Metadata) ir.Metadata {
	n := m.NewDistinct(ir.NodeTuple, append([]ir.Metadata{0}, ops...), nil)
	m.SetMDOperand(n, 0, n)
	return n
}

// finish adds the scopes to the copies.
func (s *scopeMapper) finish(in *inliner) {
	if len(s.args) == 0 && s.aliasScope|s.noAlias|s.access|s.parallel == 0 {
		return
	}
	c := in.callee
	for b := c.Entry(); b != 0; b = c.NextBlock(b) {
		for v := c.First(b); v != ir.None; v = c.Next(v) {
			n := in.mp.Values[v]
			if op := c.Op(v); !accessesMemory(c, v) || op == ir.OpFence || in.f.Op(n) != op {
				continue
			}
			if len(s.args) > 0 {
				s.scopesOf(in, v, n)
			}
			s.passOn(in, n)
		}
	}
}

// accessesMemory reports whether an instruction may read or write memory.
func accessesMemory(f *ir.Function, v ir.Value) bool { return mayRead(f, v) || mayWrite(f, v) }

// passOn adds the scopes and access groups of the call to a copy.
func (s *scopeMapper) passOn(in *inliner, n ir.Value) {
	f, m := in.f, in.m
	for _, k := range [...]struct {
		kind ir.MDKind
		node ir.Metadata
	}{{ir.MDAliasScope, s.aliasScope}, {ir.MDNoAlias, s.noAlias}, {ir.MDParallelLoopAccess, s.parallel}} {
		if k.node != 0 {
			f.SetAttachment(n, k.kind, concatenate(m, f.Attachment(n, k.kind), k.node))
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
	return concatenate(m, set(a), set(b))
}

// scopesOf records which noalias arguments the access v of the callee, copied
// as n, is derived from and which not.
func (s *scopeMapper) scopesOf(in *inliner, v, n ir.Value) {
	c, m, f := in.callee, in.m, in.f
	isCall := c.Op(v).IsCall()
	argsOnly := false
	s.objects.objects = s.objects.objects[:0]
	known := true
	if isCall {
		e := callMemory(c, v)
		if e.With(ir.InaccessibleMem, 0) == ir.MemoryNone {
			return
		}
		argsOnly = e.With(ir.ArgMem, 0) == ir.MemoryNone
		for _, o := range c.Args(v) {
			if m.IsPtr(c.TypeOf(o.Value)) {
				known = known && s.objects.find(c, o.Value)
			}
		}
	} else {
		known = s.objects.find(c, accessPointer(c, v))
	}
	if !known {
		return
	}
	captured, other := isCall && !argsOnly, false
	for _, o := range s.objects.objects {
		switch classifyObject(c, o) {
		case objectNull:
			continue
		case objectUnknown:
			return
		case objectEscape:
			captured = true
		}
		other = other || !slices.ContainsFunc(s.args, func(a noAliasArg) bool { return a.arg == o })
	}
	s.list = s.list[:0]
	for _, a := range s.args {
		if !slices.Contains(s.objects.objects, a.arg) && (!captured || !a.captured) {
			s.list = append(s.list, a.scope)
		}
	}
	s.attach(f, n, ir.MDNoAlias)
	if other || isCall && !argsOnly {
		return
	}
	s.list = s.list[:0]
	for _, a := range s.args {
		if slices.Contains(s.objects.objects, a.arg) {
			s.list = append(s.list, a.scope)
		}
	}
	s.attach(f, n, ir.MDAliasScope)
}

func (s *scopeMapper) attach(f *ir.Function, n ir.Value, kind ir.MDKind) {
	if len(s.list) > 0 {
		m := f.Module()
		f.SetAttachment(n, kind, concatenate(m, f.Attachment(n, kind), m.NewTuple(s.list...)))
	}
}

// accessPointer returns the address that a memory operation accesses.
func accessPointer(f *ir.Function, v ir.Value) ir.Value {
	if f.Op(v) == ir.OpStore {
		return f.Operand(v, 1)
	}
	return f.Operand(v, 0)
}

type objectClass uint8

const (
	objectUnknown    objectClass = iota
	objectNull                   // constant that points to no object
	objectIdentified             // argument, global or alloca: cannot be another argument's noalias object
	objectEscape                 // can only be an object whose address has been captured
)

func classifyObject(f *ir.Function, v ir.Value) objectClass {
	m := f.Module()
	switch f.Op(v) {
	case ir.OpArg, ir.OpAlloca:
		return objectIdentified
	case ir.OpLoad:
		return objectEscape
	case ir.OpCall:
		if callReturns(f, v, ir.AttrNoAlias) {
			return objectIdentified
		}
		if f.CalledIntrinsic(v) == ir.NoIntrinsic {
			return objectEscape
		}
		return objectUnknown
	}
	switch m.ConstKindOf(v) {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison, ir.ConstInt:
		return objectNull
	case ir.ConstGlobal:
		if g := m.ConstGlobal(v); g.Kind == ir.GlobalVar || g.Kind == ir.GlobalFunc {
			return objectIdentified
		}
	}
	return objectUnknown
}

// callReturns reports whether the result of a call has an attribute.
func callReturns(f *ir.Function, v ir.Value, k ir.AttrKind) bool {
	m := f.Module()
	if m.HasAttr(m.AttrsAt(f.CallAttrs(v), ir.AttrResult), k) {
		return true
	}
	callee := f.CalledFunction(v)
	return callee != nil && m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrResult), k)
}

// isCaptured reports whether a pointer may be captured by anything except
// values derived from it.
func isCaptured(f *ir.Function, p ir.Value) bool {
	var seen, work []ir.Value
	work = append(work, p)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if slices.Contains(seen, v) {
			continue
		}
		if len(seen) > maxObjects {
			return true
		}
		seen = append(seen, v)
		for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
			derived, captured := captures(f, u)
			if captured {
				return true
			}
			if derived {
				work = append(work, f.User(u))
			}
		}
	}
	return false
}

// captures reports whether the user of a pointer derives another pointer to the
// same object, and whether it captures the pointer.
func captures(f *ir.Function, u ir.Use) (derived, captured bool) {
	m, v, i := f.Module(), f.User(u), f.UseIndex(u)
	switch f.Op(v) {
	case ir.OpLoad:
		return false, f.IsVolatile(v)
	case ir.OpStore, ir.OpAtomicRMW, ir.OpCmpXchg:
		pointer := 0
		if f.Op(v) == ir.OpStore {
			pointer = 1
		}
		return false, i != pointer || f.IsVolatile(v)
	case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast, ir.OpPhi, ir.OpSelect, ir.OpFreeze:
		return true, false
	case ir.OpICmp:
		return false, false // addresses have no provenance
	case ir.OpCall:
		if i >= len(f.Args(v)) {
			return false, false
		}
		set := m.AttrsAt(f.CallAttrs(v), ir.AttrParams+i)
		a, ok := m.Attr(set, ir.AttrCaptures)
		if callee := f.CalledFunction(v); !ok && callee != nil {
			a, ok = m.Attr(m.AttrsAt(callee.Attributes, ir.AttrParams+i), ir.AttrCaptures)
		}
		return false, !ok || ir.Captures(a.Int) != ir.CapturesNone
	}
	return false, true
}
