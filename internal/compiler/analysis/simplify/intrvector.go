package simplify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// wholeIntrinsics returns the rows of intrinsics on whole vectors or arbitrary
// types.
func wholeIntrinsics() []intrinsicRow {
	return []intrinsicRow{
		ir.IntrVectorReduceAdd:      {fold: reduce(ir.OpAdd), whole: true},
		ir.IntrVectorReduceMul:      {fold: reduce(ir.OpMul), whole: true},
		ir.IntrVectorReduceAnd:      {fold: reduce(ir.OpAnd), whole: true},
		ir.IntrVectorReduceOr:       {fold: reduce(ir.OpOr), whole: true},
		ir.IntrVectorReduceXor:      {fold: reduce(ir.OpXor), whole: true},
		ir.IntrVectorReduceSmax:     {fold: reduceWith(pick(ir.ICmpSGT)), whole: true},
		ir.IntrVectorReduceSmin:     {fold: reduceWith(pick(ir.ICmpSLT)), whole: true},
		ir.IntrVectorReduceUmax:     {fold: reduceWith(pick(ir.ICmpUGT)), whole: true},
		ir.IntrVectorReduceUmin:     {fold: reduceWith(pick(ir.ICmpULT)), whole: true},
		ir.IntrVectorReduceFmaximum: {fold: reduceWith(extremum(mirrored((*format).minimum))), whole: true},
		ir.IntrVectorReduceFminimum: {fold: reduceWith(extremum((*format).minimum)), whole: true},
		ir.IntrVectorReduceFadd:     {fold: reduceInOrder(ir.OpFAdd), whole: true},
		ir.IntrVectorReduceFmul:     {fold: reduceInOrder(ir.OpFMul), whole: true},
		ir.IntrVectorReverse:        {fold: foldReverse, whole: true},
		ir.IntrIsConstant:           {fold: foldIsConstant, whole: true, keepsPoison: true},
	}
}

// combine folds the elements of a vector into one value, starting with acc or
// the first element.
func (q *folder) combine(acc, vec ir.Value, step func(x, y ir.Value) ir.Value) ir.Value {
	n := q.m.NumElements(q.m.TypeOfConst(vec))
	if n > maxElements {
		return ir.None
	}
	for i := range n {
		if e := q.m.Element(vec, i); e != ir.None && isPoison(q.m, e) {
			return e
		}
	}
	for i := range n {
		e := q.m.Element(vec, i)
		switch {
		case e == ir.None || isUndef(q.m, e):
			return ir.None
		case acc == ir.None:
			acc = e
		default:
			if acc = step(acc, e); acc == ir.None {
				return ir.None
			}
		}
	}
	return acc
}

// reduce folds a reduction by an integer operation.
func reduce(op ir.Op) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		o := folder{f: q.f, m: q.m, op: op, t: t}
		return q.combine(ir.None, a[0], func(x, y ir.Value) ir.Value { return o.foldInt(t, x, y) })
	}
}

// reduceWith folds a reduction by a function of two arguments.
func reduceWith(fn foldFunc) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		return q.combine(ir.None, a[0], func(x, y ir.Value) ir.Value { return fn(q, t, []ir.Value{x, y}) })
	}
}

// reduceInOrder folds a floating-point reduction from the first element to the
// last, which is also valid with reassoc.
func reduceInOrder(op ir.Op) foldFunc {
	return func(q *folder, t ir.Type, a []ir.Value) ir.Value {
		o := folder{f: q.f, m: q.m, op: op, flags: q.flags, t: t}
		return q.combine(a[0], a[1], func(x, y ir.Value) ir.Value { return o.foldFloat(t, x, y) })
	}
}

func foldReverse(q *folder, t ir.Type, a []ir.Value) ir.Value {
	n := q.m.NumElements(t)
	if n > maxElements {
		return ir.None
	}
	elems := make([]ir.Value, n)
	for i := range elems {
		if elems[i] = q.m.Element(a[0], n-1-uint64(i)); elems[i] == ir.None {
			return ir.None
		}
	}
	return q.m.NewAggregate(t, elems)
}

// foldIsConstant folds is.constant: true for constants without addresses. Other
// expressions may become constant at link time.
func foldIsConstant(q *folder, t ir.Type, a []ir.Value) ir.Value {
	if isData(q.m, a[0]) {
		return q.m.NewBool(true)
	}
	return ir.None
}
