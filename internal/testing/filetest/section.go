package filetest

import (
	"os"
	"strings"
	"testing"
)

// Section compares the lines of a Markdown file between "<!-- name:begin -->"
// and "<!-- name:end -->" with want, which is empty or ends with a newline. With
// -update, it writes want to the file.
func Section(t *testing.T, path, name, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, got, after, ok := cutSection(string(text), name)
	switch {
	case !ok:
		t.Fatalf("%s has no section %q", path, name)
	case got == want:
	case !*update:
		t.Errorf("%s: section %q is out of date (make generate rewrites it):\ngot\n%swant\n%s", path, name, got, want)
	default:
		if err := os.WriteFile(path, []byte(before+want+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// cutSection splits a text around the lines of a section; the section's marks
// belong to the first and the last part.
func cutSection(text, name string) (before, section, after string, ok bool) {
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->\n"
	before, rest, ok1 := strings.Cut(text, begin)
	section, after, ok2 := strings.Cut(rest, end)
	return before + begin, section, end + after, ok1 && ok2
}
