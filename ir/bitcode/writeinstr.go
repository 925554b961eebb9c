package bitcode

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// funcAbbrevs holds the abbreviations of instructions. Abbreviations without an
// array cannot encode the type of a forward reference.
type funcAbbrevs struct {
	load, store, unop, binop, binopFlags, cast, castFlags, cmp, sel   abbrevID
	ret, retValue, unreachable, br, condBr, gep, phi, call            abbrevID
	extractValue, loc, locGroup, locAgain, dbgValue, alloca, callFast abbrevID
}

// defineFunctions defines the abbreviations of function blocks.
func (w *moduleWriter) defineFunctions() {
	def := func(code uint64, fields ...field) abbrevID {
		return w.defineFor(blockFunction, newAbbrev(code, fields...))
	}
	array := func(code uint64, element field, fields ...field) abbrevID {
		return w.defineFor(blockFunction, newAbbrev(code, fields...).withArray(element))
	}
	t, value := w.typeField(), vbrField(6)
	align, op, flag, flags := vbrField(4), vbrField(4), fixedField(1), fixedField(8)
	w.fun = funcAbbrevs{
		load: def(funLoad, value, t, align, flag), store: def(funStore, value, value, align, flag),
		unop: def(funUnop, value, op, flags), binop: def(funBinop, value, value, op),
		binopFlags: def(funBinop, value, value, op, flags), cast: def(funCast, value, t, op), castFlags: def(funCast, value, t, op, flags),
		cmp: def(funCmp2, value, value, fixedField(6)), sel: def(funVSelect, value, value, value), ret: def(funRet),
		retValue: def(funRet, value), unreachable: def(funUnreachable), br: def(funBr, value), condBr: def(funBr, value, value, value),
		gep: array(funGEP, value, fixedField(3), t), phi: array(funPhi, value, t), call: array(funCall, value, value, fixedField(16), t),
		callFast: array(funCall, value, value, fixedField(18), flags, t), extractValue: array(funExtractVal, vbrField(4), value),
		alloca: def(funAlloca, t, t, value, vbrField(8)),
		loc:    def(funDebugLoc, vbrField(8), vbrField(8), vbrField(8), value, flag, literal(0), literal(0)),
		// atom groups, which -gkey-instructions generates
		locGroup: def(funDebugLoc, vbrField(8), vbrField(8), vbrField(8), value, flag, value, vbrField(3)),
		locAgain: def(funDebugLocAgain),
		dbgValue: def(funDbgValueSimple, vbrField(8), vbrField(8), vbrField(7), value),
	}
}

// id returns the number of a value.
func (w *moduleWriter) id(v ir.Value) uint32 {
	switch {
	case v.IsConst():
		return uint32(w.constID(v))
	case v.IsLocal():
		return w.body.ids[v]
	case v.IsMetadata():
		return uint32(w.mdID(v.Metadata()))
	}
	w.fail("operand is not a value")
	return 0
}

// pushValue adds a value number relative to the current instruction.
func (w *moduleWriter) pushValue(v ir.Value) { w.push(uint64(w.body.next - w.id(v))) }

// pushPair adds a value, and its type if it is a forward reference. It reports
// whether it is one.
func (w *moduleWriter) pushPair(v ir.Value) bool {
	id := w.id(v)
	w.push(uint64(w.body.next - id))
	if id < w.body.next {
		return false
	}
	w.push(w.typeID(w.f.TypeOf(v)))
	return true
}

// pushBlock adds the number of a block.
func (w *moduleWriter) pushBlock(v ir.Value) {
	if !v.IsBlock() {
		w.fail("operand is not a block")
	}
	w.push(uint64(w.body.blocks[v.Block()]))
}

func (w *moduleWriter) pushBlocks(ops []ir.Operand) {
	for _, o := range ops {
		w.pushBlock(o.Value)
	}
}

// pushPairs adds values, and reports whether one of them is a forward
// reference.
func (w *moduleWriter) pushPairs(ops []ir.Operand) (late bool) {
	for _, o := range ops {
		if w.pushPair(o.Value) {
			late = true
		}
	}
	return late
}

// emitUnless writes the current record with an abbreviation, or without one if
// the record contains types of forward references.
func (w *moduleWriter) emitUnless(late bool, id abbrevID, code uint64) {
	if late {
		id = 0
	}
	w.writeRecord(id, code, w.rec...)
}

