package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// All mutants are compiled at once. A function with mutants begins with a
// branch for each mutant, which contains the changed body; an initializer
// selects one of its changed copies. An environment variable selects the mutant
// when a test binary starts, so that trying another one needs no build. This is
// the mutant schema of Untch, Offutt and Harrold, Mutation Analysis Using
// Mutant Schemata, 1993.
//
// The unchanged bodies record which of the mutated statements are executed.

// Environment variables of a test binary.
const (
	mutantVariable = "GFX_MUTANT"       // number of the mutant; unset: no change
	traceVariable  = "GFX_MUTANT_TRACE" // folder for a file per mutant whose statement is executed
)

// schemaFile is added to each package that has mutants.
const schemaFile = "gfx_mutant_schema.go"

const schemaSource = `package %s

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

var gfxMutant = func() int {
	n, err := strconv.Atoi(os.Getenv(%q))
	if err != nil {
		return -1
	}
	return n
}()

var gfxTrace = os.Getenv(%q)

var gfxReached [%d]atomic.Bool

func gfxReach(n int) {
	if gfxTrace != "" && !gfxReached[n].Swap(true) {
		f, err := os.Create(filepath.Join(gfxTrace, strconv.Itoa(n)))
		if err != nil {
			panic(err)
		}
		f.Close()
	}
}

func gfxChoose[T any](n int, unchanged, mutant T) T {
	gfxReach(n)
	if gfxMutant == n {
		return mutant
	}
	return unchanged
}
`

// numbered is a mutant with its number in a schema.
type numbered struct {
	*mutant
	n int
}

// schema returns a file with the code of some of its mutants.
func schema(src []byte, list []numbered) []byte {
	scopes := make(map[int][]numbered)
	for _, m := range list {
		scopes[m.scope.from] = append(scopes[m.scope.from], m)
	}
	var edits []edit
	for _, all := range scopes {
		sc := all[0].scope
		if !sc.function {
			edits = append(edits, edit{sc.from, sc.to, initializer(src, sc, all)})
			continue
		}
		edits = append(edits, edit{sc.from + 1, sc.from + 1, branches(src, sc, all) + lineOf(src, list[0].file, sc.from+1)})
		for _, m := range all {
			at := max(m.reach, sc.from+1)
			edits = append(edits, edit{at, at, fmt.Sprintf("gfxReach(%d); ", m.n)})
		}
	}
	slices.SortStableFunc(edits, func(x, y edit) int { return cmp.Compare(x.from, y.from) })
	return applyEdits(src, 0, len(src), edits)
}

// branches returns the statements that run a mutant's body instead of a
// function's. The body is in a closure, so that it may have named labels and
// results.
func branches(src []byte, sc *scope, all []numbered) string {
	var out strings.Builder
	for _, m := range all {
		call, end := "return ", ""
		if sc.results == "" {
			call, end = "", "; return"
		}
		body := applyEdits(src, sc.from, sc.to, m.edits)
		fmt.Fprintf(&out, "if gfxMutant == %d { %sfunc() %s /*line mutant%d:1:1*/ %s()%s }\n", m.n, call, sc.results, m.n, body, end)
	}
	return "\n" + out.String()
}

// initializer returns an expression that selects one of the changed
// initializers.
func initializer(src []byte, sc *scope, all []numbered) string {
	text := string(src[sc.from:sc.to])
	of := ""
	if sc.typ != "" {
		of = "[" + sc.typ + "]"
	}
	for _, m := range all {
		changed := applyEdits(src, sc.from, sc.to, m.edits)
		text = fmt.Sprintf("gfxChoose%s(%d, %s,\n//line mutant%d:1\n%s)", of, m.n, text, m.n, changed)
	}
	return text + "\n" + lineOf(src, all[0].file, sc.to)
}

// lineOf returns a directive that assigns the following code to an offset of a
// file.
func lineOf(src []byte, file string, at int) string {
	return fmt.Sprintf("\n//line %s:%d\n", path.Base(file), 1+bytes.Count(src[:at], []byte("\n")))
}

// writeSchema writes the files of a schema, and the overlay that substitutes
// them for the module's files. The mutants' numbers are their indices.
func (t *tester) writeSchema(list []candidate) error {
	files := make(map[string][]numbered)
	for i := range list {
		m := &list[i].mutant
		files[m.file] = append(files[m.file], numbered{m, i})
	}
	replace := make(map[string]string)
	write := func(name, text string) error {
		changed := filepath.Join(t.src, strings.ReplaceAll(name, "/", "-"))
		replace[filepath.Join(t.root, filepath.FromSlash(name))] = changed
		return os.WriteFile(changed, []byte(text), 0o666)
	}
	for name, mutants := range files {
		src, err := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := write(name, string(schema(src, mutants))); err != nil {
			return err
		}
		folder := path.Dir(name)
		text := fmt.Sprintf(schemaSource, packageName(src), mutantVariable, traceVariable, len(list))
		if err := write(folder+"/"+schemaFile, text); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	t.overlay = filepath.Join(t.src, "overlay.json")
	return os.WriteFile(t.overlay, text, 0o666)
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

func packageName(src []byte) string { return string(packageClause.FindSubmatch(src)[1]) }

// errorLine is a line of the compiler's output that names a mutant.
var errorLine = regexp.MustCompile(`(?m)^(?:\S*[/\\])?mutant(\d+):(\d+:.*)$`)

// rejected returns the mutants that the compiler's output names, with its first
// message about each.
func rejected(output []byte) map[int]string {
	list := make(map[int]string)
	for _, m := range errorLine.FindAllSubmatch(output, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if _, ok := list[n]; err == nil && !ok {
			list[n] = string(m[2])
		}
	}
	return list
}
