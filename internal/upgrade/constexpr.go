package upgrade

import (
	"fmt"
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// isPresent reports whether LLVM 22 has constant expressions for an operation.
func isPresent(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpXor, ir.OpGetElementPtr, ir.OpTrunc, ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr, ir.OpBitCast,
		ir.OpAddrSpaceCast, ir.OpExtractElement, ir.OpInsertElement, ir.OpShuffleVector:
		return true
	}
	return false
}

// maxExpand limits the instructions that one use of a constant expands to.
// Expressions can share operands.
const maxExpand = 1 << 16

// expander rewrites constant expressions that LLVM 22 no longer has as
// instructions, like LLVM's bitcode reader. The instructions precede the user.
// For a phi they are in a new block on the edge from the operand's block.
type expander struct {
	m   *ir.Module
	old map[ir.Value]bool // whether a constant is or contains an old expression
	err error

	f     *ir.Function
	at    ir.Value              // insertion point
	made  map[ir.Value]ir.Value // instructions of the current use
	edges map[ir.Block]bool     // new edge blocks
	names map[string]bool       // names in use
	last  int                   // last number appended to a name
}

// isOld reports whether a constant is or contains an old expression.
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

// initializer records an error if the initializer of a global contains an old
// expression, which cannot become instructions.
func (e *expander) initializer(g *ir.Global) {
	if !e.m.HasOldExprs() {
		return
	}
	values := []ir.Value{g.Init}
	if g.Func != nil {
		values = append(values, g.Func.Personality, g.Func.Prefix, g.Func.Prologue)
	}
	for _, v := range values {
		if v != ir.None && e.isOld(v) {
			e.fail("initializer of @%s contains a constant expression that LLVM 22 does not support", g.Name())
		}
	}
}

// fail records the first error.
func (e *expander) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// function expands the old expressions of a function.
func (e *expander) function(f *ir.Function) {
	if !e.m.HasOldExprs() {
		return
	}
	e.f, e.edges, e.names, e.last = f, nil, nil, 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			e.records(v)
			if f.Op(v) == ir.OpPhi {
				e.phi(v)
				continue
			}
			for i := range f.NumOperands(v) {
				if o := f.Operand(v, i); e.isOld(o) {
					e.at = v
					f.SetOperand(v, i, e.expand(o))
				}
			}
		}
	}
}

// records removes old expressions from debug records.
func (e *expander) records(v ir.Value) {
	f := e.f
	for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
		for i := range f.NumOperands(r) {
			if o := f.Operand(r, i); e.isOld(o) {
				f.SetOperand(r, i, e.m.Poison(e.m.TypeOfConst(o)))
			}
		}
	}
}

// phi expands the old operands of a phi.
func (e *expander) phi(v ir.Value) {
	f := e.f
	to := f.Parent(v)
	for i := 0; i < f.NumIncoming(v); i++ {
		x, from := f.Incoming(v, i)
		if !e.isOld(x) {
			continue
		}
		if !e.edges[from] {
			if f.Terminator(from) == ir.None || to == f.Entry() {
				e.fail("@%s: phi uses a constant expression that LLVM 22 does not support, for a block that is not a predecessor", f.Name())
				return
			}
			from = e.edgeBlock(from, to)
			i = f.PhiIndex(v, from)
		}
		e.at = f.Terminator(from)
		f.SetOperand(v, 2*i, e.expand(x))
	}
}

// edgeBlock inserts a block on the edge between two blocks.
func (e *expander) edgeBlock(from, to ir.Block) ir.Block {
	f := e.f
	at := f.NewBlockAfter(f.PrevBlock(to))
	e.name(at.Value(), "phi.constexpr")
	t := f.Terminator(from)
	for i := range f.NumOperands(t) {
		if f.Operand(t, i) == to.Value() {
			f.SetOperand(t, i, at.Value())
		}
	}
	// several edges become one
	for v := f.First(to); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		first := f.PhiIndex(v, from)
		for i := f.NumIncoming(v) - 1; i > first; i-- {
			if _, pred := f.Incoming(v, i); pred == from {
				f.RemoveOperands(v, 2*i, 2)
			}
		}
	}
	f.ReplacePhiBlock(to, from, at)
	f.Append(at, f.NewInstr(ir.OpBr, ir.Void, to.Value()))
	if e.edges == nil {
		e.edges = map[ir.Block]bool{}
	}
	e.edges[at] = true
	return at
}

