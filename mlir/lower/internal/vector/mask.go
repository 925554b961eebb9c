package vector

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

var maskRules = []rule{
	{"constant_mask", constantMask},
	{"create_mask", createMask},
	{"deinterleave", deinterleave},
	{"interleave", interleave},
	{"step", step},
}

// numbers returns the constant 0, 1, 2 … of a vector type with elements of
// index or an integer.
func (l lowering) numbers(t *mlir.Type) *mlir.Value {
	size := 8
	if t.Elem.Kind == mlir.IntegerKind {
		size = t.Elem.Width / 8
	}
	raw := make([]byte, 0, 8*t.Shape[0])
	for i := range t.Shape[0] {
		raw = append(raw, binary.LittleEndian.AppendUint64(nil, uint64(i))[:size]...)
	}
	return l.Constant(l.Convert(t), l.Context.DenseElements(t, raw, false))
}

// ones returns the constant mask of n lanes, of which the first ones are true.
func (l lowering) ones(n, ones int64) *mlir.Value {
	t := l.Context.Vector(l.Context.Integer(1), n)
	if ones <= 0 || ones >= n {
		return l.Constant(t, l.Context.DenseElements(t, []byte{byte(min(max(ones, 0), 1))}, true))
	}
	raw := make([]byte, n)
	for i := range ones {
		raw[i] = 1
	}
	return l.Constant(t, l.Context.DenseElements(t, raw, false))
}

// first returns the mask of n lanes of which as many are true as a converted index
// is, which may be negative.
func (l lowering) first(n int64, bound *mlir.Value) *mlir.Value {
	lane := l.Context.Index()
	if l.Narrow && l.Index().Width > 32 {
		lane = l.Context.Integer(32)
		bound = l.Emit("llvm.trunc", lane, tollvm.Values(bound))
	}
	t := l.Context.Vector(lane, n)
	return llvm.NewIcmp(l.Builder, l.splat(bound, l.Convert(t)), l.numbers(t), "sgt")
}

// createMask converts vector.create_mask: the lanes are true whose position is below the bound in
// each dimension.
func createMask(l lowering, o *mlir.Op) error {
	t, bounds := o.Result(0).Type, l.Operands(o)
	last := len(bounds) - 1
	row := l.rowType(t)
	lanes := l.first(row.Shape[0], bounds[last])
	if last == 0 {
		l.Replace(o, lanes)
		return nil
	}
	none := l.ones(row.Shape[0], 0)
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		v := lanes
		for i := last - 1; i >= 0; i-- {
			v = llvm.NewSelect(l.Builder, llvm.NewIcmp(l.Builder, bounds[i], l.IndexInt(pos[i]), "sgt"), v, none)
		}
		return v
	}))
	return nil
}

func constantMask(l lowering, o *mlir.Op) error {
	t, bounds := o.Result(0).Type, o.Attr("mask_dim_sizes").Int64s()
	last := len(bounds) - 1
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		ones := bounds[last]
		for i, p := range pos {
			if p >= bounds[i] {
				ones = 0
			}
		}
		return l.ones(size(t, last), ones)
	}))
	return nil
}

func step(l lowering, o *mlir.Op) error {
	l.Replace(o, l.numbers(o.Result(0).Type))
	return nil
}

// interleave converts vector.interleave: the elements of two vectors by turns.
func interleave(l lowering, o *mlir.Op) error {
	return l.byRows(o, func(row *mlir.Type, list []*mlir.Value) *mlir.Value {
		mask := make([]int64, row.Shape[0])
		for i := range mask {
			mask[i] = int64(i/2 + i%2*(len(mask)/2))
		}
		return l.shuffle(list[0], list[1], mask)
	})
}

// deinterleave converts vector.deinterleave: every other element, and the rest.
func deinterleave(l lowering, o *mlir.Op) error {
	from, t, v := o.Operand(0).Type, o.Result(0).Type, l.Operand(o, 0)
	half := func(start int64) *mlir.Value {
		return l.build(t, func(pos []int64) *mlir.Value {
			row := l.part(v, from, pos...)
			mask := make([]int64, row.Type.Shape[0]/2)
			for i := range mask {
				mask[i] = int64(2*i) + start
			}
			return l.shuffle(row, l.Poison(row.Type), mask)
		})
	}
	even := half(0)
	l.Replace(o, even, half(1))
	return nil
}
