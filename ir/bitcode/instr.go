package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// instrReaders maps the record codes of function blocks to readers.
var instrReaders lazy.Value[*[lastFunctionRecord + 1]func(*body)]

func makeInstrReaders() *[lastFunctionRecord + 1]func(*body) {
	return &[...]func(*body){
		funDeclareBlocks: (*body).declareBlocks,
		funBinop:         (*body).binop, funUnop: (*body).unop, funCast: (*body).cast,
		funGEPOld:  func(b *body) { b.gep(0, true) },
		funGEP:     func(b *body) { b.gep(0, false) },
		funSelect:  func(b *body) { b.selectOp(true) },
		funVSelect: func(b *body) { b.selectOp(false) },
		funCmp:     (*body).compare, funCmp2: (*body).compare,
		funExtractElt: (*body).extractElement, funInsertElt: (*body).insertElement,
		funShuffleVec: (*body).shuffle,
		funExtractVal: (*body).extractValue, funInsertVal: (*body).insertValue,
		funInBoundsGEPOld: func(b *body) { b.gep(ir.InBounds|ir.NUSW, true) },
		funFreeze:         (*body).freeze, funVAArg: (*body).vaArg, funPhi: (*body).phi,
		funRet: (*body).ret, funBr: (*body).br, funSwitch: (*body).switchOp, funIndirectBr: (*body).indirectBr,
		funUnreachable: func(b *body) { b.createInstr(ir.OpUnreachable, ir.Void, noTid) },
		funResume:      (*body).resume, funLandingPad: (*body).landingPad, funLandingPadOld: (*body).landingPadOld,
		funCleanupRet: (*body).cleanupRet, funCatchRet: (*body).catchRet, funCatchSwitch: (*body).catchSwitch,
		funCatchPad:   func(b *body) { b.pad(ir.OpCatchPad) },
		funCleanupPad: func(b *body) { b.pad(ir.OpCleanupPad) },
		funAlloca:     (*body).alloca, funLoad: func(b *body) { b.load(false) }, funLoadAtomic: func(b *body) { b.load(true) },
		funStore: func(b *body) { b.store(false, false) }, funStoreOld: func(b *body) { b.store(false, true) },
		funStoreAtomic:    func(b *body) { b.store(true, false) },
		funStoreAtomicOld: func(b *body) { b.store(true, true) },
		funFence:          (*body).fence, funCmpXchg: func(b *body) { b.cmpXchg(false) },
		funCmpXchgOld: func(b *body) { b.cmpXchg(true) },
		funAtomicRMW:  func(b *body) { b.atomicRMW(false) }, funAtomicRMWOld: func(b *body) { b.atomicRMW(true) },
		funCall: (*body).call, funInvoke: (*body).invoke, funCallBr: (*body).callBr, funOperandBundle: (*body).operandBundle,
		funBlockAddrUsers: func(b *body) {},
		funDebugLoc:       (*body).debugLoc, funDebugLocAgain: (*body).debugLocAgain,
		funDbgValue:        func(b *body) { b.dbgRecord(ir.OpDbgValue, false) },
		funDbgValueSimple:  func(b *body) { b.dbgRecord(ir.OpDbgValue, true) },
		funDbgDeclare:      func(b *body) { b.dbgRecord(ir.OpDbgDeclare, false) },
		funDbgDeclareValue: func(b *body) { b.dbgRecord(ir.OpDbgDeclareValue, false) },
		funDbgAssign:       func(b *body) { b.dbgRecord(ir.OpDbgAssign, false) },
		funDbgLabel:        (*body).dbgLabel,
	}
}

// intOps and floatOps map the numbers in records to binary operations.
var (
	intOps = [...]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpShl, ir.OpLShr, ir.OpAShr,
		ir.OpAnd, ir.OpOr, ir.OpXor}
	floatOps = [...]ir.Op{0: ir.OpFAdd, 1: ir.OpFSub, 2: ir.OpFMul, 4: ir.OpFDiv, 6: ir.OpFRem}
	castOps  = [...]ir.Op{ir.OpTrunc, ir.OpZExt, ir.OpSExt, ir.OpFPToUI, ir.OpFPToSI, ir.OpUIToFP, ir.OpSIToFP, ir.OpFPTrunc,
		ir.OpFPExt, ir.OpPtrToInt, ir.OpIntToPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPtrToAddr}
)

