package simplify

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// intrinsicRow describes how an intrinsic with constant arguments is folded.
type intrinsicRow struct {
	// fold returns the result of type t for scalar arguments, or None if it is
	// not constant.
	fold func(q *folder, t ir.Type, a []ir.Value) ir.Value
	// scalar is a bit set of arguments that are shared by all elements of a
	// vector: bit i is argument i.
	scalar uint8
	// whole means that fold accepts vectors.
	whole bool
	// keepsPoison means that a poison argument does not make the result poison.
	keepsPoison bool
}

// intrinsicTables holds the rows, indexed by intrinsic.
var intrinsicTables = lazy.Value[[4][]intrinsicRow]{Make: func() [4][]intrinsicRow {
	return [...][]intrinsicRow{intIntrinsics(), floatIntrinsics(), wholeIntrinsics(), amdgpuIntrinsics()}
}}

// intrinsicRowOf returns the row of an intrinsic, or nil.
func intrinsicRowOf(id ir.Intrinsic) *intrinsicRow {
	for _, table := range intrinsicTables.Get() {
		if int(id) < len(table) && table[id].fold != nil {
			return &table[id]
		}
	}
	return nil
}

// callConst folds a call of an intrinsic with constant arguments.
func (q *folder) callConst() ir.Value {
	id := q.f.CalledIntrinsic(q.v)
	if id == ir.NoIntrinsic || len(q.f.Args(q.v)) == 0 || len(q.f.Bundles(q.v)) > 0 {
		return ir.None
	}
	var room [4]ir.Value
	args := room[:0]
	for _, o := range q.f.Args(q.v) {
		if !o.Value.IsConst() {
			return ir.None
		}
		args = append(args, o.Value)
	}
	row := intrinsicRowOf(id)
	if row == nil {
		return ir.None
	}
	return q.intrinsic(row, args)
}

// intrinsic folds an intrinsic with constant arguments, element by element.
func (q *folder) intrinsic(row *intrinsicRow, args []ir.Value) ir.Value {
	m := q.m
	if !row.keepsPoison {
		for _, a := range args {
			if isPoison(m, a) {
				return m.Poison(q.t)
			}
		}
	}
	info := m.TypeInfo(q.t)
	if row.whole || info.Kind != ir.KindVector {
		if info.Kind == ir.KindStruct && !row.whole && m.IsVector(info.Elems[0]) {
			return q.structOfVectors(row, info, args)
		}
		return row.fold(q, q.t, args)
	}
	if info.N > maxElements {
		return ir.None
	}
	var room [16]ir.Value
	elems := room[:0]
	for i := range info.N {
		e := q.lane(row, info.Elem, i, args)
		if e == ir.None {
			return ir.None
		}
		elems = append(elems, e)
	}
	return m.NewAggregate(q.t, elems)
}

// lane folds element i of a vector intrinsic.
func (q *folder) lane(row *intrinsicRow, t ir.Type, i uint64, args []ir.Value) ir.Value {
	var ops [4]ir.Value
	for j, a := range args {
		ops[j] = a
		if row.scalar>>j&1 == 0 {
			ops[j] = q.m.Element(a, i)
			if ops[j] == ir.None {
				return ir.None
			}
			if isPoison(q.m, ops[j]) && !row.keepsPoison {
				return q.m.Poison(t)
			}
		}
	}
	return row.fold(q, t, ops[:len(args)])
}

// structOfVectors folds an intrinsic that returns two vectors.
func (q *folder) structOfVectors(row *intrinsicRow, info *ir.TypeInfo, args []ir.Value) ir.Value {
	m := q.m
	n := m.NumElements(info.Elems[0])
	if n > maxElements || len(info.Elems) != 2 {
		return ir.None
	}
	t := m.StructType([]ir.Type{m.Scalar(info.Elems[0]), m.Scalar(info.Elems[1])}, false)
	first, second := make([]ir.Value, n), make([]ir.Value, n)
	for i := range n {
		e := q.lane(row, t, i, args)
		if e == ir.None {
			return ir.None
		}
		first[i], second[i] = m.Element(e, 0), m.Element(e, 1)
	}
	return m.NewAggregate(q.t, []ir.Value{m.NewAggregate(info.Elems[0], first), m.NewAggregate(info.Elems[1], second)})
}
