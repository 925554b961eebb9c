package codegen

import "github.com/gfx-toolchain/gfx/codegen/mir"

// controlFlow brings a function from StageSelected to StageLinearized. It can be used for one function after the other.
type controlFlow struct {
	linear    linearizer
	repair    repair
	condition conditionFix
}

func (c *controlFlow) run(f *mir.Func) {
	c.linear.run(f)
	c.repair.phis(f, c.linear.loops)      // merges masks, which uses the scalar condition code
	c.condition.run(f)                    // saves conditions in scalar registers
	c.repair.registers(f, c.linear.loops) // so this comes last
}
