package link

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// file is a relocatable object.
type file struct {
	name  string // of the file, or archive(member)
	index int32  // index in linker.files
	data  []byte
	lazy  bool // an archive member not yet referenced

	headers []byte // section headers
	names   []byte // section names
	symtab  []byte
	strtab  []byte
	shndx   []byte // section indices of symbols, if there are too many sections for st_shndx

	symtabIndex int
	firstGlobal int
	base        int   // linker.index[base+i] is section i
	first, end  secID // linker.secs[first:end] are its sections
	blob        uint32
	relBytes    int    // size of the relocation tables
	namesOff    uint32 // file offsets of names and strtab
	strtabOff   uint32
	infos       []nameInfo // of the global symbols
	globals     []symID

	osABI, abiVersion uint8
	flags             uint32
}

func (f *file) numSecs() int { return len(f.headers) / shSize }
func (f *file) numSyms() int { return len(f.symtab) / symSize }

// secHeader is a section header.
type secHeader struct {
	name    uint32
	typ     co.SectionType
	flags   uint64
	off     uint64
	size    uint64
	link    uint32
	info    uint32
	align   uint64
	entsize uint64
}

func (f *file) header(i int) secHeader {
	b := f.headers[i*shSize : (i+1)*shSize]
	return secHeader{
		name: binary.LittleEndian.Uint32(b), typ: co.SectionType(binary.LittleEndian.Uint32(b[4:])), flags: binary.LittleEndian.Uint64(b[8:]),
		off: binary.LittleEndian.Uint64(b[24:]), size: binary.LittleEndian.Uint64(b[32:]),
		link: binary.LittleEndian.Uint32(b[40:]), info: binary.LittleEndian.Uint32(b[44:]), align: binary.LittleEndian.Uint64(b[48:]), entsize: binary.LittleEndian.Uint64(b[56:]),
	}
}

// typeOf returns a section's type.
func (f *file) typeOf(i int) co.SectionType {
	return co.SectionType(binary.LittleEndian.Uint32(f.headers[i*shSize+4:]))
}

func (f *file) errorf(off uint64, format string, args ...any) error {
	return &FormatError{f.name, off, fmt.Sprintf(format, args...)}
}

// contents returns a section's bytes.
func (f *file) contents(h *secHeader, index int) ([]byte, error) {
	if h.typ == co.SHT_NOBITS {
		return nil, nil
	}
	return f.bytes(h.off, h.size, "section", index)
}

// bytes returns size bytes at an offset.
func (f *file) bytes(off, size uint64, what string, index int) ([]byte, error) {
	if off > uint64(len(f.data)) || size > uint64(len(f.data))-off {
		return nil, f.errorf(off, "%s %d of %d bytes extends past the end of the file, which has %d bytes", what, index, size, len(f.data))
	}
	return f.data[off : off+size : off+size], nil
}

// stringAt returns the string at an offset of a table whose last byte is 0.
func stringAt(table []byte, off uint32) ([]byte, bool) {
	if off == 0 {
		return nil, true
	}
	if uint64(off) >= uint64(len(table)) {
		return nil, false
	}
	table = table[off:]
	return table[:bytes.IndexByte(table, 0)], true
}

// nameInfo holds the hash and size of a global symbol's name, computed before
// symbols are resolved.
type nameInfo struct{ hash, size uint32 }

// open checks the headers of an object and finds its symbol table. It allocates
// symbol information from infos.
func (f *file) open(seed maphash.Seed, infos *slab[nameInfo]) error {
	if uint64(len(f.data)) > maxFile {
		return fmt.Errorf("%s: %w", f.name, ErrTooLarge)
	}
	for _, step := range []func() error{f.readHeader, f.readSectionTable, f.readSymbolTable} {
		if err := step(); err != nil {
			return err
		}
	}
	f.infos = infos.takeEntries(f.numSyms() - f.firstGlobal)
	total := 0
	for i := range f.infos {
		raw, name, err := f.symbol(f.firstGlobal + i)
		if err == nil && raw.bind() == co.STB_LOCAL {
			err = f.errorf(0, "symbol %d is local, but follows the global symbols", f.firstGlobal+i)
		}
		if total += len(name); err == nil && total > 1<<22+4*len(f.strtab) {
			err = f.errorf(0, "the symbol names are longer than the string table allows")
		}
		if err != nil {
			return err
		}
		f.infos[i] = nameInfo{uint32(maphash.Bytes(seed, name)), uint32(len(name))}
	}
	return nil
}

func (f *file) readHeader() error {
	d := f.data
	switch {
	case bytes.HasPrefix(d, []byte(bitcode)) || bytes.HasPrefix(d, []byte(bitcodeWrap)):
		return f.errorf(0, "LLVM bitcode cannot be linked; compile it to an object first")
	case !bytes.HasPrefix(d, []byte(elfMagic)):
		return f.errorf(0, "neither an ELF object nor an archive")
	case len(d) < ehSize:
		return f.errorf(uint64(len(d)), "the file ends within the ELF header of %d bytes", ehSize)
	case co.Class(d[4]) != co.ELFCLASS64:
		return f.errorf(4, "ELF class %d, expected 2 (64 bits); r600 objects are not supported", d[4])
	case d[5] != 1:
		return f.errorf(5, "byte order %d, expected 1 (little endian)", d[5])
	case binary.LittleEndian.Uint16(d[18:]) != co.EM_AMDGPU:
		return f.errorf(18, "machine %d, expected %d (AMDGPU)", binary.LittleEndian.Uint16(d[18:]), co.EM_AMDGPU)
	case co.FileType(binary.LittleEndian.Uint16(d[16:])) != co.ET_REL:
		return f.errorf(16, "ELF type %d, expected 1: only relocatable objects can be linked", binary.LittleEndian.Uint16(d[16:]))
	}
	f.osABI, f.abiVersion, f.flags = d[7], d[8], binary.LittleEndian.Uint32(d[48:])
	return nil
}