// instruction writes an instruction with its location and debug records.
func (w *moduleWriter) instruction(v ir.Value) {
	f := w.f
	in := f.Instr(v)
	write := instrWriters.Get()[in.Op]
	if write == nil {
		w.fail("instruction with unknown operation %s", in.Op)
	}
	w.rec = w.rec[:0]
	write(w, v, in, f.Operands(v))
	if in.Type != ir.Void {
		w.body.next++
	}
	if in.Loc != 0 && !w.m.IsDistinct(in.Loc) {
		w.location(in.Loc)
	}
	for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
		w.debugRecord(r)
	}
}

func (w *moduleWriter) location(loc ir.Metadata) {
	if loc == w.body.loc {
		w.writeRecord(w.fun.locAgain, funDebugLocAgain)
		return
	}
	w.body.loc = loc
	ops, ints := w.m.MDOperands(loc), w.m.MDInts(loc)
	w.rec = append(w.rec[:0], ints[0], ints[1], w.mdOrNull(ops[0]), w.mdOrNull(ops[1]), ints[2], ints[3], ints[4])
	id := w.fun.loc
	if ints[3]|ints[4] != 0 {
		id = w.fun.locGroup
	}
	w.writeRecord(id, funDebugLoc, w.rec...)
}

// recordCodes maps debug records to their codes.
var recordCodes = [...]uint64{ir.OpDbgValue: funDbgValue, ir.OpDbgDeclare: funDbgDeclare, ir.OpDbgDeclareValue: funDbgDeclareValue,
	ir.OpDbgAssign: funDbgAssign, ir.OpDbgLabel: funDbgLabel}

// debugRecord writes the record that dbgRecord or dbgLabel reads.
func (w *moduleWriter) debugRecord(r ir.Value) {
	f := w.f
	in := f.Instr(r)
	w.rec = append(w.rec[:0], w.mdID(in.Loc), w.mdID(ir.Metadata(in.X)))
	code := recordCodes[in.Op]
	if in.Op == ir.OpDbgLabel {
		w.record(code, w.rec...)
		return
	}
	w.push(w.mdID(ir.Metadata(in.Y)))
	ops := f.Operands(r)
	if w.isSimple(r, w.body.next) {
		w.pushValue(ops[0].Value)
		w.writeRecord(w.fun.dbgValue, funDbgValueSimple, w.rec...)
		return
	}
	switch {
	case in.Op == ir.OpDbgAssign:
		id, expr := f.AssignRecord(r)
		w.push(w.recordMD(ops[0].Value), w.mdID(id), w.mdID(expr), w.recordMD(ops[1].Value))
	case in.Sub != 0:
		w.push(uint64(w.body.ids[r]))
	default:
		w.push(w.recordMD(ops[0].Value))
	}
	w.record(code, w.rec...)
}

// instrWriters maps operations to functions that write their records from the
// operands.
var instrWriters = lazy.Value[*[ir.NumOps]func(w *moduleWriter, v ir.Value, in *ir.Instr, ops []ir.Operand)]{Make: makeInstrWriters}

