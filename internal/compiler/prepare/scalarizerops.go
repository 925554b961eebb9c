package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// vectorOps holds the functions that scalarize instructions; they return false
// if the instruction is kept, with whole vectors.
var vectorOps = [ir.NumOps]func(x *vectorScalarizer, v ir.Value) bool{
	ir.OpFNeg: vectorPaired, ir.OpFAdd: vectorPaired, ir.OpFSub: vectorPaired, ir.OpFMul: vectorPaired,
	ir.OpAdd: vectorPaired, ir.OpSub: vectorPaired, ir.OpMul: vectorPaired,
	ir.OpShl: vectorPaired, ir.OpLShr: vectorPaired, ir.OpAShr: vectorPaired,
	ir.OpAnd: vectorPaired, ir.OpOr: vectorPaired, ir.OpXor: vectorPaired, ir.OpFreeze: vectorPaired,
	ir.OpFDiv: vectorElements, ir.OpFRem: vectorElements,
	ir.OpUDiv: vectorElements, ir.OpSDiv: vectorElements, ir.OpURem: vectorElements, ir.OpSRem: vectorElements,
	ir.OpTrunc: vectorElements, ir.OpZExt: vectorElements, ir.OpSExt: vectorElements,
	ir.OpFPToUI: vectorElements, ir.OpFPToSI: vectorElements, ir.OpUIToFP: vectorElements, ir.OpSIToFP: vectorElements,
	ir.OpFPTrunc: vectorElements, ir.OpFPExt: vectorElements, ir.OpPtrToInt: vectorElements, ir.OpPtrToAddr: vectorElements,
	ir.OpIntToPtr: vectorElements, ir.OpAddrSpaceCast: vectorElements, ir.OpICmp: vectorElements, ir.OpFCmp: vectorElements,
	ir.OpGetElementPtr: vectorElements,
	ir.OpSelect:        vectorSelect, ir.OpPhi: vectorPhi, ir.OpBitCast: vectorBitCast,
	ir.OpExtractElement: vectorExtract, ir.OpInsertElement: vectorInsert, ir.OpShuffleVector: vectorShuffle,
	ir.OpLoad: vectorLoad, ir.OpStore: vectorStore, ir.OpCall: vectorCall, ir.OpExtractValue: vectorExtractValue,
}

