package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// elementwiseIntrinsics lists the intrinsics that operate on each element of a
// vector separately. The value is true if pairs have an instruction.
var elementwiseIntrinsics = lazy.Value[map[ir.Intrinsic]bool]{Make: func() map[ir.Intrinsic]bool {
	return map[ir.Intrinsic]bool{
		ir.IntrAbs: false, ir.IntrUmin: true, ir.IntrUmax: true, ir.IntrSmin: true, ir.IntrSmax: true,
		ir.IntrCtpop: false, ir.IntrCtlz: false, ir.IntrCttz: false, ir.IntrBswap: false, ir.IntrBitreverse: false,
		ir.IntrFshl: false, ir.IntrFshr: false, ir.IntrClmul: false, ir.IntrUcmp: false, ir.IntrScmp: false,
		ir.IntrUaddSat: false, ir.IntrUsubSat: false, ir.IntrSaddSat: false, ir.IntrSsubSat: false, ir.IntrUshlSat: false, ir.IntrSshlSat: false,
		ir.IntrUmulFix: false, ir.IntrUmulFixSat: false, ir.IntrSmulFix: false, ir.IntrSmulFixSat: false,
		ir.IntrUdivFix: false, ir.IntrUdivFixSat: false, ir.IntrSdivFix: false, ir.IntrSdivFixSat: false,
		ir.IntrUaddWithOverflow: false, ir.IntrUsubWithOverflow: false, ir.IntrUmulWithOverflow: false,
		ir.IntrSaddWithOverflow: false, ir.IntrSsubWithOverflow: false, ir.IntrSmulWithOverflow: false,
		ir.IntrFabs: true, ir.IntrFma: true, ir.IntrFmuladd: true, ir.IntrMinnum: true, ir.IntrMaxnum: true, ir.IntrCanonicalize: true,
		ir.IntrMinimum: false, ir.IntrMaximum: false, ir.IntrMinimumnum: false, ir.IntrMaximumnum: false, ir.IntrCopysign: false,
		ir.IntrSqrt: false, ir.IntrPow: false, ir.IntrPowi: false, ir.IntrLdexp: false, ir.IntrFrexp: false, ir.IntrModf: false,
		ir.IntrSin: false, ir.IntrCos: false, ir.IntrTan: false, ir.IntrAsin: false, ir.IntrAcos: false, ir.IntrAtan: false, ir.IntrAtan2: false,
		ir.IntrSinh: false, ir.IntrCosh: false, ir.IntrTanh: false, ir.IntrSincos: false, ir.IntrSincospi: false,
		ir.IntrExp: false, ir.IntrExp2: false, ir.IntrExp10: false, ir.IntrLog: false, ir.IntrLog2: false, ir.IntrLog10: false,
		ir.IntrFloor: false, ir.IntrCeil: false, ir.IntrTrunc: false, ir.IntrRint: false, ir.IntrNearbyint: false, ir.IntrRound: false,
		ir.IntrRoundeven: false, ir.IntrLrint: false, ir.IntrLlrint: false, ir.IntrLround: false, ir.IntrLlround: false,
		ir.IntrIsFpclass: false, ir.IntrFptosiSat: false, ir.IntrFptouiSat: false, ir.IntrPtrmask: false, ir.IntrFptruncRound: false,
	}
}}

// isElementwise reports whether an instruction is an elementwise intrinsic call
// on vectors.
func (x *vectorScalarizer) isElementwise(v ir.Value) bool {
	_, ok := elementwiseIntrinsics.Get()[x.f.CalledIntrinsic(v)]
	return ok
}

// vectorCall scalarizes calls of intrinsics.
func vectorCall(x *vectorScalarizer, v ir.Value) bool {
	f := x.f
	id := f.CalledIntrinsic(v)
	if do := vectorIntrinsics.From(makeVectorIntrinsics)[id]; do != nil {
		return do(x, id, v)
	}
	pairs, ok := elementwiseIntrinsics.Get()[id]
	switch n := x.vectorOperand(v); {
	case !ok || n == ir.None:
		return false
	case pairs && x.isPair(x.M.Scalar(f.TypeOf(v))):
		x.setPairs(v, x.callParts(v, x.pairs, len(x.pairs(n))))
	case x.M.IsAggregate(f.TypeOf(v)):
		x.callSums(v, x.count(n))
	default:
		x.setElems(v, x.callParts(v, x.elems, x.count(n)))
	}
	return true
}

