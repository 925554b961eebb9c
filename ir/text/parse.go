package text

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxDepth limits the nesting of types, constants and metadata in the text.
const maxDepth = 1000

// Parse parses a module. If the list contains errors, the module is nil. The
// list may also contain warnings.
func Parse(name string, src []byte) (*ir.Module, diag.List) { return Read(name, src, Options{}) }

// Options holds the settings of Read.
type Options struct {
	// Guard, if not nil, is attached to the module. After Guard.Stop, Read
	// panics with [ir.Interrupted].
	Guard *ir.Guard
	// Places, if not nil, receives the source locations.
	Places *Places
}

// Read is like Parse, with options.
func Read(name string, src []byte, opt Options) (*ir.Module, diag.List) {
	wordsOnce.Do(buildTables)
	p := newParser(name, src, opt)
	readers := runtime.GOMAXPROCS(0)
	if opt.Places != nil || len(src) < minParallel || readers == 1 || !p.tryParallel(readers) {
		p = newParser(name, src, opt)
		p.module()
	}
	if p.list.HasErrors() {
		return nil, p.list
	}
	p.finish()
	if p.list.HasErrors() {
		return nil, p.list
	}
	return p.m, p.list
}

func newParser(name string, src []byte, opt Options) *parser {
	p := &parser{m: ir.NewModule(name), places: opt.Places}
	p.m.SetGuard(opt.Guard)
	p.lexer.src, p.file = src, &diag.Source{Name: name, Text: src}
	if p.places != nil {
		p.places.init(p.file)
	}
	p.init()
	return p
}

// buildTables fills the tables of the reader and the printer.
func buildTables() {
	dict.buildTable()
	buildInstrTable()
	buildPrintTable()
}

// parser parses a module.
type parser struct {
	lexer
	m    *ir.Module
	list diag.List

	places *Places // may be nil

	// pointee is the pointee type of the last parsed type if it was a typed
	// pointer.
	pointee ir.Type
	depth   int

	types     structTable
	globals   globalTable
	groups    map[uint64]*attrGroup
	merges    []groupMerge // indexed by group number
	md        mdTable
	comdats   map[string]*comdatRef
	def       funcDef // most recent header
	fn        function
	scratch   scratch
	ints      [64]knownInt
	layout    string // as written; applied before the first entity other than layout and triple
	layoutAt  [2]int // range of the layout
	layoutSet bool
	asm       []byte // module asm
	later     []func()
	words     uint64 // see useWords

	split      bool // first step of tryParallel: bodies are deferred
	bodies     []laterBody
	laterNames []laterArg // argument names of deferred bodies
	inBody     bool       // second step of tryParallel
}

// scratch holds slices that are reused.
type scratch struct {
	values []ir.Value
	types  []ir.Type
	attrs  []ir.Attr
	sets   []ir.AttrSet
	words  []uint32
	mds    []ir.Metadata

	callSets []ir.AttrSet
	groups   []*attrGroup
}

func (p *parser) init() {
	p.types.init()
	p.globals.init()
	p.groups = map[uint64]*attrGroup{}
	p.comdats = map[string]*comdatRef{}
	p.md.init()
}

// module parses the top-level entities up to the end of the text.
func (p *parser) module() {
	if !p.guard(p.scanToken) {
		p.recover()
	}
	for p.tok != tEOF || !p.layoutSet {
		p.m.Guard().Check()
		if !p.guard(p.entity) {
			p.recover()
		}
	}
	p.m.ModuleAsm = string(p.asm)
}

// guard runs f and records its syntax error. It reports whether f succeeded.
func (p *parser) guard(f func()) (ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *syntaxError:
			p.list.Errorf(p.file, r.off, max(r.end, r.off), "%s", r.message)
			ok = false
		case interface{ LimitError() string }:
			p.list.Errorf(p.file, p.from, p.end, "%s", r.LimitError())
			ok = false
		default:
			panic(r)
		}
	}()
	f()
	return true
}

// recover skips to the next line that starts a top-level entity, after an
// error.
func (p *parser) recover() {
	p.fn.leave()
	p.depth = 0
	for {
		at := bytes.IndexByte(p.src[p.pos:], '\n')
		if at < 0 {
			p.pos = len(p.src)
		} else {
			p.pos += at + 1
		}
		if p.pos >= len(p.src) || startsEntity(p.src[p.pos:]) {
			break
		}
	}
	if !p.guard(p.scanToken) {
		p.pos = len(p.src)
		p.tok = tEOF
	}
}

// startsEntity reports whether a line starts a top-level entity. Instructions
// are indented, and labels do not start like an entity.
func startsEntity(line []byte) bool {
	switch line[0] {
	case '@', '%', '!', '$', '^':
		return true
	}
	for _, w := range [...]string{"define", "declare", "attributes", "target ", "source_filename", "module "} {
		if bytes.HasPrefix(line, []byte(w)) {
			return true
		}
	}
	return false
}

// fail ends the current top-level entity with an error at the current token. It
// appends the token found to messages about an expected or unknown token.
func (p *parser) fail(format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	if strings.HasPrefix(format, "expected ") || strings.HasPrefix(format, "unknown ") {
		format += ", found " + p.found()
	}
	failAt(p.from, p.end, "%s", format)
}

// found returns a description of the current token for messages.
func (p *parser) found() string {
	const most = 30 // characters
	if p.tok == tEOF {
		return "the end of the file"
	}
	s := p.src[p.from:max(p.pos, p.from)]
	if len(s) > most {
		return "'" + string(s[:most]) + "…'"
	}
	return "'" + string(s) + "'"
}

