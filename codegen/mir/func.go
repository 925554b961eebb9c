package mir

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// Block is the number of a basic block in its function. 0 is none.
type Block uint32

// Symbol is the number of the name of something with an address, in its function.
type Symbol uint32

// Frame is the number of an object of the stack frame, in its function.
type Frame uint32

// Func is a function as machine instructions.
type Func struct {
	Name string
	M    *Machine

	// Layout is the order of the blocks in the code; the first one is the entry.
	Layout []Block
	// Objects are the objects of the frame; number 0 is none.
	Objects []FrameObject
	// Symbols are the names that operands refer to; number 0 is none.
	Symbols []string
	// Jumps are the functions that it ends in jumps to, "" for one whose name is not known.
	Jumps []string

	// Guard bounds the memory that the function takes, and lets the work on it be interrupted. It may be nil. CopyFrom and Reset leave it.
	Guard *ir.Guard

	instrs []instr // number 0 is none, here and below
	ops    []Operand
	blocks []block
	vregs  []vreg
	mems   []Mem
	free   Instr // erased instructions, chained by next
}

type block struct {
	first, last              Instr
	preds, succs             []Block // logical
	linearPreds, linearSuccs []Block
	depth                    uint8
	kind                     BlockKind
}

// BlockKind are bits about a block.
type BlockKind uint8

const (
	LoopHeader BlockKind = 1 << iota
	Linear               // no lane comes here by itself: the block has no logical edges
)

type vreg struct {
	file   File
	dwords uint8
	mask   bool
	hint   Reg
	def    Instr
}

// Mem is what is known about the memory that an instruction accesses.
type Mem struct {
	Size      uint64 // in bytes, 0 when it is not known
	Align     uint32 // in bytes
	AddrSpace uint8  // of LLVM IR
	Flags     MemFlags
	Ordering  ir.Ordering
	Scope     ir.SyncScope
	Value     ir.Value // the address in the IR, None when it is not known
	Offset    int64    // in bytes from Value
	Instr     ir.Value // the instruction of the IR, for its metadata
}

// MemFlags are bits about an access.
type MemFlags uint8

const (
	MemLoad MemFlags = 1 << iota
	MemStore
	MemVolatile
	MemNonTemporal
	MemInvariant // nothing writes it while the kernel runs
	MemDereferenceable
)

// FrameObject is an object of the stack frame.
type FrameObject struct {
	Size   uint64 // in bytes of one lane
	Align  uint32 // in bytes
	Offset int64  // in bytes of one lane, valid when the frame is laid out; of an argument from the start
	Spill  bool   // made by register allocation
	SGPR   bool   // holds scalar registers in lanes of a vector register
	In     bool   // arguments that the caller has put on the stack, Offset from where the stack pointer is at the entry
	Out    bool   // arguments of calls: at the stack pointer
	End    bool   // what is behind all others: the stack grows there while the function runs
}

// NewFunc makes a function without blocks.
func NewFunc(name string, m *Machine) *Func {
	f := new(Func)
	f.Reset(name, m)
	return f
}

// Reset makes the function a new one without blocks, in the same memory.
func (f *Func) Reset(name string, m *Machine) {
	f.Name, f.M, f.free = name, m, 0
	f.Layout = f.Layout[:0]
	f.Objects = append(f.Objects[:0], FrameObject{})
	f.Symbols = append(f.Symbols[:0], "")
	f.Jumps = f.Jumps[:0]
	f.instrs = append(f.instrs[:0], instr{})
	f.ops = f.ops[:0]
	f.vregs = append(f.vregs[:0], vreg{})
	f.mems = append(f.mems[:0], Mem{})
	f.blocks = f.blocks[:0]
	f.newBlock()
}

// newBlock takes the memory of a block of an earlier function when there is one.
func (f *Func) newBlock() Block {
	n := len(f.blocks)
	f.blocks = slices.Grow(f.blocks, 1)[:n+1]
	b := &f.blocks[n]
	*b = block{preds: b.preds[:0], succs: b.succs[:0], linearPreds: b.linearPreds[:0], linearSuccs: b.linearSuccs[:0]}
	return Block(n)
}

// NewBlock makes a block and puts it at the end of the layout.
func (f *Func) NewBlock() Block {
	b := f.newBlock()
	f.Layout = append(f.Layout, b)
	return b
}

// NumBlocks gives one more than the largest number of a block.
func (f *Func) NumBlocks() int { return len(f.blocks) }

