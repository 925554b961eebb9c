package mir

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// Block is the index of a basic block in its function. 0 means none.
type Block uint32

// Symbol is the index of a symbol name in its function.
type Symbol uint32

// Frame is the index of a stack frame object in its function.
type Frame uint32

// Func is a function in machine instructions.
type Func struct {
	Name string
	M    *Machine

	// Layout lists the blocks in code order, entry first.
	Layout []Block
	// Objects holds the frame objects; index 0 is unused.
	Objects []FrameObject
	// Symbols holds the names that operands refer to; index 0 is unused.
	Symbols []string
	// Jumps lists the functions that f tail-calls, "" for an unknown one.
	Jumps []string

	// Guard bounds the memory that the function uses, and allows the
	// compilation to be interrupted. It may be nil. CopyFrom and Reset preserve
	// it.
	Guard *ir.Guard

	instrs []instr // index 0 is unused, also in the slices below
	ops    []Operand
	blocks []block
	vregs  []vreg
	mems   []Mem
	free   Instr // erased instructions, linked by next
}

type block struct {
	first, last              Instr
	preds, succs             []Block // logical
	linearPreds, linearSuccs []Block
	depth                    uint8
	kind                     BlockKind
}

// BlockKind is a set of block properties.
type BlockKind uint8

const (
	LoopHeader BlockKind = 1 << iota
	Linear               // reached only by the wave: no logical edges
)

type vreg struct {
	file   File
	dwords uint8
	mask   bool
	hint   Reg
	def    Instr
}

// Mem describes the memory that an instruction accesses.
type Mem struct {
	Size      uint64 // in bytes, 0 if unknown
	Align     uint32 // in bytes
	AddrSpace uint8  // LLVM IR address space
	Flags     MemFlags
	Ordering  ir.Ordering
	Scope     ir.SyncScope
	Value     ir.Value // base address in the IR, None if unknown
	Offset    int64    // in bytes from Value
	Instr     ir.Value // instruction in the IR, for its metadata
}

// MemFlags is a set of memory access properties.
type MemFlags uint8

const (
	MemLoad MemFlags = 1 << iota
	MemStore
	MemVolatile
	MemNonTemporal
	MemInvariant // never written while the kernel runs
	MemDereferenceable
	MemLastUse // the data are not used again
)

// FrameObject is an object of the stack frame.
type FrameObject struct {
	Size   uint64 // in bytes per lane
	Align  uint32 // in bytes
	Offset int64  // in bytes per lane, valid after frame layout; of an argument, from the entry stack pointer
	Spill  bool   // created by register allocation
	SGPR   bool   // holds SGPRs in lanes of a VGPR
	In     bool   // incoming stack arguments; Offset is relative to the entry stack pointer
	Out    bool   // outgoing stack arguments, at the stack pointer
	End    bool   // marks the end of the frame, where the stack grows while the function runs
}

// NewFunc returns a function without blocks.
func NewFunc(name string, m *Machine) *Func {
	f := new(Func)
	f.Reset(name, m)
	return f
}

// Reset removes the function's contents and sets its name and machine. It keeps
// the memory for reuse.
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

// newBlock reuses the memory of a block of an earlier function if possible.
func (f *Func) newBlock() Block {
	n := len(f.blocks)
	f.blocks = slices.Grow(f.blocks, 1)[:n+1]
	b := &f.blocks[n]
	*b = block{preds: b.preds[:0], succs: b.succs[:0], linearPreds: b.linearPreds[:0], linearSuccs: b.linearSuccs[:0]}
	return Block(n)
}

// NewBlock creates a block and appends it to the layout.
func (f *Func) NewBlock() Block {
	b := f.newBlock()
	f.Layout = append(f.Layout, b)
	return b
}

// NumBlocks returns one more than the largest block index.
func (f *Func) NumBlocks() int { return len(f.blocks) }

// NumInstrs returns one more than the largest instruction index.
func (f *Func) NumInstrs() int { return len(f.instrs) }

// NumVirtual returns one more than the largest virtual register index.
func (f *Func) NumVirtual() int { return len(f.vregs) }

// First returns the first instruction of a block, 0 if the block is empty.
func (f *Func) First(b Block) Instr { return f.blocks[b].first }

// Last returns the last instruction of a block, 0 if the block is empty.
func (f *Func) Last(b Block) Instr { return f.blocks[b].last }

// FirstTerminator returns the first terminator of a block, 0 if it has none.
func (f *Func) FirstTerminator(b Block) Instr {
	var at Instr
	for i := f.blocks[b].last; i != 0 && f.IsTerminator(i); i = f.instrs[i].prev {
		at = i
	}
	return at
}

