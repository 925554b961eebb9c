package codeobject

import (
	"encoding/binary"
	"slices"
)

// Relocatable holds the contents of a relocatable object without the tables
// that an ELF file adds, as an assembler produces it.
type Relocatable struct {
	Header   Header       // header; Type is ET_REL
	Sections []RelSection // sections, without the tables
	// Symbols in any order; the object has the local ones first. A symbol's
	// Section is 1 + an index in Sections, 0 for an undefined symbol, or a
	// reserved value. An undefined local symbol that names a group is in the
	// group's section.
	Symbols []Symbol
	Groups  []Group // section groups
	// AddrSig lists the address-significant symbols (.llvm_addrsig) as 1 +
	// indices in Symbols. HasAddrSig requests the table.
	AddrSig    []uint32
	HasAddrSig bool // see AddrSig
}

// RelSection is a section of a Relocatable.
type RelSection struct {
	Name    string       // name
	Type    SectionType  // sh_type
	Flags   SectionFlags // sh_flags
	Align   uint64       // bytes; 0 and 1 mean no alignment
	EntSize uint64       // size of an entry in bytes
	Data    []byte       // contents
	Size    uint64       // for SHT_NOBITS; otherwise len(Data) is used
	// Relocs apply to the section; a Symbol is 1 + an index in Symbols, 0 for
	// none. Where the object has SHT_REL sections (Header.RelocSectionType),
	// Data contains the addends, and Addend is ignored.
	Relocs []Reloc
	Group  int // 1 + an index in Groups, 0 for none
	Link   int // of SHF_LINK_ORDER: 1 + an index in Sections, 0 for none
}

// Group is a section group.
type Group struct {
	Signature uint32 // 1 + an index in Symbols
	Comdat    bool   // the linker keeps one group of the signature
}

const grpComdat = 1

// builder lays out a Relocatable.
type builder struct {
	r       *Relocatable
	class   Class
	secs    []*Section // the section header table, without the null section
	names   stringTable
	index   []uint32   // header index of r.Sections
	group   []uint32   // header index of r.Groups, 0 if not assigned yet
	members [][]uint32 // of the groups
	relocs  []*Section // the relocation section of r.Sections, or nil
	symIdx  []uint32   // symbol table index of r.Symbols
	symtab  *Section
}

// Object lays out the sections, symbols and relocations like LLVM's ELF writer.
// The object refers to the bytes of the sections.
func (r *Relocatable) Object() *Object {
	b := &builder{r: r, class: r.Header.Class}
	b.index = make([]uint32, len(r.Sections))
	b.group = make([]uint32, len(r.Groups))
	b.members = make([][]uint32, len(r.Groups))
	b.relocs = make([]*Section, len(r.Sections))

	strtab := &Section{Name: ".strtab", Type: SHT_STRTAB, Align: 1}
	b.addSection(strtab)
	for i := range r.Sections {
		b.section(i)
	}
	var addrsig *Section
	if r.HasAddrSig {
		addrsig = &Section{Name: ".llvm_addrsig", Type: SHT_LLVM_ADDRSIG, Flags: SHF_EXCLUDE, Align: 1}
		b.addSection(addrsig)
	}
	b.symtab = &Section{Name: ".symtab", Type: SHT_SYMTAB, Align: b.class.wordAlign(), EntSize: b.class.symSize(), Link: 1}
	symtabIndex := b.addSection(b.symtab)
	b.symbols()
	b.links(symtabIndex)
	for i := range r.Sections {
		b.relocations(i)
	}
	if addrsig != nil {
		addrsig.Link = symtabIndex
		for _, s := range r.AddrSig {
			addrsig.Data = binary.AppendUvarint(addrsig.Data, uint64(b.symIdx[s-1]))
		}
	}
	strtab.Data = b.names.bytes()
	for _, s := range b.secs {
		s.NameOff = b.names.offset(s.Name)
	}
	return b.placeSections(strtab, addrsig)
}

