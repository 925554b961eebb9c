package asmcore

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// endOfSource reports everything that is still open at the end of the source.
func (p *Parser) endOfSource() {
	if len(p.condStack) > 0 && !p.dropped {
		p.errorEnd("unmatched .ifs or .elses")
	}
	p.checkFiles()
	var open []*numericLabels
	for _, e := range p.numeric {
		if e.next != nil {
			open = append(open, e)
		}
	}
	slices.SortFunc(open, func(a, b *numericLabels) int { return a.used.compare(b.used) })
	for _, e := range open {
		p.errorAt(e.used, "directional label undefined: no such label follows")
	}
}

// Finish lays out the sections, resolves fixups and returns the parts of the
// object. It returns nil if there are errors (see Diagnostics) or if the output
// is a listing.
func (p *Parser) Finish() *codeobject.Relocatable {
	if p.diags.HasErrors() || p.list.on {
		return nil
	}
	for _, d := range p.late {
		if !p.full() {
			p.diags = append(p.diags, d)
		}
	}
	p.reportCycles()
	good := p.layout()
	if good && p.finishDebug() {
		good = p.layout()
	}
	p.bindVersions()
	r := &codeobject.Relocatable{Header: p.machine.Header()}
	p.inData = r.Header.RelocSectionType() == codeobject.SHT_REL
	retain := func(s *Section) bool { return s.Flags&codeobject.SHF_GNU_RETAIN != 0 }
	if r.Header.OSABI == codeobject.ELFOSABI_NONE && (p.gnuSyms || slices.ContainsFunc(p.used, retain)) {
		r.Header.OSABI = codeobject.ELFOSABI_GNU // only this ABI defines them
	}
	r.Sections = make([]codeobject.RelSection, len(p.used))
	for i, sec := range p.used {
		sec.index = uint32(i + 1)
	}
	for i, sec := range p.used {
		p.finishSection(&r.Sections[i], sec)
	}
	if good && !p.diags.HasErrors() {
		p.finishSymbols(r)
	}
	if p.diags.HasErrors() {
		return nil
	}
	return r
}

// reportCycles reports variables that are defined in terms of themselves.
func (p *Parser) reportCycles() {
	state := make(map[*Symbol]cycleState)
	for _, s := range p.order {
		if s.kind == symVariable {
			p.findCycles(s, state)
		}
	}
}

type cycleState uint8

const (
	cycleNew cycleState = iota
	cycleActive
	cycleDone
)

// findCycles visits the variables that s depends on, and reports cycles.
func (p *Parser) findCycles(s *Symbol, state map[*Symbol]cycleState) {
	if state[s] != cycleNew || s.value.IsConst() {
		return
	}
	state[s] = cycleActive
	work := []Node{s.value.Node}
	for len(work) > 0 {
		n := p.nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		if n.op == opSym {
			v := p.all[n.a]
			switch {
			case v.kind != symVariable:
			case state[v] == cycleActive:
				p.reportCycle(v)
			default:
				p.findCycles(v, state)
			}
			continue
		}
		for _, child := range [...]Node{n.b, n.a} {
			if n.op != opConst && child != 0 {
				work = append(work, child)
			}
		}
	}
	state[s] = cycleDone
}

func (p *Parser) reportCycle(s *Symbol) {
	at := s.defPos
	if pos := p.nodes[s.value.Node].pos; pos != 0 {
		at.off = pos
	}
	p.errorAt(at, "cyclic dependency detected for symbol '%s'", s.Name)
}

