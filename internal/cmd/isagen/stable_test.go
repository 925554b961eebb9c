package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newRow is a made-up VOP3 instruction of one generation, with DPP forms.
const newRow = "v_made_up_b32\tVOP3\t-\t1200:2ff\tvdst:v1 src0:vs1.i32 src1:vs1.i32 src2:vs1.f32*\t+dpp\n"

// TestNewRowChangesFewLines adds a row to a copy of the tables and counts the
// changed lines of the generated file.
func TestNewRowChangesFewLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(tableDir)); err != nil {
		t.Fatal(err)
	}
	old, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "vop3.tsv"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(newRow); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	changed, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := differing(string(old), string(changed))
	t.Logf("%d changed lines", n)
	if n == 0 || n >= 60 {
		t.Errorf("a new row changes %d lines of the generated file, want 1 to 59", n)
	}
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
