package index

import "github.com/gfx-toolchain/gfx/mlir"

// constantName is "idx" and the value.
func constantName(o *mlir.Op, _ int) string { return "idx" + o.Attr("value").Integer().String() }

// boolName is the value.
func boolName(o *mlir.Op, _ int) string { return o.Attr("value").String() }