// NumInstrs gives one more than the largest number of an instruction.
func (f *Func) NumInstrs() int { return len(f.instrs) }

// NumVirtual gives one more than the largest index of a virtual register.
func (f *Func) NumVirtual() int { return len(f.vregs) }

// First gives the first instruction of a block, 0 when it is empty.
func (f *Func) First(b Block) Instr { return f.blocks[b].first }

// Last gives the last instruction of a block, 0 when it is empty.
func (f *Func) Last(b Block) Instr { return f.blocks[b].last }

// FirstTerminator gives the first instruction of those that end a block, 0 when there is none.
func (f *Func) FirstTerminator(b Block) Instr {
	var at Instr
	for i := f.blocks[b].last; i != 0 && f.IsTerminator(i); i = f.instrs[i].prev {
		at = i
	}
	return at
}

// Preds gives the logical predecessors of a block.
func (f *Func) Preds(b Block) []Block { return f.blocks[b].preds }

// Succs gives the logical successors of a block.
func (f *Func) Succs(b Block) []Block { return f.blocks[b].succs }

// LinearPreds gives the linear predecessors of a block.
func (f *Func) LinearPreds(b Block) []Block { return f.blocks[b].linearPreds }

// LinearSuccs gives the linear successors of a block.
func (f *Func) LinearSuccs(b Block) []Block { return f.blocks[b].linearSuccs }

// AddEdge adds a logical edge.
func (f *Func) AddEdge(from, to Block) {
	f.blocks[from].succs = append(f.blocks[from].succs, to)
	f.blocks[to].preds = append(f.blocks[to].preds, from)
}

// AddLinearEdge adds a linear edge.
func (f *Func) AddLinearEdge(from, to Block) {
	f.blocks[from].linearSuccs = append(f.blocks[from].linearSuccs, to)
	f.blocks[to].linearPreds = append(f.blocks[to].linearPreds, from)
}

// ClearEdges takes all edges, logical and linear ones, away.
func (f *Func) ClearEdges() {
	for i := range f.blocks {
		b := &f.blocks[i]
		b.preds, b.succs, b.linearPreds, b.linearSuccs = b.preds[:0], b.succs[:0], b.linearPreds[:0], b.linearSuccs[:0]
	}
}

// Kind gives the kind of a block.
func (f *Func) Kind(b Block) BlockKind { return f.blocks[b].kind }

// SetKind replaces the kind of a block.
func (f *Func) SetKind(b Block, k BlockKind) { f.blocks[b].kind = k }

// LoopDepth gives the number of loops that a block is in.
func (f *Func) LoopDepth(b Block) int { return int(f.blocks[b].depth) }

// SetLoopDepth notes the number of loops that a block is in; more than 255 count as 255.
func (f *Func) SetLoopDepth(b Block, depth int) { f.blocks[b].depth = uint8(min(depth, 255)) }

// MaxDwords is the size of the largest virtual register.
const MaxDwords = 255

// NewReg makes a virtual register of 1 to MaxDwords dwords.
func (f *Func) NewReg(file File, dwords int) Reg {
	r := Virtual(len(f.vregs))
	f.vregs = append(f.vregs, vreg{file: file, dwords: uint8(dwords)})
	return r
}

// NewMask makes a virtual register for a lane mask: a bit for each lane, of which only those of lanes matter that
// are on where it is used.
func (f *Func) NewMask() Reg {
	r := f.NewReg(FileS, f.M.MaskDwords())
	f.vregs[r.Index()].mask = true
	return r
}

// IsMask reports whether a register was made by NewMask.
func (f *Func) IsMask(r Reg) bool { return r.IsVirtual() && f.vregs[r.Index()].mask }

// File gives the file of a register.
func (f *Func) File(r Reg) File {
	if r.IsVirtual() {
		return f.vregs[r.Index()].file
	}
	return r.physFile()
}

// Dwords gives the size of a virtual register in dwords.
func (f *Func) Dwords(r Reg) int { return int(f.vregs[r.Index()].dwords) }

// SetFile moves a virtual register to another file.
func (f *Func) SetFile(r Reg, file File) { f.vregs[r.Index()].file = file }

// Hint gives the physical register that a virtual one would best have, NoReg for any.
func (f *Func) Hint(r Reg) Reg { return f.vregs[r.Index()].hint }

// SetHint notes the physical register that a virtual one would best have.
func (f *Func) SetHint(r, phys Reg) { f.vregs[r.Index()].hint = phys }

