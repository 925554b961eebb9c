package rewrite

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A Pass changes an operation and those within it.
type Pass struct {
	Name    string // MLIR's: "convert-scf-to-cf"
	Anchor  string // the operations on which it runs; "" for any
	Summary string // one line, for lists of passes
	Options []Option
	Run     func(*Run) error
}

// An Option is a setting of a pass.
type Option struct {
	Name    string
	Default string // its kind follows: "true" and "false" are switches, digits are numbers
	Help    string
}

// A Run is the execution of a pass on an operation.
type Run struct {
	Context *mlir.Context
	Op      *mlir.Op

	pass    *Pass
	options map[string]string
}

// Text returns the value of an option.
func (r *Run) Text(name string) string {
	if v, ok := r.options[name]; ok {
		return v
	}
	return r.pass.option(name).Default
}

// Int returns the value of an option that is a number.
func (r *Run) Int(name string) int {
	n, _ := strconv.Atoi(r.Text(name)) // checked when the option was set
	return n
}

// Bool returns the value of an option that is a switch.
func (r *Run) Bool(name string) bool { return isTrue(r.Text(name)) }

func isTrue(s string) bool { return s == "true" || s == "1" }

func (p *Pass) option(name string) *Option {
	for i := range p.Options {
		if p.Options[i].Name == name {
			return &p.Options[i]
		}
	}
	return nil
}

// checkValue returns an error if v is no value of the option.
func (o *Option) checkValue(v string) error {
	_, notNumber := strconv.Atoi(o.Default)
	switch {
	case o.Default == "true" || o.Default == "false":
		if v != "true" && v != "false" && v != "0" && v != "1" {
			return fmt.Errorf("option %s is true or false, not %q", o.Name, v)
		}
	case notNumber == nil:
		if _, err := strconv.Atoi(v); err != nil {
			return fmt.Errorf("option %s is a number, not %q", o.Name, v)
		}
	}
	return nil
}

// A Pipeline is a list of passes, and of pipelines for operations within the one
// on which it runs.
type Pipeline []Step

// A Step of a pipeline is a pass with its options, or a pipeline that runs on
// operations of a name.
type Step struct {
	Pass    *Pass
	Options map[string]string

	Nested string // the name of the operations on which Inner runs
	Inner  Pipeline
}

// ErrUnknownPass is the error of a pipeline with the name of no pass.
var ErrUnknownPass = errors.New("unknown pass")

// ParsePipeline reads a pipeline for builtin.module: a list of passes, with
// options in braces, and of operations whose pipelines are in parentheses. It may
// begin with "builtin.module(". lookup returns the pass of a name, or nil.
func ParsePipeline(text string, lookup func(name string) *Pass) (Pipeline, error) {
	p := pipelineParser{text: text, lookup: lookup}
	list, err := p.list(0)
	if err == nil && p.pos < len(text) {
		err = p.wrong("expected \",\"")
	}
	if err != nil {
		return nil, err
	}
	if len(list) == 1 && list[0].Nested == "builtin.module" {
		list = list[0].Inner
	}
	return list, nil
}

// maxPipelineDepth is the limit of nesting in a pipeline.
const maxPipelineDepth = 100

type pipelineParser struct {
	text   string
	pos    int
	lookup func(string) *Pass
}

func (p *pipelineParser) wrong(format string, args ...any) error {
	return fmt.Errorf("pipeline, at character %d: "+format, append([]any{p.pos + 1}, args...)...)
}

func (p *pipelineParser) list(depth int) (list Pipeline, err error) {
	if depth > maxPipelineDepth {
		return nil, p.wrong("more than %d operations within each other", maxPipelineDepth)
	}
	for {
		s, err := p.step(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
		if !p.skip(',') {
			return list, nil
		}
	}
}

func (p *pipelineParser) blanks() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *pipelineParser) skip(c byte) bool {
	p.blanks()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *pipelineParser) step(depth int) (s Step, err error) {
	p.blanks()
	start := p.pos
	name := p.word("(){}, \t\n\r")
	if name == "" {
		return s, p.wrong("expected the name of a pass")
	}
	if p.skip('(') {
		s.Nested = name
		if p.skip(')') {
			return s, nil
		}
		if s.Inner, err = p.list(depth + 1); err == nil && !p.skip(')') {
			err = p.wrong("expected \")\"")
		}
		return s, err
	}
	if s.Pass = p.lookup(name); s.Pass == nil {
		p.pos = start
		return s, p.wrong("%w: %s", ErrUnknownPass, name)
	}
	if p.skip('{') {
		s.Options, err = p.options(s.Pass)
	}
	return s, err
}

// word reads up to one of the characters that end it.
func (p *pipelineParser) word(end string) string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(end, p.text[p.pos]) < 0 {
		p.pos++
	}
	return p.text[start:p.pos]
}

// options reads "name=value name=value}".
func (p *pipelineParser) options(pass *Pass) (map[string]string, error) {
	options := map[string]string{}
	for !p.skip('}') {
		p.blanks()
		name := p.word("=} \t\n\r")
		value := "true"
		if p.skip('=') {
			value = p.word("} \t\n\r")
		}
		if name == "" {
			return nil, p.wrong("expected an option")
		}
		o := pass.option(name)
		if o == nil {
			return nil, p.wrong("%s has no option %q", pass.Name, name)
		}
		if err := o.checkValue(value); err != nil {
			return nil, p.wrong("%s: %w", pass.Name, err)
		}
		options[name] = value
	}
	return options, nil
}

// Execute executes a pipeline on an operation. A pass or nested pipeline for operations of
// another name runs on those within it. The module is verified at the end of each
// pass if verify is set. Errors at operations are diag.Lists.
func (p Pipeline) Execute(c *mlir.Context, o *mlir.Op, verify bool) error {
	for i := range p {
		s := &p[i]
		anchor := s.Nested
		if s.Pass != nil {
			anchor = s.Pass.Anchor
		}
		for _, at := range anchored(o, anchor) {
			if err := s.execute(c, at, verify); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Step) execute(c *mlir.Context, o *mlir.Op, verify bool) error {
	if s.Pass == nil {
		return s.Inner.Execute(c, o, verify)
	}
	if err := s.Pass.Run(&Run{Context: c, Op: o, pass: s.Pass, options: s.Options}); err != nil {
		return err
	}
	if verify {
		if err := c.Verify(o); err != nil {
			return fmt.Errorf("after %s: %w", s.Pass.Name, err)
		}
	}
	return nil
}

// anchored returns the outermost operations of a name within o, or o itself.
func anchored(o *mlir.Op, name string) (list []*mlir.Op) {
	if name == "" || o.Name == name {
		return []*mlir.Op{o}
	}
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			for p := range b.Ops {
				list = append(list, anchored(p, name)...)
			}
		}
	}
	return list
}
