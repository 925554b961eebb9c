package codegen

import "github.com/gfx-toolchain/gfx/internal/compiler/mir"

// controlFlow transforms functions from StageSelected to StageLinearized. It is
// reused for one function after another.
type controlFlow struct {
	linear    linearizer
	repair    repair
	condition conditionFix
}

func (c *controlFlow) lowerControlFlow(f *mir.Func) {
	c.linear.linearizeFunction(f)
	c.repair.phis(f, c.linear.loops)      // merges masks, which uses the scalar condition code
	c.condition.fixConditions(f)          // saves conditions in scalar registers
	c.repair.registers(f, c.linear.loops) // runs last, because the passes above create scalar registers
}
