package ir

// Instr is one instruction, argument or debug record of a function.
type Instr struct {
	Op    Op
	Sub   uint8 // predicate, operation of atomicrmw, tail marker: see Op
	Flags Flags
	Type  Type // of the result
	X, Y  uint32
	Loc   Metadata // DILocation

	block      Block
	prev, next Value  // in the block; for a record: in its instruction's list
	ops, nOps  uint32 // operands in the pool
	firstUse   Use
	name       uint32 // place in the function's names plus one
	md         uint32 // first attachment plus one
	rec        Value  // first record before the instruction; for a record the instruction
}

// blockData is a basic block.
type blockData struct {
	first, last Value
	prev, next  Block
	firstUse    Use
	name        uint32
	epoch       uint32 // see Epoch
	alive       bool
}

// attachment is an entry of the list of an instruction's attachments.
type attachment struct {
	Attachment
	next uint32 // plus one
}

// Function is a function of a module: a declaration, or a definition with a body.
type Function struct {
	*Global
	CC          CallConv
	Attributes  AttrList
	GC          string
	Personality Value
	Prefix      Value // prefix data
	Prologue    Value // prologue data
	Intrinsic   Intrinsic

	instrs []Instr // 0 is unused, then the arguments
	pool   []Operand
	blocks []blockData // 0 is unused
	nArgs  int

	entry, last Block
	freeOps     [maxFreeOps + 1]uint32 // freed operands by their number, chained by Operand.next
	names       []byte
	aux         []uint32 // masks, indices, …
	atts        []attachment
	bundles     map[Value][]Bundle
	recordUses  map[Value]Use // uses of values by records and local metadata
	holes       int           // erased instructions
}

// maxFreeOps is the largest number of operands whose place is used again.
const maxFreeOps = 8

func newFunction(m *Module, g *Global) *Function {
	f := &Function{Global: g}
	params := m.TypeInfo(g.Type).Elems
	f.nArgs = len(params)
	f.Intrinsic = LookupIntrinsic(g.name)
	f.instrs = make([]Instr, 1+len(params))
	for i, t := range params {
		f.instrs[1+i] = Instr{Op: OpArg, Type: t, X: uint32(i)}
	}
	return f
}

// startBody makes room for a body.
func (f *Function) startBody() {
	if f.pool == nil {
		f.pool = make([]Operand, 1, 64)
		f.blocks = make([]blockData, 1, 8)
	}
}

// NumArgs gives the number of arguments (formal parameters).
func (f *Function) NumArgs() int { return f.nArgs }

// Arg gives argument i as a value.
func (f *Function) Arg(i int) Value {
	if i >= f.nArgs {
		panic("BUG: no such argument")
	}
	return Value(1 + i)
}

// ReturnType gives the type of the result.
func (f *Function) ReturnType() Type { return f.m.TypeInfo(f.Global.Type).Elem }

// NumValues gives the bound of the numbers of local values: all are below it.
func (f *Function) NumValues() int { return len(f.instrs) }

// NumBlocks gives the bound of the numbers of blocks: all are below it.
func (f *Function) NumBlocks() int { return len(f.blocks) }

// Instr gives an instruction, argument or record. The pointer is good until the next one is made.
func (f *Function) Instr(v Value) *Instr { return &f.instrs[v] }

// Op gives the operation of a local value, OpNone for other values.
func (f *Function) Op(v Value) Op {
	if v&tagMask != 0 {
		return OpNone
	}
	return f.instrs[v].Op
}

// TypeOf gives the type of any value.
func (f *Function) TypeOf(v Value) Type {
	switch v & tagMask {
	case 0:
		return f.instrs[v].Type
	case tagConst:
		return f.m.constAt(v).Type
	case tagBlock:
		return Label
	}
	return MD
}

// Parent gives the block of an instruction, 0 when it is in none.
func (f *Function) Parent(v Value) Block { return f.instrs[v].block }

// Entry gives the entry block, 0 for a declaration.
func (f *Function) Entry() Block { return f.entry }

// LastBlock gives the last block in the order of the text.
func (f *Function) LastBlock() Block { return f.last }

// NextBlock gives the block behind b, 0 at the end.
func (f *Function) NextBlock(b Block) Block { return f.blocks[b].next }

// PrevBlock gives the block before b, 0 at the begin.
func (f *Function) PrevBlock(b Block) Block { return f.blocks[b].prev }

// IsBlockAlive reports whether the block has not been erased.
func (f *Function) IsBlockAlive(b Block) bool { return f.blocks[b].alive }

// Epoch gives a number that changes when the order of a block's instructions may have changed other than by erasing some
// and by appending new ones. Analyses that number instructions compare it.
func (f *Function) Epoch(b Block) uint32 { return f.blocks[b].epoch }

// First gives the first instruction of a block, None when it is empty.
func (f *Function) First(b Block) Value { return f.blocks[b].first }

// Last gives the last instruction of a block, None when it is empty.
func (f *Function) Last(b Block) Value { return f.blocks[b].last }

// Next gives the instruction behind v in its block, None at the end.
func (f *Function) Next(v Value) Value { return f.instrs[v].next }

