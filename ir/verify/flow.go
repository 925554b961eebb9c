package verify

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

func (c *checker) ret(v ir.Value) string {
	want, n := c.f.ReturnType(), c.f.NumOperands(v)
	switch {
	case want == ir.Void && n != 0:
		return c.found("Found return instr that returns non-void in Function of void return type!", c.opType(v, 0))
	case want != ir.Void && n != 1:
		return c.found("Function return type does not match operand type of return inst!", ir.Void, want)
	case want != ir.Void && c.opType(v, 0) != want:
		return c.found("Function return type does not match operand type of return inst!", c.opType(v, 0), want)
	}
	return ""
}

func (c *checker) br(v ir.Value) string {
	ops := c.f.Operands(v)
	switch {
	case len(ops) == 3 && c.typeOf(ops[0].Value) != ir.I1:
		return c.found("Branch condition is not 'i1' type!", c.typeOf(ops[0].Value))
	case len(ops) != 3 && len(ops) != 1:
		return fmt.Sprintf("br has %d operands", len(ops))
	}
	return c.blocks(ops[len(ops)/3:])
}

// blocks checks that operands are blocks of the function.
func (c *checker) blocks(ops []ir.Operand) string {
	for _, o := range ops {
		if !o.Value.IsBlock() {
			return "destination of a terminator is not a basic block"
		}
		if !c.f.IsBlockAlive(o.Value.Block()) {
			return "Referring to a basic block that is not in the function!"
		}
	}
	return ""
}

func (c *checker) switch_(v ir.Value) string {
	ops := c.f.Operands(v)
	t := c.typeOf(ops[0].Value)
	if len(ops) < 2 || len(ops)%2 != 0 {
		return fmt.Sprintf("switch has %d operands", len(ops))
	}
	if !c.m.IsInt(t) {
		return c.found("Switch value must be an integer", t)
	}
	if message := c.blocks(ops[1:2]); message != "" {
		return message
	}
	c.constSet = c.constSet[:0]
	for i := 2; i < len(ops); i += 2 {
		value := ops[i].Value
		if k := c.m.ConstKindOf(value); k != ir.ConstInt && k != ir.ConstWide {
			return "Case value is not a constant integer."
		}
		if c.m.TypeOfConst(value) != t {
			return c.found("Switch constants must all be same type as switch value!", c.m.TypeOfConst(value), t)
		}
		if message := c.blocks(ops[i+1 : i+2]); message != "" {
			return message
		}
		c.constSet = append(c.constSet, value)
	}
	slices.Sort(c.constSet)
	for i, value := range c.constSet {
		if i > 0 && value == c.constSet[i-1] {
			return "Duplicate integer as switch case: " + c.constName(value)
		}
	}
	return ""
}

func (c *checker) indirectBr(v ir.Value) string {
	if t := c.opType(v, 0); !c.m.IsPtr(t) {
		return c.found("Indirectbr operand must have pointer type!", t)
	}
	return c.blocks(c.f.Operands(v)[1:])
}

// callBr checks callbr, which calls inline assembly or llvm.amdgcn.kill.
func (c *checker) callBr(v ir.Value) string {
	if message := c.blocks(c.f.CallSuccessors(v)); message != "" {
		return message
	}
	message := c.callBase(v)
	if asm := c.m.Asm(c.f.Callee(v)); asm != nil {
		if asm.CanThrow {
			c.fail("Unwinding from Callbr is not allowed")
		}
		return message
	}
	callee := c.f.CalledFunction(v)
	switch {
	case callee == nil:
		c.fail("Callbr: indirect function / invalid signature")
	case len(c.f.Bundles(v)) > 0:
		c.fail("Callbr for intrinsics currently doesn't support operand bundles")
	case callee.Intrinsic == ir.IntrAMDGCNKill:
		c.checkMessage(c.callBrKill(v))
	default:
		c.fail("Callbr currently only supports asm-goto and selected intrinsics")
	}
	return message
}

func (c *checker) callBrKill(v ir.Value) string {
	succs := c.f.CallSuccessors(v)
	if len(succs) != 2 {
		return "Callbr amdgcn_kill only supports one indirect dest"
	}
	first := c.f.First(succs[1].Value.Block())
	if c.f.Op(first) != ir.OpUnreachable && c.f.CalledIntrinsic(first) != ir.IntrAMDGCNUnreachable {
		return "Callbr amdgcn_kill indirect dest needs to be unreachable"
	}
	return ""
}

func (c *checker) invoke(v ir.Value) string {
	succs := c.f.CallSuccessors(v)
	if message := c.blocks(succs); message != "" {
		return message
	}
	message := c.callBase(v)
	if !c.isPad(c.f.FirstNonPhi(succs[1].Value.Block())) {
		c.fail("The unwind destination does not have an exception handling instruction!")
	}
	return message
}