// binaryOp returns the binary operation with number n for type t.
func (r *reader) binaryOp(n uint64, t ir.Type) ir.Op {
	switch {
	case r.m.IsIntOrIntVector(t) && n < uint64(len(intOps)):
		return intOps[n]
	case r.m.IsFloatOrFloatVector(t) && n < uint64(len(floatOps)) && floatOps[n] != 0:
		return floatOps[n]
	}
	r.fail("invalid binary operation %d for its type", n)
	return ir.OpNone
}

func (r *reader) castOp(n uint64) ir.Op {
	if n >= uint64(len(castOps)) {
		r.fail("unknown conversion %d", n)
	}
	return castOps[n]
}

// binaryFlags decodes the flags of a binary operation.
func binaryFlags(op ir.Op, x uint64) ir.Flags {
	switch {
	case op.HasWrapFlags():
		return wrapFlags(x)
	case op.HasExact() && x&1 != 0:
		return ir.Exact
	case op == ir.OpOr && x&1 != 0:
		return ir.Disjoint
	case op >= ir.OpFNeg && floatOp(op):
		return fastFlags(x)
	}
	return 0
}

func floatOp(op ir.Op) bool {
	return op == ir.OpFNeg || op == ir.OpFAdd || op == ir.OpFSub || op == ir.OpFMul || op == ir.OpFDiv || op == ir.OpFRem
}

func wrapFlags(x uint64) (f ir.Flags) {
	if x&1 != 0 {
		f |= ir.NUW
	}
	if x&2 != 0 {
		f |= ir.NSW
	}
	return f
}

// fastFlags decodes fast-math flags. Bit 0 is "fast" of LLVM before 6, bit 7 is
// reassoc.
func fastFlags(x uint64) ir.Flags {
	if x&1 != 0 {
		return ir.FastMath
	}
	f := ir.Flags(x) & ir.FastMath &^ ir.Reassoc
	if x&0x80 != 0 {
		f |= ir.Reassoc
	}
	return f
}

// gepFlags decodes the flags of getelementptr. inbounds implies nusw.
func gepFlags(x uint64) (f ir.Flags) {
	if x&1 != 0 {
		f |= ir.InBounds | ir.NUSW
	}
	if x&2 != 0 {
		f |= ir.NUSW
	}
	if x&4 != 0 {
		f |= ir.NUW
	}
	return f
}

func (r *reader) predicate(x uint64, float bool) uint8 {
	if float && x > uint64(ir.FCmpTrue) || !float && (x < uint64(ir.ICmpEQ) || x > uint64(ir.ICmpSLE)) {
		r.fail("invalid predicate %d", x)
	}
	return uint8(x)
}

// binop: value, value, operation [, flags].
func (b *body) binop() {
	t, tid := b.pushPair()
	b.pushTyped(t, tid)
	op := b.binaryOp(b.pop(), t)
	in := b.createInstr(op, t, tid)
	if b.more() {
		in.Flags = binaryFlags(op, b.pop())
	}
}

// unop: value, operation [, flags].
func (b *body) unop() {
	t, tid := b.pushPair()
	if x := b.pop(); x != 0 || !b.m.IsFloatOrFloatVector(t) {
		b.fail("invalid unary operation %d for its type", x)
	}
	in := b.createInstr(ir.OpFNeg, t, tid)
	if b.more() {
		in.Flags = fastFlags(b.pop())
	}
}

// cast: value, type, operation [, flags].
func (b *body) cast() {
	from, _ := b.pushPair()
	t, tid := b.popType()
	op := b.castOp(b.pop())
	b.checkCast(op, from, t)
	flags := uint64(0)
	if b.more() {
		flags = b.pop()
	}
	in := b.createInstr(op, t, tid)
	switch op {
	case ir.OpTrunc:
		in.Flags = wrapFlags(flags)
	case ir.OpZExt, ir.OpUIToFP:
		if flags&1 != 0 {
			in.Flags = ir.NNeg
		}
	case ir.OpFPTrunc, ir.OpFPExt:
		in.Flags = fastFlags(flags)
	}
}

type castForm struct {
	from, to func(m *ir.Module, t ir.Type) bool
}

// castForms lists the scalar kinds that conversions accept and produce.
var castForms = lazy.Value[map[ir.Op]castForm]{Make: func() map[ir.Op]castForm {
	return map[ir.Op]castForm{
		ir.OpTrunc: {isInt, isInt}, ir.OpZExt: {isInt, isInt}, ir.OpSExt: {isInt, isInt},
		ir.OpFPToUI: {isFloat, isInt}, ir.OpFPToSI: {isFloat, isInt}, ir.OpUIToFP: {isInt, isFloat}, ir.OpSIToFP: {isInt, isFloat},
		ir.OpFPTrunc: {isFloat, isFloat}, ir.OpFPExt: {isFloat, isFloat},
		ir.OpPtrToInt: {isPtr, isInt}, ir.OpPtrToAddr: {isPtr, isInt}, ir.OpIntToPtr: {isInt, isPtr},
		ir.OpAddrSpaceCast: {isPtr, isPtr},
	}
}}

