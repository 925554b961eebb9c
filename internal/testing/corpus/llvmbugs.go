package corpus

import (
	"os"
	"strings"
	"testing"
)

// mostBugs limits the rows listed as LLVM errors to one in mostBugs of a
// corpus.
const mostBugs = 1000

// Bugs lists the corpus rows that are LLVM errors, each with a reason.
type Bugs struct {
	met  map[string]bool // keyed by corpus and bytes
	used map[string]int  // number of rows met, by corpus
	rows map[string]int
}

// LLVMBugs reads a list of LLVM errors. Each line holds a corpus, bytes and a
// reason, separated by tabs.
func LLVMBugs(t *testing.T, file string) *Bugs {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := &Bugs{met: map[string]bool{}, used: map[string]int{}, rows: map[string]int{}}
	for i, l := range strings.Split(string(text), "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		c := strings.Split(l, "\t")
		if len(c) != 3 || c[2] == "" {
			t.Fatalf("%s:%d: want corpus, bytes and reason", file, i+1)
		}
		b.met[c[0]+" "+c[1]] = false
	}
	return b
}

// Rows sets the number of rows in a corpus.
func (b *Bugs) Rows(corpus string, n int) { b.rows[corpus] = n }

// Has reports whether a differing row is listed.
func (b *Bugs) Has(corpus, bytes string) bool {
	row := corpus + " " + bytes
	if _, ok := b.met[row]; !ok {
		return false
	}
	b.met[row] = true
	b.used[corpus]++
	return true
}

// Report fails the test for listed rows that do not differ, and for each corpus
// with too many listed rows.
func (b *Bugs) Report(t *testing.T) {
	t.Helper()
	for row, met := range b.met {
		if corpus, _, _ := strings.Cut(row, " "); !met && b.rows[corpus] > 0 {
			t.Errorf("%s is listed as an error of LLVM's, but does not differ", row)
		}
	}
	for corpus, n := range b.used {
		if n*mostBugs > b.rows[corpus] {
			t.Errorf("%s: %d of %d rows are listed as LLVM's errors, more than 1 in %d", corpus, n, b.rows[corpus], mostBugs)
		}
	}
}