// Preds returns the logical predecessors of a block.
func (f *Func) Preds(b Block) []Block { return f.blocks[b].preds }

// Succs returns the logical successors of a block.
func (f *Func) Succs(b Block) []Block { return f.blocks[b].succs }

// LinearPreds returns the linear predecessors of a block.
func (f *Func) LinearPreds(b Block) []Block { return f.blocks[b].linearPreds }

// LinearSuccs returns the linear successors of a block.
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

// ClearEdges removes all logical and linear edges.
func (f *Func) ClearEdges() {
	for i := range f.blocks {
		b := &f.blocks[i]
		b.preds, b.succs, b.linearPreds, b.linearSuccs = b.preds[:0], b.succs[:0], b.linearPreds[:0], b.linearSuccs[:0]
	}
}

// Kind returns the kind of a block.
func (f *Func) Kind(b Block) BlockKind { return f.blocks[b].kind }

// SetKind replaces the kind of a block.
func (f *Func) SetKind(b Block, k BlockKind) { f.blocks[b].kind = k }

// LoopDepth returns the number of loops that contain a block.
func (f *Func) LoopDepth(b Block) int { return int(f.blocks[b].depth) }

// SetLoopDepth sets the number of loops that contain a block, capped at 255.
func (f *Func) SetLoopDepth(b Block, depth int) { f.blocks[b].depth = uint8(min(depth, 255)) }

// MaxDwords is the maximum size of a virtual register in dwords.
const MaxDwords = 255

// NewReg creates a virtual register of 1 to MaxDwords dwords.
func (f *Func) NewReg(file File, dwords int) Reg {
	r := Virtual(len(f.vregs))
	f.vregs = append(f.vregs, vreg{file: file, dwords: uint8(dwords)})
	return r
}

// NewMask creates a virtual register for a lane mask, with one bit for each
// lane. Only the bits of lanes that are active at a use are meaningful there.
func (f *Func) NewMask() Reg {
	r := f.NewReg(FileS, f.M.MaskDwords())
	f.vregs[r.Index()].mask = true
	return r
}

// IsMask reports whether NewMask created r.
func (f *Func) IsMask(r Reg) bool { return r.IsVirtual() && f.vregs[r.Index()].mask }

// File returns the file of a register.
func (f *Func) File(r Reg) File {
	if r.IsVirtual() {
		return f.vregs[r.Index()].file
	}
	return r.physFile()
}

// Dwords returns the size of a virtual register in dwords.
func (f *Func) Dwords(r Reg) int { return int(f.vregs[r.Index()].dwords) }

// SetFile changes the file of a virtual register.
func (f *Func) SetFile(r Reg, file File) { f.vregs[r.Index()].file = file }

// Hint returns the preferred physical register of a virtual one, NoReg for
// none.
func (f *Func) Hint(r Reg) Reg { return f.vregs[r.Index()].hint }

// SetHint sets the preferred physical register of a virtual one.
func (f *Func) SetHint(r, phys Reg) { f.vregs[r.Index()].hint = phys }

// DefOf returns the instruction that defines a virtual register, 0 for none. In
// SSA form, a register has at most one definition.
func (f *Func) DefOf(r Reg) Instr { return f.vregs[r.Index()].def }

// OperandDwords returns the size of a KindReg operand in dwords.
func (f *Func) OperandDwords(o *Operand) int {
	if r := o.Reg(); o.N == 0 && r.IsVirtual() {
		return f.Dwords(r)
	}
	return max(int(o.N), 1)
}

// Symbol returns the symbol with a name, adding it if necessary.
func (f *Func) Symbol(name string) Symbol {
	if i := slices.Index(f.Symbols, name); i > 0 {
		return Symbol(i)
	}
	f.Symbols = append(f.Symbols, name)
	return Symbol(len(f.Symbols) - 1)
}

// NewObject adds a frame object.
func (f *Func) NewObject(o FrameObject) Frame {
	f.Objects = append(f.Objects, o)
	return Frame(len(f.Objects) - 1)
}

// SplitEdge inserts a new block on the logical and linear edges between two
// blocks, and returns it. If the function has linear edges, the edge may be
// only linear; for an edge that is only logical, SplitEdge returns 0. In the
// layout, the new block precedes to; on a back edge, it follows from.
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

// finishSplit redirects branches and phis to the new block e on an edge, and
// inserts e into the layout.
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

// SplitBlock moves an instruction and all that follow it to a new block, and
// returns the block. The new block follows the old one in the layout and
// inherits its outgoing edges. The old block has neither terminators nor
// successors afterwards.
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
