package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// maxExpand bounds the instructions that become of one use of a constant: expressions may share operands.
const maxExpand = 1 << 16

// expand makes instructions of a constant that LLVM 22 has no expression for, at the end of the current block, and gives the value.
// Values that are constants stay such.
func (b *body) expand(id uint32) ir.Value {
	if b.cur == 0 {
		b.fail("a constant expression outside of blocks")
	}
	x := expander{b: b, made: map[uint32]ir.Value{}}
	return x.value(id)
}

// expander makes the instructions of one use.
type expander struct {
	b    *body
	made map[uint32]ir.Value
}

// value makes the instructions of a constant after those of its operands.
func (x *expander) value(id uint32) ir.Value {
	b := x.b
	stack := []uint32{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		p := b.pending[id]
		n := len(stack)
		ops := make([]ir.Value, 0, 4)
		if p == nil || p.state != constDone {
			b.fail("value %d is not known", id)
		}
		for _, o := range p.ops {
			v := b.values[o].v
			if v == ir.None {
				v = x.made[o]
			}
			if v == ir.None {
				stack = append(stack, o)
			}
			ops = append(ops, v)
		}
		if len(stack) > n {
			continue
		}
		stack = stack[:n-1]
		if x.made[id] == ir.None {
			x.made[id] = x.instr(p, ops)
		}
		if len(x.made) > maxExpand {
			b.fail("a constant expression of more than %d instructions", maxExpand)
		}
	}
	return x.made[id]
}

// emit puts an instruction at the end of the current block. It has no number in the file.
func (x *expander) emit(op ir.Op, t ir.Type, ops ...ir.Value) ir.Value {
	f := x.b.f
	v := f.NewInstr(op, t, ops...)
	f.SetName(v, []byte("constexpr"))
	f.Append(x.b.cur, v)
	return v
}

// instr makes the instruction of an expression, or those that build an aggregate.
func (x *expander) instr(p *pendingConst, ops []ir.Value) ir.Value {
	m := x.b.m
	switch {
	case p.code == cstAggregate:
		return x.aggregate(p.t, ops)
	case p.op == ir.OpNone:
		x.b.fail("an expression that is no constant in a constant of another kind")
	case p.op == ir.OpGetElementPtr && p.bounds != nil:
		x.b.fail("getelementptr with inrange of an expression that is no constant")
	case p.op.IsCast():
		x.b.checkCast(p.op, x.b.f.TypeOf(ops[0]), p.t)
	}
	if p.op == ir.OpShuffleVector {
		return x.shuffle(p, ops)
	}
	v := x.emit(p.op, p.t, ops...)
	in := x.b.f.Instr(v)
	in.Flags = p.flags
	switch p.op {
	case ir.OpICmp, ir.OpFCmp:
		in.Sub = p.pred
		in.Type = m.WithScalar(x.b.f.TypeOf(ops[0]), ir.I1)
	case ir.OpGetElementPtr:
		in.X = uint32(p.source)
	}
	return v
}

// aggregate builds an array, struct or vector element by element.
func (x *expander) aggregate(t ir.Type, ops []ir.Value) ir.Value {
	m := x.b.m
	v := m.Poison(t)
	for i, o := range ops {
		if x.b.f.TypeOf(o) != m.ElementType(t, uint64(i)) {
			x.b.fail("element %d of an aggregate has another type", i)
		}
		if m.IsVector(t) {
			v = x.emit(ir.OpInsertElement, t, v, o, m.NewInt(ir.I32, uint64(i)))
		} else {
			v = x.emit(ir.OpInsertValue, t, v, o)
			x.b.f.SetIndices(v, []uint32{uint32(i)})
		}
		x.b.f.SetName(v, []byte("constexpr.ins"))
	}
	return v
}

func (x *expander) shuffle(p *pendingConst, ops []ir.Value) ir.Value {
	mask := x.b.maskOf(ops[2], x.b.f.TypeOf(ops[0]))
	v := x.emit(ir.OpShuffleVector, p.t, ops[:2]...)
	x.b.f.SetIndices(v, mask)
	return v
}

// edgeExpr is an operand of a phi that becomes instructions.
type edgeExpr struct {
	id       uint32
	from, to ir.Block
	phi      ir.Value
}

// addEdgeExpr notes an operand of the phi at hand. A second one for the same block says the same.
func (b *body) addEdgeExpr(e edgeExpr) {
	for i := len(b.edgeExprs) - 1; i >= 0 && b.edgeExprs[i].phi == ir.None; i-- {
		if b.edgeExprs[i].from == e.from {
			return
		}
	}
	b.edgeExprs = append(b.edgeExprs, e)
}

// expandEdges makes the instructions of operands of phis, in a block of their own on the way from the operand's block.
func (b *body) expandEdges() {
	type edge struct{ from, to ir.Block }
	made := map[edge]ir.Block{}
	for _, e := range b.edgeExprs {
		at, ok := made[edge{e.from, e.to}]
		if !ok {
			at = b.edgeBlock(e.from, e.to)
			made[edge{e.from, e.to}] = at
			b.f.Append(at, b.f.NewInstr(ir.OpBr, ir.Void, e.to.Value()))
		}
		br := b.f.Terminator(at)
		b.f.Unlink(br)
		b.cur = at
		v := b.expand(e.id)
		b.f.Append(at, br)
		i := b.f.PhiIndex(e.phi, at)
		if i < 0 || b.f.TypeOf(v) != b.f.TypeOf(e.phi) {
			b.fail("value %d has another type than its use", e.id)
		}
		b.f.SetOperand(e.phi, 2*i, v)
	}
	b.cur = 0
}

// edgeBlock makes a block before another one, to which a block goes instead.
func (b *body) edgeBlock(from, to ir.Block) ir.Block {
	f := b.f
	if to == f.Entry() {
		b.fail("a phi in the entry block")
	}
	at := f.NewBlockAfter(f.PrevBlock(to))
	if t := f.Terminator(from); t != ir.None {
		for i := range f.NumOperands(t) {
			if f.Operand(t, i) == to.Value() {
				f.SetOperand(t, i, at.Value())
			}
		}
	}
	// of several edges one is left
	for v := f.First(to); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		for first := f.PhiIndex(v, from); ; {
			more := -1
			for i := first + 1; i < f.NumIncoming(v); i++ {
				if _, pred := f.Incoming(v, i); pred == from {
					more = i
				}
			}
			if more < 0 {
				break
			}
			f.RemoveOperands(v, 2*more, 2)
		}
	}
	f.ReplacePhiBlock(to, from, at)
	return at
}
