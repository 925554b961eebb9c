package simplify

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxChain bounds the number of inserts that are followed.
const maxChain = 32

// simplifyExtractValue returns the value that was inserted at the extracted
// index.
func simplifyExtractValue(q *folder) ir.Value {
	if q.v == ir.None {
		return ir.None
	}
	path, agg := q.f.Indices(q.v), q.ops[0]
	for range maxChain {
		switch {
		case agg.IsConst():
			return q.m.ExtractConst(agg, path)
		case q.f.Op(agg) != ir.OpInsertValue:
			return ir.None
		}
		at := q.f.Indices(agg)
		n := min(len(at), len(path))
		switch {
		case !slices.Equal(at[:n], path[:n]):
			agg = q.f.Operand(agg, 0)
		case len(at) > len(path):
			return ir.None // only a part of the extracted value was inserted
		case len(at) == len(path):
			return q.f.Operand(agg, 1)
		default:
			path, agg = path[len(at):], q.f.Operand(agg, 1)
		}
	}
	return ir.None
}

// simplifyInsertValue removes inserts that change nothing.
func simplifyInsertValue(q *folder) ir.Value {
	if q.v == ir.None {
		return ir.None
	}
	agg, x := q.ops[0], q.ops[1]
	if x.IsConst() {
		if isPoison(q.m, x) {
			return agg
		}
		return ir.None
	}
	if q.f.Op(x) == ir.OpExtractValue && slices.Equal(q.f.Indices(x), q.f.Indices(q.v)) {
		if from := q.f.Operand(x, 0); from == agg || agg.IsConst() && isUndef(q.m, agg) && q.m.NumElements(q.t) == 1 && q.f.TypeOf(from) == q.t {
			return from
		}
	}
	return ir.None
}

// elementOf returns element i of a vector, or None if the element is unknown.
func (q *folder) elementOf(vec ir.Value, i uint64) ir.Value {
	f, m := q.f, q.m
	for range maxChain {
		switch {
		case vec.IsConst():
			return m.Element(vec, i)
		case f.Op(vec) == ir.OpInsertElement:
			at := f.Operand(vec, 2)
			if !at.IsConst() {
				return ir.None
			}
			n, ok := m.IntValue(at)
			if !ok {
				return ir.None
			}
			if n == i {
				return f.Operand(vec, 1)
			}
			vec = f.Operand(vec, 0)
		case f.Op(vec) == ir.OpShuffleVector:
			mask := f.Mask(vec)
			if i >= uint64(len(mask)) || mask[i] == ir.PoisonElement {
				return m.Poison(m.Scalar(f.TypeOf(vec)))
			}
			i = uint64(mask[i])
			n := m.NumElements(f.TypeOf(f.Operand(vec, 0)))
			if i < n {
				vec = f.Operand(vec, 0)
			} else {
				vec, i = f.Operand(vec, 1), i-n
			}
		default:
			return ir.None
		}
	}
	return ir.None
}

// simplifyExtractElement returns the value that was inserted at the extracted
// index.
func simplifyExtractElement(q *folder) ir.Value {
	vec, at := q.ops[0], q.ops[1]
	if at.IsConst() && isUndef(q.m, at) || vec.IsConst() && isPoison(q.m, vec) {
		return q.m.Poison(q.t)
	}
	if !at.IsConst() {
		if vec.IsConst() {
			if s := q.m.SplatValue(vec); s != ir.None && isData(q.m, s) {
				return s
			}
		}
		return ir.None
	}
	i, ok := q.m.IntValue(at)
	switch {
	case !ok:
		return ir.None
	case i >= q.m.NumElements(q.f.TypeOf(vec)):
		return q.m.Poison(q.t)
	}
	return q.elementOf(vec, i)
}

// simplifyShuffle removes shuffles that move nothing.
func simplifyShuffle(q *folder) ir.Value {
	if q.v == ir.None {
		return ir.None
	}
	mask := q.f.Mask(q.v)
	n := uint32(q.m.NumElements(q.f.TypeOf(q.ops[0])))
	first, second, none := q.f.TypeOf(q.ops[0]) == q.t, q.f.TypeOf(q.ops[0]) == q.t, true
	for i, e := range mask {
		if e == ir.PoisonElement {
			continue
		}
		none = false
		first = first && e == uint32(i)
		second = second && e == uint32(i)+n
	}
	switch {
	case none:
		return q.m.Poison(q.t)
	case first:
		return q.ops[0]
	case second:
		return q.ops[1]
	}
	return ir.None
}

// simplifyGEP removes getelementptr instructions that return their base.
func simplifyGEP(q *folder) ir.Value {
	base := q.ops[0]
	switch {
	case base.IsConst() && isUndef(q.m, base) && q.f.TypeOf(base) == q.t:
		return base
	case q.f.TypeOf(base) != q.t:
		return ir.None
	}
	for _, i := range q.ops[1:] {
		if !i.IsConst() {
			return ir.None
		}
		if isPoison(q.m, i) {
			return q.m.Poison(q.t)
		}
	}
	for _, i := range q.ops[1:] {
		if !q.m.IsZero(i) {
			return ir.None
		}
	}
	return base
}
