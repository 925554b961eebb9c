package house

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/tree"
)

// TestGeneratedFilesUpToDate runs the generators of Go files in a copy of the
// module. It fails if a generated file changes, or if no generator writes it.
// The tests of the generated tables in docs/status.md compare these.
func TestGeneratedFilesUpToDate(t *testing.T) {
	dir := tree.Copy(t)
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var files, packages []string
	goFiles(t, func(name string, text []byte) {
		if generated.Match(text) {
			files = append(files, name)
			packages = append(packages, "./"+path.Dir(name))
		}
	})
	old := time.Now().Add(-time.Hour)
	for _, name := range files {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	tree.Run(t, dir, append([]string{"go", "run", "./internal/cmd/gfx-generate"}, packages...)...)
	for _, name := range files {
		checkGenerated(t, filepath.Join(root, name), filepath.Join(dir, name))
	}
	if len(files) == 0 {
		t.Error("no generated files found")
	}
}

func checkGenerated(t *testing.T, ours, fresh string) {
	t.Helper()
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(ours)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(fresh)
	switch {
	case err != nil:
		t.Fatal(err)
	case time.Since(info.ModTime()) > 30*time.Minute:
		t.Errorf("%s: no go:generate line writes it", ours)
	case !bytes.Equal(have, want):
		t.Errorf("%s: out of date; run make generate", ours)
	}
}
