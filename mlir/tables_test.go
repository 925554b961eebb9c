package mlir_test

import (
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	all "github.com/gfx-toolchain/gfx/mlir/dialects"
)

var dialects = all.All()

// TestRows reads every row of every dialect, in both editions.
func TestRows(t *testing.T) {
	for _, edition := range []mlir.Edition{mlir.Edition19, mlir.Edition22} {
		c := mlir.NewContext(edition, dialects...)
		ops := 0
		for _, d := range dialects {
			for name := range d.OpNames(edition) {
				def := c.OpDef(d.Name + "." + name)
				if def == nil || def.Name != d.Name+"."+name {
					t.Fatalf("operation %s.%s: %+v", d.Name, name, def)
				}
				ops++
			}
		}
		t.Logf("edition %d: %d operations", edition, ops)
	}
}

func sortedNames(seq func(func(string) bool)) []string { return slices.Sorted(seq) }
