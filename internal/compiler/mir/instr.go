package mir

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/gfx-toolchain/gfx/isa"
)

// Instr is the index of an instruction in its function. 0 means none.
type Instr uint32

// instr is one instruction, 44 bytes in size.
type instr struct {
	op         Op
	flags      Flags
	mods       Mods
	ext        Ext
	mem        uint32 // index of a Mem, 0 for none
	loc        uint32 // debug location, an ir.Metadata
	block      Block
	prev, next Instr
	ops        uint32 // first operand in the pool; results are first
	defs, num  uint16 // number of results, number of all operands
	room       uint16 // number of operands allocated in the pool
}

// Flags is a set of instruction properties.
type Flags uint16

const (
	FrameSetup Flags = 1 << iota // part of the prologue
	FrameDestroy
	WholeWave // runs with all lanes active, whatever the value of EXEC
	NoReorder // keeps its order among memory accesses, barriers and instructions with this flag
	Short     // use the short encoding: set by register allocation when the operands fit
	Soft      // a wait that is needed only if an operation it waits for is outstanding
	Dual      // forms one instruction with the next one (VOPD)
	Graphics  // a call with the convention of graphics functions

	FenceRelease // a fence before the instruction releases; for the list of atomic accesses in the code object
	FenceAcquire // it acquires
	FenceCluster // its scope is at least the cluster, otherwise the work-group
	FenceAgent   // its scope is at least the agent
)

// Mods holds the modifiers of an instruction except those in Ext. Vector ALU
// instructions use Neg to OMod, matrix instructions CBSZ to BLGP, memory
// instructions the cache policy and the rest.
type Mods uint32

const (
	Neg0     Mods = 1 << 0 // negate source 0; of a packed operation, of its low half. Neg0<<i for source i
	Abs0     Mods = 1 << 3 // absolute value of source 0, Abs0<<i for source i; of a packed operation, negate its high half
	OpSel0   Mods = 1 << 6 // use the high half of source 0 (for the low half of the result). OpSel0<<3 for the result
	OpSelHi0 Mods = 1 << 10
	Clamp    Mods = 1 << 13
	OModMask Mods = 3 << 14
	OMod2    Mods = 1 << 14
	OMod4    Mods = 2 << 14
	OModHalf Mods = 3 << 14

	Offen    Mods = 1 << 16
	Idxen    Mods = 1 << 17
	GDS      Mods = 1 << 18
	TFE      Mods = 1 << 19
	Addr64   Mods = 1 << 20 // MUBUF of gfx6 and gfx7: the vector address has 64 bits
	CPolBits Mods = 0xfff   // an isa.CPol

	FormatShift      = 21 // 7 bits: the MTBUF format in the processor's numbering
	FormatBits  Mods = 0x7f << FormatShift

	cbszShift  = 0
	abidShift  = 4
	blgpShift  = 8
	scaleShift = 12
	MatrixNeg  = Neg0 << 16 // from gfx940 on, v_mfma of doubles encodes neg in BLGP
)

// OpSelHiAll makes a packed operation compute each half of its result from the
// same half of each source.
const OpSelHiAll = 7 * OpSelHi0

// BitOp3 packs the truth table of V_BITOP3_B32 and V_BITOP3_B16, which is encoded
// in the fields of other modifiers.
func BitOp3(table uint8) Mods {
	x := Mods(table)
	return x&7*Neg0 | x>>3&7*Abs0 | x>>6&3*OMod2
}

// Matrix packs the modifiers of a matrix instruction.
func Matrix(cbsz, abid, blgp uint32) Mods {
	return Mods(cbsz<<cbszShift | abid<<abidShift | blgp<<blgpShift)
}

// Matrix unpacks the modifiers of a matrix instruction.
func (m Mods) Matrix() (cbsz, abid, blgp uint32) {
	return uint32(m >> cbszShift & 7), uint32(m >> abidShift & 15), uint32(m >> blgpShift & 7)
}

// Scale packs the modifiers of a scaled matrix instruction: the selected byte
// of each scale.
func Scale(a, b uint32) Mods { return Mods(a<<scaleShift | b<<(scaleShift+2)) }

