package inspect

import (
	"github.com/gfx-toolchain/gfx/internal/oracle"
	"os"
	"path/filepath"
	"testing"
)

func TestCorpus(t *testing.T) {
	root := oracle.Shared(t, "kernels")
	for _, dir := range []string{"hsaco", "hsaco-14", "hsaco-O0"} {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*", "*.hsaco"))
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Object(data)
			if err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			for i := range r.Findings {
				t.Errorf("%s: %s", f, r.Findings[i].String())
			}
			if filepath.Base(f) == "mfma.hsaco" || filepath.Base(f) == "matmul.hsaco" {
				r.WriteText(os.Stdout, Show{Kernels: true})
			}
		}
	}
}
