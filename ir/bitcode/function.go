package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// body is the state of reading a function body.
type body struct {
	*reader
	f      *ir.Function
	next   uint32     // number of the next value
	insts  []ir.Value // all instructions in order, for attachments
	cur    ir.Block
	nBlock uint64 // number of declared blocks

	// Operands of the current instruction. fwd holds the value number plus one
	// for operands that are not known yet.
	ops  []ir.Value
	fwd  []uint32
	at   int  // index into the record
	late bool // fwd contains a value

	uses    []lateUse
	bundles []bundle
	loc     ir.Metadata
}

// lateUse is an operand whose value is not known yet.
type lateUse struct {
	use ir.Use
	id  uint32
	t   ir.Type
}

// bundle is an operand bundle of the next call.
type bundle struct {
	tag uint32
	ops []ir.Value
	fwd []uint32
}

// readBody reads the body of f.
func (r *reader) readBody(f *ir.Function, c *cursor) {
	c.rec, r.cursor = r.rec, c
	nValues, nMetadata := len(r.values), len(r.md.all)
	r.body = body{reader: r, f: f, insts: r.body.insts[:0], ops: r.body.ops[:0], fwd: r.body.fwd[:0], uses: r.body.uses[:0]}
	b := &r.body
	f.Borrow(&r.scratch)
	defer func() {
		f.Return(&r.scratch)
		r.values, r.md.all = r.values[:nValues], r.md.all[:nMetadata]
		clear(r.pendingFrom(nValues))
		b.f = nil
	}()
	tid := r.md.funcTid[f]
	for i := range f.NumArgs() {
		v := f.Arg(i)
		r.values = append(r.values, value{v, f.TypeOf(v), r.sub(tid, i+1)})
	}
	b.next = uint32(len(r.values))
	b.read()
	b.finish()
}

// pendingFrom removes and returns the pending constants of a function, with
// numbers of at least first.
func (r *reader) pendingFrom(first int) map[uint32]*pendingConst {
	for id := range r.pending {
		if id >= uint32(first) {
			delete(r.pending, id)
		}
	}
	return nil
}

// read reads records and blocks up to the end.
func (b *body) read() {
	readers := instrReaders.From(makeInstrReaders)
	for {
		switch e, id := b.advance(); e {
		case entryEnd:
			return
		case entryBlock:
			b.innerBlock(id)
		case entryRecord:
			code := b.record(id)
			if code > lastFunctionRecord || readers[code] == nil {
				b.fail("unknown function record %d", code)
			}
			b.at, b.ops, b.fwd, b.late = 0, b.ops[:0], b.fwd[:0], false
			readers[code](b)
		}
	}
}

func (b *body) innerBlock(id uint32) {
	switch id {
	case blockConstants:
		b.enter(id)
		first := len(b.values)
		b.readConstants()
		b.resolveConstants(first)
		b.next = uint32(len(b.values))
	case blockMetadata:
		b.enter(id)
		b.readMetadata()
	case blockValueSymtab:
		b.readSymtab()
	case blockMetadataAttach:
		b.readAttachments()
	default:
		b.skip()
	}
}

// declareBlocks creates the blocks. Each block occupies at least an
// abbreviation ID in the file.
func (b *body) declareBlocks() {
	b.need(1, "number of blocks")
	n := b.rec[0]
	if n == 0 || n > b.left() || b.nBlock != 0 {
		b.fail("invalid number of blocks %d", n)
	}
	if m, ok := b.maxBlock[b.f]; ok && m >= n {
		b.fail("block address refers to block %d, but only %d exist", m, n)
	}
	for range n {
		b.f.NewBlock()
	}
	b.nBlock, b.cur = n, b.f.Entry()
}

// target returns block n as a value.
func (b *body) target(n uint64) ir.Value {
	if n >= b.nBlock {
		b.fail("reference to block %d, but only %d exist", n, b.nBlock)
	}
	return blockNumber(n).Value()
}

// more reports whether the record has more operands.
func (b *body) more() bool { return b.at < len(b.rec) }

