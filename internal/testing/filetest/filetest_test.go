package filetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/diag"
)

// upper is the code under test: it returns the text in upper case with the
// variable "suffix", and rejects digits and question marks.
func upper(set Settings, text string) (string, error) {
	var list diag.List
	src := &diag.Source{Name: "in", Text: []byte(text)}
	for i, c := range text {
		if c >= '0' && c <= '9' {
			list.Errorf(src, i, i+1, "digit (%c) not allowed", c)
		}
	}
	if strings.Contains(text, "?") {
		return "", errors.New("question")
	}
	return strings.ToUpper(text) + set["suffix"], list.Err()
}

func run(text string) *File {
	f := parse("f.txt", []byte(text))
	eachLine(f, upper)
	return f
}

func TestLines(t *testing.T) { Lines(t, "testdata/upper.txt", upper) }

func TestCheckFinds(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"abc // ABC", ""},
		{"abc // ABD", "got  ABC"},
		{"abc", "no expectation"},
		{"a1 // A1", "error: digit"},
		{`a1 // ERROR "digit .1."`, ""},
		{`a1 // ERROR "letter"`, "no error matches"},
		{`a12 // ERROR "digit"`, "unexpected error: digit (2)"},
		{`a12 // ERROR "2" "1"`, ""},
		{`abc // ERROR "digit"`, "no error matches"},
		{`a1 // ERROR digit`, "expected a quoted"},
		{`a1 // ERROR "("`, "missing closing )"},
		{`a? // ERROR "question"`, ""},
		{"//: suffix=z\nabc // ABC", "got  ABCz"},
		{"// comment\n\n", ""},
	} {
		got := strings.Join(run(c.text).check(), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	const in = `// a comment // with a comment
//: suffix=x

abc
abc    // old
a1  // ERROR "digit"
a1  // ERROR "letter"
abc // ERROR "digit"
a?  // A?
`
	const want = `// a comment // with a comment
//: suffix=x

abc // ABCx
abc    // ABCx
a1  // ERROR "digit"
a1  // ERROR ` + "`digit \\(1\\) not allowed`" + `
abc // ABCx
a?  // ERROR "question"
`
	f := run(in)
	if got := string(f.format()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again := run(want)
	if p := again.check(); len(p) > 0 {
		t.Errorf("the updated fixture fails: %q", p)
	}
	if got := string(again.format()); got != want {
		t.Errorf("format is not a fixed point:\n%s", got)
	}
}

func TestDiagnostics(t *testing.T) {
	f := parse("f.s", []byte("one\ntwo // ERROR \"inside\"\n"))
	src := &diag.Source{Name: "f.s", Text: f.Text}
	macro := &diag.Source{Name: "<instantiation>", Text: []byte("\n\n\nx"), From: src, FromOff: 4}
	if err := f.Diagnostics(src, diag.List{{Source: macro, Off: 3, Message: "inside"}}); err != nil {
		t.Fatal(err)
	}
	if p := f.check(); len(p) > 0 {
		t.Errorf("%q", p)
	}
	if err := f.Diagnostics(src, diag.List{{Message: "nowhere"}}); err == nil {
		t.Error("a diagnostic without a place: want an error")
	}
}

func TestArchive(t *testing.T) {
	text := "//: a=b\n-- in.s --\nx\n-- want --\nold\n-- wantgone --\n"
	a := txtar.Parse([]byte(text))
	got := map[string]string{"want": "new", "want2": "two\n"}
	problems := checkArchive(a, got)
	if len(problems) != 3 {
		t.Errorf("%d problems, want 3: %q", len(problems), problems)
	}
	out := formatArchive(a, got)
	want := "//: a=b\n-- in.s --\nx\n-- want --\nnew\n-- want2 --\ntwo\n"
	if string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if p := checkArchive(txtar.Parse(out), got); len(p) > 0 {
		t.Errorf("the updated archive fails: %q", p)
	}
}

func TestUpdateWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(path, []byte("abc // old\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	*update = true
	Lines(t, path, upper)
	*update = false
	got, err := os.ReadFile(path)
	if want := "abc // ABC\n"; err != nil || string(got) != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
	Archives(t, "testdata/archive.txtar", func(t *testing.T, set Settings, in map[string]string) map[string]string {
		return map[string]string{"want": fmt.Sprint(set["k"], " ", in["in"])}
	})
}