// vectorOperand returns the first vector operand of a call.
func (x *vectorScalarizer) vectorOperand(v ir.Value) ir.Value {
	for _, o := range x.f.Args(v) {
		if !o.Value.IsMetadata() && x.M.IsVector(x.f.TypeOf(o.Value)) {
			return o.Value
		}
	}
	return ir.None
}

// callParts calls an intrinsic for each of the n parts of its operands.
func (x *vectorScalarizer) callParts(v ir.Value, parts func(ir.Value) []ir.Value, n int) []ir.Value {
	f, m := x.f, x.M
	out := make([]ir.Value, n)
	for i := range out {
		var ops []ir.Value
		var types []ir.Type
		result := x.partType(f.TypeOf(v), 1)
		for _, o := range f.Args(v) {
			op := o.Value
			if !op.IsMetadata() && m.IsVector(f.TypeOf(op)) {
				op = parts(op)[i]
				if m.IsVector(f.TypeOf(op)) {
					result = x.partType(f.TypeOf(v), 2)
				}
			}
			ops, types = append(ops, op), append(types, f.TypeOf(op))
		}
		out[i] = x.callLike(v, result, ops, types)
	}
	return out
}

// partType returns the result type for a part of n elements.
func (x *vectorScalarizer) partType(t ir.Type, n uint64) ir.Type {
	m := x.M
	switch {
	case m.IsAggregate(t):
		var fields []ir.Type
		for i := range m.NumElements(t) {
			fields = append(fields, x.partType(m.ElementType(t, i), n))
		}
		return m.StructType(fields, false)
	case !m.IsVector(t):
		return t
	case n == 1:
		return m.Scalar(t)
	}
	return m.VectorType(m.Scalar(t), n)
}

// callLike calls the intrinsic of another call with operands of other types.
func (x *vectorScalarizer) callLike(v ir.Value, result ir.Type, ops []ir.Value, types []ir.Type) ir.Value {
	f := x.f
	id := f.CalledIntrinsic(v)
	over, ok := x.M.MatchIntrinsic(id, x.M.FuncType(result, types, false))
	if !ok {
		panic("BUG: intrinsic " + id.String() + " has no form for elements")
	}
	n := x.Call(x.M.DeclareIntrinsic(id, over...), ops...)
	f.Instr(n).Flags = f.Instr(v).Flags
	x.keepAccuracy(n, v)
	return n
}

// callSums calls an intrinsic that returns a struct of vectors for each
// element.
func (x *vectorScalarizer) callSums(v ir.Value, n int) {
	calls := x.callParts(v, x.elems, n)
	lists := make([][]ir.Value, x.M.NumElements(x.f.TypeOf(v)))
	for k := range lists {
		for _, c := range calls {
			lists[k] = append(lists[k], x.note(x.ExtractValue(c, uint32(k))))
		}
	}
	if x.sums == nil {
		x.sums = map[ir.Value][][]ir.Value{}
	}
	x.sums[v] = lists
}

type reduction struct {
	op ir.Op
	id ir.Intrinsic
}

// reductions holds the operation or intrinsic that combines two elements.
var reductions = lazy.Value[map[ir.Intrinsic]reduction]{Make: func() map[ir.Intrinsic]reduction {
	return map[ir.Intrinsic]reduction{
		ir.IntrVectorReduceAdd: {op: ir.OpAdd}, ir.IntrVectorReduceMul: {op: ir.OpMul},
		ir.IntrVectorReduceAnd: {op: ir.OpAnd}, ir.IntrVectorReduceOr: {op: ir.OpOr}, ir.IntrVectorReduceXor: {op: ir.OpXor},
		ir.IntrVectorReduceFadd: {op: ir.OpFAdd}, ir.IntrVectorReduceFmul: {op: ir.OpFMul},
		ir.IntrVectorReduceUmin: {id: ir.IntrUmin}, ir.IntrVectorReduceUmax: {id: ir.IntrUmax},
		ir.IntrVectorReduceSmin: {id: ir.IntrSmin}, ir.IntrVectorReduceSmax: {id: ir.IntrSmax},
		ir.IntrVectorReduceFmin: {id: ir.IntrMinnum}, ir.IntrVectorReduceFmax: {id: ir.IntrMaxnum},
		ir.IntrVectorReduceFminimum: {id: ir.IntrMinimum}, ir.IntrVectorReduceFmaximum: {id: ir.IntrMaximum},
	}
}}

