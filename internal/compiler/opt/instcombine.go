package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
)

// combiner is the state of instcombine: a work list of instructions.
type combiner struct {
	ctx     *Context
	f       *ir.Function
	m       *ir.Module
	b       ir.Builder
	list    []ir.Value
	listed  []bool // by value
	changed bool
	query   pattern.Query
	room    [8]ir.Value
	maker   pattern.Make
	steps   int
}

// maxCombineSteps bounds the number of visits per instruction of the function:
// rules that undo each other would never terminate.
const maxCombineSteps = 64

// instCombine converts instructions to the canonical forms that later passes
// and the code generator expect, and removes instructions that become redundant
// (a subset of LLVM's instcombine).
func instCombine(ctx *Context, f *ir.Function) bool {
	if f.Entry() == 0 {
		return false
	}
	c := Scratch[combiner](ctx)
	c.ctx, c.f, c.m, c.changed, c.steps = ctx, f, f.Module(), false, 0
	c.b = ir.Builder{F: f, Fold: simplify.Fold}
	if c.maker == nil {
		c.maker = c.make
	}
	c.list = c.list[:0]
	c.listed = Sized(c.listed, f.NumValues())
	g := cfgOf(ctx, f)
	blocks := g.graph.RPO()
	for i := len(blocks) - 1; i >= 0; i-- { // the work list is a stack: push the first instruction last
		for v := f.Last(ir.Block(blocks[i])); v != ir.None; v = f.Prev(v) {
			c.push(v)
		}
	}
	for limit := maxCombineSteps * (len(c.list) + 16); len(c.list) > 0 && c.steps < limit; c.steps++ {
		v := c.list[len(c.list)-1]
		c.list = c.list[:len(c.list)-1]
		c.listed[v] = false
		if f.Op(v) != ir.OpNone && f.Parent(v) != 0 {
			c.visitInstruction(v)
		}
	}
	return c.changed
}

// push adds an instruction to the work list.
func (c *combiner) push(v ir.Value) {
	for int(v) >= len(c.listed) {
		c.listed = append(c.listed, make([]bool, len(c.listed)+64)...)
	}
	if !c.listed[v] {
		c.listed[v] = true
		c.list = append(c.list, v)
	}
}

// pushUsers adds the users of a value to the work list.
func (c *combiner) pushUsers(v ir.Value) {
	for u := c.f.FirstUse(v); u != 0; u = c.f.NextUse(u) {
		c.push(c.f.User(u))
	}
}

// erase removes a dead instruction. Its operands may now be dead or have a
// single use.
func (c *combiner) erase(v ir.Value) {
	var room [8]ir.Value
	ops := room[:0]
	for _, o := range c.f.Operands(v) {
		if o.Value.IsLocal() && c.f.Op(o.Value) != ir.OpLocalMetadata && o.Value != v {
			ops = append(ops, o.Value)
		}
	}
	c.f.Erase(v)
	for _, o := range ops {
		c.released(o)
	}
	c.changed = true
}

// released revisits a value that lost a use: it may be dead, and its only user
// may be simplified further.
func (c *combiner) released(v ir.Value) {
	if c.f.Op(v) != ir.OpArg {
		c.push(v)
	}
	if c.f.HasOneUse(v) {
		c.push(c.f.User(c.f.FirstUse(v)))
	}
}

// replace replaces an instruction by another value.
func (c *combiner) replace(v, by ir.Value) {
	c.pushUsers(v)
	if by.IsLocal() {
		if f := c.f; f.HasName(v) && f.Op(by) != ir.OpArg && !f.HasName(by) {
			f.SetName(by, f.NameOf(v))
		}
		if c.f.Op(by) != ir.OpArg {
			c.push(by)
		}
	}
	if c.f.HasUses(v) {
		c.f.ReplaceUses(v, by)
	}
	c.changed = true
	if analysis.IsDead(c.f, v) {
		c.erase(v)
	}
}

// visitInstruction processes one instruction.
func (c *combiner) visitInstruction(v ir.Value) {
	f := c.f
	if analysis.IsDead(f, v) {
		c.erase(v)
		return
	}
	if f.TypeOf(v) != ir.Void && f.HasUses(v) {
		if r := simplify.Instr(f, v); r != ir.None && r != v {
			c.replace(v, r)
			return
		}
	}
	c.order(v)
	c.b.Before(v)
	if f.Op(v) == ir.OpPhi {
		return
	}
	if r := c.byRule(v); r != ir.None {
		c.replace(v, r)
		return
	}
	if fn := combiners[f.Op(v)]; fn != nil {
		if r := fn(c, v); r != ir.None && r != v {
			c.replace(v, r)
		} else if r == v {
			c.changed = true // changed in place
			c.push(v)
			c.pushUsers(v)
		}
	}
}

// rank orders operands: instructions precede arguments, and constants are last.
func (c *combiner) rank(v ir.Value) int {
	switch {
	case v.IsConst():
		return 0
	case c.f.Op(v) == ir.OpArg:
		return 1
	}
	return 2
}

// order puts the operands of a commutative operation into the order that
// patterns use, with constants on the right.
func (c *combiner) order(v ir.Value) {
	f := c.f
	if !exchangeable(f, v) || f.NumOperands(v) < 2 {
		return
	}
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	if c.rank(x) >= c.rank(y) {
		return
	}
	f.SetOperand(v, 0, y)
	f.SetOperand(v, 1, x)
	if in := f.Instr(v); in.Op == ir.OpICmp || in.Op == ir.OpFCmp {
		in.Sub = uint8(ir.Pred(in.Sub).Swapped())
	}
	c.changed = true
	c.pushUsers(v)
}

// byRule applies the first matching rule.
func (c *combiner) byRule(v ir.Value) ir.Value {
	q := &c.query
	q.Fold = simplify.Constant
	q.Of(c.f, v, c.room[:0])
	if q.Op == ir.OpCall && q.Intr == ir.NoIntrinsic || c.m.IsAggregate(q.Type) || len(q.Ops) == 0 {
		return ir.None
	}
	for r, i := combineRules.Get().Next(q, 0); r != nil; r, i = combineRules.Get().Next(q, i) {
		if !q.Check(r) {
			continue
		}
		if to := q.Result(r, c.maker); to != ir.None && to != v && c.f.TypeOf(to) == q.Type {
			return to
		}
	}
	return ir.None
}

// make inserts one operation from a rule's result before the current instruction.
func (c *combiner) make(op ir.Op, sub uint8, id ir.Intrinsic, flags ir.Flags, t ir.Type, ops []ir.Value) ir.Value {
	f := c.f
	if op == ir.OpCall {
		over := t
		fn := c.m.DeclareIntrinsic(id, over)
		v := c.b.Call(fn, ops...)
		f.Instr(v).Flags = flags
		c.push(v)
		return v
	}
	if r := simplify.Fold(f, op, sub, flags, t, ops); r != ir.None {
		return r
	}
	v := c.b.Make(op, t, ops...)
	in := f.Instr(v)
	in.Sub, in.Flags = sub, flags
	c.push(v)
	return v
}
