package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var elementRules = []rule{
	{"extract", extract},
	{"extractelement", extractElement},
	{"from_elements", fromElements},
	{"insert", insert},
	{"insertelement", insertElement},
	{"to_elements", toElements},
}

// position returns the indices of arrays, and the index in a vector of one
// dimension or nil. It is false if an index of arrays is no constant: LLVM has no
// operation for it.
func (l lowering) position(o *mlir.Op, t *mlir.Type, dynamic int) (arrays []int64, lane *mlir.Value, ok bool) {
	arrays, last := split(t, o.Attr("static_position").Int64s())
	if slices.Contains(arrays, mlir.Dynamic) {
		return nil, nil, false
	}
	if len(last) == 0 {
		return arrays, nil, true
	}
	if last[0] == mlir.Dynamic {
		return arrays, l.Operand(o, dynamic), true
	}
	return arrays, l.I64(last[0]), true
}

// extract converts vector.extract. The only element of a vector without dimensions has an
// empty position.
func extract(l lowering, o *mlir.Op) error {
	t := o.Operand(0).Type
	arrays, at, ok := l.position(o, t, 1)
	if !ok {
		return rewrite.ErrNoMatch
	}
	v := l.Operand(o, 0)
	if len(arrays) > 0 {
		v = l.part(v, t, arrays...)
	}
	if at == nil && o.Result(0).Type == t.Elem {
		at = l.I64(0)
	}
	if at != nil {
		v = l.lane(v, at)
	}
	l.Replace(o, v)
	return nil
}

// insert converts vector.insert.
func insert(l lowering, o *mlir.Op) error {
	t := o.Operand(1).Type
	arrays, at, ok := l.position(o, t, 2)
	if !ok {
		return rewrite.ErrNoMatch
	}
	v, into := l.Operand(o, 0), l.Operand(o, 1)
	if at == nil && o.Operand(0).Type == t.Elem {
		at = l.I64(0)
	}
	if at != nil {
		row := into
		if len(arrays) > 0 {
			row = l.part(into, t, arrays...)
		}
		v = l.setLane(row, v, at)
	}
	if len(arrays) > 0 {
		v = l.Insert(into, v, arrays...)
	}
	l.Replace(o, v)
	return nil
}

// lastIndex returns the index of an element in an operand that is missing for vectors
// without dimensions.
func (l lowering) lastIndex(o *mlir.Op, i int) *mlir.Value {
	if i < len(o.Operands) {
		return l.Operand(o, i)
	}
	return l.IndexInt(0)
}

func extractElement(l lowering, o *mlir.Op) error {
	l.Replace(o, l.lane(l.Operand(o, 0), l.lastIndex(o, 1)))
	return nil
}

func insertElement(l lowering, o *mlir.Op) error {
	l.Replace(o, l.setLane(l.Operand(o, 1), l.Operand(o, 0), l.lastIndex(o, 2)))
	return nil
}

// fromElements builds a vector from its elements, one vector of one dimension after the other.
func fromElements(l lowering, o *mlir.Op) error {
	t, n := o.Result(0).Type, 0
	row := l.rowType(t)
	l.Replace(o, l.build(t, func([]int64) *mlir.Value {
		v := l.Poison(row)
		for i := range row.Shape[0] {
			v = l.setLane(v, l.Operand(o, n), l.I64(i))
			n++
		}
		return v
	}))
	return nil
}

// toElements replaces the elements of a vector.
func toElements(l lowering, o *mlir.Op) error {
	t, v := o.Operand(0).Type, l.Operand(o, 0)
	var list []*mlir.Value
	positions(rows(t), func(pos []int64) {
		row := l.part(v, t, pos...)
		for i := range row.Type.Shape[0] {
			list = append(list, l.lane(row, l.I64(i)))
		}
	})
	l.Replace(o, list...)
	return nil
}
