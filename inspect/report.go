package inspect

import "encoding/json"

// Report holds the facts about an object.
type Report struct {
	Target      Target       `json:"target"`
	Header      Header       `json:"header"`
	Segments    []Segment    `json:"segments"`
	Sections    []Section    `json:"sections"`
	Kernels     []Kernel     `json:"kernels"`
	Printf      []string     `json:"printf,omitempty"` // formats of printf, as in the metadata
	Notes       []Note       `json:"notes"`
	Symbols     []Symbol     `json:"symbols"`
	Relocations []Relocation `json:"relocations"`
	Findings    []Finding    `json:"findings"`
}

// Target is the target of the object.
type Target struct {
	ID                string `json:"id"` // in the form of the code object's version, "" if unknown
	Triple            string `json:"triple"`
	Processor         string `json:"processor,omitempty"`
	Generation        string `json:"generation,omitempty"`
	XNACK             string `json:"xnack,omitempty"` // "on", "off", "any", "unsupported"
	SRAMECC           string `json:"sramecc,omitempty"`
	CodeObjectVersion int    `json:"codeObjectVersion,omitempty"` // 2 to 6; 0 unless the OS is amdhsa
	GenericVersion    int    `json:"genericVersion,omitempty"`
	OSABI             string `json:"osABI"` // "amdhsa", "amdpal", "mesa3d", "none", or a number
}

// Header is the ELF header.
type Header struct {
	Class      int    `json:"class"` // 32 or 64
	Type       string `json:"type"`  // "REL", "DYN", "EXEC", or a number
	Machine    uint16 `json:"machine"`
	OSABI      uint8  `json:"osABI"`
	ABIVersion uint8  `json:"abiVersion"`
	Flags      uint32 `json:"flags"`
	Entry      uint64 `json:"entry"`
	Size       int    `json:"size"` // of the file in bytes
}

// Segment is a program header.
type Segment struct {
	Type     string `json:"type"`  // "LOAD", or a number
	Flags    string `json:"flags"` // of "RWX"
	Offset   uint64 `json:"offset"`
	VAddr    uint64 `json:"vaddr"`
	PAddr    uint64 `json:"paddr"`
	FileSize uint64 `json:"fileSize"`
	MemSize  uint64 `json:"memSize"`
	Align    uint64 `json:"align"`
}

