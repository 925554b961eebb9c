package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// resolveConstants makes the constants from number first on that need others. What becomes instructions stays pending.
func (r *reader) resolveConstants(first int) {
	if len(r.pending) == 0 {
		return
	}
	for i := first; i < len(r.values); i++ {
		if r.values[i].v == ir.None {
			if p := r.pending[uint32(i)]; p != nil && p.state == constNew {
				r.resolve(uint32(i))
			}
		}
	}
}

// resolve makes a constant after those that it needs.
func (r *reader) resolve(id uint32) {
	stack := []uint32{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		p := r.pending[id]
		if p.state == constDone {
			stack = stack[:len(stack)-1]
			continue
		}
		p.state = constBusy
		n := len(stack)
		for _, o := range p.ops {
			if o >= uint32(len(r.values)) {
				r.fail("constant %d: value %d, there are %d", id, o, len(r.values))
			}
			if r.values[o].v != ir.None {
				continue
			}
			switch q := r.pending[o]; {
			case q == nil:
				r.fail("constant %d: value %d is no constant", id, o)
			case q.state == constBusy:
				r.fail("constant %d contains itself", o)
			case q.state == constNew:
				stack = append(stack, o)
			case q.asCode:
				p.asCode = true
			}
		}
		if len(stack) > n {
			continue
		}
		stack = stack[:n-1]
		p.state = constDone
		if !p.asCode {
			r.values[id].v = r.makeConst(p)
			delete(r.pending, id)
		}
	}
}

// makeConst makes a constant whose operands are known.
func (r *reader) makeConst(p *pendingConst) ir.Value {
	ops := make([]ir.Value, len(p.ops))
	for i, id := range p.ops {
		if ops[i] = r.values[id].v; !ops[i].IsConst() {
			r.fail("value %d in a constant is no constant", id)
		}
	}
	switch p.code {
	case cstAggregate:
		for i, v := range ops {
			if r.m.TypeOfConst(v) != r.m.ElementType(p.t, uint64(i)) {
				r.fail("element %d of an aggregate has another type", i)
			}
		}
		return r.m.NewAggregate(p.t, ops)
	case cstBlockAddress:
		return r.blockAddress(p, ops[0])
	case cstDSOLocalEquiv, cstNoCFI:
		if r.m.ConstGlobal(ops[0]) == nil {
			r.fail("dso_local_equivalent or no_cfi of something that is no global")
		}
		if p.code == cstNoCFI {
			return r.m.NewNoCFI(ops[0])
		}
		return r.m.NewDSOLocalEquivalent(ops[0])
	case cstPtrAuth, cstPtrAuth2:
		return r.m.NewPtrAuth(ops...)
	}
	v := r.makeExpr(p, ops)
	if r.m.TypeOfConst(v) != p.t {
		r.fail("constant expression %s has another type than the record says", p.op)
	}
	return v
}

func (r *reader) blockAddress(p *pendingConst, fn ir.Value) ir.Value {
	g := r.m.ConstGlobal(fn)
	if g == nil || g.Func == nil {
		r.fail("the address of a block of something that is no function")
	}
	if e := g.Func.Entry(); e != 0 && p.block >= uint64(g.Func.NumBlocks()-1) {
		r.fail("the address of block %d of @%s, which has %d", p.block, g.Name(), g.Func.NumBlocks()-1)
	} else if e == 0 {
		r.maxBlock[g.Func] = max(r.maxBlock[g.Func], p.block)
	}
	return r.m.NewBlockAddress(fn, blockNumber(p.block))
}

// blockNumber gives the number in the function of block n of the file.
func blockNumber(n uint64) ir.Block { return ir.Block(n + 1) }

// makeExpr makes a constant expression. As in LLVM, casts to the type that is there and getelementptr without offset
// are no expressions.
func (r *reader) makeExpr(p *pendingConst, ops []ir.Value) ir.Value {
	for _, v := range ops {
		if r.m.Asm(v) != nil {
			r.fail("inline assembly in a constant expression")
		}
	}
	first := r.m.TypeOfConst(ops[0])
	switch {
	case p.op == ir.OpBitCast && first == p.t:
		return ops[0]
	case p.op != ir.OpGetElementPtr:
		return r.m.NewExpr(p.op, p.t, p.flags, ops...)
	case !r.m.IsPtrOrPtrVector(first):
		r.fail("a getelementptr of something that is no pointer")
	case p.bounds != nil:
		t, n := r.m.IntType(p.width), len(p.bounds)/2
		return r.m.NewGEPInRange(p.source, p.flags, r.m.NewWide(t, p.bounds[:n]), r.m.NewWide(t, p.bounds[n:]), ops...)
	}
	noop := first == p.t
	for _, i := range ops[1:] {
		noop = noop && r.m.IsZero(i)
	}
	if noop {
		return ops[0]
	}
	return r.m.NewGEPExpr(p.source, p.flags, ops...)
}
