package filetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Archives runs every fixture that matches a pattern as a txtar archive. Its
// files are inputs, except those whose names begin with "want", which are
// expectations. fn returns the contents of each expectation by name; -update
// adds expectations that the archive lacks. Variables may be set on "//:" lines
// before the first file.
func Archives(t *testing.T, pattern string, fn func(t *testing.T, set Settings, in map[string]string) map[string]string) {
	t.Helper()
	each(t, pattern, func(t *testing.T, path string, text []byte) []byte {
		a := txtar.Parse(text)
		set := parse(path, a.Comment).Settings
		got := fn(t, set, inputs(a))
		if !*update {
			for _, problem := range checkArchive(a, got) {
				t.Errorf("%s: %s", path, problem)
			}
		}
		return formatArchive(a, got)
	})
}

func isWant(name string) bool { return strings.HasPrefix(name, "want") }

// inputs returns the files of an archive that are not expectations.
func inputs(a *txtar.Archive) map[string]string {
	in := map[string]string{}
	for _, file := range a.Files {
		if !isWant(file.Name) {
			in[file.Name] = string(file.Data)
		}
	}
	return in
}

// checkArchive returns the differences from the expectations, one string each.
func checkArchive(a *txtar.Archive, got map[string]string) (problems []string) {
	seen := map[string]bool{}
	for _, file := range a.Files {
		if !isWant(file.Name) {
			continue
		}
		seen[file.Name] = true
		text, ok := got[file.Name]
		if !ok {
			problems = append(problems, "no result for "+file.Name)
		} else if diff := cmp.Diff(string(file.Data), endLine(text)); diff != "" {
			problems = append(problems, file.Name+": (-want +got)\n"+diff)
		}
	}
	for name := range got {
		if !seen[name] {
			problems = append(problems, "no expectation "+name+" (go test -update writes it)")
		}
	}
	return problems
}

// formatArchive returns the archive with the results as expectations. Existing
// expectations keep their positions; new ones are appended in alphabetical
// order.
func formatArchive(a *txtar.Archive, got map[string]string) []byte {
	out := &txtar.Archive{Comment: a.Comment}
	seen := map[string]bool{}
	for _, file := range a.Files {
		if text, ok := got[file.Name]; ok && isWant(file.Name) {
			file.Data = []byte(endLine(text))
		} else if isWant(file.Name) {
			continue
		}
		seen[file.Name] = true
		out.Files = append(out.Files, file)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !seen[name] {
			out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(endLine(got[name]))})
		}
	}
	return txtar.Format(out)
}

// endLine appends a newline if s does not end with one, as txtar requires.
func endLine(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
