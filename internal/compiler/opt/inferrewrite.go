package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
)

// rewrite creates the new pointers and replaces the uses of the old ones.
func (s *spaceInference) rewrite() {
	f := s.f
	s.fixups, s.dead = s.fixups[:0], s.dead[:0]
	for _, v := range s.order {
		if as := s.space[v]; as != addrspace.Flat && as != spaceUnknown {
			s.newV[v] = s.clone(v, s.m.PtrType(uint32(as)))
		}
	}
	for _, x := range s.fixups {
		if n := s.newV[x.old]; n != ir.None {
			f.SetOperand(x.user, x.operand, n)
		}
	}
	for _, v := range s.order {
		if s.newV[v] != ir.None {
			s.changed = true
			s.replaceUses(v)
		}
	}
	s.eraseOld()
}

// rewriteConstants replaces flat constant pointers in memory operations by
// pointers to their address spaces.
func (s *spaceInference) rewriteConstants() {
	f := s.f
	s.dead = s.dead[:0]
	for _, u := range s.constUses {
		user := f.User(u)
		if f.Op(user) == ir.OpNone || f.Op(user) == ir.OpGetElementPtr || f.Op(user) == ir.OpAddrSpaceCast || f.Op(user) == ir.OpRet {
			continue
		}
		if c := f.Operand(user, f.UseIndex(u)); c.IsConst() && s.isFlat(c) && s.constSpace(c) != addrspace.Flat {
			n := castConst(s.m, c, s.m.PtrType(uint32(s.constSpace(c))))
			s.changed = s.replaceUse(n, u) || s.changed
		}
	}
	s.eraseDead()
}

// pointer returns an operand of an address expression as a pointer of type t:
// the new pointer, or a conversion before its user.
func (s *spaceInference) pointer(o ir.Value, t ir.Type, old ir.Value) ir.Value {
	f, m := s.f, s.m
	switch {
	case o.IsConst():
		return castConst(m, o, t)
	case f.TypeOf(o) == t:
		return o
	case s.space[o] != spaceOutside:
		return s.newV[o] // None if created later
	}
	var b ir.Builder
	b.F = f
	b.Before(old)
	return b.Cast(ir.OpAddrSpaceCast, o, t, 0)
}

// castConst converts a constant pointer to another address space.
func castConst(m *ir.Module, c ir.Value, t ir.Type) ir.Value {
	if m.TypeOfConst(c) == t {
		return c
	}
	switch m.ConstKindOf(c) {
	case ir.ConstUndef:
		return m.Undef(t)
	case ir.ConstPoison:
		return m.Poison(t)
	}
	if source, flags, ops, from, _ := m.GEPExpr(c); ops != nil && from == ir.None && m.ConstKindOf(ops[0]) == ir.ConstExpr {
		list := slices.Clone(ops)
		list[0] = castConst(m, ops[0], t)
		return m.GEP(source, flags, list...)
	}
	return m.Cast(ir.OpAddrSpaceCast, c, t)
}

// clone creates the replacement for an address expression in the inferred
// address space.
func (s *spaceInference) clone(v ir.Value, t ir.Type) ir.Value {
	f := s.f
	var b ir.Builder
	b.F = f
	if s.assumed(v) != spaceUnknown {
		b.Before(f.Next(v))
		b.Loc = f.Instr(v).Loc
		return b.Cast(ir.OpAddrSpaceCast, v, t, 0)
	}
	switch f.Op(v) {
	case ir.OpAddrSpaceCast, ir.OpBitCast:
		return s.same(f.Operand(v, 0), t, v)
	case ir.OpIntToPtr:
		return s.same(f.Operand(f.Operand(v, 0), 0), t, v)
	case ir.OpCall:
		return s.cloneMask(v, t)
	}
	var few [8]ir.Value
	ops := few[:0]
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
	}
	s.pointerOperands(v, func(i int, o ir.Value) {
		if ops[i] = s.pointer(o, t, v); ops[i] == ir.None {
			ops[i] = s.m.Poison(t)
		}
	})
	n := f.NewInstr(f.Op(v), t, ops...)
	in, old := f.Instr(n), f.Instr(v)
	in.Sub, in.Flags, in.X, in.Loc = old.Sub, old.Flags, old.X, old.Loc
	if in.Op == ir.OpGetElementPtr { // the sum of unsigned offsets may wrap in fewer bits
		if in.Flags &= ir.InBounds | ir.NUSW; in.Flags&ir.InBounds == 0 {
			in.Flags = 0
		}
	}
	f.CopyAttachments(n, v)
	f.InsertBefore(n, v)
	if name := f.NameOf(v); name != nil {
		f.SetName(n, name)
	}
	s.pointerOperands(v, func(i int, o ir.Value) {
		if o.IsLocal() && f.TypeOf(o) != t && s.space[o] != spaceOutside && s.newV[o] == ir.None {
			s.fixups = append(s.fixups, spaceFixup{n, i, o})
		}
	})
	return n
}

