// Package dialects lists all dialects of package mlir, for programs that want
// every one.
package dialects

import (
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

// All returns the dialects besides builtin, which every context has.
func All() []*mlir.Dialect {
	return []*mlir.Dialect{&affine.Dialect, &amdgpu.Dialect, &arith.Dialect, &cf.Dialect, &funcs.Dialect,
		&gpu.Dialect, &index.Dialect, &llvm.Dialect, &math.Dialect, &memref.Dialect, &rocdl.Dialect, &scf.Dialect,
		&ub.Dialect, &vector.Dialect}
}
