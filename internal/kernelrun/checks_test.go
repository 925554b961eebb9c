package kernelrun

import (
	"context"
	"errors"
	"fmt"
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

// checked are the checks that the tests run; what compilers make has no findings.
const checked = sim.CheckWait | sim.CheckHazard

// TestKernelsChecked runs all shared kernels with checks and expects that they find nothing.
func TestKernelsChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, folder := range []string{"hsaco", "hsaco-14", "hsaco-O0"} {
		for _, path := range codeObjects(t, "kernels/"+folder) {
			name := corpus.Name(path)
			t.Run(strings.Join([]string{folder, filepath.Base(filepath.Dir(path)), name}, "/"), func(t *testing.T) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range findings(t, data, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"), checked) {
					t.Error(findingText(&f))
				}
			})
		}
	}
}

// findings runs a manifest on code with checks.
func findings(t *testing.T, code []byte, path string, checks sim.Checks) (found []sim.Finding) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, list := manifest.Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if list != nil {
		t.Fatal(list)
	}
	o := sim.Options{Timeout: 5 * time.Minute, Checks: checks, Finding: func(f *sim.Finding) { found = append(found, *f) }}
	_, err = Run(context.Background(), "code", code, m, manifest.Folder(filepath.Dir(path)), Options{Simulator: o})
	var fault *sim.Fault
	if errors.As(err, &fault) && fault.Kind == sim.FaultUnsupported {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func findingText(f *sim.Finding) string {
	return fmt.Sprintf("%v: %s: %s: %s (%s), %d times", f.Check, f.Where, f.Text, f.Message, f.Other, f.Count)
}
