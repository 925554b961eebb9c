package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

const (
	spaceUnknown = 0xffff // not inferred yet
	spaceOutside = 0xfffe // not an address expression
)

// spaceInference finds flat pointers that always point to one address space,
// and converts them to pointers to it.
type spaceInference struct {
	f *ir.Function
	m *ir.Module

	space  []uint16   // by value: the address space of an address expression, spaceUnknown, or spaceOutside
	order  []ir.Value // address expressions, after their operands
	stack  []spaceVisit
	onList []bool
	list   []ir.Value
	newV   []ir.Value // by value: its replacement
	fixups []spaceFixup

	assumes []ir.Value // llvm.assume calls about a pointer
	graph   analysis.Graph
	tree    analysis.DomTree
	hasTree bool

	constUses []ir.Use // uses of constants by memory operations and similar instructions

	dead    []ir.Value
	changed bool
}

type spaceVisit struct {
	v    ir.Value
	done bool
}

// spaceFixup is an operand of a new pointer whose value does not exist yet.
type spaceFixup struct {
	user    ir.Value
	operand int
	old     ir.Value
}

// inferAddressSpaces converts flat pointers derived from pointers to one
// address space to pointers to that space (LLVM's infer-address-spaces for
// AMDGPU). Vectors of pointers are unchanged.
func inferAddressSpaces(ctx *Context, f *ir.Function) bool {
	s := Scratch[spaceInference](ctx)
	s.f, s.m, s.changed, s.hasTree = f, f.Module(), false, false
	s.collect()
	s.newV = Sized(s.newV, f.NumValues())
	if len(s.order) != 0 {
		s.infer()
		s.rewrite()
	}
	s.rewriteConstants()
	return s.changed
}

// isFlat reports whether a value is a scalar flat pointer.
func (s *spaceInference) isFlat(v ir.Value) bool { return s.f.TypeOf(v) == ir.Ptr }

// pointerOperands calls visit for the pointer operands of an address
// expression.
func (s *spaceInference) pointerOperands(v ir.Value, visit func(i int, o ir.Value)) {
	f := s.f
	switch f.Op(v) {
	case ir.OpPhi:
		for i := range f.NumIncoming(v) {
			visit(2*i, f.Operand(v, 2*i))
		}
	case ir.OpSelect:
		visit(1, f.Operand(v, 1))
		visit(2, f.Operand(v, 2))
	case ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpGetElementPtr, ir.OpCall:
		visit(0, f.Operand(v, 0))
	case ir.OpIntToPtr:
		visit(0, f.Operand(f.Operand(v, 0), 0))
	}
}

// assumed returns the address space of a pointer loaded from constant memory:
// only the host writes there, and it uses only global pointers. For other
// pointers it returns spaceUnknown.
func (s *spaceInference) assumed(v ir.Value) uint16 {
	if s.f.Op(v) == ir.OpLoad && s.isFlat(v) && s.m.AddrSpace(s.f.TypeOf(s.f.Operand(v, 0))) == addrspace.Constant {
		return addrspace.Global
	}
	return spaceUnknown
}

// isAddress reports whether v is an address expression: its address space
// depends on its operands.
func (s *spaceInference) isAddress(v ir.Value) bool {
	f := s.f
	if !v.IsLocal() || !s.isFlat(v) {
		return false
	}
	switch f.Op(v) {
	case ir.OpPhi, ir.OpSelect, ir.OpBitCast, ir.OpGetElementPtr:
		return true
	case ir.OpAddrSpaceCast:
		return s.m.IsPtr(f.TypeOf(f.Operand(v, 0)))
	case ir.OpCall:
		return f.CalledIntrinsic(v) == ir.IntrPtrmask
	case ir.OpIntToPtr:
		return s.isNoopPair(v)
	}
	return s.assumed(v) != spaceUnknown
}

