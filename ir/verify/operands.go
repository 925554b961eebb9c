package verify

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// OperandChecker checks the rules that code generation relies on and that a
// faulty pass breaks: every operand exists, is defined before its use and has a
// valid type. It is the inexpensive subset of Function. An OperandChecker
// reuses its memory and must not be used concurrently.
type OperandChecker struct{ c checker }

// NewOperandChecker returns a checker for the functions of a module.
func NewOperandChecker(m *ir.Module) *OperandChecker {
	return &OperandChecker{checker{shared: &shared{m: m}, dom: &analysis.DomTree{}}}
}

// Function returns the first violation in a function. ok reports that none was
// found.
func (o *OperandChecker) Function(f *ir.Function) (first Violation, ok bool) {
	c := &o.c
	c.f, c.b, c.v, c.g = f, 0, ir.None, nil
	c.out = c.out[:0]
	defer func() {
		if r := recover(); r != nil { // a rule depends on another rule that is violated as well
			c.fail(fmt.Sprint(r))
			first, ok = c.out[0], false
		}
	}()
	if f.Entry() != 0 && c.terminated() && c.destinations() {
		c.number()
		c.graph.ResetCFG(f)
		c.dom.Reset(&c.graph)
		for b := f.Entry(); b != 0 && len(c.out) == 0; b = f.NextBlock(b) {
			c.blockOperands(b)
		}
	}
	if len(c.out) > 0 {
		return c.out[0], false
	}
	return Violation{}, true
}

// destinations checks that terminators refer to blocks of the function, which
// the dominator tree requires.
func (c *checker) destinations() bool {
	for b := c.f.Entry(); b != 0; b = c.f.NextBlock(b) {
		c.b, c.v = b, c.f.Terminator(b)
		for _, s := range c.f.Operands(c.v) {
			if s.Value.IsBlock() && !c.checkMessage(c.blockExists(s.Value.Block())) {
				return false
			}
		}
	}
	return true
}

func (c *checker) blockExists(b ir.Block) string {
	if int(b) < c.f.NumBlocks() && c.f.IsBlockAlive(b) {
		return ""
	}
	return "Referring to a basic block that is not in the function!"
}

// blockOperands checks the instructions of a block up to the first violation.
func (c *checker) blockOperands(b ir.Block) {
	c.b, c.v = b, ir.None
	if c.f.Op(c.f.First(b)) == ir.OpPhi {
		c.phiEntries(b)
	}
	list := rules.From(makeRules)
	for v := c.f.First(b); v != ir.None && len(c.out) == 0; v = c.f.Next(v) {
		c.v = v
		if !c.operandsExist(v) {
			return
		}
		op := c.f.Op(v)
		switch rule := list[op]; {
		case op == ir.OpNone:
			c.fail("erased instruction in a block")
		case op.IsCall():
			c.checkMessage(c.callTypes(v))
		case rule != nil:
			c.checkMessage(rule(c, v))
		}
	}
}

// callTypes checks the types of callee, arguments and result of a call.
func (c *checker) callTypes(v ir.Value) string {
	f, m := c.f, c.m
	if !m.IsPtr(c.typeOf(f.Callee(v))) {
		return c.found("Called function must be a pointer!", c.typeOf(f.Callee(v)))
	}
	s := &c.site
	*s = callSite{v: v, fn: m.TypeInfo(f.CallType(v)), args: f.Args(v)}
	if s.fn.Kind != ir.KindFunc {
		return c.found("Called function must have a function type!", f.CallType(v))
	}
	return c.argTypes(s)
}

// operandsExist checks that the operands of an instruction exist and are
// defined before it.
func (c *checker) operandsExist(v ir.Value) bool {
	f := c.f
	isPhi, place := f.Op(v) == ir.OpPhi, c.order[v]
	for i, o := range f.Operands(v) {
		switch x := o.Value; {
		case x == ir.None:
			c.fail("Instruction has null operand!")
		case x.IsConst():
			if c.m.ConstKindOf(x) == ir.ConstGlobal && c.m.ConstGlobal(x) == nil {
				c.fail(fmt.Sprintf("operand %d is an erased global", i))
			}
		case x.IsBlock() && isPhi:
			c.checkMessage(c.blockExists(x.Block()))
		case !x.IsLocal():
		case int(x) >= f.NumValues():
			c.fail(fmt.Sprintf("operand %d is a value of another function", i))
		case f.Op(x) == ir.OpNone:
			c.fail(fmt.Sprintf("operand %d is an erased instruction", i))
		case isPhi || c.order[x] == 0 || c.order[x] >= place || f.Parent(x) != c.b:
			c.use(v, i, x)
		}
	}
	return len(c.out) == 0
}
