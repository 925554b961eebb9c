package verify

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// rules holds the specific rules of each operation. A rule returns the first
// violation, or "" if it found none or has already recorded it.
var rules lazy.Value[*[ir.NumOps]func(c *checker, v ir.Value) string]

func makeRules() *[ir.NumOps]func(c *checker, v ir.Value) string {
	list := &[ir.NumOps]func(c *checker, v ir.Value) string{
		ir.OpRet: (*checker).ret, ir.OpBr: (*checker).br, ir.OpSwitch: (*checker).switch_, ir.OpIndirectBr: (*checker).indirectBr,
		ir.OpInvoke: (*checker).invoke, ir.OpResume: (*checker).resume, ir.OpCleanupRet: (*checker).cleanupRet,
		ir.OpCatchRet: (*checker).catchRet, ir.OpCatchSwitch: (*checker).catchSwitch, ir.OpCallBr: (*checker).callBr,
		ir.OpFNeg: (*checker).fneg, ir.OpAlloca: (*checker).alloca, ir.OpLoad: (*checker).load, ir.OpStore: (*checker).store,
		ir.OpGetElementPtr: (*checker).gep, ir.OpFence: (*checker).fence, ir.OpCmpXchg: (*checker).cmpXchg,
		ir.OpAtomicRMW: (*checker).atomicRMW, ir.OpCleanupPad: (*checker).cleanupPad, ir.OpCatchPad: (*checker).catchPad,
		ir.OpICmp: (*checker).icmp, ir.OpFCmp: (*checker).fcmp, ir.OpPhi: (*checker).phi, ir.OpCall: (*checker).call,
		ir.OpSelect: (*checker).select_, ir.OpVAArg: (*checker).vaArg, ir.OpExtractElement: (*checker).extractElement,
		ir.OpInsertElement: (*checker).insertElement, ir.OpShuffleVector: (*checker).shuffle,
		ir.OpExtractValue: (*checker).extractValue, ir.OpInsertValue: (*checker).insertValue,
		ir.OpLandingPad: (*checker).landingPad, ir.OpFreeze: (*checker).freeze,
	}
	for op := ir.OpNone; op < ir.NumOps; op++ {
		switch {
		case op.IsBinary():
			list[op] = (*checker).binary
		case op.IsCast():
			list[op] = (*checker).cast
		}
	}
	return list
}

// instruction checks the rules common to all instructions: result, operands,
// metadata.
func (c *checker) instruction(v ir.Value) {
	in := c.f.Instr(v)
	switch t := in.Type; {
	case t == ir.Void:
		if c.f.HasName(v) {
			c.fail("Instruction has a name, but provides a void value!")
		}
	case !c.m.IsFirstClass(t):
		c.fail(c.found("Instruction returns a non-scalar type!", t))
	case t == ir.MD && in.Op != ir.OpCall && in.Op != ir.OpInvoke:
		c.fail("Invalid use of metadata!")
	}
	isPhi, isCall := in.Op == ir.OpPhi, in.Op.IsCall()
	ops := c.f.Operands(v)
	place := c.order[v]
	for i, o := range ops {
		switch {
		case o.Value.IsConst():
			c.constOperand(o.Value, isCall && i == len(ops)-1)
		case o.Value.IsLocal():
			if isPhi || c.f.Parent(o.Value) != c.b || c.order[o.Value] >= place {
				c.use(v, i, o.Value)
			}
		case o.Value.IsMetadata():
			c.metadataOperand(o.Value.Metadata())
		case o.Value == ir.None:
			c.fail("Instruction has null operand!")
		}
	}
	if in.Loc != 0 {
		c.location(in.Loc)
	}
	if c.f.HasAttachments(v) {
		c.attachments(v)
	}
}

// use checks that the instruction used by operand i of v dominates the use.
func (c *checker) use(v ir.Value, i int, def ir.Value) {
	op := c.f.Op(def)
	switch {
	case op == ir.OpArg:
		return
	case op == ir.OpLocalMetadata:
		for j, o := range c.f.Operands(def) {
			if o.Value.IsLocal() && c.f.Op(o.Value) != ir.OpArg && c.order[o.Value] == 0 {
				c.use(def, j, o.Value)
			}
		}
		return
	case op == ir.OpNone || c.order[def] == 0:
		c.fail("Instruction referencing instruction not embedded in a basic block!")
		return
	case def == v && c.f.Op(v) != ir.OpPhi:
		if c.reachable(c.b) {
			c.fail("Only PHI nodes may reference their own value!")
		}
		return
	}
	if !c.dominates(v, i, def, op) {
		c.fail("Instruction does not dominate all uses!: " + c.name(def))
	}
}