func makeInstrWriters() *[ir.NumOps]func(w *moduleWriter, v ir.Value, in *ir.Instr, ops []ir.Operand) {
	table := &[ir.NumOps]func(w *moduleWriter, v ir.Value, in *ir.Instr, ops []ir.Operand){
		ir.OpRet: (*moduleWriter).writeRet, ir.OpBr: (*moduleWriter).writeBr, ir.OpSwitch: (*moduleWriter).writeSwitch,
		ir.OpIndirectBr: (*moduleWriter).writeIndirectBr, ir.OpInvoke: (*moduleWriter).writeInvoke,
		ir.OpCleanupRet: (*moduleWriter).writePadExit, ir.OpCatchRet: (*moduleWriter).writePadExit,
		ir.OpCatchSwitch: (*moduleWriter).writeCatchSwitch, ir.OpCallBr: (*moduleWriter).writeCallBr,
		ir.OpFNeg: (*moduleWriter).writeUnop, ir.OpAlloca: (*moduleWriter).writeAlloca, ir.OpLoad: (*moduleWriter).writeLoad,
		ir.OpStore: (*moduleWriter).writeStore, ir.OpGetElementPtr: (*moduleWriter).writeGEP, ir.OpFence: (*moduleWriter).writeFence,
		ir.OpCmpXchg: (*moduleWriter).writeCmpXchg, ir.OpAtomicRMW: (*moduleWriter).writeAtomicRMW,
		ir.OpCleanupPad: (*moduleWriter).writePad, ir.OpCatchPad: (*moduleWriter).writePad, ir.OpICmp: (*moduleWriter).writeCompare,
		ir.OpFCmp: (*moduleWriter).writeCompare, ir.OpPhi: (*moduleWriter).writePhi, ir.OpCall: (*moduleWriter).writeCall,
		ir.OpSelect: (*moduleWriter).writeSelect, ir.OpVAArg: (*moduleWriter).writeVAArg,
		ir.OpInsertElement: (*moduleWriter).writeInsertElement, ir.OpShuffleVector: (*moduleWriter).writeShuffle,
		ir.OpExtractValue: (*moduleWriter).writeIndexed, ir.OpInsertValue: (*moduleWriter).writeIndexed,
		ir.OpLandingPad: (*moduleWriter).writeLandingPad,
	}
	for op, code := range map[ir.Op]uint64{ir.OpUnreachable: funUnreachable, ir.OpResume: funResume, ir.OpFreeze: funFreeze,
		ir.OpExtractElement: funExtractElt} {
		table[op] = func(w *moduleWriter, v ir.Value, in *ir.Instr, ops []ir.Operand) {
			w.pushPairs(ops)
			w.record(code, w.rec...)
		}
	}
	for op := range ir.NumOps {
		switch {
		case op.IsBinary():
			table[op] = (*moduleWriter).writeBinop
		case op.IsCast():
			table[op] = (*moduleWriter).writeCast
		}
	}
	return table
}

// fastCode encodes fast-math flags.
func fastCode(f ir.Flags) uint64 {
	x := uint64(f & ir.FastMath &^ ir.Reassoc)
	if f&ir.Reassoc != 0 {
		x |= 0x80
	}
	return x
}

// gepFlagsCode encodes the flags of getelementptr.
func gepFlagsCode(f ir.Flags) uint64 {
	return bit(f&ir.InBounds != 0) | bit(f&ir.NUSW != 0)<<1 | bit(f&ir.NUW != 0)<<2
}

// flagsCode encodes the flags of an operation other than getelementptr.
func flagsCode(op ir.Op, f ir.Flags) uint64 {
	switch {
	case f == 0:
		return 0
	case op.HasWrapFlags():
		return bit(f&ir.NUW != 0) | bit(f&ir.NSW != 0)<<1
	case op.HasFastFlags():
		return fastCode(f)
	}
	return bit(f&(ir.Exact|ir.Disjoint|ir.NNeg|ir.SameSign) != 0)
}

// pushFlags adds the flags, if any are set, and reports whether it did.
func (w *moduleWriter) pushFlags(op ir.Op, f ir.Flags) bool {
	x := flagsCode(op, f)
	if x != 0 {
		w.push(x)
	}
	return x != 0
}

func (w *moduleWriter) writeBinop(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[0].Value)
	w.pushValue(ops[1].Value)
	table := intOps[:]
	if floatOp(in.Op) {
		table = floatOps[:]
	}
	w.push(codeOf(table, in.Op))
	id := w.fun.binop
	if w.pushFlags(in.Op, in.Flags) {
		id = w.fun.binopFlags
	}
	w.emitUnless(late, id, funBinop)
}

func (w *moduleWriter) writeUnop(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[0].Value)
	w.push(0)
	flags := w.pushFlags(in.Op, in.Flags)
	w.emitUnless(late || !flags, w.fun.unop, funUnop)
}

func (w *moduleWriter) writeCast(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[0].Value)
	w.push(w.typeID(in.Type), codeOf(castOps[:], in.Op))
	id := w.fun.cast
	if w.pushFlags(in.Op, in.Flags) {
		id = w.fun.castFlags
	}
	w.emitUnless(late, id, funCast)
}

func (w *moduleWriter) writeCompare(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[0].Value)
	w.pushValue(ops[1].Value)
	w.push(uint64(in.Sub))
	flags := w.pushFlags(in.Op, in.Flags)
	w.emitUnless(late || flags, w.fun.cmp, funCmp2)
}

