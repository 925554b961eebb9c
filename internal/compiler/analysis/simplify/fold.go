package simplify

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxElements bounds the length of vectors that are folded element by element.
const maxElements = 1 << 12

// folder is the context for folding one instruction.
type folder struct {
	f     *ir.Function
	m     *ir.Module
	v     ir.Value // the instruction, None if it does not exist yet
	op    ir.Op
	sub   uint8
	flags ir.Flags
	t     ir.Type
	ops   []ir.Value
	query *pattern.Query // storage for one query
}

// isUndef reports whether v is undef or poison.
func isUndef(m *ir.Module, v ir.Value) bool {
	k := m.ConstKindOf(v)
	return k == ir.ConstUndef || k == ir.ConstPoison
}

// isPoison reports whether v is poison.
func isPoison(m *ir.Module, v ir.Value) bool { return m.ConstKindOf(v) == ir.ConstPoison }

// isData reports whether v is a constant with known bits: no global, expression
// or undef.
func isData(m *ir.Module, v ir.Value) bool {
	switch m.ConstKindOf(v) {
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide, ir.ConstZero, ir.ConstData:
		return true
	}
	return false
}

// constant folds an operation with constant operands, or returns None.
func (q *folder) constant() ir.Value {
	switch {
	case q.op.IsBinary() || q.op == ir.OpICmp || q.op == ir.OpFCmp || q.op == ir.OpFNeg:
		return q.elementwise()
	case q.op == ir.OpBitCast:
		return q.bitCast(q.ops[0], q.t)
	case q.op.IsCast():
		return q.elementwise()
	}
	switch q.op {
	case ir.OpSelect:
		return q.selectConst()
	case ir.OpFreeze:
		return q.freezeConst()
	case ir.OpExtractElement:
		return noExpr(q.m, q.m.ExtractElementConst(q.ops[0], q.ops[1]))
	case ir.OpInsertElement:
		return noExpr(q.m, q.m.InsertElementConst(q.ops[0], q.ops[1], q.ops[2]))
	case ir.OpGetElementPtr:
		return q.gepConst()
	}
	if q.v == ir.None {
		return ir.None
	}
	switch q.op {
	case ir.OpShuffleVector:
		return q.shuffleConst()
	case ir.OpExtractValue:
		return q.m.ExtractConst(q.ops[0], q.f.Indices(q.v))
	case ir.OpInsertValue:
		return q.m.InsertConst(q.ops[0], q.ops[1], q.f.Indices(q.v))
	case ir.OpLoad:
		return q.loadConst()
	case ir.OpCall:
		return q.callConst()
	}
	return ir.None
}

// noExpr returns None if v is a constant expression, which means that nothing
// was folded.
func noExpr(m *ir.Module, v ir.Value) ir.Value {
	if c := m.Const(v); c.Kind == ir.ConstExpr && (c.Op == ir.OpExtractElement || c.Op == ir.OpInsertElement || c.Op == ir.OpShuffleVector) {
		return ir.None
	}
	return v
}

// shuffleConst folds a shufflevector of constants.
func (q *folder) shuffleConst() ir.Value {
	mask := q.f.Mask(q.v)
	if len(mask) > maxElements || q.m.Element(q.ops[0], 0) == ir.None || q.m.Element(q.ops[1], 0) == ir.None {
		return ir.None
	}
	return q.m.ShuffleConst(q.ops[0], q.ops[1], mask, ir.None)
}

// elementwise folds a scalar operation, or a vector operation element by
// element.
func (q *folder) elementwise() ir.Value {
	info := q.m.TypeInfo(q.t)
	if info.Kind != ir.KindVector {
		return q.scalar(q.t, q.ops)
	}
	if info.N > maxElements {
		return ir.None
	}
	if v := q.splat(info); v != ir.None {
		return v
	}
	var room [16]ir.Value
	elems := room[:0]
	for i := range info.N {
		var ops [2]ir.Value
		for j, o := range q.ops {
			if ops[j] = q.m.Element(o, i); ops[j] == ir.None {
				return ir.None
			}
		}
		e := q.scalar(info.Elem, ops[:len(q.ops)])
		if e == ir.None {
			return ir.None
		}
		elems = append(elems, e)
	}
	return q.m.NewAggregate(q.t, elems)
}

