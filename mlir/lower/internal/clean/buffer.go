package clean

import "github.com/gfx-toolchain/gfx/mlir"

// outOfRange removes an operation on a raw buffer whose constant index is past the end
// of the buffer; a load there returns 0. The end is the one that is checked when the operation is
// executed: the largest product of a size and its stride.
func outOfRange(c *mlir.Context, o *mlir.Op) bool {
	if o.Attr("boundsCheck").Int == 0 {
		return false
	}
	at, ok := bufferIndex(o)
	end, static := bufferEnd(o.NamedType("memref"))
	if !ok || !static || at < end || at > maxBufferIndex {
		return false
	}
	if len(o.Results) > 0 {
		if !o.Result(0).HasUses() {
			o.Erase()
			return true
		}
		zero := zeroOf(c, o.Result(0).Type)
		if zero == nil {
			return false
		}
		b := c.Before(o).From(o)
		o.Replace(b.Create(mlir.OpState{Name: "arith.constant", Types: []*mlir.Type{o.Result(0).Type},
			Attrs: []mlir.NamedAttr{{Name: "value", Attr: zero}}}).Result(0))
		return true
	}
	o.Erase()
	return true
}

// maxBufferIndex is the largest index: a sum that is larger overflows when it is computed.
const maxBufferIndex = 1<<32 - 1

// bufferIndex returns the index that an operation accesses, if it is constant.
func bufferIndex(o *mlir.Op) (at int64, ok bool) {
	if a := o.Attr("indexOffset"); a != nil {
		at = a.Int
	}
	for _, v := range o.Named("sgprOffset") {
		a := constantOf(v)
		if a == nil {
			return 0, false
		}
		at += int64(uint32(a.Int))
	}
	strides, _, ok := mlir.StridesAndOffset(o.NamedType("memref"))
	indices := o.Named("indices")
	if !ok || len(strides) != len(indices) {
		return 0, false
	}
	for i, v := range indices {
		a := constantOf(v)
		if a == nil || strides[i] == mlir.Dynamic {
			return 0, false
		}
		at += int64(uint32(a.Int)) * strides[i]
	}
	return at, true
}

// bufferEnd returns the number of elements after which a buffer ends, if the type has it.
func bufferEnd(t *mlir.Type) (end int64, ok bool) {
	strides, _, ok := mlir.StridesAndOffset(t)
	if !ok || !t.HasStaticShape() {
		return 0, false
	}
	if len(strides) == 0 {
		return 1, true
	}
	for i, n := range t.Shape {
		if strides[i] == mlir.Dynamic {
			return 0, false
		}
		end = max(end, n*strides[i])
	}
	return end, true
}

// zeroOf returns the attribute 0 of a number or vector, or nil.
func zeroOf(c *mlir.Context, t *mlir.Type) *mlir.Attr {
	elem := t.ElementOrSelf()
	var zero *mlir.Attr
	switch elem.Kind {
	case mlir.IntegerKind, mlir.IndexKind:
		zero = c.IntAttr(elem, 0)
	case mlir.FloatKind:
		zero = c.FloatAttr(elem, 0)
	default:
		return nil
	}
	if t.Kind == mlir.VectorKind {
		return c.DenseElements(t, make([]byte, max(1, (elem.BitWidth()+7)/8)), true)
	}
	return zero
}