// addSection appends a section and returns its header index.
func (b *builder) addSection(s *Section) uint32 {
	b.secs = append(b.secs, s)
	b.names.addString(s.Name)
	return uint32(len(b.secs))
}

// section adds r.Sections[i], preceded by its group and followed by its
// relocations.
func (b *builder) section(i int) {
	rs := &b.r.Sections[i]
	if g := rs.Group; g != 0 && b.group[g-1] == 0 {
		b.group[g-1] = b.addSection(&Section{Name: ".group", Type: SHT_GROUP, Align: 4, EntSize: 4})
	}
	s := &Section{Name: rs.Name, Type: rs.Type, Flags: rs.Flags, Align: rs.Align, EntSize: rs.EntSize, Data: rs.Data, Size: uint64(len(rs.Data))}
	if rs.Type == SHT_NOBITS {
		s.Data, s.Size = nil, rs.Size
	}
	b.index[i] = b.addSection(s)
	relIndex := uint32(0)
	if len(rs.Relocs) > 0 {
		flags := SHF_INFO_LINK
		if rs.Flags&SHF_GROUP != 0 {
			flags = SHF_GROUP
		}
		typ := b.r.Header.RelocSectionType()
		name := ".rela" + rs.Name
		if typ == SHT_REL {
			name = ".rel" + rs.Name
		}
		b.relocs[i] = &Section{Name: name, Type: typ, Flags: flags,
			Align: b.class.wordAlign(), EntSize: b.class.relocSize(typ), Info: b.index[i]}
		relIndex = b.addSection(b.relocs[i])
	}
	if g := rs.Group; g != 0 {
		b.members[g-1] = append(b.members[g-1], b.index[i])
		if relIndex != 0 {
			b.members[g-1] = append(b.members[g-1], relIndex)
		}
	}
}

// symbols builds the symbol table: local symbols first, otherwise in order.
func (b *builder) symbols() {
	r := b.r
	b.symIdx = make([]uint32, len(r.Symbols))
	order := make([]int, 0, len(r.Symbols))
	for i := range r.Symbols {
		if r.Symbols[i].Bind == STB_LOCAL {
			order = append(order, i)
		}
	}
	b.symtab.Info = uint32(len(order) + 1)
	for i := range r.Symbols {
		if r.Symbols[i].Bind != STB_LOCAL {
			order = append(order, i)
		}
	}
	large := false
	for n, i := range order {
		b.symIdx[i] = uint32(n + 1)
		if s := &r.Symbols[i]; s.Type != STT_SECTION {
			b.names.addString(s.Name)
		}
		idx := b.symbolSection(i)
		large = large || idx >= 0xff00 && !idx.Reserved()
	}
	var shndx []byte
	if large {
		b.addSection(&Section{Name: ".symtab_shndx", Type: SHT_SYMTAB_SHNDX, Align: 4, EntSize: 4, Link: uint32(len(b.secs))})
		shndx = make([]byte, 4, 4*(len(order)+1))
	}
	b.names.finalize()
	data := make([]byte, b.class.symSize(), b.class.symSize()*uint64(len(order)+1))
	for _, i := range order {
		sym := r.Symbols[i]
		sym.Section = b.symbolSection(i)
		name := uint32(0)
		if sym.Type != STT_SECTION {
			name = b.names.offset(sym.Name)
		}
		data = appendSymbol(data, b.class, &sym, name)
		if large {
			shndx = binary.LittleEndian.AppendUint32(shndx, extendedIndex(sym.Section))
		}
	}
	b.symtab.Data = data
	if large {
		b.secs[len(b.secs)-1].Data = shndx
	}
}

// symbolSection returns the section header index of r.Symbols[i].
func (b *builder) symbolSection(i int) SectionIndex {
	s := &b.r.Symbols[i]
	switch {
	case s.Section.Reserved():
		return s.Section
	case s.Section != 0:
		return SectionIndex(b.index[s.Section-1])
	case s.Bind == STB_LOCAL:
		for g := range b.r.Groups {
			if b.r.Groups[g].Signature == uint32(i+1) {
				return SectionIndex(b.group[g])
			}
		}
	}
	return SHN_UNDEF
}

