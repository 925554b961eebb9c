package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// FormatError is an error in an ELF file with its location.
type FormatError struct {
	Offset  uint64 // in the file
	Problem string // the violated rule
}

// Error returns the location and the problem on one line.
func (e *FormatError) Error() string {
	return fmt.Sprintf("at offset %#x: %s", e.Offset, e.Problem)
}

func formatErrorf(off uint64, format string, args ...any) error {
	return &FormatError{off, fmt.Sprintf(format, args...)}
}

// ErrNotELF is returned for bytes that do not begin like an ELF file.
var ErrNotELF = errors.New("not an ELF file: the magic number 7f 45 4c 46 is missing")

// reader reads an ELF file. Every offset and size is checked against the file
// before it is used, so that memory stays within a small multiple of its size.
type reader struct {
	data  []byte
	class Class
	o     *Object

	placed []int // see segmentSection
}

// Read reads a relocatable or shared object, little endian, of any machine. The
// object refers to data, which must not change. For an object without section
// headers, Read reconstructs sections from its program headers
// (Object.FromSegments).
func Read(data []byte) (*Object, error) {
	if len(data) < 4 || string(data[:4]) != "\x7fELF" {
		return nil, ErrNotELF
	}
	if len(data) < 16 {
		return nil, formatErrorf(uint64(len(data)), "the file ends within the ELF identification, expected 16 bytes")
	}
	r := &reader{data: data, class: Class(data[4]), o: new(Object)}
	switch {
	case r.class != ELFCLASS32 && r.class != ELFCLASS64:
		return nil, formatErrorf(4, "unknown ELF class %d, expected 1 or 2", data[4])
	case data[5] != 1:
		return nil, formatErrorf(5, "unsupported byte order %d, expected 1, little endian", data[5])
	case data[6] != 1:
		return nil, formatErrorf(6, "unknown ELF version %d, expected 1", data[6])
	}
	for _, step := range []func() error{r.header, r.segmentSections, r.sectionNames, r.symbolTables, r.relocationTables, r.gaps} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.o, nil
}

// bytes returns size bytes at an offset.
func (r *reader) bytes(off, size uint64, what string) ([]byte, error) {
	if off > uint64(len(r.data)) || size > uint64(len(r.data))-off {
		return nil, formatErrorf(off, "%s of %d bytes reaches beyond the end of the file, which has %d bytes", what, size, len(r.data))
	}
	return r.data[off : off+size : off+size], nil
}

// table returns a table of count entries.
func (r *reader) table(off, count, entSize uint64, what string) ([]byte, error) {
	if count > uint64(len(r.data))/entSize {
		return nil, formatErrorf(off, "%s of %d entries is larger than the file", what, count)
	}
	return r.bytes(off, count*entSize, what)
}

// wordReader reads fields of the class's width.
type wordReader struct {
	b     []byte
	class Class
}

func (w *wordReader) word() (v uint64) {
	if w.class == ELFCLASS32 {
		return uint64(w.half())
	}
	v, w.b = binary.LittleEndian.Uint64(w.b), w.b[8:]
	return v
}

func (w *wordReader) half() (v uint32) {
	v, w.b = binary.LittleEndian.Uint32(w.b), w.b[4:]
	return v
}

func (r *reader) header() error {
	c, o := r.class, r.o
	h, err := r.bytes(0, c.ehSize(), "ELF header")
	if err != nil {
		return err
	}
	o.Class, o.OSABI, o.ABIVersion = c, OSABI(h[7]), h[8]
	o.Type, o.Machine = FileType(binary.LittleEndian.Uint16(h[16:])), binary.LittleEndian.Uint16(h[18:])
	w := wordReader{h[24:], c}
	o.Entry, o.PhOff, o.ShOff = w.word(), w.word(), w.word()
	o.Flags = w.half()
	copy(o.Padding[:], h[9:16])
	if v := binary.LittleEndian.Uint32(h[20:]); v != 1 {
		return formatErrorf(20, "unknown version %d of the object, expected 1", v)
	}
	if n := uint64(binary.LittleEndian.Uint16(w.b)); n != c.ehSize() {
		return formatErrorf(c.ehSize()-12, "ELF header of %d bytes, expected %d", n, c.ehSize())
	}
	if err := r.programHeaders(w.b[2:]); err != nil {
		return err
	}
	return r.sectionHeaders(w.b[6:])
}

