package ir

import "math/bits"

// MemInfo holds the properties of a load, store, alloca or atomic operation
// that are not operands.
type MemInfo struct {
	Align    uint32    // in bytes, a power of two; 0 if unspecified (fence)
	Ordering Ordering  // NotAtomic for operations that are not atomic
	Failure  Ordering  // cmpxchg
	Scope    SyncScope // System for operations that are not atomic
	Volatile bool      // "volatile"
	Weak     bool      // cmpxchg
	InAlloca bool      // alloca
	SwiftErr bool      // alloca
}

// Layout of MemInfo in Y: alignment as log2 plus one (6 bits), ordering (3),
// failure ordering (3), four flags, scope (12).
const (
	memVolatile = 1 << 12
	memWeak     = 1 << 13
	memInAlloca = 1 << 14
	memSwiftErr = 1 << 15
)

func (mi MemInfo) pack() uint32 {
	if mi.Ordering == NotAtomic {
		mi.Scope = System
	}
	y := uint32(bits.Len32(mi.Align)) | uint32(mi.Ordering)<<6 | uint32(mi.Failure)<<9 | uint32(mi.Scope)<<16
	if mi.Volatile {
		y |= memVolatile
	}
	if mi.Weak {
		y |= memWeak
	}
	if mi.InAlloca {
		y |= memInAlloca
	}
	if mi.SwiftErr {
		y |= memSwiftErr
	}
	return y
}

// MemInfo returns the memory properties of an alloca, load, store, fence,
// cmpxchg or atomicrmw.
func (f *Function) MemInfo(v Value) MemInfo {
	y := f.instrs[v].Y
	return MemInfo{
		Align: alignOf(y), Ordering: Ordering(y >> 6 & 7), Failure: Ordering(y >> 9 & 7), Scope: SyncScope(y >> 16),
		Volatile: y&memVolatile != 0, Weak: y&memWeak != 0, InAlloca: y&memInAlloca != 0, SwiftErr: y&memSwiftErr != 0,
	}
}

func alignOf(y uint32) uint32 {
	if y&63 == 0 {
		return 0
	}
	return 1 << (y&63 - 1)
}

// SetMemInfo sets the memory properties that MemInfo returns.
func (f *Function) SetMemInfo(v Value, mi MemInfo) { f.instrs[v].Y = mi.pack() }

// Align returns the alignment in bytes of an alloca or memory access.
func (f *Function) Align(v Value) uint32 { return alignOf(f.instrs[v].Y) }

// IsVolatile reports whether a load, store, cmpxchg or atomicrmw is volatile.
func (f *Function) IsVolatile(v Value) bool { return f.instrs[v].Y&memVolatile != 0 }

// IsAtomic reports whether a load or store has an ordering.
func (f *Function) IsAtomic(v Value) bool { return f.instrs[v].Y>>6&7 != 0 }

// IsSimple reports whether a load or store is neither volatile nor atomic.
func (f *Function) IsSimple(v Value) bool { return f.instrs[v].Y&(memVolatile|7<<6) == 0 }

// AllocatedType returns the type that an alloca allocates.
func (f *Function) AllocatedType(v Value) Type { return Type(f.instrs[v].X) }

// GEPSource returns the source element type of a getelementptr.
func (f *Function) GEPSource(v Value) Type { return Type(f.instrs[v].X) }

// Pred returns the predicate of a comparison.
func (f *Function) Pred(v Value) Pred { return Pred(f.instrs[v].Sub) }

// RMWOp returns the operation of an atomicrmw.
func (f *Function) RMWOp(v Value) RMWOp { return RMWOp(f.instrs[v].Sub) }

// A call keeps its function type in X, and its calling convention and
// attributes in Y: attributes<<10 | convention.
const (
	ccBits = 10
	ccMask = 1<<ccBits - 1

	// Bits in the Sub field of a call.
	callTailMask = 3
	callBundles  = 4 // has operand bundles
)

// CallType returns the function type of a call.
func (f *Function) CallType(v Value) Type { return Type(f.instrs[v].X) }

// CallConv returns the calling convention of a call.
func (f *Function) CallConv(v Value) CallConv { return CallConv(f.instrs[v].Y & ccMask) }

