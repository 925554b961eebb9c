package mir

// OperandKind says what an operand is.
type OperandKind uint8

const (
	KindNone   OperandKind = iota // nothing: a part of an address that is not there
	KindReg                       // Reg, or N dwords of it from dword Sub on
	KindImm                       // Imm
	KindBlock                     // Block
	KindSymbol                    // the address of symbol Sym plus Imm, or the half of it that Half says
	KindFrame                     // the offset of frame object Frame plus Imm, known when the frame is laid out
)

// OperandFlags are bits about an operand.
type OperandFlags uint8

const (
	Kill  OperandFlags = 1 << iota // no later use of the register: set by liveness, read by register allocation
	Undef                          // the register's value does not matter
	Early                          // a result that is written before all sources are read
	Dead                           // a result that is not used
)

// Operand is a result or source of an instruction: 16 bytes.
//
// A result has Sub 0 and N 0 (all of its register). Constants are in Imm as the instruction's operand is
// wide: 32 bits zero-extended or sign-extended alike, 64 bits for 64-bit operands, floating point as its bits.
type Operand struct {
	Kind  OperandKind
	Flags OperandFlags
	Sub   uint8  // first dword of the register that is meant
	N     uint8  // number of dwords, 0 for all of the register's
	id    uint32 // register, block, symbol, frame object
	Imm   int64
}

// None is an operand that is not there.
var None = Operand{}

// R is an operand of a whole register.
func R(r Reg) Operand { return Operand{Kind: KindReg, id: uint32(r)} }

// Phys is an operand of a tuple of n physical registers.
func Phys(r Reg, n int) Operand { return Operand{Kind: KindReg, id: uint32(r), N: uint8(n)} }

// Part is an operand of n dwords of a virtual register, from dword sub on.
func Part(r Reg, sub, n int) Operand {
	return Operand{Kind: KindReg, id: uint32(r), Sub: uint8(sub), N: uint8(n)}
}

// Imm is a constant.
func Imm(x int64) Operand { return Operand{Kind: KindImm, Imm: x} }

// Target is an operand that is a block.
func Target(b Block) Operand { return Operand{Kind: KindBlock, id: uint32(b)} }

// SymbolHalf says which bits of a symbol's address an operand is, and how they are relocated
// (user guide, "Relocation Records").
type SymbolHalf uint8

const (
	SymbolAbs32Lo SymbolHalf = iota
	SymbolAbs32Hi
	SymbolRel32Lo // relative to the place
	SymbolRel32Hi
	SymbolGotRel32Lo // the address of the address
	SymbolGotRel32Hi
)

// SymbolAddr is a half of the address of a symbol of the function ([Func.Symbol]) plus an addend.
func SymbolAddr(sym Symbol, half SymbolHalf, addend int64) Operand {
	return Operand{Kind: KindSymbol, id: uint32(sym), Sub: uint8(half), Imm: addend}
}

// FrameAddr is the offset in the frame of an object plus an addend, in bytes.
func FrameAddr(object Frame, addend int64) Operand {
	return Operand{Kind: KindFrame, id: uint32(object), Imm: addend}
}

// Reg gives the register of an operand of KindReg, NoReg for others.
func (o *Operand) Reg() Reg {
	if o.Kind != KindReg {
		return NoReg
	}
	return Reg(o.id)
}

// SetReg makes the operand name another register, and all of it.
func (o *Operand) SetReg(r Reg) { *o = Operand{Kind: KindReg, Flags: o.Flags, id: uint32(r)} }

// Block gives the block of an operand of KindBlock.
func (o *Operand) Block() Block { return Block(o.id) }

// Symbol gives the symbol of an operand of KindSymbol.
func (o *Operand) Symbol() Symbol { return Symbol(o.id) }

// Half gives which half an operand of KindSymbol is.
func (o *Operand) Half() SymbolHalf { return SymbolHalf(o.Sub) }

// Frame gives the frame object of an operand of KindFrame.
func (o *Operand) Frame() Frame { return Frame(o.id) }

// IsVirtual reports whether the operand is a virtual register or a part of one.
func (o *Operand) IsVirtual() bool { return o.Kind == KindReg && Reg(o.id).IsVirtual() }

// IsImm reports whether the operand is the constant x.
func (o *Operand) IsImm(x int64) bool { return o.Kind == KindImm && o.Imm == x }