// programHeaders reads the program headers. b holds their entry size and
// number.
func (r *reader) programHeaders(b []byte) error {
	c, at := r.class, r.class.ehSize()-10
	ent, num := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	switch {
	case num == 0:
		r.o.PhEntSize = ent
		return nil
	case num == pnXNum:
		return formatErrorf(at+2, "%d or more program headers are not supported", pnXNum)
	case uint64(ent) != c.phSize():
		return formatErrorf(at, "program headers of %d bytes each, expected %d", ent, c.phSize())
	}
	return r.segments(uint64(num))
}

// sectionHeaders reads the section headers. b holds their entry size, number
// and the index of the section name string table.
func (r *reader) sectionHeaders(b []byte) error {
	c, at := r.class, r.class.ehSize()-6
	ent, num, strNdx := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), uint32(binary.LittleEndian.Uint16(b[4:]))
	switch {
	case r.o.ShOff == 0 && num != 0:
		return formatErrorf(at+2, "%d section headers, but no offset of their table", num)
	case r.o.ShOff == 0 && strNdx >= maxShStrNdx:
		return formatErrorf(at+4, "index %#x of the section name table in a file without sections", strNdx)
	case r.o.ShOff == 0:
		r.o.ShEntSize, r.o.ShStrNdx = ent, strNdx
		return nil
	case uint64(ent) != c.shSize():
		return formatErrorf(at, "section headers of %d bytes each, expected %d", ent, c.shSize())
	case num >= maxShNum:
		return formatErrorf(at+2, "%d section headers, expected fewer than %d, or 0 and the number in the null section", num, maxShNum)
	}
	return r.sections(uint64(num), strNdx)
}

// pnXNum in e_phnum means that the number is stored elsewhere.
const pnXNum = 0xffff

func (r *reader) segments(n uint64) error {
	b, err := r.table(r.o.PhOff, n, r.class.phSize(), "program header table")
	if err != nil {
		return err
	}
	r.o.Segments = make([]Segment, n)
	for i := range r.o.Segments {
		w := wordReader{b[uint64(i)*r.class.phSize():], r.class}
		s := &r.o.Segments[i]
		s.Type = w.half()
		if r.class == ELFCLASS64 {
			s.Flags = w.half()
		}
		s.Offset, s.VAddr, s.PAddr = w.word(), w.word(), w.word()
		s.FileSize, s.MemSize = w.word(), w.word()
		if r.class == ELFCLASS32 {
			s.Flags = w.half()
		}
		s.Align = w.word()
		if _, err := r.bytes(s.Offset, s.FileSize, fmt.Sprintf("segment %d", i)); err != nil {
			return err
		}
	}
	return nil
}

// sections reads the section header table. Its size and the index of the
// section name string table are in the null section if they do not fit in the
// header.
func (r *reader) sections(n uint64, strNdx uint32) error {
	o, size := r.o, r.class.shSize()
	first, err := r.bytes(o.ShOff, size, "section header table")
	if err != nil {
		return err
	}
	null := r.section(first)
	if n == 0 {
		if n = null.Size; n < maxShNum {
			return formatErrorf(o.ShOff, "the number of sections, %d, is in the null section, expected it in the ELF header", n)
		}
	}
	switch {
	case strNdx == shnXIndex:
		if strNdx = null.Link; strNdx < maxShStrNdx {
			return formatErrorf(o.ShOff, "the index of the section name table, %d, is in the null section, expected it in the ELF header", strNdx)
		}
	case strNdx >= maxShStrNdx:
		return formatErrorf(o.Class.ehSize()-2, "the section name table has the reserved index %#x", strNdx)
	}
	b, err := r.table(o.ShOff, n, size, "section header table")
	if err != nil {
		return err
	}
	o.Sections = make([]*Section, n)
	headers := make([]Section, n)
	for i := range o.Sections {
		headers[i] = r.section(b[uint64(i)*size:])
		s := &headers[i]
		o.Sections[i] = s
		if s.Type == SHT_NOBITS || i == 0 {
			continue
		}
		if s.Data, err = r.bytes(s.Offset, s.Size, fmt.Sprintf("section %d", i)); err != nil {
			return err
		}
	}
	o.ShStrNdx = strNdx
	return nil
}

func (r *reader) section(b []byte) (s Section) {
	w := wordReader{b, r.class}
	s.NameOff, s.Type = w.half(), SectionType(w.half())
	s.Flags = SectionFlags(w.word())
	s.Addr, s.Offset, s.Size = w.word(), w.word(), w.word()
	s.Link, s.Info = w.half(), w.half()
	s.Align, s.EntSize = w.word(), w.word()
	return s
}

