package filetest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.md")
	const begin, end = "a\n<!-- x:begin -->\n", "<!-- x:end -->\nb\n"
	if err := os.WriteFile(path, []byte(begin+"old\n"+end), 0o666); err != nil {
		t.Fatal(err)
	}
	Section(t, path, "x", "old\n")
	defer func(u bool) { *update = u }(*update)
	*update = true
	Section(t, path, "x", "new\nlines\n")
	got, err := os.ReadFile(path)
	if want := begin + "new\nlines\n" + end; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestCutSection(t *testing.T) {
	for _, text := range []string{"", "<!-- x:begin -->\na\n", "a\n<!-- x:end -->\n", "<!-- y:begin -->\n<!-- y:end -->\n"} {
		if _, _, _, ok := cutSection(text, "x"); ok {
			t.Errorf("%q: found a section", text)
		}
	}
}
