package clrxsyntax_test

import (
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// rowsOf reads a plain table.
func rowsOf(t *testing.T, file string) (rows [][]string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// TestNames compares all names with CLRX's.
func TestNames(t *testing.T) {
	for _, file := range corpus.Files(t, "catalyst/mnemonics.tsv") {
		rows := rowsOf(t, file)
		for i, a := range clrxsyntax.Archs() {
			want := map[string]string{}
			for _, c := range rows {
				if c[0] == "name" || len(c) < 5 || c[i+1] == "" {
					continue
				}
				want[c[0]] = c[i+1]
				if c[i+1] == "x" {
					want[c[0]] = c[0]
				}
			}
			clrxsyntax.TableOf(a).Names(func(name string, r *clrxsyntax.Row) {
				if want[name] != r.Name {
					t.Errorf("%v: %s is printed %s, want %q", a, name, r.Name, want[name])
				}
				delete(want, name)
			})
			for name := range want {
				t.Errorf("%v: %s is missing", a, name)
			}
		}
	}
}