// same returns the replacement for a conversion of o, or a new conversion if
// o's replacement does not exist yet.
func (s *spaceInference) same(o ir.Value, t ir.Type, v ir.Value) ir.Value {
	if p := s.pointer(o, t, v); p != ir.None {
		return p
	}
	n := s.f.NewInstr(ir.OpBitCast, t, s.m.Poison(t))
	s.f.InsertBefore(n, v)
	s.fixups = append(s.fixups, spaceFixup{n, 0, o})
	return n
}

// cloneMask creates llvm.ptrmask in another address space.
func (s *spaceInference) cloneMask(v ir.Value, t ir.Type) ir.Value {
	f, m := s.f, s.m
	var b ir.Builder
	b.F = f
	b.Before(v)
	mask := f.Operand(v, 1)
	if !noopCast(addrspace.Flat, m.AddrSpace(t)) {
		if x, ok := m.IntValue(mask); ok {
			mask = m.NewInt(ir.I32, x)
		} else {
			mask = b.Cast(ir.OpTrunc, mask, ir.I32, 0)
		}
	}
	p := s.same(f.Operand(v, 0), t, v)
	return b.Call(m.DeclareIntrinsic(ir.IntrPtrmask, t, f.TypeOf(mask)), p, mask)
}

// replaceUses replaces the uses of an old pointer by the new one.
func (s *spaceInference) replaceUses(v ir.Value) {
	f := s.f
	flat := ir.None
	for u := f.FirstUse(v); u != 0; {
		next := f.NextUse(u)
		if user := f.User(u); user != s.newV[v] && !s.isReplaced(user) && !s.replaceUse(s.newV[v], u) && f.Op(v) != ir.OpAddrSpaceCast {
			if flat == ir.None {
				flat = s.flatCopy(v)
			}
			f.SetUse(u, flat)
		}
		u = next
	}
}

// isReplaced reports whether an instruction is an address expression that is
// removed.
func (s *spaceInference) isReplaced(v ir.Value) bool {
	return int(v) < len(s.newV) && s.newV[v] != ir.None && s.assumed(v) == spaceUnknown
}

// flatCopy casts the replacement of a value back to a flat pointer.
func (s *spaceInference) flatCopy(v ir.Value) ir.Value {
	f := s.f
	n := s.newV[v]
	if n.IsConst() {
		return s.m.Cast(ir.OpAddrSpaceCast, n, ir.Ptr)
	}
	if s.assumed(v) != spaceUnknown {
		return v
	}
	at := f.Next(v)
	if f.Op(v) == ir.OpPhi {
		at = f.FirstNonPhi(f.Parent(v))
	}
	var b ir.Builder
	b.F = f
	b.Before(at)
	b.Loc = f.Instr(v).Loc
	return b.Cast(ir.OpAddrSpaceCast, n, ir.Ptr, 0)
}

// replaceUse replaces one use if the user accepts pointers to the new address
// space.
func (s *spaceInference) replaceUse(n ir.Value, u ir.Use) bool {
	f := s.f
	user, i := f.User(u), f.UseIndex(u)
	switch f.Op(user) {
	case ir.OpLoad, ir.OpAtomicRMW, ir.OpCmpXchg:
		if i != 0 || f.IsVolatile(user) {
			return false
		}
		f.SetUse(u, n)
		return true
	case ir.OpStore:
		if i != 1 || f.IsVolatile(user) {
			return false
		}
		f.SetUse(u, n)
		return true
	case ir.OpICmp:
		return s.replaceCompare(user, i, n)
	case ir.OpAddrSpaceCast:
		if f.TypeOf(user) != f.TypeOf(n) {
			return false
		}
		if f.HasUses(user) {
			f.ReplaceUses(user, n)
		}
		s.dead = append(s.dead, user)
		return true
	case ir.OpCall:
		return s.replaceArgument(user, i, n)
	}
	return false
}

