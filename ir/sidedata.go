package ir

import "math/bits"

// MemInfo is what a load, store, alloca or atomic operation has besides its operands.
type MemInfo struct {
	Align    uint32 // in bytes, a power of two; 0 when none is given (fence)
	Ordering Ordering
	Failure  Ordering  // cmpxchg
	Scope    SyncScope // System of what is not atomic
	Volatile bool
	Weak     bool // cmpxchg
	InAlloca bool // alloca
	SwiftErr bool // alloca
}

// Layout of MemInfo in Y: alignment as log2 plus one (6 bits), ordering (3), failure ordering (3), four flags,
// scope (12).
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

// MemInfo gives alignment, ordering and so on of an alloca, load, store, fence, cmpxchg or atomicrmw.
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

// SetMemInfo changes what MemInfo gives.
func (f *Function) SetMemInfo(v Value, mi MemInfo) { f.instrs[v].Y = mi.pack() }

// Align gives the alignment in bytes of an alloca or access.
func (f *Function) Align(v Value) uint32 { return alignOf(f.instrs[v].Y) }

// IsVolatile reports whether a load, store, cmpxchg or atomicrmw is volatile.
func (f *Function) IsVolatile(v Value) bool { return f.instrs[v].Y&memVolatile != 0 }

// IsAtomic reports whether a load or store has an ordering.
func (f *Function) IsAtomic(v Value) bool { return f.instrs[v].Y>>6&7 != 0 }

// IsSimple reports whether a load or store is neither volatile nor atomic.
func (f *Function) IsSimple(v Value) bool { return f.instrs[v].Y&(memVolatile|7<<6) == 0 }

// AllocatedType gives the type that an alloca makes room for.
func (f *Function) AllocatedType(v Value) Type { return Type(f.instrs[v].X) }

// GEPSource gives the source element type of a getelementptr.
func (f *Function) GEPSource(v Value) Type { return Type(f.instrs[v].X) }

// Pred gives the predicate of a comparison.
func (f *Function) Pred(v Value) Pred { return Pred(f.instrs[v].Sub) }

// RMWOp gives the operation of an atomicrmw.
func (f *Function) RMWOp(v Value) RMWOp { return RMWOp(f.instrs[v].Sub) }

// A call keeps its function type in X and calling convention and attributes in Y: attributes<<10 | convention.
const (
	ccBits = 10
	ccMask = 1<<ccBits - 1

	// Sub of a call.
	callTailMask = 3
	callBundles  = 4 // it has operand bundles
)

// CallType gives the function type of a call.
func (f *Function) CallType(v Value) Type { return Type(f.instrs[v].X) }

// CallConv gives the calling convention of a call.
func (f *Function) CallConv(v Value) CallConv { return CallConv(f.instrs[v].Y & ccMask) }

// CallAttrs gives the attributes of a call (not those of its callee).
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

// TailKind gives the tail marker of a call.
func (f *Function) TailKind(v Value) TailKind { return TailKind(f.instrs[v].Sub & callTailMask) }

// SetTailKind changes the tail marker of a call.
func (f *Function) SetTailKind(v Value, k TailKind) {
	in := &f.instrs[v]
	in.Sub = in.Sub&^callTailMask | uint8(k)
}

// Callee gives what a call, invoke or callbr calls.
func (f *Function) Callee(v Value) Value {
	in := &f.instrs[v]
	return f.pool[in.ops+in.nOps-1].Value
}

// CalledFunction gives the function that is called directly, nil for other calls.
func (f *Function) CalledFunction(v Value) *Function {
	if g := f.m.ConstGlobal(f.Callee(v)); g != nil {
		return g.Func
	}
	return nil
}

// CalledIntrinsic gives the intrinsic that an instruction calls, NoIntrinsic when it calls none.
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

// Args gives the arguments of a call, without those of bundles.
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

// Bundle is an operand bundle of a call: operands First to First+N of the call.
type Bundle struct {
	Tag      uint32 // see Module.BundleTag
	First, N uint32
}

// BundleTag gives the number of the tag of an operand bundle.
func (m *Module) BundleTag(name string) uint32 { return m.bundles.number(name) }

// BundleTagName gives the name of the tag of an operand bundle.
func (m *Module) BundleTagName(tag uint32) string { return *m.bundles.all.at(tag) }

// Bundles gives the operand bundles of a call. It must not be changed.
func (f *Function) Bundles(v Value) []Bundle {
	if f.instrs[v].Sub&callBundles == 0 {
		return nil
	}
	return f.bundles[v]
}

// SetBundles says which operands of a call belong to bundles. They stand behind the arguments.
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

// Indices gives the indices of an extractvalue or insertvalue. It must not be changed.
func (f *Function) Indices(v Value) []uint32 {
	in := &f.instrs[v]
	return f.aux[in.X : in.X+in.Y : in.X+in.Y]
}

// SetIndices changes the indices of an extractvalue or insertvalue, or the mask of a shufflevector.
func (f *Function) SetIndices(v Value, list []uint32) {
	at := f.addAux(list)
	f.instrs[v].X, f.instrs[v].Y = at, uint32(len(list))
}

// PoisonElement is the entry of the mask of a shufflevector that asks for no element.
const PoisonElement = 1<<32 - 1

// Mask gives the mask of a shufflevector: numbers of elements of both vectors, or PoisonElement. It must not be changed.
func (f *Function) Mask(v Value) []uint32 { return f.Indices(v) }

// SetName names a local value, "" takes the name away. The name is a hint: see the package comment.
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

// NameOf gives the name of a local value or block, nil when it has none. It must not be changed.
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

// Attachments appends the metadata of an instruction, without its location, to a slice.
func (f *Function) Attachments(v Value, to []Attachment) []Attachment {
	if f.instrs[v].Op.IsRecord() {
		return to
	}
	for i := f.instrs[v].md; i != 0; i = f.atts[i-1].next {
		to = append(to, f.atts[i-1].Attachment)
	}
	return to
}

// MayAttach reports whether an instruction may have an attachment that is wanted: one that was taken away may count.
func (f *Function) MayAttach(wanted func(a Attachment) bool) bool {
	for i := range f.atts {
		if wanted(f.atts[i].Attachment) {
			return true
		}
	}
	return false
}

// HasAttachments reports whether an instruction has metadata besides its location.
func (f *Function) HasAttachments(v Value) bool { return f.instrs[v].md != 0 }

// Attachment gives the metadata of a kind of an instruction, 0 when it has none.
func (f *Function) Attachment(v Value, kind MDKind) Metadata {
	for i := f.instrs[v].md; i != 0; i = f.atts[i-1].next {
		if f.atts[i-1].Kind == kind {
			return f.atts[i-1].Node
		}
	}
	return 0
}

// SetAttachment sets the metadata of a kind of an instruction; 0 removes it. MDDbg sets the location.
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
		// at may point into atts, which append moves
		n := uint32(len(f.atts)) + 1
		*at = n
		f.atts = append(f.atts, attachment{Attachment{kind, node}, 0})
	}
}

// CopyAttachments gives an instruction the metadata and location of another one of the function.
func (f *Function) CopyAttachments(to, from Value) {
	f.instrs[to].Loc = f.instrs[from].Loc
	for i := f.instrs[from].md; i != 0; i = f.atts[i-1].next {
		f.SetAttachment(to, f.atts[i-1].Kind, f.atts[i-1].Node)
	}
}
