package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/memref"
	vectors "github.com/gfx-toolchain/gfx/mlir/vector"
)

// accesses are the operations that UnrollAccesses replaces, with the position of the memref among the operands.
var accesses = [...]struct {
	op    string
	base  int
	value bool // the first operand is stored
}{
	{"vector.load", 0, false}, {"vector.store", 1, true},
	{"vector.maskedload", 0, false}, {"vector.maskedstore", 0, true},
}

// UnrollAccesses replaces loads and stores within o of vectors of several dimensions by ones of their
// rows. An access to an element of a memref of vectors becomes a plain load or store.
func UnrollAccesses(c *mlir.Context, o *mlir.Op) error {
	var list []*access
	o.Walk(func(p *mlir.Op) bool {
		for _, a := range accesses {
			if p.Name == a.op {
				list = append(list, &access{Builder: c.Before(p).From(p), o: p, base: a.base, store: a.value})
			}
		}
		return true
	})
	for _, a := range list {
		if err := a.unroll(); err != nil {
			return c.OpDiagnostics(a.o, err)
		}
	}
	return nil
}

// An access is a load or store of a vector.
type access struct {
	*mlir.Builder
	o     *mlir.Op
	base  int // operand
	store bool
	t     *mlir.Type // of the vector
	value *mlir.Value
	mask  *mlir.Value // or nil
	other *mlir.Value // of a masked load
}

// unroll replaces an access of more than one dimension.
func (a *access) unroll() error {
	m := a.o.Operand(a.base).Type
	operands := operandsOf(a.o)
	rest := operands[a.base+1+len(m.Shape):]
	switch a.o.Name {
	case "vector.load":
		a.t = a.o.Result(0).Type
	case "vector.store":
		a.value = operands[0]
	case "vector.maskedload":
		a.t, a.mask, a.other = a.o.Result(0).Type, rest[0], rest[1]
	default:
		a.mask, a.value = rest[0], rest[1]
	}
	if a.store {
		a.t = a.value.Type
	}
	n := len(a.t.Shape)
	if n < 2 || a.t.IsScalable() {
		return nil
	}
	indices := operands[a.base+1:][:len(m.Shape)]
	if m.Elem == a.t && a.mask == nil {
		a.element(operands[a.base], indices)
		return nil
	}
	if n > len(m.Shape) || m.Elem != a.t.Elem {
		return nil
	}
	rows := int64(1)
	for _, n := range a.t.Shape[:n-1] {
		if n > maxTransfers/rows {
			return mlir.OpErrorf("has a vector of more than %d rows", maxTransfers)
		}
		rows *= n
	}
	a.rows(operands[a.base], indices)
	return nil
}

// element accesses an element that is a vector.
func (a *access) element(base *mlir.Value, indices []*mlir.Value) {
	if a.store {
		memref.NewStore(a.Builder, a.value, base, indices)
		a.o.Erase()
		return
	}
	a.o.Replace(memref.NewLoad(a.Builder, base, indices))
}

// rows accesses each row. The dimensions of the vector are the memref's last ones.
func (a *access) rows(base *mlir.Value, indices []*mlir.Value) {
	last := len(a.t.Shape) - 1
	more := len(indices) - 1 - last
	row := a.Context.Vector(a.t.Elem, a.t.Shape[last])
	var whole *mlir.Value
	if !a.store {
		whole = arith.NewConstant(a.Builder, zeros(a.Context, a.t))
	}
	positions(a.t.Shape[:last], func(pos []int64) {
		at := slices.Clone(indices)
		for i, p := range pos {
			if p > 0 {
				at[more+i] = arith.NewAddi(a.Builder, at[more+i], arith.NewConstant(a.Builder, a.Context.IndexAttr(p)))
			}
		}
		part := func(v *mlir.Value) *mlir.Value {
			return vectors.NewExtract(a.Builder, a.Context.Vector(v.Type.Elem, row.Shape...), v, nil, slices.Clone(pos))
		}
		var v *mlir.Value
		switch {
		case a.store && a.mask != nil:
			vectors.NewMaskedstore(a.Builder, base, at, part(a.mask), part(a.value))
		case a.store:
			vectors.NewStore(a.Builder, part(a.value), base, at)
		case a.mask != nil:
			v = vectors.NewMaskedload(a.Builder, row, base, at, part(a.mask), part(a.other))
		default:
			v = vectors.NewLoad(a.Builder, row, base, at)
		}
		if v != nil {
			whole = vectors.NewInsert(a.Builder, v, whole, nil, slices.Clone(pos))
		}
	})
	if a.store {
		a.o.Erase()
		return
	}
	a.o.Replace(whole)
}
