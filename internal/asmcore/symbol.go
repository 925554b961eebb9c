package asmcore

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// symKind says what a symbol stands for.
type symKind uint8

const (
	symUndefined symKind = iota
	symLabel             // a place in a section
	symVariable          // an expression
	symCommon            // storage that the linker allocates
)

// A Symbol is a name and what it stands for.
type Symbol struct {
	Name string

	kind        symKind
	temp        bool // local to the assembler: no entry in the symbol table unless a relocation needs one
	anonymous   bool // has no name of its own (., 1:)
	bindingSet  bool
	registered  bool // in symbols.order
	redefine    bool // a variable made by .set or =, which may be set again
	usedInReloc bool
	weakref     bool // the alias of a .weakref
	shadowed    bool // a redefinition has taken its name
	signature   bool // names a section group
	Binding     codeobject.SymBind
	Type        codeobject.SymType
	Visibility  codeobject.SymVis
	Other       uint8 // bits of st_other above the visibility

	// Section, when it is not 0, is the section index the symbol has although it
	// has no place in a section: SHN_AMDGPU_LDS …
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
	sectionOf *Section // the section whose symbol it is
	visiting  bool     // being evaluated: it is defined by itself when it is met again
	elfIndex  uint32
}

// IsDefined reports whether the symbol has a value or place.
func (s *Symbol) IsDefined() bool { return s.kind != symUndefined }

// IsLabel reports whether the symbol is a place in a section.
func (s *Symbol) IsLabel() bool { return s.kind == symLabel }

// IsVariable reports whether the symbol stands for an expression.
func (s *Symbol) IsVariable() bool { return s.kind == symVariable }

// symbols is the symbol table of a Parser.
type symbols struct {
	byName map[string]*Symbol
	all    []*Symbol
	chunk  []Symbol  // not yet used
	order  []*Symbol // in the order in which they came to the object's notice

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

// numericLabels are the symbols of the labels N: of one number N.
type numericLabels struct {
	last *Symbol // the latest one defined
	next *Symbol // the one that Nf refers to, nil when none has been referred to
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

// symbol gives the symbol of a name, made when there is none yet.
func (p *Parser) symbol(name []byte) *Symbol {
	if s, ok := p.byName[string(name)]; ok {
		return s
	}
	s := p.newSymbol(string(name))
	s.temp = len(name) >= 2 && name[0] == '.' && name[1] == 'L'
	p.byName[s.Name] = s
	return s
}

// Symbol gives the symbol of a name, made undefined when there is none yet.
func (p *Parser) Symbol(name string) *Symbol { return p.symbol([]byte(name)) }

// Lookup gives the symbol of a name, nil when there is none.
func (p *Parser) Lookup(name []byte) *Symbol { return p.byName[string(name)] }

// newTemp makes a symbol without a name.
func (p *Parser) newTemp() *Symbol {
	s := p.newSymbol("")
	s.temp, s.anonymous = true, true
	return s
}

// NameOf gives a symbol's name; one without gets a .Ltmp name now.
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

// Register makes a symbol known to the object: the symbol table's order is that
// in which symbols were registered.
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

// place makes a symbol a label at the present place.
func (p *Parser) place(s *Symbol) {
	s.kind = symLabel
	s.stream = p.cur
	s.frag = len(p.cur.frags)
	s.off = int64(len(p.cur.data))
}

// MayDefine reports whether a symbol may be given a place: it is undefined, or a
// variable that may be set again.
func (p *Parser) MayDefine(s *Symbol) bool {
	return s.kind == symUndefined || s.kind == symVariable && s.redefine
}

// DefineLabel makes a symbol a label at the present place. An error about it
// points at Src[start:end].
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
	p.place(s)
	p.Register(s)
	if p.list.on {
		p.listLabel(s)
	}
	return true
}

// SetVariable makes a symbol stand for an expression.
func (p *Parser) SetVariable(s *Symbol, v Value) {
	s.kind, s.value, s.redefine = symVariable, v, true
}

// defineVariable sets a symbol from outside.
func (p *Parser) defineVariable(name string, c int64) {
	s := p.Symbol(name)
	p.SetVariable(s, Value{Const: c})
	p.Register(s)
	if p.list.on {
		p.listSet(s, s.value, false)
	}
}

// numericOf gives the entry of numeric labels of one number.
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

// numericLabelRef gives the symbol of Nb or Nf, nil for an Nb that is not there.
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

// defineNumeric defines the label N: at the present place.
func (p *Parser) defineNumeric(n int64) {
	e := p.numericOf(n)
	s := e.next
	if s == nil {
		s = p.newTemp()
	}
	e.last, e.next = s, nil
	p.dialect.Label(p, s)
	p.place(s)
	if p.list.on {
		p.listLabel(s)
	}
}
