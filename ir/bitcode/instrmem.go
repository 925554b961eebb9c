package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// orderings maps the numbers in records to orderings. Unknown numbers are
// seq_cst.
var orderings = [...]ir.Ordering{ir.NotAtomic, ir.Unordered, ir.Monotonic, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst}

func ordering(n uint64) ir.Ordering {
	if n < uint64(len(orderings)) {
		return orderings[n]
	}
	return ir.SeqCst
}

// storable fails if values of type t cannot be loaded or stored.
func (b *body) storable(t ir.Type) {
	if !b.m.IsFirstClass(t) || t == ir.Label || t == ir.MD || t == ir.Token {
		b.fail("load or store of a type that cannot be stored")
	}
}

func (b *body) wantPtr(t ir.Type) {
	if !b.m.IsPtr(t) {
		b.fail("address of a memory access is not a pointer")
	}
}

// align decodes an alignment. Zero selects the data layout's alignment of t.
func (b *body) align(x uint64, t ir.Type) uint32 {
	if a := b.alignment(x); a != 0 {
		return a
	}
	if !b.m.IsSized(t) {
		b.fail("memory access to a type without a size")
	}
	return b.m.ABIAlign(t)
}

// Layout of the packed operand of alloca: the alignment's low 5 bits, and its
// upper 3 bits from bit 8.
const (
	allocaInAlloca = 1 << 5
	allocaExplicit = 1 << 6
	allocaSwiftErr = 1 << 7
)

// alloca: type, type of the count, count (never relative), packed alignment and
// flags [, address space].
func (b *body) alloca() {
	b.need(4, "alloca")
	t, tid := b.popType()
	ct := b.typ(b.pop())
	id, packed := b.pop(), b.pop()
	if packed&allocaExplicit == 0 {
		t, tid = b.pointee(tid, "alloca")
	}
	if id >= uint64(len(b.values)) || !b.m.IsInt(ct) {
		b.fail("count of alloca is not an integer defined earlier")
	}
	b.pushID(uint32(id), ct, noTid)
	align := b.alignment(packed&31 | packed>>8&7<<5)
	if !b.m.IsSized(t) {
		b.fail("alloca of a type without a size")
	}
	if align == 0 {
		align = b.m.PrefAlign(t)
	}
	as := b.m.Layout().AllocaAddrSpace
	if b.more() {
		as = b.addrSpace(b.pop())
	}
	pt := b.m.PtrType(as)
	b.createInstr(ir.OpAlloca, pt, b.virtualType(pt, tid)).X = uint32(t)
	b.f.SetMemInfo(b.last(), ir.MemInfo{Align: align, InAlloca: packed&allocaInAlloca != 0, SwiftErr: packed&allocaSwiftErr != 0})
}

// load: address [, type], alignment, volatile. Ordering and scope of atomic
// loads follow.
func (b *body) load(atomic bool) {
	pt, ptid := b.pushPair()
	b.wantPtr(pt)
	rest := 2
	if atomic {
		rest = 4
	}
	var t ir.Type
	var tid uint32
	if len(b.rec)-b.at > rest {
		t, tid = b.popType()
	} else {
		t, tid = b.pointee(ptid, "load")
	}
	b.storable(t)
	mi := ir.MemInfo{Align: b.align(b.pop(), t), Volatile: b.pop() != 0}
	if atomic {
		mi.Ordering, mi.Scope = ordering(b.pop()), b.scope(b.pop())
		if o := mi.Ordering; o == ir.NotAtomic || o == ir.Release || o == ir.AcqRel {
			b.fail("invalid ordering %q for an atomic load", o)
		}
	}
	b.createInstr(ir.OpLoad, t, tid)
	b.f.SetMemInfo(b.last(), mi)
}

// store: address, value, alignment, volatile. Ordering and scope of atomic
// stores follow. Old records omit the value's type.
func (b *body) store(atomic, old bool) {
	pt, ptid := b.pushPair()
	b.wantPtr(pt)
	t := b.valueFor(ptid, old)
	b.storable(t)
	b.moveOp(0, 1)
	mi := ir.MemInfo{Align: b.align(b.pop(), t), Volatile: b.pop() != 0}
	if atomic {
		mi.Ordering, mi.Scope = ordering(b.pop()), b.scope(b.pop())
		if o := mi.Ordering; o == ir.NotAtomic || o == ir.Acquire || o == ir.AcqRel {
			b.fail("invalid ordering %q for an atomic store", o)
		}
	}
	b.createInstr(ir.OpStore, ir.Void, noTid)
	b.f.SetMemInfo(b.last(), mi)
}

