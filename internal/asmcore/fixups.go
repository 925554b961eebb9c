package asmcore

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// fixupValue evaluates a fixup at an address of its section. If resolved, value
// is the number to write into the bytes; otherwise r is the value that the
// linker has to compute.
func (p *Parser) fixupValue(s *stream, f *fixup, addr int64) (value int64, r relocValue, resolved bool) {
	if n := &p.nodes[f.v]; n.op == opConst && !p.fixupInfo(f.kind).PCRel {
		return n.val, relocValue{c: n.val}, true
	}
	e := evaluator{p: p, know: knowLayout}
	r, ok := e.eval(f.v)
	if !ok {
		return 0, r, false
	}
	if !p.fixupInfo(f.kind).PCRel {
		return r.c, r, r.absolute() && r.spec == 0
	}
	if r.add == nil || r.sub != nil || r.spec != 0 || p.binding(r.add) != codeobject.STB_LOCAL || r.add.Type == codeobject.STT_GNU_IFUNC {
		return 0, r, false
	}
	at, ok := p.spotOf(r.add)
	if !ok || at.stream.section != s.section {
		return 0, r, false
	}
	return r.c + at.address() - addr, r, true
}

// resolve writes every fixup's value into the bytes or returns a relocation for
// it.
func (p *Parser) resolve(sec *Section) []codeobject.Reloc {
	var relocs []codeobject.Reloc
	for _, s := range sec.subs {
		frag := 0
		for i := range s.fixups {
			f := &s.fixups[i]
			for frag < len(s.frags) && s.frags[frag].at <= int(f.off) {
				frag++
			}
			if r, ok := p.resolveOne(s, f, s.base+s.before(frag)+int64(f.off)); ok {
				relocs = append(relocs, r)
			}
		}
	}
	return relocs
}

// resolveOne resolves a fixup, or returns its relocation.
func (p *Parser) resolveOne(s *stream, f *fixup, addr int64) (codeobject.Reloc, bool) {
	// evaluate again for the error message
	e := evaluator{p: p, know: knowLayout}
	if _, ok := e.eval(f.v); !ok {
		p.fixupError(f, &e)
		return codeobject.Reloc{}, false
	}
	value, r, resolved := p.fixupValue(s, f, addr)
	if resolved {
		p.patch(s, f, value)
		return codeobject.Reloc{}, false
	}
	rel, ok := p.relocation(s, f, addr, r)
	if ok && p.inData {
		p.patch(s, f, rel.Addend)
	} else {
		p.patch(s, f, 0)
	}
	return rel, ok
}

// fixupError reports why a fixup cannot be evaluated.
func (p *Parser) fixupError(f *fixup, e *evaluator) {
	if e.problem == "" {
		p.errorAt(f.pos, "expected relocatable expression")
		return
	}
	at := f.pos
	if e.callAt != 0 {
		at.off = e.callAt
	}
	p.errorAt(at, "expected relocatable expression: %s", e.problem)
}

// patch writes a value into the bytes.
func (p *Parser) patch(s *stream, f *fixup, value int64) {
	data := s.data[f.off:]
	if f.kind >= FixupTarget {
		if problem := p.machine.Apply(f.kind, data, value); problem != "" {
			p.errorAt(f.pos, "%s", problem)
		}
		return
	}
	size := int(coreFixups[f.kind].Bits / 8)
	if !fitsEither(value, size) {
		p.warnAt(f.pos, "value %d does not fit in %d bits and is truncated", value, 8*size)
	}
	switch size {
	case 1:
		data[0] = byte(value)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(value))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(value))
	case 8:
		binary.LittleEndian.PutUint64(data, uint64(value))
	}
}

// warnAt reports a warning at a position in any of the texts.
func (p *Parser) warnAt(pl place, format string, args ...any) {
	if !p.full() {
		p.diags.Warnf(p.sources[pl.src], int(pl.off), int(pl.off), format, args...)
	}
}

// relocation returns the relocation of a value at an address of a section.
func (p *Parser) relocation(s *stream, f *fixup, addr int64, r relocValue) (codeobject.Reloc, bool) {
	pcrel := p.fixupInfo(f.kind).PCRel
	addend := r.c
	if r.sub != nil {
		if r.sub.kind == symUndefined {
			p.errorAt(f.pos, "symbol '%s' can not be undefined in a subtraction expression", p.NameOf(r.sub))
			return codeobject.Reloc{}, false
		}
		at, ok := p.spotOf(r.sub)
		if !ok || at.stream.section != s.section || pcrel {
			p.errorAt(f.pos, "cannot represent a difference across sections")
			return codeobject.Reloc{}, false
		}
		pcrel = true
		addend += addr - at.address()
	}
	typ, problem := p.machine.Relocation(Reloc{Kind: f.kind, PCRel: pcrel, Spec: r.spec, Symbol: r.add})
	if problem != "" {
		p.errorAt(f.pos, "%s", problem)
		return codeobject.Reloc{}, false
	}
	sym := p.relocSymbol(r.add, &addend)
	return codeobject.Reloc{Offset: uint64(addr), Type: typ, Symbol: sym, Addend: addend}, true
}

