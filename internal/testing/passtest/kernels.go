package passtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Kernels runs the kernels of the corpus after passes of a list: each
// kernel after one pass, or after every pass with GFX_EXEC_KERNELS=full. GFX_EXEC_PASSES is
// a pipeline to run instead.
func Kernels(t *testing.T, passes []opt.Pass) {
	full := os.Getenv("GFX_EXEC_KERNELS") == "full"
	var list []string
	for i := range passes {
		list = append(list, passes[i].Name)
	}
	if p := os.Getenv("GFX_EXEC_PASSES"); p != "" {
		list = []string{p}
	}
	n := 0
	for _, folder := range []string{"ll", "ll-14", "ll-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+folder), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, path := range files {
			n++
			for i, p := range list {
				if full || i == n%len(list) {
					name := strings.Join([]string{folder, filepath.Base(filepath.Dir(path)), corpus.Name(path), p}, "/")
					t.Run(name, func(t *testing.T) { kernelAfter(t, passes, path, p) })
				}
			}
		}
	}
}

// kernelAfter runs a kernel after passes and compares the output with the
// expectation.
func kernelAfter(t *testing.T, list []opt.Pass, path, passes string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, errs := text.Parse(path, src)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	if err := RunExec(list, passes, m); err != nil {
		t.Fatal(err)
	}
	Kernel(t, path, m)
}

// Kernel runs a kernel of the corpus and compares the output with the
// expectation.
func Kernel(t *testing.T, path string, m *ir.Module) {
	file := oracle.Shared(t, "kernels/manifests/"+corpus.Name(path)+".json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	man, found := manifest.Read(&diag.Source{Name: file, Text: data})
	if found != nil {
		t.Fatal(found)
	}
	CompareKernel(t, path, m, man, manifest.Folder(filepath.Dir(file)))
}

// CompareKernel runs a kernel and compares the output with the expectation of a
// manifest.
func CompareKernel(t *testing.T, path string, m *ir.Module, man *manifest.Manifest, open manifest.Open) {
	wave := 64
	if strings.HasPrefix(filepath.Base(filepath.Dir(path)), "gfx1") {
		wave = 32
	}
	got, err := ireval.RunManifest(m, man, open, ireval.Options{Wave: wave, LoosePointers: corpus.Name(path) == "async_copy"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range man.Expect {
		e := &man.Expect[i]
		if e.Wave != 0 && e.Wave != wave {
			continue
		}
		want, err := man.Golden(e, open)
		if err != nil {
			t.Fatal(err)
		}
		data := slices.Clone(got.Contents[e.Buffer])
		for i, s := range got.Shadows[e.Buffer] { // a difference in it overflows
			if s&2 != 0 && corpus.Name(path) == "int64_math" {
				data[i] = want[i]
			}
		}
		if c := e.Compare.Check(&man.Buffers[e.Buffer], data, want); c.Differ > 0 {
			var out strings.Builder
			c.WriteText(&out)
			t.Error(out.String())
		}
	}
}
