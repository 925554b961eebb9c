package codeobject

import "encoding/binary"

// dynTag is the d_tag of an entry of the dynamic section.
type dynTag uint64

const (
	dtNull     dynTag = 0
	dtPltRelSz dynTag = 2
	dtHash     dynTag = 4
	dtStrTab   dynTag = 5
	dtSymTab   dynTag = 6
	dtRela     dynTag = 7
	dtRelaSz   dynTag = 8
	dtRelaEnt  dynTag = 9
	dtStrSz    dynTag = 10
	dtSymEnt   dynTag = 11
	dtRel      dynTag = 17
	dtRelSz    dynTag = 18
	dtRelEnt   dynTag = 19
	dtPltRel   dynTag = 20
	dtJmpRel   dynTag = 23
	dtRelr     dynTag = 36
	dtGNUHash  dynTag = 0x6ffffef5
)

// dynEntry is an entry of the dynamic section: its value, and its file offset
// for messages.
type dynEntry struct{ value, at uint64 }

// dynamicTables adds the sections that the dynamic segment describes.
func (v *segmentReader) dynamicTables() error {
	for i := range v.o.Segments {
		s := &v.o.Segments[i]
		if s.Type != PT_DYNAMIC {
			continue
		}
		if v.dynamic != nil {
			return formatErrorf(v.headerOffset(i), "segment %d is a second dynamic segment", i)
		}
		if err := v.entries(s); err != nil {
			return err
		}
	}
	if e, ok := v.dynamic[dtRelr]; ok {
		return formatErrorf(e.at, "packed relative relocations (DT_RELR) are not supported")
	}
	if err := v.dynamicSymbols(); err != nil {
		return err
	}
	return v.dynamicRelocs()
}

// entries reads the entries of the dynamic segment, up to DT_NULL. Like in
// dynamic loaders, the last of several entries with the same tag is used.
func (v *segmentReader) entries(s *Segment) error {
	size := 2 * v.class.wordSize()
	v.dynamic = make(map[dynTag]dynEntry)
	for off := uint64(0); ; off += size {
		if s.FileSize-off < size {
			return formatErrorf(s.Offset+off, "the dynamic segment ends without DT_NULL")
		}
		w := wordReader{v.data[s.Offset+off:], v.class}
		tag, value := dynTag(w.word()), w.word()
		if tag == dtNull {
			v.addTable(&Section{Name: ".dynamic", Type: SHT_DYNAMIC, Flags: SHF_ALLOC | SHF_WRITE, Addr: s.VAddr, Offset: s.Offset, Size: off + size,
				Align: v.class.wordAlign(), EntSize: size})
			return nil
		}
		v.dynamic[tag] = dynEntry{value, s.Offset + off}
	}
}

// valueOr returns the value of the entry with a tag, or fallback if it is
// absent.
func (v *segmentReader) valueOr(tag dynTag, fallback uint64) uint64 {
	if e, ok := v.dynamic[tag]; ok {
		return e.value
	}
	return fallback
}

// dynamicSymbols adds the dynamic symbol table, its strings and hash tables.
// The hash tables determine the number of symbols.
func (v *segmentReader) dynamicSymbols() error {
	symtab, ok := v.dynamic[dtSymTab]
	if !ok {
		return nil
	}
	strtab, ok := v.dynamic[dtStrTab]
	size, sized := v.dynamic[dtStrSz]
	if !ok || !sized {
		return formatErrorf(symtab.at, "DT_SYMTAB without DT_STRTAB and DT_STRSZ")
	}
	count, counted := uint64(0), false
	for _, h := range [...]struct {
		tag  dynTag
		read func(dynEntry) (uint64, error)
	}{{dtGNUHash, v.gnuHash}, {dtHash, v.hash}} { // DT_HASH holds the number itself and takes precedence
		if e, ok := v.dynamic[h.tag]; ok {
			n, err := h.read(e)
			if err != nil {
				return err
			}
			count, counted = n, true
		}
	}
	if !counted {
		return formatErrorf(symtab.at, "DT_SYMTAB without DT_HASH or DT_GNU_HASH, which define the number of symbols")
	}
	entSize := v.class.symSize()
	if n := v.valueOr(dtSymEnt, entSize); n != entSize {
		return formatErrorf(v.dynamic[dtSymEnt].at, "dynamic symbols of %d bytes each, expected %d", n, entSize)
	}
	if count > uint64(len(v.data))/entSize {
		return formatErrorf(symtab.at, "%d dynamic symbols are more than the file has room for", count)
	}
	names := &Section{Name: ".dynstr", Type: SHT_STRTAB, Align: 1, Size: size.value}
	if err := v.placeTable(names, strtab, "DT_STRTAB"); err != nil {
		return err
	}
	v.dynsym = &Section{Name: ".dynsym", Type: SHT_DYNSYM, Align: v.class.wordAlign(), EntSize: entSize, Size: count * entSize}
	v.link(v.dynsym, names)
	return v.placeTable(v.dynsym, symtab, "DT_SYMTAB")
}

