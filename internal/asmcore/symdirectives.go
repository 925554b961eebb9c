package asmcore

import (
	"bytes"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// attributes that directives set
const (
	attrGlobal = iota
	attrWeak
	attrLocal
	attrHidden
	attrInternal
	attrProtected
)

// dirAttribute handles .globl, .weak, .local, .hidden … with a list of symbols.
func dirAttribute(p *Parser, d *directive, start int) {
	p.many(func() bool {
		p.SkipSpace()
		at := p.Pos
		name := p.needName()
		if name == nil {
			return false
		}
		if p.discarded(name) {
			return true
		}
		s := p.symbol(name)
		if s.temp && d.arg == attrGlobal {
			p.Errorf(at, p.Pos, "non-local symbol required, '%s' is local to the assembler", printable(name))
			return false
		}
		p.Register(s)
		p.setAttribute(s, d.arg, start)
		if p.list.on {
			name := d.name
			if name == ".global" {
				name = ".globl"
			}
			p.listSymbolDirective(name, s)
		}
		return true
	})
}

// setAttribute sets an attribute of a symbol.
func (p *Parser) setAttribute(s *Symbol, attr int64, start int) {
	switch attr {
	case attrGlobal:
		if s.bindingSet && s.Binding != codeobject.STB_GLOBAL {
			p.errorAt(p.at(start), "%s changed binding to STB_GLOBAL", s.Name)
		}
		s.setBinding(codeobject.STB_GLOBAL)
	case attrWeak:
		if s.bindingSet && s.Binding != codeobject.STB_WEAK {
			p.Warnf(start, start+1, "%s changed binding to STB_WEAK", s.Name)
		}
		s.setBinding(codeobject.STB_WEAK)
	case attrLocal:
		if s.bindingSet && s.Binding != codeobject.STB_LOCAL {
			p.errorAt(p.at(start), "%s changed binding to STB_LOCAL", s.Name)
		}
		s.setBinding(codeobject.STB_LOCAL)
	case attrHidden:
		s.Visibility = codeobject.STV_HIDDEN
	case attrInternal:
		s.Visibility = codeobject.STV_INTERNAL
	case attrProtected:
		s.Visibility = codeobject.STV_PROTECTED
	}
}

func (s *Symbol) setBinding(b codeobject.SymBind) { s.Binding, s.bindingSet = b, true }

// SetBinding sets a symbol's binding, like .globl, .weak and .local.
func (s *Symbol) SetBinding(b codeobject.SymBind) { s.setBinding(b) }

// dirSymbolNoEffect handles attributes without effect in an ELF object except
// that they register their symbols: .no_dead_strip, .memtag. It rejects .cold.
func dirSymbolNoEffect(p *Parser, d *directive, start int) {
	p.many(func() bool {
		p.SkipSpace()
		at := p.Pos
		name := p.needName()
		if name == nil {
			return false
		}
		if d.name == ".cold" {
			if !p.list.on {
				p.Errorf(at, p.Pos, "unable to emit symbol attribute: '.cold' is not supported in ELF objects")
			}
			return p.list.on
		}
		s := p.symbol(name)
		p.Register(s)
		if p.list.on && d.name == ".no_dead_strip" {
			p.listSymbolDirective(d.name, s)
		}
		return true
	})
}

// discarded reports whether .lto_discard lists a symbol.
func (p *Parser) discarded(name []byte) bool {
	return len(p.ltoDiscard) > 0 && p.ltoDiscard[string(name)]
}

// dirLTODiscard handles .lto_discard. From here on, definitions and attributes
// of the listed symbols are ignored.
func dirLTODiscard(p *Parser, d *directive, start int) {
	p.ltoDiscard = make(map[string]bool)
	p.many(func() bool {
		name := p.needName()
		if name != nil {
			p.ltoDiscard[string(name)] = true
		}
		return name != nil
	})
}

// kinds of assignment
const (
	assignEqual = iota // name = value
	assignSet          // .set, .equ
	assignEquiv        // .equiv: neither redefines a symbol nor may be redefined
)

// dirSet handles .set, .equ and .equiv name, value.
func dirSet(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	var name []byte
	if !bytes.HasPrefix(p.Src[at:], []byte(".")) || p.class[p.Src[at+1]]&classIdent != 0 {
		name = p.Name()
	}
	if name == nil {
		if !p.stmtFailed {
			p.Errorf(p.Pos, p.Pos+1, "expected identifier, found %s", p.found())
		}
		return
	}
	end := p.Pos
	if p.needComma() {
		p.assignValue(name, at, end, d.arg)
	}
}

// assignValue reads the value of an assignment to the name at Src[start:end].
func (p *Parser) assignValue(name []byte, start, end int, kind int64) {
	p.SkipSpace()
	at := p.Pos
	v, ok := p.Expr()
	if !ok || !p.eol() {
		return
	}
	if string(name) == "." {
		p.org(v, 0, at)
		return
	}
	if p.discarded(name) {
		return
	}
	s := p.Lookup(name)
	redefinable := kind != assignEquiv
	switch {
	case s == nil:
		s = p.symbol(name)
	case s.kind == symUndefined:
	case !redefinable || !s.redefine:
		p.Errorf(at, p.Pos, "redefinition of '%s'", s.Name)
		return
	default:
		s = p.clone(s)
	}
	p.Register(s)
	p.registerExpr(v.Node)
	s.kind, s.value, s.redefine = symVariable, v, redefinable
	s.defPos = p.at(at)
	if p.list.on {
		p.listSet(s, v, kind != assignEqual)
	}
}

// clone replaces old by a new symbol of the same name for a redefinition. The
// attributes of old also apply to it. Expressions that were read before still
// refer to old.
func (p *Parser) clone(old *Symbol) *Symbol {
	s := p.newSymbol(old.Name)
	index := s.index
	*s = *old
	s.index, s.registered, s.usedInReloc = index, false, false
	old.shadowed = true
	p.byName[s.Name] = s
	return s
}

// dirSize handles .size name, expression.
func dirSize(p *Parser, d *directive, start int) {
	name := p.needName()
	if name == nil || !p.needComma() {
		return
	}
	p.SkipSpace()
	at := p.Pos
	v, ok := p.Expr()
	if !ok || !p.eol() {
		return
	}
	s := p.symbol(name)
	s.size, s.hasSize, s.sizePos = v, true, p.at(at)
	if p.list.on {
		p.listSize(s, v)
	}
}

// SetSize sets a symbol's size, like .size.
func (p *Parser) SetSize(s *Symbol, v Value) {
	s.size, s.hasSize, s.sizePos = v, true, p.at(p.Pos)
}

// symbolTypes lists the types that .type accepts.
var symbolTypes = [...]struct {
	upper, lower string
	typ          codeobject.SymType
}{
	{"STT_FUNC", "function", codeobject.STT_FUNC},
	{"STT_OBJECT", "object", codeobject.STT_OBJECT},
	{"STT_TLS", "tls_object", codeobject.STT_TLS},
	{"STT_COMMON", "common", codeobject.STT_OBJECT},
	{"STT_NOTYPE", "notype", codeobject.STT_NOTYPE},
	{"STT_GNU_IFUNC", "gnu_indirect_function", codeobject.STT_GNU_IFUNC},
	{"", "gnu_unique_object", codeobject.STT_OBJECT},
}

// dirType handles .type name, @type. The comma is optional, and @ may be %, #
// or a quoted string.
func dirType(p *Parser, d *directive, start int) {
	name := p.needName()
	if name == nil {
		return
	}
	p.Accept(',')
	switch c := p.Peek(); {
	case c == '@' || c == '%' || c == '#':
		p.Pos++
	case c != '"' && p.class[c]&classIdentStart == 0:
		p.Errorf(p.Pos, p.Pos+1, "expected STT_<TYPE_IN_UPPER_CASE>, '#<type>', '@<type>', '%%<type>' or \"<type>\", found %s", p.found())
		return
	}
	p.SkipSpace()
	at := p.Pos
	text := p.Name()
	for i := range symbolTypes {
		t := &symbolTypes[i]
		if text == nil || string(text) != t.lower && (t.upper == "" || string(text) != t.upper) {
			continue
		}
		if !p.eol() {
			return
		}
		s := p.symbol(name)
		p.Register(s)
		s.addType(t.typ)
		if t.lower == "gnu_unique_object" {
			s.setBinding(codeobject.STB_GNU_UNIQUE)
		}
		p.gnuSyms = p.gnuSyms || t.lower == "gnu_unique_object" || t.typ == codeobject.STT_GNU_IFUNC
		if p.list.on {
			p.listType(s, t.lower)
		}
		return
	}
	if text == nil {
		p.Errorf(at, at+1, "expected symbol type, found %s", p.found())
		return
	}
	p.Errorf(at, p.Pos, "unsupported attribute '%s'", printable(text))
}

// typeOrder lists the types in order of precedence: a later one replaces an
// earlier one.
var typeOrder = [...]codeobject.SymType{codeobject.STT_NOTYPE, codeobject.STT_OBJECT, codeobject.STT_FUNC,
	codeobject.STT_GNU_IFUNC, codeobject.STT_TLS}

// addType sets a symbol's type unless the current one is more specific.
func (s *Symbol) addType(t codeobject.SymType) {
	for _, o := range typeOrder {
		if s.Type == o {
			s.Type = t
			return
		}
		if t == o {
			return
		}
	}
	s.Type = t
}

// dirComm handles .comm and, with arg 1, .lcomm: name, size[, log2 of the
// alignment].
func dirComm(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	name := p.needName()
	if name == nil || !p.needComma() {
		return
	}
	p.SkipSpace()
	sizeAt := p.Pos
	size, ok := p.AbsExpr()
	if !ok {
		return
	}
	log2 := int64(0)
	if p.Accept(',') {
		p.SkipSpace()
		alignAt := p.Pos
		if log2, ok = p.AbsExpr(); !ok {
			return
		}
		if d.arg != 0 {
			p.Errorf(alignAt, p.Pos, "alignment not supported on this target")
			return
		}
		if log2 < 0 || log2 > 31 {
			p.Errorf(alignAt, p.Pos, "invalid alignment: expected its logarithm to the base 2, 0 to 31, found %d", log2)
			return
		}
	}
	if !p.eol() {
		return
	}
	if size < 0 {
		p.Errorf(sizeAt, sizeAt+1, "size must be non-negative")
		return
	}
	s := p.symbol(name)
	if s.kind != symUndefined {
		p.Errorf(at, at+len(name), "invalid symbol redefinition of '%s'", s.Name)
		return
	}
	p.Register(s)
	if d.arg != 0 {
		s.setBinding(codeobject.STB_LOCAL)
	}
	if p.list.on {
		p.listComm(s, size, log2, d.arg != 0)
	}
	p.common(s, size, 1<<log2)
}

// common makes a symbol common storage, or storage in .bss if it is local.
func (p *Parser) common(s *Symbol, size, align int64) {
	if !s.bindingSet {
		s.setBinding(codeobject.STB_GLOBAL)
	}
	s.Type = codeobject.STT_OBJECT
	s.size, s.hasSize, s.sizePos = Value{Const: size}, true, p.at(p.Pos)
	if s.Binding != codeobject.STB_LOCAL {
		s.kind, s.off, s.align = symCommon, size, align
		return
	}
	cur := p.cur
	p.switchQuietly(p.predefinedSection(".bss").subs[0])
	listing := p.list.on
	p.list.on = false
	p.emitAlign(align, 0, 1, 0, false, p.Pos)
	p.placeLabel(s)
	p.fill(Value{Const: size}, 1, 0, p.Pos)
	p.list.on = listing
	p.switchQuietly(cur)
}

// DefineCommon defines an undefined symbol as storage that the linker
// allocates, with a size and alignment in bytes, in a reserved section:
// SHN_COMMON or an index of the machine's own. It does not register the symbol
// (see Register).
func (p *Parser) DefineCommon(s *Symbol, size, align int64, section codeobject.SectionIndex) {
	if !s.bindingSet {
		s.setBinding(codeobject.STB_GLOBAL)
	}
	s.Type = codeobject.STT_OBJECT
	s.kind, s.off, s.align, s.Section = symCommon, size, align, section
	s.size, s.hasSize, s.sizePos = Value{Const: size}, true, p.at(p.Pos)
}

// symver is a .symver: a versioned alias of a symbol.
type symver struct {
	sym  *Symbol
	name string
	keep bool // the symbol itself stays in the table
	pos  place

	remove bool // ", remove" was written
}

// dirSymver handles .symver name, name@version[, remove].
func dirSymver(p *Parser, d *directive, start int) {
	name := p.needName()
	if name == nil || !p.needComma() {
		return
	}
	alias := p.needName()
	if alias == nil {
		return
	}
	if !bytes.Contains(alias, []byte("@")) {
		p.Errorf(p.Pos, p.Pos+1, "expected a '@' in the name")
		return
	}
	v := symver{sym: p.symbol(name), name: string(alias), keep: !bytes.Contains(alias, []byte("@@@")), pos: p.at(start)}
	if p.Accept(',') {
		p.SkipSpace()
		at := p.Pos
		if string(p.Name()) != "remove" {
			p.Errorf(at, at+1, "expected 'remove'")
			return
		}
		v.keep, v.remove = false, true
	}
	p.symvers = append(p.symvers, v)
	if p.list.on {
		p.listSymver(&v)
	}
}

// dirWeakref handles .weakref alias, target: uses of the alias are weak uses of
// the target.
func dirWeakref(p *Parser, d *directive, start int) {
	alias := p.needName()
	if alias == nil || !p.needComma() {
		return
	}
	target := p.needName()
	if target == nil {
		return
	}
	a, t := p.symbol(alias), p.symbol(target)
	if a.kind != symUndefined {
		p.Errorf(start, p.Pos, "redefinition of '%s'", a.Name)
		return
	}
	a.kind, a.value, a.weakref = symVariable, p.NewSym(t, 0), true
	p.weakrefs = append(p.weakrefs, a)
	if p.list.on {
		p.listWeakref(a, t)
	}
}

// dirIdent handles .ident "text", which adds a string to .comment.
func dirIdent(p *Parser, d *directive, start int) {
	s, e, ok := p.RawString()
	if !ok {
		if !p.stmtFailed {
			p.Errorf(p.Pos, p.Pos+1, "expected string, found %s", p.found())
		}
		return
	}
	if !p.eol() {
		return
	}
	text := p.Src[s:e]
	if p.list.on {
		p.listIdent(text)
		return
	}
	cur := p.cur
	p.switchQuietly(p.predefinedSection(".comment").subs[0])
	if !p.seenIdent {
		p.Emit8(0)
		p.seenIdent = true
	}
	p.Emit(text)
	p.Emit8(0)
	p.switchQuietly(cur)
}

// dirVersion handles .version "text", which emits a note of type NT_VERSION.
func dirVersion(p *Parser, d *directive, start int) {
	s, e, ok := p.RawString()
	if !ok {
		if !p.stmtFailed {
			p.Errorf(p.Pos, p.Pos+1, "expected string, found %s", p.found())
		}
		return
	}
	text := p.Src[s:e]
	cur, prev := p.cur, p.previous
	p.SwitchSection(p.SectionNamed(".note", codeobject.SHT_NOTE, 0))
	at := p.Pos
	for _, v := range [...]int64{int64(len(text)) + 1, 0, 1} {
		p.value(Value{Const: v}, 4, at, at)
	}
	p.bytes(text)
	p.bytes([]byte{0})
	p.emitAlign(4, 0, 1, 0, false, at)
	p.switchTo(cur)
	p.previous = prev
}

// dirAddrsig handles .addrsig, which requests a table of address-significant
// symbols.
func dirAddrsig(p *Parser, d *directive, start int) {
	if p.eol() {
		p.addrsig = true
		if p.list.on {
			p.list.line("\t.addrsig")
		}
	}
}

func dirAddrsigSym(p *Parser, d *directive, start int) {
	name := p.needName()
	if name == nil || !p.eol() {
		return
	}
	s := p.symbol(name)
	p.addrsigSyms = append(p.addrsigSyms, s)
	if p.list.on {
		p.list.str("\t.addrsig_sym ")
		p.listName(s)
		p.list.str("\n")
	}
}

// dirCGProfile handles .cg_profile, which requests a table of calls for linkers
// that order functions.
func dirCGProfile(p *Parser, d *directive, start int) { dirUnsupported(p, d, start) }

// relocDirective is a .reloc.
type relocDirective struct {
	stream *stream
	offset Value
	typ    codeobject.RelocType
	value  Value
	pos    place
}

// dirReloc handles .reloc offset, type[, expression].
func dirReloc(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	offset, ok := p.Expr()
	if !ok || !p.needComma() {
		return
	}
	nameAt, nameEnd := p.Ident()
	if nameAt == nameEnd {
		p.Errorf(p.Pos, p.Pos+1, "expected relocation name, found %s", p.found())
		return
	}
	name := p.Src[nameAt:nameEnd]
	var value Value
	if p.Accept(',') {
		if value, ok = p.Expr(); !ok {
			return
		}
	}
	if !p.eol() {
		return
	}
	typ, known := p.machine.RelocationByName(name)
	if !known {
		p.Errorf(nameAt, nameEnd, "unknown relocation name '%s'", printable(name))
		return
	}
	if c, ok := p.absolute(offset); ok && c < 0 {
		p.Errorf(at, at+1, ".reloc offset is negative")
		return
	}
	p.registerExpr(offset.Node)
	p.registerExpr(value.Node)
	p.relocs = append(p.relocs, relocDirective{p.cur, offset, typ, value, p.at(start)})
	if p.list.on {
		p.listReloc(offset, name, value)
	}
}
