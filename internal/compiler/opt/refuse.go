package opt

import "github.com/gfx-toolchain/gfx/ir"

// Unsupported is the error of a pass that encounters valid code that cannot be
// compiled. It is stored in Error.Err.
type Unsupported struct {
	Construct string       // description of the code
	Function  *ir.Function // nil if outside functions
	Instr     ir.Value     // None if not an instruction
}

func (e *Unsupported) Error() string { return e.Construct + " is not supported" }

// Refuse aborts a run of passes because of an instruction (or None) of a
// function (or nil).
func Refuse(f *ir.Function, v ir.Value, construct string) {
	panic(&Unsupported{Construct: construct, Function: f, Instr: v})
}
