package isa

// Files is a set of register files and other things that an operand takes.
type Files uint8

const (
	FileV Files = 1 << iota // VGPRs
	FileA                   // AGPRs (accumulation registers)
	FileS                   // SGPRs and the special scalar registers
	FileC                   // constants: inline ones, and literals where the type has them
)

// ClassFlags restrict the values of a class.
type ClassFlags uint16

const (
	Half     ClassFlags = 1 << iota // one half of a VGPR, written .l or .h
	Lo128                           // VGPRs 0 to 127 only
	Lo256                           // VGPRs 0 to 255 only, independent of s_set_vgpr_msb
	NoM0                            // not m0
	NoExec                          // not exec
	NoNull                          // not null
	LDS                             // lds_direct too
	Mask                            // a lane mask: one SGPR with 32 lanes, two with 64
	NoExecHi                        // not exec_hi
	Odd                             // tuples may begin at any register, whatever the set
)

// ClassInfo describes the values of a register class.
type ClassInfo struct {
	Files  Files      // register files and other sources
	Dwords uint8      // size of a register tuple, 0 for a size that other operands decide
	Flags  ClassFlags // exceptions and additions
}

// Info returns the values of a register class. It is the zero value for another
// class (an immediate with a syntax of its own).
func (c Class) Info() ClassInfo { return classInfos[c] }

// Class is the kind of an operand: a register class such as v2 or vs1, or the
// kind of an immediate such as hwreg.
type Class uint8

// String returns the name of the class in isa/table.
func (c Class) String() string { return classNames[c] }

// Type is the way in which constants of an operand are read.
type Type uint8

// The types, named after LLVM's operand types. A type that starts with C takes
// inline constants only, one with K is a mandatory literal.
const (
	NoType Type = iota
	I16
	I32
	I64
	F16
	F32
	F64
	BF16
	V2I16
	V2F16
	V2BF16
	V2I32
	V2F32
	V2F16Splat    // v_pk_fmac_f16: a literal is replicated
	V2F16NoInline // no inline constants
	CI16
	CI32
	CI64
	CF16
	CF32
	CF64
	CBF16
	CV2I16
	CV2F16
	CV2BF16
	SplitBarrier // inline integers: a barrier's number
	K16
	K32
	K64
)

// Base returns the element type of an inline-only type or mandatory literal.
func (t Type) Base() Type { return typeInfos[t].base }

// InlineOnly reports whether a constant must be an inline one.
func (t Type) InlineOnly() bool { return typeInfos[t].inlineOnly }

// Bits returns the size of the operand that the type describes: 16, 32 or 64.
func (t Type) Bits() int { return int(typeInfos[t].bits) }

// Float reports whether the type is of floating point.
func (t Type) Float() bool { return typeInfos[t].float }

// Packed reports whether the type has two elements.
func (t Type) Packed() bool { return typeInfos[t].packed }

var typeInfos = [...]struct {
	base       Type
	bits       uint8
	float      bool
	packed     bool
	inlineOnly bool
}{
	NoType:        {NoType, 32, false, false, false},
	I16:           {I16, 16, false, false, false},
	I32:           {I32, 32, false, false, false},
	I64:           {I64, 64, false, false, false},
	F16:           {F16, 16, true, false, false},
	F32:           {F32, 32, true, false, false},
	F64:           {F64, 64, true, false, false},
	BF16:          {BF16, 16, true, false, false},
	V2I16:         {V2I16, 16, false, true, false},
	V2F16:         {V2F16, 16, true, true, false},
	V2BF16:        {V2BF16, 16, true, true, false},
	V2I32:         {V2I32, 32, false, true, false},
	V2F32:         {V2F32, 32, true, true, false},
	V2F16Splat:    {V2F16Splat, 16, true, true, false},
	V2F16NoInline: {V2F16NoInline, 16, true, true, false},
	CI16:          {I16, 16, false, false, true},
	CI32:          {I32, 32, false, false, true},
	CI64:          {I64, 64, false, false, true},
	CF16:          {F16, 16, true, false, true},
	CF32:          {F32, 32, true, false, true},
	CF64:          {F64, 64, true, false, true},
	CBF16:         {BF16, 16, true, false, true},
	CV2I16:        {V2I16, 16, false, true, true},
	CV2F16:        {V2F16, 16, true, true, true},
	CV2BF16:       {V2BF16, 16, true, true, true},
	SplitBarrier:  {I32, 32, false, false, true},
	K16:           {F16, 16, true, false, false},
	K32:           {F32, 32, true, false, false},
	K64:           {F64, 64, true, false, false},
}