func isInt(m *ir.Module, t ir.Type) bool   { return m.IsIntOrIntVector(t) }
func isFloat(m *ir.Module, t ir.Type) bool { return m.IsFloatOrFloatVector(t) }
func isPtr(m *ir.Module, t ir.Type) bool   { return m.IsPtrOrPtrVector(t) }

// checkCast fails if a conversion does not match the types.
func (b *body) checkCast(op ir.Op, from, to ir.Type) {
	if forms, ok := castForms.Get()[op]; ok && (!forms.from(b.m, from) || !forms.to(b.m, to) ||
		b.m.NumElements(from) != b.m.NumElements(to)) || !b.m.IsFirstClass(to) {
		b.fail("invalid types for %s", op)
	}
}

// gep: [flags, source type,] base and indices. Old records omit the source
// type.
func (b *body) gep(flags ir.Flags, old bool) {
	source, sourceTid := ir.NoType, uint32(noTid)
	if !old {
		flags = gepFlags(b.pop())
		source, sourceTid = b.popType()
	}
	t, tid := b.pushPair()
	if !b.m.IsPtrOrPtrVector(t) {
		b.fail("base of getelementptr is not a pointer")
	}
	if old {
		base := tid
		if b.m.IsVector(t) {
			base = b.sub(tid, 0)
		}
		source, sourceTid = b.pointee(base, "getelementptr")
	}
	first := b.at
	for b.more() {
		it, _ := b.pushPair()
		if info := b.m.TypeInfo(it); info.Kind == ir.KindVector && !b.m.IsVector(t) {
			t = b.m.VectorType(t, info.N)
		}
	}
	tid = noTid
	if b.typed {
		tid = b.virtualType(b.m.Scalar(t), b.gepTid(sourceTid, b.at > first))
		if b.m.IsVector(t) {
			tid = b.virtualType(t, tid)
		}
	}
	in := b.createInstr(ir.OpGetElementPtr, t, tid)
	in.X, in.Flags = uint32(source), flags
}

// gepTid returns the number of the type that a getelementptr points to.
func (b *body) gepTid(tid uint32, indices bool) uint32 {
	if !indices {
		return tid
	}
	for _, v := range b.ops[2:] {
		part := 0
		if tid < uint32(len(b.types)) && b.m.Kind(b.types[tid].t) == ir.KindStruct {
			if !v.IsConst() {
				return noTid
			}
			if b.m.IsVector(b.m.TypeOfConst(v)) {
				v = b.m.SplatValue(v)
			}
			x, ok := b.m.IntValue(v)
			if v == ir.None || !ok || x >= uint64(len(b.types[tid].sub)) {
				return noTid
			}
			part = int(x)
		}
		tid = b.sub(tid, part)
	}
	return tid
}

// selectOp: if true, if false, condition [, flags]. In old records the
// condition is an i1.
func (b *body) selectOp(old bool) {
	t, tid := b.pushPair()
	b.pushTyped(t, tid)
	if old {
		b.pushTyped(ir.I1, b.virtualType(ir.I1, noTid))
	} else if ct, _ := b.pushPair(); b.m.Scalar(ct) != ir.I1 {
		b.fail("condition of select is not an i1")
	}
	b.moveOp(2, 0)
	in := b.createInstr(ir.OpSelect, t, tid)
	if b.more() {
		in.Flags = fastFlags(b.pop())
	}
}

// compare: value, value, predicate [, flags].
func (b *body) compare() {
	t, tid := b.pushPair()
	b.pushTyped(t, tid)
	float := b.m.IsFloatOrFloatVector(t)
	op := ir.OpICmp
	if float {
		op = ir.OpFCmp
	}
	pred := b.predicate(b.pop(), float)
	result := b.m.WithScalar(t, ir.I1)
	in := b.createInstr(op, result, b.virtualType(result, noTid))
	in.Sub = pred
	switch {
	case !b.more():
	case float:
		in.Flags = fastFlags(b.pop())
	case b.pop()&1 != 0:
		in.Flags = ir.SameSign
	}
}

// extractElement: vector, index.
func (b *body) extractElement() {
	t, tid := b.pushPair()
	b.pushPair()
	b.wantVector(t)
	b.createInstr(ir.OpExtractElement, b.m.Scalar(t), b.sub(tid, 0))
}

