package asmcore

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// symKind is the kind of a symbol's definition.
type symKind uint8

const (
	symUndefined symKind = iota
	symLabel             // a location in a section
	symVariable          // an expression
	symCommon            // storage that the linker allocates
)

// A Symbol is a name and its definition.
type Symbol struct {
	Name string

	kind        symKind
	temp        bool // local to the assembler: no entry in the symbol table unless a relocation needs one
	anonymous   bool // has no explicit name (., 1:)
	bindingSet  bool
	registered  bool // in symbols.order
	redefine    bool // a variable defined by .set or =, which may be redefined
	usedInReloc bool
	weakref     bool // the alias of a .weakref
	shadowed    bool // a redefinition has replaced it
	signature   bool // names a section group
	Binding     codeobject.SymBind
	Type        codeobject.SymType
	Visibility  codeobject.SymVis
	Other       uint8 // bits of st_other above the visibility

	// Section, if nonzero, is the section index of a symbol that is not a
	// location in a section: one of the machine's own.
	Section codeobject.SectionIndex

	index     uint32 // in symbols.all
	stream    *stream
	frag      int   // fragments of the stream before the label
	off       int64 // bytes of the stream before the label; size of a common symbol
	align     int64 // of a common symbol, bytes
	value     Value // of a variable
	size      Value // of .size
	hasSize   bool
	sizePos   place
	defPos    place
	sectionOf *Section // for a section symbol, its section
	visiting  bool     // being evaluated; visiting it again means that it depends on itself
	elfIndex  uint32
}

// IsDefined reports whether the symbol is defined.
func (s *Symbol) IsDefined() bool { return s.kind != symUndefined }

// IsLabel reports whether the symbol is a location in a section.
func (s *Symbol) IsLabel() bool { return s.kind == symLabel }

// IsVariable reports whether the symbol is defined by an expression.
func (s *Symbol) IsVariable() bool { return s.kind == symVariable }

// symbols is the symbol table of a Parser.
type symbols struct {
	byName map[string]*Symbol
	all    []*Symbol
	chunk  []Symbol  // unused ones
	order  []*Symbol // in order of registration

	ltoDiscard  map[string]bool
	symvers     []symver
	weakrefs    []*Symbol
	addrsig     bool
	addrsigSyms []*Symbol
	relocs      []relocDirective
	renames     map[*Symbol]*Symbol // by .symver
	seenIdent   bool

	numeric  map[int64]*numericLabels
	nextTemp uint32 // number of the next .Ltmp name
}

// numericLabels holds the symbols of the labels N: for one number N.
type numericLabels struct {
	last *Symbol // the latest one defined
	next *Symbol // target of the pending Nf references, nil if there are none
	used place   // where next was first referred to
}

const chunkSize = 128

func (p *Parser) initSymbols() {
	p.byName = make(map[string]*Symbol)
	p.all = make([]*Symbol, 1, chunkSize)
}

func (p *Parser) newSymbol(name string) *Symbol {
	if len(p.chunk) == 0 {
		p.chunk = make([]Symbol, chunkSize)
	}
	s := &p.chunk[0]
	p.chunk = p.chunk[1:]
	s.Name = name
	s.index = uint32(len(p.all))
	p.all = append(p.all, s)
	return s
}

// symbol returns the symbol of a name. It creates an undefined one if
// necessary.
func (p *Parser) symbol(name []byte) *Symbol {
	if s, ok := p.byName[string(name)]; ok {
		return s
	}
	s := p.newSymbol(string(name))
	s.temp = len(name) >= 2 && name[0] == '.' && name[1] == 'L'
	p.byName[s.Name] = s
	return s
}

// Symbol returns the symbol of a name. It creates an undefined one if
// necessary.
func (p *Parser) Symbol(name string) *Symbol { return p.symbol([]byte(name)) }

// Lookup returns the symbol of a name, or nil.
func (p *Parser) Lookup(name []byte) *Symbol { return p.byName[string(name)] }

