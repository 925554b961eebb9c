package kernelrun

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/corpus"
	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/sim"
)

// TestKernels runs all shared manifests on all code objects that there are for them.
func TestKernels(t *testing.T) {
	for _, c := range []struct {
		folder string
		want   int // code objects
	}{
		{"hsaco", 342}, {"hsaco-14", 12}, {"hsaco-O0", 28},
	} {
		files := corpus.Files(t, "kernels/"+c.folder+"/*/*.hsaco")
		if len(files) != c.want {
			t.Errorf("%s: %d code objects, expected %d", c.folder, len(files), c.want)
		}
		for _, path := range files {
			name := corpus.Name(path)
			cpu := filepath.Base(filepath.Dir(path))
			t.Run(strings.Join([]string{c.folder, cpu, name}, "/"), func(t *testing.T) {
				runShared(t, path, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"))
			})
		}
	}
}

// TestBench runs the manifests that are for measuring.
func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, path := range corpus.Files(t, "bench/hsaco/*/*.hsaco") {
		for _, m := range corpus.Files(t, "bench/manifests/*.json") {
			t.Run(filepath.Base(filepath.Dir(path))+"/"+corpus.Name(m), func(t *testing.T) { runShared(t, path, m) })
		}
	}
}

func runShared(t *testing.T, code, path string) {
	t.Helper()
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, found := manifest.Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if found != nil {
		t.Fatal(found)
	}
	r, err := Run(context.Background(), filepath.Base(code), data, m, manifest.Folder(filepath.Dir(path)), Options{Simulator: sim.Options{Timeout: 5 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Compared) == 0 {
		t.Error("nothing was compared")
	}
	for i := range r.Compared {
		if r.Compared[i].Differ > 0 {
			var out strings.Builder
			r.Compared[i].WriteText(&out)
			t.Error(out.String())
		}
	}
}
