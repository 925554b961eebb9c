package text

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/upgrade"
	"github.com/gfx-toolchain/gfx/ir"
)

// globalTable maps the names and numbers of a text's globals.
type globalTable struct {
	named     map[string]*globalRef
	numbered  map[uint64]*globalRef
	next      uint64
	groupUses []groupUse
	order     []*globalRef // in order of first use
}

// globalRef is a global, which may not be defined yet.
type globalRef struct {
	v        ir.Value
	g        *ir.Global // nil until defined
	name     string
	off, end int // first use
}

func (t *globalTable) init() {
	t.named, t.numbered = map[string]*globalRef{}, map[uint64]*globalRef{}
}

// globalEntry returns the entry of the global in the current token. It creates
// a missing entry, in the given address space.
func (p *parser) globalEntry(addrSpace uint32) *globalRef {
	var r *globalRef
	if p.tok == tGlobal {
		if r = p.globals.named[string(p.name())]; r == nil {
			p.miss()
			r = &globalRef{name: string(p.name())}
			p.globals.named[r.name] = r
		}
	} else if r = p.globals.numbered[p.num]; r == nil {
		p.miss()
		r = &globalRef{}
		p.globals.numbered[p.num] = r
	}
	if r.v == ir.None {
		p.miss()
		r.v, r.off, r.end = p.m.NewGlobalValue(addrSpace), p.from, p.end
		p.globals.order = append(p.globals.order, r)
	}
	return r
}

// globalValue parses @name or @7 as a value of pointer type t.
func (p *parser) globalValue(t ir.Type) ir.Value {
	if p.m.Kind(t) != ir.KindPtr {
		p.fail("global variable reference must have pointer type")
	}
	r := p.globalEntry(p.m.AddrSpace(t))
	if have := p.m.TypeOfConst(r.v); have != t {
		p.fail("'%s' defined with type '%s' but expected '%s'", p.src[p.from:p.pos], p.typeString(have), p.typeString(t))
	}
	p.scanToken()
	return r.v
}

// linkage holds the properties that precede a global.
type linkage struct {
	off, end int
	given    bool
	link     ir.Linkage
	vis      ir.Visibility
	dll      ir.DLLStorage
	tls      ir.ThreadLocal
	unnamed  ir.UnnamedAddr
	dso      bool
}

// linkageWords lists the keywords of linkages.
var linkageWords = [...]struct {
	kw   keyword
	link ir.Linkage
}{
	{kwPrivate, ir.Private}, {kwInternal, ir.Internal}, {kwWeak, ir.WeakAny}, {kwWeakODR, ir.WeakODR}, {kwLinkOnce, ir.LinkOnceAny},
	{kwLinkOnceODR, ir.LinkOnceODR}, {kwAvailableExternally, ir.AvailableExternally}, {kwAppending, ir.Appending},
	{kwCommon, ir.Common}, {kwExternWeak, ir.ExternWeak}, {kwExternal, ir.External},
}

// linkage parses linkage, preemption, visibility and DLL storage class.
func (p *parser) linkage() linkage {
	l := linkage{off: p.from, end: p.end}
	if p.tok == tWord && p.kw >= kwPrivate && p.kw <= kwExternal {
		for _, row := range linkageWords {
			if row.kw == p.kw {
				l.link, l.given = row.link, true
			}
		}
		p.scanToken()
	}
	l.dso = p.acceptWord(kwDSOLocal)
	if !l.dso {
		p.acceptWord(kwDSOPreemptable)
	}
	switch {
	case p.acceptWord(kwHidden):
		l.vis = ir.Hidden
	case p.acceptWord(kwProtected):
		l.vis = ir.Protected
	default:
		p.acceptWord(kwDefault)
	}
	dll := p.from
	switch {
	case p.acceptWord(kwDLLImport):
		l.dll = ir.DLLImport
	case p.acceptWord(kwDLLExport):
		l.dll = ir.DLLExport
	}
	if l.dso && l.dll == ir.DLLImport {
		failAt(dll, p.prevEnd, "dso_location and DLL-StorageClass mismatch")
	}
	return l
}

// checkProperties reports incompatible properties.
func (l *linkage) checkProperties() {
	if l.link.IsLocal() && l.vis != ir.DefaultVisibility {
		failAt(l.off, l.end, "symbol with local linkage must have default visibility")
	}
	if l.link.IsLocal() && l.dll != ir.DefaultStorage {
		failAt(l.off, l.end, "symbol with local linkage cannot have a DLL storage class")
	}
}

