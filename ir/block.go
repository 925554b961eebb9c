package ir

// NewBlock adds a block at the end of the function.
func (f *Function) NewBlock() Block { return f.NewBlockAfter(f.last) }

// NewBlockAfter adds a block after another one, or at the beginning of the
// function if after is 0.
func (f *Function) NewBlockAfter(after Block) Block {
	f.startBody()
	if len(f.blocks) >= maxIndex {
		panic(limitError("too many blocks in a function"))
	}
	b := Block(len(f.blocks))
	f.blocks = append(f.blocks, blockData{alive: true})
	f.placeBlock(b, after)
	return b
}

// DetachedBlock creates a block that is not part of the function until
// PlaceBlock adds it. Branches may already refer to it.
func (f *Function) DetachedBlock() Block {
	f.startBody()
	if len(f.blocks) >= maxIndex {
		panic(limitError("too many blocks in a function"))
	}
	f.blocks = append(f.blocks, blockData{})
	return Block(len(f.blocks) - 1)
}

// PlaceBlock adds a detached block at the end of the function.
func (f *Function) PlaceBlock(b Block) {
	f.blocks[b].alive = true
	f.placeBlock(b, f.last)
}

func (f *Function) placeBlock(b, after Block) {
	next := f.entry
	if after != 0 {
		next = f.blocks[after].next
		f.blocks[after].next = b
	} else {
		f.entry = b
	}
	if next != 0 {
		f.blocks[next].prev = b
	} else {
		f.last = b
	}
	f.blocks[b].prev, f.blocks[b].next = after, next
}

// MoveBlockAfter moves b after another block. If after is 0, b becomes the
// entry.
func (f *Function) MoveBlockAfter(b, after Block) {
	if b == after || f.blocks[b].prev == after && (after != 0 || f.entry == b) {
		return
	}
	f.unlinkBlock(b)
	f.placeBlock(b, after)
}

func (f *Function) unlinkBlock(b Block) {
	d := &f.blocks[b]
	if d.prev != 0 {
		f.blocks[d.prev].next = d.next
	} else {
		f.entry = d.next
	}
	if d.next != 0 {
		f.blocks[d.next].prev = d.prev
	} else {
		f.last = d.prev
	}
	d.prev, d.next = 0, 0
}

// ClearBlock erases the instructions of a block and replaces their remaining
// uses by poison.
func (f *Function) ClearBlock(b Block) {
	for v := f.blocks[b].last; v != None; v = f.blocks[b].last {
		if f.instrs[v].firstUse != 0 {
			f.ReplaceUses(v, f.m.Poison(f.instrs[v].Type))
		}
		f.dropRecords(v)
		f.Erase(v)
	}
}

// EraseBlock removes a block with its instructions. No terminator may refer to
// the block, and RemovePhiBlock must have removed its incoming values from the
// phis of its successors.
func (f *Function) EraseBlock(b Block) {
	if f.blocks[b].firstUse != 0 {
		panic("BUG: erased block is used")
	}
	f.ClearBlock(b)
	f.unlinkBlock(b)
	f.blocks[b] = blockData{}
}

// MoveInstrs moves all instructions of a block, with their debug records, to
// the end of another block. It does not update phis and branches that refer to
// either block.
func (f *Function) MoveInstrs(from, to Block) {
	src, dst := &f.blocks[from], &f.blocks[to]
	if src.first == None || from == to {
		return
	}
	for v := src.first; v != None; v = f.instrs[v].next {
		f.instrs[v].block = to
		for r := f.instrs[v].rec; r != None; r = f.instrs[r].next {
			f.instrs[r].block = to
		}
	}
	if dst.last != None {
		f.instrs[dst.last].next, f.instrs[src.first].prev = src.first, dst.last
	} else {
		dst.first = src.first
	}
	dst.last = src.last
	src.first, src.last = None, None
	src.epoch++
	dst.epoch++
}

