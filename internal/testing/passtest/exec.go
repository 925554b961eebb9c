package passtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// ExecFuncs is the number of test functions of a random module.
const ExecFuncs = 4

// ExecCount returns the number of random functions that TestExec runs through
// the passes: n, or GFX_EXEC_FUNCS. GFX_EXEC_SEED is the first seed, and
// GFX_EXEC_PASSES is a pipeline that replaces all passes.
func ExecCount(n int) (count int, seed uint64) {
	if x, err := strconv.Atoi(os.Getenv("GFX_EXEC_FUNCS")); err == nil {
		n = x
	}
	seed, _ = strconv.ParseUint(os.Getenv("GFX_EXEC_SEED"), 10, 64)
	return n, seed
}

// ExecPipelines returns pipelines of passes from a list for a random module: a
// single pass, or each pass if whole is set, and several passes in random order.
func ExecPipelines(r *rand.Rand, known []opt.Pass, profile irrandom.Profile, whole bool) []string {
	if p := os.Getenv("GFX_EXEC_PASSES"); p != "" {
		return []string{p}
	}
	var usable []*opt.Pass
	var list []string
	for i := range known {
		// internalize does not see that the test functions of a host's module
		// are used.
		if p := &known[i]; p.Name != "internalize" || profile == irrandom.AMDGPU {
			usable = append(usable, p)
		}
	}
	for _, p := range usable {
		if whole {
			list = append(list, p.Name)
		}
	}
	list = append(list, withParams(r, usable[r.IntN(len(usable))]))
	for range 2 {
		names := make([]string, 2+r.IntN(10))
		for i := range names {
			names[i] = withParams(r, usable[r.IntN(len(usable))])
		}
		list = append(list, strings.Join(names, ","))
	}
	for i, p := range list {
		if profile == irrandom.AMDGPU && strings.Contains(p, "expand-large-ints") {
			list[i] = loweredArguments + p
		}
	}
	return list
}

// loweredArguments precedes expand-large-ints in the code generation pipeline:
// the pass splits wide parameters, which would move the parameters of kernels.
const loweredArguments = "amdgpu-lower-kernel-arguments,"

// withParams returns a pass with some parameters changed.
func withParams(r *rand.Rand, p *opt.Pass) string {
	var words []string
	for i := range p.Params {
		k := &p.Params[i]
		switch {
		case r.IntN(3) > 0:
		case k.Number:
			words = append(words, fmt.Sprintf("%s=%d", k.Name, r.IntN(10)))
		case r.IntN(2) == 0:
			words = append(words, "no-"+k.Name)
		default:
			words = append(words, k.Name)
		}
	}
	if len(words) == 0 {
		return p.Name
	}
	return p.Name + "<" + strings.Join(words, ";") + ">"
}

// ExecOptions returns the options of a random module. Most enable everything;
// some enable less, so that the remaining parts are larger.
func ExecOptions(r *rand.Rand, seed uint64) irrandom.Options {
	o := irrandom.Options{Seed: seed, Profile: irrandom.Profile(r.IntN(2)), Funcs: ExecFuncs, Size: 10 + r.IntN(60), Features: irrandom.All}
	if r.IntN(3) == 0 {
		o.Features = irrandom.Feature(r.Uint32()) & irrandom.All
	}
	return o
}

// Exec compares random functions before and after passes of a list: results and
// memory must be equal.
func Exec(t *testing.T, list []opt.Pass) {
	n, first := ExecCount(160)
	runs, failed := 0, 0
	for i := range n / ExecFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 2))
		m := irrandom.Module(ExecOptions(r, seed))
		before := irrandom.Run(m)
		src := text.Print(m)
		if err := irrandom.Failed(before); err != nil {
			t.Fatalf("seed %d: the module itself: %v\n%s", seed, err, src)
		}
		for _, passes := range ExecPipelines(r, list, irrandom.Profile(b2i(strings.HasPrefix(m.Triple, "amdgcn"))), i%32 == 0) {
			runs++
			if problem := ExecProblem(list, src, passes, before); problem != "" {
				failed++
				ReportExec(t, list, seed, src, passes, problem)
			}
		}
		if failed >= 5 {
			t.Fatal("too many failures")
		}
	}
	t.Logf("%d functions, %d runs of pipelines on modules of %d", n, runs, ExecFuncs)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ExecProblem runs passes on a fresh copy of a module and describes the
