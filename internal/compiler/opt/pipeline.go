package opt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
)

// Pipeline is the result of ParsePipeline: passes in order, some of them
// grouped.
type Pipeline struct{ steps []step }

// step is a pass with its parameters, or a group of steps.
type step struct {
	pass   *Pass
	params []int
	group  *group
	body   []step
}

// group is a kind of nested pipeline.
type group struct {
	name string
	// kinds of passes that it may contain
	modules, functions bool
	groups             string
}

var groups = []group{
	{name: "module", modules: true, functions: true, groups: "module cgscc function"},
	{name: "cgscc", modules: true, functions: true, groups: "cgscc function"},
	{name: "function", functions: true, groups: "function"},
}

func findGroup(name string) *group {
	for i := range groups {
		if groups[i].name == name {
			return &groups[i]
		}
	}
	return nil
}

// maxNesting bounds the nesting of groups.
const maxNesting = 64

// sourceName is the name of a pipeline's text in errors: the flag that
// specifies it.
const sourceName = "--passes"

// ParsePipeline parses a pipeline of passes from a list: names of passes and
// groups, separated by commas. A pass may have parameters, "name<a;no-b;c=2>";
// a group is "module(…)", "cgscc(…)" or "function(…)". Adjacent function passes
// run one function after another, as if they were grouped. The error is a
// diag.List with positions in the text. The pipeline refers to the list, which
// must not change while the pipeline is in use.
func ParsePipeline(passes []Pass, text string) (Pipeline, error) {
	p := parser{passes: passes, src: &diag.Source{Name: sourceName, Text: []byte(text)}, text: text}
	steps := p.list(findGroup("module"), 0)
	if p.pos < len(p.text) && !p.errs.HasErrors() {
		p.errorf(p.pos, p.pos+1, "')' without '('")
	}
	if err := p.errs.Err(); err != nil {
		return Pipeline{}, err
	}
	return Pipeline{steps}, nil
}

// String returns the pipeline in the syntax of ParsePipeline.
func (p Pipeline) String() string {
	var b strings.Builder
	writeSteps(&b, p.steps)
	return b.String()
}

func writeSteps(b *strings.Builder, steps []step) {
	for i, s := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		if s.group != nil {
			b.WriteString(s.group.name)
			b.WriteByte('(')
			writeSteps(b, s.body)
			b.WriteByte(')')
			continue
		}
		b.WriteString(s.pass.Name)
		writeParams(b, &s)
	}
}

// writeParams writes the parameters with values other than the defaults.
func writeParams(b *strings.Builder, s *step) {
	sep := "<"
	for i := range s.pass.Params {
		p := &s.pass.Params[i]
		if s.params[i] == p.Default {
			continue
		}
		b.WriteString(sep)
		sep = ";"
		switch {
		case p.Number:
			fmt.Fprintf(b, "%s=%d", p.Name, s.params[i])
		case s.params[i] == 0:
			b.WriteString("no-" + p.Name)
		default:
			b.WriteString(p.Name)
		}
	}
	if sep == ";" {
		b.WriteByte('>')
	}
}

// parser parses a pipeline.
type parser struct {
	passes []Pass // the known passes
	src    *diag.Source
	text   string
	pos    int
	errs   diag.List
}

func (p *parser) errorf(off, end int, format string, args ...any) {
	p.errs.Errorf(p.src, off, end, format, args...)
}