// isNoopPair reports whether v is an inttoptr of a ptrtoint and neither changes
// the bits.
func (s *spaceInference) isNoopPair(v ir.Value) bool {
	f, m := s.f, s.m
	x := f.Operand(v, 0)
	if !x.IsLocal() || f.Op(x) != ir.OpPtrToInt {
		return false
	}
	p := f.TypeOf(f.Operand(x, 0))
	if !m.IsPtr(p) || !m.IsPtr(f.TypeOf(v)) {
		return false
	}
	from, to := m.AddrSpace(p), m.AddrSpace(f.TypeOf(v))
	n := uint64(m.IntBits(f.TypeOf(x)))
	return m.SizeInBits(p) == n && m.SizeInBits(f.TypeOf(v)) == n && (from == to || noopCast(from, to))
}

// noopCast reports whether a conversion between two address spaces does not change the bits.
func noopCast(from, to uint32) bool {
	isFlat := func(as uint32) bool {
		return as == addrspace.Flat || as == addrspace.Global || as == addrspace.Constant || as > 9
	}
	return isFlat(from) && isFlat(to)
}

// collect finds the address expressions used by memory operations, comparisons
// and similar instructions.
func (s *spaceInference) collect() {
	f := s.f
	s.space = Sized(s.space, f.NumValues())
	for i := range s.space {
		s.space[i] = spaceOutside
	}
	s.order, s.stack, s.assumes = s.order[:0], s.stack[:0], s.assumes[:0]
	s.constUses = s.constUses[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			s.roots(v)
			s.visitStack()
		}
	}
}

// roots pushes the pointers that an instruction uses.
func (s *spaceInference) roots(v ir.Value) {
	f := s.f
	switch op := f.Op(v); op {
	case ir.OpGetElementPtr, ir.OpLoad, ir.OpAtomicRMW, ir.OpCmpXchg, ir.OpAddrSpaceCast, ir.OpRet:
		if f.NumOperands(v) > 0 {
			s.root(v, 0)
		}
	case ir.OpStore:
		s.root(v, 1)
	case ir.OpICmp:
		s.root(v, 0)
		s.root(v, 1)
	case ir.OpIntToPtr:
		if s.isNoopPair(v) {
			s.push(f.Operand(f.Operand(v, 0), 0))
		}
	case ir.OpCall:
		id := f.CalledIntrinsic(v)
		if id == ir.IntrAssume {
			if p, _ := s.predicate(f.Operand(v, 0)); p != ir.None {
				s.assumes = append(s.assumes, v)
			}
		}
		for i := range f.Args(v) {
			if flatOperands.Get()[id]>>i&1 != 0 {
				s.root(v, i)
			}
		}
	}
}

// root pushes operand i of an instruction, or records it if it is a constant.
func (s *spaceInference) root(v ir.Value, i int) {
	o := s.f.Operand(v, i)
	if o.IsConst() && s.isFlat(o) && s.constSpace(o) != addrspace.Flat {
		s.constUses = append(s.constUses, s.f.UseOf(v, i))
		return
	}
	s.push(o)
}

// flatOperands holds, as bit sets, the operands of intrinsics that may be
// pointers to any address space.
var flatOperands = lazy.Value[map[ir.Intrinsic]uint]{Make: func() map[ir.Intrinsic]uint {
	return map[ir.Intrinsic]uint{
		ir.IntrMemcpy: 3, ir.IntrMemcpyInline: 3, ir.IntrMemmove: 3, ir.IntrMemset: 1, ir.IntrMemsetInline: 1,
		ir.IntrObjectsize: 1, ir.IntrPrefetch: 1, ir.IntrMaskedLoad: 1, ir.IntrMaskedStore: 2, ir.IntrPtrmask: 1,
		ir.IntrAMDGCNIsShared: 1, ir.IntrAMDGCNIsPrivate: 1, ir.IntrAMDGCNFlatAtomicFmaxNum: 1, ir.IntrAMDGCNFlatAtomicFminNum: 1,
		ir.IntrAMDGCNMakeBufferRsrc: 1, ir.IntrAMDGCNLoadToLds: 1,
	}
}}

func (s *spaceInference) push(v ir.Value) {
	if s.isAddress(v) && s.space[v] == spaceOutside {
		s.space[v] = spaceUnknown
		s.stack = append(s.stack, spaceVisit{v, false})
	}
}

