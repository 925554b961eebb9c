package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
)

// cse is the state of early-cse: tables of available values. Their scopes are
// the dominator tree nodes on the path to the current block. Memory has
// generations: a loaded or stored value is available until the next generation
// begins.
type cse struct {
	f     *ir.Function
	dom   *analysis.DomTree
	exprs cseTable // expressions
	loads cseTable // memory contents by address
	calls cseTable // results of calls that only read memory

	gen       uint32
	lastStore ir.Value // last store, if not read yet
	stack     []cseFrame
	changed   bool
}

// cseFrame is a dominator tree node on the current path.
type cseFrame struct {
	node                uint32
	child               int
	gen                 uint32 // at the end of the block
	exprs, loads, calls int    // table sizes before it
}

// earlyCSE removes computations that are available on all paths, loads of known
// memory contents, and stores that are overwritten immediately. It is LLVM's
// early-cse, with memory generations instead of MemorySSA in both variants.
func earlyCSE(ctx *Context, f *ir.Function) bool {
	c := Scratch[cse](ctx)
	g := cfgOf(ctx, f)
	c.f, c.dom, c.changed, c.gen = f, &g.dom, false, 0
	c.exprs.reset(f, equalExprs)
	c.loads.reset(f, equalAddrs)
	c.calls.reset(f, equalExprs)
	c.stack = c.stack[:0]
	if f.Entry() == 0 {
		return false
	}
	c.enter(uint32(f.Entry()), 0)
	for len(c.stack) > 0 {
		top := &c.stack[len(c.stack)-1]
		if children := g.dom.Children(top.node); top.child < len(children) {
			top.child++
			c.enter(children[top.child-1], top.gen)
			continue
		}
		c.exprs.leave(top.exprs)
		c.loads.leave(top.loads)
		c.calls.leave(top.calls)
		c.stack = c.stack[:len(c.stack)-1]
	}
	return c.changed
}

// enter processes a block.
func (c *cse) enter(node uint32, gen uint32) {
	c.stack = append(c.stack, cseFrame{node: node, exprs: len(c.exprs.entries), loads: len(c.loads.entries), calls: len(c.calls.entries)})
	b := ir.Block(node)
	c.gen, c.lastStore = gen, ir.None
	if pred := c.f.SinglePred(b); pred != 0 {
		c.branchFacts(pred, b)
	} else {
		c.gen++ // other paths may have written
	}
	for v := c.f.First(b); v != ir.None; {
		next := c.f.Next(v)
		c.instr(v)
		if next != ir.None && c.f.Op(next) == ir.OpNone {
			panic("BUG: early-cse erased the instruction after the current one")
		}
		v = next
	}
	c.stack[len(c.stack)-1].gen = c.gen
}

// branchFacts records the facts about the condition that hold along the edge
// from the only predecessor.
func (c *cse) branchFacts(pred, b ir.Block) {
	t := c.f.Terminator(pred)
	if c.f.Op(t) != ir.OpBr || c.f.NumOperands(t) != 3 || c.f.Operand(t, 1) == c.f.Operand(t, 2) {
		return
	}
	c.fact(c.f.Operand(t, 0), c.f.Operand(t, 1) == b.Value(), b, 0)
}

// fact records that a condition is true or false in a block and the blocks that
// it dominates.
func (c *cse) fact(cond ir.Value, holds bool, b ir.Block, depth int) {
	if !cond.IsLocal() || c.f.Op(cond) == ir.OpArg || depth > 4 {
		return
	}
	to := c.f.Module().NewBool(holds)
	if isExpr(c.f, cond) {
		c.exprs.addEntry(cond, to, c.gen)
	}
	c.replaceDominated(cond, to, b)
	if op := c.f.Op(cond); holds && op == ir.OpAnd || !holds && op == ir.OpOr {
		c.fact(c.f.Operand(cond, 0), holds, b, depth+1)
		c.fact(c.f.Operand(cond, 1), holds, b, depth+1)
	}
}

// replaceDominated replaces uses of a condition in blocks dominated by b with a
// constant.
func (c *cse) replaceDominated(cond, to ir.Value, b ir.Block) {
	for u := c.f.FirstUse(cond); u != 0; {
		next := c.f.NextUse(u)
		user := c.f.User(u)
		at := c.f.Parent(user)
		if c.f.Op(user) == ir.OpPhi {
			at = c.f.Operand(user, c.f.UseIndex(u)+1).Block()
		}
		if at != 0 && c.dom.Contains(uint32(at)) && c.dom.Dominates(uint32(b), uint32(at)) {
			c.f.SetUse(u, to)
			c.changed = true
		}
		u = next
	}
}

// replace replaces v by an equal value.
func (c *cse) replace(v, by ir.Value) {
	if c.f.HasUses(v) {
		c.f.ReplaceUses(v, by)
	}
	c.changed = true
}

