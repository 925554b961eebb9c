package compile

import (
	"github.com/gfx-toolchain/gfx/codegen/isel"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// selector makes machine IR of a function. It keeps memory from one function to the next and serves one goroutine.
type selector func(f *ir.Function, env isel.Env, out *mir.Func) error

// newSelector makes a selector. Tests replace it by one that knows machine IR already.
var newSelector = func() selector {
	s := new(isel.Selector)
	return s.Select
}