// problem, or returns "".
func ExecProblem(list []opt.Pass, src []byte, passes string, before []irrandom.Result) string {
	m, errs := text.Parse("exec.ll", src)
	if errs.HasErrors() {
		return "parsing: " + errs.Error()
	}
	if err := RunExec(list, passes, m); err != nil {
		return err.Error()
	}
	return irrandom.Check(before, m)
}

// RunExec runs passes of a list with checks after each one.
func RunExec(list []opt.Pass, passes string, m *ir.Module) error {
	p, err := opt.ParsePipeline(list, passes)
	if err != nil {
		return err
	}
	err = p.Run(&opt.Context{IgnoreOptNone: true, VerifyEach: VerifyModule, VerifyFunction: VerifyFunction}, m)
	var e *opt.Error
	if errors.As(err, &e) && e.Stack != nil {
		return fmt.Errorf("%w\n%s", err, e.Stack)
	}
	return err
}

// VerifyModule checks the invariants that hold after each pass.
func VerifyModule(m *ir.Module) error {
	if err := CheckModule(m); err != nil {
		return err
	}
	if list := verify.Module(m); len(list) > 0 {
		return errors.New(list[0].Describe(m))
	}
	return nil
}

// VerifyFunction checks the invariants that hold after each pass of a function.
func VerifyFunction(f *ir.Function) error {
	if err := f.CheckLinks(); err != nil {
		return err
	}
	if list := verify.Function(f); len(list) > 0 {
		return errors.New(list[0].Describe(f.Module()))
	}
	return nil
}

// ReportExec fails the test with a reduced module and a reduced list of passes.
func ReportExec(t *testing.T, list []opt.Pass, seed uint64, src []byte, passes, problem string) {
	t.Helper()
	fails := func(passes string) func(m *ir.Module) bool {
		return func(m *ir.Module) bool {
			before := irrandom.Run(m)
			return irrandom.Failed(before) == nil && ExecProblem(list, text.Print(m), passes, before) != ""
		}
	}
	passes = fewerPasses(passes, func(p string) bool {
		m, _ := text.Parse("exec.ll", src)
		return fails(p)(m)
	})
	src = irrandom.Reduce(src, 20*time.Second, fails(passes))
	m, _ := text.Parse("exec.ll", src)
	before := irrandom.Run(m)
	problem, _, _ = strings.Cut(problem, "\n")
	problem += "; reduced: " + FirstLines(ExecProblem(list, src, passes, before), 20)
	if dir := os.Getenv("GFX_KEEP"); dir != "" {
		name := filepath.Join(dir, fmt.Sprintf("exec.%d.ll", seed))
		os.WriteFile(name, append([]byte("; "+passes+"\n"), src...), 0o666)
	}
	t.Errorf("seed %d, --passes=%s: %s\n%s", seed, passes, problem, src)
}

// FirstLines returns the first n lines of a text.
func FirstLines(s string, n int) string {
	lines := strings.Split(s, "\n")
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// fewerPasses removes passes from a list as long as it fails.
func fewerPasses(passes string, fails func(string) bool) string {
	list := strings.Split(passes, ",")
	for i := 0; i < len(list) && len(list) > 1; {
		less := append(append([]string(nil), list[:i]...), list[i+1:]...)
		if fails(strings.Join(less, ",")) {
			list = less
		} else {
			i++
		}
	}
	return strings.Join(list, ",")
}