// relocSymbol returns the symbol that a relocation refers to: for a local
// symbol the section's, with the symbol's offset added to the addend.
func (p *Parser) relocSymbol(s *Symbol, addend *int64) uint32 {
	if s == nil {
		return 0
	}
	if at, ok := p.spotOf(s); ok && p.binding(s) == codeobject.STB_LOCAL && p.useSectionSymbol(s, at.stream.section, *addend) {
		*addend += at.address()
		s = at.stream.section.symbol
	} else if r := p.renames[s]; r != nil {
		s = r
	}
	s.usedInReloc = true
	return s.index
}

// useSectionSymbol reports whether a relocation against a local symbol may name
// its section instead.
func (p *Parser) useSectionSymbol(s *Symbol, sec *Section, addend int64) bool {
	if s.Type == codeobject.STT_GNU_IFUNC || sec.Flags&codeobject.SHF_TLS != 0 {
		return false
	}
	return sec.Flags&codeobject.SHF_MERGE == 0 || addend == 0
}

// BindingOf returns the current binding of a symbol.
func (p *Parser) BindingOf(s *Symbol) codeobject.SymBind { return p.binding(s) }

func (p *Parser) binding(s *Symbol) codeobject.SymBind {
	switch {
	case s.bindingSet:
		return s.Binding
	case p.isPlaced(s), s.signature && !s.usedInReloc:
		return codeobject.STB_LOCAL
	}
	return codeobject.STB_GLOBAL
}

// isPlaced reports whether the object defines a symbol: a label, or a variable
// that is a number or a location.
func (p *Parser) isPlaced(s *Symbol) bool {
	switch s.kind {
	case symLabel:
		return true
	case symVariable:
		a := p.associatedSymbol(s)
		return a.number || a.section != nil
	}
	return false
}

// placedReloc is a relocation of .reloc. It follows the section's relocations
// with an offset below limit.
type placedReloc struct {
	codeobject.Reloc
	limit int64
}

// withDirectives inserts the relocations of .reloc into the others of a
// section, which are sorted by offset.
func withDirectives(relocs []codeobject.Reloc, placed []placedReloc) []codeobject.Reloc {
	slices.SortStableFunc(placed, func(a, b placedReloc) int { return cmp.Compare(a.limit, b.limit) })
	out := make([]codeobject.Reloc, 0, len(relocs)+len(placed))
	for i := range placed {
		for len(relocs) > 0 && int64(relocs[0].Offset) < placed[i].limit {
			out, relocs = append(out, relocs[0]), relocs[1:]
		}
		out = append(out, placed[i].Reloc)
	}
	return append(out, relocs...)
}

// fragEnd returns the offset in the section at which the bytes of a fragment
// end. LLVM puts the relocations of .reloc after the others of the fragment
// that has the symbol of the offset. A numeric offset counts from the first
// fragment of the section, which in .text is an alignment without bytes.
func (s spot) fragEnd(number bool) int64 {
	switch {
	case number && s.stream.section.Name == ".text":
		return 0
	case s.frag < len(s.stream.frags):
		return s.stream.base + s.stream.before(s.frag) + int64(s.stream.frags[s.frag].at)
	}
	return s.stream.base + s.stream.before(s.frag) + int64(len(s.stream.data))
}

// resolveDirectives returns the relocations of .reloc.
func (p *Parser) resolveDirectives(sec *Section) (placed []placedReloc) {
	for i := range p.relocs {
		d := &p.relocs[i]
		e := evaluator{p: p, know: knowLayout}
		v, ok := e.value(d.offset)
		at := spot{stream: d.stream.section.subs[0]}
		if ok && v.add != nil {
			at, ok = p.spotOf(v.add)
		}
		if !ok || v.sub != nil {
			if d.stream.section == sec {
				p.errorAt(d.pos, ".reloc offset is not representable")
			}
			continue
		}
		if at.stream.section != sec {
			continue
		}
		offset := v.c
		if v.add != nil {
			offset += at.address()
		}
		r, ok := e.value(d.value)
		if !ok || r.sub != nil {
			p.errorAt(d.pos, "expected relocatable expression")
			continue
		}
		sym := uint32(0)
		if r.add != nil {
			r.add.usedInReloc = true
			sym = r.add.index
		}
		if p.inData && r.c != 0 {
			p.warnAt(d.pos, "the addend %d of .reloc is lost: relocations have none in this object (SHT_REL)", r.c)
		}
		rel := codeobject.Reloc{Offset: uint64(offset), Type: d.typ, Symbol: sym, Addend: r.c}
		placed = append(placed, placedReloc{rel, at.fragEnd(v.add == nil)})
	}
	return placed
}
