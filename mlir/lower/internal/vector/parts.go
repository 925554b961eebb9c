package vector

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// A lowering creates the operations that parts of vectors need. Vectors of several
// dimensions are arrays of vectors in LLVM; the types that methods take are MLIR's.
type lowering struct {
	*tollvm.Lowering
	Options
}

// rank returns the number of positions of an element: 1 for a vector without
// dimensions, which is a vector of one element in LLVM.
func rank(t *mlir.Type) int { return max(len(t.Shape), 1) }

// size returns the length of a vector's dimension.
func size(t *mlir.Type, dim int) int64 {
	if len(t.Shape) == 0 {
		return 1
	}
	return t.Shape[dim]
}

// within returns the type of the parts of a vector at positions of n dimensions, fewer than
// the vector has.
func (l lowering) within(t *mlir.Type, n int) *mlir.Type {
	return l.Context.Vector(t.Elem, t.Shape[n:]...)
}

// split divides a position into the indices of arrays and the index in a vector of
// one dimension, if there is one.
func split(t *mlir.Type, pos []int64) (arrays, lane []int64) {
	n := min(len(pos), rank(t)-1)
	return pos[:n], pos[n:]
}

// part returns the part of a vector at a position, which may be shorter than the
// vector's rank.
func (l lowering) part(v *mlir.Value, t *mlir.Type, pos ...int64) *mlir.Value {
	arrays, lane := split(t, pos)
	if len(arrays) > 0 {
		v = l.Extract(v, l.Convert(l.within(t, len(arrays))), arrays...)
	}
	if len(lane) > 0 {
		v = l.lane(v, l.I64(lane[0]))
	}
	return v
}

// put returns a vector with the part at a position replaced.
func (l lowering) put(into, v *mlir.Value, t *mlir.Type, pos ...int64) *mlir.Value {
	arrays, lane := split(t, pos)
	if len(lane) > 0 {
		row := into
		if len(arrays) > 0 {
			row = l.part(into, t, arrays...)
		}
		v = l.setLane(row, v, l.I64(lane[0]))
	}
	if len(arrays) == 0 {
		return v
	}
	return l.Insert(into, v, arrays...)
}

// I64 creates a constant of type i64.
func (l lowering) I64(v int64) *mlir.Value { return l.Int(l.Context.Integer(64), v) }

// lane returns the element of an LLVM vector at an index.
func (l lowering) lane(v, at *mlir.Value) *mlir.Value {
	return l.Emit("llvm.extractelement", v.Type.Elem, tollvm.Values(v, at))
}

// setLane returns an LLVM vector with the element at an index replaced.
func (l lowering) setLane(v, x, at *mlir.Value) *mlir.Value {
	return l.Emit("llvm.insertelement", v.Type, tollvm.Values(v, x, at))
}

// shuffle returns the elements of two LLVM vectors that a mask selects.
func (l lowering) shuffle(a, b *mlir.Value, mask []int64) *mlir.Value {
	t := l.Context.Vector(a.Type.Elem, int64(len(mask)))
	return l.Emit("llvm.shufflevector", t, tollvm.Values(a, b), tollvm.Named("mask", l.Context.DenseI32Array(mask...)))
}

// run returns n consecutive elements of an LLVM vector.
func (l lowering) run(v *mlir.Value, from, n int64) *mlir.Value {
	if n == v.Type.Shape[0] {
		return v
	}
	mask := make([]int64, n)
	for i := range mask {
		mask[i] = from + int64(i)
	}
	return l.shuffle(v, v, mask)
}

// setRun returns an LLVM vector with elements from at on replaced by all of v.
func (l lowering) setRun(into, v *mlir.Value, at int64) *mlir.Value {
	size, n := into.Type.Shape[0], v.Type.Shape[0]
	widen, mask := make([]int64, size), make([]int64, size)
	for i := range mask {
		mask[i] = size + int64(i)
	}
	for i := range n {
		widen[i], mask[at+i] = i, i
	}
	return l.shuffle(l.shuffle(v, v, widen), into, mask)
}

// splat returns an LLVM vector of n equal elements.
func (l lowering) splat(x *mlir.Value, t *mlir.Type) *mlir.Value {
	p := l.Poison(t)
	v := l.setLane(p, x, l.I32(0))
	if t.Shape[0] == 1 {
		return v
	}
	mask := l.Context.DenseI32Array(make([]int64, t.Shape[0])...)
	return l.Emit("llvm.shufflevector", t, tollvm.Values(v, p), tollvm.Named("mask", mask))
}

// positions calls f with each position of the given sizes, in order.
func positions(sizes []int64, f func(pos []int64)) {
	pos := make([]int64, len(sizes))
	for {
		f(pos)
		d := len(pos) - 1
		for ; d >= 0; d-- {
			if pos[d]++; pos[d] < sizes[d] {
				break
			}
			pos[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// rows returns the sizes of the arrays around the vectors of one dimension.
func rows(t *mlir.Type) []int64 { return t.Shape[:max(len(t.Shape), 1)-1] }

// rowType returns the LLVM type of a vector's parts of one dimension.
func (l lowering) rowType(t *mlir.Type) *mlir.Type {
	if len(t.Shape) < 2 {
		return l.Convert(t)
	}
	return l.Convert(l.within(t, len(t.Shape)-1))
}

// build returns a vector whose parts of one dimension f creates, by their position.
func (l lowering) build(t *mlir.Type, f func(pos []int64) *mlir.Value) *mlir.Value {
	if len(t.Shape) < 2 {
		return f(nil)
	}
	v := l.Poison(l.Convert(t))
	positions(rows(t), func(pos []int64) { v = l.Insert(v, f(pos), pos...) })
	return v
}