// expect parses a token of kind t.
func (p *parser) expect(t token, message string) {
	if p.tok != t {
		p.fail("%s", message)
	}
	p.scanToken()
}

// accept parses a token of kind t if it is the current one.
func (p *parser) accept(t token) bool {
	if p.tok == t {
		p.scanToken()
		return true
	}
	return false
}

// isWord reports whether the current token is the keyword k.
func (p *parser) isWord(k keyword) bool { return p.tok == tWord && p.kw == k }

// acceptWord parses the keyword k if it is the current token.
func (p *parser) acceptWord(k keyword) bool {
	if p.tok == tWord && p.kw == k {
		p.scanToken()
		return true
	}
	return false
}

// expectWord parses the keyword k.
func (p *parser) expectWord(k keyword, message string) {
	if !p.acceptWord(k) {
		p.fail("%s", message)
	}
}

// str parses a string constant.
func (p *parser) str() []byte {
	if p.tok != tString {
		p.fail("expected string constant")
	}
	s := p.name()
	p.scanToken()
	return s
}

// enter counts a nesting level.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested more than %d levels deep", maxDepth)
	}
}

// uint32 parses a number that fits in 32 bits.
func (p *parser) uint32() uint32 {
	n := p.uint64()
	if n > 1<<32-1 {
		failAt(p.from, p.prevEnd, "expected 32-bit integer (too large)")
	}
	return uint32(n)
}

// uint64 parses a number that fits in 64 bits.
func (p *parser) uint64() uint64 {
	if p.tok != tInt || class[p.src[p.start]]&cDigit == 0 {
		p.fail("expected integer")
	}
	n := uint64(0)
	text := p.text()
	for len(text) > 0 && n < 1<<59 { // cannot overflow
		n = n*10 + uint64(text[0]-'0')
		text = text[1:]
	}
	for _, c := range text {
		d := uint64(c - '0')
		if n > (1<<64-1-d)/10 {
			p.fail("expected 64-bit integer (too large)")
		}
		n = n*10 + d
	}
	p.scanToken()
	return n
}

// entity parses one top-level entity.
func (p *parser) entity() {
	if !p.layoutSet && !p.isWord(kwTarget) && !p.isWord(kwSourceFilename) {
		p.layoutSet = true
		p.setLayout(p.layout)
	}
	switch p.tok {
	case tEOF:
	case tWord:
		p.topWord()
	case tGlobal, tGlobalID:
		p.globalDef()
	case tLocal, tLocalID:
		p.noBodiesBefore()
		p.typeDef()
	case tExclaim:
		p.nodeDef()
	case tMDName:
		p.namedMetadata()
	case tComdat:
		p.comdatDef()
	case tSummary:
		p.summary()
	default:
		p.fail("expected top-level entity")
	}
}

func (p *parser) topWord() {
	switch p.kw {
	case kwDefine:
		p.scanToken()
		p.define()
	case kwDeclare:
		p.scanToken()
		p.declare()
	case kwAttributes:
		p.scanToken()
		p.attributes()
	case kwTarget:
		p.noBodiesBefore()
		p.atBegin()
		p.scanToken()
		p.target()
	case kwSourceFilename:
		p.atBegin()
		p.scanToken()
		p.expect(tEqual, "expected '=' after source_filename")
		p.m.SourceFile = string(p.str())
	case kwModule:
		p.scanToken()
		p.expectWord(kwAsm, "expected 'module asm'")
		p.moduleAsm(p.str())
	case kwUseListOrder, kwUseListOrderBB:
		p.useListOrder()
	default:
		p.fail("expected top-level entity")
	}
}

// atBegin rejects a declaration that must precede all other entities.
func (p *parser) atBegin() {
	if p.layoutSet {
		p.fail("expected top-level entity: it must precede all other entities")
	}
}

// moduleAsm adds a line of assembly.
func (p *parser) moduleAsm(line []byte) {
	p.asm = append(p.asm, line...)
	if len(p.asm) > 0 && p.asm[len(p.asm)-1] != '\n' {
		p.asm = append(p.asm, '\n')
	}
}

// target parses target triple and target datalayout.
func (p *parser) target() {
	k := p.kw
	switch {
	case p.tok != tWord || k != kwTriple && k != kwDataLayout:
		p.fail("unknown target property")
	case k == kwTriple:
		p.scanToken()
		p.expect(tEqual, "expected '=' after target triple")
		p.m.Triple = string(p.str())
	default:
		p.scanToken()
		p.expect(tEqual, "expected '=' after target datalayout")
		p.layoutAt = [2]int{p.from, p.end}
		p.layout, p.layoutSet = string(p.str()), false
	}
}

// useListOrder skips a use-list order, which has no semantics.
func (p *parser) useListOrder() {
	for p.tok != tLBrace && p.tok != tEOF {
		p.scanToken()
	}
	p.expect(tLBrace, "expected '{' here")
	for p.tok == tInt || p.tok == tComma {
		p.scanToken()
	}
	p.expect(tRBrace, "expected '}' here")
}

// summary skips a summary entry, which is not part of a module.
func (p *parser) summary() {
	p.scanToken()
	p.expect(tEqual, "expected '=' here")
	for p.tok == tWord || p.tok == tLabel || p.tok == tInt {
		p.scanToken()
	}
	if p.tok != tLParen {
		return
	}
	for level := 0; ; {
		switch p.tok {
		case tLParen:
			level++
		case tRParen:
			level--
		case tEOF:
			p.fail("found end of file when parsing summary entry")
		}
		p.scanToken()
		if level == 0 {
			return
		}
	}
}
