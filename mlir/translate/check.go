package translate

import (
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/mlir"
)

// Check checks the translation m of o, a builtin.module or a gpu.module, by the rules
// of LLVM IR. The error is a diag.List, with each violation at the function or global
// variable that contains it.
func Check(c *mlir.Context, o *mlir.Op, m *ir.Module) error {
	var all diag.List
	for _, v := range verify.Module(m) {
		all = append(all, c.OpDiagnostics(symbolOf(o, &v), mlir.OpErrorf("is not valid as LLVM IR: %s", v.Describe(m)))...)
	}
	return all.Err()
}

// symbolOf returns the function or global variable within a module that a violation is
// about, or the module.
func symbolOf(o *mlir.Op, v *verify.Violation) *mlir.Op {
	g := v.Global
	if v.Function != nil {
		g = v.Function.Global
	}
	if g == nil {
		return o
	}
	for p := range o.Body(0).Ops {
		if name := p.Attr("sym_name"); name != nil && name.Text == g.Name() {
			return p
		}
	}
	return o
}
