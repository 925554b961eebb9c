package opt

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// parse parses a module.
func parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	m, errs := text.Parse(name, []byte(src))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// pipeline parses a pipeline.
func pipeline(t testing.TB, passes string) Pipeline {
	t.Helper()
	p, err := ParsePipeline(Passes, passes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkModule checks the invariants that hold after each pass.
func checkModule(m *ir.Module) error {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs passes on a module and checks it after each one.
func run(t testing.TB, passes string, m *ir.Module) {
	t.Helper()
	runFor(t, passes, m, nil)
}

// runFor is run for a target.
func runFor(t testing.TB, passes string, m *ir.Module, tg *target.Target) {
	t.Helper()
	ctx := &Context{Target: tg, VerifyEach: checkModule, VerifyFunction: (*ir.Function).CheckLinks}
	if err := pipeline(t, passes).Run(ctx, m); err != nil {
		if e, ok := err.(*Error); ok && e.Stack != nil {
			t.Logf("%s", e.Stack)
		}
		t.Fatal(err)
	}
}

// sameAsLLVM compares the output of passes for a text with LLVM's.
func sameAsLLVM(t *testing.T, passes string, before []byte, m *ir.Module) {
	t.Helper()
	if _, ok := oracle.Find("opt-22"); !ok && os.Getenv("GFX_ORACLE") != "require" {
		return // the test still compares with the expectation
	}
	dropNames(m)
	want := withoutPreds(llvmOpt(t, passes, before))
	if diff := cmp.Diff(string(want), string(withoutPreds(text.Print(m)))); diff != "" {
		t.Errorf("%s: (-LLVM +gfx)\n%s", passes, diff)
	}
}

// TestPasses runs the fixtures of all passes: testdata/<pass>/*.txtar contain
// in.ll and the expected output want.ll. The variable "passes" selects a
// pipeline other than the folder's pass, "cpu" a processor. With "llvm=same",
// LLVM's output must be equal except for names. With "run=same", the evaluator
// runs the functions named test… before and after, as package irrandom does,
// and their results must be equal.
func TestPasses(t *testing.T) {
	for _, pass := range foldersOf(t, "testdata") {
		t.Run(pass, func(t *testing.T) {
			filetest.Archives(t, "testdata/"+pass+"/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
				passes := pass
				if set["passes"] != "" {
					passes = set["passes"]
				}
				m := parse(t, "<stdin>", in["in.ll"])
				before := text.Print(m)
				var results []irrandom.Result
				if set["run"] == "same" {
					results = irrandom.Run(m)
					if err := irrandom.Failed(results); err != nil {
						t.Fatal(err)
					}
				}
				runFor(t, passes, m, testTarget(t, set["cpu"]))
				got := text.Print(m)
				if results != nil {
					if problem := irrandom.Check(results, m); problem != "" {
						t.Errorf("%s changes results: %s", passes, problem)
					}
				}
				if set["llvm"] == "same" {
					sameAsLLVM(t, passes, before, m)
				}
				return map[string]string{"want.ll": string(got)}
			})
		})
	}
}
