package mir

// OperandKind is the kind of an operand.
type OperandKind uint8

const (
	KindNone   OperandKind = iota // a missing part of an address
	KindReg                       // Reg, or N of its dwords from dword Sub on
	KindImm                       // Imm
	KindBlock                     // Block
	KindSymbol                    // the address of symbol Sym plus Imm, or the part of it that Half selects
	KindFrame                     // the offset of frame object Frame plus Imm, known after frame layout
)

// OperandFlags is a set of operand properties.
type OperandFlags uint8

const (
	Kill  OperandFlags = 1 << iota // last use of the register: set by liveness, read by register allocation
	Undef                          // the register's value is irrelevant
	Early                          // a result written before all sources are read
	Dead                           // an unused result
)

// Operand is a result or source of an instruction, 16 bytes in size.
//
// A result has Sub 0 and N 0, all of its register. Imm holds a constant with
// the width of the operand: 32 bits, zero-extended or sign-extended; 64 bits
// for 64-bit operands; or the bits of a floating-point value.
type Operand struct {
	Kind  OperandKind
	Flags OperandFlags
	Sub   uint8  // first dword of the register to use
	N     uint8  // number of dwords, 0 for the whole register
	id    uint32 // register, block, symbol or frame object
	Imm   int64
}

// None is a missing operand.
var None = Operand{}

// R returns an operand for a whole register.
func R(r Reg) Operand { return Operand{Kind: KindReg, id: uint32(r)} }

// Phys returns an operand for a tuple of n physical registers.
func Phys(r Reg, n int) Operand { return Operand{Kind: KindReg, id: uint32(r), N: uint8(n)} }

// Part returns an operand for n dwords of a virtual register, from dword sub
// on.
func Part(r Reg, sub, n int) Operand {
	return Operand{Kind: KindReg, id: uint32(r), Sub: uint8(sub), N: uint8(n)}
}

// Imm returns a constant operand.
func Imm(x int64) Operand { return Operand{Kind: KindImm, Imm: x} }

// Target returns an operand that refers to a block.
func Target(b Block) Operand { return Operand{Kind: KindBlock, id: uint32(b)} }

// SymbolHalf selects the bits of a symbol's address for an operand, and their
// relocation (user guide, "Relocation Records").
type SymbolHalf uint8

const (
	SymbolAbs32Lo SymbolHalf = iota
	SymbolAbs32Hi
	SymbolRel32Lo // relative to the relocated place
	SymbolRel32Hi
	SymbolGotRel32Lo // the address of the GOT entry
	SymbolGotRel32Hi
)

// SymbolAddr returns an operand for a part of a symbol's address
// ([Func.Symbol]) plus an addend.
func SymbolAddr(sym Symbol, half SymbolHalf, addend int64) Operand {
	return Operand{Kind: KindSymbol, id: uint32(sym), Sub: uint8(half), Imm: addend}
}

// FrameAddr returns an operand for the frame offset of an object plus an
// addend, in bytes.
func FrameAddr(object Frame, addend int64) Operand {
	return Operand{Kind: KindFrame, id: uint32(object), Imm: addend}
}

// Reg returns the register of a KindReg operand, NoReg for others.
func (o *Operand) Reg() Reg {
	if o.Kind != KindReg {
		return NoReg
	}
	return Reg(o.id)
}

// SetReg replaces the operand's register and selects all of it.
func (o *Operand) SetReg(r Reg) { *o = Operand{Kind: KindReg, Flags: o.Flags, id: uint32(r)} }

// Block returns the block of a KindBlock operand.
func (o *Operand) Block() Block { return Block(o.id) }

// Symbol returns the symbol of a KindSymbol operand.
func (o *Operand) Symbol() Symbol { return Symbol(o.id) }

// Half returns the selected part of a KindSymbol operand's address.
func (o *Operand) Half() SymbolHalf { return SymbolHalf(o.Sub) }

// Frame returns the frame object of a KindFrame operand.
func (o *Operand) Frame() Frame { return Frame(o.id) }

// IsVirtual reports whether the operand is a virtual register or part of one.
func (o *Operand) IsVirtual() bool { return o.Kind == KindReg && Reg(o.id).IsVirtual() }

// IsImm reports whether the operand is the constant x.
func (o *Operand) IsImm(x int64) bool { return o.Kind == KindImm && o.Imm == x }
