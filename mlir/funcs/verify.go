package funcs

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifyFunc(_ *mlir.Context, o *mlir.Op) error {
	if err := mlir.VerifyDeclaration(o, len(o.Regions[0].Blocks) == 0); err != nil {
		return err
	}
	return mlir.VerifyEntry(o, o.Attr("function_type").Type.Ins)
}

func verifyReturn(_ *mlir.Context, o *mlir.Op) error {
	f := o.Parent()
	if f == nil || f.Attr("function_type") == nil {
		return nil
	}
	results, name := f.Attr("function_type").Type.Outs, f.Attr("sym_name").Text
	if len(o.Operands) != len(results) {
		return mlir.OpErrorf("has %d operands, but enclosing function (@%s) returns %d", len(o.Operands), name, len(results))
	}
	for i, t := range results {
		if got := o.Operand(i).Type; got != t {
			return mlir.PlainError(fmt.Sprintf("type of return operand %d ('%s') doesn't match function result type ('%s') in function @%s", i, got, t, name))
		}
	}
	return nil
}

func verifyCall(c *mlir.Context, o *mlir.Op) error {
	callee := o.Attr("callee")
	f := c.LookupSymbol(o, callee)
	if f == nil || f.Name != "func.func" {
		return mlir.OpErrorf("'%s' does not reference a valid function", callee.Text)
	}
	t := f.Attr("function_type").Type
	if len(t.Ins) != len(o.Operands) {
		return mlir.OpErrorf("incorrect number of operands for callee")
	}
	for i, want := range t.Ins {
		if got := o.Operand(i).Type; got != want {
			return mlir.OpErrorf("operand type mismatch: expected operand type '%s', but provided '%s' for operand number %d", want, got, i)
		}
	}
	if len(t.Outs) != len(o.Results) {
		return mlir.OpErrorf("incorrect number of results for callee")
	}
	for i, want := range t.Outs {
		if o.Result(i).Type != want {
			return mlir.OpErrorf("result type mismatch at index %d", i)
		}
	}
	return nil
}

// verifyConstant checks the function to which func.constant refers.
func verifyConstant(c *mlir.Context, o *mlir.Op) error {
	name := o.Attr("value")
	f := c.LookupSymbol(o, name)
	switch {
	case f == nil || f.Name != "func.func":
		return mlir.OpErrorf("reference to undefined function '%s'", name.Text)
	case f.Attr("function_type").Type != o.Result(0).Type:
		return mlir.OpErrorf("reference to function with mismatched type")
	}
	return nil
}
