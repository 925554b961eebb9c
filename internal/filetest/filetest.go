// Package filetest is the one runner for text fixtures in testdata folders:
// files that hold input and expectation together, and that "go test -update"
// rewrites with what the code under test gives now.
//
// A fixture is read line by line. An expectation stands after " // " on the
// line that it belongs to:
//
//	s_mov_b32 s0, s1            // 01 00 80 be
//	s_mov_b32 s0, s1, s2        // ERROR "expected 2 operands"
//
// After ERROR come regular expressions as Go strings, one for each message
// that the line gives; the match is not anchored. A line that begins with
// "//:" sets variables for the lines after it, "//: mcpu=gfx900 hex=1"; a
// variable stays set until it is set again. Empty lines, and lines that begin
// with "//", are comments.
//
// Lines runs each line by itself. Files runs whole files, whose lines may
// have expectations or not; the expectations are comments to the assembler,
// so the text can be given to it as it is. Archives runs txtar archives, for
// expectations that are longer than a line.
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

	"github.com/gfx-toolchain/gfx/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the expectations of text fixtures")

// Update reports whether the test was run with -update, for tests that keep
// expectations in a form of their own.
func Update() bool { return *update }

// Settings are the variables that "//:" lines set.
type Settings map[string]string

// Lines runs every line of the fixtures that match a pattern (as
// filepath.Glob takes it) as a case of its own: fn gives the result, or an
// error. Each diagnostic of a diag.List is one message.
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

// Files runs every fixture that matches a pattern as a whole: fn reports what
// came out of each line with Got and Error.
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

// each runs fn as a subtest on every file that matches, and writes what it
// gives to the file when -update is set.
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

// File is one fixture.
type File struct {
	Path     string
	Text     []byte   // the whole file
	Settings Settings // as they are at the end of the file
	lines    []line
}

// line is one line of a fixture.
type line struct {
	text   string   // input, without the expectation
	pad    string   // white space between input and expectation
	want   string   // expectation as written
	has    bool     // whether there is one
	set    Settings // nil for a comment
	must   bool     // a line without result and expectation is wrong
	got    string
	errors []string
}

// parse reads a fixture.
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

// Got reports what came out of a line (counted from 1).
func (f *File) Got(n int, result string) { f.lines[n-1].got = result }

// Error reports a message about a line (counted from 1).
func (f *File) Error(n int, message string) {
	l := &f.lines[n-1]
	l.errors = append(l.errors, message)
}

// Diagnostics reports the messages of a list, each at the line that it points
// to. src is the fixture's own text; a diagnostic of a text that came from it
// (a macro's expansion) counts for the line that called for that text.
func (f *File) Diagnostics(src *diag.Source, list diag.List) error {
	for _, d := range list {
		s, off := d.Source, d.Off
		for s != nil && s != src {
			s, off = s.From, s.FromOff
		}
		if s == nil {
			return fmt.Errorf("diagnostic without a place in %s: %s", f.Path, d.Error())
		}
		n, _ := s.Position(off)
		f.Error(min(n, len(f.lines)), d.Message)
	}
	return nil
}

// check gives what differs from the expectations, one problem each.
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

// checkErrors pairs each expected message with one that came.
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

// format gives the fixture with the results in place of the expectations. An
// expectation that holds stays as it is written.
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

// expectation gives what stands after " // " once the fixture is updated.
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

// quote writes a regular expression as a Go string, as a raw one if it can.
func quote(s string) string {
	if strings.Contains(s, `\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
