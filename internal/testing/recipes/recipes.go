// Package recipes follows the recipes of docs/adding.md. Its test applies all of
// them to a copy of the module and runs their commands.
//
// A step is a line of text followed by a code block, or a line alone:
//
//	Create `file`:                       the block is the file
//	Append to `file`:                    the block follows the last line
//	In `file`, after `text`:             the block follows the line with the text
//	In `file`, before `text`:            the block precedes the line with the text
//	In `file`, replace `text` with `new`.
//
// The text must occur in one line only. A console block holds commands after
// "$ ", and lines that each command prints among others.
package recipes

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Recipe is a section of the document.
type Recipe struct {
	Name     string
	Steps    []Step
	Commands []Command
}

// Step is a change of one file.
type Step struct {
	Line   int // in the document
	File   string
	Kind   string // key of apply
	Anchor string // text of a line, or the text to be replaced
	Text   string // lines to be added, or the new text
}

// Command is a line of a console block.
type Command struct {
	Line  int // in the document
	Words string
	Want  []string // lines of the output
}

// A stepForm is a line that describes a step. Its groups are file, anchor and
// text, as far as the step has them.
type stepForm struct {
	kind    string
	pattern *regexp.Regexp
}

func stepForms() []stepForm {
	return []stepForm{
		{"create", regexp.MustCompile("^Create `([^`]+)`:$")},
		{"append", regexp.MustCompile("^Append to `([^`]+)`:$")},
		{"after", regexp.MustCompile("^In `([^`]+)`, after `([^`]+)`:$")},
		{"before", regexp.MustCompile("^In `([^`]+)`, before `([^`]+)`:$")},
		{"replace", regexp.MustCompile("^In `([^`]+)`, replace `([^`]+)` with `([^`]+)`\\.$")},
	}
}

// parser reads the document line by line.
type parser struct {
	forms   []stepForm
	recipes []Recipe
	pending *Step  // a step that waits for its block
	block   string // language of the block that contains the line; "" for none
}

// Parse returns the recipes of a document: its sections with steps or commands.
func Parse(text string) ([]Recipe, error) {
	p := parser{forms: stepForms(), recipes: make([]Recipe, 1)}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := p.line(n, strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("line %d: %v", n, err)
		}
	}
	if p.pending != nil || p.block != "" {
		return nil, fmt.Errorf("line %d: the last step is incomplete", n)
	}
	var used []Recipe
	for _, r := range p.recipes {
		if len(r.Steps)+len(r.Commands) > 0 {
			used = append(used, r)
		}
	}
	return used, nil
}

func (p *parser) line(n int, line string) error {
	language, fence := strings.CutPrefix(line, "```")
	switch {
	case fence && p.block == "":
		if p.block = language; p.pending == nil && language != "console" {
			return fmt.Errorf("no step describes this block")
		}
		return nil
	case fence:
		p.endBlock()
		return nil
	case p.block == "console":
		return p.console(n, line)
	case p.block != "":
		p.pending.Text += line + "\n"
		return nil
	case line == "":
		return nil
	case p.pending != nil:
		return fmt.Errorf("expected the block of the step in line %d", p.pending.Line)
	}
	if name, ok := strings.CutPrefix(line, "## "); ok {
		p.recipes = append(p.recipes, Recipe{Name: name})
	}
	p.step(n, line)
	return nil
}

// current returns the recipe that contains the line.
func (p *parser) current() *Recipe { return &p.recipes[len(p.recipes)-1] }

func (p *parser) endBlock() {
	if p.block != "console" {
		p.current().Steps = append(p.current().Steps, *p.pending)
		p.pending = nil
	}
	p.block = ""
}

// console reads a line of a console block.
func (p *parser) console(n int, line string) error {
	r := p.current()
	if words, ok := strings.CutPrefix(line, "$ "); ok {
		r.Commands = append(r.Commands, Command{Line: n, Words: words})
		return nil
	}
	if len(r.Commands) == 0 {
		return fmt.Errorf("expected a command after \"$ \"")
	}
	c := &r.Commands[len(r.Commands)-1]
	c.Want = append(c.Want, line)
	return nil
}

// step reads a line of text, which describes a step or is prose.
func (p *parser) step(n int, line string) {
	for _, f := range p.forms {
		m := f.pattern.FindStringSubmatch(line)
		switch {
		case m == nil:
		case f.kind == "replace":
			p.current().Steps = append(p.current().Steps, Step{n, m[1], f.kind, m[2], m[3]})
		default:
			p.pending = &Step{Line: n, File: m[1], Kind: f.kind, Anchor: strings.Join(m[2:], "")}
		}
	}
}

// Apply changes the files below a folder.
func (s *Step) Apply(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(s.File))
	text, err := os.ReadFile(path)
	switch {
	case s.Kind == "create" && err == nil:
		return fmt.Errorf("line %d: %s exists", s.Line, s.File)
	case s.Kind == "create":
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("line %d: %v", s.Line, err)
	}
	changed, err := s.change(string(text))
	if err != nil {
		return fmt.Errorf("line %d: %s: %v", s.Line, s.File, err)
	}
	return os.WriteFile(path, []byte(changed), 0o666)
}

// change returns the file's text after the step.
func (s *Step) change(text string) (string, error) {
	if s.Kind == "create" || s.Kind == "append" {
		return text + s.Text, nil
	}
	if n := strings.Count(text, s.Anchor); n != 1 {
		return "", fmt.Errorf("%q occurs %d times, expected once", s.Anchor, n)
	}
	at := strings.Index(text, s.Anchor)
	switch s.Kind {
	case "after":
		at += strings.Index(text[at:]+"\n", "\n") + 1
	case "before":
		at = strings.LastIndex(text[:at], "\n") + 1
	case "replace":
		return text[:at] + s.Text + text[at+len(s.Anchor):], nil
	}
	return text[:at] + s.Text + text[at:], nil
}

// Check returns an error if an expected line is missing in a command's output.
// The lines must appear in their order; other lines may surround them.
func (c *Command) Check(output string) error {
	lines := strings.Split(output, "\n")
	for _, want := range c.Want {
		for len(lines) > 0 && strings.TrimRight(lines[0], " ") != want {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			return fmt.Errorf("line %d: %s: expected the line %q in the output\n%s", c.Line, c.Words, want, output)
		}
		lines = lines[1:]
	}
	return nil
}
