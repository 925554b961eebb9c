package asmcore

import (
	"bytes"

	"github.com/gfx-toolchain/gfx/diag"
)

// A Parser assembles one source. Create one with New, call Run once, then
// Finish.
//
// Src and Pos are the text being read and the cursor. Both change when a macro
// is entered or left, which never happens inside a statement. Src always ends
// with a newline.
type Parser struct {
	Src []byte
	Pos int

	dialect Dialect
	machine Machine
	relaxes bool // Machine.Relaxes
	inData  bool // the bytes contain the addends of relocations (SHT_REL)
	gnuSyms bool // a symbol has a GNU-specific type
	opts    Options
	syntax  Syntax
	class   [256]charClass

	diags      diag.List
	late       diag.List // errors deferred until the layout
	dropped    bool      // messages beyond Limits.Errors were dropped
	stmtFailed bool      // an error was found in this statement
	stop       bool      // .end, .abort or too many errors: read no further

	source   *diag.Source // source of Src
	srcID    uint32       // its number in sources, 0 if it has none yet
	ownEnd   int          // length of the original text, which may lack a newline
	sources  []*diag.Source
	frames   []frame // callers of the current text
	expanded int64   // bytes of text from macros and repetitions so far
	muted    int     // > 0 while text is skipped whose errors do not matter

	directives []directive // the core's, sorted by name

	nodes     []node // expression arena; nodes[0] is never used
	exprDepth int
	exprStart int // len(nodes) when the outermost expression began
	evalDepth int
	steps     int64  // operations of all evaluations so far
	laidOut   bool   // addresses are known
	scratch   []byte // of String

	symbols
	sections
	conditionals
	macros
	debug

	cur      *stream // current output
	instBase int     // len(cur.data) when the statement began
	instFix  int     // len(cur.fixups) when the statement began
	output   int64   // bytes in fragments so far
	room     int64   // maximum length of cur.data
	others   int64   // bytes in the data of the other streams

	list listing
}

// frame is a suspended text, which continues when the text it called ends.
type frame struct {
	src       []byte
	pos       int
	source    *diag.Source
	srcID     uint32
	ownEnd    int
	macro     bool // the called text is a macro or a repetition
	condDepth int  // nesting of conditionals at the call
}

// New returns a parser of a source. It copies a text that does not end with a
// newline and refers to any other, which must not change before Finish.
func New(src *diag.Source, opts Options) *Parser {
	opts.Limits.setDefaults()
	p := &Parser{
		dialect:    opts.Dialect,
		machine:    opts.Machine,
		relaxes:    opts.Machine.Relaxes(),
		opts:       opts,
		syntax:     opts.Dialect.Syntax(),
		directives: directiveTable[:],
		nodes:      make([]node, 1, 64),
		sources:    make([]*diag.Source, 1, 4),
	}
	p.class = classes(p.syntax)
	p.initSymbols()
	p.initSections(len(src.Text))
	p.list.on = opts.List
	p.setSource(src)
	for _, d := range opts.Defines {
		p.defineVariable(d.Name, d.Value)
	}
	return p
}

// withNewline returns a source whose text ends with a newline.
func withNewline(src *diag.Source) *diag.Source {
	if n := len(src.Text); n > 0 && src.Text[n-1] == '\n' {
		return src
	}
	s := *src
	s.Text = append(bytes.Clone(src.Text), '\n')
	return &s
}

// setSource makes a text the current one. It appends a newline if necessary.
func (p *Parser) setSource(s *diag.Source) {
	p.ownEnd = len(s.Text)
	s = withNewline(s)
	p.Src, p.Pos, p.source, p.srcID = s.Text, 0, s, 0
}

// enter makes a text the current one. Pos must be where reading continues
// afterwards. off is the caller's offset in the current text.
func (p *Parser) enter(s *diag.Source, off int, macro bool) {
	p.frames = append(p.frames, frame{p.Src, p.Pos, p.source, p.srcID, p.ownEnd, macro, len(p.condStack)})
	s.From, s.FromOff = p.source, off
	p.setSource(s)
}

// leave returns to the caller of the current text.
func (p *Parser) leave() {
	f := &p.frames[len(p.frames)-1]
	p.Src, p.Pos, p.source, p.srcID, p.ownEnd = f.src, f.pos, f.source, f.srcID, f.ownEnd
	p.frames = p.frames[:len(p.frames)-1]
}

// Source returns the current text, for positions.
func (p *Parser) Source() *diag.Source { return p.source }

// place is a position that remains valid after its text has been read.
type place struct {
	src uint32 // index in Parser.sources; 0 for none
	off uint32
}

func (a place) compare(b place) int {
	if a.src != b.src {
		return int(a.src) - int(b.src)
	}
	return int(a.off) - int(b.off)
}

// at returns a position in the current text.
func (p *Parser) at(off int) place {
	if p.srcID == 0 {
		p.sources = append(p.sources, p.source)
		p.srcID = uint32(len(p.sources) - 1)
	}
	return place{p.srcID, uint32(off)}
}

