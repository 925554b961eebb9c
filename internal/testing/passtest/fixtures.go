package passtest

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Fixtures runs the fixtures of passes of a list: testdata/<pass>/*.txtar contain
// in.ll and the expected output want.ll. The variable "passes" selects a
// pipeline other than the folder's pass, "cpu" a processor. With "llvm=same",
// LLVM's output must be equal except for names. With "run=same", the evaluator
// runs the functions named test… before and after, as package irrandom does,
// and their results must be equal.
func Fixtures(t *testing.T, list []opt.Pass) {
	for _, pass := range foldersOf(t, "testdata") {
		t.Run(pass, func(t *testing.T) {
			filetest.Archives(t, "testdata/"+pass+"/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
				passes := pass
				if set["passes"] != "" {
					passes = set["passes"]
				}
				m := Parse(t, "<stdin>", in["in.ll"])
				before := text.Print(m)
				var results []irrandom.Result
				if set["run"] == "same" {
					results = irrandom.Run(m)
					if err := irrandom.Failed(results); err != nil {
						t.Fatal(err)
					}
				}
				RunFor(t, list, passes, m, Target(t, set["cpu"]))
				got := text.Print(m)
				if results != nil {
					if problem := irrandom.Check(results, m); problem != "" {
						t.Errorf("%s changes results: %s", passes, problem)
					}
				}
				if set["llvm"] == "same" {
					SameAsLLVM(t, passes, before, m)
				}
				return map[string]string{"want.ll": string(got)}
			})
		})
	}
}

// foldersOf returns the names of the folders in a folder.
func foldersOf(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fuzz" {
			names = append(names, e.Name())
		}
	}
	return names
}

// SameAsLLVM compares the output of passes for a text with LLVM's.
func SameAsLLVM(t *testing.T, passes string, before []byte, m *ir.Module) {
	t.Helper()
	if _, ok := oracle.Find("opt-22"); !ok && os.Getenv("GFX_ORACLE") != "require" {
		return // the test still compares with the expectation
	}
	DropNames(m)
	want := WithoutPreds(LLVMOpt(t, passes, before))
	if diff := cmp.Diff(string(want), string(WithoutPreds(text.Print(m)))); diff != "" {
		t.Errorf("%s: (-LLVM +gfx)\n%s", passes, diff)
	}
}
