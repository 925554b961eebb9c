package analysis

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
)

// AliasResult is the relation between two memory locations.
type AliasResult uint8

const (
	MayAlias     AliasResult = iota // no relation is known
	NoAlias                         // the locations share no memory
	PartialAlias                    // the locations overlap
	MustAlias                       // the locations start at the same address
)

var aliasNames = [...]string{"MayAlias", "NoAlias", "PartialAlias", "MustAlias"}

func (r AliasResult) String() string { return aliasNames[r] }

// UnknownSize is the size of a location that starts at its pointer and has an
// unknown end. AnySize is the size of a location that may also start before its
// pointer.
const (
	UnknownSize = ^uint64(0)
	AnySize     = ^uint64(0) - 1
)

// Location is the memory of an access: Size bytes starting at Ptr, with the
// metadata of the access.
type Location struct {
	Ptr                  ir.Value
	Size                 uint64
	TBAA, Scope, NoAlias ir.Metadata // tbaa, alias.scope, noalias
}

// ModRef is the set of accesses that an instruction may make: writes (Mod) and
// reads (Ref).
type ModRef uint8

const (
	Ref      ModRef = 1
	Mod      ModRef = 2
	NoModRef ModRef = 0
	AnyRef   ModRef = 3
)

// maxQueries bounds the pairs of values that one query examines: nested phis
// have many.
const maxQueries = 256

// Alias answers queries about the memory accesses of a function. It combines
// LLVM's BasicAA, ScopedNoAliasAA, TypeBasedAA and AMDGPUAA. Every query
// examines the function in its current state. Only the captures of allocas and
// noalias calls are cached. Call Reset after adding code that captures a
// pointer.
type Alias struct {
	f        *ir.Function
	m        *ir.Module
	captured []uint8    // by value: 0 unknown, 1 not captured, 2 captured
	work     []ir.Value // scratch
	seen     []ir.Value

	one, two     linearOffset // scratch
	joinDepth    int          // phis and selects that the query has gone through
	left         int          // remaining sub-queries
	crossesLoops bool         // the values may be from different iterations
}

// NewAlias returns an Alias for f.
func NewAlias(f *ir.Function) *Alias {
	a := &Alias{}
	a.Reset(f)
	return a
}

// Reset prepares a for f, as NewAlias does, and reuses its memory.
func (a *Alias) Reset(f *ir.Function) {
	a.f, a.m = f, f.Module()
	a.captured = zeroed(a.captured, f.NumValues())
}

// LocationOf returns the memory that a load, store, va_arg, cmpxchg or
// atomicrmw accesses. ok is false for other instructions.
func (a *Alias) LocationOf(v ir.Value) (l Location, ok bool) {
	f := a.f
	t := f.TypeOf(v)
	switch f.Op(v) {
	case ir.OpLoad, ir.OpAtomicRMW:
		l.Ptr = f.Operand(v, 0)
	case ir.OpStore:
		l.Ptr, t = f.Operand(v, 1), f.TypeOf(f.Operand(v, 0))
	case ir.OpCmpXchg:
		l.Ptr, t = f.Operand(v, 0), f.TypeOf(f.Operand(v, 1))
	case ir.OpVAArg:
		l.Ptr, t = f.Operand(v, 0), ir.NoType
	default:
		return l, false
	}
	l.Size = UnknownSize
	if t != ir.NoType && a.m.IsSized(t) {
		l.Size = a.m.StoreSize(t)
	}
	if f.HasAttachments(v) {
		l.TBAA, l.Scope, l.NoAlias = f.Attachment(v, ir.MDTBAA), f.Attachment(v, ir.MDAliasScope), f.Attachment(v, ir.MDNoAlias)
	}
	return l, true
}

