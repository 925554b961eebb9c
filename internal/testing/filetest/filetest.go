// Package filetest runs text fixtures in testdata directories. A fixture
// contains input and expectation in one file. "go test -update" rewrites the
// expectations with the current results.
//
// A fixture is read line by line. An expectation follows " // " on its line:
//
//	s_mov_b32 s0, s1            // 01 00 80 be
//	s_mov_b32 s0, s1, s2        // ERROR "expected 2 operands"
//
// ERROR is followed by regular expressions as Go strings, one for each message
// for the line. Matches are not anchored. A line that begins with "//:" sets
// variables for the following lines, such as "//: mcpu=gfx900 hex=1"; a
// variable remains set until it is set again. Empty lines and lines that begin
// with "//" are comments.
//
// Lines runs each line separately. Files runs whole files, whose lines may have
// expectations; to the assembler these are comments, so it can read the text
// unchanged. Archives runs txtar archives, for expectations longer than a line.
package filetest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
)

var update = flag.Bool("update", false, "rewrite the expectations of text fixtures")

// Update reports whether the test was run with -update, for tests that store
// expectations in another form.
func Update() bool { return *update }

// Settings holds the variables set by "//:" lines.
type Settings map[string]string

// Lines runs every line of the fixtures that match a pattern (in the syntax of
// filepath.Glob) as a separate case. fn returns the result or an error. Each
// diagnostic of a diag.List is one message.
func Lines(t *testing.T, pattern string, fn func(set Settings, text string) (string, error)) {
	t.Helper()
	Files(t, pattern, func(t *testing.T, f *File) { eachLine(f, fn) })
}

func eachLine(f *File, fn func(set Settings, text string) (string, error)) {
	for i := range f.lines {
		l := &f.lines[i]
		if l.set == nil {
			continue
		}
		l.must = true
		got, err := fn(l.set, l.text)
		var list diag.List
		switch {
		case errors.As(err, &list):
			for _, d := range list {
				f.Error(i+1, d.Message)
			}
		case err != nil:
			f.Error(i+1, err.Error())
		default:
			f.Got(i+1, got)
		}
	}
}

// Files runs every fixture that matches a pattern as a whole. fn reports the
// result of each line with Got and Error.
func Files(t *testing.T, pattern string, fn func(t *testing.T, f *File)) {
	t.Helper()
	each(t, pattern, func(t *testing.T, path string, text []byte) []byte {
		f := parse(path, text)
		fn(t, f)
		if !*update {
			for _, problem := range f.check() {
				t.Error(problem)
			}
		}
		return f.format()
	})
}