// newTemp returns a new symbol without a name.
func (p *Parser) newTemp() *Symbol {
	s := p.newSymbol("")
	s.temp, s.anonymous = true, true
	return s
}

// NameOf returns a symbol's name. It assigns a .Ltmp name to a symbol without
// one.
func (p *Parser) NameOf(s *Symbol) string {
	for s.Name == "" {
		name := ".Ltmp" + strconv.Itoa(int(p.nextTemp))
		p.nextTemp++
		if _, taken := p.byName[name]; !taken {
			s.Name = name
			p.byName[name] = s
		}
	}
	return s.Name
}

// Register adds a symbol to the object. The order of registration is the order
// of the symbol table.
func (p *Parser) Register(s *Symbol) {
	if !s.registered {
		s.registered = true
		p.order = append(p.order, s)
	}
}

// registerExpr registers the symbols of an expression, from left to right.
func (p *Parser) registerExpr(i Node) {
	if i == 0 {
		return
	}
	switch n := p.nodes[i]; n.op {
	case opConst:
	case opSym:
		p.Register(p.all[n.a])
	default:
		p.registerExpr(n.a)
		p.registerExpr(n.b)
	}
}

// placeLabel makes a symbol a label at the current location.
func (p *Parser) placeLabel(s *Symbol) {
	s.kind = symLabel
	s.stream = p.cur
	s.frag = len(p.cur.frags)
	s.off = int64(len(p.cur.data))
}

// MayDefine reports whether a symbol may be defined: it is undefined, or a
// variable that may be redefined.
func (p *Parser) MayDefine(s *Symbol) bool {
	return s.kind == symUndefined || s.kind == symVariable && s.redefine
}

// DefineLabel makes a symbol a label at the current location. Errors refer to
// Src[start:end].
func (p *Parser) DefineLabel(s *Symbol, start, end int) bool {
	if s.kind == symVariable && s.redefine {
		s.kind, s.redefine = symUndefined, false
	}
	if s.kind != symUndefined {
		p.Errorf(start, end, "symbol '%s' is already defined", s.Name)
		return false
	}
	p.dialect.Label(p, s)
	s.defPos = p.at(start)
	p.placeLabel(s)
	p.Register(s)
	if p.list.on {
		p.listLabel(s)
	}
	return true
}

// SetVariable defines a symbol by an expression.
func (p *Parser) SetVariable(s *Symbol, v Value) {
	s.kind, s.value, s.redefine = symVariable, v, true
}

// defineVariable defines a symbol of Options.Defines.
func (p *Parser) defineVariable(name string, c int64) {
	s := p.Symbol(name)
	p.SetVariable(s, Value{Const: c})
	p.Register(s)
	if p.list.on {
		p.listSet(s, s.value, false)
	}
}

// numericOf returns the entry of numeric labels of one number.
func (p *Parser) numericOf(n int64) *numericLabels {
	if p.numeric == nil {
		p.numeric = make(map[int64]*numericLabels)
	}
	e := p.numeric[n]
	if e == nil {
		e = new(numericLabels)
		p.numeric[n] = e
	}
	return e
}

// numericLabelRef returns the symbol of Nb or Nf, nil for an undefined Nb.
func (p *Parser) numericLabelRef(n int64, back bool, start int) *Symbol {
	e := p.numericOf(n)
	if back {
		return e.last
	}
	if e.next == nil {
		e.next = p.newTemp()
		e.used = p.at(start)
	}
	return e.next
}

// defineNumeric defines the label N: at the current location.
func (p *Parser) defineNumeric(n int64) {
	e := p.numericOf(n)
	s := e.next
	if s == nil {
		s = p.newTemp()
	}
	e.last, e.next = s, nil
	p.dialect.Label(p, s)
	p.placeLabel(s)
	if p.list.on {
		p.listLabel(s)
	}
}
