package opt_test

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// TestPasses runs the fixtures of the passes of this package.
func TestPasses(t *testing.T) { passtest.Fixtures(t, opt.Passes) }

// TestExec runs random functions before and after passes of this package.
func TestExec(t *testing.T) { passtest.Exec(t, opt.Passes) }

// TestKernels runs the kernels of the corpus after passes of this package.
func TestKernels(t *testing.T) { passtest.Kernels(t, opt.Passes) }

func parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	return passtest.Parse(t, name, src)
}

func pipeline(t testing.TB, passes string) opt.Pipeline {
	t.Helper()
	return passtest.Pipeline(t, opt.Passes, passes)
}

func run(t testing.TB, passes string, m *ir.Module) {
	t.Helper()
	passtest.Run(t, opt.Passes, passes, m)
}

func runFor(t testing.TB, passes string, m *ir.Module, tg *target.Target) {
	t.Helper()
	passtest.RunFor(t, opt.Passes, passes, m, tg)
}
