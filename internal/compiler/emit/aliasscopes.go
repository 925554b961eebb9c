package emit

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// AliasScopes describes accesses through noalias arguments of a function in
// alias.scope and noalias metadata: each argument has a scope, and all scopes
// share a domain.
type AliasScopes struct {
	args    []scopedArg
	domain  ir.Metadata
	objects analysis.ObjectFinder
	list    []ir.Metadata
}

// scopedArg is a noalias argument and its scope.
type scopedArg struct {
	arg      ir.Value
	scope    ir.Metadata
	captured bool
}

// Reset removes all arguments.
func (s *AliasScopes) Reset() { s.args, s.domain = s.args[:0], 0 }

// Empty reports whether no argument has a scope.
func (s *AliasScopes) Empty() bool { return len(s.args) == 0 }

// Add creates the scope of a noalias argument of f. The scope's name refers to an
// unnamed argument by number.
func (s *AliasScopes) Add(f *ir.Function, arg ir.Value, number int) (scope ir.Metadata) {
	m := f.Module()
	if s.domain == 0 {
		s.domain = NewSelfNode(m, m.NewMDString(f.Name()))
	}
	name := f.Name() + ": argument " + strconv.Itoa(number)
	if n := f.NameOf(arg); n != nil {
		name = f.Name() + ": %" + string(n)
	}
	scope = NewSelfNode(m, s.domain, m.NewMDString(name))
	s.args = append(s.args, scopedArg{arg: arg, scope: scope, captured: isCaptured(f, arg)})
	return scope
}

// Describe records in the metadata of the access n of f which arguments its
// original v of c is derived from and which not. Without a copy, n is v and f
// is c.
func (s *AliasScopes) Describe(c *ir.Function, v ir.Value, f *ir.Function, n ir.Value) {
	m := f.Module()
	isCall := c.Op(v).IsCall()
	argsOnly := false
	s.objects.Objects = s.objects.Objects[:0]
	known := true
	if isCall {
		e := analysis.CallMemory(c, v)
		if e.With(ir.InaccessibleMem, 0) == ir.MemoryNone {
			return
		}
		argsOnly = e.With(ir.ArgMem, 0) == ir.MemoryNone
		for _, o := range c.Args(v) {
			if m.IsPtr(c.TypeOf(o.Value)) {
				known = known && s.objects.Find(c, o.Value)
			}
		}
	} else {
		known = s.objects.Find(c, analysis.AccessPointer(c, v))
	}
	if !known {
		return
	}
	captured, other := isCall && !argsOnly, false
	for _, o := range s.objects.Objects {
		switch classifyObject(c, o) {
		case objectNull:
			continue
		case objectUnknown:
			return
		case objectEscape:
			captured = true
		}
		other = other || !slices.ContainsFunc(s.args, func(a scopedArg) bool { return a.arg == o })
	}
	s.list = s.list[:0]
	for _, a := range s.args {
		if !slices.Contains(s.objects.Objects, a.arg) && (!captured || !a.captured) {
			s.list = append(s.list, a.scope)
		}
	}
	s.attach(f, n, ir.MDNoAlias)
	if other || isCall && !argsOnly {
		return
	}
	s.list = s.list[:0]
	for _, a := range s.args {
		if slices.Contains(s.objects.Objects, a.arg) {
			s.list = append(s.list, a.scope)
		}
	}
	s.attach(f, n, ir.MDAliasScope)
}

func (s *AliasScopes) attach(f *ir.Function, n ir.Value, kind ir.MDKind) {
	if len(s.list) > 0 {
		m := f.Module()
		f.SetAttachment(n, kind, Concatenate(m, f.Attachment(n, kind), m.NewTuple(s.list...)))
	}
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
		if len(seen) > analysis.MaxObjects {
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