// visitStack pops the whole stack into order.
func (s *spaceInference) visitStack() {
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		v := top.v
		if top.done {
			s.stack = s.stack[:len(s.stack)-1]
			s.order = append(s.order, v)
			continue
		}
		top.done = true
		if s.assumed(v) == spaceUnknown {
			s.pointerOperands(v, func(_ int, o ir.Value) { s.push(o) })
		}
	}
}

// infer computes the address spaces by fixed-point iteration: all are initially
// unknown and become more general until nothing changes.
func (s *spaceInference) infer() {
	f := s.f
	s.onList = Sized(s.onList, f.NumValues())
	s.list = s.list[:0]
	for i := len(s.order) - 1; i >= 0; i-- {
		s.list = append(s.list, s.order[i])
		s.onList[s.order[i]] = true
	}
	for len(s.list) > 0 {
		v := s.list[len(s.list)-1]
		s.list = s.list[:len(s.list)-1]
		s.onList[v] = false
		as := s.update(v)
		if as == s.space[v] {
			continue
		}
		s.space[v] = as
		for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
			s.again(f.User(u))
			if user := f.User(u); f.Op(user) == ir.OpPtrToInt {
				for w := f.FirstUse(user); w != 0; w = f.NextUse(w) {
					s.again(f.User(w))
				}
			}
		}
	}
}

// again puts an address expression back on the work list after an operand
// changed.
func (s *spaceInference) again(v ir.Value) {
	if s.space[v] < spaceOutside && s.space[v] != addrspace.Flat || s.space[v] == spaceUnknown {
		if !s.onList[v] {
			s.onList[v] = true
			s.list = append(s.list, v)
		}
	}
}

func joinSpaces(a, b uint16) uint16 {
	switch {
	case a == spaceUnknown:
		return b
	case b == spaceUnknown || a == b:
		return a
	}
	return addrspace.Flat
}

// spaceOf returns the currently known address space of an operand.
func (s *spaceInference) spaceOf(o ir.Value) uint16 {
	if o.IsLocal() {
		if as := s.space[o]; as != spaceOutside {
			return as
		}
		return uint16(s.m.AddrSpace(s.f.TypeOf(o)))
	}
	return s.constSpace(o)
}

// constSpace returns the address space that a constant points to.
func (s *spaceInference) constSpace(c ir.Value) uint16 {
	m := s.m
	as := uint16(m.AddrSpace(m.TypeOfConst(c)))
	if as != addrspace.Flat || m.ConstKindOf(c) != ir.ConstExpr {
		return as
	}
	switch m.Const(c).Op {
	case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast:
		return s.constSpace(m.ConstOperands(c)[0])
	}
	return as
}

// update recomputes the address space of an address expression.
func (s *spaceInference) update(v ir.Value) uint16 {
	f := s.f
	if as := s.assumed(v); as != spaceUnknown {
		return as
	}
	if f.Op(v) == ir.OpSelect {
		return s.updateSelect(f.Operand(v, 1), f.Operand(v, 2))
	}
	as := uint16(spaceUnknown)
	constants := false
	s.pointerOperands(v, func(_ int, o ir.Value) {
		p := s.spaceOf(o)
		switch {
		case p == addrspace.Flat && o.IsConst():
			constants = true
			return
		case p == addrspace.Flat && s.isOutside(o):
			if known := s.predicated(o, v); known != spaceUnknown {
				p = known
			}
		}
		as = joinSpaces(as, p)
	})
	if constants && as != addrspace.Flat && as != spaceUnknown {
		s.pointerOperands(v, func(_ int, o ir.Value) {
			if o.IsConst() && !s.canCast(o, as) {
				as = addrspace.Flat
			}
		})
	}
	if as != spaceUnknown && as != addrspace.Flat && f.Op(v) == ir.OpCall && !s.fitsMask(v, as) {
		return addrspace.Flat
	}
	return as
}

