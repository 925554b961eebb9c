package ir

import "math/bits"

// NewInstr creates an instruction that is not in a block.
func (f *Function) NewInstr(op Op, t Type, ops ...Value) Value {
	f.startBody()
	if len(f.instrs) >= maxIndex {
		panic(limitError("too many values in a function"))
	}
	f.m.guard.Check()
	v := Value(len(f.instrs))
	f.addInstr(Instr{Op: op, Type: t})
	f.setOperands(v, ops)
	return v
}

// setOperands sets the operands of an instruction that has none.
func (f *Function) setOperands(v Value, ops []Value) {
	if len(ops) == 0 {
		return
	}
	in := &f.instrs[v]
	in.ops, in.nOps = f.allocOps(capacity(in.Op, len(ops))), uint32(len(ops))
	pool := f.pool[in.ops:]
	for i, o := range ops {
		pool[i] = Operand{Value: o, user: v}
	}
	phi := in.Op == OpPhi
	for i, o := range ops {
		if o&tagConst == 0 && o != None && !(phi && i&1 == 1) {
			f.link(Use(in.ops + uint32(i)))
		}
	}
}

// capacity returns the number of operand slots to allocate for n operands, so
// that adding operands to phis and switches rarely moves them.
func capacity(op Op, n int) int {
	if n > 2 && op.has(opGrows) {
		return 1 << bits.Len(uint(n-1))
	}
	return n
}

// allocOps allocates n operands in the pool.
func (f *Function) allocOps(n int) uint32 {
	if n <= maxFreeOps && f.freeOps[n] != 0 {
		at := f.freeOps[n]
		f.freeOps[n] = uint32(f.pool[at].next)
		return at
	}
	at := len(f.pool)
	if at+n > maxIndex {
		panic(limitError("too many operands in a function"))
	}
	if at+n > cap(f.pool) {
		f.growPool(n)
	}
	f.pool = f.pool[:at+n]
	clear(f.pool[at:])
	return uint32(at)
}

// freeOperands frees n operands of the pool.
func (f *Function) freeOperands(at uint32, n int) {
	if n > 0 && n <= maxFreeOps {
		f.pool[at] = Operand{next: Use(f.freeOps[n])}
		f.freeOps[n] = at
	}
}

// link adds an operand to the use list of its value. Only local values and
// blocks have use lists.
func (f *Function) link(u Use) {
	o := &f.pool[u]
	if op := f.instrs[o.user].Op; op >= OpLocalMetadata {
		f.linkRecord(u)
		return
	}
	head := f.useHead(o.Value)
	if *head != 0 {
		f.pool[*head].prev = u
	} else if o.Value&tagMask == 0 && f.instrs[o.Value].erased() {
		panic("BUG: erased instruction becomes an operand")
	}
	o.prev, o.next = 0, *head
	*head = u
}

// erased reports whether an entry was erased. Reserved values have a type.
func (in *Instr) erased() bool { return in.Op == OpNone && in.Type == NoType }

// linkRecord is like link for the uses by records and local metadata.
func (f *Function) linkRecord(u Use) {
	if f.recordUses == nil {
		f.recordUses = map[Value]Use{}
	}
	o := &f.pool[u]
	head := f.recordUses[o.Value]
	if head != 0 {
		f.pool[head].prev = u
	}
	o.prev, o.next = 0, head
	f.recordUses[o.Value] = u
}

// isUse reports whether an operand is in a use list.
func (f *Function) isUse(u Use) bool {
	o := &f.pool[u]
	if o.Value&tagConst != 0 || o.Value == None { // constants and metadata share a bit
		return false
	}
	in := &f.instrs[o.user]
	return in.Op != OpPhi || (uint32(u)-in.ops)&1 == 0
}

// unlink removes an operand from the use list of its value.
func (f *Function) unlink(u Use) {
	o := &f.pool[u]
	if o.next != 0 {
		f.pool[o.next].prev = o.prev
	}
	switch {
	case o.prev != 0:
		f.pool[o.prev].next = o.next
	case f.instrs[o.user].Op < OpLocalMetadata:
		*f.useHead(o.Value) = o.next
	case o.next != 0:
		f.recordUses[o.Value] = o.next
	default:
		delete(f.recordUses, o.Value)
	}
	o.next, o.prev = 0, 0
}

// SetUse changes the value of the operand u.
func (f *Function) SetUse(u Use, to Value) {
	if f.isUse(u) {
		f.unlink(u)
	}
	f.pool[u].Value = to
	if f.isUse(u) {
		f.link(u)
	}
}

// SetOperand changes operand i of v.
func (f *Function) SetOperand(v Value, i int, to Value) {
	if uint(i) >= uint(f.instrs[v].nOps) {
		panic("BUG: operand index out of range")
	}
	f.SetUse(f.UseOf(v, i), to)
}

