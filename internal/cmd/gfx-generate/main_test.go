package main

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestOrder checks that each generator imports only packages whose files are
// generated before it runs.
func TestOrder(t *testing.T) {
	packages, err := inOrder(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 5 {
		t.Fatalf("only %v have go:generate lines", packages)
	}
	for i, p := range packages {
		for _, generator := range generators(t, p) {
			deps, err := list(root, "-deps", generator)
			if err != nil {
				t.Fatal(err)
			}
			for _, later := range packages[i:] {
				if slices.Contains(deps, later) && generator != later {
					t.Errorf("%s, which writes %s, imports %s, whose files are written later", generator, p, later)
				}
			}
		}
	}
}

// generators returns the import paths of the commands and tests that the
// lines with go:generate of a package run.
func generators(t *testing.T, pkg string) (paths []string) {
	files, err := list(root, "-f", `{{.Dir}}{{range .GoFiles}}{{"\n"}}{{.}}{{end}}`, pkg)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := directives(files[0], files[1:])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		words := strings.Fields(c)
		if len(words) < 3 || words[0] != "go" || words[1] != "run" && words[1] != "test" {
			t.Fatalf("%s: %q: expected go run or go test, and a folder", pkg, c)
		}
		paths = append(paths, path.Join(pkg, words[2]))
	}
	return paths
}

func TestOnly(t *testing.T) {
	const module = "github.com/gfx-toolchain/gfx/"
	got, err := only([]string{module + "ir", module + "internal/cmd/gfx-generate"}, []string{"."})
	if err != nil || !slices.Equal(got, []string{module + "internal/cmd/gfx-generate"}) {
		t.Errorf("got %v, %v", got, err)
	}
}