// pop returns the next operand of the record.
func (b *body) pop() uint64 {
	if b.at >= len(b.rec) {
		b.fail("record with %d operands is truncated", len(b.rec))
	}
	b.at++
	return b.rec[b.at-1]
}

// popType reads a type.
func (b *body) popType() (ir.Type, uint32) {
	n := b.pop()
	return b.typ(n), uint32(n)
}

// id returns the absolute number of a value, which may be encoded as relative.
func (b *body) id(x uint64) uint32 {
	if b.relative {
		return b.next - uint32(x)
	}
	return uint32(x)
}

// push adds a value to the operands.
func (b *body) push(v ir.Value) {
	b.ops, b.fwd = append(b.ops, v), append(b.fwd, 0)
}

// pushID adds the value with the given number to the operands. t is its type if
// it is not known yet, or NoType.
func (b *body) pushID(id uint32, t ir.Type, tid uint32) (ir.Type, uint32) {
	if id < uint32(len(b.values)) {
		e := &b.values[id]
		v := e.v
		if t != ir.NoType && e.t != t {
			b.fail("value %d does not have the type of its use", id)
		}
		b.push(v)
		return e.t, e.tid
	}
	if t == ir.NoType {
		b.fail("reference to value %d, but only %d exist", id, len(b.values))
	}
	b.ops, b.fwd, b.late = append(b.ops, ir.None), append(b.fwd, id+1), true
	return t, tid
}

// pushPair reads a value, and its type if it is a forward reference.
func (b *body) pushPair() (ir.Type, uint32) {
	id := b.id(b.pop())
	if id < uint32(len(b.values)) {
		return b.pushID(id, ir.NoType, noTid)
	}
	t, tid := b.popType()
	return b.pushID(id, t, tid)
}

// pushTyped reads a value of a known type.
func (b *body) pushTyped(t ir.Type, tid uint32) {
	if x := b.pop(); t == ir.MD {
		b.pushMetadata(b.id(x))
	} else {
		b.pushID(b.id(x), t, tid)
	}
}

// pushMetadata adds metadata, which may be local, to the operands.
func (b *body) pushMetadata(n uint32) {
	if n >= uint32(len(b.md.all)) {
		b.fail("reference to metadata %d, but only %d exist", n, len(b.md.all))
	}
	e := b.md.all[n]
	if e.local == nil {
		b.push(e.md.Value())
		return
	}
	ids := b.localValues(&e)
	ops := make([]ir.Value, len(ids))
	for i, id := range ids {
		if id.v != ir.None {
			ops[i] = id.v
		} else if id.id < uint32(len(b.values)) {
			ops[i] = b.values[id.id].v
		}
	}
	v := ir.None
	if e.list {
		v = b.f.NewLocalArgList(ops...)
	} else {
		v = b.f.NewLocalMetadata(ops[0])
	}
	b.lateOperands(v, ids, ops)
	b.push(v)
}

// localValue is an entry of function-local metadata: a constant or a value
// number.
type localValue struct {
	v  ir.Value
	id uint32
}

// localValues returns the values of local metadata.
func (b *body) localValues(e *mdEntry) []localValue {
	if !e.list {
		return []localValue{{id: e.local[0]}}
	}
	ids := make([]localValue, len(e.local))
	for i, n := range e.local {
		switch o := &b.md.all[n]; {
		case o.list:
			b.fail("DIArgList must not contain another list")
		case o.local != nil:
			ids[i].id = o.local[0]
		default:
			if ids[i].v = b.m.MDValue(o.md); ids[i].v == ir.None {
				b.fail("metadata %d in a DIArgList is not a value", n)
			}
		}
	}
	return ids
}

// lateOperands records the operands of v that are not known yet.
func (b *body) lateOperands(v ir.Value, ids []localValue, ops []ir.Value) {
	for i, id := range ids {
		if ops[i] == ir.None {
			b.uses = append(b.uses, lateUse{b.f.UseOf(v, i), id.id, ir.NoType})
		}
	}
}

