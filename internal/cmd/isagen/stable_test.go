package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newRows are made-up rows: a VOP3 instruction of one generation, with DPP
// forms, and a further name of an instruction.
var newRows = []struct {
	file, row string
	limit     int // of changed lines of the generated file
}{
	{"vop3.tsv", "v_made_up_b32\tVOP3\t-\t1200:3fe\tvdst:v1 src0:vs1.i32 src1:vs1.i32 src2:vs1.f32*\t+dpp\n", 59},
	{"names.tsv", "v_add3_u32\tv_made_up_u32@11\n", 1},
}

// TestNewRowChangesFewLines adds rows to copies of the tables and counts the
// changed lines of the generated file.
func TestNewRowChangesFewLines(t *testing.T) {
	old, err := generate(tableDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range newRows {
		changed, err := generate(withRow(t, x.file, x.row))
		if err != nil {
			t.Fatal(err)
		}
		n := differing(string(old), string(changed))
		t.Logf("%s: %d changed lines", x.file, n)
		if n == 0 || n > x.limit {
			t.Errorf("a new row of %s changes %d lines of the generated file, want 1 to %d", x.file, n, x.limit)
		}
	}
}

// withRow returns a folder with a copy of the tables and one more row.
func withRow(t *testing.T, file, row string) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tableDir)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(row); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// differing counts the lines that one of two texts has more often than the
// other. Moved lines do not count.
func differing(a, b string) (n int) {
	count := map[string]int{}
	for l := range strings.SplitSeq(a, "\n") {
		count[l]--
	}
	for l := range strings.SplitSeq(b, "\n") {
		count[l]++
	}
	for _, c := range count {
		n += max(c, -c)
	}
	return n
}