// stringAt returns the string at an offset of a string table.
func (r *reader) stringAt(table *Section, off uint32, what string) (string, error) {
	if off == 0 && len(table.Data) == 0 {
		return "", nil
	}
	if uint64(off) >= uint64(len(table.Data)) {
		return "", formatErrorf(table.Offset+uint64(off), "the name of %s lies outside its string table of %d bytes", what, len(table.Data))
	}
	if n := bytes.IndexByte(table.Data[off:], 0); n >= 0 {
		return string(table.Data[off : int(off)+n]), nil
	}
	return "", formatErrorf(table.Offset+uint64(off), "the name of %s is not zero-terminated", what)
}

// linked returns the section of type typ that s names in sh_link.
func (r *reader) linked(s *Section, index int, typ SectionType) (*Section, error) {
	if uint64(s.Link) >= uint64(len(r.o.Sections)) {
		return nil, formatErrorf(s.Offset, "section %d links to section %d of %d", index, s.Link, len(r.o.Sections))
	}
	if to := r.o.Sections[s.Link]; to.Type == typ {
		return to, nil
	}
	return nil, formatErrorf(s.Offset, "section %d links to section %d, which has the type %#x, expected %#x",
		index, s.Link, uint32(r.o.Sections[s.Link].Type), uint32(typ))
}

func (r *reader) sectionNames() error {
	o := r.o
	if len(o.Sections) == 0 || o.ShStrNdx == 0 || o.FromSegments {
		return nil
	}
	if uint64(o.ShStrNdx) >= uint64(len(o.Sections)) {
		return formatErrorf(0, "index %d of the section name table is out of range: the file has %d sections", o.ShStrNdx, len(o.Sections))
	}
	table := o.Sections[o.ShStrNdx]
	if table.Type != SHT_STRTAB {
		return formatErrorf(0, "the section name table, section %d, is not a string table", o.ShStrNdx)
	}
	names := nameCache{r: r, table: table}
	for i, s := range o.Sections {
		var err error
		if s.Name, err = names.nameAt(s.NameOff, "a section"); err != nil {
			return fmt.Errorf("section %d: %w", i, err)
		}
	}
	return nil
}

// nameCache returns the strings of a table. Equal offsets share one string, and
// the total length is bounded by the size of the table, so that long
// overlapping names do not take memory many times the size of the file.
type nameCache struct {
	r     *reader
	table *Section
	seen  map[uint32]string
	total uint64
}

// maxNameBytes bounds the names of one table, in addition to the bytes of the
// table.
const maxNameBytes = 1 << 22

func (c *nameCache) nameAt(off uint32, what string) (string, error) {
	if s, ok := c.seen[off]; ok {
		return s, nil
	}
	s, err := c.r.stringAt(c.table, off, what)
	if err != nil {
		return "", err
	}
	if c.total += uint64(len(s)); c.total > maxNameBytes+4*uint64(len(c.table.Data)) {
		return "", formatErrorf(c.table.Offset, "the names in the string table are longer than the table allows")
	}
	if c.seen == nil {
		c.seen = make(map[uint32]string)
	}
	c.seen[off] = s
	return s, nil
}

