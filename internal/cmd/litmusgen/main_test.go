package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestFilesUpToDate compares the files of litmus/testdata with the shapes.
func TestFilesUpToDate(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := texts()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "litmus/testdata/*/*.litmus"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		if filepath.Dir(name) == "written" {
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := files[name]; !ok || want != string(got) {
			t.Errorf("%s differs from the shapes: run go generate ./internal/cmd/litmusgen", name)
		}
		delete(files, name)
	}
	for name := range files {
		t.Errorf("%s is missing: run go generate ./internal/cmd/litmusgen", name)
	}
}
