package prepare

import "github.com/gfx-toolchain/gfx/ir"

// Registers with the cycles that the shader engine counted, as operands of
// s_getreg.
const (
	shaderCycles     = 29 | (20-1)<<11 // before gfx12: 20 bits
	shaderCyclesLow  = 29 | (32-1)<<11
	shaderCyclesHigh = 30 | (32-1)<<11
)

// clocks is the kind of a processor's counters.
type clocks uint8

const (
	clocksInMemory  clocks = iota // s_memtime and, from gfx8 on, s_memrealtime
	clocksNoTime                  // only s_memtime
	clocksMessage                 // the time in a message, cycles in a register
	clocksTwoHalves               // cycles in two registers
	clocksWhole                   // selection reads the cycles
)

// expandCycles expands readcyclecounter.
func expandCycles(x *intrinsicExpander, _ ir.Intrinsic, v ir.Value) ir.Value {
	switch x.clocks {
	case clocksWhole:
		return v
	case clocksTwoHalves: // the high half may change meanwhile: then the low half was 0
		high := x.readMode(shaderCyclesHigh)
		low := x.readMode(shaderCyclesLow)
		after := x.readMode(shaderCyclesHigh)
		return x.join64(x.Choose(x.FoldCompare(ir.ICmpEQ, high, after), low, x.M.NewInt(ir.I32, 0)), after)
	case clocksMessage:
		return x.FoldCast(ir.OpZExt, x.readMode(shaderCycles), ir.I64)
	}
	return x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNSMemtime))
}

// messageTime is the number of the message that returns the time.
const messageTime = 131

// expandSteady expands readsteadycounter. Without a counter it is 0.
func expandSteady(x *intrinsicExpander, _ ir.Intrinsic, _ ir.Value) ir.Value {
	switch x.clocks {
	case clocksNoTime:
		return x.M.NewInt(ir.I64, 0)
	case clocksInMemory:
		return x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNSMemrealtime))
	}
	return x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNSSendmsgRtn, ir.I64), x.M.NewInt(ir.I32, messageTime))
}
