// Command gfx-generate rewrites the generated files of all packages, or of the
// named ones.
//
//	go run ./internal/cmd/gfx-generate [package ...]
//
// It runs the go:generate lines of the packages, each package after the
// packages that it imports, so that every generator is compiled with the tables
// that it reads through an import. The go command alone takes the packages in
// the order of their paths; the line in the package at the root of the module
// therefore runs this command before all others.
package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gfx-generate: ")
	packages, err := inOrder(".")
	if err == nil && len(os.Args) > 1 {
		packages, err = only(packages, os.Args[1:])
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range packages {
		log.Print(p)
		if err := generate(p); err != nil {
			log.Fatalf("%s: %v", p, err)
		}
	}
}

// generate runs the go:generate lines of a package.
func generate(path string) error {
	cmd := exec.Command("go", "generate", path)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// directive matches a go:generate line.
var directive = regexp.MustCompile(`(?m)^//go:generate (.*)$`)

// inOrder returns the import paths of the packages with go:generate lines in
// the module of a folder, each after all packages that it imports. It leaves
// out the package at the root of the module, whose line runs this command.
func inOrder(dir string) ([]string, error) {
	const format = `{{with .Module}}{{if .Main}}{{if ne $.ImportPath .Path}}{{$.ImportPath}}	{{$.Dir}}{{range $.GoFiles}}	{{.}}{{end}}{{end}}{{end}}{{end}}`
	lines, err := list(dir, "-deps", "-f", format, "./...")
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, line := range lines {
		words := strings.Split(line, "\t")
		lines, err := directives(words[1], words[2:])
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 {
			packages = append(packages, words[0])
		}
	}
	return packages, nil
}

// only returns the packages that match patterns of the go command, in their
// order.
func only(packages, patterns []string) ([]string, error) {
	named, err := list(".", patterns...)
	return slices.DeleteFunc(packages, func(p string) bool { return !slices.Contains(named, p) }), err
}

// list returns the lines that "go list" prints in a folder, without empty ones.
func list(dir string, args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	lines := strings.Split(string(out), "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" }), err
}

// directives returns the commands of the go:generate lines in the files of a
// folder.
func directives(dir string, files []string) (commands []string, err error) {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, m := range directive.FindAllSubmatch(text, -1) {
			commands = append(commands, string(m[1]))
		}
	}
	return commands, nil
}
