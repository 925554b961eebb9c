package ireval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestKernels runs the kernels of the corpus and checks their results.
func TestKernels(t *testing.T) {
	for _, folder := range []string{"ll", "ll-14", "ll-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+folder), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, path := range files {
			name := corpus.Name(path)
			cpu := filepath.Base(filepath.Dir(path))
			t.Run(strings.Join([]string{folder, cpu, name}, "/"), func(t *testing.T) { runKernel(t, path, cpu, name) })
		}
	}
}

func runKernel(t *testing.T, path, cpu, name string) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, errs := text.Parse(path, src)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	file := oracle.Shared(t, "kernels/manifests/"+name+".json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	man, found := manifest.Read(&diag.Source{Name: file, Text: data})
	if found != nil {
		t.Fatal(found)
	}
	wave := 64
	if strings.HasPrefix(cpu, "gfx1") {
		wave = 32
	}
	open := manifest.Folder(filepath.Dir(file))
	begin := time.Now()
	got, err := RunManifest(m, man, open, Options{Wave: wave, LoosePointers: name == "async_copy"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d instructions in %v", got.Steps, time.Since(begin).Round(time.Millisecond))
	compared := 0
	for i := range man.Expect {
		e := &man.Expect[i]
		if e.Wave != 0 && e.Wave != wave {
			continue
		}
		want, err := man.Golden(e, open)
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if name == "int64_math" {
			anyPoison(got.Contents[e.Buffer], got.Shadows[e.Buffer], want)
		}
		if c := e.Compare.Check(&man.Buffers[e.Buffer], got.Contents[e.Buffer], want); c.Differ > 0 {
			var out strings.Builder
			c.WriteText(&out)
			t.Error(out.String())
		}
	}
	if compared == 0 {
		t.Error("no kernel was compared")
	}
}

// anyPoison replaces poison by the expected bytes. The library computes
// abs_diff of longs as abs(x - y), which is undefined on overflow.
func anyPoison(got []byte, shadow []uint8, want []byte) {
	for i := range got {
		if shadow[i]&2 != 0 {
			got[i] = want[i]
		}
	}
}