// CallAttrs returns the attributes of a call, not including its callee's
// attributes.
func (f *Function) CallAttrs(v Value) AttrList { return AttrList(f.instrs[v].Y >> ccBits) }

// SetCallConv changes the calling convention of a call.
func (f *Function) SetCallConv(v Value, cc CallConv) {
	in := &f.instrs[v]
	in.Y = in.Y&^ccMask | uint32(cc)
}

// SetCallAttrs changes the attributes of a call.
func (f *Function) SetCallAttrs(v Value, l AttrList) {
	if l >= 1<<(32-ccBits) {
		panic(limitError("too many attribute lists in a module"))
	}
	in := &f.instrs[v]
	in.Y = in.Y&ccMask | uint32(l)<<ccBits
}

// TailKind returns the tail marker of a call.
func (f *Function) TailKind(v Value) TailKind { return TailKind(f.instrs[v].Sub & callTailMask) }

// SetTailKind changes the tail marker of a call.
func (f *Function) SetTailKind(v Value, k TailKind) {
	in := &f.instrs[v]
	in.Sub = in.Sub&^callTailMask | uint8(k)
}

// Callee returns the callee of a call, invoke or callbr.
func (f *Function) Callee(v Value) Value {
	in := &f.instrs[v]
	return f.pool[in.ops+in.nOps-1].Value
}

// CalledFunction returns the callee of a direct call, or nil for other calls.
func (f *Function) CalledFunction(v Value) *Function {
	if g := f.m.ConstGlobal(f.Callee(v)); g != nil {
		return g.Func
	}
	return nil
}

// CalledIntrinsic returns the intrinsic that an instruction calls, or
// NoIntrinsic if it calls none.
func (f *Function) CalledIntrinsic(v Value) Intrinsic {
	in := &f.instrs[v]
	if !in.Op.has(opCall) {
		return NoIntrinsic
	}
	if callee := f.CalledFunction(v); callee != nil {
		return callee.Intrinsic
	}
	return NoIntrinsic
}

// Args returns the arguments of a call, not including operands of bundles.
func (f *Function) Args(v Value) []Operand {
	ops := f.Operands(v)
	in := &f.instrs[v]
	n := len(ops) - 1
	if in.Op != OpCall {
		n, _ = successorRange(in.Op, ops)
	}
	if in.Sub&callBundles != 0 {
		n = int(f.bundles[v][0].First)
	}
	return ops[:n]
}

// Bundle is an operand bundle of a call: the operands First to First+N of the
// call.
type Bundle struct {
	Tag      uint32 // see Module.BundleTag
	First, N uint32 // index of the first operand and number of operands
}

// BundleTag returns the number of an operand bundle tag.
func (m *Module) BundleTag(name string) uint32 { return m.bundles.number(name) }

// BundleTagName returns the name of an operand bundle tag.
func (m *Module) BundleTagName(tag uint32) string { return *m.bundles.all.at(tag) }

// Bundles returns the operand bundles of a call. The caller must not modify the
// result.
func (f *Function) Bundles(v Value) []Bundle {
	if f.instrs[v].Sub&callBundles == 0 {
		return nil
	}
	return f.bundles[v]
}

// SetBundles sets the operand ranges of a call's bundles, which follow the
// arguments.
func (f *Function) SetBundles(v Value, list []Bundle) {
	if len(list) == 0 {
		f.instrs[v].Sub &^= callBundles
		delete(f.bundles, v)
		return
	}
	if f.bundles == nil {
		f.bundles = map[Value][]Bundle{}
	}
	f.instrs[v].Sub |= callBundles
	f.bundles[v] = list
}

func (f *Function) addAux(list []uint32) uint32 {
	at := len(f.aux)
	f.aux = append(f.aux, list...)
	return uint32(at)
}

// Indices returns the indices of an extractvalue or insertvalue. The caller
// must not modify the result.
func (f *Function) Indices(v Value) []uint32 {
	in := &f.instrs[v]
	return f.aux[in.X : in.X+in.Y : in.X+in.Y]
}

// SetIndices changes the indices of an extractvalue or insertvalue, or the mask of a shufflevector.
func (f *Function) SetIndices(v Value, list []uint32) {
	at := f.addAux(list)
	f.instrs[v].X, f.instrs[v].Y = at, uint32(len(list))
}

