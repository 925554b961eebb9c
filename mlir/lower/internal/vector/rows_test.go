package vector_test

import (
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/vector"
)

// TestRows checks that each row is one of an operation of the dialect, and the only one.
func TestRows(t *testing.T) {
	old, new := mlir.NewContext(mlir.Edition19, dialects.All()...), mlir.NewContext(mlir.Edition22, dialects.All()...)
	var names []string
	for _, row := range vector.ToLLVM() {
		if old.OpDef(row.Op) == nil && new.OpDef(row.Op) == nil {
			t.Errorf("there is no operation %s", row.Op)
		}
		if slices.Contains(names, row.Op) {
			t.Errorf("%s has two rows", row.Op)
		}
		names = append(names, row.Op)
	}
}