func (w *moduleWriter) writeSelect(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[1].Value)
	w.pushValue(ops[2].Value)
	late = w.pushPair(ops[0].Value) || late
	flags := w.pushFlags(in.Op, in.Flags)
	w.emitUnless(late || flags, w.fun.sel, funVSelect)
}

func (w *moduleWriter) writeGEP(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(gepFlagsCode(in.Flags), w.typeID(w.f.GEPSource(v)))
	w.pushPairs(ops)
	w.writeRecord(w.fun.gep, funGEP, w.rec...)
}

func (w *moduleWriter) writeVAArg(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(w.typeID(w.f.TypeOf(ops[0].Value)))
	w.pushValue(ops[0].Value)
	w.push(w.typeID(in.Type))
	w.record(funVAArg, w.rec...)
}

func (w *moduleWriter) writeInsertElement(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.pushPair(ops[0].Value)
	w.pushValue(ops[1].Value)
	w.pushPair(ops[2].Value)
	w.record(funInsertElt, w.rec...)
}

// maskConst returns the mask of a shufflevector as a constant.
func (w *moduleWriter) maskConst(v ir.Value) ir.Value {
	mask := w.f.Mask(v)
	elems := make([]ir.Value, len(mask))
	for i, x := range mask {
		if x == ir.PoisonElement {
			elems[i] = w.m.Poison(ir.I32)
		} else {
			elems[i] = w.m.NewInt(ir.I32, uint64(x))
		}
	}
	return w.m.NewAggregate(w.m.VectorType(ir.I32, uint64(len(mask))), elems)
}

func (w *moduleWriter) writeShuffle(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.pushPair(ops[0].Value)
	w.pushValue(ops[1].Value)
	w.pushPair(w.maskConst(v))
	w.record(funShuffleVec, w.rec...)
}

// writeIndexed writes extractvalue and insertvalue.
func (w *moduleWriter) writeIndexed(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.pushPairs(ops)
	for _, i := range w.f.Indices(v) {
		w.push(uint64(i))
	}
	if in.Op == ir.OpInsertValue {
		w.record(funInsertVal, w.rec...)
		return
	}
	w.writeRecord(w.fun.extractValue, funExtractVal, w.rec...)
}

func (w *moduleWriter) writePhi(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(w.typeID(in.Type))
	for i := 0; i+1 < len(ops); i += 2 {
		w.push(unrotated(uint64(int64(w.body.next) - int64(w.id(ops[i].Value)))))
		w.pushBlock(ops[i+1].Value)
	}
	w.pushFlags(in.Op, in.Flags)
	w.writeRecord(w.fun.phi, funPhi, w.rec...)
}

func (w *moduleWriter) writeRet(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	if len(ops) == 0 {
		w.writeRecord(w.fun.ret, funRet)
		return
	}
	w.emitUnless(w.pushPairs(ops), w.fun.retValue, funRet)
}

func (w *moduleWriter) writeBr(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	if len(ops) == 1 {
		w.pushBlocks(ops)
		w.writeRecord(w.fun.br, funBr, w.rec...)
		return
	}
	w.pushBlocks(ops[1:])
	w.pushValue(ops[0].Value)
	w.writeRecord(w.fun.condBr, funBr, w.rec...)
}

func (w *moduleWriter) writeSwitch(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(w.typeID(w.f.TypeOf(ops[0].Value)))
	w.pushValue(ops[0].Value)
	w.pushBlock(ops[1].Value)
	for i := 2; i+1 < len(ops); i += 2 {
		w.push(uint64(w.id(ops[i].Value)))
		w.pushBlock(ops[i+1].Value)
	}
	w.record(funSwitch, w.rec...)
}

func (w *moduleWriter) writeIndirectBr(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(w.typeID(w.f.TypeOf(ops[0].Value)))
	w.pushValue(ops[0].Value)
	w.pushBlocks(ops[1:])
	w.record(funIndirectBr, w.rec...)
}

// writePadExit writes cleanupret and catchret.
func (w *moduleWriter) writePadExit(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	code := uint64(funCleanupRet)
	if in.Op == ir.OpCatchRet {
		code = funCatchRet
	}
	w.pushValue(ops[0].Value)
	w.pushBlocks(ops[1:])
	w.record(code, w.rec...)
}

