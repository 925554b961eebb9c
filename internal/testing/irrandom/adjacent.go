package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// neighbour is an access of an element at a constant offset.
type neighbour struct {
	mem    *memory
	base   ir.Value
	offset int
	align  int // alignment of base
	store  bool
}

// adjacentTypes lists the element types of adjacent accesses.
var adjacentTypes = [...]ir.Type{ir.I8, ir.I8, ir.I16, ir.I16, ir.I32, ir.I32, ir.I32, ir.I32, ir.I64, ir.I64, ir.Half, ir.Float, ir.Float, ir.Double}

// adjacent creates loads, stores or copies of mostly adjacent elements, which
// passes may combine. The accesses use one or two pointers, in any order.
func (b *body) adjacent(int) {
	t := adjacentTypes[b.IntN(len(adjacentTypes))]
	if b.has(Vectors) && b.chance(5) {
		t = b.m.VectorType(t, 2)
	}
	var list []neighbour
	for range 1 + b.IntN(2) {
		store := b.chance(2)
		if x := b.mem(store, true); x != nil && x.size >= 2*int(b.m.StoreSize(t)) {
			c := *x
			list = append(list, b.neighbours(&c, t, store)...)
		}
	}
	if b.chance(2) {
		b.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	for i := range list {
		b.accessNeighbour(&list[i], t)
	}
}

// neighbours returns accesses of elements in an object.
func (b *body) neighbours(x *memory, t ir.Type, store bool) (list []neighbour) {
	size := int(b.m.StoreSize(t))
	base, align, room := b.movingBase(x)
	if room < 2*size {
		base, align, room = x.ptr, x.align, x.size
	}
	n := min(2+b.IntN(5), room/size)
	first := 0
	if spare := room - n*size; spare > 0 && !b.chance(3) { // often directly at the pointer
		if first = b.IntN(spare + 1); !b.chance(4) {
			first -= first % size
		}
	}
	for i := range n {
		if b.chance(8) { // a gap
			continue
		}
		list = append(list, neighbour{x, base, first + i*size, align, store != b.chance(12) && !x.readOnly})
	}
	return list
}

// movingBase returns an address in the object that depends on a value, its
// alignment and the number of bytes that follow.
func (b *body) movingBase(x *memory) (base ir.Value, align, room int) {
	if b.chance(2) || x.size < 16 {
		return x.ptr, x.align, x.size
	}
	step := 4 << b.IntN(2)
	index := b.b.Cast(ir.OpZExt, b.below(b.pick(ir.I32), 2), ir.I64, 0)
	return b.offset(x.ptr, b.b.Mul(index, b.m.NewInt(ir.I64, uint64(step)))), min(x.align, step), x.size - step
}

// accessNeighbour loads or stores an element.
func (b *body) accessNeighbour(x *neighbour, t ir.Type) {
	p := x.base
	if x.offset > 0 || b.chance(4) {
		p = b.offset(p, b.m.NewInt(ir.I64, uint64(x.offset)))
	}
	align := min(x.align, lowBit(x.offset))
	if b.chance(4) {
		align = min(align, 1<<b.IntN(4))
	}
	b.cost += b.mult
	if x.store {
		b.b.Store(b.canonical(b.pick(t)), p, uint32(align))
		return
	}
	v := b.add(b.canonical(b.b.Load(t, p, uint32(align))))
	if n := len(b.pool); n > 1 && b.chance(2) { // combine loaded values, as reductions do
		if y := b.pool[n-2]; b.typeOf(y) == t && b.m.IsIntOrIntVector(t) {
			b.add(b.b.Binary(arithOps[b.IntN(len(arithOps))], y, v, 0))
		}
	}
}
