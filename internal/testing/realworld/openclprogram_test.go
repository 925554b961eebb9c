package realworld

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// program is an OpenCL program and the kernels to run.
type program struct {
	source  string   // relative to the corpus's folder
	large   bool     // slow to compile
	options []string // of the OpenCL compiler
	kernels []*kernel

	path, include string // of the source, and the folder for its #include lines
}

// kernel is one run of a kernel.
type kernel struct {
	name     string
	line     int // of the table
	manifest *manifest.Manifest
	compare  manifest.Compare // for floating-point buffers
	defined  string           // components of images that the program defines; empty for all
	want     [][]byte         // the buffers' contents as computed by PoCL
}

// readPrograms reads a table of programs: lines of the forms
//
//	program SOURCE OPTION...   or "large" for "program": only run by GFX_REALWORLD=all
//	kernel NAME GLOBAL LOCAL ABS REL [COMPONENTS]
//	  ARGUMENT...
//
// GLOBAL and LOCAL are numbers of work-items, separated by commas.
// Floating-point buffers may differ by ABS + REL·|value|. COMPONENTS are the
// letters of r, g, b and a that a program defines; the other components of its
// images with four components are not compared. Arguments have the syntax of manifest.ArgSyntax. Lines that begin with # are comments.
func readPrograms(t *testing.T, path string) (list []*program) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for line := 1; s.Scan(); line++ {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if list, err = readLine(list, line, fields); err != nil {
			t.Fatalf("%s:%d: %v", path, line, err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// readLine adds the program, kernel or argument of a line to the list of
// programs.
func readLine(list []*program, line int, fields []string) ([]*program, error) {
	switch {
	case (fields[0] == "program" || fields[0] == "large") && len(fields) > 1:
		return append(list, &program{source: fields[1], large: fields[0] == "large", options: fields[2:]}), nil
	case len(list) == 0:
		return nil, fmt.Errorf("%s before the first program", fields[0])
	}
	p := list[len(list)-1]
	if fields[0] == "kernel" && (len(fields) == 6 || len(fields) == 7) {
		k, err := newKernel(line, fields[1:])
		p.kernels = append(p.kernels, k)
		return list, err
	}
	if len(p.kernels) == 0 {
		return nil, fmt.Errorf("arguments before the first kernel of %s", p.source)
	}
	m := p.kernels[len(p.kernels)-1].manifest
	for _, arg := range fields {
		if err := m.AddArg(&m.Dispatches[0], arg); err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
	}
	return list, nil
}

// newKernel returns a kernel described by NAME GLOBAL LOCAL ABS REL [COMPONENTS].
func newKernel(line int, f []string) (*kernel, error) {
	d := manifest.Dispatch{Kernel: f[0], Dims: 3, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}}
	for i, text := range strings.Split(f[1], ",") {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || i > 2 {
			return nil, fmt.Errorf("global size %s: up to three numbers expected", f[1])
		}
		d.Grid[i] = uint32(n)
	}
	for i, text := range strings.Split(f[2], ",") {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || i > 2 {
			return nil, fmt.Errorf("local size %s: up to three numbers expected", f[2])
		}
		d.Group[i] = uint16(n)
	}
	k := &kernel{name: f[0], line: line, manifest: &manifest.Manifest{Name: f[0], Dispatches: []manifest.Dispatch{d}}}
	k.compare.Float = true
	var err error
	if k.compare.Abs, err = strconv.ParseFloat(f[3], 64); err != nil {
		return nil, err
	}
	if len(f) > 5 {
		k.defined = f[5]
	}
	k.compare.Rel, err = strconv.ParseFloat(f[4], 64)
	return k, err
}
