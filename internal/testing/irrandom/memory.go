package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// mem returns a random object, or nil if none exists. With write, the object is
// writable.
func (b *body) mem(write, any bool) *memory {
	var list []*memory
	for i := range b.mems {
		if x := &b.mems[i]; (!write || !x.readOnly) && (!any || x.only == ir.NoType) {
			list = append(list, x)
		}
	}
	if len(b.globals) > 0 && b.chance(4) {
		g := b.globals[b.IntN(len(b.globals))]
		constant := b.m.ConstGlobal(g.v).Constant
		if write && constant {
			return nil
		}
		return &memory{ptr: g.v, size: g.size, align: int(b.m.ConstGlobal(g.v).Align), readOnly: constant}
	}
	if len(list) == 0 {
		return nil
	}
	return list[b.IntN(len(list))]
}

// alloca creates an object on the stack and fills it. All allocas are in the
// entry block; the stores are at the insertion point.
func (b *body) alloca() {
	m, eb := b.m, b.entryBuilder()
	if b.has(Odd) && b.chance(4) { // single access type
		t := b.intType()
		p := eb.Alloca(t, 0)
		b.b.Store(b.pick(t), p, 0)
		b.mems = append(b.mems, memory{ptr: p, size: int(m.StoreSize(t)), align: int(m.ABIAlign(t)), only: t})
		return
	}
	size := 8 << b.IntN(3)
	p := eb.Alloca(b.objectType(size), 16)
	if b.chance(2) {
		b.call(ir.IntrMemset, []ir.Type{b.typeOf(p), ir.I64}, p, b.pick(ir.I8), m.NewInt(ir.I64, uint64(size)), m.NewBool(false))
	} else {
		for at := 0; at < size; at += 8 {
			b.b.Store(b.pick(ir.I64), b.offset(p, m.NewInt(ir.I64, uint64(at))), 8)
		}
	}
	b.mems = append(b.mems, memory{ptr: p, size: size, align: 16})
}

// objectType returns a type with the given size in bytes.
func (b *body) objectType(size int) ir.Type {
	m := b.m
	n := uint64(size)
	switch b.IntN(4) {
	case 0:
		return m.ArrayType(ir.I8, n)
	case 1:
		return m.ArrayType(ir.I32, n/4)
	case 2:
		return m.StructType([]ir.Type{ir.I32, ir.I16, ir.I16, m.ArrayType(ir.I64, n/8-1)}, false)
	}
	return m.ArrayType(m.StructType([]ir.Type{ir.I32, ir.I32}, false), n/8)
}

// offset adds a number of bytes to a pointer.
func (b *body) offset(p, at ir.Value) ir.Value {
	if b.chance(2) {
		return b.b.PtrAdd(p, at, 0)
	}
	return b.b.PtrAdd(p, at, ir.InBounds|ir.NUSW)
}

// place returns an address for a value of type t in an object, and its
// alignment.
func (b *body) place(mem *memory, t ir.Type) (ir.Value, uint32) {
	m := b.m
	if mem.only != ir.NoType {
		return mem.ptr, uint32(mem.align)
	}
	size := int(m.StoreSize(t))
	if b.chance(2) { // anywhere
		at := b.IntN(mem.size - size + 1)
		return b.offset(mem.ptr, m.NewInt(ir.I64, uint64(at))), uint32(min(mem.align, lowBit(at)))
	}
	count := 1
	for count*2*size <= mem.size {
		count *= 2
	}
	index := b.below(b.pick([2]ir.Type{ir.I32, ir.I64}[b.IntN(2)]), count)
	p := mem.ptr
	if int(m.AllocSize(t)) == size {
		return b.b.GEP(t, [2]ir.Flags{0, ir.InBounds | ir.NUSW}[b.IntN(2)], p, index), uint32(min(mem.align, lowBit(size)))
	}
	wide := b.convertScalar(index, ir.I64)
	if b.typeOf(index) != ir.I64 {
		wide = b.b.Cast(ir.OpZExt, index, ir.I64, 0)
	}
	return b.offset(p, b.b.Mul(wide, m.NewInt(ir.I64, uint64(size)))), uint32(min(mem.align, lowBit(size)))
}

