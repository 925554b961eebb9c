package mlir

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// A Part is a range of a text that is a module by itself, in bytes.
type Part struct {
	Start, End int
}

// Separator is the line between the modules of a text.
const Separator = "// -----"

// Split divides a text into the parts between lines that begin with "// -----".
func Split(text []byte) []Part {
	var parts []Part
	start, at := 0, 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, Separator) {
			parts = append(parts, Part{start, at})
			start = at + len(line)
		}
		at += len(line)
	}
	return append(parts, Part{start, len(text)})
}

// ParsePart reads a part of a text. Positions are those in the whole text.
func (c *Context) ParsePart(src *diag.Source, part Part) (*Op, error) {
	p := newParser(c, src)
	p.text = p.text[:part.End]
	p.tok.end = int32(part.Start)
	return p.parse()
}

// An Expectation is an annotation that a diagnostic is to be reported, as MLIR's
// tests have: "// expected-error@+1 {{text}}".
type Expectation struct {
	Severity diag.Severity
	Line     int    // of the diagnostic, from 1
	Text     string // part of the message
	Pos      int    // of the annotation in the text

	pattern *regexp.Regexp // of expected-…-re, or nil
	met     bool
}

var expectation = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`expected-(error|note|warning|remark)(-re)? *(@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}`)
}}

// severityOf returns the severity that a word of an annotation means.
func severityOf(word string) diag.Severity {
	switch word {
	case "error":
		return diag.Error
	case "warning":
		return diag.Warning
	}
	return diag.Note
}

// Expectations returns the annotations in a part of a text.
func Expectations(src *diag.Source, part Part) (list []*Expectation, err error) {
	at, line := part.Start, 1
	line, _ = src.Position(part.Start)
	previous := line // the last line without an annotation
	var below []*Expectation
	for text := range strings.Lines(string(src.Text[part.Start:part.End])) {
		m := expectation.Get().FindStringSubmatch(text)
		if m == nil {
			for _, e := range below {
				e.Line = line
			}
			below, previous = nil, line
		} else {
			e := &Expectation{Severity: severityOf(m[1]), Line: line, Text: m[5], Pos: at + strings.Index(text, "expected-")}
			switch m[4] {
			case "":
			case "above":
				e.Line = previous
			case "below":
				below = append(below, e)
			case "unknown":
				e.Line = 0
			default:
				n, _ := strconv.Atoi(m[4])
				e.Line += n
			}
			if m[2] != "" {
				if e.pattern, err = expectedPattern(m[5]); err != nil {
					return nil, fmt.Errorf("%s:%d: invalid regular expression in an annotation: %w", src.Name, line, err)
				}
			}
			list = append(list, e)
		}
		at += len(text)
		line++
	}
	return list, nil
}

// expectedPattern builds a regular expression from a text in which regular
// expressions are between "{{" and "}}".
func expectedPattern(text string) (*regexp.Regexp, error) {
	var b strings.Builder
	for {
		plain, rest, found := strings.Cut(text, "{{")
		b.WriteString(regexp.QuoteMeta(plain))
		if !found {
			return regexp.Compile(b.String())
		}
		inner, after, _ := strings.Cut(rest, "}}")
		b.WriteString("(?:" + inner + ")")
		text = after
	}
}

func (e *Expectation) matches(d *diag.Diagnostic, line int) bool {
	if e.met || e.Severity != d.Severity || e.Line != line {
		return false
	}
	if e.pattern != nil {
		return e.pattern.MatchString(d.Message)
	}
	return strings.Contains(d.Message, e.Text)
}

// CheckExpectations compares the diagnostics of a part with its annotations. It
// returns an error for each diagnostic without annotation and each annotation
// without diagnostic. Notes that quote the current operation need none.
func CheckExpectations(src *diag.Source, list []*Expectation, found diag.List) diag.List {
	var wrong diag.List
	for i := range found {
		d := &found[i]
		if d.Severity == diag.Note && strings.HasPrefix(d.Message, currentOperation) {
			continue
		}
		line := 0
		if d.Source != nil {
			line, _ = d.Source.Position(d.Off)
		}
		met := false
		for _, e := range list {
			if e.matches(d, line) {
				e.met, met = true, true
				break
			}
		}
		if !met {
			wrong.Errorf(d.Source, d.Off, d.End, "unexpected %s: %s", d.Severity, d.Message)
		}
	}
	for _, e := range list {
		if !e.met {
			wrong.Errorf(src, e.Pos, e.Pos, "expected %s %q was not produced", e.Severity, e.Text)
		}
	}
	return wrong
}
