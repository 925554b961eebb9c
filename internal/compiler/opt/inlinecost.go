package opt

import (
	"math/bits"
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// Costs and bonuses of inlining: LLVM 22's InlineCost.h and
// AMDGPUTargetTransformInfo.cpp.
const (
	costInstr     = 5
	costCall      = 25
	costMinSwitch = 4 // cases that cost one comparison each

	thresholdDefault = 225
	thresholdHint    = 325
	thresholdOptSize = 50
	thresholdMinSize = 5
	thresholdCold    = 45
	thresholdFactor  = 11 // AMDGPU's getInliningThresholdMultiplier

	bonusLastCall = 15000
	bonusAlloca   = 4000 // amdgpu-inline-arg-alloca-cost
	maxAllocaSize = 256  // amdgpu-inline-arg-alloca-cutoff, bytes
	maxBlocks     = 1100 // amdgpu-inline-max-bb
)

// inlineCost estimates the cost of inlining. It is reused between calls.
type inlineCost struct {
	m         *ir.Module
	callee    *ir.Function
	known     []bool // values that are constant if the call's arguments are
	free      []bool // pointers to allocas of the caller that are split up after inlining
	reached   []bool
	work      []ir.Block
	cost      int
	limit     int
	recursive string
}

// threshold returns the maximum cost of a call.
func (c *inlineCost) threshold(f *ir.Function, call ir.Value) int {
	callee := c.callee
	n := thresholdDefault
	switch {
	case fnAttr(f, ir.AttrMinSize):
		n = thresholdMinSize
	case fnAttr(f, ir.AttrOptSize):
		n = thresholdOptSize
	case fnAttr(callee, ir.AttrInlineHint):
		n = thresholdHint
	}
	if fnAttr(callee, ir.AttrCold) || analysis.CallHas(f, call, ir.AttrCold) {
		n = min(n, thresholdCold)
	}
	n *= thresholdFactor
	if callee.NextBlock(callee.Entry()) == 0 {
		n += n / 2
	}
	return n + c.allocaBonus(f, call)
}

// allocaBonus returns the bonus for pointers to private variables, which become
// registers after inlining.
func (c *inlineCost) allocaBonus(f *ir.Function, call ir.Value) int {
	total := uint64(0)
	for i, o := range f.Args(call) {
		v := allocaOf(f, o.Value)
		if v == ir.None || i >= c.callee.NumArgs() {
			continue
		}
		if n, ok := c.m.IntValue(f.Operand(v, 0)); ok {
			total += c.m.AllocSize(f.AllocatedType(v)) * n
			c.free[c.callee.Arg(i)] = true
		}
	}
	if total == 0 || total > maxAllocaSize {
		return 0
	}
	return bonusAlloca
}

// allocaOf returns the alloca that a pointer is derived from, or None.
func allocaOf(f *ir.Function, v ir.Value) ir.Value {
	for range analysis.MaxObjects {
		switch f.Op(v) {
		case ir.OpAlloca:
			return v
		case ir.OpGetElementPtr, ir.OpAddrSpaceCast, ir.OpBitCast:
			v = f.Operand(v, 0)
		default:
			return ir.None
		}
	}
	return ir.None
}

// estimate returns "" if a call is cheap enough, otherwise the reason. lastCall
// means that the call is the only use of a local function.
func (c *inlineCost) estimate(f *ir.Function, call ir.Value, lastCall bool) string {
	c.callee = f.CalledFunction(call)
	c.m = f.Module()
	c.known = Sized(c.known, c.callee.NumValues())
	c.free = Sized(c.free, c.callee.NumValues())
	c.reached = Sized(c.reached, c.callee.NumBlocks())
	c.cost, c.recursive = 0, ""
	c.limit = c.threshold(f, call)
	if lastCall {
		c.cost -= bonusLastCall
	}
	args := f.Args(call)
	c.cost -= costInstr*(len(args)+1) + costCall
	for i, o := range args {
		if o.Value.IsConst() && i < c.callee.NumArgs() {
			c.known[c.callee.Arg(i)] = true
		}
	}
	c.walk()
	switch {
	case c.recursive != "":
		return c.recursive
	case c.cost >= max(1, c.limit):
		return "cost " + strconv.Itoa(c.cost) + " is not below the threshold " + strconv.Itoa(c.limit)
	}
	return ""
}

// walk adds up the instructions of the reachable blocks until the cost is too
// high.
func (c *inlineCost) walk() {
	f := c.callee
	c.work = append(c.work[:0], f.Entry())
	c.reached[f.Entry()] = true
	for len(c.work) > 0 && c.recursive == "" && c.cost < c.limit {
		b := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			c.instr(v)
		}
		c.follow(b)
	}
}