func (f *file) readSectionTable() error {
	d := f.data
	off, size := binary.LittleEndian.Uint64(d[40:]), uint64(binary.LittleEndian.Uint16(d[58:]))
	n, names := uint64(binary.LittleEndian.Uint16(d[60:])), uint32(binary.LittleEndian.Uint16(d[62:]))
	if off == 0 {
		return nil
	}
	if size != shSize {
		return f.errorf(58, "section headers of %d bytes each, expected %d", size, shSize)
	}
	var err error
	if f.headers, err = f.bytes(off, shSize, "section header", 0); err != nil {
		return err
	}
	null := f.header(0)
	if n == 0 {
		n = null.size
	}
	if names == shnXIndex {
		names = null.link
	}
	if n > uint64(len(d))/shSize {
		return f.errorf(off, "a table of %d section headers is larger than the file", n)
	}
	if f.headers, err = f.bytes(off, n*shSize, "section header table", 0); err != nil {
		return err
	}
	if names != 0 {
		f.names, f.namesOff, err = f.stringTable(names, "section names")
	}
	return err
}

// stringTable returns the contents of a string table, which must end in a zero
// byte.
func (f *file) stringTable(index uint32, what string) (table []byte, off uint32, err error) {
	if uint64(index) >= uint64(f.numSecs()) {
		return nil, 0, f.errorf(0, "the table of %s is section %d of %d", what, index, f.numSecs())
	}
	h := f.header(int(index))
	if h.typ != co.SHT_STRTAB {
		return nil, 0, f.errorf(h.off, "the table of %s, section %d, is not a string table", what, index)
	}
	b, err := f.contents(&h, int(index))
	if err == nil && len(b) > 0 && b[len(b)-1] != 0 {
		err = f.errorf(h.off, "the table of %s, section %d, does not end in a zero byte", what, index)
	}
	return b, uint32(h.off), err
}

func (f *file) readSymbolTable() error {
	for i := range f.numSecs() {
		if f.typeOf(i) != co.SHT_SYMTAB {
			continue
		}
		h := f.header(i)
		switch {
		case f.symtab != nil:
			return f.errorf(h.off, "section %d is a second symbol table", i)
		case h.entsize != symSize || h.size%symSize != 0 || h.size == 0:
			return f.errorf(h.off, "the symbol table has %d bytes, %d each entry; expected a multiple of %d", h.size, h.entsize, symSize)
		case uint64(h.info) > h.size/symSize || h.info == 0:
			return f.errorf(h.off, "the first global symbol is %d of %d", h.info, h.size/symSize)
		}
		var err error
		if f.symtab, err = f.contents(&h, i); err != nil {
			return err
		}
		if f.strtab, f.strtabOff, err = f.stringTable(h.link, "symbol names"); err != nil {
			return err
		}
		f.symtabIndex, f.firstGlobal = i, int(h.info)
	}
	for i := range f.numSecs() {
		if f.typeOf(i) != co.SHT_SYMTAB_SHNDX {
			continue
		}
		h := f.header(i)
		if int(h.link) != f.symtabIndex {
			continue
		}
		var err error
		if f.shndx, err = f.contents(&h, i); err != nil {
			return err
		}
		if len(f.shndx) != 4*f.numSyms() {
			return f.errorf(h.off, "%d bytes of section indices for %d symbols, expected 4 each", len(f.shndx), f.numSyms())
		}
	}
	return nil
}

// symbol returns an entry of the symbol table and its name. The index must be
// valid.
func (f *file) symbol(i int) (rawSym, []byte, error) {
	s := readSym(f.symtab[i*symSize:])
	name, ok := stringAt(f.strtab, s.name)
	if !ok {
		return s, nil, f.errorf(0, "the name of symbol %d lies outside the string table, which has %d bytes", i, len(f.strtab))
	}
	return s, name, nil
}

// Section indices of symbols that are in no section of the file.
const (
	inUndef  = 0
	inAbs    = -1
	inCommon = -2
	inLDS    = -3
)

// sectionOf returns the index of a symbol's section, or one of the values
// above.
func (f *file) sectionOf(s *rawSym, i int) (int, error) {
	switch {
	case s.shndx == shnXIndex && f.shndx != nil:
		idx := binary.LittleEndian.Uint32(f.shndx[4*i:])
		if uint64(idx) >= uint64(f.numSecs()) {
			return 0, f.errorf(0, "symbol %d is in section %d of %d", i, idx, f.numSecs())
		}
		return int(idx), nil
	case s.shndx < shnLoReserve:
		if int(s.shndx) >= f.numSecs() {
			return 0, f.errorf(0, "symbol %d is in section %d of %d", i, s.shndx, f.numSecs())
		}
		return int(s.shndx), nil
	case s.shndx == shnAbs:
		return inAbs, nil
	case s.shndx == shnCommon:
		return inCommon, nil
	case s.shndx == shnLDS:
		return inLDS, nil
	}
	return 0, f.errorf(0, "symbol %d is in the unknown special section %#x", i, s.shndx)
}
