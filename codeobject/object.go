package codeobject

// Header holds the fields of an ELF header that describe the object's target.
type Header struct {
	Class      Class    // 32-bit or 64-bit file
	OSABI      OSABI    // EI_OSABI
	ABIVersion uint8    // EI_ABIVERSION
	Type       FileType // e_type
	Machine    uint16   // e_machine: EM_AMDGPU
	Flags      uint32   // e_flags
	Entry      uint64   // e_entry
}

// Object is an ELF file in memory.
type Object struct {
	Header
	PhOff, ShOff uint64 // file offsets of the program and section header tables
	ShStrNdx     uint32 // index of the section name string table

	// Sections in the order of the section header table. Sections[0] is the
	// null section.
	Sections []*Section
	Segments []Segment // program headers, in file order

	// FromSegments is set if the file has no section headers, and Sections were
	// reconstructed from Segments and the dynamic segment: the dynamic symbols,
	// relocations, strings and hash tables, the notes, and the other bytes of
	// each PT_LOAD segment i as sections "PT_LOAD#i", the name that LLVM's
	// tools use. Bytes writes no headers for them.
	FromSegments bool

	// Symbols of .symtab and .dynsym, without the null symbol: a relocation's
	// Symbol i is entry i-1.
	Symbols    []Symbol
	DynSymbols []Symbol // symbols of .dynsym, see Symbols

	// Gaps lists the nonzero bytes of the read file outside all headers, tables
	// and sections, ascending, and the end of the file.
	Gaps []Gap

	// Redundant header fields that were read: padding, and the entry sizes of
	// tables that the file does not have.
	Padding              [7]byte
	PhEntSize, ShEntSize uint16 // see Padding
}

// Gap is a range of bytes of the file outside everything else.
type Gap struct {
	Offset uint64 // in the file
	Data   []byte // contents
}

// Section is a section with its header.
type Section struct {
	Name    string       // name from the string table
	NameOff uint32       // sh_name
	Type    SectionType  // sh_type
	Flags   SectionFlags // sh_flags
	Addr    uint64       // sh_addr
	Offset  uint64       // in the file
	Size    uint64       // len(Data), except for SHT_NOBITS
	Link    uint32       // sh_link: index of another section
	Info    uint32       // sh_info
	Align   uint64       // bytes; 0 and 1 mean no alignment
	EntSize uint64       // size of an entry in bytes; 0 without entries of one size
	Data    []byte       // nil for SHT_NOBITS

	// Relocs holds the parsed contents of an SHT_RELA or SHT_REL section. The
	// addends of SHT_REL are read from the bytes of the sections that they
	// apply to (RelocType.ImplicitAddend); an addend that cannot be read is 0.
	Relocs []Reloc
}

// Segment is a program header.
type Segment struct {
	Type, Flags          uint32 // p_type and p_flags
	Offset, VAddr, PAddr uint64 // offset in the file, virtual and physical address
	FileSize, MemSize    uint64 // sizes in bytes
	Align                uint64 // bytes
}

// Symbol is an entry of a symbol table.
type Symbol struct {
	Name    string       // name from the string table
	Bind    SymBind      // binding
	Type    SymType      // type
	Vis     SymVis       // visibility
	Other   uint8        // st_other without the visibility
	Section SectionIndex // index in Object.Sections, or a reserved value
	Value   uint64       // address; in a relocatable object the offset in the section
	Size    uint64       // bytes
}

// Reloc is a relocation. In an SHT_REL section, the entry does not contain the
// Addend.
type Reloc struct {
	Offset uint64    // address of the place; in a relocatable object the offset in the section
	Type   RelocType // type
	Symbol uint32    // index in the symbol table; 0 for none
	Addend int64     // constant to add to the symbol's value
}

// sectionHeaders returns the number of section headers in the file.
func (o *Object) sectionHeaders() int {
	if o.FromSegments {
		return 0
	}
	return len(o.Sections)
}

// Section returns the first section of a name, or nil.
func (o *Object) Section(name string) *Section {
	for _, s := range o.Sections {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// sizes of the file's structures, by class
func (c Class) ehSize() uint64   { return c.pick(52, 64) }
func (c Class) phSize() uint64   { return c.pick(32, 56) }
func (c Class) shSize() uint64   { return c.pick(40, 64) }
func (c Class) symSize() uint64  { return c.pick(16, 24) }
func (c Class) wordSize() uint64 { return c.pick(4, 8) }

// relocSize returns the size of an entry of a relocation section, SHT_REL or
// SHT_RELA.
func (c Class) relocSize(t SectionType) uint64 {
	if t == SHT_REL {
		return 2 * c.wordSize()
	}
	return 3 * c.wordSize()
}
func (c Class) wordAlign() uint64 { return c.wordSize() }

func (c Class) pick(small, large uint64) uint64 {
	if c == ELFCLASS32 {
		return small
	}
	return large
}
