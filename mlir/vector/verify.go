package vector

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// verifyExtract checks the constants among the positions.
func verifyExtract(_ *mlir.Context, o *mlir.Op) error {
	t := o.Operand(0).Type
	positions := o.Attr("static_position").Int64s()
	if len(positions) > len(t.Shape) {
		return fmt.Errorf("expected position attribute of rank no greater than vector rank")
	}
	for i, v := range positions {
		if v != mlir.Dynamic && (v < 0 || v >= t.Shape[i]) {
			return fmt.Errorf("expected position attribute #%d to be a non-negative integer smaller than the corresponding vector dimension", i+1)
		}
	}
	return nil
}
