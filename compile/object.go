package compile

import (
	"github.com/gfx-toolchain/gfx/codeobject"
)

// object returns the relocatable object of a program.
func (p *program) object() []byte {
	w := objectWriter{p: p, out: codeobject.Relocatable{Header: codeobject.NewHeader(p.target, codeobject.ET_REL)}}
	return w.write()
}

type objectWriter struct {
	p     *program
	out   codeobject.Relocatable
	index []uint32 // by symbol number: 1 + index in out.Symbols
}

func (w *objectWriter) write() []byte {
	p := w.p
	w.notes()
	w.markUsed()
	w.symbols()
	for _, s := range p.sections[1:] {
		w.section(s)
	}
	return w.out.Object().Bytes()
}

// notes writes the notes into their section.
func (w *objectWriter) notes() {
	if len(w.p.meta) == 0 {
		return
	}
	n := w.p.section(".note", codeobject.SHT_NOTE, codeobject.SHF_ALLOC, 0)
	s := w.p.sections[n]
	s.align = 4
	s.data = codeobject.AppendNotes(s.data, w.p.meta)
}

// markUsed marks the symbols that relocations refer to. Like LLVM, relocations
// refer to the sections of local symbols instead.
func (w *objectWriter) markUsed() {
	p := w.p
	for _, sec := range p.sections[1:] {
		for i := range sec.relocs {
			r := &sec.relocs[i]
			s := p.symbols[r.symbol]
			if s.bind == codeobject.STB_LOCAL && s.section != 0 {
				r.addend += int64(s.value)
				r.symbol = p.sections[s.section].symbol
				s = p.symbols[r.symbol]
			}
			s.used = true
		}
	}
}

// symbols builds the symbol table: the defined symbols, and the symbols that
// relocations refer to.
func (w *objectWriter) symbols() {
	w.index = make([]uint32, len(w.p.symbols))
	for n, s := range w.p.symbols {
		defined := s != nil && (s.section != 0 || s.special != 0)
		if s == nil || !s.used && (!defined || s.private) {
			continue
		}
		out := codeobject.Symbol{Name: s.name, Bind: s.bind, Type: s.typ, Vis: s.vis, Section: codeobject.SectionIndex(s.section), Value: s.value, Size: s.size}
		if s.special != 0 {
			out.Section = s.special
		}
		if !defined && s.bind == codeobject.STB_LOCAL {
			out.Bind = codeobject.STB_GLOBAL
		}
		w.out.Symbols = append(w.out.Symbols, out)
		w.index[n] = uint32(len(w.out.Symbols))
	}
}

func (w *objectWriter) section(s *section) {
	out := codeobject.RelSection{Name: s.name, Type: s.typ, Flags: s.flags, Align: s.align, EntSize: s.entSize, Data: s.data, Size: s.size}
	for _, r := range s.relocs {
		out.Relocs = append(out.Relocs, codeobject.Reloc{Offset: r.offset, Type: r.typ, Symbol: w.index[r.symbol], Addend: r.addend})
	}
	w.out.Sections = append(w.out.Sections, out)
}
