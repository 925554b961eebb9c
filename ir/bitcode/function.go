package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// body is the state of reading the body of a function.
type body struct {
	*reader
	f      *ir.Function
	next   uint32     // number of the next value
	insts  []ir.Value // all instructions, for attachments
	cur    ir.Block
	nBlock uint64 // blocks that are declared

	// Operands of the instruction at hand. fwd is the number of the value plus one where it is not known yet.
	ops  []ir.Value
	fwd  []uint32
	at   int  // place in the record
	late bool // there is a value in fwd

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

// readBody reads the body of a function.
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

// pendingFrom takes away what is pending of a function's own constants.
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
				b.fail("unknown record %d of a function", code)
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

// declareBlocks makes the blocks. Each of them takes at least an abbreviation ID.
func (b *body) declareBlocks() {
	b.need(1, "number of blocks")
	n := b.rec[0]
	if n == 0 || n > b.left() || b.nBlock != 0 {
		b.fail("%d blocks", n)
	}
	if m, ok := b.maxBlock[b.f]; ok && m >= n {
		b.fail("the address of block %d is taken, there are %d", m, n)
	}
	for range n {
		b.f.NewBlock()
	}
	b.nBlock, b.cur = n, b.f.Entry()
}

// target gives the block of a number.
func (b *body) target(n uint64) ir.Value {
	if n >= b.nBlock {
		b.fail("block %d, there are %d", n, b.nBlock)
	}
	return blockNumber(n).Value()
}

// more reports whether operands of the record are left.
func (b *body) more() bool { return b.at < len(b.rec) }

// pop takes the next operand of the record.
func (b *body) pop() uint64 {
	if b.at >= len(b.rec) {
		b.fail("a record of %d operands ends too early", len(b.rec))
	}
	b.at++
	return b.rec[b.at-1]
}

// popType takes a type.
func (b *body) popType() (ir.Type, uint32) {
	n := b.pop()
	return b.typ(n), uint32(n)
}

// id gives the number of a value that may be relative.
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

// pushID adds the value of a number to the operands. t is its type if it is not known yet, or NoType.
func (b *body) pushID(id uint32, t ir.Type, tid uint32) (ir.Type, uint32) {
	if id < uint32(len(b.values)) {
		e := &b.values[id]
		v := e.v
		if t != ir.NoType && e.t != t {
			b.fail("value %d has another type than its use", id)
		}
		b.push(v)
		return e.t, e.tid
	}
	if t == ir.NoType {
		b.fail("value %d, there are %d", id, len(b.values))
	}
	b.ops, b.fwd, b.late = append(b.ops, ir.None), append(b.fwd, id+1), true
	return t, tid
}

// pushPair takes a value, and its type when it comes later.
func (b *body) pushPair() (ir.Type, uint32) {
	id := b.id(b.pop())
	if id < uint32(len(b.values)) {
		return b.pushID(id, ir.NoType, noTid)
	}
	t, tid := b.popType()
	return b.pushID(id, t, tid)
}

// pushTyped takes a value of a type that is known.
func (b *body) pushTyped(t ir.Type, tid uint32) {
	if x := b.pop(); t == ir.MD {
		b.pushMetadata(b.id(x))
	} else {
		b.pushID(b.id(x), t, tid)
	}
}

// pushMetadata adds metadata to the operands, that of local values too.
func (b *body) pushMetadata(n uint32) {
	if n >= uint32(len(b.md.all)) {
		b.fail("metadata %d, there are %d", n, len(b.md.all))
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

// localValue is an entry of metadata of a function: a constant or the number of a value.
type localValue struct {
	v  ir.Value
	id uint32
}

// localValues gives the values of local metadata.
func (b *body) localValues(e *mdEntry) []localValue {
	if !e.list {
		return []localValue{{id: e.local[0]}}
	}
	ids := make([]localValue, len(e.local))
	for i, n := range e.local {
		switch o := &b.md.all[n]; {
		case o.list:
			b.fail("a list of values in a list of values")
		case o.local != nil:
			ids[i].id = o.local[0]
		default:
			if ids[i].v = b.m.MDValue(o.md); ids[i].v == ir.None {
				b.fail("metadata %d in a list of values is no value", n)
			}
		}
	}
	return ids
}

// lateOperands notes the operands of v that are not known yet.
func (b *body) lateOperands(v ir.Value, ids []localValue, ops []ir.Value) {
	for i, id := range ids {
		if ops[i] == ir.None {
			b.uses = append(b.uses, lateUse{b.f.UseOf(v, i), id.id, ir.NoType})
		}
	}
}

// moveOp moves operand i of the instruction at hand to place j.
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

// add makes the instruction at hand. tid is the number of its type.
func (b *body) add(op ir.Op, t ir.Type, tid uint32) *ir.Instr {
	if b.cur == 0 {
		b.fail("%s behind the last block", op)
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
		b.fail("operand bundles before something that is no call")
	}
	return b.f.Instr(v)
}

// last gives the instruction that was made last.
func (b *body) last() ir.Value {
	if len(b.insts) == 0 {
		b.fail("debug information before the first instruction")
	}
	return b.insts[len(b.insts)-1]
}

// finish fills the operands that were not known.
func (b *body) finish() {
	if b.nBlock == 0 || b.cur != 0 {
		b.fail("@%s: a block has no terminator", b.f.Name())
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
	for id, ok := b.reader.next(); ok; id, ok = b.reader.next() {
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
			b.fail("name of value %d, which is none of the function", n)
		default:
			b.f.SetName(b.values[n].v, b.bytes(1))
		}
	}
}

// readAttachments: [instruction, kinds and nodes]; without an instruction the metadata is the function's.
func (b *body) readAttachments() {
	b.enter(blockMetadataAttach)
	for id, ok := b.reader.next(); ok; id, ok = b.reader.next() {
		if b.record(id) != mdAttachment {
			continue
		}
		pairs := b.rec
		v := ir.None
		if len(pairs)%2 == 1 {
			if pairs[0] >= uint64(len(b.insts)) {
				b.fail("metadata of instruction %d, there are %d", pairs[0], len(b.insts))
			}
			v, pairs = b.insts[pairs[0]], pairs[1:]
		}
		for i := 0; i < len(pairs); i += 2 {
			k, n := b.kind(pairs[i]), pairs[i+1]
			if n >= uint64(len(b.md.all)) {
				b.fail("metadata %d, there are %d", n, len(b.md.all))
			}
			e := &b.md.all[n]
			switch {
			case e.local != nil: // LLVM drops it as well
			case !b.m.IsNode(e.md):
				b.fail("metadata %d of an instruction is no node", n)
			case v == ir.None:
				b.f.MD = append(b.f.MD, ir.Attachment{Kind: k, Node: e.md})
			default:
				b.f.SetAttachment(v, k, e.md)
			}
		}
	}
}