// aliasRules lists, for each AMDGPU address space, the address spaces that it
// may share memory with, indexed by the smaller number. Address spaces from 10
// on are unknown and may alias all others. Constant memory does not alias
// itself, because no access writes it.
var aliasRules = [10]uint16{
	addrspace.Flat:       0b11_1111_1011,
	addrspace.Global:     0b11_1101_0011,
	addrspace.Region:     0b00_0000_0100,
	addrspace.Local:      0b00_0000_1001,
	addrspace.Constant:   0b11_1100_0011,
	addrspace.Private:    0b00_0010_0001,
	addrspace.Constant32: 0b11_1001_0011,
	addrspace.Buffer:     0b11_1101_0011,
	addrspace.Resource:   0b11_1101_0011,
	addrspace.Strided:    0b11_1101_0011,
}

func spacesMayAlias(x, y uint32) bool {
	return x >= uint32(len(aliasRules)) || y >= uint32(len(aliasRules)) || aliasRules[x]>>y&1 != 0
}

func isConstantSpace(as uint32) bool { return as == addrspace.Constant || as == addrspace.Constant32 }

// Alias returns the relation between two locations at one point in time. Inside
// a loop, both are in the same iteration.
func (a *Alias) Alias(x, y Location) AliasResult {
	r := a.ask(x, y, false)
	if r == MayAlias && (!a.scopesAlias(x.Scope, y.NoAlias) || !a.scopesAlias(y.Scope, x.NoAlias)) {
		return NoAlias
	}
	return r
}

// AliasAcross returns the relation between two locations that may be in
// different iterations of the loops around them. It ignores alias scopes,
// because a scope may be limited to one iteration.
func (a *Alias) AliasAcross(x, y Location) AliasResult { return a.ask(x, y, true) }

// ask is Alias without alias scopes.
func (a *Alias) ask(x, y Location, across bool) AliasResult {
	a.m.Guard().Check()
	a.joinDepth, a.left, a.crossesLoops = 0, maxQueries, across
	if r := a.alias(x.Ptr, x.Size, y.Ptr, y.Size); r != MayAlias {
		return r
	}
	if a.inConstantSpaces(x.Ptr, y.Ptr) || !a.typesAlias(x.TBAA, y.TBAA) { // nothing writes constant memory
		return NoAlias
	}
	return MayAlias
}

func (a *Alias) inConstantSpaces(x, y ir.Value) bool {
	p, q := a.m.AddrSpace(a.f.TypeOf(x)), a.m.AddrSpace(a.f.TypeOf(y))
	return isConstantSpace(p) && isConstantSpace(q) && !spacesMayAlias(p, q)
}

// spacesAlias compares the address spaces of the pointers with casts removed. A
// flat pointer from the host does not point to LDS or scratch.
func (a *Alias) spacesAlias(x, y ir.Value) bool {
	f := a.f
	x, y = withoutCasts(f, x), withoutCasts(f, y)
	p, q := a.m.AddrSpace(f.TypeOf(x)), a.m.AddrSpace(f.TypeOf(y))
	if !spacesMayAlias(p, q) && !(isConstantSpace(p) && isConstantSpace(q)) {
		return false
	}
	if q == addrspace.Flat {
		p, q, x = q, p, y
	}
	if p == addrspace.Flat && (q == addrspace.Local || q == addrspace.Private) {
		o := UnderlyingObject(f, x)
		return !a.fromHost(o)
	}
	return true
}

// fromHost reports whether the host provided a pointer: it is a kernel argument
// or was loaded from constant memory.
func (a *Alias) fromHost(v ir.Value) bool {
	f := a.f
	if !v.IsLocal() {
		return false
	}
	switch f.Op(v) {
	case ir.OpArg:
		return f.CC.IsKernel()
	case ir.OpLoad:
		return isConstantSpace(a.m.AddrSpace(f.TypeOf(f.Operand(v, 0))))
	}
	return false
}

// withoutCasts removes getelementptr and address space casts from a pointer
// until the address space is not flat.
func withoutCasts(f *ir.Function, v ir.Value) ir.Value {
	m := f.Module()
	best := v
	for range maxLookup {
		e := pointerExpr(f, v)
		if e.op == ir.OpNone {
			break
		}
		v = e.base
		if m.AddrSpace(f.TypeOf(best)) == addrspace.Flat {
			best = v
		}
	}
	return best
}

