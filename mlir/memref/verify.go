package memref

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifyLoad(_ *mlir.Context, o *mlir.Op) error {
	rank, n := len(o.Operand(0).Type.Shape), len(o.Operands)-1
	if rank != n {
		return fmt.Errorf("incorrect number of indices for load, expected %d but got %d", rank, n)
	}
	return nil
}

func verifyStore(_ *mlir.Context, o *mlir.Op) error {
	if len(o.Operand(1).Type.Shape) != len(o.Operands)-2 {
		return fmt.Errorf("store index operand count not equal to memref rank")
	}
	return nil
}
