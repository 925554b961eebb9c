package compile

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// selector selects machine IR for a function. It reuses memory between
// functions and serves one goroutine.
type selector func(f *ir.Function, env isel.Env, out *mir.Func) error

// newSelector returns a selector. Tests replace it with one that returns
// existing machine IR.
var newSelector = func() selector {
	s := new(isel.Selector)
	return s.Select
}
