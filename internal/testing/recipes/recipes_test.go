package recipes

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/tree"
)

const document = "../../../docs/adding.md"

func read(t *testing.T) []Recipe {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Parse(string(text))
	if err != nil {
		t.Fatalf("docs/adding.md: %v", err)
	}
	return list
}

// TestRecipes applies the steps of all recipes to one copy of the module, so
// that it is compiled once, and then runs their commands.
func TestRecipes(t *testing.T) {
	list := read(t)
	dir := tree.Copy(t)
	old := generated(t, dir)
	for _, r := range list {
		for _, s := range r.Steps {
			if err := s.Apply(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	ran := map[string]bool{}
	for _, r := range list {
		for _, c := range r.Commands {
			if ran[c.Words] {
				continue
			}
			ran[c.Words] = true
			if err := c.Check(tree.Run(t, dir, "bash", "-c", c.Words)); err != nil {
				t.Error(err)
			}
		}
	}
	// the changed lines of all recipes, among them a row of the instruction table
	if n := differing(old, generated(t, dir)); n == 0 || n >= 60 {
		t.Errorf("the recipes change %d lines of generated files, want 1 to 59", n)
	}
}

// generated returns the lines of all generated files.
func generated(t *testing.T, dir string) map[string]int {
	t.Helper()
	count := map[string]int{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isGenerated(path) {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			count[line]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// isGenerated reports whether a file, or a part of it, is generated.
func isGenerated(path string) bool {
	switch filepath.Base(path) {
	case "status.md", "intrinsics.md":
		return true
	}
	return strings.HasSuffix(path, "_gen.go")
}

// differing counts the lines that one of two sets of files has more often than
// the other. Moved lines do not count.
func differing(a, b map[string]int) (n int) {
	for line := range b {
		if a[line] == 0 {
			n += b[line]
		}
	}
	for line := range a {
		d := a[line] - b[line]
		n += max(d, -d)
	}
	return n
}

func TestParse(t *testing.T) {
	const text = "# Title\nProse.\n\n## One\n\nCreate `a/b.txt`:\n\n```text\nx\ny\n```\n\nIn `a/b.txt`, after `x`:\n\n```text\nx1\n```\n\n" +
		"In `a/b.txt`, before `y`:\n\n```text\n\ty0\n```\n\nIn `a/b.txt`, replace `y0` with `Y0`.\n\nAppend to `a/b.txt`:\n\n```text\nz\n```\n\n" +
		"```console\n$ cat a/b.txt\nx1\nz\n$ true\n```\n\n## Two\n\nProse.\n"
	list, err := Parse(text)
	if err != nil || len(list) != 1 || len(list[0].Steps) != 5 || len(list[0].Commands) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	dir := t.TempDir()
	for _, s := range list[0].Steps {
		if err := s.Apply(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "a", "b.txt"))
	if want := "x\nx1\n\tY0\ny\nz\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	c := list[0].Commands[0]
	if err := c.Check(string(got)); err != nil {
		t.Error(err)
	}
	if c.Check("z\nx1\n") == nil {
		t.Error("lines in the wrong order are accepted")
	}
	for _, s := range []Step{
		{Kind: "create", File: "a/b.txt"},
		{Kind: "append", File: "a/c.txt"},
		{Kind: "after", File: "a/b.txt", Anchor: "x"},
		{Kind: "before", File: "a/b.txt", Anchor: "y0"},
		{Kind: "replace", File: "a/b.txt", Anchor: "y0"},
	} {
		if s.Apply(dir) == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"## One\n\n```go\nx\n```\n",
		"## One\n\nCreate `a`:\n\nProse.\n",
		"## One\n\nCreate `a`:\n",
		"## One\n\nCreate `a`:\n\n```go\nx\n",
		"## One\n\n```console\nx\n```\n",
	} {
		if list, err := Parse(text); err == nil {
			t.Errorf("%q: no error: %+v", text, list)
		}
	}
}
