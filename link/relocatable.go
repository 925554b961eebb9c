package link

import (
	"encoding/binary"
	"fmt"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// relocatable builds one relocatable object from several. It concatenates
// sections of the same name, except those in groups and those that describe
// others. It removes duplicate COMDAT groups; it does not merge, resolve or
// remove anything else.
type relocatable struct {
	*linker
	symtab  *outSection
	entries []relEntry
	names   []byte
	locals  [][]uint32 // by file: output index of each local symbol, 0 for none
	section []uint32   // by output section: index of its section symbol
	group   map[secID]int
	addends []addendPatch
}

// addendPatch is an addend in the contents of a section whose relocations have
// none (SHT_REL).
type addendPatch struct {
	off   uint64 // in the output section
	value uint64
	out   int32
	row   *relocRow
}

// relEntry is an entry of the output's symbol table.
type relEntry struct {
	raw rawSym
	out int // index in outs of its section, -1 if raw.shndx specifies it
}

func (l *linker) linkRelocatable() {
	if l.opt.GCSections || l.opt.Strip == StripAll {
		l.errs.errorf("a relocatable output cannot be combined with garbage collection or stripping of all symbols")
		return
	}
	r := &relocatable{linker: l, group: map[secID]int{}, locals: make([][]uint32, len(l.files))}
	r.placeSections()
	for _, out := range l.outs {
		l.placeInputs(out)
	}
	r.makeSymbols()
	for i := range l.outs {
		r.relocations(i)
	}
	r.groups()
	if len(l.errs.list) == 0 {
		r.finish()
	}
}

// placeSections assigns sections to output sections, and creates the sections
// of relocations and groups.
func (r *relocatable) placeSections() {
	byName := map[string]int{}
	add := func(o *outSection) int {
		o.segment = -1
		o.index = uint32(len(r.outs) + 1)
		r.outs = append(r.outs, o)
		return len(r.outs) - 1
	}
	for _, f := range r.objs {
		for id := f.first; id < f.end; id++ {
			s := &r.secs[id]
			if s.typ == co.SHT_GROUP && s.kind == secIgnored && s.data.size >= 4 {
				r.group[id] = add(&outSection{name: string(r.bytes(s.name)), typ: co.SHT_GROUP, align: 4, entsize: 4, relocFor: -1})
			}
			if s.kind != secRegular {
				continue
			}
			key := fmt.Sprintf("%s\x00%x", r.bytes(s.name), s.typ)
			switch {
			case s.flags&(shfGroup|shfLinkOrder) != 0:
				key += fmt.Sprintf("\x00%d", id)
			case s.flags&shfMerge != 0:
				key += fmt.Sprintf("\x00%x %x", s.flags, s.entsize)
			}
			at, ok := byName[key]
			if !ok {
				at = add(&outSection{name: string(r.bytes(s.name)), typ: s.typ, flags: s.flags, align: 1, entsize: s.entsize, relocFor: -1})
				byName[key] = at
			}
			o := r.outs[at]
			s.out, s.live = int32(at), true
			o.inputs = append(o.inputs, id)
			o.flags |= s.flags
			o.align = max(o.align, uint64(s.align))
			if o.entsize != s.entsize {
				o.entsize = 0
			}
		}
	}
	for i, n := 0, len(r.outs); i < n; i++ {
		if typ, ok := r.relocationType(r.outs[i]); ok {
			flags := shfInfoLink | r.outs[i].flags&shfGroup
			o := &outSection{name: ".rela" + r.outs[i].name, typ: typ, flags: flags, align: wordSize, entsize: relaSize, relocFor: i}
			if typ == co.SHT_REL {
				o.name, o.entsize = ".rel"+r.outs[i].name, relSize
			}
			add(o)
		}
	}
}

// relocationType returns the type of an output section's relocation section,
// false if it has none. All inputs must agree.
func (r *relocatable) relocationType(o *outSection) (typ co.SectionType, ok bool) {
	for _, id := range o.inputs {
		s := &r.secs[id]
		if s.rela.size == 0 {
			continue
		}
		own := co.SHT_RELA
		if s.rel {
			own = co.SHT_REL
		}
		if ok && own != typ {
			r.errs.errorf("%s: section %s has relocations with addend in some objects (SHT_RELA) and without in others (SHT_REL)",
				r.files[s.file].name, o.name)
			return typ, ok
		}
		typ, ok = own, true
	}
	return typ, ok
}

// makeSymbols builds the symbol table: section symbols, local symbols by file,
// global symbols.
func (r *relocatable) makeSymbols() {
	r.entries, r.names = make([]relEntry, 1), make([]byte, 1)
	r.section = make([]uint32, len(r.outs))
	for i, o := range r.outs {
		if o.relocFor < 0 && o.typ != co.SHT_GROUP {
			r.section[i] = r.addSymbol(nil, rawSym{info: uint8(co.STT_SECTION)}, i)
		}
	}
	for _, f := range r.objs {
		r.locals[f.index] = make([]uint32, f.firstGlobal)
		for i := 1; i < f.firstGlobal; i++ {
			raw, name, err := f.symbol(i)
			in := 0
			if err == nil {
				in, err = f.sectionOf(&raw, i)
			}
			if err != nil {
				r.errs.addError(err)
				return
			}
			out := -1
			if in > 0 {
				s := &r.secs[r.secOf(f, in)]
				if raw.typ() == co.STT_SECTION || s.out < 0 {
					continue
				}
				out, raw.value = int(s.out), raw.value+s.outOff
			}
			r.locals[f.index][i] = r.addSymbol(name, raw, out)
		}
	}
	locals := len(r.entries)
	for i := range r.syms {
		if s := &r.syms[i]; s.used {
			raw, out := r.global(s)
			s.symtab = r.addSymbol(r.bytes(s.name), raw, out)
		}
	}
	r.symtab = &outSection{name: ".symtab", typ: co.SHT_SYMTAB, align: wordSize, entsize: symSize, info: uint32(locals), relocFor: -1, segment: -1}
}

func (r *relocatable) addSymbol(name []byte, raw rawSym, out int) uint32 {
	raw.name = 0
	if len(name) > 0 {
		raw.name = uint32(len(r.names))
		r.names = append(append(r.names, name...), 0)
	}
	r.entries = append(r.entries, relEntry{raw, out})
	return uint32(len(r.entries) - 1)
}

// global returns the entry of a global symbol in a relocatable object.
func (r *relocatable) global(s *symbol) (raw rawSym, out int) {
	raw = rawSym{info: uint8(s.bind)<<4 | uint8(s.typ), other: s.other, value: s.value, size: s.size}
	switch {
	case s.kind == symCommon:
		raw.shndx = shnCommon
	case s.kind == symLazy:
		return rawSym{info: uint8(co.STB_WEAK)<<4 | uint8(s.typ), other: s.other}, -1
	case s.kind != symDefined:
		raw.value, raw.size = 0, 0
	case s.sec == atLDS:
		raw.shndx = shnLDS
	case s.sec == atAbs:
		raw.shndx = shnAbs
	case r.secs[s.sec].out < 0:
		raw.value, raw.size = 0, 0
	default:
		raw.value += r.secs[s.sec].outOff
		return raw, int(r.secs[s.sec].out)
	}
	return raw, -1
}

// relocations builds the contents of a relocation section.
func (r *relocatable) relocations(i int) {
	o := r.outs[i]
	if o.relocFor < 0 {
		return
	}
	o.info = uint32(o.relocFor + 1)
	for _, id := range r.outs[o.relocFor].inputs {
		s := &r.secs[id]
		if s.rela.size == 0 {
			continue
		}
		relas := r.bytes(s.rela)
		f := r.files[s.file]
		for at := 0; at < len(relas); at += relaSize {
			rel := readRela(relas[at:])
			if int(rel.sym) >= f.numSyms() && rel.sym > 0 {
				r.errs.addError(f.errorf(0, "a relocation of section %s refers to symbol %d of %d", r.bytes(s.name), rel.sym, f.numSyms()))
				return
			}
			if !r.translate(f, s, &rel) {
				continue
			}
			rel.off += s.outOff
			var b [relaSize]byte
			rel.encodeTo(b[:])
			o.data = append(o.data, b[:o.entsize]...)
		}
	}
	o.size = uint64(len(o.data))
}

// translate changes a relocation to refer to the output's symbols. It reports
// false for one against a discarded section, which is omitted in debug
// information and an error elsewhere.
func (r *relocatable) translate(f *file, s *section, rel *rawRela) bool {
	i := int(rel.sym)
	switch {
	case i == 0:
		return true
	case i >= f.firstGlobal:
		rel.sym = r.syms[f.globals[i-f.firstGlobal]].symtab
		return true
	case r.locals[f.index][i] != 0:
		rel.sym = r.locals[f.index][i]
		return true
	}
	raw := readSym(f.symtab[i*symSize:])
	if in, err := f.sectionOf(&raw, i); err == nil && in > 0 {
		if to := &r.secs[r.secOf(f, in)]; to.out >= 0 {
			rel.addend += int64(raw.value + to.outOff)
			if s.rel {
				r.putAddend(f, s, rel)
			}
			rel.sym = r.section[to.out]
			return true
		}
	}
	if s.flags&shfAlloc != 0 {
		r.relocError(f, s, rel, "the symbol is in a discarded section")
	}
	return false
}

// putAddend stores the addend of a relocation against a section in the contents
// of section s.
func (r *relocatable) putAddend(f *file, s *section, rel *rawRela) {
	row := rowOf(rel.typ)
	switch {
	case row == nil || !row.implicit:
		r.relocError(f, s, rel, noImplicit)
	case rel.off > s.size || s.size-rel.off < uint64(row.size):
		r.relocError(f, s, rel, "the offset is out of range: the section has %#x bytes", s.size)
	default:
		r.addends = append(r.addends, addendPatch{off: s.outOff + rel.off, value: uint64(rel.addend), out: s.out, row: row})
	}
}

// groups builds the contents of group sections.
func (r *relocatable) groups() {
	relaOf := map[int]uint32{}
	for _, o := range r.outs {
		if o.relocFor >= 0 {
			relaOf[o.relocFor] = o.index
		}
	}
	for _, f := range r.objs {
		for id := f.first; id < f.end; id++ {
			at, ok := r.group[id]
			if !ok {
				continue
			}
			g := &r.secs[id]
			o, words := r.outs[at], r.bytes(g.data)
			o.data = append(o.data, words[:4]...)
			for k := 4; k < len(words); k += 4 {
				s := &r.secs[r.secOf(f, int(binary.LittleEndian.Uint32(words[k:])))]
				if s.kind != secRegular || s.out < 0 {
					continue
				}
				o.data = binary.LittleEndian.AppendUint32(o.data, uint32(s.out+1))
				if rela := relaOf[int(s.out)]; rela != 0 {
					o.data = binary.LittleEndian.AppendUint32(o.data, rela)
				}
			}
			o.size = uint64(len(o.data))
			o.info = r.signature(f, int(g.info))
		}
	}
}

// signature returns the output index of the symbol that names a group.
func (r *relocatable) signature(f *file, i int) uint32 {
	if i >= f.firstGlobal {
		return r.syms[f.globals[i-f.firstGlobal]].symtab
	}
	if r.locals[f.index][i] != 0 {
		return r.locals[f.index][i]
	}
	raw := readSym(f.symtab[i*symSize:])
	if in, err := f.sectionOf(&raw, i); err == nil && in > 0 && r.secs[r.secOf(f, in)].out >= 0 {
		return r.section[r.secs[r.secOf(f, in)].out]
	}
	return 0
}

// finish lays out the file and writes it.
func (r *relocatable) finish() {
	r.symtab.size = uint64(len(r.entries)) * symSize
	shstrtab := &outSection{name: ".shstrtab", typ: co.SHT_STRTAB, align: 1, relocFor: -1, segment: -1}
	strtab := &outSection{name: ".strtab", typ: co.SHT_STRTAB, align: 1, relocFor: -1, segment: -1, data: r.names, size: uint64(len(r.names))}
	for _, o := range []*outSection{r.symtab, shstrtab, strtab} {
		r.outs = append(r.outs, o)
		o.index = uint32(len(r.outs))
	}
	if len(r.outs) >= shnLoReserve-1 {
		r.errs.errorf("%d output sections, more than %d", len(r.outs), shnLoReserve-2)
		return
	}
	r.synth.shstrtab = r.ownSection(".shstrtab", co.SHT_STRTAB, 0, 1, 0)
	r.secs[r.synth.shstrtab].out = int32(shstrtab.index - 1)
	r.symtab.link = strtab.index
	for _, o := range r.outs {
		if o.relocFor >= 0 || o.typ == co.SHT_GROUP {
			o.link = r.symtab.index
		}
	}
	r.linkOrdered()
	r.nameSections()
	shstrtab.size = r.secs[r.synth.shstrtab].size
	r.offsets()
	if len(r.errs.list) > 0 {
		return
	}
	r.image = make([]byte, r.size)
	r.writeHeaders()
	r.writeShStrTab(r.image[shstrtab.off:])
	r.writeContents()
}

func (r *relocatable) offsets() {
	off := uint64(ehSize)
	for _, o := range r.outs {
		o.off = alignUp(off, o.align)
		if off = o.off; o.typ != co.SHT_NOBITS {
			off += o.size
		}
		if off > 16*r.total+maxPadding {
			r.errs.errorf("output section %s would end at %d, for %d bytes of inputs: its alignment is too large", o.name, off, r.total)
			return
		}
	}
	r.shOff = alignUp(off, wordSize)
	r.size = r.shOff + uint64(len(r.outs)+1)*shSize
}

func (r *relocatable) writeContents() {
	for _, o := range r.outs {
		copy(r.image[o.off:], o.data)
		if o.typ == co.SHT_NOBITS {
			continue
		}
		for _, id := range o.inputs {
			copy(r.image[o.off+r.secs[id].outOff:], r.bytes(r.secs[id].data))
		}
	}
	for _, p := range r.addends {
		p.row.storeValue(r.image[r.outs[p.out].off+p.off:], p.value)
	}
	for i := 1; i < len(r.entries); i++ {
		e := &r.entries[i]
		if e.out >= 0 {
			e.raw.shndx = uint16(r.outs[e.out].index)
		}
		e.raw.encodeTo(r.image[r.symtab.off+uint64(i)*symSize:])
	}
}
