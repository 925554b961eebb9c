package bitcode

import (
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// bodyState is the state of writing a function body.
type bodyState struct {
	first  int                 // number of the first argument
	ids    []uint32            // by ir.Value: value number, or number of local metadata
	blocks []uint32            // block number, indexed by ir.Block
	consts []constUse          // constants of the function
	next   uint32              // number of the next instruction with a value
	local  []localMD           // metadata of local values
	wrap   map[ir.Value]uint32 // index in local for local values used as metadata
	insts  int                 // number of instructions
	loc    ir.Metadata         // most recently written location
	names  map[string]struct{}
	used   int // suffix for the last duplicate name
}

// localMD is a local value as metadata, or a list of metadata.
type localMD struct {
	v    ir.Value
	list []uint64 // metadata numbers
}

// function writes the body of a function.
func (w *moduleWriter) function(f *ir.Function) {
	w.f = f
	w.bodies = append(w.bodies, w.pos()/32)
	w.startBody()
	w.wideBlock(blockFunction, functionWidth, func() {
		b := &w.body
		w.record(funDeclareBlocks, uint64(b.blocks[f.LastBlock()])+1)
		w.constants(b.consts)
		w.localMetadata()
		attached := len(f.MD) > 0
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				w.instruction(v)
				attached = attached || f.HasAttachments(v) || w.m.IsDistinct(f.Instr(v).Loc)
			}
		}
		w.addressUsers()
		w.localNames()
		if attached {
			w.bodyAttachments()
		}
	})
	for i := range w.body.consts {
		w.setValue(w.body.consts[i].v, 0)
	}
	w.f = nil
}

// startBody numbers the values of the function: arguments, constants,
// instructions.
func (w *moduleWriter) startBody() {
	f, b := w.f, &w.body
	b.first = w.nGlobals + len(w.consts)
	b.ids = slices.Grow(b.ids[:0], f.NumValues())[:f.NumValues()]
	b.consts, b.local, b.wrap = b.consts[:0], b.local[:0], nil
	b.insts, b.loc = 0, 0
	b.blocks = w.blockNumbers(f)
	for i := range f.NumArgs() {
		b.ids[f.Arg(i)] = uint32(b.first + i)
	}
	firstConst := b.first + f.NumArgs()
	for x := f.Entry(); x != 0; x = f.NextBlock(x) {
		for v := f.First(x); v != ir.None; v = f.Next(v) {
			for _, o := range f.Operands(v) {
				if o.Value.IsConst() {
					b.consts = w.addConst(b.consts, firstConst, o.Value)
				}
			}
			if f.Op(v) == ir.OpShuffleVector {
				b.consts = w.addConst(b.consts, firstConst, w.maskConst(v))
			}
			for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
				if w.isPlainValue(r) && f.Operand(r, 0).IsConst() {
					b.consts = w.addConst(b.consts, firstConst, f.Operand(r, 0))
				}
			}
		}
	}
	w.sortConsts(b.consts, firstConst)
	b.next = uint32(firstConst + len(b.consts))
	w.numberInstrs(b.next)
}

// numberInstrs numbers the instructions and the local metadata.
func (w *moduleWriter) numberInstrs(next uint32) {
	f, b := w.f, &w.body
	number := next
	for x := f.Entry(); x != 0; x = f.NextBlock(x) {
		for v := f.First(x); v != ir.None; v = f.Next(v) {
			if f.TypeOf(v) != ir.Void {
				b.ids[v] = number
				number++
			}
		}
	}
	for x := f.Entry(); x != 0; x = f.NextBlock(x) {
		for v := f.First(x); v != ir.None; v = f.Next(v) {
			if f.TypeOf(v) != ir.Void {
				next++
			}
			for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
				w.wrapRecord(r, next)
			}
			if f.Op(v).IsCall() {
				w.wrapOperands(v)
			}
		}
	}
}

// isPlainValue reports whether a record is a #dbg_value of a single value, for
// which a record with the value itself exists.
func (w *moduleWriter) isPlainValue(r ir.Value) bool {
	in := w.f.Instr(r)
	return in.Op == ir.OpDbgValue && in.Sub == 0 && !w.f.Operand(r, 0).IsMetadata()
}

