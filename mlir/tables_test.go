package mlir_test

import (
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/affine"
	"github.com/gfx-toolchain/gfx/mlir/amdgpu"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/cf"
	"github.com/gfx-toolchain/gfx/mlir/funcs"
	"github.com/gfx-toolchain/gfx/mlir/gpu"
	"github.com/gfx-toolchain/gfx/mlir/index"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/math"
	"github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/rocdl"
	"github.com/gfx-toolchain/gfx/mlir/scf"
	"github.com/gfx-toolchain/gfx/mlir/ub"
	"github.com/gfx-toolchain/gfx/mlir/vector"
)

var dialects = []*mlir.Dialect{&affine.Dialect, &amdgpu.Dialect, &arith.Dialect, &cf.Dialect, &funcs.Dialect,
	&gpu.Dialect, &index.Dialect, &llvm.Dialect, &math.Dialect, &memref.Dialect, &rocdl.Dialect, &scf.Dialect,
	&ub.Dialect, &vector.Dialect}

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