// finishSection fills in a section's bytes and relocations. The relocations
// refer to symbols by index in symbols.all for now.
func (p *Parser) finishSection(out *codeobject.RelSection, sec *Section) {
	out.Name, out.Type, out.Flags = sec.Name, sec.Type, sec.Flags
	out.Align, out.EntSize = uint64(sec.Align), uint64(sec.EntSize)
	out.Relocs = p.resolve(sec)
	if len(p.relocs) > 0 {
		out.Relocs = withDirectives(out.Relocs, p.resolveDirectives(sec))
	}
	if sec.Link != nil {
		if a := p.associatedSymbol(sec.Link); a.section != nil {
			out.Link = int(a.section.index)
		}
	}
	if sec.nobits() {
		out.Size = uint64(sec.size)
		if !blank(sec) {
			p.errorNowhere("BSS section '%s' cannot have non-zero bytes", sec.Name)
		}
		return
	}
	if !p.diags.HasErrors() {
		out.Data = p.contents(sec)
	}
}

// bindVersions creates the aliases of .symver and weakens the targets of
// .weakref.
func (p *Parser) bindVersions() {
	for i := range p.symvers {
		v := &p.symvers[i]
		at := strings.IndexByte(v.name, '@')
		prefix, tail := v.name[:at], v.name[at:]
		undefined := !p.isPlaced(v.sym)
		if strings.HasPrefix(tail, "@@@") {
			if undefined {
				tail = tail[2:]
			} else {
				tail = tail[1:]
			}
		}
		alias := p.Symbol(prefix + tail)
		p.Register(alias)
		alias.kind, alias.value = symVariable, p.NewSym(v.sym, 0)
		alias.setBinding(p.binding(v.sym))
		alias.Visibility, alias.Other = v.sym.Visibility, v.sym.Other
		if !undefined && v.keep {
			continue
		}
		if undefined && strings.HasPrefix(v.name[at:], "@@") && !strings.HasPrefix(v.name[at:], "@@@") {
			p.errorAt(v.pos, "default version symbol %s must be defined", v.name)
			continue
		}
		if r := p.renames[v.sym]; r != nil && r != alias {
			p.errorAt(v.pos, "multiple versions for %s", v.sym.Name)
			continue
		}
		if p.renames == nil {
			p.renames = make(map[*Symbol]*Symbol)
		}
		p.renames[v.sym] = alias
	}
	for i, s := range p.addrsigSyms {
		if at, ok := p.spotOf(s); ok && s.temp {
			s = at.stream.section.symbol
			p.addrsigSyms[i] = s
		}
		s.usedInReloc = true
	}
	for _, alias := range p.weakrefs {
		if target := p.all[p.nodes[alias.value.Node].a]; alias.registered && !target.registered {
			p.Register(target)
			target.setBinding(codeobject.STB_WEAK)
		}
	}
}

// inSymtab reports whether a symbol has an entry in the symbol table.
func (p *Parser) inSymtab(s *Symbol) bool {
	switch {
	case s.usedInReloc || s.signature:
		return true
	case p.renames[s] != nil, s.weakref, s.temp, s.shadowed, s.sectionOf != nil:
		return false
	}
	return s.kind != symVariable || p.isPlaced(s)
}

// finishSymbols builds the symbol table and the groups, and rewrites the
// symbols of relocations to indices of the table.
func (p *Parser) finishSymbols(r *codeobject.Relocatable) {
	for _, s := range p.order {
		if !p.inSymtab(s) {
			continue
		}
		if s.temp && s.kind == symUndefined {
			p.errorNowhere("undefined temporary symbol %s", p.NameOf(s))
			continue
		}
		r.Symbols = append(r.Symbols, p.finishSymbol(s))
		s.elfIndex = uint32(len(r.Symbols))
	}
	for i := range r.Sections {
		for k := range r.Sections[i].Relocs {
			if rel := &r.Sections[i].Relocs[k]; rel.Symbol != 0 {
				rel.Symbol = p.all[rel.Symbol].elfIndex
			}
		}
	}
	groups := make(map[*Symbol]int)
	for i, sec := range p.used {
		if sec.Group == nil {
			continue
		}
		if groups[sec.Group] == 0 {
			r.Groups = append(r.Groups, codeobject.Group{Signature: sec.Group.elfIndex, Comdat: sec.Comdat})
			groups[sec.Group] = len(r.Groups)
		}
		r.Sections[i].Group = groups[sec.Group]
	}
	r.HasAddrSig = p.addrsig
	for _, s := range p.addrsigSyms {
		if alias := p.renames[s]; alias != nil {
			s = alias
		}
		if s.elfIndex != 0 {
			r.AddrSig = append(r.AddrSig, s.elfIndex)
		}
	}
}