// applyTo applies the properties to a global.
func (l *linkage) applyTo(g *ir.Global) {
	g.Linkage, g.Vis, g.DLL, g.TLS, g.Unnamed, g.DSOLocal = l.link, l.vis, l.dll, l.tls, l.unnamed, l.dso
	g.DSOLocal = g.DSOLocal || g.ImpliesDSOLocal()
}

// threadLocal parses thread_local and its model.
func (p *parser) threadLocal() ir.ThreadLocal {
	if !p.acceptWord(kwThreadLocal) {
		return ir.NotThreadLocal
	}
	if !p.accept(tLParen) {
		return ir.GeneralDynamic
	}
	model := ir.LocalDynamic
	switch {
	case p.acceptWord(kwLocalDynamic):
	case p.acceptWord(kwInitialExec):
		model = ir.InitialExec
	case p.acceptWord(kwLocalExec):
		model = ir.LocalExec
	default:
		p.fail("expected localdynamic, initialexec or localexec")
	}
	p.expect(tRParen, "expected ')' after thread local model")
	return model
}

func (p *parser) unnamedAddr() ir.UnnamedAddr {
	switch {
	case p.acceptWord(kwUnnamedAddr):
		return ir.GlobalUnnamedAddr
	case p.acceptWord(kwLocalUnnamedAddr):
		return ir.LocalUnnamedAddr
	}
	return ir.NamedAddr
}

// symbol is the name in the definition of a global.
type symbol struct {
	off, end int
	numbered bool
	num      uint64
	ref      *globalRef
}

// takeSymbol parses @name or @7 in a definition.
func (p *parser) takeSymbol(what string, addrSpace func() uint32) symbol {
	s := symbol{off: p.from, end: p.end, numbered: p.tok == tGlobalID, num: p.num}
	if s.numbered && s.num < p.globals.next {
		p.fail("%s expected to be numbered '@%d' or greater", what, p.globals.next)
	}
	s.ref = p.globalEntry(addrSpace())
	if s.ref.g != nil && what == "function" {
		p.fail("invalid redefinition of function '%s'", s.ref.name)
	}
	if s.ref.g != nil {
		p.fail("redefinition of global '%s'", p.src[p.from:p.pos])
	}
	p.scanToken()
	return s
}

// defineGlobal creates the global of a symbol.
func (p *parser) defineGlobal(s symbol, kind ir.GlobalKind, t ir.Type, addrSpace uint32) *ir.Global {
	if have := p.m.AddrSpace(p.m.TypeOfConst(s.ref.v)); have != addrSpace {
		if s.ref.off < s.off {
			failAt(s.off, s.end, "forward reference and definition of global have different types")
		}
	}
	if s.ref.g != nil {
		failAt(s.off, s.end, "redefinition of global '%s'", p.src[s.off:s.end])
	}
	if kind == ir.GlobalFunc {
		s.ref.g = p.m.AddFunction(s.ref.name, t, addrSpace, s.ref.v).Global
	} else {
		s.ref.g = p.m.NewGlobal(kind, s.ref.name, t, addrSpace, s.ref.v)
	}
	if s.numbered {
		p.globals.next = s.num + 1
	}
	p.places.global(s.ref.g.Value(), s.off)
	return s.ref.g
}

// globalDef parses a variable, alias or ifunc.
func (p *parser) globalDef() {
	s := p.takeSymbol("global", func() uint32 { return 0 })
	p.expect(tEqual, "expected '=' after name")
	p.globalRest(s)
}

func (p *parser) globalRest(s symbol) {
	l := p.linkage()
	l.tls = p.threadLocal()
	l.unnamed = p.unnamedAddr()
	switch {
	case p.isWord(kwAlias), p.isWord(kwIFunc):
		p.alias(s, l)
	default:
		p.variable_(s, l)
	}
}

