package prepare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// legalPasses legalizes values for instruction selection.
const legalPasses = "expand-vp,atomic-expand,lower-mem-intrinsics,lower-switch,flatten-signatures,split-aggregates,scalarizer,expand-fp,expand-large-div-rem,expand-large-ints,expand-fp,expand-intrinsics,expand-div-rem,split-aggregates,scalarizer,legalize-ints"

// legalTargets lists processors with different legality.
var legalTargets = []string{"gfx600", "gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1200"}

func processor(t testing.TB, name string) *target.Target {
	tgt, err := target.New("amdgcn-amd-amdhsa", name, "")
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// runLegal runs passes for a processor, with checks after each one.
func runLegal(passes string, tgt *target.Target, m *ir.Module) error {
	p, err := opt.ParsePipeline(AllPasses(), passes)
	if err != nil {
		return err
	}
	err = p.Run(&opt.Context{Target: tgt, IgnoreOptNone: true, VerifyEach: passtest.VerifyModule, VerifyFunction: passtest.VerifyFunction}, m)
	var e *opt.Error
	if errors.As(err, &e) && e.Stack != nil {
		return fmt.Errorf("%w\n%s", err, e.Stack)
	}
	return err
}

// kernelPasses is legalPasses for modules with kernels: it first lowers
// aggregate parameters to loads.
const kernelPasses = "amdgpu-lower-kernel-arguments," + legalPasses

// illegal returns the first illegal construct. Unless all passes have run, it
// reports only the parts that legalPasses handles: values and floating-point
// numbers.
func illegal(m *ir.Module, passes string, tgt *target.Target) error {
	for _, err := range LegalErrors(m, tgt) {
		if e := err.(*LegalError); e.Part <= LegalFloats || passes != legalPasses && passes != kernelPasses {
			return err
		}
	}
	return nil
}

// legalProblem legalizes a module and describes the problem, or returns "".
func legalProblem(src []byte, passes string, tgt *target.Target, before []irrandom.Result) string {
	m, errs := text.Parse("legal.ll", src)
	if errs.HasErrors() {
		return "parsing: " + errs.Error()
	}
	if err := runLegal(passes, tgt, m); err != nil {
		return err.Error()
	}
	if problem := irrandom.Check(before, m); problem != "" {
		return problem
	}
	if err := illegal(m, passes, tgt); err != nil {
		return "not legal: " + err.Error()
	}
	return ""
}

// TestLegal legalizes random functions for several processors: results must not
// change, and no unsupported construct may remain. GFX_EXEC_FUNCS and
// GFX_EXEC_SEED apply as for TestExec.
func TestLegal(t *testing.T) {
	n, first := passtest.ExecCount(60)
	failed := 0
	for i := range n / passtest.ExecFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 3))
		m := irrandom.Module(passtest.ExecOptions(r, seed))
		before := irrandom.Run(m)
		src := text.Print(m)
		if err := irrandom.Failed(before); err != nil {
			t.Fatalf("seed %d: the module itself: %v\n%s", seed, err, src)
		}
		name := legalTargets[r.IntN(len(legalTargets))]
		tgt := processor(t, name)
		if r.IntN(len(legalTargets)) == 0 {
			name, tgt = "no processor", nil
		}
		passes := legalPasses
		if strings.HasPrefix(m.Triple, "amdgcn") {
			passes = kernelPasses
			if tgt != nil && r.IntN(2) == 0 {
				passes = CodegenPipeline(r.IntN(3))
			}
		}
		if problem := legalProblem(src, passes, tgt, before); problem != "" {
			failed++
			reportLegal(t, seed, src, passes, name, tgt, problem)
		}
		if failed >= 3 {
			t.Fatal("too many failures")
		}
	}
}

// reportLegal fails the test with a reduced module.
func reportLegal(t *testing.T, seed uint64, src []byte, passes, name string, tgt *target.Target, problem string) {
	t.Helper()
	src = irrandom.Reduce(src, 20*time.Second, func(m *ir.Module) bool {
		before := irrandom.Run(m)
		return irrandom.Failed(before) == nil && legalProblem(text.Print(m), passes, tgt, before) != ""
	})
	m, _ := text.Parse("legal.ll", src)
	problem, _, _ = strings.Cut(problem, "\n")
	problem += "; reduced: " + passtest.FirstLines(legalProblem(src, passes, tgt, irrandom.Run(m)), 20)
	t.Errorf("seed %d for %s, --passes=%s: %s\n%s", seed, name, passes, problem, src)
}

// TestLegalKernels legalizes every third kernel of the corpus and runs some of
// them: all with GFX_EXEC_KERNELS=full.
func TestLegalKernels(t *testing.T) {
	full := os.Getenv("GFX_EXEC_KERNELS") == "full"
	n := 0
	for _, folder := range []string{"ll", "ll-14", "ll-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+folder), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, path := range files {
			if n++; !full && n%3 != 0 {
				continue
			}
			name := strings.Join([]string{folder, filepath.Base(filepath.Dir(path)), corpus.Name(path)}, "/")
			t.Run(name, func(t *testing.T) { legalKernel(t, path, n/3%3, full || n%9 == 0) })
		}
	}
}

func legalKernel(t *testing.T, path string, level int, run bool) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, errs := text.Parse(path, src)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	tgt := processor(t, filepath.Base(filepath.Dir(path)))
	passes := CodegenPipeline(level)
	if err := runLegal(passes, tgt, m); err != nil {
		t.Fatal(err)
	}
	if err := illegal(m, passes, tgt); err != nil {
		t.Error(err)
	}
	if run {
		passtest.Kernel(t, path, m)
	}
}