// replaceCompare compares pointers of one address space.
func (s *spaceInference) replaceCompare(cmp ir.Value, i int, n ir.Value) bool {
	f := s.f
	t := f.TypeOf(n)
	other := f.Operand(cmp, 1-i)
	switch {
	case other.IsConst():
		if !s.canCast(other, uint16(s.m.AddrSpace(t))) {
			return false
		}
		other = castConst(s.m, other, t)
	case f.TypeOf(other) == t: // already replaced
	case int(other) < len(s.newV) && s.newV[other] != ir.None && f.TypeOf(s.newV[other]) == t:
		other = s.newV[other]
	default:
		return false
	}
	f.SetOperand(cmp, 1-i, other)
	f.SetOperand(cmp, i, n)
	return true
}

// replaceArgument replaces the argument of an intrinsic that is overloaded on
// its pointer type.
func (s *spaceInference) replaceArgument(call ir.Value, i int, n ir.Value) bool {
	f, m := s.f, s.m
	id := f.CalledIntrinsic(call)
	switch {
	case i >= len(f.Args(call)) || flatOperands.Get()[id]>>i&1 == 0 || id == ir.IntrPtrmask:
		return false
	case id == ir.IntrAMDGCNIsShared || id == ir.IntrAMDGCNIsPrivate:
		want := uint32(addrspace.Local)
		if id == ir.IntrAMDGCNIsPrivate {
			want = addrspace.Private
		}
		if f.HasUses(call) {
			f.ReplaceUses(call, m.NewBool(m.AddrSpace(f.TypeOf(n)) == want))
		}
		s.dead = append(s.dead, call)
		return true
	case isVolatileCall(f, call, id):
		return false
	}
	info := m.TypeInfo(f.CallType(call))
	params := slices.Clone(info.Elems)
	params[i] = f.TypeOf(n)
	t := m.FuncType(info.Elem, params, false)
	over, ok := m.MatchIntrinsic(id, t)
	if !ok {
		return false
	}
	g := m.DeclareIntrinsic(id, over...)
	f.SetOperand(call, i, n)
	f.SetOperand(call, f.NumOperands(call)-1, g.Value())
	f.Instr(call).X = uint32(g.Global.Type)
	return true
}

// isVolatileCall reports whether a memory intrinsic is volatile.
func isVolatileCall(f *ir.Function, call ir.Value, id ir.Intrinsic) bool {
	switch id {
	case ir.IntrMemcpy, ir.IntrMemcpyInline, ir.IntrMemmove, ir.IntrMemset, ir.IntrMemsetInline:
		x, ok := f.Module().IntValue(f.Operand(call, 3))
		return !ok || x != 0
	}
	return false
}

// eraseOld removes the replaced address expressions and the conversions between
// them.
func (s *spaceInference) eraseOld() {
	f := s.f
	s.eraseDead()
	// remove expressions with only old users: each loses its operands first
	for i := len(s.order) - 1; i >= 0; i-- {
		v := s.order[i]
		if s.newV[v] == ir.None || !s.isReplaced(v) || s.isNeeded(v) {
			continue
		}
		if f.Op(v) == ir.OpIntToPtr {
			s.dead = append(s.dead, f.Operand(v, 0))
		}
		for i, o := range f.Operands(v) {
			if o.Value.IsLocal() {
				f.SetOperand(v, i, ir.None)
			}
		}
	}
	for _, v := range s.order {
		if s.newV[v] == ir.None || !s.isReplaced(v) || f.HasUses(v) {
			continue
		}
		f.Erase(v)
	}
	s.eraseDead()
}

// eraseDead removes the recorded values without uses.
func (s *spaceInference) eraseDead() {
	f := s.f
	for _, v := range s.dead {
		if f.Op(v) != ir.OpNone && !f.HasUses(v) && !(int(v) < len(s.newV) && s.newV[v] != ir.None) {
			f.Erase(v)
		}
	}
}

// isNeeded reports whether a remaining instruction uses an old address
// expression.
func (s *spaceInference) isNeeded(v ir.Value) bool {
	f := s.f
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if !s.isReplaced(f.User(u)) {
			return true
		}
	}
	return false
}
