package index

import "github.com/gfx-toolchain/gfx/mlir"

// constantName is "idx" and the value.
func constantName(o *mlir.Op, _ int) string { return "idx" + o.Attr("value").Integer().String() }

// boolName is the value.
func boolName(o *mlir.Op, _ int) string { return o.Attr("value").String() }

// verifyCast checks that either the operand or the result is an index.
func verifyCast(_ *mlir.Context, o *mlir.Op) error {
	return mlir.VerifyCast(o, (o.Operand(0).Type.Kind == mlir.IndexKind) != (o.Result(0).Type.Kind == mlir.IndexKind))
}