// splat folds an operation on splat vectors. It returns None for other operands
// and if the element operation cannot be folded.
func (q *folder) splat(info *ir.TypeInfo) ir.Value {
	var ops [2]ir.Value
	for j, o := range q.ops {
		if ops[j] = q.m.SplatValue(o); ops[j] == ir.None {
			return ir.None
		}
	}
	e := q.scalar(info.Elem, ops[:len(q.ops)])
	if e == ir.None {
		return ir.None
	}
	return q.m.Splat(q.t, e)
}

// scalar folds a scalar operation; t is the type of the result.
func (q *folder) scalar(t ir.Type, ops []ir.Value) ir.Value {
	switch {
	case q.op == ir.OpFNeg:
		return q.foldFNeg(t, ops[0])
	case q.op == ir.OpICmp:
		return q.foldICmp(t, ops[0], ops[1])
	case q.op == ir.OpFCmp:
		return q.foldFCmp(t, ops[0], ops[1])
	case q.op.IsCast():
		return q.foldCast(t, ops[0])
	case q.op.IsFloatOp():
		return q.foldFloat(t, ops[0], ops[1])
	}
	return q.foldInt(t, ops[0], ops[1])
}

// selectConst folds a select between constants.
func (q *folder) selectConst() ir.Value {
	m, cond, x, y := q.m, q.ops[0], q.ops[1], q.ops[2]
	if c, ok := m.IntValue(cond); ok {
		if c != 0 {
			return x
		}
		return y
	}
	switch {
	case isPoison(m, cond):
		return m.Poison(q.t)
	case x == y, m.IsVector(m.TypeOfConst(cond)) && m.IsZero(cond):
		return y
	case m.ConstKindOf(cond) == ir.ConstUndef:
		if isUndef(m, x) {
			return x
		}
		return y
	case isPoison(m, x):
		return y
	case isPoison(m, y):
		return x
	}
	if !m.IsVector(m.TypeOfConst(cond)) {
		return ir.None
	}
	n := m.NumElements(q.t)
	if n > maxElements {
		return ir.None
	}
	var room [16]ir.Value
	elems := room[:0]
	for i := range n {
		c, a, b := m.Element(cond, i), m.Element(x, i), m.Element(y, i)
		if c == ir.None || a == ir.None || b == ir.None {
			return ir.None
		}
		e := folder{f: q.f, m: m, op: ir.OpSelect, t: m.TypeOfConst(a), ops: []ir.Value{c, a, b}}
		if v := e.selectConst(); v != ir.None {
			elems = append(elems, v)
			continue
		}
		return ir.None
	}
	return m.NewAggregate(q.t, elems)
}

// freezeConst folds the freeze of a constant that contains neither undef nor
// poison.
func (q *folder) freezeConst() ir.Value {
	if !mayBeUndef(q.m, q.ops[0]) {
		return q.ops[0]
	}
	return ir.None
}

// mayBeUndef reports whether a constant is or contains undef or poison, or may
// evaluate to poison.
func mayBeUndef(m *ir.Module, v ir.Value) bool {
	switch c := m.Const(v); c.Kind {
	case ir.ConstInt, ir.ConstFloat, ir.ConstWide, ir.ConstZero, ir.ConstData, ir.ConstGlobal, ir.ConstBlockAddress:
		return false
	case ir.ConstAggregate:
		for _, o := range m.ConstOperands(v) {
			if mayBeUndef(m, o) {
				return true
			}
		}
		return false
	case ir.ConstExpr:
		if c.Op == ir.OpAddrSpaceCast || c.Op == ir.OpPtrToInt || c.Op == ir.OpIntToPtr || c.Op == ir.OpGetElementPtr && c.Flags == 0 {
			for _, o := range m.ConstOperands(v) {
				if mayBeUndef(m, o) {
					return true
				}
			}
			return false
		}
	}
	return true
}
