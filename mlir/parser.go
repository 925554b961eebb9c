package mlir

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/gfx-toolchain/gfx/diag"
)

// Limits of a text. MLIR has the first two as well.
const (
	maxDepth = 1000          // of nested regions, types and attributes
	maxText  = math.MaxInt32 // bytes
	maxPack  = 1 << 20       // results of an operation

	maxDigits   = 1 << 16 // of a number
	maxSpelling = 256     // bytes of a type that is found by its text
)

// Limits of the size to which a text can expand, in bytes: for each byte of the text, and for
// any text.
const (
	// Spellings of types and attributes. An alias is spelled out where it is used,
	// and nested ones in all that are around them.
	maxSpelled, maxAnySpelled = 64, 64 << 20
	// Dense elements, which integers of many bits may fill with few digits.
	maxRaw, maxAnyRaw = 16, 16 << 20
)

// spell counts the spelling of a type or attribute that has been read, or whose
// alias is used.
func (p *Parser) spell(text string) error {
	p.spelled += len(text)
	if most := maxAnySpelled + maxSpelled*len(p.text); p.spelled > most {
		return p.PlainErrorf(p.tok.start, "types and attributes expand to more than %d bytes", most)
	}
	return nil
}

// errReported is returned when a diagnostic has been recorded.
var errReported = errors.New("mlir: the text has errors")

// A Parser reads one text. Hooks of dialects use its methods; each returns an
// error once it has recorded a diagnostic, and hooks pass it on.
type Parser struct {
	Context *Context

	src     *diag.Source
	text    string
	tok     token
	lastEnd int32
	diags   diag.List
	depth   int
	spelled int    // bytes of types and attributes, see spell
	opName  string // of the operation whose custom form is read, for diagnostics

	attrAliases map[string]*Attr
	typeAliases map[string]*Type
	spellings   map[string]*Type // types by their text, once read
	recent      [64]spelling     // some of them, see knownType
	typeRoom    []*Type          // of function types that are being read
	scopes      []*nameScope
	freeScopes  []*nameScope // not in use
	dialects    []string     // default dialects
	blocks      []*blockScope
	locUses     []locUse // operations whose locations are aliases defined later
	alloc       arena
	later       *bodies        // read after the rest of the text, or nil
	formats     []*FormatState // not in use
	states      []*parsedState // not in use
}

type locUse struct {
	op    *Op
	value *Value
	name  string
	pos   int32
}

// An arena allocates the parts of operations in larger pieces. Its zero value is ready for use.
type arena struct {
	ops    slabs[Op]
	values slabs[Value]
	uses   slabs[Use]
	refs   slabs[*Use]
	vals   slabs[*Value]
	attrs  slabs[NamedAttr]
	reused bool // reset will be called
	tables bool // an operation is a symbol table, which the context may know
}

// reset lets a reused arena use its memory again. The operations so far are not in use
// any more.
func (a *arena) reset() {
	if a.tables {
		*a = arena{reused: true}
		return
	}
	a.ops.reset()
	a.values.reset()
	a.uses.reset()
	a.refs.reset()
	a.vals.reset()
	a.attrs.reset()
}

// slabs are pieces of memory for elements of one type.
type slabs[T any] struct {
	free []T   // the rest of the current piece
	all  [][]T // the pieces, if they are reused
	next int   // in all, of the piece after the current one
}