// variable_ parses a global variable after its linkage.
func (p *parser) variable_(s symbol, l linkage) {
	l.checkProperties()
	as := uint32(0)
	if p.isWord(kwAddrSpace) {
		as = p.addrSpace()
	}
	ext := p.acceptWord(kwExternallyInitialized)
	if !p.isWord(kwGlobal) && !p.isWord(kwConstant) {
		p.fail("expected 'global' or 'constant'")
	}
	isConst := p.kw == kwConstant
	p.scanToken()
	typeAt := p.from
	t := p.typ("expected type")
	if p.m.Kind(t) == ir.KindFunc || !p.isElement(t) {
		failAt(typeAt, p.prevEnd, "invalid type for global variable")
	}
	g := p.defineGlobal(s, ir.GlobalVar, t, as)
	if !l.given || l.link != ir.External && l.link != ir.ExternWeak {
		g.Init = p.constant(t)
	}
	l.applyTo(g)
	g.Constant, g.ExtInit = isConst, ext
	for p.accept(tComma) {
		p.globalProperty(g)
	}
	var list attrList
	p.funcAttrs(&list, false)
	if len(list.attrs) > 0 || len(list.groups) > 0 {
		p.later = append(p.later, func() { g.Attrs = p.mergedSet(list) })
	}
}

// mergedSet returns the attributes of a list, including the attributes of its
// groups.
func (p *parser) mergedSet(list attrList) ir.AttrSet {
	attrs := slices.Clone(list.attrs)
	for _, g := range list.groups {
		attrs = append(attrs, g.attrs...)
	}
	return p.m.AttrSet(attrs)
}

// globalProperty parses a comma-separated property of a global variable.
func (p *parser) globalProperty(g *ir.Global) {
	switch {
	case p.acceptWord(kwSection):
		g.Section = string(p.str())
	case p.acceptWord(kwPartition):
		g.Partition = string(p.str())
	case p.acceptWord(kwAlign):
		g.Align = uint32(min(p.alignValue(), 1<<31))
	case p.tok == tMDName:
		g.MD = append(g.MD, p.attachment())
	case p.acceptWord(kwCodeModel):
		g.CodeModel = p.codeModel()
	case p.isWord(kwComdat):
		p.comdatRef(g)
	default:
		p.sanitizer(g)
	}
}

// sanitizerWords lists the keywords for the bits of Global.Sanitizer.
var sanitizerWords = [...]struct {
	word string
	bit  uint8
}{
	{"no_sanitize_address", ir.NoSanitizeAddress}, {"no_sanitize_hwaddress", ir.NoSanitizeHWAddress},
	{"sanitize_memtag", ir.SanitizeMemTag}, {"sanitize_address_dyninit", ir.SanitizeAddressDynInit},
}

func (p *parser) sanitizer(g *ir.Global) {
	for _, row := range sanitizerWords {
		if p.tok == tWord && string(p.text()) == row.word {
			g.Sanitizer |= row.bit
			p.scanToken()
			return
		}
	}
	p.fail("unknown global variable property!")
}

// codeModels lists the names of code models by Global.CodeModel.
var codeModels = [...]string{1: "tiny", 2: "small", 3: "kernel", 4: "medium", 5: "large"}

func (p *parser) codeModel() uint8 {
	off := p.from
	name := p.str()
	for i, m := range codeModels {
		if i > 0 && m == string(name) {
			return uint8(i)
		}
	}
	failAt(off, p.prevEnd, "invalid global variable code model")
	return 0
}

// alias parses an alias or ifunc after its linkage.
func (p *parser) alias(s symbol, l linkage) {
	isAlias := p.kw == kwAlias
	p.scanToken()
	switch l.link {
	case ir.External, ir.WeakAny, ir.WeakODR, ir.LinkOnceAny, ir.LinkOnceODR, ir.Private, ir.Internal, ir.AvailableExternally:
	default:
		failAt(l.off, l.end, "invalid linkage type for alias")
	}
	l.checkProperties()
	t := p.typ("expected type")
	p.expect(tComma, "expected comma after alias or ifunc's type")
	off := p.from
	var target ir.Value
	if p.isExprWord() {
		target = p.constExpr()
	} else {
		target = p.typedConstant()
	}
	tt := p.m.TypeOfConst(target)
	if p.m.Kind(tt) != ir.KindPtr {
		failAt(off, p.prevEnd, "An alias or ifunc must have pointer type")
	}
	kind := ir.GlobalAlias
	if !isAlias {
		kind = ir.GlobalIFunc
	}
	g := p.defineGlobal(s, kind, t, p.m.AddrSpace(tt))
	l.applyTo(g)
	g.Init = target
	for p.accept(tComma) {
		switch {
		case p.acceptWord(kwPartition):
			g.Partition = string(p.str())
		case !isAlias && p.tok == tMDName:
			g.MD = append(g.MD, p.attachment())
		default:
			p.fail("unknown alias or ifunc property!")
		}
	}
}

