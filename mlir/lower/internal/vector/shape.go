package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

var shapeRules = []rule{
	{"broadcast", broadcast},
	{"extract_strided_slice", extractStridedSlice},
	{"insert_strided_slice", insertStridedSlice},
	{"shape_cast", shapeCast},
	{"shuffle", shuffle},
	{"splat", broadcast},
	{"transpose", transpose},
}

// broadcast converts vector.broadcast and vector.splat.
func broadcast(l lowering, o *mlir.Op) error {
	l.Replace(o, l.spread(l.Operand(o, 0), o.Operand(0).Type, o.Result(0).Type))
	return nil
}

// spread returns a vector of type t whose parts are v, an element or a vector, whose dimensions
// of size 1 are repeated.
func (l lowering) spread(v *mlir.Value, from, t *mlir.Type) *mlir.Value {
	if from.Kind != mlir.VectorKind || len(from.Shape) == 0 {
		if from.Kind == mlir.VectorKind {
			v = l.lane(v, l.I64(0))
		}
		row := l.splat(v, l.rowType(t))
		return l.build(t, func([]int64) *mlir.Value { return row })
	}
	if from == t {
		return v
	}
	missing, last := len(t.Shape)-len(from.Shape), len(from.Shape)-1
	known := map[string]*mlir.Value{}
	return l.build(t, func(pos []int64) *mlir.Value {
		at := slices.Clone(pos[min(missing, len(pos)):])
		for i := range at {
			at[i] = min(at[i], from.Shape[i]-1)
		}
		key := positionKey(at)
		if known[key] == nil {
			row := l.part(v, from, at...)
			if from.Shape[last] != t.Shape[last+missing] {
				row = l.splat(l.lane(row, l.I64(0)), l.rowType(t))
			}
			known[key] = row
		}
		return known[key]
	})
}

// positionKey returns a position as the key of a map.
func positionKey(pos []int64) string {
	key := make([]byte, 0, 4*len(pos))
	for _, p := range pos {
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	return string(key)
}

// shuffle converts vector.shuffle, which selects parts along the first dimension.
func shuffle(l lowering, o *mlir.Op) error {
	a, b := l.Operand(o, 0), l.Operand(o, 1)
	ta, tb, t := o.Operand(0).Type, o.Operand(1).Type, o.Result(0).Type
	mask := o.Attr("mask").Int64s()
	if len(ta.Shape) <= 1 && ta == tb {
		l.Replace(o, l.shuffle(a, b, mask))
		return nil
	}
	v, n := l.Poison(l.Convert(t)), size(ta, 0)
	for i, m := range mask {
		switch {
		case m < 0:
			continue
		case m < n:
			v = l.put(v, l.part(a, ta, m), t, int64(i))
		default:
			v = l.put(v, l.part(b, tb, m-n), t, int64(i))
		}
	}
	l.Replace(o, v)
	return nil
}

// A window is a block of elements at offsets within a larger vector.
type window struct {
	offsets, strides []int64
}

func windowOf(o *mlir.Op) window {
	return window{o.Attr("offsets").Int64s(), o.Attr("strides").Int64s()}
}

// at returns the position in the larger vector for one in the window, along the
// first dimensions.
func (w window) at(pos []int64) []int64 {
	at := slices.Clone(pos)
	for i := range at {
		if i < len(w.offsets) {
			at[i] = w.offsets[i] + at[i]*w.strides[i]
		}
	}
	return at
}

// last returns the offset along the last of n dimensions: 0 if the window has all of it.
func (w window) last(n int) int64 {
	if len(w.offsets) < n {
		return 0
	}
	return w.offsets[n-1]
}

// extractStridedSlice converts vector.extract_strided_slice, whose strides are 1.
func extractStridedSlice(l lowering, o *mlir.Op) error {
	from, t, w := o.Operand(0).Type, o.Result(0).Type, windowOf(o)
	v := l.Operand(o, 0)
	n := len(t.Shape)
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		return l.run(l.part(v, from, w.at(pos)...), w.last(n), t.Shape[n-1])
	}))
	return nil
}

// insertStridedSlice converts vector.insert_strided_slice, whose strides are 1.
// The source may have fewer dimensions: they are the last ones.
func insertStridedSlice(l lowering, o *mlir.Op) error {
	from, t, w := o.Operand(0).Type, o.Result(0).Type, windowOf(o)
	v, into := l.Operand(o, 0), l.Operand(o, 1)
	more := len(t.Shape) - len(from.Shape)
	positions(rows(from), func(pos []int64) {
		at := append(slices.Clone(w.offsets[:more]), (window{w.offsets[more:], w.strides}).at(pos)...)
		row := l.part(v, from, pos...)
		if size(from, len(from.Shape)-1) != size(t, len(t.Shape)-1) {
			row = l.setRun(l.part(into, t, at...), row, w.last(len(t.Shape)))
		}
		into = l.put(into, row, t, at...)
	})
	l.Replace(o, into)
	return nil
}

// transpose converts vector.transpose, element by element; rows are kept where the last
// dimension remains.
func transpose(l lowering, o *mlir.Op) error {
	from, t := o.Operand(0).Type, o.Result(0).Type
	order, v := o.Attr("permutation").Int64s(), l.Operand(o, 0)
	n := len(order)
	if n == 0 {
		l.Replace(o, v)
		return nil
	}
	keeps, row := order[n-1] == int64(n-1), l.rowType(t)
	at := make([]int64, n)
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		for i, p := range pos {
			at[order[i]] = p
		}
		if keeps {
			return l.part(v, from, at[:n-1]...)
		}
		r := l.Poison(row)
		for i := range t.Shape[n-1] {
			at[order[n-1]] = i
			r = l.setLane(r, l.part(v, from, at...), l.I64(i))
		}
		return r
	}))
	return nil
}

// shapeCast converts vector.shape_cast in the longest runs of elements that are within
// one row of either vector.
func shapeCast(l lowering, o *mlir.Op) error {
	from, t := o.Operand(0).Type, o.Result(0).Type
	v := l.Operand(o, 0)
	l.Replace(o, l.reshape(v, from, t))
	return nil
}

// reshape returns the elements of a vector as one of type t, in order.
func (l lowering) reshape(v *mlir.Value, from, t *mlir.Type) *mlir.Value {
	if v.Type == l.Convert(t) {
		return v
	}
	in, out := size(from, len(from.Shape)-1), size(t, len(t.Shape)-1)
	var parts []*mlir.Value
	positions(rows(from), func(pos []int64) { parts = append(parts, l.part(v, from, pos...)) })
	row, n := l.rowType(t), int64(0)
	return l.build(t, func([]int64) *mlir.Value {
		defer func() { n += out }()
		return l.collect(parts, in, n, row)
	})
}

// collect returns a row of the elements from n on in rows of a given size, one after the other.
func (l lowering) collect(parts []*mlir.Value, size, n int64, row *mlir.Type) *mlir.Value {
	want := row.Shape[0]
	if n%size+want <= size {
		return l.run(parts[n/size], n%size, want)
	}
	v := l.Poison(row)
	for done := int64(0); done < want; {
		at := (n + done) % size
		run := min(size-at, want-done)
		p := parts[(n+done)/size]
		if run == 1 {
			v = l.setLane(v, l.lane(p, l.I64(at)), l.I64(done))
		} else {
			v = l.setRun(v, l.run(p, at, run), done)
		}
		done += run
	}
	return v
}