// finishSymbol returns a symbol's entry.
func (p *Parser) finishSymbol(s *Symbol) codeobject.Symbol {
	out := codeobject.Symbol{Name: s.Name, Bind: p.binding(s), Type: s.Type, Vis: s.Visibility, Other: s.Other}
	if s.Name == "" {
		out.Name = ".L0 "
	}
	base := s
	switch s.kind {
	case symLabel:
		out.Section = codeobject.SectionIndex(s.stream.section.index)
		out.Value = uint64(spot{s.stream, s.frag, s.off}.address())
		if s.stream.section.Flags&codeobject.SHF_TLS != 0 && s.Type == codeobject.STT_NOTYPE {
			out.Type = codeobject.STT_TLS
		}
	case symCommon:
		out.Section, out.Value = codeobject.SHN_COMMON, uint64(s.align)
		if s.Section != 0 {
			out.Section = s.Section
		}
	case symVariable:
		base = p.finishVariable(s, &out)
	}
	if base != nil && base != s {
		out.Type = mergedType(out.Type, base.Type)
	}
	p.finishSize(s, base, &out)
	return out
}

// finishVariable fills in a variable's value and section. It returns the symbol
// that the variable is an alias of, nil for a number.
func (p *Parser) finishVariable(s *Symbol, out *codeobject.Symbol) (base *Symbol) {
	e := evaluator{p: p, know: knowLayout, inSet: true}
	v, ok := e.value(s.value)
	switch {
	case !ok:
		p.errorAt(s.defPos, "%s", or(e.problem, "expression could not be evaluated"))
		return nil
	case v.sub != nil:
		p.errorAt(s.defPos, "symbol '%s' could not be evaluated in a subtraction expression", p.NameOf(v.sub))
		return nil
	case v.add == nil:
		out.Section, out.Value = codeobject.SHN_ABS, uint64(v.c)
		return nil
	case v.add.kind == symCommon:
		p.errorAt(s.defPos, "common symbol '%s' cannot be used in assignment expr", v.add.Name)
		return nil
	}
	if at, ok := p.spotOf(v.add); ok {
		out.Section = codeobject.SectionIndex(at.stream.section.index)
		out.Value = uint64(at.address() + v.c)
	}
	return v.add
}

// finishSize sets a symbol's size: its own, or else the size of the symbol that
// it is an alias of.
func (p *Parser) finishSize(s, base *Symbol, out *codeobject.Symbol) {
	from := s
	if !s.hasSize && base != nil {
		from = base
		for v := s; v.kind == symVariable; {
			n := p.nodes[v.value.Node]
			if v.value.IsConst() || n.op != opSym || p.all[n.a] == v {
				break
			}
			if v = p.all[n.a]; v.hasSize {
				from = v
				break
			}
		}
	}
	if !from.hasSize {
		return
	}
	e := evaluator{p: p, know: knowLayout, inSet: true}
	size, ok := e.constant(from.size)
	if !ok {
		p.errorAt(from.sizePos, "%s", or(e.problem, "size expression must be absolute"))
	}
	out.Size = uint64(size)
}

// mergedType returns the type of an alias: the more specific one of its own
// type and the base symbol's.
func mergedType(own, base codeobject.SymType) codeobject.SymType {
	rank := func(t codeobject.SymType) int { return slices.Index(typeOrder[:], t) }
	if rank(own) >= 0 && rank(base) >= 0 && rank(own) > rank(base) {
		return own
	}
	return base
}