// DefOf gives the instruction that defines a virtual register, 0 when none does. In SSA form there
// is one at most.
func (f *Func) DefOf(r Reg) Instr { return f.vregs[r.Index()].def }

// OperandDwords gives how many dwords an operand of KindReg is.
func (f *Func) OperandDwords(o *Operand) int {
	if r := o.Reg(); o.N == 0 && r.IsVirtual() {
		return f.Dwords(r)
	}
	return max(int(o.N), 1)
}

// Symbol gives the number of a name.
func (f *Func) Symbol(name string) Symbol {
	if i := slices.Index(f.Symbols, name); i > 0 {
		return Symbol(i)
	}
	f.Symbols = append(f.Symbols, name)
	return Symbol(len(f.Symbols) - 1)
}

// NewObject adds an object to the frame.
func (f *Func) NewObject(o FrameObject) Frame {
	f.Objects = append(f.Objects, o)
	return Frame(len(f.Objects) - 1)
}

// SplitEdge puts a new block on the edge from one block to another, logical and linear, and gives it. When there are linear
// edges the edge may be linear only, but not logical only; then it gives 0. The new block goes to the second one; in the layout it stands
// before it or, when the edge goes back, behind the first one.
func (f *Func) SplitEdge(from, to Block) Block {
	logical, linear := slices.Contains(f.blocks[from].succs, to), slices.Contains(f.blocks[from].linearSuccs, to)
	if !linear && (!logical || len(f.blocks[from].linearSuccs) > 0) {
		return 0
	}
	e := f.newBlock()
	x := &f.blocks[e]
	if linear {
		replaceBlock(f.blocks[from].linearSuccs, to, e)
		replaceBlock(f.blocks[to].linearPreds, from, e)
		x.linearPreds, x.linearSuccs = append(x.linearPreds, from), append(x.linearSuccs, to)
	}
	if logical {
		replaceBlock(f.blocks[from].succs, to, e)
		replaceBlock(f.blocks[to].preds, from, e)
		x.preds, x.succs = append(x.preds, from), append(x.succs, to)
	} else {
		x.kind = Linear
	}
	f.finishSplit(from, to, e)
	return e
}

// finishSplit makes branches and phis go by the new block on an edge, and gives it its place.
func (f *Func) finishSplit(from, to, e Block) {
	f.blocks[e].depth = min(f.blocks[from].depth, f.blocks[to].depth)
	f.Append(e, f.NewInstr(Br, 0, Target(to)))
	for i := f.blocks[from].last; i != 0 && f.IsTerminator(i); i = f.instrs[i].prev {
		replaceTarget(f.Uses(i), to, e)
	}
	for i := f.blocks[to].first; i != 0 && f.Op(i).IsPhi(); i = f.instrs[i].next {
		replaceTarget(f.Uses(i), from, e)
	}
	at, before := slices.Index(f.Layout, to), slices.Index(f.Layout, from)
	if at <= before {
		at = before + 1
	}
	f.Layout = slices.Insert(f.Layout, at, e)
}

// SplitBlock moves an instruction and all that follow it to a new block, and returns that. The new block follows the old one in the layout and takes over
// its outgoing edges. The old block then has neither a terminator nor successors.
func (f *Func) SplitBlock(at Instr) Block {
	b := f.instrs[at].block
	n := f.newBlock()
	x, y := &f.blocks[b], &f.blocks[n]
	y.depth, y.kind = x.depth, x.kind&^LoopHeader
	for i := at; i != 0; {
		next := f.instrs[i].next
		f.Unlink(i)
		f.Append(n, i)
		i = next
	}
	for _, s := range x.succs {
		replaceBlock(f.blocks[s].preds, b, n)
	}
	for _, s := range x.linearSuccs {
		replaceBlock(f.blocks[s].linearPreds, b, n)
	}
	x.succs, y.succs = y.succs, x.succs
	x.linearSuccs, y.linearSuccs = y.linearSuccs, x.linearSuccs
	f.Layout = slices.Insert(f.Layout, slices.Index(f.Layout, b)+1, n)
	return n
}

func replaceBlock(list []Block, from, to Block) {
	if n := slices.Index(list, from); n >= 0 {
		list[n] = to
	}
}

func replaceTarget(list []Operand, from, to Block) {
	for n := range list {
		if list[n].Kind == KindBlock && list[n].Block() == from {
			list[n].id = uint32(to)
		}
	}
}