// like creates a copy of an instruction with other operands.
func (x *vectorScalarizer) like(v ir.Value, t ir.Type, ops []ir.Value) ir.Value {
	f := x.f
	op := f.Op(v)
	if op.IsBinary() && !op.IsFloatOp() && x.IsPlain(ops[0]) && x.IsPlain(ops[1]) {
		if c := x.M.Binary(op, ops[0], ops[1], f.Instr(v).Flags); x.M.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	n := x.Make(op, t, ops...)
	in, old := f.Instr(n), f.Instr(v)
	in.Sub, in.Flags = old.Sub, old.Flags
	if op == ir.OpGetElementPtr || op == ir.OpCall {
		in.X = old.X
	}
	x.keepAccuracy(n, v)
	return n
}

// keepAccuracy copies the accuracy that !fpmath specifies.
func (x *vectorScalarizer) keepAccuracy(n, v ir.Value) {
	if node := x.f.Attachment(v, ir.MDFPMath); node != 0 {
		x.f.SetAttachment(n, ir.MDFPMath, node)
	}
}

// part returns element i of an operand; operands other than vectors are the
// same for all elements.
func (x *vectorScalarizer) part(o ir.Value, i int) ir.Value {
	if o.IsBlock() || o.IsMetadata() || !x.M.IsVector(x.f.TypeOf(o)) {
		return o
	}
	return x.elems(o)[i]
}

// vectorElements replaces an operation by one operation per element.
func vectorElements(x *vectorScalarizer, v ir.Value) bool {
	f := x.f
	n, t := x.count(v), x.M.Scalar(f.TypeOf(v))
	out := make([]ir.Value, n)
	ops := make([]ir.Value, f.NumOperands(v))
	for i := range out {
		for j := range ops {
			ops[j] = x.part(f.Operand(v, j), i)
		}
		out[i] = x.like(v, t, ops)
	}
	x.setElems(v, out)
	return true
}

// vectorPaired replaces an operation by one operation per pair, or per element
// if pairs have no instructions.
func vectorPaired(x *vectorScalarizer, v ir.Value) bool {
	f := x.f
	if !x.isPair(x.M.Scalar(f.TypeOf(v))) {
		return vectorElements(x, v)
	}
	var lists [3][]ir.Value
	k := f.NumOperands(v)
	for j := range k {
		lists[j] = x.pairs(f.Operand(v, j))
	}
	out := make([]ir.Value, len(lists[0]))
	for i := range out {
		ops := make([]ir.Value, k)
		for j := range ops {
			ops[j] = lists[j][i]
		}
		out[i] = x.like(v, f.TypeOf(ops[0]), ops)
	}
	x.setPairs(v, out)
	return true
}

func vectorSelect(x *vectorScalarizer, v ir.Value) bool {
	f := x.f
	switch cond := f.Operand(v, 0); {
	case x.hot[v]:
		return false
	case x.M.IsVector(f.TypeOf(cond)) || !x.isPair(x.M.Scalar(f.TypeOf(v))):
		return vectorElements(x, v)
	default:
		a, b := x.pairs(f.Operand(v, 1)), x.pairs(f.Operand(v, 2))
		out := make([]ir.Value, len(a))
		for i := range a {
			out[i] = x.like(v, f.TypeOf(a[i]), []ir.Value{cond, a[i], b[i]})
		}
		x.setPairs(v, out)
		return true
	}
}

func vectorPhi(x *vectorScalarizer, v ir.Value) bool {
	if x.hot[v] {
		return false
	}
	t := x.M.Scalar(x.f.TypeOf(v))
	x.phis = append(x.phis, v)
	n := x.count(v)
	if !x.isPair(t) {
		out := make([]ir.Value, n)
		for i := range out {
			out[i] = x.Phi(t)
		}
		x.setElems(v, out)
		return true
	}
	var out []ir.Value
	for range n / 2 {
		out = append(out, x.Phi(x.M.VectorType(t, 2)))
	}
	if n%2 != 0 {
		out = append(out, x.Phi(t))
	}
	x.setPairs(v, out)
	return true
}

// maxSelects is the maximum number of elements for which an element at a
// variable index is found by selects. Larger vectors go through memory.
const maxSelects = 32

// maxCompares is the maximum number of elements for which the index is compared
// with each element's number. Insertions do the same and can share the
// comparisons.
const maxCompares = 4

func vectorExtract(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	vec, index := f.Operand(v, 0), f.Operand(v, 1)
	n := x.count(vec)
	if m.ConstKindOf(index) == ir.ConstPoison || m.ConstKindOf(index) == ir.ConstUndef {
		return x.replace(v, m.Poison(f.TypeOf(v)))
	}
	if c, ok := m.IntValue(index); ok {
		if c >= uint64(n) {
			return x.replace(v, m.Poison(f.TypeOf(v)))
		}
		return x.replace(v, x.elems(vec)[c])
	}
	if x.indexed(v) {
		return false
	}
	if n > maxSelects && x.inMemory(vec) {
		p := x.spill(vec, index)
		return x.replace(v, x.Load(f.TypeOf(v), p, 0))
	}
	if n > maxCompares {
		return x.replace(v, x.pickElement(x.elems(vec), index))
	}
	elems := x.elems(vec)
	r := elems[0]
	for i := 1; i < n; i++ {
		if x.fitsIndex(index, i) {
			r = x.Choose(x.Compare(ir.ICmpEQ, index, m.NewInt(f.TypeOf(index), uint64(i))), elems[i], r)
		}
	}
	return x.replace(v, r)
}

// pickElement selects an element by the bits of an index, the highest first;
// each bit halves the number of elements. The result for an out-of-range index
// is arbitrary.
func (x *vectorScalarizer) pickElement(elems []ir.Value, index ir.Value) ir.Value {
	t := x.f.TypeOf(index)
	if n := x.M.IntBits(t); n < 32 {
		elems = elems[:min(len(elems), 1<<n)]
	}
	list := append([]ir.Value(nil), elems...)
	for n := len(list); n > 1; n = len(list) {
		half := 1 << (bits.Len(uint(n-1)) - 1)
		var upper ir.Value
		if n == len(elems) {
			upper = x.Compare(ir.ICmpUGT, index, x.M.NewInt(t, uint64(half-1)))
		} else {
			bit := x.Op(ir.OpAnd, index, x.M.NewInt(t, uint64(half)))
			upper = x.Compare(ir.ICmpNE, bit, x.M.NewInt(t, 0))
		}
		for i := half; i < n; i++ {
			list[i-half] = x.Choose(upper, list[i], list[i-half])
		}
		list = list[:half]
	}
	return list[0]
}

// fitsIndex reports whether a number is representable in an index' type.
func (x *vectorScalarizer) fitsIndex(index ir.Value, i int) bool {
	n := x.M.IntBits(x.f.TypeOf(index))
	return n >= 32 || i < 1<<n
}

// inMemory reports whether the elements of a vector have addresses when it is
// stored to memory.
func (x *vectorScalarizer) inMemory(vec ir.Value) bool {
	return x.M.SizeInBits(x.M.Scalar(x.f.TypeOf(vec)))%8 == 0
}

// spill stores a vector to the stack and returns the address of an element,
// which is valid even if the index is out of range.
func (x *vectorScalarizer) spill(vec, index ir.Value) ir.Value {
	f, m := x.f, x.M
	elem := m.Scalar(f.TypeOf(vec))
	n := uint64(x.count(vec))
	saved := x.Builder
	x.Before(f.FirstNonPhi(f.Entry()))
	slot := x.Alloca(m.ArrayType(elem, n), uint32(m.ABIAlign(elem)))
	x.Builder = saved
	for i, e := range x.elems(vec) {
		x.Store(e, x.offsetPtr(slot, uint64(i)*m.AllocSize(elem)), 0)
	}
	return x.slotAt(slot, elem, n, index)
}

// slotAt returns the address of an element of a spilled vector.
func (x *vectorScalarizer) slotAt(slot ir.Value, elem ir.Type, n uint64, index ir.Value) ir.Value {
	m := x.M
	t := x.f.TypeOf(index)
	index = x.Freeze(index) // a poison address must not be used
	if x.fitsIndex(index, int(n)) {
		last := m.NewInt(t, n-1)
		index = x.Choose(x.Compare(ir.ICmpULT, index, last), index, last)
	}
	if m.IntBits(t) < 32 {
		index = x.FoldCast(ir.OpZExt, index, ir.I32)
	}
	return x.GEP(elem, ir.InBounds, slot, index)
}

func vectorInsert(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	vec, elem, index := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	n := x.count(vec)
	if c, ok := m.IntValue(index); ok && c < uint64(n) {
		x.setElem(v, vec, int(c), elem)
		return true
	}
	if index.IsConst() && x.IsPlain(index) {
		x.setWhole(v, m.Poison(f.TypeOf(v)))
		x.setElems(v, x.constElems(m.Poison(f.TypeOf(v)), n))
		return true
	}
	if x.indexed(v) {
		return false
	}
	if n > maxSelects && x.inMemory(vec) {
		x.insertInMemory(v, vec, elem, index)
		return true
	}
	out := append([]ir.Value(nil), x.elems(vec)...)
	for i := range out {
		if x.fitsIndex(index, i) {
			out[i] = x.Choose(x.Compare(ir.ICmpEQ, index, m.NewInt(f.TypeOf(index), uint64(i))), elem, out[i])
		}
	}
	x.setElems(v, out)
	return true
}

// insertInMemory spills a vector, replaces one element, and reloads all
// elements.
func (x *vectorScalarizer) insertInMemory(v, vec, elem, index ir.Value) {
	p := x.spill(vec, index)
	x.Store(elem, p, 0)
	slot := x.f.Operand(p, 0)
	t := x.f.TypeOf(elem)
	out := make([]ir.Value, x.count(vec))
	for i := range out {
		out[i] = x.Load(t, x.offsetPtr(slot, uint64(i)*x.M.AllocSize(t)), 0)
	}
	x.setElems(v, out)
}

func vectorShuffle(x *vectorScalarizer, v ir.Value) bool {
	f, m := x.f, x.M
	a, b := f.Operand(v, 0), f.Operand(v, 1)
	n := uint32(x.count(a))
	elem := m.Scalar(f.TypeOf(v))
	mask := append([]uint32(nil), f.Mask(v)...)
	pick := func(i uint32) ir.Value {
		switch {
		case i == ir.PoisonElement:
			return m.Poison(elem)
		case i < n:
			return x.elems(a)[i]
		}
		return x.elems(b)[i-n]
	}
	if x.isPair(elem) && len(mask) > 1 {
		x.setPairs(v, x.shufflePairs(a, b, n, mask, pick))
		return true
	}
	out := make([]ir.Value, len(mask))
	for i, k := range mask {
		out[i] = pick(k)
	}
	x.setElems(v, out)
	return true
}

// shufflePairs takes pairs unchanged if their elements remain adjacent.
func (x *vectorScalarizer) shufflePairs(a, b ir.Value, n uint32, mask []uint32, pick func(uint32) ir.Value) []ir.Value {
	var out []ir.Value
	for i := 0; i < len(mask); i += 2 {
		k := mask[i]
		if i+1 == len(mask) {
			out = append(out, pick(k))
			break
		}
		second := mask[i+1]
		from, at := a, k
		if k != ir.PoisonElement && k >= n {
			from, at = b, k-n
		}
		if k != ir.PoisonElement && at%2 == 0 && at+1 < n && (second == k+1 || second == ir.PoisonElement) {
			out = append(out, x.pairs(from)[at/2])
			continue
		}
		out = append(out, x.pairUp([]ir.Value{pick(k), pick(second)})...)
	}
	return out
}

// vectorExtractValue returns a vector of the struct that a scalarized
// elementwise call would have returned.
func vectorExtractValue(x *vectorScalarizer, v ir.Value) bool {
	f := x.f
	lists := x.sums[f.Operand(v, 0)]
	if lists == nil {
		return false
	}
	x.setElems(v, lists[f.Indices(v)[0]])
	return true
}

// wholeSum builds the struct of vectors that a scalarized elementwise call
// would have returned.
func (x *vectorScalarizer) wholeSum(v ir.Value) ir.Value {
	t := x.f.TypeOf(v)
	r := x.M.Poison(t)
	for i, list := range x.sums[v] {
		r = x.InsertValue(r, x.gather(x.M.ElementType(t, uint64(i)), list), uint32(i))
	}
	return r
}