// vectorIntrinsics holds the functions for vector intrinsics; they return false
// if a call is kept.
var vectorIntrinsics lazy.Value[map[ir.Intrinsic]func(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool]

func makeVectorIntrinsics() map[ir.Intrinsic]func(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool {
	table := map[ir.Intrinsic]func(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool{
		ir.IntrVectorInsert: vectorInsertPart, ir.IntrVectorExtract: vectorExtractPart, ir.IntrVectorReverse: vectorReverse,
		ir.IntrVectorSpliceLeft: vectorSplice, ir.IntrVectorSpliceRight: vectorSplice, ir.IntrStepvector: vectorStep,
		ir.IntrGetActiveLaneMask: vectorLaneMask, ir.IntrExperimentalCttzElts: vectorCountZeros,
		ir.IntrVectorInterleave2: vectorInterleave, ir.IntrVectorInterleave3: vectorInterleave, ir.IntrVectorInterleave4: vectorInterleave,
		ir.IntrVectorInterleave5: vectorInterleave, ir.IntrVectorInterleave6: vectorInterleave, ir.IntrVectorInterleave7: vectorInterleave,
		ir.IntrVectorInterleave8:   vectorInterleave,
		ir.IntrVectorDeinterleave2: vectorDeinterleave, ir.IntrVectorDeinterleave3: vectorDeinterleave, ir.IntrVectorDeinterleave4: vectorDeinterleave,
		ir.IntrVectorDeinterleave5: vectorDeinterleave, ir.IntrVectorDeinterleave6: vectorDeinterleave, ir.IntrVectorDeinterleave7: vectorDeinterleave,
		ir.IntrVectorDeinterleave8:    vectorDeinterleave,
		ir.IntrVectorPartialReduceAdd: vectorPartialReduce, ir.IntrVectorPartialReduceFadd: vectorPartialReduce,
	}
	for id := range reductions.Get() {
		table[id] = vectorReduce
	}
	return table
}

// combine combines two elements of a reduction.
func (x *vectorScalarizer) combine(id ir.Intrinsic, v, a, b ir.Value) ir.Value {
	r := reductions.Get()[id]
	if r.id != ir.NoIntrinsic {
		n := x.Call(x.M.DeclareIntrinsic(r.id, x.f.TypeOf(a)), a, b)
		x.f.Instr(n).Flags = x.f.Instr(v).Flags
		return n
	}
	n := x.Make(r.op, x.f.TypeOf(a), a, b)
	x.f.Instr(n).Flags = x.f.Instr(v).Flags
	return n
}

// vectorReduce expands a reduction. Sums and products of floats start with an
// operand and proceed from the first element to the last, unless reassociation
// is permitted.
func vectorReduce(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool {
	f := x.f
	op := reductions.Get()[id].op
	if op.IsFloatOp() {
		r := f.Operand(v, 0)
		list := x.elems(f.Operand(v, 1))
		if f.Instr(v).Flags&ir.Reassoc != 0 {
			return x.replace(v, x.combine(id, v, r, x.reduceTree(id, v, list)))
		}
		for _, e := range list {
			r = x.combine(id, v, r, e)
		}
		return x.replace(v, r)
	}
	return x.replace(v, x.reduceTree(id, v, x.elems(f.Operand(v, 0))))
}

// reduceTree combines neighbours until one element is left.
func (x *vectorScalarizer) reduceTree(id ir.Intrinsic, v ir.Value, list []ir.Value) ir.Value {
	list = append([]ir.Value(nil), list...)
	for len(list) > 1 {
		k := 0
		for i := 0; i+1 < len(list); i += 2 {
			list[k] = x.combine(id, v, list[i], list[i+1])
			k++
		}
		if len(list)%2 != 0 {
			list[k] = list[len(list)-1]
			k++
		}
		list = list[:k]
	}
	return list[0]
}

// vectorPartialReduce adds the elements of a longer vector to a shorter vector.
func vectorPartialReduce(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool {
	f := x.f
	op := ir.OpAdd
	if id == ir.IntrVectorPartialReduceFadd {
		op = ir.OpFAdd
	}
	out := append([]ir.Value(nil), x.elems(f.Operand(v, 0))...)
	for i, e := range x.elems(f.Operand(v, 1)) {
		k := i % len(out)
		out[k] = x.Make(op, f.TypeOf(e), out[k], e)
		f.Instr(out[k]).Flags = f.Instr(v).Flags
	}
	x.setElems(v, out)
	return true
}

func vectorInsertPart(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	f := x.f
	out := append([]ir.Value(nil), x.elems(f.Operand(v, 0))...)
	at, _ := x.M.IntValue(f.Operand(v, 2))
	copy(out[min(at, uint64(len(out))):], x.elems(f.Operand(v, 1)))
	x.setElems(v, out)
	return true
}

func vectorExtractPart(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	f := x.f
	at, _ := x.M.IntValue(f.Operand(v, 1))
	list := x.elems(f.Operand(v, 0))
	out := make([]ir.Value, x.count(v))
	for i := range out {
		out[i] = x.M.Poison(x.M.Scalar(f.TypeOf(v)))
		if k := at + uint64(i); k < uint64(len(list)) {
			out[i] = list[k]
		}
	}
	x.setElems(v, out)
	return true
}

func vectorReverse(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	list := x.elems(x.f.Operand(v, 0))
	out := make([]ir.Value, len(list))
	for i, e := range list {
		out[len(list)-1-i] = e
	}
	x.setElems(v, out)
	return true
}

// vectorCountZeros counts the elements before the first one that is not zero.
func vectorCountZeros(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	list := x.elems(x.f.Operand(v, 0))
	t := x.f.TypeOf(v)
	n := x.M.NewInt(t, uint64(len(list)))
	for i := len(list) - 1; i >= 0; i-- {
		found := x.FoldCompare(ir.ICmpNE, list[i], x.M.Zero(x.f.TypeOf(list[i])))
		n = x.Choose(found, x.M.NewInt(t, uint64(i)), n)
	}
	return x.replace(v, n)
}

// vectorSplice extracts a window from two concatenated vectors, which starts at
// an element of the first vector, counted from its start or its end.
func vectorSplice(x *vectorScalarizer, id ir.Intrinsic, v ir.Value) bool {
	f := x.f
	n := uint64(x.count(v))
	at, _ := x.M.IntValue(f.Operand(v, 2))
	if at = min(at, n); id == ir.IntrVectorSpliceRight {
		at = n - at
	}
	both := append(append([]ir.Value(nil), x.elems(f.Operand(v, 0))...), x.elems(f.Operand(v, 1))...)
	x.setElems(v, both[at:at+n])
	return true
}

func vectorStep(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	out := make([]ir.Value, x.count(v))
	for i := range out {
		out[i] = x.M.NewInt(x.M.Scalar(x.f.TypeOf(v)), uint64(i))
	}
	x.setElems(v, out)
	return true
}

// vectorLaneMask computes for each element whether base + i, which does not
// wrap, is less than a bound: i is less than their distance.
func vectorLaneMask(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	f := x.f
	base, bound := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(base)
	if x.M.IntBits(t) > wordBits {
		return false
	}
	any := x.FoldCompare(ir.ICmpULT, base, bound)
	distance := x.Op(ir.OpSub, bound, base)
	out := make([]ir.Value, x.count(v))
	for i := range out {
		out[i] = x.M.NewBool(false)
		if x.fitsIndex(base, i) {
			out[i] = x.Op(ir.OpAnd, any, x.Compare(ir.ICmpUGT, distance, x.M.NewInt(t, uint64(i))))
		}
	}
	x.setElems(v, out)
	return true
}

func vectorInterleave(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	f := x.f
	var lists [][]ir.Value
	for _, o := range f.Args(v) {
		lists = append(lists, x.elems(o.Value))
	}
	var out []ir.Value
	for i := range lists[0] {
		for _, l := range lists {
			out = append(out, l[i])
		}
	}
	x.setElems(v, out)
	return true
}

func vectorDeinterleave(x *vectorScalarizer, _ ir.Intrinsic, v ir.Value) bool {
	f := x.f
	lists := make([][]ir.Value, x.M.NumElements(f.TypeOf(v)))
	for i, e := range x.elems(f.Operand(v, 0)) {
		lists[i%len(lists)] = append(lists[i%len(lists)], e)
	}
	if x.sums == nil {
		x.sums = map[ir.Value][][]ir.Value{}
	}
	x.sums[v] = lists
	return true
}
