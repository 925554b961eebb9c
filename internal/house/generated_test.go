package house

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestGeneratedFilesUpToDate runs "go generate ./..." in a copy of the module.
// It fails if a generated file changes, or if no generator writes it.
func TestGeneratedFilesUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs the generators")
	}
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to run the generators with")
	}
	dir := t.TempDir()
	var files []string
	goFiles(t, func(name string, text []byte) {
		if generated.Match(text) {
			files = append(files, name)
		}
	})
	copyModule(t, dir, root)
	old := time.Now().Add(-time.Hour)
	for _, name := range files {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(goTool, "generate", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
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
		t.Errorf("%s: out of date; run go generate ./...", ours)
	}
}

// copyModule copies a module's files except .git and bin.
func copyModule(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path[len(from):], string(filepath.Separator))
		switch {
		case d.IsDir() && slices.Contains([]string{".git", "bin"}, name):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}