// fitsMask reports whether llvm.ptrmask has the same effect on a flat pointer
// and on a pointer to an address space. A 32-bit pointer is the low half, so
// the mask must preserve the high half.
func (s *spaceInference) fitsMask(v ir.Value, as uint16) bool {
	if noopCast(addrspace.Flat, uint32(as)) {
		return true
	}
	_, one := known.Bits(s.f, s.f.Operand(v, 1), known.MaxDepth)
	return s.m.Layout().Pointer(uint32(as)).IndexBits == 32 && one>>32 == 1<<32-1
}

// isOutside reports whether a local value is not an address expression.
func (s *spaceInference) isOutside(v ir.Value) bool { return v.IsLocal() && s.space[v] == spaceOutside }

func (s *spaceInference) updateSelect(x, y ir.Value) uint16 {
	a, b := s.spaceOf(x), s.spaceOf(y)
	switch {
	case y.IsConst() && a == spaceUnknown, x.IsConst() && b == spaceUnknown:
		return spaceUnknown
	case x.IsConst() && s.canCast(x, b):
		return b
	case y.IsConst() && s.canCast(y, a):
		return a
	}
	return joinSpaces(a, b)
}

// canCast reports whether a constant pointer can be converted to another
// address space.
func (s *spaceInference) canCast(c ir.Value, as uint16) bool {
	m := s.m
	from := uint16(m.AddrSpace(m.TypeOfConst(c)))
	kind := m.ConstKindOf(c)
	switch {
	case from == as || kind == ir.ConstUndef || kind == ir.ConstPoison:
		return true
	case from != addrspace.Flat && as != addrspace.Flat:
		return false
	case kind == ir.ConstZero:
		return true
	case kind != ir.ConstExpr:
		return false
	}
	switch m.Const(c).Op {
	case ir.OpAddrSpaceCast:
		return s.canCast(m.ConstOperands(c)[0], as)
	case ir.OpIntToPtr:
		return from == addrspace.Flat
	case ir.OpGetElementPtr:
		return s.constSpace(c) == as
	}
	return false
}

// predicate returns the pointer that points to an address space if a condition
// holds (getPredicatedAddrSpace).
func (s *spaceInference) predicate(cond ir.Value) (p ir.Value, as uint16) {
	f := s.f
	if !cond.IsLocal() {
		return ir.None, 0
	}
	switch f.CalledIntrinsic(cond) {
	case ir.IntrAMDGCNIsShared:
		return f.Operand(cond, 0), addrspace.Local
	case ir.IntrAMDGCNIsPrivate:
		return f.Operand(cond, 0), addrspace.Private
	}
	if f.Op(cond) != ir.OpAnd {
		return ir.None, 0
	}
	x, idX := s.negated(f.Operand(cond, 0))
	y, idY := s.negated(f.Operand(cond, 1))
	if x != ir.None && x == y && idX != idY {
		return x, addrspace.Global
	}
	return ir.None, 0
}

// negated returns the pointer and the intrinsic of "not is.shared(p)" and "not
// is.private(p)".
func (s *spaceInference) negated(v ir.Value) (ir.Value, ir.Intrinsic) {
	f := s.f
	if v.IsLocal() && f.Op(v) == ir.OpXor && f.Operand(v, 0).IsLocal() {
		call := f.Operand(v, 0)
		id := f.CalledIntrinsic(call)
		if one, ok := s.m.IntValue(f.Operand(v, 1)); ok && one == 1 && (id == ir.IntrAMDGCNIsShared || id == ir.IntrAMDGCNIsPrivate) {
			return f.Operand(call, 0), id
		}
	}
	return ir.None, ir.NoIntrinsic
}

// predicated returns the address space of a pointer according to the
// assumptions that hold at user, or spaceUnknown.
func (s *spaceInference) predicated(p, user ir.Value) uint16 {
	for _, a := range s.assumes {
		q, as := s.predicate(s.f.Operand(a, 0))
		if q != p {
			continue
		}
		if !s.hasTree {
			s.graph.ResetCFG(s.f)
			s.tree.Reset(&s.graph)
			s.hasTree = true
		}
		if s.f.Op(user) != ir.OpPhi && analysis.Dominates(&s.tree, s.f, a, user) {
			return as
		}
	}
	return spaceUnknown
}
