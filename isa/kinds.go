package isa

// Kinds are properties of an instruction that its encodings share, one bit each.
// They are the traits of isa/table that begin with "op.".
type Kinds uint64

// Any reports whether any property of x is set.
func (k Kinds) Any(x Kinds) bool { return k&x != 0 }

// Kinds returns the properties of the instruction.
func (o Op) Kinds() Kinds { return opKinds[o] }

// Kinds returns the properties of the encoding's instruction.
func (e Enc) Kinds() Kinds { return opKinds[encs[e].op] }

// Base returns the instruction that a half of a VOPD pair performs, or the
// comparison whose result a v_cmpx instruction writes to EXEC. It returns o
// itself for other instructions.
func (o Op) Base() Op {
	if b := opBases[o]; b != 0 {
		return b
	}
	return o
}

// Space is the address space of a memory instruction.
type Space uint8

// Address spaces, named after the forms of instructions that access them.
const (
	NoSpace      Space = iota // no access to memory
	SpaceFlat                 // global memory, LDS or scratch memory, by the aperture of the address
	SpaceGlobal               // global memory
	SpaceScratch              // scratch memory, swizzled
	SpaceBuffer               // memory described by a buffer resource
	SpaceTBuffer              // buffer, with the format of the data in the instruction
	SpaceImage
	SpaceLDS
	SpaceScalar // scalar memory
	SpaceScalarBuffer
	SpaceScalarScratch
)

// Access is the kind of access of a memory instruction.
type Access uint8

// Kinds of accesses.
const (
	NoAccess     Access = iota
	AccessLoad          // reads memory
	AccessStore         // writes memory
	AccessAtomic        // reads and writes memory as one operation
)

// Memory describes the access of a load, store or atomic, as its name specifies
// it.
type Memory struct {
	Space    Space  // address space; NoSpace without an access
	Access   Access // load, store or atomic
	Bytes    uint8  // size of an element in memory; 0 for an atomic and with Format
	Comps    uint8  // number of components, with Format
	Count    uint8  // number of addresses of an LDS access: 1 or 2
	Stride64 bool   // the offsets of two addresses are multiplied by 64
	Signed   bool   // a small element is sign-extended
	Format   bool   // the access converts the data
	D16      bool   // the data is in 16-bit halves of registers
	Hi       bool   // the data is in the high half of the register
	AddTID   bool   // the lane's number is part of the address
	Float    bool   // atomic on floating-point numbers
}

// Memory returns the access of an instruction. Its Space is NoSpace for an
// instruction that is not a load, store or atomic, or that transforms its data.
func (o Op) Memory() Memory { return opMemory[o] }
