package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var contractRules = []rule{
	{"contract", contract},
	{"multi_reduction", multiReduction},
	{"scan", scan},
}

// A factor is an operand of a contraction, with the loop of each of its dimensions.
type factor struct {
	v     *mlir.Value
	t     *mlir.Type
	loops []int
	known map[string]*mlir.Value // by position
}

// loopsOf returns the loops that the results of a map are.
func loopsOf(m *mlir.AffineMap) []int {
	loops := make([]int, len(m.Results))
	for i, e := range m.Results {
		loops[i] = int(e.Value)
	}
	return loops
}

// along returns the n elements of a factor along loop k, the other loops being at a position, as
// elements of a type.
func (l lowering) along(x *factor, at []int64, k int, n int64, elem *mlir.Type) *mlir.Value {
	pos := make([]int64, len(x.loops))
	free := slices.Index(x.loops, k)
	for i, loop := range x.loops {
		pos[i] = at[loop]
	}
	pos[free] = 0
	key := positionKey(pos)
	if v := x.known[key]; v != nil {
		return v
	}
	var v *mlir.Value
	if free == len(pos)-1 {
		v = l.part(x.v, x.t, pos[:free]...)
	} else {
		v = l.Poison(l.Convert(l.Context.Vector(x.t.Elem, n)))
		for i := range n {
			pos[free] = i
			v = l.setLane(v, l.part(x.v, x.t, pos...), l.I64(i))
		}
	}
	v = l.widen(v, x.t.Elem, elem)
	x.known[key] = v
	return v
}

// widen returns a vector with elements of a wider type.
func (l lowering) widen(v *mlir.Value, from, to *mlir.Type) *mlir.Value {
	if from == to {
		return v
	}
	name := "arith.extsi"
	if isFloat(to) {
		name = "arith.extf"
	}
	return l.Emit(name, l.Context.Vector(to, v.Type.Shape[0]), tollvm.Values(v))
}

// A contraction is vector.contract with its loops.
type contraction struct {
	lowering
	how        *combining
	elem       *mlir.Type
	sizes      []int64
	lhs, rhs   factor
	reductions []int // loops
	result     []int // loops
	separate   bool  // the accumulator is added to a sum that begins at 0
}

// contract converts vector.contract to products of vectors along the last loop that is reduced,
// and reductions. Where a factor alone has a loop that remains, the sum begins at 0, and the
// accumulator is added last.
func contract(l lowering, o *mlir.Op) error {
	t := o.Result(0).Type
	maps := o.Attr("indexing_maps").List
	c := contraction{lowering: l, elem: t.ElementOrSelf(), result: loopsOf(maps[2].Map), sizes: make([]int64, maps[0].Map.Dims)}
	c.how = combiningOf(o, c.elem)
	c.lhs = factor{l.Operand(o, 0), o.Operand(0).Type, loopsOf(maps[0].Map), map[string]*mlir.Value{}}
	c.rhs = factor{l.Operand(o, 1), o.Operand(1).Type, loopsOf(maps[1].Map), map[string]*mlir.Value{}}
	for _, x := range [...]*factor{&c.lhs, &c.rhs} {
		for i, loop := range x.loops {
			c.sizes[loop] = x.t.Shape[i]
		}
	}
	products := int64(1)
	for loop, n := range c.sizes {
		if n > maxElements/products {
			return mlir.OpErrorf("has more than %d products", maxElements)
		}
		products *= max(n, 1)
		inLHS, inRHS := slices.Contains(c.lhs.loops, loop), slices.Contains(c.rhs.loops, loop)
		switch {
		case slices.Contains(c.result, loop):
			c.separate = c.separate || inLHS != inRHS
		case inLHS && inRHS:
			c.reductions = append(c.reductions, loop)
		default:
			return rewrite.ErrNoMatch
		}
	}
	if c.how == nil || len(c.reductions) == 0 {
		return rewrite.ErrNoMatch
	}
	c.separate = c.separate && len(c.reductions) == 1 && o.Attr("kind").Text == "add"
	l.Replace(o, c.all(t, l.Operand(o, 2)))
	return nil
}

// all returns the result, of type t.
func (c *contraction) all(t *mlir.Type, acc *mlir.Value) *mlir.Value {
	at := make([]int64, len(c.sizes))
	if t.Kind != mlir.VectorKind {
		return c.element(at, acc)
	}
	row, last := c.rowType(t), len(t.Shape)-1
	return c.build(t, func(pos []int64) *mlir.Value {
		for i, p := range pos {
			at[c.result[i]] = p
		}
		v := c.Poison(row)
		accRow := c.part(acc, t, pos...)
		for i := range row.Shape[0] {
			at[c.result[last]] = i
			var x *mlir.Value
			if !c.separate {
				x = c.lane(accRow, c.I64(i))
			}
			v = c.setLane(v, c.element(at, x), c.I64(i))
		}
		if c.separate {
			v = c.Binary(c.how.arith, v, accRow)
		}
		return v
	})
}

