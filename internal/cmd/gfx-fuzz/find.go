package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is a package with fuzz tests.
type pkg struct {
	path, dir string
	tests     []string // sorted
}

// findPackages lists the packages that match the patterns and have a fuzz test
// with the text in its name.
func findPackages(patterns []string, name string) (list []pkg, err error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("go list: %w\n%s", err, exit.Stderr)
		}
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		tests, err := fuzzTests(p.Dir, append(p.TestGoFiles, p.XTestGoFiles...), name)
		if err != nil {
			return nil, err
		}
		if len(tests) > 0 {
			list = append(list, pkg{p.ImportPath, p.Dir, tests})
		}
	}
}

// fuzzTests lists the fuzz tests of some files, sorted.
func fuzzTests(dir string, files []string, name string) (list []string, err error) {
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isFuzzTest(fn) && strings.Contains(fn.Name.Name, name) {
				list = append(list, fn.Name.Name)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// isFuzzTest reports whether a function is declared like a fuzz test.
func isFuzzTest(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") && fn.Type.Params.NumFields() == 1
}