// Errorf reports an error at Src[off:end] and marks the statement as failed.
// The core continues after the end of the statement.
func (p *Parser) Errorf(off, end int, format string, args ...any) {
	p.stmtFailed = true
	if p.full() {
		return
	}
	p.diags.Errorf(p.source, off, end, format, args...)
}

// Warnf reports a warning at Src[off:end].
func (p *Parser) Warnf(off, end int, format string, args ...any) {
	if p.full() {
		return
	}
	p.diags.Warnf(p.source, off, end, format, args...)
}

// errorAt reports an error at a position in any of the texts.
func (p *Parser) errorAt(pl place, format string, args ...any) {
	if p.full() {
		return
	}
	p.diags.Errorf(p.sources[pl.src], int(pl.off), int(pl.off), format, args...)
}

// errorEnd reports an error at the end of the source.
func (p *Parser) errorEnd(format string, args ...any) {
	if !p.full() {
		p.diags.Errorf(p.source, p.ownEnd, p.ownEnd, format, args...)
	}
}

// errorNowhere reports an error without a position.
func (p *Parser) errorNowhere(format string, args ...any) {
	if !p.full() {
		p.diags.Errorf(nil, 0, 0, format, args...)
	}
}

// full reports whether the error list is full, and ends the run if it is.
func (p *Parser) full() bool {
	if len(p.diags) < p.opts.Limits.Errors {
		return false
	}
	if !p.dropped {
		p.dropped, p.stop = true, true
		p.diags.Errorf(p.source, p.Pos, p.Pos, "too many errors; the rest of the source is not read")
	}
	return true
}

// Failed reports whether an error was found in the current statement.
func (p *Parser) Failed() bool { return p.stmtFailed }

// statementsPerStop is the number of statements between calls of Options.Stop.
const statementsPerStop = 1 << 10

// Run reads the source to its end.
func (p *Parser) Run() {
	for n := uint(1); !p.stop; n++ {
		if n%statementsPerStop == 0 && p.opts.Stop != nil && p.opts.Stop() {
			p.diags.Errorf(p.source, p.Pos, p.Pos, "interrupted")
			p.stop = true
			return
		}
		if p.Pos >= len(p.Src) {
			if len(p.frames) == 0 {
				break
			}
			p.endText()
			continue
		}
		src, start := p.source, p.Pos
		p.statement()
		if int64(len(p.cur.data)) > p.room || p.list.on && int64(len(p.list.out)) > p.opts.Limits.Output {
			p.tooLarge(src, start)
		}
	}
	p.endOfSource()
	p.dialect.Finish(p)
}

// tooLarge ends the run at a statement that exceeds the output limit.
func (p *Parser) tooLarge(src *diag.Source, start int) {
	if !p.stop && !p.full() {
		p.diags.Errorf(src, start, start, "output is larger than %d bytes", p.opts.Limits.Output)
	}
	p.stop = true
}

// endText leaves a text that has been read to its end.
func (p *Parser) endText() {
	if f := &p.frames[len(p.frames)-1]; f.macro {
		p.endOfExpansion(f)
	}
	p.leave()
}

// Diagnostics returns the errors and warnings so far.
func (p *Parser) Diagnostics() diag.List { return p.diags }

// statement reads one statement, or one label.
func (p *Parser) statement() {
	p.stmtFailed = false
	if p.AtEnd() {
		if p.list.on {
			p.listBlank()
		}
		p.nextStatement()
		return
	}
	start := p.Pos
	c := p.Src[start]
	if p.class[c]&classIdentStart == 0 {
		p.oddStatement(c)
		return
	}
	end := start + 1
	for p.class[p.Src[end]]&classIdent != 0 {
		end++
	}
	p.Pos = end
	p.named(start, end)
}

// named reads the statement that begins with the identifier Src[start:end].
func (p *Parser) named(start, end int) {
	src := p.Src
	if src[start] == '.' || p.ignore {
		p.dotStatement(start, end)
		return
	}
	p.SkipSpace()
	switch src[p.Pos] {
	case ':':
		p.label(start, end)
		return
	case '=':
		if src[p.Pos+1] != '=' {
			p.assignment(start, end)
			return
		}
	}
	if len(p.macroDefs) > 0 && p.callMacro(start, end) {
		return
	}
	p.instruction(start, end)
}

func (p *Parser) instruction(start, end int) {
	p.instBase, p.instFix = len(p.cur.data), len(p.cur.fixups)
	if p.lines.pending {
		p.addLine()
	}
	p.Pos = end
	p.dialect.Instruction(p, start, end)
	p.endStatement()
}

// endStatement checks that a statement has been read to its end, and moves past
// it.
func (p *Parser) endStatement() {
	if !p.stmtFailed && !p.AtEnd() {
		p.Errorf(p.Pos, p.Pos+1, "unexpected text at the end of the statement, expected a newline")
	}
	if p.stmtFailed {
		p.SkipStatement()
	}
	p.nextStatement()
}
