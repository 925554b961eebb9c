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

// memoryChecks are the checks of what kernels do to memory.
const memoryChecks = sim.CheckMemory | sim.CheckRace | sim.CheckInit | sim.CheckBarrier

// TestMemoryChecks runs all shared kernels under the checks of memory, which find nothing in them.
func TestMemoryChecks(t *testing.T) {
	for _, folder := range []string{"hsaco", "hsaco-14", "hsaco-O0"} {
		for _, path := range codeObjects(t, "kernels/"+folder) {
			name := corpus.Name(path)
			t.Run(strings.Join([]string{folder, filepath.Base(filepath.Dir(path)), name}, "/"), func(t *testing.T) {
				expectNoFindings(t, path, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"))
			})
		}
	}
}

// TestMemoryChecksBench does so with the kernels that are for measuring.
func TestMemoryChecksBench(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, path := range codeObjects(t, "bench/hsaco") {
		for _, m := range corpus.Files(t, "bench/manifests/*.json") {
			t.Run(filepath.Base(filepath.Dir(path))+"/"+corpus.Name(m), func(t *testing.T) { expectNoFindings(t, path, m) })
		}
	}
}

func expectNoFindings(t *testing.T, code, path string) {
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
	o := Options{Simulator: sim.Options{Timeout: 10 * time.Minute, Checks: memoryChecks, Finding: func(f *sim.Finding) {
		t.Errorf("%v: %s\n  at %#x %s: %s (group %v wave %d lane %d address %#x, %d times)\n  other: %s", f.Check, f.Message, f.PC, f.Where, f.Text, f.Group, f.Wave, f.Lane, f.Addr, f.Count, f.Other)
	}}}
	if _, err := Run(context.Background(), filepath.Base(code), data, m, manifest.Folder(filepath.Dir(path)), o); err != nil {
		t.Fatal(err)
	}
}