// Scale unpacks the modifiers of a scaled matrix instruction.
func (m Mods) Scale() (a, b uint32) {
	return uint32(m >> scaleShift & 3), uint32(m >> (scaleShift + 2) & 3)
}

// CPol returns the cache policy of a memory instruction.
func (m Mods) CPol() isa.CPol { return isa.CPol(m & CPolBits) }

// Ext holds the fields of a DPP or SDWA dword; 0 means none.
type Ext uint32

// ExtKind is the kind of the extra dword.
type ExtKind uint8

const (
	ExtNone ExtKind = iota
	ExtDPP
	ExtDPP8
	ExtSDWA
)

const extKindShift = 30

// Kind returns the kind of the extra dword.
func (x Ext) Kind() ExtKind { return ExtKind(x >> extKindShift) }

// DPP holds the fields of a DPP16 dword, which moves source 0 between lanes. A
// lane without a source lane keeps its old value, the last source of the
// instruction, or gets 0 with BoundCtrl.
type DPP struct {
	Ctrl               uint16 // 9 bits, see isa.AppendDPPCtrl
	RowMask, BankMask  uint8  // 4 bits
	BoundCtrl, FetchIn bool
}

// Ext packs the fields.
func (d DPP) Ext() Ext {
	x := Ext(d.Ctrl) | Ext(d.RowMask)<<9 | Ext(d.BankMask)<<13 | Ext(ExtDPP)<<extKindShift
	return x | bit(d.BoundCtrl, 17) | bit(d.FetchIn, 18)
}

// DPP unpacks the fields.
func (x Ext) DPP() DPP {
	return DPP{Ctrl: uint16(x & 0x1ff), RowMask: uint8(x >> 9 & 15), BankMask: uint8(x >> 13 & 15), BoundCtrl: x>>17&1 != 0, FetchIn: x>>18&1 != 0}
}

// DPP8Ext packs the eight lane numbers of DPP8, three bits each, lane 0 lowest.
func DPP8Ext(lanes uint32, fetchIn bool) Ext {
	return Ext(lanes&0xffffff) | bit(fetchIn, 24) | Ext(ExtDPP8)<<extKindShift
}

// DPP8 unpacks the fields of DPP8Ext.
func (x Ext) DPP8() (lanes uint32, fetchIn bool) { return uint32(x & 0xffffff), x>>24&1 != 0 }

// SDWA holds the fields of an SDWA dword. Selections use the encoding's values:
// 0 to 3 for a byte, 4 and 5 for a word, 6 for the dword.
type SDWA struct {
	DstSel, DstUnused uint8
	SrcSel            [2]uint8
	Sext              [2]bool
}

// Ext packs the fields.
func (s SDWA) Ext() Ext {
	x := Ext(s.DstSel) | Ext(s.DstUnused)<<3 | Ext(s.SrcSel[0])<<5 | Ext(s.SrcSel[1])<<8 | Ext(ExtSDWA)<<extKindShift
	return x | bit(s.Sext[0], 11) | bit(s.Sext[1], 12)
}

// SDWA unpacks the fields.
func (x Ext) SDWA() SDWA {
	return SDWA{DstSel: uint8(x & 7), DstUnused: uint8(x >> 3 & 3), SrcSel: [2]uint8{uint8(x >> 5 & 7), uint8(x >> 8 & 7)},
		Sext: [2]bool{x>>11&1 != 0, x>>12&1 != 0}}
}

func bit(on bool, at int) Ext {
	if on {
		return 1 << at
	}
	return 0
}

// Op returns the operation of an instruction.
func (f *Func) Op(i Instr) Op { return f.instrs[i].op }

// Info returns the description of an instruction's operation on f's machine.
func (f *Func) Info(i Instr) *OpInfo { return f.M.Info(f.instrs[i].op) }

// SetOp changes the operation of an instruction, whose operands must fit it.
func (f *Func) SetOp(i Instr, op Op) { f.instrs[i].op = op }

// Flags returns the flags of an instruction.
func (f *Func) Flags(i Instr) Flags { return f.instrs[i].flags }

