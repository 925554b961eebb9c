package kernelrun

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestSegments runs a sample of the shared code objects without their section headers.
func TestSegments(t *testing.T) {
	names := map[string]bool{"vecadd": true, "switch_vm": true, "noinline_calls": true, "reduce_lds": true}
	cpus := map[string]bool{"gfx803": true, "gfx900": true, "gfx90a": true, "gfx942": true, "gfx1010": true, "gfx1030": true, "gfx1100": true}
	ran := 0
	for _, folder := range []string{"hsaco", "hsaco-14"} {
		for _, path := range codeObjects(t, "kernels/"+folder) {
			name := corpus.Name(path)
			if !names[name] || !cpus[filepath.Base(filepath.Dir(path))] {
				continue
			}
			t.Run(filepath.Base(filepath.Dir(path))+"/"+name, func(t *testing.T) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				runCode(t, name, oracle.StripSections(data), filepath.Join(filepath.Dir(path), "../../manifests", name+".json"))
				ran++
			})
		}
	}
	if ran < 20 {
		t.Errorf("%d code objects ran", ran)
	}
}

// TestSegmentsObjcopy runs code objects stripped by llvm-objcopy.
func TestSegmentsObjcopy(t *testing.T) {
	tool := oracle.Tool(t, "llvm-objcopy-22")
	dir, out := oracle.Shared(t, "kernels"), filepath.Join(t.TempDir(), "stripped")
	in := filepath.Join(dir, "hsaco/gfx1030/vecadd.hsaco")
	if _, errs, exit := oracle.Run(t, nil, 10*time.Second, tool, "--strip-sections", in, out); exit != 0 {
		t.Fatalf("%s", errs)
	}
	runShared(t, out, filepath.Join(dir, "manifests/vecadd.json"))
}
