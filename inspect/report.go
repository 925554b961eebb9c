package inspect

import "encoding/json"

// Report holds the facts about an object.
type Report struct {
	Target      Target       `json:"target"`             // target, from the header and the metadata
	Catalyst    *Catalyst    `json:"catalyst,omitempty"` // of a binary of AMD Catalyst
	Header      Header       `json:"header"`             // ELF header
	Segments    []Segment    `json:"segments"`           // program headers, in file order
	Sections    []Section    `json:"sections"`           // section headers, in file order
	Kernels     []Kernel     `json:"kernels"`            // kernels of the descriptors and of the metadata
	Printf      []string     `json:"printf,omitempty"`   // formats of printf, as in the metadata
	Notes       []Note       `json:"notes"`              // note records, in file order
	Symbols     []Symbol     `json:"symbols"`            // entries of .symtab, then of .dynsym
	Relocations []Relocation `json:"relocations"`        // relocations, in file order
	Findings    []Finding    `json:"findings"`           // errors and inconsistencies
}

// Target is the target of the object.
type Target struct {
	ID                string `json:"id"`                          // in the form of the code object's version, "" if unknown
	Triple            string `json:"triple"`                      // "amdgcn-amd-amdhsa"
	Processor         string `json:"processor,omitempty"`         // LLVM's name, such as "gfx90a"
	Generation        string `json:"generation,omitempty"`        // such as "gfx9"
	XNACK             string `json:"xnack,omitempty"`             // "on", "off", "any", "unsupported"
	SRAMECC           string `json:"sramecc,omitempty"`           // as XNACK
	CodeObjectVersion int    `json:"codeObjectVersion,omitempty"` // 2 to 6; 0 unless the OS is amdhsa
	GenericVersion    int    `json:"genericVersion,omitempty"`    // version of a generic processor, 1 to 255; 0 for other processors
	OSABI             string `json:"osABI"`                       // "amdhsa", "amdpal", "mesa3d", "none", or a number
}

// Header is the ELF header.
type Header struct {
	Class      int    `json:"class"`      // 32 or 64
	Type       string `json:"type"`       // "REL", "DYN", "EXEC", or a number
	Machine    uint16 `json:"machine"`    // e_machine
	OSABI      uint8  `json:"osABI"`      // EI_OSABI
	ABIVersion uint8  `json:"abiVersion"` // EI_ABIVERSION
	Flags      uint32 `json:"flags"`      // e_flags
	Entry      uint64 `json:"entry"`      // e_entry
	Size       int    `json:"size"`       // of the file in bytes
}

// Segment is a program header.
type Segment struct {
	Type     string `json:"type"`     // "LOAD", or a number
	Flags    string `json:"flags"`    // of "RWX"
	Offset   uint64 `json:"offset"`   // in the file
	VAddr    uint64 `json:"vaddr"`    // address
	PAddr    uint64 `json:"paddr"`    // physical address, without a meaning on GPUs
	FileSize uint64 `json:"fileSize"` // in bytes
	MemSize  uint64 `json:"memSize"`  // in bytes
	Align    uint64 `json:"align"`    // in bytes
}

// Section is a section header.
type Section struct {
	Index   int    `json:"index"`   // from 0
	Name    string `json:"name"`    // name from .shstrtab
	Type    string `json:"type"`    // "PROGBITS", or a number
	Flags   string `json:"flags"`   // in the form of readelf: "AX"
	Addr    uint64 `json:"addr"`    // address; 0 in a relocatable object
	Offset  uint64 `json:"offset"`  // in the file
	Size    uint64 `json:"size"`    // in bytes
	Link    uint32 `json:"link"`    // sh_link
	Info    uint32 `json:"info"`    // sh_info
	Align   uint64 `json:"align"`   // in bytes
	EntSize uint64 `json:"entSize"` // size of an entry in bytes; 0 without entries of one size
}

// Note is a record of a note section.
type Note struct {
	Owner    string          `json:"owner"`              // "AMDGPU", "AMD", …
	Type     string          `json:"type"`               // "NT_AMDGPU_METADATA", or a number
	Offset   uint64          `json:"offset"`             // in the file
	Size     int             `json:"size"`               // of the description in bytes
	Text     string          `json:"text"`               // the description; hexadecimal if the kind is unknown
	Document json.RawMessage `json:"document,omitempty"` // metadata as JSON
	Kernel   string          `json:"kernel,omitempty"`   // of a Catalyst binary, whose kernels have notes of their own
}

// Symbol is an entry of a symbol table.
type Symbol struct {
	Table   string `json:"table"`           // ".symtab" or ".dynsym"
	Name    string `json:"name"`            // name from the string table
	Value   uint64 `json:"value"`           // address; in a relocatable object the offset in the section
	Size    uint64 `json:"size"`            // in bytes
	Bind    string `json:"bind"`            // "LOCAL", "GLOBAL", …
	Type    string `json:"type"`            // "FUNC", "OBJECT", …
	Vis     string `json:"visibility"`      // "DEFAULT", "PROTECTED", …
	Other   uint8  `json:"other,omitempty"` // bits of st_other besides the visibility
	Section string `json:"section"`         // name, or "UND", "ABS", …
}

// Relocation is an entry of a relocation section.
type Relocation struct {
	Section string `json:"section"`          // that holds the relocation
	Offset  uint64 `json:"offset"`           // address; in a relocatable object the offset in the section
	Type    string `json:"type"`             // "R_AMDGPU_REL32", …
	Symbol  string `json:"symbol,omitempty"` // name; "" for none
	Addend  int64  `json:"addend"`           // explicit or implicit addend
}

