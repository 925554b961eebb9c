package clrx

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
)

// Limits of nesting, by kind of feed.
var (
	maxDepth   = [feedKinds]int{feedFile: 500, feedMacro: 1000, feedRepeat: 1000}
	depthNames = [feedKinds]string{feedFile: "files", feedMacro: "macros", feedRepeat: "repetitions"}
)

const (
	maxScopes     = 1000     // depth of scopes
	maxErrors     = 1000     // errors that are reported
	maxNodes      = 1 << 16  // operands and operators of an expression
	maxSteps      = 16 << 20 // operands and operators that .eqv symbols expand to, in a source
	maxVisits     = 1 << 28  // scopes that are searched in a source
	maxUsed       = 1000     // scopes that a scope uses
	maxParams     = 1000     // parameters of a macro
	lineCost      = 64       // bytes of expansion that a statement counts in addition to its text
	defExpansion  = 64 << 20 // default of Options.MaxExpansion
	defOutput     = 1 << 30  // default of Options.MaxOutput
	maxOutputSize = 1<<32 - 1
)

// parser is the state of an assembly.
type parser struct {
	opt  Options
	list diag.List
	errs int // errors so far

	// The current statement is src[start:end], and pos the cursor.
	src             []byte
	start, pos, end int
	tail            int       // length of the comment after the statement
	segments        []segment // places of the text; none: src is the file
	lineSource      *diag.Source
	joined          []byte // buffer of statements with joined lines
	expanded        []byte // buffer of lines with replaced parameters
	scratch         []byte // buffer of decoded strings
	short           [32]byte
	wide            bool // integers can have 128 bits

	// Text.
	feeds         []*feed
	top           *feed
	depth         [feedKinds]int
	reread        bool // nextStatement returns the current statement again
	haveStatement bool
	ended         bool // .end or .abort
	expansion     int64
	clauses       []clause
	macros        map[string]*macro
	macroCount    uint64
	localCount    uint64
	altMacro      bool
	exactMacros   bool // the case of macro names counts

	// Symbols.
	global    *scope
	scope     *scope
	scopes    []*scope // open scopes
	visits    uint32   // stamp of the last search
	visited   int      // scopes searched so far
	dot       *symbol
	polls     int // statements so far
	late      int // late expressions so far
	steps     int // nodes from .eqv symbols
	baseDepth int // .eqv symbols that are being expanded

	// Buffers of expressions.
	nodes   []node
	ops     []pendingOp
	numbers []uint64
	queue   []*symbol

	// Output.
	format         format
	ready          bool // the format's sections exist
	device         *catalyst.Device
	bits64         bool
	formatReported bool // that it is not supported
	policy         uint64
	options        string
	driver         driver
	sections       []section
	kernels        []*kernel
	kernel         int      // current kernel, or noKernel
	section        int      // current section, or absolute
	cur            *section // the current section, nil for absolute
	absPos         uint64   // output counter of the absolute section
	mainSec        int      // last section outside kernels
	mainMap        map[string]int
	names          map[string]int // kernels by name
	regs           *registers     // use of registers is recorded here
	unused         registers      // outside the code of kernels
	written        int64          // bytes of all sections
	buggyFP        bool
	oldMods        bool

	isa isaState
}

// errorAt reports an error at a column of the current statement.
func (p *parser) errorAt(pos int, format string, args ...any) {
	p.errorIn(pos, pos+1, format, args...)
}

// errorIn reports an error at a range of columns of the current statement.
func (p *parser) errorIn(pos, end int, format string, args ...any) {
	p.diagnose(diag.Error, p.locate(pos), end-pos, format, args...)
}

// warnAt reports a warning at a column of the current statement.
func (p *parser) warnAt(pos int, format string, args ...any) {
	p.diagnose(diag.Warning, p.locate(pos), 1, format, args...)
}