// Section is a section header.
type Section struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`
	Type    string `json:"type"`  // "PROGBITS", or a number
	Flags   string `json:"flags"` // in the form of readelf: "AX"
	Addr    uint64 `json:"addr"`
	Offset  uint64 `json:"offset"`
	Size    uint64 `json:"size"`
	Link    uint32 `json:"link"`
	Info    uint32 `json:"info"`
	Align   uint64 `json:"align"`
	EntSize uint64 `json:"entSize"`
}

// Note is a record of a note section.
type Note struct {
	Owner    string          `json:"owner"`
	Type     string          `json:"type"`
	Offset   uint64          `json:"offset"` // in the file
	Size     int             `json:"size"`   // of the description in bytes
	Text     string          `json:"text"`   // the description; hexadecimal if the kind is unknown
	Document json.RawMessage `json:"document,omitempty"`
}

// Symbol is an entry of a symbol table.
type Symbol struct {
	Table   string `json:"table"` // ".symtab" or ".dynsym"
	Name    string `json:"name"`
	Value   uint64 `json:"value"`
	Size    uint64 `json:"size"`
	Bind    string `json:"bind"`
	Type    string `json:"type"`
	Vis     string `json:"visibility"`
	Other   uint8  `json:"other,omitempty"`
	Section string `json:"section"` // name, or "UND", "ABS", …
}

// Relocation is an entry of a relocation section.
type Relocation struct {
	Section string `json:"section"` // that holds the relocation
	Offset  uint64 `json:"offset"`
	Type    string `json:"type"`
	Symbol  string `json:"symbol,omitempty"`
	Addend  int64  `json:"addend"`
}

// Kernel merges the descriptor, the metadata and the code of a kernel. Unknown
// values are nil or 0.
type Kernel struct {
	Name        string `json:"name"`
	Symbol      string `json:"symbol,omitempty"` // of the descriptor, or of the amd_kernel_code_t
	HasMetadata bool   `json:"hasMetadata"`

	VGPRs Registers `json:"vgprs"`
	AGPRs Registers `json:"agprs"`
	SGPRs Registers `json:"sgprs"`
	// UnifiedVGPRs reports whether VGPRs and AGPRs share one allocation (gfx90a
	// on). If so, VGPRs.Metadata counts both.
	UnifiedVGPRs bool `json:"unifiedVGPRs"`

	LDS          uint64 `json:"lds"`          // bytes per work-group, without additions by the dispatch
	DynamicLDS   bool   `json:"dynamicLDS"`   // the dispatch may add to LDS: an argument of kind dynamic_shared_pointer, or the hidden size
	Scratch      uint64 `json:"scratch"`      // bytes per work-item
	DynamicStack bool   `json:"dynamicStack"` // the kernel may need more than Scratch

	KernargSize  uint64 `json:"kernargSize"`
	KernargAlign uint64 `json:"kernargAlign,omitempty"`
	Args         []Arg  `json:"args"`

	WaveSize          int      `json:"waveSize,omitempty"`
	MaxFlatWorkGroup  uint64   `json:"maxFlatWorkGroupSize,omitempty"`
	ReqdWorkGroup     []uint64 `json:"reqdWorkGroupSize,omitempty"`
	WorkGroupHint     []uint64 `json:"workGroupSizeHint,omitempty"`
	MaxWorkGroups     []uint64 `json:"maxWorkGroups,omitempty"` // X, Y, Z; 0: unspecified
	ClusterDims       []uint64 `json:"clusterDims,omitempty"`
	UniformWorkGroups *bool    `json:"uniformWorkGroupSize,omitempty"`
	WGPMode           *bool    `json:"workGroupProcessorMode,omitempty"` // gfx10 on
	Kind              string   `json:"kind,omitempty"`                   // "init", "fini"
	Language          string   `json:"language,omitempty"`
	VecTypeHint       string   `json:"vecTypeHint,omitempty"`

	Code       *Code       `json:"code,omitempty"`
	Occupancy  *Occupancy  `json:"occupancy,omitempty"`
	Descriptor *Descriptor `json:"descriptor,omitempty"`
}

// Registers holds numbers of registers of one kind. Unknown numbers are nil.
type Registers struct {
	Granted  *int `json:"granted,omitempty"`  // by the descriptor
	Metadata *int `json:"metadata,omitempty"` // in the metadata
	Used     *int `json:"used,omitempty"`     // one more than the highest in the kernel's own instructions, without its callees
	Spilled  *int `json:"spilled,omitempty"`  // by the compiler
}

// Arg is an argument in the kernarg segment.
type Arg struct {
	Offset       uint64 `json:"offset"`
	Size         uint64 `json:"size"`
	Name         string `json:"name,omitempty"`
	Kind         string `json:"kind"` // "by_value", "global_buffer", "hidden_…", …
	Type         string `json:"type,omitempty"`
	ValueType    string `json:"valueType,omitempty"` // V2 and early V3: "i32"
	AddressSpace string `json:"addressSpace,omitempty"`
	Access       string `json:"access,omitempty"`
	ActualAccess string `json:"actualAccess,omitempty"`
	PointeeAlign uint64 `json:"pointeeAlign,omitempty"`
	Qualifiers   string `json:"qualifiers,omitempty"` // of "const restrict volatile pipe"
	Hidden       bool   `json:"hidden"`
}

// Code is a kernel's instructions.
type Code struct {
	Section string `json:"section"`
	Address uint64 `json:"address"` // in a relocatable object the offset in the section
	Offset  uint64 `json:"offset"`  // in the file
	Size    uint64 `json:"size"`    // bytes; up to the next symbol if no symbol has a size

	Instructions int  `json:"instructions"`
	Undecodable  int  `json:"undecodable,omitempty"` // dwords that are not instructions
	UsesVCC      bool `json:"usesVCC"`
	UsesFlatScr  bool `json:"usesFlatScratch,omitempty"`
}

// Descriptor is a kernel descriptor, or an amd_kernel_code_t (V2).
type Descriptor struct {
	Kind    string  `json:"kind"`    // "kernel descriptor" or "amd_kernel_code_t"
	Section string  `json:"section"` //
	Address uint64  `json:"address"` // in a relocatable object the offset in the section
	Offset  uint64  `json:"offset"`  // in the file
	Entry   int64   `json:"entryByteOffset"`
	Fields  []Field `json:"fields"`
}

// Field is a field of a descriptor.
type Field struct {
	Name    string `json:"name"`
	Word    string `json:"word,omitempty"`    // that contains the field, such as "compute_pgm_rsrc1"
	Bits    string `json:"bits,omitempty"`    // "5:0" in the word
	Value   int64  `json:"value"`             // of the bits
	Meaning string `json:"meaning,omitempty"` // "yes", "64 VGPRs"
}

// Finding is an error or an inconsistency.
type Finding struct {
	Code     string `json:"code"`             // one of the codes of FindingCodes
	Severity string `json:"severity"`         // "error", "warning"
	Kernel   string `json:"kernel,omitempty"` // the affected kernel
	Place    string `json:"place,omitempty"`  // location: "file offset 0x40", "metadata amdhsa.kernels[0].name"
	Message  string `json:"message"`
}

// Severities of findings. With an error the code does not work as intended; a
// warning reports an oddity or a violation of the specification.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Errors returns the number of findings that are errors.
func (r *Report) Errors() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == SeverityError {
			n++
		}
	}
	return n
}