// alias compares two pointers by the operations that compute them.
func (a *Alias) alias(x ir.Value, xs uint64, y ir.Value, ys uint64) AliasResult {
	if xs == 0 || ys == 0 {
		return NoAlias
	}
	if a.left--; a.left < 0 {
		return MayAlias
	}
	f, m := a.f, a.m
	x, y = stripCasts(f, x), stripCasts(f, y)
	if isUndef(m, x) || isUndef(m, y) {
		return NoAlias
	}
	if x == y && a.sameMoment(x) {
		return MustAlias
	}
	if !a.spacesAlias(x, y) {
		return NoAlias
	}
	ox, oy := UnderlyingObject(f, x), UnderlyingObject(f, y)
	if a.isNull(ox) || a.isNull(oy) {
		return NoAlias
	}
	if ox != oy && a.differentObjects(ox, oy) {
		return NoAlias
	}
	if a.biggerThan(xs, oy) || a.biggerThan(ys, ox) {
		return NoAlias
	}
	if r := a.aliasOffsets(x, xs, y, ys); r != MayAlias {
		return r
	}
	if r := a.aliasJoin(x, xs, y, ys); r != MayAlias {
		return r
	}
	if r := a.aliasJoin(y, ys, x, xs); r != MayAlias {
		return r
	}
	if ox == oy && a.sameMoment(ox) && xs < AnySize && ys < AnySize && (a.coversObject(xs, ox) || a.coversObject(ys, oy)) {
		return PartialAlias
	}
	return MayAlias
}

// stripCasts removes casts and getelementptr instructions whose offset is zero.
func stripCasts(f *ir.Function, v ir.Value) ir.Value {
	for range maxLookup {
		e := pointerExpr(f, v)
		switch e.op {
		case ir.OpNone:
			if v.IsLocal() && f.Op(v).IsCall() {
				switch f.CalledIntrinsic(v) {
				case ir.IntrLaunderInvariantGroup, ir.IntrStripInvariantGroup:
					v = f.Operand(v, 0)
					continue
				}
				if r := returnedArg(f, v); r != ir.None {
					v = r
					continue
				}
			}
			return v
		case ir.OpGetElementPtr:
			n, isConst := int64(0), true
			if !e.offsets(f, func(scale int64, index ir.Value) { n += scale; isConst = isConst && index == ir.None }) || !isConst || n != 0 {
				return v
			}
		}
		v = e.base
	}
	return v
}

func isUndef(m *ir.Module, v ir.Value) bool {
	k := m.ConstKindOf(v)
	return k == ir.ConstUndef || k == ir.ConstPoison
}

// sameMoment reports whether all mentions of a value in this query refer to the
// same execution of it.
func (a *Alias) sameMoment(v ir.Value) bool {
	if !a.crossesLoops || !v.IsLocal() || a.f.Op(v) == ir.OpArg {
		return true
	}
	b := a.f.Parent(v)
	return b == a.f.Entry() && a.f.FirstPred(b) == 0
}

// isNull reports whether a pointer is null in the flat space, where null is not
// a valid address.
func (a *Alias) isNull(v ir.Value) bool {
	if !v.IsConst() || !a.m.IsZero(v) || a.m.AddrSpace(a.m.TypeOfConst(v)) != addrspace.Flat {
		return false
	}
	return !a.m.HasAttr(a.m.AttrsAt(a.f.Attributes, ir.AttrFunction), ir.AttrNullPointerIsValid)
}

// isAlloca and the functions below classify the object that a pointer without a
// base points to.
func (a *Alias) isAlloca(v ir.Value) bool { return v.IsLocal() && a.f.Op(v) == ir.OpAlloca }

func (a *Alias) isNoAliasCall(v ir.Value) bool {
	return v.IsLocal() && a.f.Op(v).IsCall() && callHasAttr(a.f, v, ir.AttrResult, ir.AttrNoAlias)
}

func (a *Alias) isArg(v ir.Value) bool { return v.IsLocal() && a.f.Op(v) == ir.OpArg }

func (a *Alias) argHasAttr(v ir.Value, k ir.AttrKind) bool {
	return a.isArg(v) && a.m.HasAttr(a.m.AttrsAt(a.f.Attributes, ir.AttrParams+int(a.f.Instr(v).X)), k)
}