func lowBit(x int) int {
	if x == 0 {
		return 16
	}
	return x & -x
}

// access creates a load or store.
func (b *body) access() {
	store := b.chance(2)
	mem := b.mem(store, false)
	if mem == nil {
		return
	}
	t := mem.only
	if t == ir.NoType {
		if t = b.randType(); !b.inMemory(t) || int(b.m.StoreSize(t)) > mem.size {
			t = [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}[b.IntN(4)]
		}
	}
	var x ir.Value
	if store {
		x = b.canonical(b.pick(t))
	}
	p, align := b.place(mem, t)
	if b.chance(3) {
		align = 1
	}
	b.cost += b.mult
	if store {
		b.b.Store(x, p, align)
		return
	}
	b.add(b.canonical(b.b.Load(t, p, align)))
}

// bulk copies or sets a part of an object.
func (b *body) bulk() {
	m := b.m
	to := b.mem(true, true)
	if to == nil {
		return
	}
	n := 1 + b.IntN(to.size)
	at := func(mem *memory) ir.Value { return b.offset(mem.ptr, m.NewInt(ir.I64, uint64(b.IntN(mem.size-n+1)))) }
	size := m.NewInt(ir.I64, uint64(n))
	if b.chance(3) {
		size = b.b.Binary(ir.OpURem, b.pick(ir.I64), m.NewInt(ir.I64, uint64(n+1)), 0)
	}
	b.cost += b.mult
	if from := b.mem(false, true); from != nil && from.size >= n && b.chance(2) {
		dst, src := at(to), at(from)
		id := ir.IntrMemmove
		if from.ptr != to.ptr && !from.shared && !to.shared && b.chance(2) {
			id = ir.IntrMemcpy
		}
		b.call(id, []ir.Type{b.typeOf(dst), b.typeOf(src), ir.I64}, dst, src, size, m.NewBool(false))
		return
	}
	dst := at(to)
	b.call(ir.IntrMemset, []ir.Type{b.typeOf(dst), ir.I64}, dst, b.pick(ir.I8), size, m.NewBool(false))
}

// maxCost is the approximate limit for the steps of a test function.
const maxCost = 20000

// callHelper creates a call of an existing helper.
func (b *body) callHelper() {
	if len(b.helpers) == 0 {
		return
	}
	h := b.helpers[b.IntN(len(b.helpers))]
	if b.cost+b.mult*h.cost > maxCost {
		return
	}
	args, ok := b.argsFor(h)
	if !ok {
		return
	}
	b.cost += b.mult * h.cost
	b.callFunction(h, h.f.Value(), args)
}

// argsFor creates the arguments of a call.
func (b *body) argsFor(h *helper) ([]ir.Value, bool) {
	var args []ir.Value
	for i := range h.f.NumArgs() {
		t := h.f.TypeOf(h.f.Arg(i))
		if !b.m.IsPtr(t) {
			args = append(args, b.build(t))
			continue
		}
		p := b.argMemory(t, h)
		if p == ir.None {
			return nil, false
		}
		args = append(args, p)
	}
	return args, true
}

// argMemory returns a writable object of at least 16 bytes for a helper.
func (b *body) argMemory(t ir.Type, h *helper) ir.Value {
	align := 1
	if a, ok := b.m.Attr(b.m.AttrsAt(h.f.Attributes, ir.AttrParams+h.f.NumArgs()-1), ir.AttrAlign); ok {
		align = int(a.Int)
	}
	for i := range b.mems {
		if x := &b.mems[len(b.mems)-1-i]; x.align >= align && !x.readOnly && !x.shared && x.size >= 16 && x.only == ir.NoType && b.typeOf(x.ptr) == t {
			return x.ptr
		}
	}
	return ir.None
}
