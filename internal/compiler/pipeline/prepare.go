package pipeline

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
)

// Prepare runs the passes on LLVM IR of an optimization level on a module.
// Between them, it calls kernels once no pass removes or creates kernels any
// more, before other passes change them. Errors are as in opt.Pipeline.Run.
func Prepare(ctx *opt.Context, m *ir.Module, level int, kernels func()) error {
	final := indexOf(kernelsFinal) + 1
	if err := runPasses(ctx, m, irPasses(level, 0, final)); err != nil {
		return err
	}
	kernels()
	return runPasses(ctx, m, irPasses(level, final, indexOf(Selector)))
}

func runPasses(ctx *opt.Context, m *ir.Module, passes string) error {
	p, err := opt.ParsePipeline(prepare.AllPasses(), passes)
	if err != nil {
		panic("BUG: pipeline: " + err.Error())
	}
	return p.Run(ctx, m)
}