// AddOperands appends operands to a phi, a switch or another instruction with a
// variable number of operands.
func (f *Function) AddOperands(v Value, ops ...Value) {
	in := &f.instrs[v]
	old, n := in.nOps, int(in.nOps)+len(ops)
	if room := capacity(in.Op, int(old)); old == 0 || n > room {
		at := f.allocOps(capacity(in.Op, n))
		f.moveOps(in, at)
		f.freeOperands(in.ops, room)
		in.ops = at
	}
	in.nOps = uint32(n)
	for i, o := range ops {
		u := Use(in.ops + old + uint32(i))
		f.pool[u] = Operand{Value: o, user: v}
		if f.isUse(u) {
			f.link(u)
		}
	}
}

// moveOps moves the operands of an instruction to another place of the pool.
func (f *Function) moveOps(in *Instr, at uint32) {
	for i := range in.nOps {
		from, to := Use(in.ops+i), Use(at+i)
		o := f.pool[from]
		f.pool[to] = o
		if !f.isUse(from) {
			continue
		}
		if o.next != 0 {
			f.pool[o.next].prev = to
		}
		switch {
		case o.prev != 0:
			f.pool[o.prev].next = to
		case in.Op < OpLocalMetadata:
			*f.useHead(o.Value) = to
		default:
			f.recordUses[o.Value] = to
		}
	}
}

// RemoveOperands removes n operands starting at index i and closes the gap.
func (f *Function) RemoveOperands(v Value, i, n int) {
	in := &f.instrs[v]
	room := capacity(in.Op, int(in.nOps))
	total := int(in.nOps)
	if i < 0 || n < 0 || i+n > total {
		panic("BUG: operand indices out of range")
	}
	for j := i; j+n < total; j++ {
		f.SetUse(Use(in.ops+uint32(j)), f.pool[in.ops+uint32(j+n)].Value)
	}
	for j := total - n; j < total; j++ {
		f.SetUse(Use(in.ops+uint32(j)), None)
	}
	in.nOps = uint32(total - n)
	left := capacity(in.Op, total-n)
	switch {
	case left == room:
	case in.nOps == 0:
		f.freeOperands(in.ops, room)
		in.ops = 0
	default:
		at := f.allocOps(left)
		f.moveOps(in, at)
		f.freeOperands(in.ops, room)
		in.ops = at
	}
}

// dropOperands removes all operands of v.
func (f *Function) dropOperands(v Value) {
	in := &f.instrs[v]
	if in.nOps == 0 {
		return
	}
	for u := Use(in.ops); u < Use(in.ops+in.nOps); u++ {
		if f.isUse(u) {
			f.unlink(u)
		}
	}
	f.freeOperands(in.ops, capacity(in.Op, int(in.nOps)))
	in.ops, in.nOps = 0, 0
}

// ReplaceUses replaces every use of a local value or block, including uses in
// debug records and metadata. Incoming blocks of phis are unchanged: see
// ReplacePhiBlock.
func (f *Function) ReplaceUses(old, to Value) {
	if old == to {
		panic("BUG: value replaced by itself")
	}
	for u := *f.useHead(old); u != 0; u = *f.useHead(old) {
		f.SetUse(u, to)
	}
	if f.recordUses != nil {
		for u := f.recordUses[old]; u != 0; u = f.recordUses[old] {
			f.SetUse(u, to)
		}
	}
}

// ReplacePhiBlock replaces the incoming block old by another one in the phis of
// b.
func (f *Function) ReplacePhiBlock(b, old, to Block) {
	for v := f.First(b); v != None && f.instrs[v].Op == OpPhi; v = f.Next(v) {
		in := &f.instrs[v]
		for i := uint32(1); i < in.nOps; i += 2 {
			if o := &f.pool[in.ops+i]; o.Value == old.Value() {
				o.Value = to.Value()
			}
		}
	}
}

// Append inserts a detached instruction at the end of a block.
func (f *Function) Append(b Block, v Value) { f.insert(b, f.blocks[b].last, None, v) }

// InsertBefore inserts a detached instruction before another one. Debug records
// before the other instruction then precede the new one.
func (f *Function) InsertBefore(v, before Value) {
	in := &f.instrs[before]
	f.insert(in.block, in.prev, before, v)
	if f.instrs[before].rec != None && f.instrs[v].Op != OpPhi {
		f.moveRecords(before, v)
	}
}

// InsertAfter inserts a detached instruction after another one.
func (f *Function) InsertAfter(v, after Value) {
	in := &f.instrs[after]
	f.insert(in.block, after, in.next, v)
}

// Prepend inserts a detached instruction at the beginning of a block.
func (f *Function) Prepend(b Block, v Value) { f.insert(b, None, f.blocks[b].first, v) }