// dominates reports whether def dominates operand i of v.
func (c *checker) dominates(v ir.Value, i int, def ir.Value, op ir.Op) bool {
	useBlock, isPhi := c.b, c.f.Op(v) == ir.OpPhi
	if isPhi {
		useBlock = c.f.Operand(v, i|1).Block()
	}
	defBlock := c.f.Parent(def)
	switch {
	case !c.reachable(useBlock):
		return true
	case !c.reachable(defBlock):
		return false
	case op == ir.OpInvoke:
		return c.invokeDominates(def, defBlock, useBlock, v, isPhi)
	case defBlock != useBlock:
		return c.dom.Dominates(uint32(defBlock), uint32(useBlock))
	}
	return isPhi || c.order[def] < c.order[v]
}

// invokeDominates is dominates for the result of an invoke, which is available
// only on the edge to the normal destination.
func (c *checker) invokeDominates(def ir.Value, from, useBlock ir.Block, v ir.Value, isPhi bool) bool {
	succs := c.f.CallSuccessors(def)
	to := succs[0].Value.Block()
	if to == succs[1].Value.Block() {
		return true // reported elsewhere
	}
	if isPhi && c.b == to && useBlock == from {
		return true
	}
	if !c.dom.Dominates(uint32(to), uint32(useBlock)) {
		return false
	}
	for u := c.f.FirstPred(to); u != 0; u = c.f.NextUse(u) {
		if pred := c.f.PredOf(u); pred != from && !c.dom.Dominates(uint32(to), uint32(pred)) {
			return false
		}
	}
	return true
}

// Cached state of constants.
const (
	constNew       uint8 = iota
	constPlain           // valid
	constFunction        // intrinsic function
	constAsm             // inline assembly
	constBad             // invalid
	constUsedArray       // llvm.used and similar variables
)

// constOperand checks a constant operand of an instruction.
func (c *checker) constOperand(v ir.Value, isCallee bool) {
	i := v.Index()
	if i >= uint32(len(c.consts)) {
		c.consts = append(c.consts, make([]uint8, c.m.NumConsts()-len(c.consts))...)
	}
	k := c.consts[i]
	if k == constNew {
		k = c.classify(v)
		c.consts[i] = k
	}
	switch {
	case k == constPlain:
	case k == constFunction && !isCallee:
		c.fail("Cannot take the address of an intrinsic!: @" + c.m.ConstGlobal(v).Name())
	case k == constFunction:
		c.checkMessage(c.invokedIntrinsic(v))
	case k == constAsm && !isCallee:
		c.fail("Cannot take the address of an inline asm!")
	case k == constUsedArray:
		c.fail("invalid uses of intrinsic global variable: @" + c.m.ConstGlobal(v).Name())
	case k == constBad:
		c.checkMessage(c.constTree(v))
	}
}

func (c *checker) classify(v ir.Value) uint8 {
	k := c.m.Const(v)
	switch k.Kind {
	case ir.ConstGlobal:
		g := c.m.ConstGlobal(v)
		switch {
		case g == nil:
			return constBad
		case g.Func != nil && isIntrinsicName(g.Name()):
			return constFunction
		case g.Kind == ir.GlobalVar && isSpecialVariable(g.Name()):
			return constUsedArray
		}
	case ir.ConstAsm:
		return constAsm
	case ir.ConstExpr, ir.ConstPtrAuth, ir.ConstAggregate, ir.ConstBlockAddress, ir.ConstDSOLocalEquivalent, ir.ConstNoCFI, ir.ConstNone:
		if c.constTree(v) != "" {
			return constBad
		}
	}
	return constPlain
}

// invokedIntrinsics lists the intrinsic functions that may be invoked.
var invokedIntrinsics = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{
		"llvm.donothing": true, "llvm.seh.try.begin": true, "llvm.seh.try.end": true, "llvm.seh.scope.begin": true,
		"llvm.seh.scope.end": true, "llvm.coro.resume": true, "llvm.coro.destroy": true, "llvm.coro.await.suspend.void": true,
		"llvm.coro.await.suspend.bool": true, "llvm.coro.await.suspend.handle": true, "llvm.experimental.patchpoint.void": true,
		"llvm.experimental.patchpoint": true, "llvm.fake.use": true, "llvm.experimental.gc.statepoint": true,
		"llvm.wasm.throw": true, "llvm.wasm.rethrow": true,
	}
}}

// invokedIntrinsic checks that an intrinsic function is called by a call, or
// may be invoked.
func (c *checker) invokedIntrinsic(callee ir.Value) string {
	if c.f.Op(c.v) != ir.OpInvoke {
		return ""
	}
	g := c.m.ConstGlobal(callee)
	name := g.Name()
	if g.Func.Intrinsic != ir.NoIntrinsic {
		name = g.Func.Intrinsic.String()
	}
	if invokedIntrinsics.Get()[name] {
		return ""
	}
	return "Cannot invoke an intrinsic other than donothing, patchpoint, statepoint, coro_resume, coro_destroy, " +
		"clang.arc.attachedcall or wasm.(re)throw: @" + g.Name()
}

// reachable reports whether a block is reachable from the entry.
func (c *checker) reachable(b ir.Block) bool {
	return c.dom.Contains(uint32(b))
}