// isLocalObject reports whether an object belongs to the function: no other
// code can refer to it before its address escapes.
func (a *Alias) isLocalObject(v ir.Value) bool {
	return a.isAlloca(v) || a.isNoAliasCall(v) || a.argHasAttr(v, ir.AttrNoAlias) || a.argHasAttr(v, ir.AttrByVal)
}

func (a *Alias) isGlobalObject(v ir.Value) bool {
	g := a.m.ConstGlobal(v)
	return g != nil && (g.Kind == ir.GlobalVar || g.Kind == ir.GlobalFunc)
}

// isIdentified reports whether distinct objects of this kind occupy distinct
// memory.
func (a *Alias) isIdentified(v ir.Value) bool { return a.isLocalObject(v) || a.isGlobalObject(v) }

// differentObjects reports whether two distinct objects share no memory.
func (a *Alias) differentObjects(x, y ir.Value) bool {
	ix, iy := a.isIdentified(x), a.isIdentified(y)
	switch {
	case ix && iy:
		return true
	case x.IsConst() && iy && !y.IsConst(), y.IsConst() && ix && !x.IsConst():
		return true
	case a.isArg(x) && a.isLocalObject(y), a.isArg(y) && a.isLocalObject(x):
		return true
	case a.isEscapeSource(x) && a.isUnescaped(y), a.isEscapeSource(y) && a.isUnescaped(x):
		return true
	}
	return false
}

// isEscapeSource reports whether a pointer can point to a local object only
// if the object's address has escaped.
func (a *Alias) isEscapeSource(v ir.Value) bool {
	if !v.IsLocal() {
		return false
	}
	switch op := a.f.Op(v); op {
	case ir.OpLoad, ir.OpIntToPtr, ir.OpExtractValue, ir.OpExtractElement:
		return true
	default:
		return op.IsCall() && passedThrough(a.f, v) == ir.None
	}
}

// isUnescaped reports whether an object is local and its address never leaves
// the function.
func (a *Alias) isUnescaped(v ir.Value) bool {
	if a.isAlloca(v) || a.isNoAliasCall(v) || a.argHasAttr(v, ir.AttrByVal) || a.argHasAttr(v, ir.AttrNoAlias) {
		return !a.Captured(v)
	}
	return false
}

// objectSize returns the size of an object in bytes. The result is false if the
// size is unknown.
func (a *Alias) objectSize(v ir.Value) (uint64, bool) {
	m, f := a.m, a.f
	t := ir.NoType
	n := uint64(1)
	switch {
	case a.isAlloca(v):
		t = f.AllocatedType(v)
		count, ok := m.IntValue(f.Operand(v, 0))
		if !ok {
			return 0, false
		}
		n = count
	case v.IsConst():
		g := m.ConstGlobal(v)
		if g == nil || g.Kind != ir.GlobalVar || g.IsDeclaration() || g.Linkage.IsInterposable() {
			return 0, false
		}
		t = g.Type
	case a.isArg(v):
		attr, ok := m.Attr(m.AttrsAt(f.Attributes, ir.AttrParams+int(f.Instr(v).X)), ir.AttrByVal)
		if !ok {
			return 0, false
		}
		t = attr.Type
	}
	if t == ir.NoType || !m.IsSized(t) {
		return 0, false
	}
	size := m.AllocSize(t)
	if n != 0 && size > (1<<62)/n {
		return 0, false
	}
	return size * n, true
}

// biggerThan reports whether an access of size bytes does not fit in an object.
func (a *Alias) biggerThan(size uint64, object ir.Value) bool {
	if size >= AnySize {
		return false
	}
	n, ok := a.objectSize(object)
	if !ok || n >= size {
		return false
	}
	align := objectAlign(a.f, object)
	return (n+align-1)&^(align-1) < size // padding may also be read
}

// coversObject reports whether an access of size bytes inside an object covers
// all of it.
func (a *Alias) coversObject(size uint64, object ir.Value) bool {
	if size >= AnySize {
		return false
	}
	n, ok := a.objectSize(object)
	return ok && n == size
}