// Kernel merges the descriptor, the metadata and the code of a kernel. Unknown
// values are nil or 0.
type Kernel struct {
	Name        string `json:"name"`             // name without ".kd"
	Symbol      string `json:"symbol,omitempty"` // of the descriptor, or of the amd_kernel_code_t
	HasMetadata bool   `json:"hasMetadata"`      // the metadata describe the kernel

	VGPRs Registers `json:"vgprs"` // vector registers
	AGPRs Registers `json:"agprs"` // accumulation registers
	SGPRs Registers `json:"sgprs"` // scalar registers, with VCC and the other special registers
	// UnifiedVGPRs reports whether VGPRs and AGPRs share one allocation (gfx90a
	// on). If so, VGPRs.Metadata counts both.
	UnifiedVGPRs bool `json:"unifiedVGPRs"`

	LDS          uint64 `json:"lds"`          // bytes per work-group, without additions by the dispatch
	DynamicLDS   bool   `json:"dynamicLDS"`   // the dispatch may add to LDS: an argument of kind dynamic_shared_pointer, or the hidden size
	Scratch      uint64 `json:"scratch"`      // bytes per work-item
	DynamicStack bool   `json:"dynamicStack"` // the kernel may need more than Scratch

	KernargSize  uint64 `json:"kernargSize"`            // bytes of arguments
	KernargAlign uint64 `json:"kernargAlign,omitempty"` // alignment of the arguments in bytes
	Args         []Arg  `json:"args"`                   // arguments, from the metadata

	WaveSize          int      `json:"waveSize,omitempty"`               // work-items: 32 or 64
	MaxFlatWorkGroup  uint64   `json:"maxFlatWorkGroupSize,omitempty"`   // work-items
	ReqdWorkGroup     []uint64 `json:"reqdWorkGroupSize,omitempty"`      // X, Y, Z in work-items: reqd_work_group_size
	WorkGroupHint     []uint64 `json:"workGroupSizeHint,omitempty"`      // X, Y, Z in work-items: work_group_size_hint
	MaxWorkGroups     []uint64 `json:"maxWorkGroups,omitempty"`          // X, Y, Z; 0: unspecified
	ClusterDims       []uint64 `json:"clusterDims,omitempty"`            // X, Y, Z in work-groups
	UniformWorkGroups *bool    `json:"uniformWorkGroupSize,omitempty"`   // the grid is a multiple of the work-group
	WGPMode           *bool    `json:"workGroupProcessorMode,omitempty"` // gfx10 on
	Kind              string   `json:"kind,omitempty"`                   // "init", "fini"
	Language          string   `json:"language,omitempty"`               // language of the source, such as "OpenCL C"
	VecTypeHint       string   `json:"vecTypeHint,omitempty"`            // type of vec_type_hint

	Code       *Code       `json:"code,omitempty"`       // instructions; nil if the entry is unknown
	Occupancy  *Occupancy  `json:"occupancy,omitempty"`  // waves on the processor; nil if its registers or limits are unknown
	Descriptor *Descriptor `json:"descriptor,omitempty"` // fields of the descriptor; nil without one

	Catalyst *CatalystKernel `json:"catalyst,omitempty"` // of a Catalyst binary
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
	Offset       uint64 `json:"offset"`                 // bytes, in the kernarg segment
	Size         uint64 `json:"size"`                   // bytes
	Name         string `json:"name,omitempty"`         // name in the source
	Kind         string `json:"kind"`                   // "by_value", "global_buffer", "hidden_…", …
	Type         string `json:"type,omitempty"`         // type in the source, such as "float*"
	ValueType    string `json:"valueType,omitempty"`    // V2 and early V3: "i32"
	AddressSpace string `json:"addressSpace,omitempty"` // of a pointer, such as "global"
	Access       string `json:"access,omitempty"`       // "read_only", "write_only", "read_write"
	ActualAccess string `json:"actualAccess,omitempty"` // access that the compiler found
	PointeeAlign uint64 `json:"pointeeAlign,omitempty"` // bytes, of LDS for a dynamic_shared_pointer
	Qualifiers   string `json:"qualifiers,omitempty"`   // of "const restrict volatile pipe"
	Hidden       bool   `json:"hidden"`                 // the runtime passes it, not the caller
}

// Code is a kernel's instructions.
type Code struct {
	Section string `json:"section"` // name of the section
	Address uint64 `json:"address"` // in a relocatable object the offset in the section
	Offset  uint64 `json:"offset"`  // in the file
	Size    uint64 `json:"size"`    // bytes; up to the next symbol if no symbol has a size

	Instructions int  `json:"instructions"`              // number of instructions
	Undecodable  int  `json:"undecodable,omitempty"`     // dwords that are not instructions
	UsesVCC      bool `json:"usesVCC"`                   // an instruction reads or writes VCC
	UsesFlatScr  bool `json:"usesFlatScratch,omitempty"` // an instruction reads or writes FLAT_SCRATCH
}

// Descriptor is a kernel descriptor, or an amd_kernel_code_t (V2).
type Descriptor struct {
	Kind    string  `json:"kind"`            // "kernel descriptor" or "amd_kernel_code_t"
	Section string  `json:"section"`         // name of the section
	Address uint64  `json:"address"`         // in a relocatable object the offset in the section
	Offset  uint64  `json:"offset"`          // in the file
	Entry   int64   `json:"entryByteOffset"` // address of the code relative to the descriptor, in bytes
	Fields  []Field `json:"fields"`          // fields, in the order of the descriptor
}

// Field is a field of a descriptor.
type Field struct {
	Name    string `json:"name"`              // name in the User Guide for AMDGPU Backend
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
	Message  string `json:"message"`          // the violated rule, with the relevant values
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
