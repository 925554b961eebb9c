package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// selector makes machine IR of a function. It keeps memory from one function to the next and serves one goroutine.
type selector func(f *ir.Function, t *target.Target, entry *abi.Entry, out *mir.Func) error

// newSelector makes a selector. Tests replace it by one that knows machine IR already.
var newSelector = func() selector {
	return func(f *ir.Function, _ *target.Target, _ *abi.Entry, _ *mir.Func) error {
		return fmt.Errorf("function @%s: instruction selection is not supported yet", f.Name())
	}
}