// Prev gives the instruction before v in its block, None at the begin.
func (f *Function) Prev(v Value) Value { return f.instrs[v].prev }

// Terminator gives the terminator of a block, None when there is none yet.
func (f *Function) Terminator(b Block) Value {
	if v := f.blocks[b].last; v != None && f.instrs[v].Op.IsTerminator() {
		return v
	}
	return None
}

// FirstNonPhi gives the first instruction of a block that is no phi, None when there is none.
func (f *Function) FirstNonPhi(b Block) Value {
	v := f.blocks[b].first
	for v != None && f.instrs[v].Op == OpPhi {
		v = f.instrs[v].next
	}
	return v
}

// NumOperands gives the number of operands.
func (f *Function) NumOperands(v Value) int { return int(f.instrs[v].nOps) }

// Operand gives operand i.
func (f *Function) Operand(v Value, i int) Value {
	in := &f.instrs[v]
	if uint(i) >= uint(in.nOps) {
		panic("BUG: no such operand")
	}
	return f.pool[in.ops+uint32(i)].Value
}

// Operands gives the operands. They are changed by SetOperand only, and the slice is good until operands are added to the
// function.
func (f *Function) Operands(v Value) []Operand {
	in := &f.instrs[v]
	return f.pool[in.ops : in.ops+in.nOps : in.ops+in.nOps]
}

// FirstUse gives the first use of a local value or block, 0 when it has none. Uses by debug records and metadata do not
// count. The order of uses is that of their making, the last one first.
func (f *Function) FirstUse(v Value) Use { return *f.useHead(v) }

// NextUse gives the next use of the same value, 0 at the end.
func (f *Function) NextUse(u Use) Use { return f.pool[u].next }

// User gives the instruction that a use belongs to.
func (f *Function) User(u Use) Value { return f.pool[u].user }

// UseIndex gives the number of the operand that a use is.
func (f *Function) UseIndex(u Use) int { return int(uint32(u) - f.instrs[f.pool[u].user].ops) }

// UseOf gives operand i as a use.
func (f *Function) UseOf(v Value, i int) Use { return Use(f.instrs[v].ops + uint32(i)) }

// HasUses reports whether a local value or block is used.
func (f *Function) HasUses(v Value) bool { return *f.useHead(v) != 0 }

// HasOneUse reports whether a local value or block is used exactly once.
func (f *Function) HasOneUse(v Value) bool {
	u := *f.useHead(v)
	return u != 0 && f.pool[u].next == 0
}

// HasUsesAtLeast reports whether a local value or block has n uses or more.
func (f *Function) HasUsesAtLeast(v Value, n int) bool {
	for u := *f.useHead(v); u != 0 && n > 0; u = f.pool[u].next {
		n--
	}
	return n <= 0
}

// useHead gives where the list of uses of a local value or block begins.
func (f *Function) useHead(v Value) *Use {
	if v&tagMask == tagBlock {
		return &f.blocks[v&indexMask].firstUse
	}
	if v&tagMask != 0 {
		panic("BUG: uses of a value that is not local")
	}
	return &f.instrs[v].firstUse
}

// FirstPred gives the first use of a block by a terminator, 0 when it has no predecessor. NextUse gives the others; a block
// that goes to b twice counts twice.
func (f *Function) FirstPred(b Block) Use { return f.blocks[b].firstUse }

// PredOf gives the block that a use found by FirstPred comes from.
func (f *Function) PredOf(u Use) Block { return f.instrs[f.pool[u].user].block }

// SinglePred gives the only predecessor of a block, 0 when there are none or several edges.
func (f *Function) SinglePred(b Block) Block {
	u := f.blocks[b].firstUse
	if u == 0 || f.pool[u].next != 0 {
		return 0
	}
	return f.PredOf(u)
}

// Successors gives the range of operands of a terminator that may hold successors: operands from lo to hi that are
// blocks are successors, in LLVM's order for switch, indirectbr, invoke and callbr, and for a conditional br as well.
func (f *Function) Successors(b Block) []Operand {
	t := f.Terminator(b)
	if t == None {
		return nil
	}
	ops := f.Operands(t)
	lo, hi := successorRange(f.instrs[t].Op, ops)
	return ops[lo:hi]
}

// successorRange gives where the successors of a terminator are; other operands between them are no blocks.
func successorRange(op Op, ops []Operand) (lo, hi int) {
	n := len(ops)
	switch op {
	case OpBr:
		return n / 3, n // one block, or two behind the condition
	case OpSwitch, OpIndirectBr, OpCatchSwitch, OpCatchRet, OpCleanupRet:
		return 1, n
	case OpInvoke:
		return n - 3, n - 1
	case OpCallBr:
		for lo = n - 1; lo > 0 && ops[lo-1].Value.IsBlock(); lo-- {
		}
		return lo, n - 1
	}
	return 0, 0
}

// CallSuccessors gives the successors of an invoke or callbr.
func (f *Function) CallSuccessors(v Value) []Operand {
	ops := f.Operands(v)
	lo, hi := successorRange(f.instrs[v].Op, ops)
	return ops[lo:hi]
}