// at reports whether the next byte is c.
func (p *parser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

// list parses steps up to the end or a closing parenthesis.
func (p *parser) list(in *group, depth int) []step {
	if depth > maxNesting {
		p.errorf(p.pos, p.pos, "nested more than %d deep", maxNesting)
		p.pos = len(p.text)
		return nil
	}
	var steps []step
	for {
		if s, ok := p.step(in, depth); ok {
			steps = append(steps, s)
		}
		if !p.at(',') {
			return steps
		}
		p.pos++
	}
}

// word parses a name.
func (p *parser) word() (word string, start int) {
	start = p.pos
	for p.pos < len(p.text) && !strings.ContainsRune(",()<>", rune(p.text[p.pos])) {
		p.pos++
	}
	return p.text[start:p.pos], start
}

func (p *parser) step(in *group, depth int) (step, bool) {
	name, start := p.word()
	paramsAt := p.pos
	params, hasParams := p.angles()
	if g := findGroup(name); g != nil {
		return p.group(in, g, start, depth, hasParams)
	}
	pass := FindPass(p.passes, name)
	ok := p.checkPass(name, params, start, pass, in)
	s := step{pass: pass}
	if ok {
		s.params = p.params(pass, params, paramsAt+1)
	}
	if p.at('(') {
		if ok {
			p.errorf(start, paramsAt, "'%s' is a pass and takes no pipeline in parentheses", name)
		}
		p.pos++
		p.list(findGroup("module"), depth+1)
		p.close()
		return s, false
	}
	return s, ok
}

// reserved lists names of LLVM's pipelines that are not supported.
const reserved = " default thinlto-pre-link thinlto lto-pre-link lto loop loop-mssa repeat devirt coro-cond require invalidate "

// checkPass reports errors in the name of a pass.
func (p *parser) checkPass(name, params string, start int, pass *Pass, in *group) bool {
	end := start + len(name)
	switch {
	case name == "":
		p.errorf(start, end, "expected the name of a pass")
	case pass == nil && strings.Contains(reserved, " "+name+" "):
		full := name
		if params != "" {
			full += "<" + params + ">"
		}
		p.errorf(start, end, "pipeline '%s' is not supported yet", full)
	case pass == nil:
		hint := ""
		if near := nearName(p.passes, name); near != "" {
			hint = fmt.Sprintf(", did you mean '%s'?", near)
		}
		p.errorf(start, end, "unknown pass '%s'%s", name, hint)
	case pass.Module != nil && !in.modules:
		p.errorf(start, end, "module pass '%s' is not allowed in '%s(…)'", name, in.name)
	default:
		return true
	}
	return false
}

func (p *parser) group(in, g *group, start, depth int, hasParams bool) (step, bool) {
	end := start + len(g.name)
	switch {
	case hasParams:
		p.errorf(start, end, "'%s' takes no parameters", g.name)
	case !strings.Contains(" "+in.groups+" ", " "+g.name+" "):
		p.errorf(start, end, "'%s(…)' is not allowed in '%s(…)'", g.name, in.name)
	case !p.at('('):
		p.errorf(p.pos, p.pos, "expected '(' after '%s'", g.name)
		return step{}, false
	}
	if !p.at('(') {
		return step{}, false
	}
	p.pos++
	body := p.list(g, depth+1)
	p.close()
	return step{group: g, body: body}, true
}

func (p *parser) close() {
	if p.at(')') {
		p.pos++
		return
	}
	p.errorf(p.pos, p.pos, "expected ')'")
}

// angles parses the text in angle brackets, if any; they may be nested.
func (p *parser) angles() (inner string, found bool) {
	if !p.at('<') {
		return "", false
	}
	start, depth := p.pos, 0
	for ; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				p.pos++
				return p.text[start+1 : p.pos-1], true
			}
		}
	}
	p.errorf(start, start+1, "'<' without '>'")
	return "", true
}

// params parses the parameters of a pass at an offset in the text.
func (p *parser) params(pass *Pass, text string, at int) []int {
	values := pass.defaults()
	if text == "" {
		return values
	}
	for word := range strings.SplitSeq(text, ";") {
		if i, value, problem := pass.param(word); problem != "" {
			p.errorf(at, at+len(word), "%s", problem)
		} else {
			values[i] = value
		}
		at += len(word) + 1
	}
	return values
}

// param parses one parameter.
func (p *Pass) param(word string) (i, value int, problem string) {
	name, number, hasNumber := strings.Cut(word, "=")
	for i := range p.Params {
		q := &p.Params[i]
		switch {
		case q.Name == name && q.Number:
			n, err := strconv.Atoi(number)
			if !hasNumber || err != nil {
				return 0, 0, fmt.Sprintf("parameter '%s' of pass '%s' needs a number, '%s=1'", name, p.Name, name)
			}
			return i, n, ""
		case q.Name == word:
			return i, 1, ""
		case !q.Number && "no-"+q.Name == word:
			return i, 0, ""
		}
	}
	return 0, 0, fmt.Sprintf("pass '%s' has no parameter '%s'", p.Name, word)
}

// nearName returns the name of the pass in a list that resembles an unknown
// name, or "".
func nearName(passes []Pass, name string) string {
	best, near := len(name)/3+1, ""
	for i := range passes {
		if d := distance(name, passes[i].Name, best); d <= best && (near == "" || d < best) {
			best, near = d, passes[i].Name
		}
	}
	return near
}

// distance returns the number of letters to change, insert or delete to turn a
// into b, or more than limit.
func distance(a, b string, limit int) int {
	if len(a) > len(b)+limit || len(b) > len(a)+limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