// moveOp moves operand i of the current instruction to index j.
func (b *body) moveOp(i, j int) {
	v, f := b.ops[i], b.fwd[i]
	for ; i < j; i++ {
		b.ops[i], b.fwd[i] = b.ops[i+1], b.fwd[i+1]
	}
	for ; i > j; i-- {
		b.ops[i], b.fwd[i] = b.ops[i-1], b.fwd[i-1]
	}
	b.ops[j], b.fwd[j] = v, f
}

// createInstr creates the current instruction. tid is the number of its type.
func (b *body) createInstr(op ir.Op, t ir.Type, tid uint32) *ir.Instr {
	if b.cur == 0 {
		b.fail("%s after the last block", op)
	}
	v := b.f.NewInstr(op, t, b.ops...)
	b.f.Append(b.cur, v)
	if b.late {
		for i, id := range b.fwd {
			if id != 0 {
				b.uses = append(b.uses, lateUse{b.f.UseOf(v, i), id - 1, ir.NoType})
			}
		}
	}
	b.insts = append(b.insts, v)
	if t != ir.Void {
		b.values = append(b.values, value{v, t, tid})
		b.next++
	}
	if op.IsTerminator() {
		b.cur = b.f.NextBlock(b.cur)
	}
	if b.bundles != nil && !op.IsCall() {
		b.fail("operand bundles precede an instruction that is not a call")
	}
	return b.f.Instr(v)
}

// last returns the most recent instruction.
func (b *body) last() ir.Value {
	if len(b.insts) == 0 {
		b.fail("debug information precedes the first instruction")
	}
	return b.insts[len(b.insts)-1]
}

// finish fills in the operands that were not known.
func (b *body) finish() {
	if b.nBlock == 0 || b.cur != 0 {
		b.fail("@%s: block has no terminator", b.f.Name())
	}
	for _, u := range b.uses {
		if u.id >= uint32(len(b.values)) {
			b.fail("value %d is used, but not defined", u.id)
		}
		b.f.SetUse(u.use, b.values[u.id].v)
	}
}

// readSymtab reads the names of the values and blocks of the function.
func (b *body) readSymtab() {
	b.enter(blockValueSymtab)
	for id, ok := b.reader.nextEntry(); ok; id, ok = b.reader.nextEntry() {
		code := b.record(id)
		if code != vstEntry && code != vstBBEntry {
			continue
		}
		b.need(1, "name")
		n := b.rec[0]
		switch {
		case code == vstBBEntry:
			b.f.SetName(b.target(n), b.bytes(1))
		case n >= uint64(len(b.values)) || !b.values[n].v.IsLocal():
			b.fail("symbol table names value %d, which is not a value of the function", n)
		default:
			b.f.SetName(b.values[n].v, b.bytes(1))
		}
	}
}

// readAttachments: [instruction, kinds and nodes]. Without an instruction the
// metadata belongs to the function.
func (b *body) readAttachments() {
	b.enter(blockMetadataAttach)
	for id, ok := b.reader.nextEntry(); ok; id, ok = b.reader.nextEntry() {
		if b.record(id) != mdAttachment {
			continue
		}
		pairs := b.rec
		v := ir.None
		if len(pairs)%2 == 1 {
			if pairs[0] >= uint64(len(b.insts)) {
				b.fail("metadata for instruction %d, but only %d exist", pairs[0], len(b.insts))
			}
			v, pairs = b.insts[pairs[0]], pairs[1:]
		}
		for i := 0; i < len(pairs); i += 2 {
			k, n := b.kind(pairs[i]), pairs[i+1]
			if n >= uint64(len(b.md.all)) {
				b.fail("reference to metadata %d, but only %d exist", n, len(b.md.all))
			}
			e := &b.md.all[n]
			switch {
			case e.local != nil: // dropped, as in LLVM
			case !b.m.IsNode(e.md):
				b.fail("metadata %d of an instruction is not a node", n)
			case v == ir.None:
				b.f.MD = append(b.f.MD, ir.Attachment{Kind: k, Node: e.md})
			default:
				b.f.SetAttachment(v, k, e.md)
			}
		}
	}
}
