package opt

import "github.com/gfx-toolchain/gfx/ir"

// Unsupported is the error of a pass that meets code which is valid but cannot be compiled. Error.Err is one then.
type Unsupported struct {
	Construct string       // what it is
	Function  *ir.Function // nil when it is in none
	Instr     ir.Value     // None when it is no instruction
}

func (e *Unsupported) Error() string { return e.Construct + " is not supported" }

// refuse ends a run of passes because of an instruction (or None) of a function (or nil).
func refuse(f *ir.Function, v ir.Value, construct string) {
	panic(&Unsupported{Construct: construct, Function: f, Instr: v})
}
