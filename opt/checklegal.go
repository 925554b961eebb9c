package opt

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// legalChecker checks functions against what selection takes.
type legalChecker struct {
	ctx *Context
	f   *ir.Function
	m   *ir.Module
	mem memSplitter
}

// CheckLegal reports the first thing in a function that the passes of CodegenPipeline should have removed. It is for tests: what it does not
// know it does not report.
func CheckLegal(ctx *Context, f *ir.Function) error {
	c := legalChecker{ctx: ctx, f: f, m: f.Module()}
	c.mem = memSplitter{f: f, emitter: emitter{m: c.m}, rules: ctx.memRulesOf(c.m)}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if problem := c.instr(v); problem != "" {
				return fmt.Errorf("@%s: %s", f.Name(), problem)
			}
		}
	}
	if f.Entry() == 0 {
		return nil
	}
	return checkControl(f)
}

// instr gives what is wrong with an instruction, "" for nothing.
func (c *legalChecker) instr(v ir.Value) string {
	f, m := c.f, c.m
	op, t := f.Op(v), f.TypeOf(v)
	switch op {
	case ir.OpSwitch, ir.OpIndirectBr, ir.OpInvoke, ir.OpUnreachable, ir.OpVAArg, ir.OpFDiv, ir.OpFRem, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
		return op.String()
	case ir.OpLoad, ir.OpStore:
		if !f.IsAtomic(v) && !c.mem.isLegal(c.mem.typeOf(v), c.mem.alignOf(v)) {
			return "access"
		}
		return ""
	case ir.OpCall:
		if _, is := memIntrinsics[f.CalledIntrinsic(v)]; is {
			return "memory intrinsic"
		}
		return ""
	case ir.OpExtractElement, ir.OpInsertElement:
		if i := f.Operand(v, f.NumOperands(v)-1); !i.IsConst() {
			return op.String() + " with an index that is no constant"
		}
		return ""
	case ir.OpPhi, ir.OpSelect, ir.OpFreeze:
		if m.IsAggregate(t) {
			return op.String() + " of an aggregate"
		}
	}
	if op.IsBinary() || op == ir.OpICmp || op == ir.OpFCmp {
		return c.arithmetic(v)
	}
	return ""
}

// arithmetic checks the type that an operation computes on.
func (c *legalChecker) arithmetic(v ir.Value) string {
	f, m := c.f, c.m
	t := f.TypeOf(f.Operand(v, 0))
	switch e := m.Scalar(t); {
	case m.IsVector(t) && (m.NumElements(t) != 2 || e != ir.Half && e != ir.I16):
		return f.Op(v).String() + " of vectors"
	case m.IsVector(t), m.IsPtr(e), m.IsFloat(e):
	case e != ir.I1 && e != ir.I32 && e != ir.I64:
		return fmt.Sprintf("%v of i%d", f.Op(v), m.IntBits(e))
	}
	return ""
}

// checkControl checks what code generation expects of control flow: one ret that every block reaches, branches only, and
// loops with one entry, a preheader and one latch, which values leave by phis.
func checkControl(f *ir.Function) error {
	rets := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		switch op := f.Op(f.Terminator(b)); op {
		case ir.OpRet:
			rets++
		case ir.OpBr:
		default:
			return fmt.Errorf("@%s: terminator %v", f.Name(), op)
		}
	}
	g := analysis.CFG(f)
	if roots := analysis.NewPostDomTree(g).Roots(); rets != 1 || len(roots) != 1 {
		return fmt.Errorf("@%s: %d rets, %d ends", f.Name(), rets, len(roots))
	}
	if len(g.RPO()) != len(g.Order()) {
		return fmt.Errorf("@%s: unreachable blocks", f.Name())
	}
	cycles := analysis.NewCycles(g)
	for c := uint32(1); c <= uint32(cycles.N()); c++ {
		if !cycles.Reducible(c) {
			return fmt.Errorf("@%s: irreducible", f.Name())
		}
	}
	loops := analysis.NewLoops(analysis.NewDomTree(g))
	for l := uint32(1); l <= uint32(loops.N()); l++ {
		before := loops.Predecessor(l)
		if loops.Latch(l) == 0 || before == 0 || len(g.Succs(before)) != 1 {
			return fmt.Errorf("@%s: loop without preheader or single latch", f.Name())
		}
	}
	return checkLCSSA(f, loops)
}

// checkLCSSA reports a value of a loop that is used outside other than by a phi of an exit.
func checkLCSSA(f *ir.Function, loops *analysis.Loops) error {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
				at := f.Parent(f.User(u))
				if f.Op(f.User(u)) == ir.OpPhi {
					at = f.Operand(f.User(u), f.UseIndex(u)+1).Block()
				}
				if l := loops.Of(uint32(b)); l != 0 && !loops.Contains(l, uint32(at)) {
					return fmt.Errorf("@%s: value leaves a loop without a phi", f.Name())
				}
			}
		}
	}
	return nil
}
