package scf

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifyIf(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Results) > 0 && len(o.Regions[1].Blocks) == 0 {
		return fmt.Errorf("must have an else block if defining values")
	}
	return nil
}
