package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const root = "../../../"

// TestFresh compares the generator's output for the tables with the generated
// files.
func TestFresh(t *testing.T) {
	x, err := readTable(root+"internal/compiler/isel/intrinsics.tsv", root+"ir/table/intrinsics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	src, err := x.goFile()
	if err != nil {
		t.Fatal(err)
	}
	images, err := x.imageCombines()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"internal/compiler/isel/intrinsics_gen.go": src, "internal/compiler/opt/images_gen.go": images, "docs/intrinsics.md": x.page()} {
		have, err := os.ReadFile(root + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s: out of date; run make generate", name)
		}
	}
}

// TestWrong reads rows that are wrong.
func TestWrong(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{"rcp\top\tf32\tv_rcp_f33\t0", "no operation"},
		{"rcpp\top\tf32\tv_rcp_f32\t0", "no intrinsic"},
		{"rcp\top\tf32\tv_rcp_f32\t3", "parameters"},
		{"rcp\top\tf32\tv_rcp_f32\t=0", "immarg"},
		{"rcp\top\tq32\tv_rcp_f32\t0", "type"},
		{"rcp\top\tf32,f32\tv_rcp_f32\t0", "overloaded"},
		{"rcp\top\tf32\tv_rcp_f32\tzz=0", "operand"},
		{"rcp\tnew\tf32\tv_rcp_f32\t0", "kind"},
	} {
		path := t.TempDir() + "/x.tsv"
		if err := os.WriteFile(path, []byte(c.row+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readTable(path, root+"ir/table/intrinsics.tsv"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.row, err, c.want)
		}
	}
}