// isSimple reports whether a record is written with the value itself. Forward
// references need metadata. next is the number of the next instruction.
func (w *moduleWriter) isSimple(r ir.Value, next uint32) bool {
	if !w.isPlainValue(r) {
		return false
	}
	v := w.f.Operand(r, 0)
	return v.IsConst() || w.body.ids[v] < next
}

// wrapRecord creates metadata for the local values of a record.
func (w *moduleWriter) wrapRecord(r ir.Value, next uint32) {
	op := w.f.Op(r)
	if op == ir.OpDbgLabel || w.isSimple(r, next) {
		return
	}
	ops := w.f.Operands(r)
	for _, o := range ops {
		w.wrapValue(o.Value)
	}
	if w.f.Instr(r).Sub != 0 {
		w.body.ids[r] = uint32(w.argList(ops))
	}
}

// wrapOperands creates metadata for the local values among the metadata
// operands of a call.
func (w *moduleWriter) wrapOperands(v ir.Value) {
	f := w.f
	for _, o := range f.Operands(v) {
		if !o.Value.IsLocal() || f.Op(o.Value) != ir.OpLocalMetadata {
			continue
		}
		ops := f.Operands(o.Value)
		for _, x := range ops {
			w.wrapValue(x.Value)
		}
		if f.Instr(o.Value).Sub == 0 {
			w.body.ids[o.Value] = uint32(w.recordMD(ops[0].Value))
		} else {
			w.body.ids[o.Value] = uint32(w.argList(ops))
		}
	}
}

// wrapValue creates metadata for a local value if it does not exist yet.
func (w *moduleWriter) wrapValue(v ir.Value) {
	b := &w.body
	if !v.IsLocal() {
		return
	}
	if b.wrap == nil {
		b.wrap = map[ir.Value]uint32{}
	}
	if _, ok := b.wrap[v]; !ok {
		b.wrap[v] = w.addLocal(localMD{v: v})
	}
}

// addLocal adds function-local metadata and returns its number.
func (w *moduleWriter) addLocal(l localMD) uint32 {
	w.body.local = append(w.body.local, l)
	return uint32(w.md.count + len(w.body.local) - 1)
}

// argList adds a metadata list of values and returns its number.
func (w *moduleWriter) argList(ops []ir.Operand) uint64 {
	list := make([]uint64, len(ops))
	for i, o := range ops {
		list[i] = w.recordMD(o.Value)
	}
	return uint64(w.addLocal(localMD{list: list}))
}

// recordMD returns the number of a value as metadata.
func (w *moduleWriter) recordMD(v ir.Value) uint64 {
	switch {
	case v.IsMetadata():
		return w.mdID(v.Metadata())
	case v.IsConst():
		return w.mdID(w.m.NewMDValue(v))
	}
	return uint64(w.body.wrap[v])
}

// localMetadata writes the metadata block of the function.
func (w *moduleWriter) localMetadata() {
	if len(w.body.local) == 0 {
		return
	}
	w.wideBlock(blockMetadata, narrowWidth, func() {
		for _, l := range w.body.local {
			if l.v == ir.None {
				w.record(mdArgList, l.list...)
			} else {
				w.record(mdValue, w.typeID(w.f.TypeOf(l.v)), uint64(w.body.ids[l.v]))
			}
		}
	})
}

// blockNumbers returns the numbers of a function's blocks in textual order,
// indexed by ir.Block.
func (w *moduleWriter) blockNumbers(f *ir.Function) []uint32 {
	if list := w.blocksOf[f]; list != nil {
		return list
	}
	list := make([]uint32, f.NumBlocks())
	n := uint32(0)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		list[b] = n
		n++
	}
	if w.addresses != nil { // will be needed again
		if w.blocksOf == nil {
			w.blocksOf = map[*ir.Function][]uint32{}
		}
		w.blocksOf[f] = list
	}
	return list
}

// blockID returns the number of a block of any function.
func (w *moduleWriter) blockID(f *ir.Function, b ir.Block) uint64 {
	list := w.blockNumbers(f)
	if int(b) >= len(list) || !f.IsBlockAlive(b) {
		w.fail("block address refers to a block that is not in @%s", f.Name())
	}
	return uint64(list[b])
}

