package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestNothingAtStart checks that no package of this module computes anything
// when the command starts, since many commands take less time than that would.
// Tables that are not plain data are in values of internal/lazy.
func TestNothingAtStart(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to build with")
	}
	gfx := filepath.Join(t.TempDir(), "gfx.exe")
	build := exec.Command(goTool, "build", "-o", gfx, "./cmd/gfx")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var trace bytes.Buffer
	version := exec.Command(gfx, "version")
	version.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	version.Stderr = &trace
	if err := version.Run(); err != nil {
		t.Fatal(err)
	}
	packages := 0
	for line := range strings.Lines(trace.String()) {
		name, ok := strings.CutPrefix(line, "init ")
		if !ok {
			continue
		}
		packages++
		name, _, _ = strings.Cut(name, " ")
		if name == "main" || strings.HasPrefix(name, module) {
			t.Errorf("package %s has variables or init functions that run when the command starts:\n%s", name, line)
		}
	}
	if packages == 0 {
		t.Errorf("the trace lists no packages:\n%s", trace.String())
	}
}
