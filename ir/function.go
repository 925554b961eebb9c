package ir

// Instr is an instruction, argument or debug record of a function.
type Instr struct {
	Op    Op       // operation; decides the meaning of Sub, X and Y
	Sub   uint8    // predicate, atomicrmw operation or tail marker: see Op
	Flags Flags    // flags, see Flags
	Type  Type     // result type
	X, Y  uint32   // see Op
	Loc   Metadata // DILocation

	block      Block
	prev, next Value  // in the block, or for a record in its instruction's list
	ops, nOps  uint32 // operands in the pool
	firstUse   Use
	name       uint32 // index into the function's names plus one
	md         uint32 // index of the first attachment plus one
	rec        Value  // first record before the instruction; for a record, its instruction
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

// attachment is an entry in an instruction's list of attachments.
type attachment struct {
	Attachment
	next uint32 // index plus one
}

// Function is a function of a module: a declaration, or a definition with a body.
type Function struct {
	*Global
	CC          CallConv  // calling convention
	Attributes  AttrList  // attributes of the function, its result and its parameters
	GC          string    // name of the garbage collector; "" for none
	Personality Value     // personality function; None for none
	Prefix      Value     // prefix data
	Prologue    Value     // prologue data
	Intrinsic   Intrinsic // intrinsic function; 0 for other functions

	instrs []Instr // entry 0 is unused; arguments precede instructions
	pool   []Operand
	blocks []blockData // 0 is unused
	nArgs  int

	entry, last Block
	freeOps     [maxFreeOps + 1]uint32 // freed operand ranges by length, linked through Operand.next
	names       []byte
	aux         []uint32 // masks, indices and similar data
	atts        []attachment
	bundles     map[Value][]Bundle
	recordUses  map[Value]Use // uses of values by records and local metadata
	holes       int           // number of erased instructions
}

// maxFreeOps is the largest operand count whose pool range is reused.
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

// startBody allocates an empty body.
func (f *Function) startBody() {
	if f.pool == nil {
		f.pool = make([]Operand, 1, 64)
		f.blocks = make([]blockData, 1, 8)
	}
}

// NumArgs returns the number of formal parameters.
func (f *Function) NumArgs() int { return f.nArgs }

// Arg returns argument i.
func (f *Function) Arg(i int) Value {
	if i >= f.nArgs {
		panic("BUG: argument index out of range")
	}
	return Value(1 + i)
}

// ReturnType returns the result type.
func (f *Function) ReturnType() Type { return f.m.TypeInfo(f.Global.Type).Elem }

// NumValues returns an exclusive upper bound for the numbers of local values.
func (f *Function) NumValues() int { return len(f.instrs) }

// NumBlocks returns an exclusive upper bound for the numbers of blocks.
func (f *Function) NumBlocks() int { return len(f.blocks) }

// Instr returns an instruction, argument or record. The pointer is valid until
// the next instruction is created.
func (f *Function) Instr(v Value) *Instr { return &f.instrs[v] }

// Op returns the operation of a local value, or OpNone for other values.
func (f *Function) Op(v Value) Op {
	if v&tagMask != 0 {
		return OpNone
	}
	return f.instrs[v].Op
}

// TypeOf returns the type of any value.
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

// Parent returns the block of an instruction, or 0 if it is in none.
func (f *Function) Parent(v Value) Block { return f.instrs[v].block }

// Entry returns the entry block, or 0 for a declaration.
func (f *Function) Entry() Block { return f.entry }

// LastBlock returns the last block in textual order.
func (f *Function) LastBlock() Block { return f.last }

// NextBlock returns the block after b, or 0 at the end.
func (f *Function) NextBlock(b Block) Block { return f.blocks[b].next }

// PrevBlock returns the block before b, or 0 at the beginning.
func (f *Function) PrevBlock(b Block) Block { return f.blocks[b].prev }

// IsBlockAlive reports whether the block has not been erased.
func (f *Function) IsBlockAlive(b Block) bool { return f.blocks[b].alive }

// Epoch returns a number that changes when the order of a block's instructions
// may have changed. Erasing and appending instructions does not change it.
// Analyses that number instructions compare it.
func (f *Function) Epoch(b Block) uint32 { return f.blocks[b].epoch }

// First returns the first instruction of a block, or None if it is empty.
func (f *Function) First(b Block) Value { return f.blocks[b].first }

// Last returns the last instruction of a block, or None if it is empty.
func (f *Function) Last(b Block) Value { return f.blocks[b].last }

// Next returns the instruction after v in its block, or None at the end.
func (f *Function) Next(v Value) Value { return f.instrs[v].next }

// Prev returns the instruction before v in its block, or None at the beginning.
func (f *Function) Prev(v Value) Value { return f.instrs[v].prev }

// Terminator returns the terminator of a block, or None if it has none yet.
func (f *Function) Terminator(b Block) Value {
	if v := f.blocks[b].last; v != None && f.instrs[v].Op.IsTerminator() {
		return v
	}
	return None
}

// FirstNonPhi returns the first instruction of a block that is not a phi, or
// None.
func (f *Function) FirstNonPhi(b Block) Value {
	v := f.blocks[b].first
	for v != None && f.instrs[v].Op == OpPhi {
		v = f.instrs[v].next
	}
	return v
}

// NumOperands returns the number of operands.
func (f *Function) NumOperands(v Value) int { return int(f.instrs[v].nOps) }

// Operand returns operand i of v.
func (f *Function) Operand(v Value, i int) Value {
	in := &f.instrs[v]
	if uint(i) >= uint(in.nOps) {
		panic("BUG: operand index out of range")
	}
	return f.pool[in.ops+uint32(i)].Value
}

// Operands returns the operands of v. The slice is valid until operands are
// added to the function. The caller must change operands only with SetOperand.
func (f *Function) Operands(v Value) []Operand {
	in := &f.instrs[v]
	return f.pool[in.ops : in.ops+in.nOps : in.ops+in.nOps]
}

// FirstUse returns the first use of a local value or block, or 0 if it has
// none. Uses by debug records and metadata are not included. The most recent
// use is first.
func (f *Function) FirstUse(v Value) Use { return *f.useHead(v) }

// NextUse returns the next use of the same value, or 0 at the end.
func (f *Function) NextUse(u Use) Use { return f.pool[u].next }

// User returns the instruction of which u is an operand.
func (f *Function) User(u Use) Value { return f.pool[u].user }

// UseIndex returns the operand index of u.
func (f *Function) UseIndex(u Use) int { return int(uint32(u) - f.instrs[f.pool[u].user].ops) }

// UseOf returns operand i of v as a use.
func (f *Function) UseOf(v Value, i int) Use { return Use(f.instrs[v].ops + uint32(i)) }

// HasUses reports whether a local value or block has uses.
func (f *Function) HasUses(v Value) bool { return *f.useHead(v) != 0 }

// HasOneUse reports whether a local value or block has exactly one use.
func (f *Function) HasOneUse(v Value) bool {
	u := *f.useHead(v)
	return u != 0 && f.pool[u].next == 0
}

// HasUsesAtLeast reports whether a local value or block has at least n uses.
func (f *Function) HasUsesAtLeast(v Value, n int) bool {
	for u := *f.useHead(v); u != 0 && n > 0; u = f.pool[u].next {
		n--
	}
	return n <= 0
}

// useHead returns the head of the use list of a local value or block.
func (f *Function) useHead(v Value) *Use {
	if v&tagMask == tagBlock {
		return &f.blocks[v&indexMask].firstUse
	}
	if v&tagMask != 0 {
		panic("BUG: uses of a value that is not local")
	}
	return &f.instrs[v].firstUse
}

// FirstPred returns the first use of b by a terminator, or 0 if b has no
// predecessors. NextUse returns the others. A terminator with two edges to b
// has two uses.
func (f *Function) FirstPred(b Block) Use { return f.blocks[b].firstUse }

// PredOf returns the predecessor for a use that FirstPred or NextUse returned.
func (f *Function) PredOf(u Use) Block { return f.instrs[f.pool[u].user].block }

// SinglePred returns the predecessor of a block with exactly one incoming edge,
// or 0.
func (f *Function) SinglePred(b Block) Block {
	u := f.blocks[b].firstUse
	if u == 0 || f.pool[u].next != 0 {
		return 0
	}
	return f.PredOf(u)
}

// Successors returns a range of a terminator's operands. Each operand in the
// range that is a block is a successor. The order is LLVM's for switch,
// indirectbr, invoke, callbr and br.
func (f *Function) Successors(b Block) []Operand {
	t := f.Terminator(b)
	if t == None {
		return nil
	}
	ops := f.Operands(t)
	lo, hi := successorRange(f.instrs[t].Op, ops)
	return ops[lo:hi]
}

// successorRange returns the operand range of a terminator's successors.
// Operands in the range that are not blocks are not successors.
func successorRange(op Op, ops []Operand) (lo, hi int) {
	n := len(ops)
	switch op {
	case OpBr:
		return n / 3, n // one block, or two after the condition
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

// CallSuccessors returns the successors of an invoke or callbr.
func (f *Function) CallSuccessors(v Value) []Operand {
	ops := f.Operands(v)
	lo, hi := successorRange(f.instrs[v].Op, ops)
	return ops[lo:hi]
}