// diagnose reports a finding about n bytes at a place. A place without a source
// is the output as a whole.
func (p *parser) diagnose(severity diag.Severity, at place, n int, format string, args ...any) {
	if severity == diag.Error {
		p.errs++
		if p.errs > maxErrors {
			p.ended = true
			return
		}
	} else if len(p.list) > 4*maxErrors {
		return
	}
	d := diag.Diagnostic{Source: at.src, Off: at.off, End: at.off + max(n, 0), Severity: severity, Message: fmt.Sprintf(format, args...)}
	if at.src != nil {
		d.Off = min(max(d.Off, 0), len(at.src.Text))
		d.End = min(max(d.End, d.Off), len(at.src.Text))
	}
	p.list = append(p.list, d)
}

// spend counts a statement with n bytes that a macro or repetition has
// recorded or produced, and reports an error at pos if there are too many.
func (p *parser) spend(n, pos int) bool {
	p.expansion += int64(n) + lineCost
	if p.expansion <= p.opt.MaxExpansion {
		return true
	}
	if !p.ended {
		p.ended = true
		p.errorAt(pos, "macros and repetitions produce more than %d bytes", p.opt.MaxExpansion)
	}
	return false
}

// warnRange warns if v does not fit in bits bits, as a signed or unsigned
// number.
func (p *parser) warnRange(bits uint, v uint64, at int) {
	if bits < 64 && (int64(v) >= 1<<bits || int64(v) < -1<<(bits-1)) {
		p.warnTruncated(bits, v, p.locate(at))
	}
}

// warnUnsigned warns if v does not fit in bits bits as an unsigned number.
func (p *parser) warnUnsigned(bits uint, v uint64, at int) {
	if v>>bits != 0 {
		p.warnTruncated(bits, v, p.locate(at))
	}
}

func (p *parser) warnTruncated(bits uint, v uint64, at place) {
	p.diagnose(diag.Warning, at, 1, "value 0x%x truncated to 0x%x", v, v&(1<<bits-1))
}

// runSource assembles the whole source.
func (p *parser) runSource() {
	for !p.ended && p.nextStatement() {
		if p.opt.Stop != nil && p.polls&1023 == 0 && p.opt.Stop() {
			p.diagnose(diag.Error, p.locate(p.start), 0, "interrupted")
			return
		}
		p.polls++
		p.statement()
	}
	p.closeClauses()
	p.closeSymbols()
}

// statement assembles the current statement.
func (p *parser) statement() {
	if p.atEnd() {
		return
	}
	stmt := p.pos
	name := p.labelName()
	p.skipSpace()
	for len(name) > 0 && p.byteAt(p.pos) == ':' && p.byteAt(p.pos+1) != ':' {
		p.pos++
		p.skipSpace()
		p.prepare()
		if !p.label(name, stmt) {
			return
		}
		stmt = p.pos
		name = p.labelName()
	}
	p.skipSpace()
	if p.byteAt(p.pos) == '=' && len(name) > 0 && !isDigit(name[0]) {
		p.pos++
		if p.atEnd() {
			p.errorAt(p.pos, "expected an expression")
			return
		}
		p.assign(name, stmt, reassign)
		return
	}
	switch {
	case len(name) == 0:
		if p.pos < p.end && p.callMacro(stmt) == macroMissing {
			p.errorIn(stmt, p.end, "expected a statement")
		}
	case name[0] == '.' && len(name) > 1:
		p.pseudoOp(name, stmt)
	case isDigit(name[0]):
		p.errorAt(stmt, "unexpected number at the start of the statement")
	case len(p.macros) > 0 && p.callMacro(stmt) != macroMissing:
	default:
		p.prepare()
		if !p.writable() {
			p.errorAt(stmt, "code in a section without contents")
			return
		}
		p.instruction(stmt, stmt+len(name))
	}
}

// labelName reads the name at the start of a statement: digits or a scoped
// name.
func (p *parser) labelName() []byte {
	if !isDigit(p.byteAt(p.pos)) {
		return p.scopedName()
	}
	start := p.pos
	for p.pos < p.end && isDigit(p.src[p.pos]) {
		p.pos++
	}
	return p.src[start:p.pos]
}
