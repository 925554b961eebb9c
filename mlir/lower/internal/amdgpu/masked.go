package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// needsMask is the attribute of a load that has been replaced except at the end of its buffer.
const needsMask = "amdgpu.buffer_maskedload_needs_mask"

// UnmaskLoads replaces masked loads of fat raw buffers by loads and selections, since a load out of
// range is harmless there, and other masked loads and stores whose mask is one
// condition by conditional ones.
func UnmaskLoads(c *mlir.Context, top *mlir.Op) {
	for _, o := range opsNamed(top, "vector.maskedload") {
		e := emitter{c.Before(o).From(o)}
		condition := wholeMask(one(o, "mask"))
		switch {
		case o.Attr(needsMask) != nil:
		case isFatBuffer(one(o, "base").Type) && condition != nil:
			o.Replace(e.selected(o))
		case isFatBuffer(one(o, "base").Type):
			e.unmask(o)
		case condition != nil:
			e.loadIf(o, condition)
		}
	}
	for _, o := range opsNamed(top, "vector.maskedstore") {
		if condition := wholeMask(one(o, "mask")); condition != nil {
			emitter{c.Before(o).From(o)}.storeIf(o, condition)
		}
	}
}

func isFatBuffer(t *mlir.Type) bool {
	return t.Space != nil && t.Space.Enum != nil && t.Space.Enum.Dialect == "amdgpu" && t.Space.Text == "fat_raw_buffer"
}

// wholeMask returns the condition that all elements of a mask have, or nil.
func wholeMask(mask *mlir.Value) *mlir.Value {
	if mask.Op == nil || mask.Op.Name != "vector.broadcast" || mask.Op.Operand(0).Type.Kind == mlir.VectorKind {
		return nil
	}
	return mask.Op.Operand(0)
}

// load creates the load of all elements.
func (e emitter) load(o *mlir.Op) *mlir.Value {
	return e.Create(mlir.OpState{Name: "vector.load", Types: []*mlir.Type{o.Result(0).Type},
		Operands: append(tollvm.Values(one(o, "base")), o.Named("indices")...)}).Result(0)
}

// selected creates the load of all elements, of which the mask selects.
func (e emitter) selected(o *mlir.Op) *mlir.Value {
	return e.emit("arith.select", o.Result(0).Type, one(o, "mask"), e.load(o), one(o, "pass_thru"))
}

// A branch creates the operations of a region before its yield and returns the values that it yields.
type branch func(e emitter) []*mlir.Value

// conditional creates scf.if. otherwise may be nil.
func (e emitter) conditional(condition *mlir.Value, types []*mlir.Type, then, otherwise branch) *mlir.Op {
	regions := []*mlir.Region{{}, {}}
	o := e.Create(mlir.OpState{Name: "scf.if", Types: types, Operands: tollvm.Values(condition), Regions: regions})
	for i, f := range []branch{then, otherwise} {
		if f == nil {
			continue
		}
		inner := emitter{e.Context.AtEnd(regions[i].AddBlock()).From(o)}
		inner.Create(mlir.OpState{Name: "scf.yield", Operands: f(inner)})
	}
	return o
}

// loadIf replaces a masked load whose mask is one condition.
func (e emitter) loadIf(o *mlir.Op, condition *mlir.Value) {
	n := e.conditional(condition, []*mlir.Type{o.Result(0).Type},
		func(e emitter) []*mlir.Value { return tollvm.Values(e.load(o)) },
		func(emitter) []*mlir.Value { return tollvm.Values(one(o, "pass_thru")) })
	o.Replace(n.Result(0))
}

// storeIf replaces a masked store whose mask is one condition.
func (e emitter) storeIf(o *mlir.Op, condition *mlir.Value) {
	e.conditional(condition, nil, func(e emitter) []*mlir.Value {
		e.Create(mlir.OpState{Name: "vector.store",
			Operands: append(tollvm.Values(one(o, "valueToStore"), one(o, "base")), o.Named("indices")...)})
		return nil
	}, nil)
	o.Erase()
}

// unmask replaces a masked load of a fat raw buffer. Where the buffer ends within a
// word that is loaded, the load keeps its mask, because the whole word is out of range for
// the hardware.
func (e emitter) unmask(o *mlir.Op) {
	c := e.Context
	n := e.conditional(e.endsInWord(o), []*mlir.Type{o.Result(0).Type},
		func(e emitter) []*mlir.Value {
			kept := c.Clone(o, map[*mlir.Value]*mlir.Value{}, map[*mlir.Block]*mlir.Block{})
			kept.SetAttr(needsMask, c.Unit())
			e.Block().Append(kept)
			return tollvm.Values(kept.Result(0))
		},
		func(e emitter) []*mlir.Value { return tollvm.Values(e.selected(o)) })
	o.Replace(n.Result(0))
}

// endsInWord returns whether a buffer ends less than a vector after the first element, and not at the
// end of a word.
func (e emitter) endsInWord(o *mlir.Op) *mlir.Value {
	c := e.Context
	i1 := c.Integer(1)
	t := o.Result(0).Type
	perWord := int64((31 + t.Elem.BitWidth()) / max(1, t.Elem.BitWidth()))
	if perWord == 1 {
		return e.constant(c.Bool(false), i1)
	}
	rest := e.rest(one(o, "base"), o.Named("indices"))
	short := e.with("predicate", c.I64Attr(unsignedLess)).emit("arith.cmpi", i1, rest, e.index(t.NumElements()))
	part := e.emit("arith.remui", c.Index(), rest, e.index(perWord))
	unaligned := e.with("predicate", c.I64Attr(notEqual)).emit("arith.cmpi", i1, part, e.index(0))
	return e.emit("arith.andi", i1, short, unaligned)
}

// Predicates of arith.cmpi.
const (
	notEqual     = 1
	unsignedLess = 6
)

// rest returns the number of elements between an element and the end of its buffer.
func (e emitter) rest(v *mlir.Value, indices []*mlir.Value) *mlir.Value {
	strides, _, _ := mlir.StridesAndOffset(v.Type)
	rank := len(strides)
	var meta *mlir.Op
	expr := func(s *symbolList, known int64, member int) *mlir.Expr {
		if known != mlir.Dynamic {
			return mlir.Const(known)
		}
		if meta == nil {
			meta = e.metadata(v)
		}
		return s.of(meta.Result(member))
	}
	var at, end symbolList
	position := mlir.Const(0)
	products := make([]*mlir.Expr, 0, rank)
	most := int64(0)
	for i, x := range indices {
		position = position.Add(at.of(x).Mul(expr(&at, strides[i], 2+rank+i)))
		product := expr(&end, strides[i], 2+rank+i).Mul(expr(&end, v.Type.Shape[i], 2+i))
		if product.Kind == mlir.ConstantExpr {
			most = max(most, product.Value)
			continue
		}
		products = append(products, product)
	}
	if most > 0 || len(products) == 0 {
		products = append(products, mlir.Const(max(most, 1)))
	}
	start := e.apply(position, at.values...)
	var size *mlir.Value
	if len(products) == 1 {
		size = e.apply(products[0], end.values...)
	} else {
		size = e.maps("affine.max", end.values, products...)
	}
	return e.emit("arith.subi", e.Context.Index(), size, start)
}