// instr processes one instruction.
func (c *cse) instr(v ir.Value) {
	f := c.f
	if analysis.IsDead(f, v) {
		f.Erase(v)
		c.changed = true
		return
	}
	if c.isHint(v) {
		return
	}
	if r := simplify.Instr(f, v); r != ir.None && r != v {
		c.replace(v, r)
		if analysis.IsDead(f, v) {
			f.Erase(v)
			return
		}
	}
	switch {
	case isExpr(f, v):
		c.expression(v)
	case f.Op(v) == ir.OpLoad:
		c.load(v)
	default:
		c.effects(v)
	}
}

// isHint reports whether an instruction is only an annotation, and records the
// fact of an assumption.
func (c *cse) isHint(v ir.Value) bool {
	switch c.f.CalledIntrinsic(v) {
	case ir.IntrAssume:
		cond := c.f.Operand(v, 0)
		if cond.IsLocal() && isExpr(c.f, cond) {
			c.exprs.addEntry(cond, c.f.Module().NewBool(true), c.gen)
		}
		return true
	case ir.IntrSideeffect, ir.IntrPseudoprobe, ir.IntrExperimentalNoaliasScopeDecl, ir.IntrInvariantStart, ir.IntrInvariantEnd:
		return true
	}
	return false
}

// expression searches for an equal expression.
func (c *cse) expression(v ir.Value) {
	e := c.exprs.findEntry(v)
	if e == nil {
		c.exprs.addEntry(v, v, c.gen)
		return
	}
	if by := e.value; by.IsLocal() && by != v {
		c.weaken(by, v)
	}
	c.replace(v, e.value)
	c.f.Erase(v)
}

// weaken removes flags and metadata from the kept value that do not hold for
// the dropped one.
func (c *cse) weaken(kept, dropped ir.Value) {
	a, b := c.f.Instr(kept), c.f.Instr(dropped)
	if a.Op == b.Op {
		a.Flags &= b.Flags
	}
	dropMetadata(c.f, kept, dropped)
}

// dropMetadata removes the metadata of the kept instruction that the dropped
// one lacks.
func dropMetadata(f *ir.Function, kept, dropped ir.Value) {
	if !f.HasAttachments(kept) {
		return
	}
	var room [8]ir.Attachment
	for _, a := range f.Attachments(kept, room[:0]) {
		if f.Attachment(dropped, a.Kind) != a.Node {
			f.SetAttachment(kept, a.Kind, 0)
		}
	}
}

// load searches for the contents of the loaded memory.
func (c *cse) load(v ir.Value) {
	f := c.f
	if !f.IsSimple(v) {
		c.effects(v)
		return
	}
	if e := c.loads.findEntry(v); e != nil && e.gen == c.gen && f.TypeOf(e.value) == f.TypeOf(v) {
		if e.value.IsLocal() && f.Op(e.value) == ir.OpLoad {
			dropMetadata(f, e.value, v)
		}
		c.replace(v, e.value)
		f.Erase(v)
		return
	}
	c.loads.addEntry(v, v, c.gen)
	c.lastStore = ir.None
}

// effects processes an instruction that may read or write memory.
func (c *cse) effects(v ir.Value) {
	f := c.f
	if f.Op(v) == ir.OpFence {
		c.gen++
		c.lastStore = ir.None
		return
	}
	simpleStore := f.Op(v) == ir.OpStore && f.IsSimple(v)
	if simpleStore {
		// The memory already holds the value.
		if e := c.loads.findEntry(v); e != nil && e.gen == c.gen && e.value == f.Operand(v, 0) {
			f.Erase(v)
			c.changed = true
			return
		}
	}
	if analysis.MayRead(f, v) || analysis.MayThrow(f, v) {
		c.lastStore = ir.None
	}
	if f.Op(v).IsCall() && c.readOnlyCall(v) {
		return
	}
	if !analysis.MayWrite(f, v) {
		return
	}
	c.gen++
	if !simpleStore {
		c.lastStore = ir.None
		return
	}
	c.store(v)
}

// readOnlyCall searches for an equal call since the last write to memory.
func (c *cse) readOnlyCall(v ir.Value) bool {
	f := c.f
	if analysis.MayWrite(f, v) || f.TypeOf(v) == ir.Void || f.Op(v) != ir.OpCall || !analysis.WillReturn(f, v) || analysis.MayThrow(f, v) || analysis.CallHas(f, v, ir.AttrConvergent) {
		return false
	}
	if e := c.calls.findEntry(v); e != nil && e.gen == c.gen && f.TypeOf(e.value) == f.TypeOf(v) {
		c.replace(v, e.value)
		f.Erase(v)
		return true
	}
	c.calls.addEntry(v, v, c.gen)
	return true
}

// store records the stored value and removes the previous store if it is
// overwritten.
func (c *cse) store(v ir.Value) {
	f := c.f
	if last := c.lastStore; last != ir.None && f.Operand(last, 1) == f.Operand(v, 1) &&
		f.Module().StoreSize(f.TypeOf(f.Operand(last, 0))) <= f.Module().StoreSize(f.TypeOf(f.Operand(v, 0))) {
		c.loads.forget(last)
		f.Erase(last)
		c.changed = true
	}
	c.loads.addEntry(v, f.Operand(v, 0), c.gen)
	c.lastStore = v
}
