package prepare

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// TestPasses runs the fixtures of the passes of this package.
func TestPasses(t *testing.T) { passtest.Fixtures(t, AllPasses()) }

// TestExec runs random functions before and after passes of this package and of
// package opt.
func TestExec(t *testing.T) { passtest.Exec(t, AllPasses()) }

// TestKernels runs the kernels of the corpus after passes of this package and of
// package opt.
func TestKernels(t *testing.T) { passtest.Kernels(t, AllPasses()) }

func parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	return passtest.Parse(t, name, src)
}

func pipeline(t testing.TB, passes string) opt.Pipeline {
	t.Helper()
	return passtest.Pipeline(t, AllPasses(), passes)
}

func run(t testing.TB, passes string, m *ir.Module) {
	t.Helper()
	passtest.Run(t, AllPasses(), passes, m)
}

func runFor(t testing.TB, passes string, m *ir.Module, tg *target.Target) {
	t.Helper()
	passtest.RunFor(t, AllPasses(), passes, m, tg)
}

func execProblem(src []byte, passes string, before []irrandom.Result) string {
	return passtest.ExecProblem(AllPasses(), src, passes, before)
}

func reportExec(t *testing.T, seed uint64, src []byte, passes, problem string) {
	t.Helper()
	passtest.ReportExec(t, AllPasses(), seed, src, passes, problem)
}
