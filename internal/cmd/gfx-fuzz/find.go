package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pkg is a package with fuzz tests.
type pkg struct {
	path, dir string
	tests     []string // sorted
}

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(\w+ \*testing\.F\)`)

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
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		for _, m := range fuzzFunc.FindAllSubmatch(text, -1) {
			if f := string(m[1]); strings.Contains(f, name) {
				list = append(list, f)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}