func (f *Function) insert(b Block, prev, next, v Value) {
	in := &f.instrs[v]
	if in.block != 0 || b == 0 {
		panic("BUG: instruction is already in a block, or the insertion point is not")
	}
	in.block, in.prev, in.next = b, prev, next
	if prev != None {
		f.instrs[prev].next = v
	} else {
		f.blocks[b].first = v
	}
	if next != None {
		f.instrs[next].prev = v
		f.blocks[b].epoch++
	} else {
		f.blocks[b].last = v
	}
}

// Unlink removes an instruction from its block without erasing it. Debug
// records before it move to the next instruction.
func (f *Function) Unlink(v Value) {
	f.blocks[f.instrs[v].block].epoch++ // v may be reinserted at the end of the block
	f.unlinkInstr(v)
}

func (f *Function) unlinkInstr(v Value) {
	in := &f.instrs[v]
	if in.rec != None {
		f.passRecords(v)
	}
	b := &f.blocks[in.block]
	if in.prev != None {
		f.instrs[in.prev].next = in.next
	} else {
		b.first = in.next
	}
	if in.next != None {
		f.instrs[in.next].prev = in.prev
	} else {
		b.last = in.prev
	}
	in.block, in.prev, in.next = 0, None, None
}

// MoveBefore moves an instruction before another one, which may be in another
// block.
func (f *Function) MoveBefore(v, before Value) {
	if v == before {
		return
	}
	f.Unlink(v)
	f.InsertBefore(v, before)
}

// MoveAfter moves an instruction after another one, which may be in another
// block.
func (f *Function) MoveAfter(v, after Value) {
	if v == after {
		return
	}
	f.Unlink(v)
	f.InsertAfter(v, after)
}

// Erase removes an instruction, which must have no uses. Debug records that use
// it then use poison.
func (f *Function) Erase(v Value) {
	if f.instrs[v].firstUse != 0 {
		panic("BUG: erased instruction is used")
	}
	if f.instrs[v].block != 0 {
		f.unlinkInstr(v)
	}
	if f.recordUses != nil {
		poison := f.m.Poison(f.instrs[v].Type)
		for u := f.recordUses[v]; u != 0; u = f.recordUses[v] {
			f.SetUse(u, poison)
		}
	}
	if f.instrs[v].Op.has(opCall) {
		f.eraseLocalMetadata(v)
	}
	f.dropOperands(v)
	delete(f.bundles, v)
	f.instrs[v] = Instr{}
	f.holes++
}

// eraseLocalMetadata removes the local metadata operands of a call, which no
// other instruction uses.
func (f *Function) eraseLocalMetadata(v Value) {
	for i, o := range f.Operands(v) {
		if o.Value.IsLocal() && f.instrs[o.Value].Op == OpLocalMetadata {
			md := o.Value
			f.SetOperand(v, i, None)
			f.dropOperands(md)
			f.instrs[md] = Instr{}
			f.holes++
		}
	}
}

// SetOp changes the operation of an instruction in place. Operands and type
// must fit the new operation.
func (f *Function) SetOp(v Value, op Op) {
	if f.instrs[v].Op.has(opGrows) != op.has(opGrows) {
		panic("BUG: operation changed to one with different operands")
	}
	f.instrs[v].Op = op
}

// Reserve creates a value of type t for readers. It may be used at once; Fill
// or MoveTo turns it into an instruction later.
func (f *Function) Reserve(t Type) Value {
	f.startBody()
	if len(f.instrs) >= maxIndex {
		panic(limitError("too many values in a function"))
	}
	f.m.guard.Check()
	f.addInstr(Instr{Type: t})
	return Value(len(f.instrs) - 1)
}

// Fill turns a reserved value into an instruction that is not in a block.
func (f *Function) Fill(v Value, op Op, ops ...Value) {
	f.instrs[v].Op = op
	f.setOperands(v, ops)
}

// MoveTo renumbers the instruction v to the number of a reserved value and
// frees v's old number. The value v must have no uses.
func (f *Function) MoveTo(v, reserved Value) {
	in := f.instrs[v]
	if in.firstUse != 0 {
		panic("BUG: moved instruction is used")
	}
	in.firstUse = f.instrs[reserved].firstUse
	f.instrs[reserved] = in
	for i := range in.nOps {
		f.pool[in.ops+i].user = reserved
	}
	f.relink(v, reserved)
	if list, ok := f.bundles[v]; ok {
		delete(f.bundles, v)
		f.bundles[reserved] = list
	}
	f.instrs[v] = Instr{}
	f.holes++
}

// relink updates the neighbours of an instruction in its block, and its
// records, for a change of its number.
func (f *Function) relink(v, to Value) {
	in := &f.instrs[to]
	if in.block != 0 {
		if in.prev != None {
			f.instrs[in.prev].next = to
		} else {
			f.blocks[in.block].first = to
		}
		if in.next != None {
			f.instrs[in.next].prev = to
		} else {
			f.blocks[in.block].last = to
		}
	}
	for r := in.rec; r != None; r = f.instrs[r].next {
		f.instrs[r].rec = to
	}
}
