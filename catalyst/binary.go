package catalyst

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// Binary is a binary for one device.
type Binary struct {
	Device *Device
	Wide   bool // 64-bit: ELF64, and addresses of 64 bits in kernels

	CompileOptions string // the compiler's options
	Driver         Driver // the driver that wrote the file

	// GlobalData is the constant data that all kernels share. A file without
	// kernels only has its size.
	GlobalData []byte
	// MissingData is the size in bytes of the global data of a file without
	// kernels that was read. It counts only if GlobalData is empty.
	MissingData uint32

	Kernels  []Kernel
	Sections []Section // further sections of the file
	Symbols  []Symbol  // further symbols of the file
}

// Kernel is a kernel with its own ELF file.
type Kernel struct {
	Name string

	// Config is the kernel's configuration, or nil. If it is given, Metadata,
	// Header and Notes are made from it when the file is written, and their
	// values here do not count.
	Config   *Config
	Metadata []byte // text, one fact per line
	Header   []byte // 32 bytes by convention
	Notes    []Note // in file order

	Code    []byte
	CodeOff uint64 // of Code in a file that was read

	// Data is the contents of .data. A kernel without DataGiven has 4736 zero
	// bytes instead, which the file distinguishes from the same data given.
	Data      []byte
	DataGiven bool

	Sections []Section // further sections
	Symbols  []Symbol  // further symbols
}

// NoteType is the type of a note. There can be notes of types without a name.
type NoteType uint32

// Types of notes with their contents.
const (
	ProgInfo          NoteType = 1  // pairs of address and value
	Inputs            NoteType = 2  // ids of readable images, words
	Outputs           NoteType = 3  // empty
	CondOut           NoteType = 4  // one word
	Float32Consts     NoteType = 5  // pairs of offset and size
	Int32Consts       NoteType = 6  // pairs of offset and size
	Bool32Consts      NoteType = 7  // pairs of offset and size
	EarlyExit         NoteType = 8  // one word
	GlobalBuffers     NoteType = 9  // empty
	ConstantBuffers   NoteType = 10 // pairs of buffer and size in 16 bytes
	InputSamplers     NoteType = 11 // pairs of input and sampler
	PersistentBuffers NoteType = 12 // empty
	ScratchBuffers    NoteType = 13 // one word, the size in dwords
	SubConstBuffers   NoteType = 14 // empty
	UAVMailboxSize    NoteType = 15 // one word
	UAV               NoteType = 16 // quadruples of id, kind, dimension and type
	UAVOpMask         NoteType = 17 // a bit for each UAV, 128 bytes
)

// noteNames holds the names of the types of notes.
var noteNames = [...]string{
	ProgInfo: "ProgInfo", Inputs: "Inputs", Outputs: "Outputs", CondOut: "CondOut", Float32Consts: "Float32Consts",
	Int32Consts: "Int32Consts", Bool32Consts: "Bool32Consts", EarlyExit: "EarlyExit", GlobalBuffers: "GlobalBuffers",
	ConstantBuffers: "ConstantBuffers", InputSamplers: "InputSamplers", PersistentBuffers: "PersistentBuffers",
	ScratchBuffers: "ScratchBuffers", SubConstBuffers: "SubConstBuffers", UAVMailboxSize: "UAVMailboxSize", UAV: "UAV",
	UAVOpMask: "UAVOpMask",
}

// String returns the name of the constant, or the number.
func (t NoteType) String() string {
	if int64(t) < int64(len(noteNames)) && t != 0 {
		return noteNames[t]
	}
	return strconv.FormatUint(uint64(t), 10)
}

// Note is a note of a kernel's ELF file. Its owner is "ATI CAL".
type Note struct {
	Type NoteType
	Desc []byte // description
	Off  uint64 // of the note in a file that was read
}

// Section is a section of the file or of a kernel besides those that every
// file or kernel has.
type Section struct {
	Name  string
	Type  codeobject.SectionType  // SHT_PROGBITS, SHT_NOTE or SHT_NOBITS
	Flags codeobject.SectionFlags // SHF_ALLOC, SHF_WRITE, SHF_EXECINSTR
	Align uint64                  // a power of 2 in bytes, or 0
	Data  []byte                  // contents, nil for SHT_NOBITS
	Size  uint64                  // size in bytes of a section SHT_NOBITS
}

// SectionIndex is the section of a Symbol: an index in Sections of its binary
// or kernel, or one of the constants.
type SectionIndex int

// Other sections of symbols.
const (
	AbsoluteSymbol SectionIndex = -1 // a number instead of a place
	CodeSection    SectionIndex = -2 // a kernel's code
	DataSection    SectionIndex = -3 // a kernel's data
)

// Symbol is a symbol of the file or of a kernel besides those that describe
// kernels.
type Symbol struct {
	Name    string
	Section SectionIndex
	Bind    codeobject.SymBind
	Type    codeobject.SymType
	Value   uint64
	Size    uint64
}
