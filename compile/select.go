package compile

import (
	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/isel"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// selector makes machine IR of a function. It keeps memory from one function to the next and serves one goroutine.
type selector func(f *ir.Function, t *target.Target, entry *abi.Entry, out *mir.Func) error

// newSelector makes a selector. Tests replace it by one that knows machine IR already.
var newSelector = func() selector {
	s := new(isel.Selector)
	return func(f *ir.Function, t *target.Target, entry *abi.Entry, out *mir.Func) error {
		return s.Select(f, isel.Env{Target: t, Entry: entry}, out)
	}
}
