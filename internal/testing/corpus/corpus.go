// Package corpus reads the shared instruction corpora for tests, and compares
// differences from them with a list of known differences.
package corpus

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

var updateGaps = flag.Bool("update-gaps", false, "rewrite the lists of known differences from the corpora")

// Files returns the paths of the shared files that match a pattern such as
// "isa/corpus/*.tsv.gz". It skips the test if no file matches.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, filepath.Dir(pattern)), filepath.Base(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

// Name returns the part of a file name before the first dot.
func Name(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return name
}

// Processor returns the processor of a corpus. wave64 is true for wave64 code
// on a processor that defaults to wave32.
func Processor(file string) (cpu string, wave64 bool) {
	return strings.CutSuffix(Name(file), "-w64")
}

// Rows reads a compressed table and drops its header line.
func Rows(t testing.TB, path string) (rows [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for head := true; s.Scan(); head = false {
		if !head {
			rows = append(rows, strings.Split(s.Text(), "\t"))
		}
	}
	if s.Err() != nil {
		t.Fatalf("%s: %v", path, s.Err())
	}
	return rows
}

// gap identifies a kind of differing row in one corpus.
type gap struct{ corpus, kind string }

// Gaps counts the rows that differ from the corpora, by kind, and compares them
// with the known counts.
type Gaps struct {
	file         string
	known, found map[gap]int
	sample       map[gap]string
	rows         map[string]int
}

// Known reads a list of known differences. Each line holds a corpus, a kind and
// a number of rows, separated by tabs. [Gaps.Report] reports new differences
// and rows that no longer differ.
func Known(t *testing.T, file string) *Gaps {
	t.Helper()
	g := &Gaps{file: file, known: map[gap]int{}, found: map[gap]int{}, sample: map[gap]string{}, rows: map[string]int{}}
	text, err := os.ReadFile(file)
	if err != nil && !*updateGaps {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 3 {
			t.Fatalf("%s:%d: want 3 columns", file, i+1)
		}
		n, err := strconv.Atoi(c[2])
		if err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
		g.known[gap{c[0], c[1]}] = n
	}
	return g
}

// Row counts a row that was compared.
func (g *Gaps) Row(corpus string) { g.rows[corpus]++ }

// Add records a differing row.
func (g *Gaps) Add(corpus, kind, what string) {
	k := gap{corpus, kind}
	if g.found[k]++; g.found[k] == 1 {
		g.sample[k] = what
	}
}

// Report compares the recorded differences with the list, for the corpora that
// were read.
func (g *Gaps) Report(t *testing.T) {
	t.Helper()
	if *updateGaps {
		g.write(t)
		return
	}
	total := map[string]int{}
	for k, n := range g.found {
		total[k.corpus] += n
		if n > g.known[k] {
			t.Errorf("%s: %d rows of %q differ, %d are known\n%s", k.corpus, n, k.kind, g.known[k], g.sample[k])
		}
	}
	for k, n := range g.known {
		if g.rows[k.corpus] > 0 && g.found[k] < n {
			t.Errorf("%s: %d rows of %q differ, the list has %d: run with -update-gaps", k.corpus, g.found[k], k.kind, n)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(g.rows)) {
		t.Logf("%s: %d of %d rows differ", c, total[c], g.rows[c])
	}
}

func (g *Gaps) write(t *testing.T) {
	t.Helper()
	var list []gap
	for k := range g.found {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b gap) int {
		return cmp.Or(cmp.Compare(a.corpus, b.corpus), cmp.Compare(a.kind, b.kind))
	})
	var b strings.Builder
	b.WriteString("# Rows that are known to differ: corpus, kind, number of rows.\n# go test -run Corpus -update-gaps writes this file.\n")
	for _, k := range list {
		fmt.Fprintf(&b, "%s\t%s\t%d\n", k.corpus, k.kind, g.found[k])
	}
	if err := os.MkdirAll(filepath.Dir(g.file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
