// Package lower lists the passes over MLIR, and the pipeline from the dialects in
// which kernels are written to the LLVM dialect.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module; structs
// may gain fields.
package lower

import (
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/control"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// indexBitwidth is an option of the conversions to the LLVM dialect.
var indexBitwidth = rewrite.Option{Name: "index-bitwidth", Default: "0", Help: "width of index in bits, 0 for 64"}

// passes are all passes, sorted by name.
var passes = [...]rewrite.Pass{
	{Name: "convert-cf-to-llvm", Summary: "convert dialect cf to the LLVM dialect", Run: convertCF,
		Options: []rewrite.Option{indexBitwidth}},
	{Name: "reconcile-unrealized-casts", Summary: "remove conversions of types that cancel out", Run: reconcile},
}

// Passes returns all passes, sorted by name.
func Passes() []rewrite.Pass { return passes[:] }

// Lookup returns the pass of a name, or nil.
func Lookup(name string) *rewrite.Pass {
	for i := range passes {
		if passes[i].Name == name {
			return &passes[i]
		}
	}
	return nil
}

// options returns the options that conversions to the LLVM dialect have in common.
func options(r *rewrite.Run) tollvm.Options {
	return tollvm.Options{IndexBits: r.Int("index-bitwidth")}
}

func convertCF(r *rewrite.Run) error {
	return tollvm.New(r.Context, options(r), control.CF()).ConvertAll(r.Op)
}

func reconcile(r *rewrite.Run) error {
	rewrite.ReconcileCasts(r.Op)
	return nil
}