// SetFlags replaces the flags of an instruction.
func (f *Func) SetFlags(i Instr, x Flags) { f.instrs[i].flags = x }

// Mods returns the modifiers of an instruction.
func (f *Func) Mods(i Instr) Mods { return f.instrs[i].mods }

// SetMods replaces the modifiers of an instruction.
func (f *Func) SetMods(i Instr, x Mods) { f.instrs[i].mods = x }

// Ext returns the extra dword of an instruction.
func (f *Func) Ext(i Instr) Ext { return f.instrs[i].ext }

// SetExt replaces the extra dword of an instruction.
func (f *Func) SetExt(i Instr, x Ext) { f.instrs[i].ext = x }

// Loc returns the debug location of an instruction, an ir.Metadata.
func (f *Func) Loc(i Instr) uint32 { return f.instrs[i].loc }

// SetLoc replaces the debug location of an instruction.
func (f *Func) SetLoc(i Instr, loc uint32) { f.instrs[i].loc = loc }

// Parent returns the block of an instruction, 0 if it is in none.
func (f *Func) Parent(i Instr) Block { return f.instrs[i].block }

// Next returns the following instruction in the block, 0 at the end.
func (f *Func) Next(i Instr) Instr { return f.instrs[i].next }

// Prev returns the preceding instruction in the block, 0 at the start.
func (f *Func) Prev(i Instr) Instr { return f.instrs[i].prev }

// Defs returns the results of an instruction. The slice is valid until the next
// instruction is created.
func (f *Func) Defs(i Instr) []Operand {
	in := &f.instrs[i]
	return f.ops[in.ops : in.ops+uint32(in.defs)]
}

// Uses returns the sources of an instruction. The slice is valid until the next
// instruction is created.
func (f *Func) Uses(i Instr) []Operand {
	in := &f.instrs[i]
	return f.ops[in.ops+uint32(in.defs) : in.ops+uint32(in.num)]
}

// Operands returns the results and sources of an instruction. The slice is
// valid until the next instruction is created.
func (f *Func) Operands(i Instr) []Operand {
	in := &f.instrs[i]
	return f.ops[in.ops : in.ops+uint32(in.num)]
}

// Def returns the register of result n.
func (f *Func) Def(i Instr, n int) Reg {
	in := &f.instrs[i]
	return f.ops[in.ops+uint32(n)].Reg()
}

// Use returns source n. The pointer is valid until the next instruction is
// created.
func (f *Func) Use(i Instr, n int) *Operand {
	in := &f.instrs[i]
	return &f.ops[in.ops+uint32(in.defs)+uint32(n)]
}

// MaxOperands is the maximum number of operands of one instruction. Parallel
// copies of all vector registers have 1024, phis two for each predecessor.
const MaxOperands = math.MaxUint16

// NewInstr creates an instruction outside any block. The first defs operands
// are its results.
func (f *Func) NewInstr(op Op, defs int, operands ...Operand) Instr {
	if len(operands) > MaxOperands {
		panic(tooManyOperands{})
	}
	i := f.free
	if i != 0 {
		f.free = f.instrs[i].next
	} else {
		i = Instr(len(f.instrs))
		if len(f.instrs) == cap(f.instrs) {
			f.growInstrs()
		}
		f.instrs = append(f.instrs, instr{})
	}
	f.Guard.Check()
	f.instrs[i] = instr{op: op, ops: uint32(len(f.ops)), defs: uint16(defs), num: uint16(len(operands)), room: uint16(len(operands))}
	if n := len(f.ops) + len(operands); n > cap(f.ops) {
		f.Guard.Room(int64(n) * int64(unsafe.Sizeof(Operand{})))
	}
	f.ops = append(f.ops, operands...)
	f.noteDefs(i)
	return i
}

// tooManyOperands is the error for an instruction that exceeds MaxOperands,
// such as a phi in a block with very many predecessors.
type tooManyOperands struct{}

func (e tooManyOperands) Error() string { return e.LimitError() }