// each runs fn as a subtest on every file that matches. With -update, it writes
// fn's result to the file.
func each(t *testing.T, pattern string, fn func(t *testing.T, path string, text []byte) []byte) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixture matches %s (error: %v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out := fn(t, path, text)
			if !*update || t.Failed() || string(out) == string(text) {
				return
			}
			if err := os.WriteFile(path, out, 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// File is a fixture.
type File struct {
	Path     string
	Text     []byte   // the whole file
	Settings Settings // as of the end of the file
	lines    []line
}

// line is a line of a fixture.
type line struct {
	text   string   // input without the expectation
	pad    string   // white space between input and expectation
	want   string   // expectation as written
	has    bool     // has an expectation
	set    Settings // nil for a comment
	must   bool     // requires a result or an expectation
	got    string
	errors []string
}

// parse parses a fixture.
func parse(path string, text []byte) *File {
	f := &File{Path: path, Text: text, Settings: Settings{}}
	for s := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		s = strings.TrimSuffix(s, "\r")
		f.lines = append(f.lines, f.parseLine(s))
	}
	return f
}

func (f *File) parseLine(s string) line {
	if rest, ok := strings.CutPrefix(s, "//:"); ok {
		set := Settings{}
		for k, v := range f.Settings {
			set[k] = v
		}
		for word := range strings.FieldsSeq(rest) {
			key, value, _ := strings.Cut(word, "=")
			set[key] = value
		}
		f.Settings = set
	}
	if strings.TrimSpace(s) == "" || strings.HasPrefix(s, "//") {
		return line{text: s}
	}
	l := line{text: s, set: f.Settings}
	if i := strings.LastIndex(s, " // "); i >= 0 {
		l.text = strings.TrimRight(s[:i], " \t")
		l.pad, l.want, l.has = s[len(l.text):i], s[i+4:], true
	}
	return l
}

// Got records the result of a line (counted from 1).
func (f *File) Got(n int, result string) { f.lines[n-1].got = result }

// Error records a message for a line (counted from 1).
func (f *File) Error(n int, message string) {
	l := &f.lines[n-1]
	l.errors = append(l.errors, message)
}

// Diagnostics records the diagnostics of a list, each for the line of its
// position. src is the fixture's text. A diagnostic in derived text (a macro
// expansion) is recorded for the line that caused the expansion.
func (f *File) Diagnostics(src *diag.Source, list diag.List) error {
	for _, d := range list {
		s, off := d.Source, d.Off
		for s != nil && s != src {
			s, off = s.From, s.FromOff
		}
		if s == nil {
			return fmt.Errorf("diagnostic without a position in %s: %s", f.Path, d.Error())
		}
		n, _ := s.Position(off)
		f.Error(min(n, len(f.lines)), d.Message)
	}
	return nil
}

// check returns the differences from the expectations, one string each.
func (f *File) check() (problems []string) {
	for i := range f.lines {
		l := &f.lines[i]
		for _, p := range l.check() {
			problems = append(problems, fmt.Sprintf("%s:%d: %s\n\t%s", f.Path, i+1, p, l.text))
		}
	}
	return problems
}

func (l *line) check() []string {
	quoted, wantErrors := strings.CutPrefix(l.want, "ERROR ")
	switch {
	case wantErrors:
		return l.checkErrors(quoted)
	case len(l.errors) > 0:
		return []string{"error: " + strings.Join(l.errors, "\n\terror: ")}
	case !l.has && (l.must || l.got != ""):
		return []string{fmt.Sprintf("got %q, no expectation (go test -update writes it)", l.got)}
	case l.got != l.want:
		return []string{fmt.Sprintf("got  %s\n\twant %s", l.got, l.want)}
	}
	return nil
}

// checkErrors matches the expected messages with the actual ones.
func (l *line) checkErrors(quoted string) (problems []string) {
	left := append([]string(nil), l.errors...)
next:
	for quoted = strings.TrimSpace(quoted); quoted != ""; quoted = strings.TrimSpace(quoted) {
		q, err := strconv.QuotedPrefix(quoted)
		if err != nil {
			return []string{"ERROR: expected a quoted regular expression, found " + quoted}
		}
		quoted = quoted[len(q):]
		text, _ := strconv.Unquote(q)
		re, err := regexp.Compile(text)
		if err != nil {
			return []string{"ERROR: " + err.Error()}
		}
		for i, message := range left {
			if re.MatchString(message) {
				left = append(left[:i], left[i+1:]...)
				continue next
			}
		}
		problems = append(problems, fmt.Sprintf("no error matches %s; result %q, errors %q", q, l.got, l.errors))
	}
	for _, message := range left {
		problems = append(problems, "unexpected error: "+message)
	}
	return problems
}

// format returns the fixture with the results as expectations. Correct
// expectations are unchanged.
func (f *File) format() []byte {
	var out []byte
	for i := range f.lines {
		l := &f.lines[i]
		out = append(out, l.text...)
		if want, ok := l.expectation(); ok {
			out = append(out, l.pad...)
			out = append(out, " // "...)
			out = append(out, want...)
		}
		out = append(out, '\n')
	}
	return out
}

// expectation returns the text after " // " in the updated fixture.
func (l *line) expectation() (string, bool) {
	if l.set == nil {
		return "", false
	}
	if len(l.check()) == 0 {
		return l.want, l.has
	}
	if len(l.errors) == 0 {
		return l.got, l.must || l.got != ""
	}
	quoted := make([]string, len(l.errors))
	for i, message := range l.errors {
		quoted[i] = quote(regexp.QuoteMeta(message))
	}
	return "ERROR " + strings.Join(quoted, " "), true
}

// quote returns a regular expression as a Go string literal, raw if possible.
func quote(s string) string {
	if strings.Contains(s, `\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
