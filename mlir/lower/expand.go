package lower

import (
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// expandOptions are the options of arith-expand.
var expandOptions = []rewrite.Option{
	{Name: "include-bf16", Default: "false", Help: "expand conversions of bf16"},
	{Name: "include-f4e2m1", Default: "false", Help: "expand conversions of f4E2M1FN"},
	{Name: "include-f8e8m0", Default: "false", Help: "expand conversions of f8E8M0FNU"},
}

func expandArith(r *rewrite.Run) error {
	return arith.Expand(r.Context, r.Op, arith.ExpandOptions{
		BF16: r.Bool("include-bf16"), F4E2M1: r.Bool("include-f4e2m1"), F8E8M0: r.Bool("include-f8e8m0"),
	})
}

func convertUB(r *rewrite.Run) error {
	return tollvm.New(r.Context, options(r), arith.UBToLLVM()).ConvertAll(r.Op)
}