// element returns the combination of acc, which may be missing, and the products at a
// position of the other loops.
func (c *contraction) element(at []int64, acc *mlir.Value) *mlir.Value {
	last := len(c.reductions) - 1
	k := c.reductions[last]
	outer := make([]int64, last)
	for i, loop := range c.reductions[:last] {
		outer[i] = c.sizes[loop]
	}
	positions(outer, func(pos []int64) {
		for i, p := range pos {
			at[c.reductions[i]] = p
		}
		x := c.along(&c.lhs, at, k, c.sizes[k], c.elem)
		y := c.along(&c.rhs, at, k, c.sizes[k], c.elem)
		acc = c.reduce(c.how, c.accumulate(c.how, x, y, nil), acc)
	})
	return acc
}

// multiReduction converts vector.multi_reduction: rows are combined, or each is reduced
// if the last dimension is.
func multiReduction(l lowering, o *mlir.Op) error {
	from, t := o.Operand(0).Type, o.Result(0).Type
	c := combiningOf(o, from.Elem)
	if c == nil {
		return rewrite.ErrNoMatch
	}
	v, acc := l.Operand(o, 0), l.Operand(o, 1)
	last := len(from.Shape) - 1
	var kept, reduced []int
	var sizes []int64 // of the dimensions that are reduced, but for the last one
	gone := o.Attr("reduction_dims").Int64s()
	for d := range from.Shape {
		switch {
		case !slices.Contains(gone, int64(d)):
			kept = append(kept, d)
		case d < last:
			reduced, sizes = append(reduced, d), append(sizes, from.Shape[d])
		}
	}
	at := make([]int64, last)
	each := func(acc *mlir.Value, combined func(row, acc *mlir.Value) *mlir.Value) *mlir.Value {
		positions(sizes, func(pos []int64) {
			for i, p := range pos {
				at[reduced[i]] = p
			}
			acc = combined(l.part(v, from, at...), acc)
		})
		return acc
	}
	toScalar := func(row, acc *mlir.Value) *mlir.Value { return l.reduce(c, row, acc) }
	if t.Kind != mlir.VectorKind {
		l.Replace(o, each(acc, toScalar))
		return nil
	}
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		for i, p := range pos {
			at[kept[i]] = p
		}
		r := l.part(acc, t, pos...)
		if kept[len(kept)-1] == last {
			return each(r, func(row, acc *mlir.Value) *mlir.Value { return l.Binary(c.arith, row, acc) })
		}
		for i := range r.Type.Shape[0] {
			at[kept[len(kept)-1]] = i
			r = l.setLane(r, each(l.lane(r, l.I64(i)), toScalar), l.I64(i))
		}
		return r
	}))
	return nil
}

// scan converts vector.scan: each part along a dimension is the combination of those
// before it, with itself or, if the scan is exclusive, with the initial value.
func scan(l lowering, o *mlir.Op) error {
	t := o.Operand(0).Type
	c := combiningOf(o, t.Elem)
	if c == nil {
		return rewrite.ErrNoMatch
	}
	dim, inclusive := int(o.Attr("reduction_dim").Int), o.Attr("inclusive").Int != 0
	v, final := l.Operand(o, 0), l.Operand(o, 1)
	ft, last := o.Operand(1).Type, len(t.Shape)-1
	result := l.Poison(l.Convert(t))
	// The parts that are combined are rows, or elements if the last dimension is scanned.
	sizes := slices.Delete(slices.Clone(t.Shape), dim, dim+1)
	if dim != last {
		sizes = sizes[:len(sizes)-1]
	}
	positions(sizes, func(rest []int64) {
		place := rest
		if len(ft.Shape) == 0 {
			place = []int64{0}
		}
		sum := l.part(final, ft, place...)
		var before *mlir.Value
		for i := range t.Shape[dim] {
			at := slices.Insert(slices.Clone(rest), dim, i)
			x := l.part(v, t, at...)
			switch {
			case i > 0 && inclusive:
				sum = l.Binary(c.arith, sum, x)
			case i > 0:
				sum = l.Binary(c.arith, sum, before)
			case inclusive:
				sum = x
			}
			before = x
			result = l.put(result, sum, t, at...)
		}
		final = l.put(final, sum, ft, place...)
	})
	l.Replace(o, result, final)
	return nil
}
