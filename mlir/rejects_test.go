package mlir_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// TestRejects compares where wrong modules of the corpus are refused with
// mlir-opt, those aside that are refused when they are lowered.
func TestRejects(t *testing.T) {
	shared := oracle.Shared(t, "mlir/rejects")
	rows := tsvRows(t, filepath.Join(shared, "expected.tsv"))
	seen := map[string]bool{}
	total, columns, messages := 0, 0, 0
	for _, row := range rows {
		name, edition, kind, message := row[0], row[1], row[5], row[6]
		if seen[name] || kind == "lower" {
			continue
		}
		seen[name] = true
		total++
		line, _ := strconv.Atoi(row[3])
		col, _ := strconv.Atoi(row[4])
		d := firstError(t, filepath.Join(shared, name+".mlir"), editions[edition])
		if d == nil {
			t.Errorf("%s: accepted, want %d:%d: %s", name, line, col, message)
			continue
		}
		gotLine, gotCol := d.Source.Position(d.Off)
		switch {
		case gotLine != line:
			t.Errorf("%s: line %d:%d: %s, want %d:%d: %s", name, gotLine, gotCol, d.Message, line, col, message)
		case gotCol != col:
			columns++
			t.Logf("%s: column %d: %s, want %d: %s", name, gotCol, d.Message, col, message)
		}
		if d.Message != message {
			messages++
			t.Logf("%s: message %q, want %q", name, d.Message, message)
		}
	}
	t.Logf("%d modules, %d with another column, %d with another message", total, columns, messages)
	if columns*20 > total {
		t.Errorf("%d of %d errors have another column than mlir-opt's", columns, total)
	}
}

// tsvRows returns the rows of a table but its header.
func tsvRows(t *testing.T, path string) (rows [][]string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if i > 0 {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// firstError returns the first error of a module, or nil.
func firstError(t *testing.T, file string, edition mlir.Edition) *diag.Diagnostic {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := mlir.NewContext(edition, dialects...)
	c.Strict = true
	top, err := c.Parse(filepath.Base(file), data)
	if err == nil {
		err = c.Verify(top)
	}
	var list diag.List
	if !errors.As(err, &list) {
		return nil
	}
	return &list[0]
}