// symbolTables reads .symtab and .dynsym.
func (r *reader) symbolTables() error {
	for i, s := range r.o.Sections {
		var err error
		switch s.Type {
		case SHT_SYMTAB:
			if r.o.Symbols != nil {
				return formatErrorf(s.Offset, "section %d is a second symbol table", i)
			}
			r.o.Symbols, err = r.symbols(s, i)
		case SHT_DYNSYM:
			if r.o.DynSymbols != nil {
				return formatErrorf(s.Offset, "section %d is a second dynamic symbol table", i)
			}
			r.o.DynSymbols, err = r.symbols(s, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) symbols(s *Section, index int) ([]Symbol, error) {
	size := r.class.symSize()
	if s.EntSize != size {
		return nil, formatErrorf(s.Offset, "symbols of %d bytes each in section %d, expected %d", s.EntSize, index, size)
	}
	if s.Size%size != 0 {
		return nil, formatErrorf(s.Offset, "symbol table of %d bytes is not a multiple of %d", s.Size, size)
	}
	strtab, err := r.linked(s, index, SHT_STRTAB)
	if err != nil {
		return nil, err
	}
	n := s.Size / size
	if n == 0 {
		return []Symbol{}, nil
	}
	extended, err := r.extendedIndices(index, n)
	if err != nil {
		return nil, err
	}
	names := nameCache{r: r, table: strtab}
	out := make([]Symbol, n-1)
	for i := range out {
		at := uint64(i+1) * size
		name, shndx := r.symbol(&out[i], s.Data[at:at+size])
		if out[i].Name, err = names.nameAt(name, "a symbol"); err != nil {
			return nil, fmt.Errorf("symbol %d: %w", i+1, err)
		}
		out[i].Section, err = r.symbolSection(&out[i], shndx, extended, i+1, s.Offset+at)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// symbol reads an entry. It returns the offset of its name and its section
// field.
func (r *reader) symbol(s *Symbol, b []byte) (name uint32, shndx uint16) {
	w := wordReader{b, r.class}
	name = w.half()
	if r.class == ELFCLASS32 {
		s.Value, s.Size = w.word(), w.word()
	}
	info, other := w.b[0], w.b[1]
	shndx = binary.LittleEndian.Uint16(w.b[2:])
	w.b = w.b[4:]
	if r.class == ELFCLASS64 {
		s.Value, s.Size = w.word(), w.word()
	}
	s.Bind, s.Type = SymBind(info>>4), SymType(info&15)
	s.Vis, s.Other = SymVis(other&3), other&^3
	return name, shndx
}

// extendedIndices returns .symtab_shndx of a symbol table of n entries, or nil.
func (r *reader) extendedIndices(symtab int, n uint64) ([]byte, error) {
	for i, s := range r.o.Sections {
		if s.Type != SHT_SYMTAB_SHNDX || uint64(s.Link) != uint64(symtab) {
			continue
		}
		if s.Size != 4*n {
			return nil, formatErrorf(s.Offset, "section %d has %d bytes, expected 4 for each of %d symbols", i, s.Size, n)
		}
		return s.Data, nil
	}
	return nil, nil
}

// symbolSection returns a symbol's section.
func (r *reader) symbolSection(s *Symbol, shndx uint16, extended []byte, symbol int, off uint64) (SectionIndex, error) {
	idx := SectionIndex(shndx)
	switch {
	case r.o.FromSegments && idx != SHN_UNDEF && (shndx < maxShNum || shndx == shnXIndex):
		return r.segmentSection(s.Value, symbol, off)
	case shndx == shnXIndex:
		if extended == nil {
			return 0, formatErrorf(off, "symbol %d has its section in .symtab_shndx, which is missing", symbol)
		}
		idx = SectionIndex(binary.LittleEndian.Uint32(extended[4*symbol:]))
	case shndx >= maxShNum:
		return shnReserve | idx, nil
	}
	if uint64(idx) >= uint64(len(r.o.Sections)) {
		return 0, formatErrorf(off, "symbol %d is in section %d of %d", symbol, idx, len(r.o.Sections))
	}
	return idx, nil
}

// relocationTables reads the relocations.
func (r *reader) relocationTables() error {
	addends, total := addendReader{o: r.o}, uint64(0)
	for i, s := range r.o.Sections {
		if s.Type != SHT_RELA && s.Type != SHT_REL {
			continue
		}
		if total += s.Size; total > uint64(len(r.data)) {
			return formatErrorf(s.Offset, "the relocation tables up to section %d have more bytes than the file: they overlap", i)
		}
		if err := r.relocations(s, i, &addends); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) relocations(s *Section, index int, addends *addendReader) error {
	size := r.class.relocSize(s.Type)
	if s.EntSize != size {
		return formatErrorf(s.Offset, "relocations of %d bytes each in section %d, expected %d", s.EntSize, index, size)
	}
	if s.Size%size != 0 {
		return formatErrorf(s.Offset, "relocation table of %d bytes is not a multiple of %d", s.Size, size)
	}
	if uint64(s.Link) >= uint64(len(r.o.Sections)) {
		return formatErrorf(s.Offset, "section %d links to section %d of %d", index, s.Link, len(r.o.Sections))
	}
	symbols := len(r.o.Symbols)
	if r.o.Sections[s.Link].Type == SHT_DYNSYM {
		symbols = len(r.o.DynSymbols)
	}
	s.Relocs = make([]Reloc, s.Size/size)
	for i := range s.Relocs {
		at := uint64(i) * size
		rel := &s.Relocs[i]
		w := wordReader{s.Data[at : at+size], r.class}
		rel.Offset = w.word()
		info := w.word()
		if r.class == ELFCLASS32 {
			rel.Symbol, rel.Type = uint32(info)>>8, RelocType(info&0xff)
		} else {
			rel.Symbol, rel.Type = uint32(info>>32), RelocType(info)
		}
		switch {
		case s.Type == SHT_REL:
			rel.Addend = addends.read(s, rel)
		case r.class == ELFCLASS32:
			rel.Addend = int64(int32(w.word()))
		default:
			rel.Addend = int64(w.word())
		}
		if uint64(rel.Symbol) > uint64(symbols) {
			return formatErrorf(s.Offset+at, "relocation %d refers to symbol %d of %d", i, rel.Symbol, symbols)
		}
	}
	return nil
}