// LimitError marks the error as a limit of the representation.
func (tooManyOperands) LimitError() string {
	return "one instruction has more than " + strconv.Itoa(MaxOperands) + " operands: a block has too many predecessors"
}

// growInstrs allocates room for more instructions.
func (f *Func) growInstrs() {
	f.Guard.Room(int64(len(f.instrs)) * int64(unsafe.Sizeof(instr{})+4*unsafe.Sizeof(Operand{})))
	f.instrs = slices.Grow(f.instrs, 1)
}

// noteDefs records an instruction as the definition of its virtual results.
func (f *Func) noteDefs(i Instr) {
	for _, o := range f.Defs(i) {
		if r := o.Reg(); r.IsVirtual() {
			f.vregs[r.Index()].def = i
		}
	}
}

// SetOperands replaces the operands of an instruction.
func (f *Func) SetOperands(i Instr, defs int, operands ...Operand) {
	in := &f.instrs[i]
	if len(operands) > int(in.room) {
		if len(operands) > MaxOperands {
			panic(tooManyOperands{})
		}
		in.ops, in.room = uint32(len(f.ops)), uint16(len(operands))
		f.ops = append(f.ops, operands...)
	} else {
		copy(f.ops[in.ops:], operands)
	}
	in.defs, in.num = uint16(defs), uint16(len(operands))
	f.noteDefs(i)
}

// Append adds an instruction at the end of a block.
func (f *Func) Append(b Block, i Instr) {
	f.link(b, f.blocks[b].last, i, 0)
}

// InsertBefore inserts an instruction before another one.
func (f *Func) InsertBefore(i, at Instr) {
	f.link(f.instrs[at].block, f.instrs[at].prev, i, at)
}

// InsertAfter inserts an instruction after another one.
func (f *Func) InsertAfter(i, at Instr) {
	f.link(f.instrs[at].block, at, i, f.instrs[at].next)
}

// Prepend inserts an instruction at the start of a block.
func (f *Func) Prepend(b Block, i Instr) {
	f.link(b, 0, i, f.blocks[b].first)
}

func (f *Func) link(b Block, prev, i, next Instr) {
	in := &f.instrs[i]
	if in.block != 0 {
		panic("BUG: mir: instruction is already in a block")
	}
	in.block, in.prev, in.next = b, prev, next
	if prev != 0 {
		f.instrs[prev].next = i
	} else {
		f.blocks[b].first = i
	}
	if next != 0 {
		f.instrs[next].prev = i
	} else {
		f.blocks[b].last = i
	}
}

// Unlink removes an instruction from its block.
func (f *Func) Unlink(i Instr) {
	in := &f.instrs[i]
	b := &f.blocks[in.block]
	if in.prev != 0 {
		f.instrs[in.prev].next = in.next
	} else {
		b.first = in.next
	}
	if in.next != 0 {
		f.instrs[in.next].prev = in.prev
	} else {
		b.last = in.prev
	}
	in.block, in.prev, in.next = 0, 0, 0
}

// Erase removes an instruction from its block and frees its index for reuse.
func (f *Func) Erase(i Instr) {
	if f.instrs[i].block != 0 {
		f.Unlink(i)
	}
	f.instrs[i] = instr{next: f.free}
	f.free = i
}

// IsTerminator reports whether an instruction ends its block.
func (f *Func) IsTerminator(i Instr) bool { return f.Info(i).Flags&Terminator != 0 }

// Mem returns the memory access of an instruction, or nil. The pointer is valid
// until the next access is added.
func (f *Func) Mem(i Instr) *Mem {
	if n := f.instrs[i].mem; n != 0 {
		return &f.mems[n]
	}
	return nil
}

// SetMem sets the memory access of an instruction.
func (f *Func) SetMem(i Instr, m Mem) {
	f.instrs[i].mem = uint32(len(f.mems))
	f.mems = append(f.mems, m)
}

// CopyInfo copies the debug location and the memory access of an instruction to
// another one.
func (f *Func) CopyInfo(to, from Instr) {
	f.instrs[to].loc, f.instrs[to].mem = f.instrs[from].loc, f.instrs[from].mem
}
