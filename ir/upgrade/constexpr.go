package upgrade

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// isPresent reports whether LLVM 22 has constant expressions of an operation.
func isPresent(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpXor, ir.OpGetElementPtr, ir.OpTrunc, ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr, ir.OpBitCast,
		ir.OpAddrSpaceCast, ir.OpExtractElement, ir.OpInsertElement, ir.OpShuffleVector:
		return true
	}
	return false
}

// expander makes instructions of constant expressions that LLVM 22 does not have any more.
type expander struct {
	m   *ir.Module
	old map[ir.Value]bool // whether a constant is or has such an expression
	err error             // of initializers
}

// isOld reports whether a constant is or has an old expression.
func (e *expander) isOld(v ir.Value) bool {
	if !v.IsConst() {
		return false
	}
	k := e.m.ConstKindOf(v)
	if k != ir.ConstExpr && k != ir.ConstAggregate {
		return false
	}
	if old, ok := e.old[v]; ok {
		return old
	}
	c := e.m.Const(v)
	old := k == ir.ConstExpr && !isPresent(c.Op)
	for _, o := range e.m.ConstOperands(v) {
		old = old || e.isOld(o)
	}
	if e.old == nil {
		e.old = map[ir.Value]bool{}
	}
	e.old[v] = old
	return old
}

// initializer notes an error when the initializer of a global has an old expression: there is no place for instructions.
func (e *expander) initializer(g *ir.Global) {
	if e.err == nil && g.Init != ir.None && e.m.HasOldExprs() && e.isOld(g.Init) {
		e.err = fmt.Errorf("initializer of @%s has a constant expression that LLVM 22 does not have", g.Name())
	}
}

// function expands the old expressions of a function.
func (e *expander) function(f *ir.Function) {
	if !e.m.HasOldExprs() {
		return
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for i := range f.NumOperands(v) {
				o := f.Operand(v, i)
				if !e.isOld(o) {
					continue
				}
				at := v
				if f.Op(v) == ir.OpPhi {
					_, pred := f.Incoming(v, i/2)
					at = f.Terminator(pred)
				}
				e.operand(f, v, i, o, at)
			}
		}
	}
}

// operand puts instructions before at in place of operand i. All incoming values of a phi for the same block become the same.
func (e *expander) operand(f *ir.Function, v ir.Value, i int, o, at ir.Value) {
	b := ir.NewBuilder(f, f.Parent(at))
	b.Before(at)
	to := e.expand(b, o)
	f.SetOperand(v, i, to)
	if f.Op(v) != ir.OpPhi {
		return
	}
	_, pred := f.Incoming(v, i/2)
	for j := range f.NumIncoming(v) {
		if x, p := f.Incoming(v, j); p == pred && x == o {
			f.SetOperand(v, 2*j, to)
		}
	}
}

// expand makes the instructions of a constant and gives their value.
func (e *expander) expand(b *ir.Builder, v ir.Value) ir.Value {
	if !e.isOld(v) {
		return v
	}
	c := e.m.Const(v)
	if c.Kind == ir.ConstAggregate {
		return e.aggregate(b, v, c.Type)
	}
	source, flags, ops, _, _ := e.m.GEPExpr(v)
	if source == ir.NoType {
		flags, ops = c.Flags, e.m.ConstOperands(v)
	}
	values := make([]ir.Value, len(ops))
	for i, o := range ops {
		values[i] = e.expand(b, o)
	}
	switch c.Op {
	case ir.OpGetElementPtr:
		return b.GEP(source, flags, values...)
	case ir.OpICmp, ir.OpFCmp:
		return b.Compare(e.m.ExprPred(v), values[0], values[1])
	case ir.OpShuffleVector:
		return b.Shuffle(values[0], values[1], e.mask(values[2]))
	}
	r := b.Make(c.Op, c.Type, values...)
	b.F.Instr(r).Flags = flags
	return r
}

// mask gives the mask of a shufflevector from the constant that an expression has.
func (e *expander) mask(v ir.Value) []uint32 {
	mask := make([]uint32, e.m.NumElements(e.m.TypeOfConst(v)))
	for i := range mask {
		mask[i] = ir.PoisonElement
		if n, ok := e.m.IntValue(e.m.Element(v, uint64(i))); ok {
			mask[i] = uint32(n)
		}
	}
	return mask
}

// aggregate makes a vector, array or struct element by element.
func (e *expander) aggregate(b *ir.Builder, v ir.Value, t ir.Type) ir.Value {
	r := e.m.Poison(t)
	for i, o := range e.m.ConstOperands(v) {
		x := e.expand(b, o)
		if e.m.IsVector(t) {
			r = b.InsertElement(r, x, e.m.NewInt(ir.I32, uint64(i)))
		} else {
			r = b.InsertValue(r, x, uint32(i))
		}
	}
	return r
}
