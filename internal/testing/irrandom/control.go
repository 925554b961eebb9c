package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

const maxDepth = 4

// scope calls f and removes the values that it created from the pool. At the
// end it chooses a value for each type in want.
func (b *body) scope(want []ir.Type, f func()) []ir.Value {
	pool, mems := len(b.pool), len(b.mems)
	f()
	out := make([]ir.Value, len(want))
	for i, t := range want {
		out[i] = b.pick(t)
	}
	b.pool, b.mems = b.pool[:pool], b.mems[:mems]
	return out
}

// types returns a few types for phis.
func (b *body) types() []ir.Type {
	list := make([]ir.Type, 1+b.IntN(2))
	for i := range list {
		list[i] = b.randType()
	}
	return list
}

// phis adds phis of the given types at the insertion point, which must be the
// start of a block.
func (b *body) phis(types []ir.Type) []ir.Value {
	out := make([]ir.Value, len(types))
	for i, t := range types {
		out[i] = b.add(b.b.Phi(t))
	}
	return out
}

func (b *body) incoming(phis, values []ir.Value, from ir.Block) {
	for i, p := range phis {
		b.f.AddIncoming(p, values[i], from)
	}
}

// branch creates an if, with or without else.
func (b *body) branch(depth int) {
	if depth >= maxDepth {
		return
	}
	types := b.types()
	c := b.cond()
	from := b.b.Block()
	plain := b.picks(types)
	yes, no, join := b.f.NewBlock(), ir.Block(0), b.f.NewBlock()
	if b.chance(2) {
		no = b.f.NewBlock()
		b.b.CondBr(c, yes, no)
	} else if b.chance(2) {
		b.b.CondBr(c, yes, join)
	} else {
		b.b.CondBr(c, join, yes)
	}
	arm := func(blk ir.Block) ([]ir.Value, ir.Block) {
		b.b.AtEnd(blk)
		v := b.scope(types, func() { b.statements(b.IntN(6), depth+1) })
		end := b.b.Block()
		b.b.Br(join)
		return v, end
	}
	v1, e1 := arm(yes)
	v2, e2 := plain, from
	if no != 0 {
		v2, e2 = arm(no)
	}
	b.b.AtEnd(join)
	phis := b.phis(types)
	b.incoming(phis, v1, e1)
	b.incoming(phis, v2, e2)
}

// leaving is an edge out of a loop, with the values for the phis after the
// loop.
type leaving struct {
	values []ir.Value
	from   ir.Block
}

// picks returns a value of each type.
func (b *body) picks(types []ir.Type) []ir.Value {
	values := make([]ir.Value, len(types))
	for i, t := range types {
		values[i] = b.pick(t)
	}
	return values
}

// loop creates a loop with a bounded trip count, sometimes with a second exit.
func (b *body) loop(depth int) {
	if depth >= maxDepth || b.mult > 64 {
		return
	}
	trips, limit := b.tripCount()
	types := b.types()
	init, c, from := b.picks(types), b.cond(), b.b.Block()
	head, exit := b.f.NewBlock(), b.f.NewBlock()
	pool, mems := len(b.pool), len(b.mems)
	var exits []leaving
	if b.chance(4) { // entry or exit shared with other blocks
		b.b.CondBr(c, head, exit)
		exits = append(exits, leaving{init, from})
	} else {
		b.b.Br(head)
	}
	b.b.AtEnd(head)
	b.mult *= trips
	counter := b.b.Phi(ir.I32)
	phis := b.phis(types)
	b.pool = append(b.pool, counter)
	if len(exits) == 0 {
		pool = len(b.pool)
	}
	if b.chance(3) {
		exits = append(exits, b.leaveEarly(depth, types, exit))
	}
	if b.chance(4) {
		b.secondBackEdge(depth, types, phis, counter, limit, head)
	}
	b.statements(1+b.IntN(6), depth+1)
	next := b.picks(types)
	n := b.b.Binary(ir.OpAdd, counter, b.m.NewInt(ir.I32, 1), [3]ir.Flags{0, ir.NUW, ir.NUW | ir.NSW}[b.IntN(3)])
	more := b.b.Compare([2]ir.Pred{ir.ICmpULT, ir.ICmpNE}[b.IntN(2)], n, limit)
	exits = append(exits, leaving{next, b.b.Block()})
	b.f.AddIncoming(counter, b.m.NewInt(ir.I32, 0), from)
	b.f.AddIncoming(counter, n, b.b.Block())
	b.incoming(phis, init, from)
	b.incoming(phis, next, b.b.Block())
	b.b.CondBr(more, head, exit)
	b.mult /= trips
	if len(exits) == 1 && b.chance(2) {
		pool = len(b.pool) // single exit: values of the loop may be used after it
	}
	b.pool, b.mems = b.pool[:pool], b.mems[:mems]
	b.b.AtEnd(exit)
	out := b.phis(types)
	for _, e := range exits {
		b.incoming(out, e.values, e.from)
	}
}