// links fills in the fields that refer to other sections and symbols.
func (b *builder) links(symtab uint32) {
	for i := range b.r.Sections {
		rs := &b.r.Sections[i]
		if rs.Flags&SHF_LINK_ORDER != 0 && rs.Link != 0 {
			b.secs[b.index[i]-1].Link = b.index[rs.Link-1]
		}
		if b.relocs[i] != nil {
			b.relocs[i].Link = symtab
		}
	}
	for g, idx := range b.group {
		if idx == 0 {
			continue
		}
		s := b.secs[idx-1]
		s.Link, s.Info = symtab, b.symIdx[b.r.Groups[g].Signature-1]
		word := uint32(0)
		if b.r.Groups[g].Comdat {
			word = grpComdat
		}
		s.Data = binary.LittleEndian.AppendUint32(nil, word)
		for _, m := range b.members[g] {
			s.Data = binary.LittleEndian.AppendUint32(s.Data, m)
		}
	}
}

// relocations fills in the relocation section of r.Sections[i].
func (b *builder) relocations(i int) {
	s := b.relocs[i]
	if s == nil {
		return
	}
	rs := &b.r.Sections[i]
	s.Relocs = make([]Reloc, len(rs.Relocs))
	s.Data = make([]byte, 0, uint64(len(rs.Relocs))*s.EntSize)
	for k, r := range rs.Relocs {
		if r.Symbol != 0 {
			r.Symbol = b.symIdx[r.Symbol-1]
		}
		if s.Type == SHT_REL {
			r.Addend, _ = r.Type.ImplicitAddend(rs.Data, r.Offset)
		}
		s.Relocs[k] = r
		s.Data = appendReloc(s.Data, b.class, s.Type, &r)
	}
}

// placeSections assigns every section its offset in the file: data, groups,
// symbols, relocations, .llvm_addrsig, .strtab.
func (b *builder) placeSections(strtab, addrsig *Section) *Object {
	off := b.class.ehSize()
	put := func(s *Section) {
		if s == nil {
			return
		}
		s.Offset = alignUp(off, max(s.Align, 1))
		off = s.Offset
		if s.Type != SHT_NOBITS {
			s.Size = uint64(len(s.Data))
			off += s.Size
		}
	}
	for _, idx := range b.index {
		put(b.secs[idx-1])
	}
	for _, idx := range b.groupsInOrder() {
		put(b.secs[idx-1])
	}
	put(b.symtab)
	if last := b.secs[len(b.secs)-1]; last.Type == SHT_SYMTAB_SHNDX {
		put(last)
	}
	for _, s := range b.relocs {
		put(s)
	}
	put(addrsig)
	put(strtab)
	o := &Object{Header: b.r.Header, ShOff: alignUp(off, b.class.wordAlign()), ShStrNdx: 1}
	o.Sections = append(make([]*Section, 0, len(b.secs)+1), new(Section))
	o.Sections = append(o.Sections, b.secs...)
	o.Symbols = b.tableSymbols()
	return o
}

// groupsInOrder returns the header indices of the groups, ascending.
func (b *builder) groupsInOrder() []uint32 {
	var out []uint32
	for _, idx := range b.group {
		if idx != 0 {
			out = append(out, idx)
		}
	}
	slices.Sort(out)
	return out
}

// tableSymbols returns the symbols in the form of Read.
func (b *builder) tableSymbols() []Symbol {
	out := make([]Symbol, len(b.r.Symbols))
	for i := range b.r.Symbols {
		s := b.r.Symbols[i]
		s.Section = b.symbolSection(i)
		if s.Type == STT_SECTION {
			s.Name = ""
		}
		out[b.symIdx[i]-1] = s
	}
	return out
}

func alignUp(v, align uint64) uint64 { return (v + align - 1) &^ (align - 1) }