func (b *body) wantVector(t ir.Type) {
	if !b.m.IsVector(t) {
		b.fail("operand of a vector operation is not a vector")
	}
}

// insertElement: vector, element, index.
func (b *body) insertElement() {
	t, tid := b.pushPair()
	b.wantVector(t)
	b.pushTyped(b.m.Scalar(t), b.sub(tid, 0))
	b.pushPair()
	b.createInstr(ir.OpInsertElement, t, tid)
}

// shuffle: vector, vector, mask. The mask is a constant vector of i32.
func (b *body) shuffle() {
	t, tid := b.pushPair()
	b.wantVector(t)
	b.pushTyped(t, tid)
	b.pushPair()
	if !b.ops[2].IsConst() {
		b.fail("shufflevector mask is not a constant vector of i32")
	}
	mask := b.maskOf(b.ops[2], t)
	b.ops, b.fwd = b.ops[:2], b.fwd[:2]
	result := b.m.VectorType(b.m.Scalar(t), uint64(len(mask)))
	b.createInstr(ir.OpShuffleVector, result, b.virtualType(result, b.sub(tid, 0)))
	b.f.SetIndices(b.last(), mask)
}

// maskOf returns the mask of a shufflevector of vectors of type t. v is the
// mask as a constant.
func (r *reader) maskOf(v ir.Value, t ir.Type) []uint32 {
	info := r.m.TypeInfo(r.m.TypeOfConst(v))
	if info.Kind != ir.KindVector || info.Elem != ir.I32 || info.N > maxSplat {
		r.fail("shufflevector mask is not a constant vector of i32")
	}
	mask := make([]uint32, info.N)
	for i := range mask {
		mask[i] = ir.PoisonElement
		e := r.m.Element(v, uint64(i))
		if e == ir.None {
			r.fail("shufflevector mask is a constant expression")
		}
		if x, ok := r.m.IntValue(e); ok {
			if x >= 2*r.m.NumElements(t) {
				r.fail("shufflevector selects invalid element %d", x)
			}
			mask[i] = uint32(x)
		}
	}
	return mask
}

// indices reads the rest of the record as indices into an aggregate, and
// returns them with the type of the selected element.
func (b *body) indices(t ir.Type, tid uint32) ([]uint32, ir.Type, uint32) {
	if !b.more() {
		b.fail("extractvalue or insertvalue has no indices")
	}
	var list []uint32
	for b.more() {
		i := b.pop()
		part := 0
		if b.m.Kind(t) == ir.KindStruct {
			part = int(min(i, 1<<31))
		}
		if !b.m.IsAggregate(t) || i >= b.m.NumElements(t) || i >= 1<<32 {
			b.fail("index %d is out of range for its type", i)
		}
		t, tid = b.m.ElementType(t, i), b.sub(tid, part)
		list = append(list, uint32(i))
	}
	return list, t, tid
}

// extractValue: aggregate, indices.
func (b *body) extractValue() {
	list, t, tid := b.indices(b.pushPair())
	b.createInstr(ir.OpExtractValue, t, tid)
	b.f.SetIndices(b.last(), list)
}

// insertValue: aggregate, element, indices.
func (b *body) insertValue() {
	t, tid := b.pushPair()
	et, _ := b.pushPair()
	list, want, _ := b.indices(t, tid)
	if et != want {
		b.fail("value of insertvalue does not match the type of the element")
	}
	b.createInstr(ir.OpInsertValue, t, tid)
	b.f.SetIndices(b.last(), list)
}

func (b *body) freeze() {
	t, tid := b.pushPair()
	b.createInstr(ir.OpFreeze, t, tid)
}

// vaArg: type of the list, list, type.
func (b *body) vaArg() {
	b.pushTyped(b.popType())
	t, tid := b.popType()
	b.createInstr(ir.OpVAArg, t, tid)
}

// phi: type, values (relative ones are signed) and blocks [, flags].
func (b *body) phi() {
	t, tid := b.popType()
	if !b.m.IsFirstClass(t) || t == ir.Label || t == ir.MD {
		b.fail("phi has an invalid type")
	}
	for b.at+1 < len(b.rec) {
		x := b.pop()
		if b.relative {
			x = rotated(x)
		}
		b.pushID(b.id(x), t, tid)
		b.push(b.target(b.pop()))
	}
	in := b.createInstr(ir.OpPhi, t, tid)
	if b.more() {
		in.Flags = fastFlags(b.pop())
	}
}