// comdatRef is a COMDAT, which may not be defined yet.
type comdatRef struct {
	c        *ir.Comdat
	defined  bool
	off, end int
}

func (p *parser) comdat(name string) *comdatRef {
	r := p.comdats[name]
	if r == nil {
		r = &comdatRef{c: &ir.Comdat{Name: name}, off: p.from, end: p.end}
		p.comdats[name] = r
		p.m.Comdats = append(p.m.Comdats, r.c)
	}
	return r
}

// comdatWords lists the keywords of selections.
var comdatWords = [...]keyword{ir.ComdatAny: kwAny, ir.ComdatExactMatch: kwExactMatch, ir.ComdatLargest: kwLargest,
	ir.ComdatNoDeduplicate: kwNoDeduplicate, ir.ComdatSameSize: kwSameSize}

// comdatDef parses $name = comdat any.
func (p *parser) comdatDef() {
	off, end := p.from, p.end
	r := p.comdat(string(p.name()))
	p.scanToken()
	p.expect(tEqual, "expected '=' here")
	p.expectWord(kwComdat, "expected comdat keyword")
	i := slices.Index(comdatWords[:], p.kw)
	if p.tok != tWord || i < 0 {
		p.fail("expected comdat type")
	}
	p.scanToken()
	if r.defined {
		failAt(off, end, "redefinition of comdat '$%s'", r.c.Name)
	}
	r.defined, r.c.Selection = true, ir.ComdatSelection(i)
}

// comdatRef parses comdat or comdat($name).
func (p *parser) comdatRef(g *ir.Global) {
	off, end := p.from, p.end
	p.scanToken()
	if !p.accept(tLParen) {
		if g.Name() == "" {
			failAt(off, end, "comdat cannot be unnamed")
		}
		p.comdatUse(g, p.comdat(g.Name()), off, end)
		return
	}
	if p.tok != tComdat {
		p.fail("expected comdat variable")
	}
	p.comdatUse(g, p.comdat(string(p.name())), p.from, p.end)
	p.scanToken()
	p.expect(tRParen, "expected ')' after comdat var")
}

func (p *parser) comdatUse(g *ir.Global, r *comdatRef, off, end int) {
	g.Comdat = r.c
	if !r.defined {
		r.off, r.end = off, end
	}
}

// checkGlobals reports globals that are used but not defined. Intrinsic
// functions that are called need no declaration.
func (p *parser) checkGlobals() {
	for _, r := range p.globals.order {
		if r.g != nil {
			continue
		}
		if strings.HasPrefix(r.name, "llvm.") {
			if isUnknownIntrinsic(r.name) && !upgrade.Replaces(r.name) {
				p.list.Errorf(p.file, r.off, r.end, "unknown intrinsic '%s'", r.name)
			}
			p.declareCalled(r)
			continue
		}
		p.list.Errorf(p.file, r.off, r.end, "use of undefined value '%s'", p.refText(r.off))
	}
	for _, r := range p.comdats {
		if !r.defined {
			p.list.Errorf(p.file, r.off, r.end, "use of undefined comdat '$%s'", r.c.Name)
		}
	}
}

// declareCalled declares an intrinsic function that is called without a
// declaration. The call determines the type.
func (p *parser) declareCalled(r *globalRef) {
	t := ir.NoType
	for _, g := range p.m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				for i, o := range f.Operands(v) {
					if o.Value != r.v {
						continue
					}
					if !f.Op(v).IsCall() || i != f.NumOperands(v)-1 {
						p.list.Errorf(p.file, r.off, r.end, "intrinsic can only be used as callee")
						return
					}
					t = f.CallType(v)
				}
			}
		}
	}
	if t == ir.NoType {
		p.list.Errorf(p.file, r.off, r.end, "use of undefined value '%s'", p.refText(r.off))
		return
	}
	r.g = p.m.AddFunction(r.name, t, p.m.AddrSpace(p.m.TypeOfConst(r.v)), r.v).Global
}