func (w *moduleWriter) writeCatchSwitch(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	unwind, handlers := ops[1:1], ops[1:]
	if in.X != 0 {
		unwind, handlers = ops[1:2], ops[2:]
	}
	w.pushValue(ops[0].Value)
	w.push(uint64(len(handlers)))
	w.pushBlocks(handlers)
	w.pushBlocks(unwind)
	w.record(funCatchSwitch, w.rec...)
}

// writePad writes cleanuppad and catchpad.
func (w *moduleWriter) writePad(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	code := uint64(funCleanupPad)
	if in.Op == ir.OpCatchPad {
		code = funCatchPad
	}
	w.pushValue(ops[0].Value)
	w.push(uint64(len(ops) - 1))
	w.pushPairs(ops[1:])
	w.record(code, w.rec...)
}

func (w *moduleWriter) writeLandingPad(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.push(w.typeID(in.Type), bit(in.Flags&ir.Cleanup != 0), uint64(len(ops)))
	for _, o := range ops {
		w.push(bit(w.m.Kind(w.f.TypeOf(o.Value)) == ir.KindArray))
		w.pushPair(o.Value)
	}
	w.record(funLandingPad, w.rec...)
}

func (w *moduleWriter) writeAlloca(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	f := w.f
	mi := f.MemInfo(v)
	align := alignCode(mi.Align)
	packed := align&31 | align>>5<<8 | allocaExplicit
	if mi.InAlloca {
		packed |= allocaInAlloca
	}
	if mi.SwiftErr {
		packed |= allocaSwiftErr
	}
	count := ops[0].Value
	w.push(w.typeID(f.AllocatedType(v)), w.typeID(f.TypeOf(count)), uint64(w.id(count)), packed)
	id := w.fun.alloca
	if as := w.m.AddrSpace(in.Type); as != w.m.Layout().AllocaAddrSpace {
		w.push(uint64(as))
		id = 0
	}
	w.writeRecord(id, funAlloca, w.rec...)
}

// orderingCode returns the number of an ordering in records.
func orderingCode(o ir.Ordering) uint64 { return uint64(slices.Index(orderings[:], o)) }

// pushAtomicity adds ordering and scope.
func (w *moduleWriter) pushAtomicity(mi *ir.MemInfo) {
	n, _ := w.scopes.number(mi.Scope)
	w.push(orderingCode(mi.Ordering), uint64(n))
}

// writeAccess writes the rest of a load or store.
func (w *moduleWriter) writeAccess(v ir.Value, late bool, id abbrevID, code, atomicCode uint64) {
	mi := w.f.MemInfo(v)
	w.push(alignCode(mi.Align), bit(mi.Volatile))
	if mi.Ordering == ir.NotAtomic {
		w.emitUnless(late, id, code)
		return
	}
	w.pushAtomicity(&mi)
	w.record(atomicCode, w.rec...)
}

func (w *moduleWriter) writeLoad(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[0].Value)
	w.push(w.typeID(in.Type))
	w.writeAccess(v, late, w.fun.load, funLoad, funLoadAtomic)
}

func (w *moduleWriter) writeStore(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	late := w.pushPair(ops[1].Value)
	late = w.pushPair(ops[0].Value) || late
	w.writeAccess(v, late, w.fun.store, funStore, funStoreAtomic)
}

func (w *moduleWriter) writeFence(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	mi := w.f.MemInfo(v)
	w.pushAtomicity(&mi)
	w.record(funFence, w.rec...)
}

func (w *moduleWriter) writeCmpXchg(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	mi := w.f.MemInfo(v)
	w.pushPairs(ops[:2])
	w.pushValue(ops[2].Value)
	w.push(bit(mi.Volatile))
	w.pushAtomicity(&mi)
	w.push(orderingCode(mi.Failure), bit(mi.Weak), alignCode(mi.Align))
	w.record(funCmpXchg, w.rec...)
}

func (w *moduleWriter) writeAtomicRMW(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	mi := w.f.MemInfo(v)
	w.pushPairs(ops)
	w.push(uint64(in.Sub), bit(mi.Volatile))
	w.pushAtomicity(&mi)
	w.push(alignCode(mi.Align))
	w.record(funAtomicRMW, w.rec...)
}