// tripCount returns the maximum trip count of a loop and the limit of its
// counter.
func (b *body) tripCount() (int, ir.Value) {
	if b.chance(2) {
		return 8, b.b.Add(b.below(b.pick(ir.I32), 8), b.m.NewInt(ir.I32, 1))
	}
	n := 1 + b.IntN(7)
	return n, b.m.NewInt(ir.I32, uint64(n))
}

// leaveEarly creates a branch out of a loop to exit.
func (b *body) leaveEarly(depth int, types []ir.Type, exit ir.Block) leaving {
	b.statements(b.IntN(3), depth+1)
	c, values := b.cond(), b.picks(types)
	rest := b.f.NewBlock()
	out := leaving{values, b.b.Block()}
	b.b.CondBr(c, exit, rest)
	b.b.AtEnd(rest)
	return out
}

// secondBackEdge creates a second back edge of a loop.
func (b *body) secondBackEdge(depth int, types []ir.Type, phis []ir.Value, counter, limit ir.Value, head ir.Block) {
	b.statements(b.IntN(3), depth+1)
	n := b.b.Add(counter, b.m.NewInt(ir.I32, 1))
	c := b.b.And(b.cond(), b.b.Compare(ir.ICmpULT, n, limit))
	values, rest := b.picks(types), b.f.NewBlock()
	b.f.AddIncoming(counter, n, b.b.Block())
	b.incoming(phis, values, b.b.Block())
	b.b.CondBr(c, head, rest)
	b.b.AtEnd(rest)
}

// switchOn creates a switch.
func (b *body) switchOn(depth int) {
	if depth >= maxDepth {
		return
	}
	m := b.m
	t := m.IntType([]int{8, 16, 32, 64, 3}[b.IntN(4+b2i(b.has(Odd)))])
	x := b.pick(t)
	if b.chance(2) {
		x = b.below(x, 5)
	}
	types := b.types()
	join := b.f.NewBlock()
	def := b.f.NewBlock()
	sw := b.b.Switch(x, def)
	blocks := []ir.Block{def}
	for i := range 1 + b.IntN(5) {
		blk := blocks[b.IntN(len(blocks))]
		if b.chance(2) || i == 0 {
			blk = b.f.NewBlock()
			blocks = append(blocks, blk)
		}
		b.f.AddOperands(sw, m.NewInt(t, uint64(i)), blk.Value())
	}
	var values [][]ir.Value
	var ends []ir.Block
	for _, blk := range blocks {
		b.b.AtEnd(blk)
		values = append(values, b.scope(types, func() { b.statements(b.IntN(3), depth+1) }))
		ends = append(ends, b.b.Block())
		b.b.Br(join)
	}
	b.b.AtEnd(join)
	phis := b.phis(types)
	for i := range ends {
		b.incoming(phis, values[i], ends[i])
	}
}

// deadEnd creates a branch to unreachable under a condition that never holds.
func (b *body) deadEnd() {
	x := b.intPick()
	t := b.typeOf(x)
	if b.m.IsVector(t) {
		return
	}
	c := b.constant(t)
	never := b.b.Compare(ir.ICmpULT, b.b.Or(x, c), c)
	bad, on := b.f.NewBlock(), b.f.NewBlock()
	b.b.CondBr(never, bad, on)
	b.b.AtEnd(bad)
	b.b.Unreachable()
	b.b.AtEnd(on)
}

// irreducible creates two blocks that branch to each other, with a bounded
// count, and are both entered from outside.
func (b *body) irreducible(depth int) {
	if depth >= maxDepth || b.mult > 64 {
		return
	}
	m := b.m
	t := b.randType()
	fuel, init := m.NewInt(ir.I32, uint64(2+b.IntN(5))), b.pick(t)
	from := b.b.Block()
	first, second, exit := b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock()
	b.b.CondBr(b.cond(), first, second)
	blocks := [2]ir.Block{first, second}
	var n, s, n2, s2 [2]ir.Value
	var ends [2]ir.Block
	b.mult *= 4
	for i := range blocks {
		b.b.AtEnd(blocks[i])
		n[i], s[i] = b.b.Phi(ir.I32), b.b.Phi(t)
		out := b.scope([]ir.Type{t}, func() {
			b.pool = append(b.pool, n[i], s[i])
			b.statements(1+b.IntN(3), depth+1)
		})
		s2[i], ends[i] = out[0], b.b.Block()
		n2[i] = b.b.Sub(n[i], m.NewInt(ir.I32, 1))
		b.b.CondBr(b.b.Compare(ir.ICmpSGT, n2[i], m.NewInt(ir.I32, 0)), blocks[1-i], exit)
	}
	b.mult /= 4
	b.b.AtEnd(exit)
	out := b.b.Phi(t)
	for i := range blocks {
		b.f.AddIncoming(n[i], fuel, from)
		b.f.AddIncoming(s[i], init, from)
		b.f.AddIncoming(n[i], n2[1-i], ends[1-i])
		b.f.AddIncoming(s[i], s2[1-i], ends[1-i])
		b.f.AddIncoming(out, s2[i], ends[i])
	}
	b.add(out)
}