// addressUsers writes, for lazy readers, the list of other functions that use
// block addresses of the current function.
func (w *moduleWriter) addressUsers() {
	users := w.addressed[w.f]
	if len(users) == 0 {
		return
	}
	w.rec = w.rec[:0]
	for _, f := range users {
		w.push(w.constID(f.Value()))
	}
	w.record(funBlockAddrUsers, w.rec...)
}

// symtabAbbrevs holds the abbreviations of names.
type symtabAbbrevs struct {
	value, block [numTextKinds]abbrevID
}

func (w *moduleWriter) defineSymtab() {
	for kind := range numTextKinds {
		w.vst.value[kind] = w.defineFor(blockValueSymtab, newAbbrev(vstEntry, vbrField(8)).withArray(kind.field()))
		w.vst.block[kind] = w.defineFor(blockValueSymtab, newAbbrev(vstBBEntry, vbrField(8)).withArray(kind.field()))
	}
}

// localNames writes the names of the function's values and blocks. A duplicate
// name gets a number, as in text.
func (w *moduleWriter) localNames() {
	f, b := w.f, &w.body
	clear(b.names)
	b.used = 0
	write := func(v ir.Value) {
		if name := f.NameOf(v); name != nil {
			w.localName(v, name)
		}
	}
	if !w.hasNames() {
		return
	}
	w.block(blockValueSymtab, func() {
		for i := range f.NumArgs() {
			write(f.Arg(i))
		}
		for x := f.Entry(); x != 0; x = f.NextBlock(x) {
			write(x.Value())
			for v := f.First(x); v != ir.None; v = f.Next(v) {
				if f.TypeOf(v) != ir.Void {
					write(v)
				}
			}
		}
	})
}

// hasNames reports whether a value or block of the function has a name.
func (w *moduleWriter) hasNames() bool {
	f := w.f
	for i := range f.NumArgs() {
		if f.HasName(f.Arg(i)) {
			return true
		}
	}
	for x := f.Entry(); x != 0; x = f.NextBlock(x) {
		if f.HasName(x.Value()) {
			return true
		}
		for v := f.First(x); v != ir.None; v = f.Next(v) {
			if f.HasName(v) && f.TypeOf(v) != ir.Void {
				return true
			}
		}
	}
	return false
}

// localName writes the name of a value or block.
func (w *moduleWriter) localName(v ir.Value, name []byte) {
	b := &w.body
	if b.names == nil {
		b.names = map[string]struct{}{}
	}
	if _, taken := b.names[string(name)]; taken {
		base := len(name)
		name = slices.Clip(name)
		for taken {
			b.used++
			name = strconv.AppendInt(name[:base:base], int64(b.used), 10)
			_, taken = b.names[string(name)]
		}
	}
	b.names[string(name)] = struct{}{}
	kind := textKindOf(name)
	if v.IsBlock() {
		w.emitText(w.vst.block[kind], vstBBEntry, name, uint64(b.blocks[v.Block()]))
	} else {
		w.emitText(w.vst.value[kind], vstEntry, name, uint64(b.ids[v]))
	}
}

// bodyAttachments writes the attachments of the function and of its instructions.
func (w *moduleWriter) bodyAttachments() {
	f := w.f
	w.wideBlock(blockMetadataAttach, narrowWidth, func() {
		w.rec = w.rec[:0]
		if w.pushAttachments(f.MD); len(w.rec) > 0 {
			w.record(mdAttachment, w.rec...)
		}
		n := uint64(0)
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				w.instrAttachments(v, n)
				n++
			}
		}
	})
}

// instrAttachments writes the attachments of instruction n. A distinct location
// is one of them.
func (w *moduleWriter) instrAttachments(v ir.Value, n uint64) {
	f := w.f
	w.atts = w.atts[:0]
	if loc := f.Instr(v).Loc; w.m.IsDistinct(loc) {
		w.atts = append(w.atts, ir.Attachment{Kind: ir.MDDbg, Node: loc})
	}
	if w.atts = f.Attachments(v, w.atts); len(w.atts) == 0 {
		return
	}
	w.rec = append(w.rec[:0], n)
	w.pushAttachments(w.atts)
	w.record(mdAttachment, w.rec...)
}
