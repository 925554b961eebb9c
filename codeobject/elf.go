package codeobject

import "strconv"

// Class is the ELF class: the width of addresses.
type Class uint8

const (
	ELFCLASS32 Class = 1 // the r600 family
	ELFCLASS64 Class = 2 // amdgcn
)

// OSABI is the ELF header's EI_OSABI.
type OSABI uint8

// Values of EI_OSABI. Source: User Guide for AMDGPU Backend, table AMDGPU ELF
// Header.
const (
	ELFOSABI_NONE          OSABI = 0
	ELFOSABI_GNU           OSABI = 3
	ELFOSABI_AMDGPU_HSA    OSABI = 64
	ELFOSABI_AMDGPU_PAL    OSABI = 65
	ELFOSABI_AMDGPU_MESA3D OSABI = 66
)

// FileType is the ELF header's e_type.
type FileType uint16

// Values of e_type. Source: System V ABI, ELF Header.
const (
	ET_NONE FileType = 0
	ET_REL  FileType = 1
	ET_EXEC FileType = 2
	ET_DYN  FileType = 3
)

// EM_AMDGPU is the e_machine of AMDGPU objects.
const EM_AMDGPU = 224

// SectionType is a section header's sh_type.
type SectionType uint32

// Values of sh_type. Source: System V ABI, Sections; LLVM 22's Extensions.rst
// for SHT_LLVM.
const (
	SHT_NULL           SectionType = 0
	SHT_PROGBITS       SectionType = 1
	SHT_SYMTAB         SectionType = 2
	SHT_STRTAB         SectionType = 3
	SHT_RELA           SectionType = 4
	SHT_HASH           SectionType = 5
	SHT_DYNAMIC        SectionType = 6
	SHT_NOTE           SectionType = 7
	SHT_NOBITS         SectionType = 8
	SHT_REL            SectionType = 9
	SHT_SHLIB          SectionType = 10
	SHT_DYNSYM         SectionType = 11
	SHT_INIT_ARRAY     SectionType = 14
	SHT_FINI_ARRAY     SectionType = 15
	SHT_PREINIT_ARRAY  SectionType = 16
	SHT_GROUP          SectionType = 17
	SHT_SYMTAB_SHNDX   SectionType = 18
	SHT_RELR           SectionType = 19
	SHT_LLVM_ODRTAB    SectionType = 0x6fff4c00
	SHT_LLVM_LINKER    SectionType = 0x6fff4c01 // .linker-options
	SHT_LLVM_ADDRSIG   SectionType = 0x6fff4c03
	SHT_LLVM_DEPLIBS   SectionType = 0x6fff4c04 // .deplibs
	SHT_LLVM_SYMPART   SectionType = 0x6fff4c05
	SHT_LLVM_CALLGRAPH SectionType = 0x6fff4c09
	SHT_LLVM_BB_ADDR   SectionType = 0x6fff4c0a
	SHT_LLVM_OFFLOAD   SectionType = 0x6fff4c0b
	SHT_LLVM_LTO       SectionType = 0x6fff4c0c
	SHT_LLVM_JT_SIZES  SectionType = 0x6fff4c0d
	SHT_GNU_HASH       SectionType = 0x6ffffff6
	SHT_GNU_VERDEF     SectionType = 0x6ffffffd
	SHT_GNU_VERNEED    SectionType = 0x6ffffffe
	SHT_GNU_VERSYM     SectionType = 0x6fffffff
	SHT_X86_64_UNWIND  SectionType = 0x70000001
)

// SectionFlags is a section header's sh_flags.
type SectionFlags uint64

// Bits of sh_flags. Source: System V ABI, Sections.
const (
	SHF_WRITE      SectionFlags = 0x1
	SHF_ALLOC      SectionFlags = 0x2
	SHF_EXECINSTR  SectionFlags = 0x4
	SHF_MERGE      SectionFlags = 0x10
	SHF_STRINGS    SectionFlags = 0x20
	SHF_INFO_LINK  SectionFlags = 0x40
	SHF_LINK_ORDER SectionFlags = 0x80
	SHF_GROUP      SectionFlags = 0x200
	SHF_TLS        SectionFlags = 0x400
	SHF_COMPRESSED SectionFlags = 0x800
	SHF_GNU_RETAIN SectionFlags = 0x200000
	SHF_EXCLUDE    SectionFlags = 0x80000000
)

// Types of segments (Segment.Type).
const (
	PT_NULL      = 0
	PT_LOAD      = 1
	PT_DYNAMIC   = 2
	PT_NOTE      = 4
	PT_PHDR      = 6
	PT_TLS       = 7
	PT_GNU_STACK = 0x6474e551
	PT_GNU_RELRO = 0x6474e552
)

// Bits of Segment.Flags.
const (
	PF_X = 1
	PF_W = 2
	PF_R = 4
)

// SectionIndex is a symbol's section: the index in the section header table, or
// a reserved value. Reserved values have their upper 16 bits set, so that they
// are distinct from section indices.
type SectionIndex uint32

// Special section indices, extended to 32 bits. Source: System V ABI, Sections.
const (
	SHN_UNDEF      SectionIndex = 0
	SHN_AMDGPU_LDS SectionIndex = 0xffffff00 // storage in local data share
	SHN_ABS        SectionIndex = 0xfffffff1
	SHN_COMMON     SectionIndex = 0xfffffff2

	shnReserve = 0xffff0000 // first reserved value
	shnXIndex  = 0xffff     // in the file: the index is in .symtab_shndx
)

// Reserved reports whether an index is a reserved value.
func (i SectionIndex) Reserved() bool { return i >= shnReserve }

