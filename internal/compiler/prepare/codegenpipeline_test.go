package prepare

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// CodegenPipeline returns the passes before selection for an optimization level.
// Package prepare_test sets it, since only package pipeline knows them.
var CodegenPipeline func(level int) string

// checkLegalModule checks that instruction selection accepts all functions of a
// module.
func checkLegalModule(ctx *opt.Context, m *ir.Module) error {
	for _, err := range LegalErrors(m, ctx.Target) {
		return err
	}
	return nil
}

// TestCodegenPipeline prepares random functions for several processors, checks
// that the result is legal, and compares their behaviour before and after.
func TestCodegenPipeline(t *testing.T) {
	n, first := passtest.ExecCount(60)
	for i := range n / passtest.ExecFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 9))
		o := passtest.ExecOptions(r, seed)
		o.Profile = irrandom.AMDGPU
		m := irrandom.Module(o)
		before := irrandom.Run(m)
		tg := passtest.Target(t, memCPUs[1+r.IntN(len(memCPUs)-1)])
		checkTarget(t, seed, text.Print(m), CodegenPipeline(r.IntN(3)), tg, before, checkLegalModule)
	}
}

// TestCodegenPipelineOfKernels prepares the kernels of the corpus and runs
// them.
func TestCodegenPipelineOfKernels(t *testing.T) {
	full := os.Getenv("GFX_EXEC_KERNELS") == "full"
	n := 0
	for _, folder := range []string{"ll", "ll-14", "ll-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+folder), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, path := range files {
			n++
			for level := range 3 {
				if full || n%10 == 0 && n/10%3 == level {
					name := fmt.Sprintf("%s/%s/%s/O%d", folder, filepath.Base(filepath.Dir(path)), corpus.Name(path), level)
					t.Run(name, func(t *testing.T) { kernelPrepared(t, path, level) })
				}
			}
		}
	}
}

func kernelPrepared(t *testing.T, path string, level int) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, errs := text.Parse(path, src)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	ctx := &opt.Context{Target: passtest.Target(t, filepath.Base(filepath.Dir(path))), VerifyEach: passtest.VerifyModule, VerifyFunction: passtest.VerifyFunction, IgnoreOptNone: level == 2}
	if err := pipeline(t, CodegenPipeline(level)).Run(ctx, m); err != nil {
		e, _ := err.(*opt.Error)
		t.Fatalf("%v\n%s", err, e.Stack)
	}
	if err := checkLegalModule(ctx, m); err != nil {
		t.Error(passtest.FirstLines(err.Error(), 1))
	}
	file := oracle.Shared(t, "kernels/manifests/"+corpus.Name(path)+".json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	man, found := manifest.Read(&diag.Source{Name: file, Text: data})
	if found != nil {
		t.Fatal(found)
	}
	passtest.CompareKernel(t, path, m, man, manifest.Folder(filepath.Dir(file)))
}

// TestCodegenPipelineParses parses the pipelines of all levels. Each pipeline
// must contain all required passes that apply to it.
func TestCodegenPipelineParses(t *testing.T) {
	for level := range 3 {
		p := CodegenPipeline(level)
		pipeline(t, p)
		for _, pass := range AllPasses() {
			if pass.Required && !strings.Contains(p, pass.Name) {
				t.Errorf("-O%d has no %s", level, pass.Name)
			}
		}
	}
}