// hash adds the hash table of DT_HASH and returns the number of symbols.
func (v *segmentReader) hash(e dynEntry) (uint64, error) {
	b, off, err := v.rest(e, "DT_HASH")
	if err != nil {
		return 0, err
	}
	if len(b) < 8 {
		return 0, formatErrorf(off, "the hash table has %d bytes in its segment, expected 8 or more", len(b))
	}
	buckets, chains := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	size := 8 + 4*(buckets+chains)
	if size > uint64(len(b)) {
		return 0, formatErrorf(off, "the hash table of %d buckets and %d symbols reaches beyond its segment", buckets, chains)
	}
	return chains, v.placeTable(&Section{Name: ".hash", Type: SHT_HASH, Align: 4, EntSize: 4, Size: size}, e, "DT_HASH")
}

// gnuHash adds the hash table of DT_GNU_HASH and returns the number of symbols.
// The last chain of the table ends with the last symbol.
func (v *segmentReader) gnuHash(e dynEntry) (uint64, error) {
	b, off, err := v.rest(e, "DT_GNU_HASH")
	if err != nil {
		return 0, err
	}
	const header = 16
	if len(b) < header {
		return 0, formatErrorf(off, "the GNU hash table has %d bytes in its segment, expected %d or more", len(b), header)
	}
	word := func(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }
	buckets, first, bloom := word(0), word(4), word(8)
	chains := header + bloom*v.class.wordSize() + 4*buckets
	if chains > uint64(len(b)) {
		return 0, formatErrorf(off, "the GNU hash table of %d bloom words and %d buckets reaches beyond its segment", bloom, buckets)
	}
	last := uint64(0)
	for i := range buckets {
		last = max(last, word(chains-4*(buckets-i)))
	}
	count, end := first, chains
	if last != 0 {
		if last < first {
			return 0, formatErrorf(off, "a bucket of the GNU hash table begins with symbol %d, the first one is %d", last, first)
		}
		for count = last; ; count++ {
			at := chains + 4*(count-first)
			if at+4 > uint64(len(b)) {
				return 0, formatErrorf(off, "the chain of symbol %d reaches beyond the segment of the GNU hash table", last)
			}
			if end = at + 4; word(at)&1 != 0 {
				count++
				break
			}
		}
	}
	return count, v.placeTable(&Section{Name: ".gnu.hash", Type: SHT_GNU_HASH, Align: v.class.wordAlign(), Size: end}, e, "DT_GNU_HASH")
}

// relocTables lists the tags that describe tables of relocations: their
// address, size and entry size.
var relocTables = [...]struct {
	name           string
	typ            SectionType
	tag, size, ent dynTag
}{
	{".rela.dyn", SHT_RELA, dtRela, dtRelaSz, dtRelaEnt},
	{".rel.dyn", SHT_REL, dtRel, dtRelSz, dtRelEnt},
}

// dynamicRelocs adds the relocation tables.
func (v *segmentReader) dynamicRelocs() error {
	for _, t := range relocTables {
		e, ok := v.dynamic[t.tag]
		if !ok {
			continue
		}
		if n := v.valueOr(t.ent, v.class.relocSize(t.typ)); n != v.class.relocSize(t.typ) {
			return formatErrorf(v.dynamic[t.ent].at, "relocations of %d bytes each, expected %d", n, v.class.relocSize(t.typ))
		}
		if err := v.relocTable(t.name, t.typ, e, t.size); err != nil {
			return err
		}
	}
	e, ok := v.dynamic[dtJmpRel]
	if !ok {
		return nil
	}
	typ := SHT_RELA
	if kind := v.valueOr(dtPltRel, uint64(dtRela)); dynTag(kind) == dtRel {
		typ = SHT_REL
	} else if dynTag(kind) != dtRela {
		return formatErrorf(v.dynamic[dtPltRel].at, "DT_PLTREL is %d, expected DT_RELA (%d) or DT_REL (%d)", kind, dtRela, dtRel)
	}
	return v.relocTable(".rela.plt", typ, e, dtPltRelSz)
}

// relocTable adds one relocation table.
func (v *segmentReader) relocTable(name string, typ SectionType, e dynEntry, size dynTag) error {
	n, ok := v.dynamic[size]
	if !ok {
		return formatErrorf(e.at, "relocations for %s without their size (tag %d)", name, size)
	}
	s := &Section{Name: name, Type: typ, Align: v.class.wordAlign(), EntSize: v.class.relocSize(typ), Size: n.value}
	if v.dynsym != nil {
		v.link(s, v.dynsym)
	}
	return v.placeTable(s, e, name)
}