// String returns a reserved value's name without SHN_, UND for 0, or the
// number.
func (i SectionIndex) String() string {
	switch i {
	case SHN_UNDEF:
		return "UND"
	case SHN_AMDGPU_LDS:
		return "AMDGPU_LDS"
	case SHN_ABS:
		return "ABS"
	case SHN_COMMON:
		return "COMMON"
	}
	if i.Reserved() {
		return "RSV[0x" + strconv.FormatUint(uint64(i&0xffff), 16) + "]"
	}
	return strconv.FormatUint(uint64(i), 10)
}

// SymBind is a symbol's binding, the upper half of st_info.
type SymBind uint8

// Values of ELF_ST_BIND. Source: System V ABI, Symbol Table.
const (
	STB_LOCAL      SymBind = 0
	STB_GLOBAL     SymBind = 1
	STB_WEAK       SymBind = 2
	STB_GNU_UNIQUE SymBind = 10
)

// String returns the name as in readelf, such as "GLOBAL", or the number.
func (b SymBind) String() string {
	switch b {
	case STB_LOCAL:
		return "LOCAL"
	case STB_GLOBAL:
		return "GLOBAL"
	case STB_WEAK:
		return "WEAK"
	case STB_GNU_UNIQUE:
		return "UNIQUE"
	}
	return strconv.Itoa(int(b))
}

// SymType is a symbol's type, the lower half of st_info.
type SymType uint8

// Values of ELF_ST_TYPE. Source: System V ABI, Symbol Table; AMDGPU HSA ABI
// 0.40 for STT_AMDGPU_HSA_KERNEL.
const (
	STT_NOTYPE            SymType = 0
	STT_OBJECT            SymType = 1
	STT_FUNC              SymType = 2
	STT_SECTION           SymType = 3
	STT_FILE              SymType = 4
	STT_COMMON            SymType = 5
	STT_TLS               SymType = 6
	STT_AMDGPU_HSA_KERNEL SymType = 10
	STT_GNU_IFUNC         SymType = 10 // the same number, on other systems
)

var symTypeNames = [...]string{"NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE", "COMMON", "TLS",
	10: "AMDGPU_HSA_KERNEL"}

// String returns the name as in readelf, such as "FUNC", or the number.
func (t SymType) String() string {
	if int(t) < len(symTypeNames) && symTypeNames[t] != "" {
		return symTypeNames[t]
	}
	return strconv.Itoa(int(t))
}

// SymVis is a symbol's visibility, the low two bits of st_other.
type SymVis uint8

// Values of ELF_ST_VISIBILITY. Source: System V ABI, Symbol Table.
const (
	STV_DEFAULT   SymVis = 0
	STV_INTERNAL  SymVis = 1
	STV_HIDDEN    SymVis = 2
	STV_PROTECTED SymVis = 3
)

// String returns the name as in readelf, such as "HIDDEN", or the number.
func (v SymVis) String() string {
	return [...]string{"DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"}[v&3]
}

// RelocType is a relocation's type.
//
// Source: User Guide for AMDGPU Backend, table AMDGPU ELF Relocation Records.
type RelocType uint32

// Types of relocations with the relocated value, in the notation of the source:
// symbol S, addend A, place P, base B, entry G of the table GOT.
const (
	R_AMDGPU_NONE          RelocType = 0
	R_AMDGPU_ABS32_LO      RelocType = 1  // (S + A) & 0xffffffff
	R_AMDGPU_ABS32_HI      RelocType = 2  // (S + A) >> 32
	R_AMDGPU_ABS64         RelocType = 3  // S + A
	R_AMDGPU_REL32         RelocType = 4  // S + A − P
	R_AMDGPU_REL64         RelocType = 5  // S + A − P
	R_AMDGPU_ABS32         RelocType = 6  // S + A
	R_AMDGPU_GOTPCREL      RelocType = 7  // G + GOT + A − P
	R_AMDGPU_GOTPCREL32_LO RelocType = 8  // (G + GOT + A − P) & 0xffffffff
	R_AMDGPU_GOTPCREL32_HI RelocType = 9  // (G + GOT + A − P) >> 32
	R_AMDGPU_REL32_LO      RelocType = 10 // (S + A − P) & 0xffffffff
	R_AMDGPU_REL32_HI      RelocType = 11 // (S + A − P) >> 32
	R_AMDGPU_RELATIVE64    RelocType = 13 // B + A
	R_AMDGPU_REL16         RelocType = 14 // ((S + A − P) − 4) / 4
)

var relocNames = [...]string{
	"R_AMDGPU_NONE", "R_AMDGPU_ABS32_LO", "R_AMDGPU_ABS32_HI", "R_AMDGPU_ABS64",
	"R_AMDGPU_REL32", "R_AMDGPU_REL64", "R_AMDGPU_ABS32", "R_AMDGPU_GOTPCREL",
	"R_AMDGPU_GOTPCREL32_LO", "R_AMDGPU_GOTPCREL32_HI", "R_AMDGPU_REL32_LO",
	"R_AMDGPU_REL32_HI", 13: "R_AMDGPU_RELATIVE64", 14: "R_AMDGPU_REL16",
}

// String returns the name, such as "R_AMDGPU_ABS64", or the number.
func (t RelocType) String() string {
	if int(t) < len(relocNames) && relocNames[t] != "" {
		return relocNames[t]
	}
	return strconv.FormatUint(uint64(t), 10)
}

// RelocTypeByName returns the type of a name such as "R_AMDGPU_ABS64".
func RelocTypeByName(name string) (RelocType, bool) {
	for i, n := range relocNames {
		if n == name && n != "" {
			return RelocType(i), true
		}
	}
	return 0, false
}