// SplitBlock moves v and the instructions after it to a new block, which
// follows v's block. A br to the new block ends the old one. Phis in the
// successors refer to the new block.
func (f *Function) SplitBlock(v Value) Block {
	b := f.instrs[v].block
	to := f.NewBlockAfter(b)
	old, new := &f.blocks[b], &f.blocks[to]
	old.epoch++
	new.first, new.last = v, old.last
	old.last = f.instrs[v].prev
	if old.last != None {
		f.instrs[old.last].next = None
	} else {
		old.first = None
	}
	f.instrs[v].prev = None
	for w := v; w != None; w = f.instrs[w].next {
		f.instrs[w].block = to
		for r := f.instrs[w].rec; r != None; r = f.instrs[r].next {
			f.instrs[r].block = to
		}
	}
	for _, s := range f.Successors(to) {
		if s.Value.IsBlock() {
			f.ReplacePhiBlock(s.Value.Block(), b, to)
		}
	}
	f.Append(b, f.NewInstr(OpBr, Void, to.Value()))
	return to
}

// MergeBlock moves all instructions of b, with their debug records, to the end
// of to, which has no terminator, and removes b. The block b must have neither
// predecessors nor phis. Phis in its successors then refer to the block to.
func (f *Function) MergeBlock(to, b Block) {
	d, e := &f.blocks[to], &f.blocks[b]
	if e.firstUse != 0 {
		panic("BUG: merged block is used")
	}
	for v := e.first; v != None; v = f.instrs[v].next {
		f.instrs[v].block = to
		for r := f.FirstRecord(v); r != None; r = f.instrs[r].next {
			f.instrs[r].block = to
		}
	}
	if e.first != None {
		f.instrs[e.first].prev = d.last
		if d.last != None {
			f.instrs[d.last].next = e.first
		} else {
			d.first = e.first
		}
		d.last = e.last
	}
	for _, s := range f.Successors(to) {
		if s.Value.IsBlock() {
			f.ReplacePhiBlock(s.Value.Block(), b, to)
		}
	}
	f.unlinkBlock(b)
	f.blocks[b] = blockData{}
}

// RemovePhiBlock removes one incoming value for pred from each phi of b.
func (f *Function) RemovePhiBlock(b, pred Block) {
	for v := f.First(b); v != None && f.instrs[v].Op == OpPhi; v = f.Next(v) {
		if i := f.PhiIndex(v, pred); i >= 0 {
			f.RemoveOperands(v, 2*i, 2)
		}
	}
}

// NumIncoming returns the number of incoming values of a phi.
func (f *Function) NumIncoming(phi Value) int { return int(f.instrs[phi].nOps) / 2 }

// Incoming returns incoming value i of a phi and its block.
func (f *Function) Incoming(phi Value, i int) (Value, Block) {
	o := f.pool[f.instrs[phi].ops+2*uint32(i):]
	return o[0].Value, o[1].Value.Block()
}

// PhiIndex returns the index of a phi's incoming value for pred, or -1 if it
// has none.
func (f *Function) PhiIndex(phi Value, pred Block) int {
	for i, o := range f.Operands(phi) {
		if i&1 == 1 && o.Value == pred.Value() {
			return i / 2
		}
	}
	return -1
}

// PhiValue returns a phi's incoming value for pred, or None if it has none.
func (f *Function) PhiValue(phi Value, pred Block) Value {
	if i := f.PhiIndex(phi, pred); i >= 0 {
		return f.Operand(phi, 2*i)
	}
	return None
}

// AddIncoming adds an incoming value to a phi.
func (f *Function) AddIncoming(phi, v Value, pred Block) { f.AddOperands(phi, v, pred.Value()) }

// CaseOf returns the constant and the block of case i of a switch.
func (f *Function) CaseOf(sw Value, i int) (Value, Block) {
	o := f.Operands(sw)[2+2*i:]
	return o[0].Value, o[1].Value.Block()
}

// NumCases returns the number of cases of a switch, not counting the default.
func (f *Function) NumCases(sw Value) int { return (f.NumOperands(sw) - 2) / 2 }