// PoisonElement is a shufflevector mask entry that selects no element.
const PoisonElement = 1<<32 - 1

// Mask returns the mask of a shufflevector: element numbers across both
// vectors, or PoisonElement. The caller must not modify the result.
func (f *Function) Mask(v Value) []uint32 { return f.Indices(v) }

// SetName sets the name of a local value; "" removes it. The name is a hint:
// see the package comment.
func (f *Function) SetName(v Value, name []byte) {
	at := uint32(0)
	if len(name) > 0 {
		at = f.addName(name)
	}
	if v.IsBlock() {
		f.blocks[v&indexMask].name = at
	} else {
		f.instrs[v].name = at
	}
}

func (f *Function) addName(name []byte) uint32 {
	at := uint32(len(f.names)) + 1
	n := uint32(len(name))
	for ; n >= 0x80; n >>= 7 {
		f.names = append(f.names, byte(n)|0x80)
	}
	f.names = append(f.names, byte(n))
	f.names = append(f.names, name...)
	return at
}

// NameOf returns the name of a local value or block, or nil if it has none. The
// caller must not modify the result.
func (f *Function) NameOf(v Value) []byte {
	at := uint32(0)
	if v.IsBlock() {
		at = f.blocks[v&indexMask].name
	} else {
		at = f.instrs[v].name
	}
	if at == 0 {
		return nil
	}
	n, shift := uint32(0), 0
	for i := at - 1; ; i++ {
		c := f.names[i]
		n |= uint32(c&0x7f) << shift
		if shift += 7; c < 0x80 {
			return f.names[i+1 : i+1+n : i+1+n]
		}
	}
}

// HasName reports whether a local value or block has a name.
func (f *Function) HasName(v Value) bool {
	if v.IsBlock() {
		return f.blocks[v&indexMask].name != 0
	}
	return f.instrs[v].name != 0
}

// Attachments appends the metadata of an instruction, except its location, to a
// slice.
func (f *Function) Attachments(v Value, to []Attachment) []Attachment {
	if f.instrs[v].Op.IsRecord() {
		return to
	}
	for i := f.instrs[v].md; i != 0; i = f.atts[i-1].next {
		to = append(to, f.atts[i-1].Attachment)
	}
	return to
}

// MayAttach reports whether the function may have an attachment for which
// wanted returns true. A removed attachment may count.
func (f *Function) MayAttach(wanted func(a Attachment) bool) bool {
	for i := range f.atts {
		if wanted(f.atts[i].Attachment) {
			return true
		}
	}
	return false
}

// HasAttachments reports whether an instruction has metadata other than its
// location.
func (f *Function) HasAttachments(v Value) bool { return f.instrs[v].md != 0 }

// Attachment returns an instruction's metadata of the given kind, or 0 if it
// has none.
func (f *Function) Attachment(v Value, kind MDKind) Metadata {
	for i := f.instrs[v].md; i != 0; i = f.atts[i-1].next {
		if f.atts[i-1].Kind == kind {
			return f.atts[i-1].Node
		}
	}
	return 0
}

// SetAttachment sets an instruction's metadata of the given kind; 0 removes it.
// MDDbg sets the location.
func (f *Function) SetAttachment(v Value, kind MDKind, node Metadata) {
	if kind == MDDbg {
		f.instrs[v].Loc = node
		return
	}
	at := &f.instrs[v].md
	for *at != 0 && f.atts[*at-1].Kind != kind {
		at = &f.atts[*at-1].next
	}
	switch {
	case *at != 0 && node != 0:
		f.atts[*at-1].Node = node
	case *at != 0:
		*at = f.atts[*at-1].next
	case node != 0:
		// at may point into atts, which append may reallocate
		n := uint32(len(f.atts)) + 1
		*at = n
		f.atts = append(f.atts, attachment{Attachment{kind, node}, 0})
	}
}

// CopyAttachments copies the metadata and location of an instruction to another
// instruction of the function.
func (f *Function) CopyAttachments(to, from Value) {
	f.instrs[to].Loc = f.instrs[from].Loc
	for i := f.instrs[from].md; i != 0; i = f.atts[i-1].next {
		f.SetAttachment(to, f.atts[i-1].Kind, f.atts[i-1].Node)
	}
}