// follow continues with the successors of a block, or with a single one if the
// condition is known.
func (c *inlineCost) follow(b ir.Block) {
	f := c.callee
	t := f.Terminator(b)
	if f.Op(t) == ir.OpBr && f.NumOperands(t) == 3 {
		if x, ok := c.m.IntValue(f.Operand(t, 0)); ok {
			c.reach(f.Operand(t, 2-int(x&1)).Block())
			return
		}
	}
	for _, s := range f.Successors(b) {
		if s.Value.IsBlock() {
			c.reach(s.Value.Block())
		}
	}
}

func (c *inlineCost) reach(b ir.Block) {
	if !c.reached[b] {
		c.reached[b] = true
		c.work = append(c.work, b)
	}
}

// isKnown reports whether an operand is a constant after inlining.
func (c *inlineCost) isKnown(v ir.Value) bool {
	return v.IsConst() || v.IsLocal() && c.known[v]
}

func (c *inlineCost) instr(v ir.Value) {
	f := c.callee
	op := f.Op(v)
	switch op {
	case ir.OpPhi, ir.OpRet, ir.OpUnreachable, ir.OpBitCast, ir.OpFreeze, ir.OpExtractValue, ir.OpInsertValue:
		c.pass(v)
	case ir.OpAddrSpaceCast:
		c.pass(v)
	case ir.OpAlloca:
		if _, constant := c.m.IntValue(f.Operand(v, 0)); !constant || f.Parent(v) != f.Entry() {
			c.recursive = "dynamic alloca"
		}
		c.free[v] = true
	case ir.OpGetElementPtr:
		c.gep(v)
	case ir.OpLoad, ir.OpStore:
		if !c.free[accessPointer0(f, v)] || !f.IsSimple(v) {
			c.cost += costInstr
		}
	case ir.OpBr:
		if f.NumOperands(v) == 3 && !c.isKnown(f.Operand(v, 0)) {
			c.cost += costInstr
		}
	case ir.OpSwitch:
		if !c.isKnown(f.Operand(v, 0)) {
			n := f.NumCases(v)
			c.cost += 2 * costInstr * min(n, costMinSwitch+bits.Len(uint(n)))
		}
	case ir.OpCall:
		c.call(v)
	default:
		c.plain(v)
	}
}

// accessPointer0 returns the pointer of an access if it is local, else 0, which
// is never free.
func accessPointer0(f *ir.Function, v ir.Value) ir.Value {
	if p := analysis.AccessPointer(f, v); p.IsLocal() {
		return p
	}
	return ir.None
}

// pass propagates the knowledge about the first operand to the result.
func (c *inlineCost) pass(v ir.Value) {
	f := c.callee
	if f.NumOperands(v) == 0 || f.Op(v) == ir.OpPhi {
		return
	}
	if x := f.Operand(v, 0); x.IsLocal() {
		c.known[v], c.free[v] = c.known[x], c.free[x]
	}
}

func (c *inlineCost) gep(v ir.Value) {
	f := c.callee
	constant := true
	for _, o := range f.Operands(v)[1:] {
		constant = constant && c.isKnown(o.Value)
	}
	c.pass(v)
	c.known[v] = c.known[v] && constant
	if !constant {
		c.free[v] = false
		c.cost += costInstr
	}
}

// plain handles an operation that is free if its operands are known.
func (c *inlineCost) plain(v ir.Value) {
	f := c.callee
	for _, o := range f.Operands(v) {
		if !c.isKnown(o.Value) {
			c.cost += costInstr
			return
		}
	}
	c.known[v] = !analysis.MayWrite(f, v) && !analysis.MayRead(f, v)
	if !c.known[v] {
		c.cost += costInstr
	}
}

// freeCalls lists intrinsics that generate no code.
var freeCalls = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{
		ir.IntrAssume: true, ir.IntrLifetimeStart: true, ir.IntrLifetimeEnd: true, ir.IntrExperimentalNoaliasScopeDecl: true,
		ir.IntrInvariantStart: true, ir.IntrInvariantEnd: true, ir.IntrAnnotation: true, ir.IntrPtrAnnotation: true,
		ir.IntrVarAnnotation: true, ir.IntrSideeffect: true, ir.IntrPseudoprobe: true, ir.IntrExpect: true, ir.IntrIsConstant: true,
		ir.IntrObjectsize: true, ir.IntrDbgValue: true, ir.IntrDbgDeclare: true,
	}
}}

func (c *inlineCost) call(v ir.Value) {
	f := c.callee
	switch g := f.CalledFunction(v); {
	case g == f:
		c.recursive = "callee is recursive"
	case g != nil && g.Intrinsic != ir.NoIntrinsic:
		if !freeCalls.Get()[g.Intrinsic] {
			c.plain(v)
		}
	default:
		c.cost += costCall + costInstr*len(f.Args(v))
	}
}