// take returns n elements, whose values are arbitrary, in pieces of chunk elements.
func (s *slabs[T]) take(n, chunk int, reused bool) []T {
	switch {
	case n <= len(s.free):
	case n > chunk:
		return make([]T, n)
	case !reused:
		s.free = make([]T, chunk)
	default:
		if s.next == len(s.all) {
			s.all = append(s.all, make([]T, chunk))
		}
		s.free = s.all[s.next]
		s.next++
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

func (s *slabs[T]) reset() { s.free, s.next = nil, 0 }

const slab = 512

// Parse reads a module. The top is an operation builtin.module, which is added
// unless the text consists of one. The error is a diag.List; its messages are
// worded as MLIR's. The text must not be changed afterwards: attributes, names and
// diagnostics refer to it.
func (c *Context) Parse(name string, text []byte) (*Op, error) {
	return newParser(c, &diag.Source{Name: name, Text: text}).parse()
}

func (p *Parser) parse() (*Op, error) {
	if len(p.text) > maxText-16 {
		p.report(0, "the text is larger than 2 GiB")
		return nil, p.diags
	}
	p.Context.resources = nil
	if p.Context.isLarge(len(p.text) - int(p.tok.end)) {
		if top := p.parseDivided(); top != nil {
			p.Context.source, p.Context.lines = p.src, nil
			return top, nil
		}
	}
	top, err := p.parseTop()
	if err != nil && !p.diags.HasErrors() {
		return nil, err
	}
	if p.diags.HasErrors() {
		return nil, p.diags
	}
	p.Context.source, p.Context.lines = p.src, nil
	return top, nil
}

func newParser(c *Context, src *diag.Source) *Parser {
	return &Parser{Context: c, src: src, text: unsafe.String(unsafe.SliceData(src.Text), len(src.Text)),
		attrAliases: map[string]*Attr{}, typeAliases: map[string]*Type{}, spellings: map[string]*Type{},
		dialects: []string{"builtin"}}
}

// report records an error at an offset.
func (p *Parser) report(pos int32, message string) {
	p.diags.Errorf(p.src, int(pos), int(pos), "%s", message)
}

// Errorf records an error at a position of the text and returns it.
func (p *Parser) Errorf(pos int32, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if p.opName != "" {
		message = "custom op '" + p.opName + "' " + message
	}
	p.report(pos, message)
	return errReported
}

// PlainErrorf is Errorf without the name of an operation.
func (p *Parser) PlainErrorf(pos int32, format string, args ...any) error {
	p.report(pos, fmt.Sprintf(format, args...))
	return errReported
}

// wrongToken records an error about the current token. As in MLIR, its position
// is the end of the token before.
func (p *Parser) wrongToken(message string) error {
	if p.tok.kind == tokError {
		return errReported
	}
	pos := p.lastEnd
	if pos == 0 {
		pos = p.tok.start
	}
	return p.PlainErrorf(pos, "%s", message)
}

// wrongHere records an error at the current token.
func (p *Parser) wrongHere(message string) error {
	if p.tok.kind == tokError {
		return errReported
	}
	pos := p.tok.start
	if p.tok.kind == tokEOF && pos > 0 {
		pos--
	}
	return p.PlainErrorf(pos, "%s", message)
}

// Pos returns the position of the current token.
func (p *Parser) Pos() int32 { return p.tok.start }

func (p *Parser) tokText() string { return p.text[p.tok.start:p.tok.end] }

func (p *Parser) isPunct(b byte) bool {
	return p.tok.kind == tokPunct && p.text[p.tok.start] == b
}

// optionalPunct skips a punctuation mark if it is there.
func (p *Parser) optionalPunct(b byte) bool {
	if !p.isPunct(b) {
		return false
	}
	p.next()
	return true
}

// punct skips a punctuation mark.
func (p *Parser) punct(b byte) error { return p.punctAs(b, "") }

// punctAs skips a punctuation mark. An error about another token ends with more.
func (p *Parser) punctAs(b byte, more string) error {
	if p.optionalPunct(b) {
		return nil
	}
	return p.wrongToken("expected '" + string(rune(b)) + "'" + more)
}

func (p *Parser) isKeyword(word string) bool {
	return p.tok.kind == tokBare && p.tokText() == word
}

// OptionalLiteral skips a keyword or punctuation if it is there.
func (p *Parser) OptionalLiteral(s string) bool {
	if !p.isLiteral(s) {
		return false
	}
	p.next()
	return true
}

// AtInteger reports whether an integer follows.
func (p *Parser) AtInteger() bool { return p.tok.kind == tokInt }

// AtLiteral reports whether a keyword or punctuation follows.
func (p *Parser) AtLiteral(s string) bool { return p.isLiteral(s) }

func (p *Parser) isLiteral(s string) bool {
	switch p.tok.kind {
	case tokBare, tokPunct, tokArrow, tokColons, tokEllipsis:
		return p.tokText() == s
	}
	return false
}

// Literal skips a keyword or punctuation.
func (p *Parser) Literal(s string) error {
	if p.OptionalLiteral(s) {
		return nil
	}
	if byteClass[s[0]]&letterByte != 0 {
		if p.tok.kind == tokError {
			return errReported
		}
		return p.Errorf(p.tok.start, "expected '%s'", s)
	}
	return p.wrongToken("expected '" + s + "'")
}

// Keyword reads a keyword.
func (p *Parser) Keyword() (string, error) {
	if p.tok.kind != tokBare {
		if p.tok.kind == tokError {
			return "", errReported
		}
		return "", p.Errorf(p.tok.start, "expected valid keyword")
	}
	s := p.tokText()
	p.next()
	return s, nil
}

// keywordOrString reads a keyword or a string in quotes.
func (p *Parser) keywordOrString() (string, bool) {
	switch p.tok.kind {
	case tokBare:
		s := p.tokText()
		p.next()
		return s, true
	case tokString:
		s := unquoted(p.tokText())
		p.next()
		return s, true
	}
	return "", false
}

// enter counts a level of nesting, which leave must undo.
func (p *Parser) enter() error {
	p.depth++
	if p.depth > maxDepth {
		return p.PlainErrorf(p.tok.start, "nesting is deeper than %d levels", maxDepth)
	}
	return nil
}

func (p *Parser) leave() { p.depth-- }

// closing are the brackets that close others.
var closing = [256]byte{'(': ')', '[': ']', '{': '}', '<': '>'}

// CommaList calls f for each element of a list in brackets, or without them if
// open is 0.
func (p *Parser) CommaList(open byte, f func() error) error { return p.commaListIn(open, "", f) }

// commaListIn is CommaList for a list that errors about its brackets name.
func (p *Parser) commaListIn(open byte, where string, f func() error) error {
	if open != 0 {
		if err := p.punctAs(open, where); err != nil {
			return err
		}
	}
	if open != 0 && p.optionalPunct(closing[open]) {
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		if !p.optionalPunct(',') {
			break
		}
	}
	if open == 0 {
		return nil
	}
	return p.punctAs(closing[open], where)
}

// integer reads the digits of an integer token that fits into 64 bits.
func (p *Parser) uint64() (uint64, error) {
	v, err := strconv.ParseUint(p.tokText(), 0, 64)
	if err != nil {
		return 0, p.PlainErrorf(p.tok.start, "integer value too large")
	}
	p.next()
	return v, nil
}

// Integer reads a decimal or hexadecimal integer with an optional minus.
func (p *Parser) Integer() (int64, error) {
	negative := p.optionalPunct('-')
	if p.tok.kind != tokInt {
		if p.tok.kind == tokError {
			return 0, errReported
		}
		return 0, p.Errorf(p.tok.start, "expected integer value")
	}
	v, err := p.uint64()
	if negative {
		return -int64(v), err
	}
	return int64(v), err
}

// parseTop reads aliases, operations and file metadata up to the end.
func (p *Parser) parseTop() (*Op, error) {
	p.next()
	top := &Op{Name: "builtin.module", Regions: []*Region{{}}}
	top.Def = p.Context.OpDef(top.Name)
	top.Regions[0].Parent = top
	body := top.Regions[0].AddBlock()
	p.pushScope(true)
	for {
		switch p.tok.kind {
		case tokEOF:
			return p.finishTop(top, body)
		case tokError:
			return nil, errReported
		case tokHash:
			if err := p.attrAliasDef(); err != nil {
				return nil, err
			}
		case tokBang:
			if err := p.typeAliasDef(); err != nil {
				return nil, err
			}
		case tokFileBegin:
			if err := p.fileMetadata(); err != nil {
				return nil, err
			}
		default:
			o, err := p.operation()
			if err != nil {
				return nil, err
			}
			body.Append(o)
		}
	}
}

func (p *Parser) finishTop(top *Op, body *Block) (*Op, error) {
	if err := p.popScope(); err != nil {
		return nil, err
	}
	if err := p.laterBodies(top); err != nil {
		return nil, err
	}
	for _, u := range p.locUses {
		a := p.attrAliases[u.name]
		if a == nil || a.Kind != LocationAttr {
			return nil, p.PlainErrorf(u.pos, "operation location alias was never defined")
		}
		if u.value != nil {
			u.value.loc = a
		} else {
			u.op.loc = a
		}
	}
	if o := top.unwrapped(); o != top {
		o.Unlink()
		return o, nil
	}
	// This location has an alias only where locations are printed.
	aliased := p.Context.hasAliased.Load()
	top.loc = p.Context.LocationAttr(Location{Kind: FileLoc, Name: p.src.Name})
	p.Context.hasAliased.Store(aliased)
	return top, nil
}

// attrAliasDef reads "#name = attribute".
func (p *Parser) attrAliasDef() error {
	name := p.text[p.tok.start+1 : p.tok.end]
	p.later.defineAlias()
	if p.attrAliases[name] != nil {
		return p.PlainErrorf(p.tok.start, "redefinition of attribute alias id '%s'", name)
	}
	for i := range len(name) {
		if name[i] == '.' {
			return p.PlainErrorf(p.tok.start, "attribute names with a '.' are reserved for dialect-defined names")
		}
	}
	p.next()
	if err := p.punctAs('=', " in attribute alias definition"); err != nil {
		return err
	}
	a, err := p.Attr()
	p.attrAliases[name] = a
	return err
}

// typeAliasDef reads "!name = type".
func (p *Parser) typeAliasDef() error {
	pos, name := p.tok.start, p.text[p.tok.start+1:p.tok.end]
	p.later.defineAlias()
	if p.typeAliases[name] != nil {
		return p.PlainErrorf(pos, "redefinition of type alias id '%s'", name)
	}
	for i := range len(name) {
		if name[i] == '.' {
			return p.PlainErrorf(pos, "type names with a '.' are reserved for dialect-defined names")
		}
	}
	p.next()
	if err := p.punctAs('=', " in type alias definition"); err != nil {
		return err
	}
	t, err := p.Type()
	p.typeAliases[name] = t
	return err
}