// valueFor reads the value operand of an access through a pointer. Old records
// omit its type.
func (b *body) valueFor(ptid uint32, old bool) ir.Type {
	if old {
		t, tid := b.pointee(ptid, "access")
		b.pushTyped(t, tid)
		return t
	}
	t, _ := b.pushPair()
	return t
}

// fence: ordering, scope.
func (b *body) fence() {
	mi := ir.MemInfo{Ordering: ordering(b.pop()), Scope: b.scope(b.pop())}
	if mi.Ordering <= ir.Monotonic {
		b.fail("invalid ordering %q for a fence", mi.Ordering)
	}
	b.createInstr(ir.OpFence, ir.Void, noTid)
	b.f.SetMemInfo(b.last(), mi)
}

// storeAlign reads an alignment. Without one it returns the size of the type.
func (b *body) storeAlign(t ir.Type) uint32 {
	if b.more() {
		if a := b.alignment(b.pop()); a != 0 {
			return a
		}
	}
	size := uint64(0)
	if b.m.IsSized(t) {
		size = b.m.StoreSize(t)
	}
	if size == 0 || size&(size-1) != 0 || size > 1<<31 {
		b.fail("invalid size of an atomic operation: %d bytes", size)
	}
	return uint32(size)
}

// failureOf returns the strongest failure ordering for a success ordering, for
// records without a failure ordering.
func failureOf(o ir.Ordering) ir.Ordering {
	switch o {
	case ir.Release:
		return ir.Monotonic
	case ir.AcqRel:
		return ir.Acquire
	}
	return o
}

// cmpXchg: address, compare, new, volatile, ordering, scope [, failure
// ordering, weak, alignment]. Old records omit the type. In the oldest records
// the result is only the loaded value.
func (b *body) cmpXchg(old bool) {
	pt, ptid := b.pushPair()
	b.wantPtr(pt)
	var t ir.Type
	var tid uint32
	if old {
		t, tid = b.pointee(ptid, "cmpxchg")
		b.pushTyped(t, tid)
	} else {
		t, tid = b.pushPair()
	}
	b.pushTyped(t, tid)
	b.storable(t)
	mi := ir.MemInfo{Volatile: b.pop() != 0, Ordering: ordering(b.pop()), Scope: b.scope(b.pop())}
	mi.Failure = failureOf(mi.Ordering)
	if b.more() {
		mi.Failure = ordering(b.pop())
	}
	valueOnly := old && !b.more()
	if b.more() {
		mi.Weak = b.pop() != 0
	}
	if f := mi.Failure; mi.Ordering < ir.Monotonic || f < ir.Monotonic || f == ir.Release || f == ir.AcqRel {
		b.fail("invalid orderings %q and %q for cmpxchg", mi.Ordering, mi.Failure)
	}
	mi.Align = b.storeAlign(t)
	result := b.m.StructType([]ir.Type{t, ir.I1}, false)
	if !valueOnly {
		b.createInstr(ir.OpCmpXchg, result, b.virtualType(result, tid))
		b.f.SetMemInfo(b.last(), mi)
		return
	}
	b.createInstr(ir.OpCmpXchg, result, noTid)
	v := b.last()
	b.f.SetMemInfo(v, mi)
	// LLVM before 3.5: the result is the loaded value
	b.values, b.insts = b.values[:len(b.values)-1], b.insts[:len(b.insts)-1]
	b.next--
	b.ops, b.fwd, b.late = append(b.ops[:0], v), append(b.fwd[:0], 0), false
	b.createInstr(ir.OpExtractValue, t, tid)
	b.f.SetIndices(b.last(), []uint32{0})
}

// atomicRMW: address, value, operation, volatile, ordering, scope [,
// alignment]. Old records omit the value's type.
func (b *body) atomicRMW(old bool) {
	pt, ptid := b.pushPair()
	b.wantPtr(pt)
	var t ir.Type
	var tid uint32
	if old {
		t, tid = b.pointee(ptid, "atomicrmw")
		b.pushTyped(t, tid)
	} else {
		t, tid = b.pushPair()
	}
	b.storable(t)
	op := b.pop()
	if op >= uint64(ir.NumRMWOps) {
		b.fail("unknown atomicrmw operation %d", op)
	}
	mi := ir.MemInfo{Volatile: b.pop() != 0, Ordering: ordering(b.pop()), Scope: b.scope(b.pop())}
	if mi.Ordering < ir.Monotonic {
		b.fail("invalid ordering %q for atomicrmw", mi.Ordering)
	}
	mi.Align = b.storeAlign(t)
	b.createInstr(ir.OpAtomicRMW, t, tid).Sub = uint8(op)
	b.f.SetMemInfo(b.last(), mi)
}