// expand creates the instructions for one use of a constant and returns their
// value.
func (e *expander) expand(v ir.Value) ir.Value {
	e.made = map[ir.Value]ir.Value{}
	return e.value(v)
}

// value creates the instructions of a constant after its operands'
// instructions.
func (e *expander) value(v ir.Value) ir.Value {
	if !e.isOld(v) {
		return v
	}
	if x := e.made[v]; x != ir.None {
		return x
	}
	ops := e.m.ConstOperands(v)
	if _, _, gep, from, _ := e.m.GEPExpr(v); gep != nil {
		if ops = gep; from != ir.None {
			e.fail("@%s: getelementptr with inrange has an operand that LLVM 22 does not support", e.f.Name())
		}
	}
	values := make([]ir.Value, len(ops))
	for i, o := range ops {
		values[i] = e.value(o)
	}
	if len(e.made) > maxExpand {
		e.fail("@%s: constant expression expands to more than %d instructions", e.f.Name(), maxExpand)
		return e.m.Poison(e.m.TypeOfConst(v))
	}
	x := e.instr(v, values)
	e.made[v] = x
	return x
}

// emitInstr inserts an instruction at the insertion point.
func (e *expander) emitInstr(name string, op ir.Op, t ir.Type, ops ...ir.Value) ir.Value {
	v := e.f.NewInstr(op, t, ops...)
	e.name(v, name)
	e.f.InsertBefore(v, e.at)
	return v
}

// name sets the name of a value and appends a number if the name is in use.
func (e *expander) name(v ir.Value, name string) {
	if e.names == nil {
		e.names = map[string]bool{}
	}
	text := []byte(name)
	if e.names[name] {
		e.last++
		text = strconv.AppendInt(text, int64(e.last), 10)
	}
	e.names[name] = true
	e.f.SetName(v, text)
}

// instr creates the instruction for an expression, or the instructions that
// build an aggregate.
func (e *expander) instr(v ir.Value, ops []ir.Value) ir.Value {
	c := e.m.Const(v)
	if c.Kind == ir.ConstAggregate {
		return e.aggregate(c.Type, ops)
	}
	if c.Op == ir.OpShuffleVector {
		x := e.emitInstr("constexpr", c.Op, c.Type, ops[:2]...)
		e.f.SetIndices(x, e.mask(ops[2]))
		return x
	}
	x := e.emitInstr("constexpr", c.Op, c.Type, ops...)
	in := e.f.Instr(x)
	in.Flags = c.Flags
	switch c.Op {
	case ir.OpICmp, ir.OpFCmp:
		in.Sub = uint8(e.m.ExprPred(v))
	case ir.OpGetElementPtr:
		source, flags, _, _, _ := e.m.GEPExpr(v)
		in.X, in.Flags = uint32(source), flags
	}
	return x
}

// mask returns the shufflevector mask of an expression.
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

// aggregate builds a vector, array or struct element by element.
func (e *expander) aggregate(t ir.Type, ops []ir.Value) ir.Value {
	r := e.m.Poison(t)
	for i, o := range ops {
		if e.m.IsVector(t) {
			r = e.emitInstr("constexpr.ins", ir.OpInsertElement, t, r, o, e.m.NewInt(ir.I32, uint64(i)))
		} else {
			r = e.emitInstr("constexpr.ins", ir.OpInsertValue, t, r, o)
			e.f.SetIndices(r, []uint32{uint32(i)})
		}
	}
	return r
}
