package vector

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// hasUnitStride reports whether neighbours in the last dimension of a memref are neighbours in
// memory.
func hasUnitStride(t *mlir.Type) bool {
	if t.Layout == nil {
		return true
	}
	strides, _, ok := mlir.StridesAndOffset(t)
	return ok && (len(strides) == 0 || strides[len(strides)-1] == 1)
}

// verifyAccess checks a load or store of a vector v at indices of memref m.
func verifyAccess(c *mlir.Context, o *mlir.Op, v, m *mlir.Type, value, rank string) error {
	one := c.Edition != mlir.Edition19 && !v.IsScalable() && (len(v.Shape) == 0 || v.NumElements() == 1)
	if !one && !hasUnitStride(m) {
		return errors.New("most minor memref dim must have unit stride")
	}
	if c.Edition != mlir.Edition19 && len(m.Shape) < len(v.Shape) {
		return errors.New(rank)
	}
	elem := m.Elem
	if elem.Kind == mlir.VectorKind {
		if elem != v {
			return fmt.Errorf("base memref and %s vector types should match", value)
		}
		elem = elem.Elem
	}
	if v.Elem != elem {
		plural := ""
		if value == "result" {
			plural = "s"
		}
		return fmt.Errorf("base and %s element type%s should match", value, plural)
	}
	return verifyIndices(o, "indices", m)
}

func verifyIndices(o *mlir.Op, group string, m *mlir.Type) error {
	if o.CountNamed(group) != len(m.Shape) {
		return fmt.Errorf("requires %d indices", len(m.Shape))
	}
	return nil
}

func verifyLoad(c *mlir.Context, o *mlir.Op) error {
	return verifyAccess(c, o, o.Result(0).Type, o.Operand(0).Type, "result", "destination memref has lower rank than the result vector")
}

func verifyStore(c *mlir.Context, o *mlir.Op) error {
	return verifyAccess(c, o, o.Operand(0).Type, o.Operand(1).Type, "valueToStore", "source memref has lower rank than the vector to store")
}

// A masked access is a load or store of elements that a mask selects.
type masked struct {
	vector  string // the vector's name in errors
	base    *mlir.Type
	v, mask *mlir.Type
	pass    *mlir.Type // of a load: the values of elements that are not loaded
	offsets string     // the group of the base's indices
}

// verifyElements compares the types of elements, and counts the indices.
func (a *masked) verifyElements(o *mlir.Op) error {
	if a.v.Elem != a.base.ElementOrSelf() {
		return fmt.Errorf("base and %s element type should match", a.vector)
	}
	return verifyIndices(o, a.offsets, a.base)
}

func (a *masked) verifyPass() error {
	if a.pass != nil && a.pass != a.v {
		return errors.New("expected pass_thru of same type as result type")
	}
	return nil
}

func sameShape(t, u *mlir.Type) bool { return slices.Equal(t.Shape, u.Shape) }

// accessOf returns the parts of a masked access. word is what the edition calls a shape.
func accessOf(c *mlir.Context, o *mlir.Op) (a masked, word string) {
	a = masked{vector: "result", base: o.NamedType("base"), mask: o.NamedType("mask"), offsets: "indices"}
	if a.v = o.NamedType("valueToStore"); a.v != nil {
		a.vector = "valueToStore"
	} else {
		a.v, a.pass = o.Result(0).Type, o.NamedType("pass_thru")
	}
	if c.Edition == mlir.Edition19 {
		return a, "dim"
	}
	return a, "shape"
}

// verifyMasked checks a load or store of neighbours.
func verifyMasked(c *mlir.Context, o *mlir.Op) error {
	a, word := accessOf(c, o)
	if err := a.verifyElements(o); err != nil {
		return err
	}
	if !sameShape(a.v, a.mask) {
		return fmt.Errorf("expected %s %s to match mask %[2]s", a.vector, word)
	}
	return a.verifyPass()
}

// verifyPacked checks expandload and compressstore.
func verifyPacked(c *mlir.Context, o *mlir.Op) error {
	a, _ := accessOf(c, o)
	if err := a.verifyElements(o); err != nil {
		return err
	}
	if !sameShape(a.v, a.mask) {
		return fmt.Errorf("expected %s dim to match mask dim", a.vector)
	}
	return a.verifyPass()
}

// verifyIndexed checks gather and scatter.
func verifyIndexed(c *mlir.Context, o *mlir.Op) error {
	a, _ := accessOf(c, o)
	index := "index_vec"
	if c.Edition != mlir.Edition19 {
		index, a.offsets = "indices", "offsets"
	}
	if a.base.Kind != mlir.MemRefKind && a.base.Kind != mlir.TensorKind {
		return errors.New("requires base to be a memref or ranked tensor type")
	}
	if err := a.verifyElements(o); err != nil {
		return err
	}
	switch {
	case !sameShape(a.v, o.NamedType(index)):
		return fmt.Errorf("expected %s dim to match indices dim", a.vector)
	case !sameShape(a.v, a.mask):
		return fmt.Errorf("expected %s dim to match mask dim", a.vector)
	}
	return a.verifyPass()
}

func verifyTypeCast(_ *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	scalar := func(t *mlir.Type) *mlir.Type { return t.Elem.ElementOrSelf() }
	shape := func(t *mlir.Type) []int64 {
		if t.Elem.Kind == mlir.VectorKind {
			return append(slices.Clone(t.Shape), t.Elem.Shape...)
		}
		return t.Shape
	}
	switch {
	case !isIdentity(from):
		return errors.New("expects operand to be a memref with identity layout")
	case !mlir.HasIdentityLayout(to):
		return errors.New("expects result to be a memref with identity layout")
	case to.Space != from.Space:
		return errors.New("expects result in same memory space")
	case scalar(from) != scalar(to):
		return fmt.Errorf("expects result and operand with same underlying scalar type: '%s'", to)
	case !slices.Equal(shape(from), shape(to)):
		return fmt.Errorf("expects concatenated result and operand shapes to be equal: '%s'", to)
	}
	return nil
}

// isIdentity reports whether a memref has the strides of one without gaps.
func isIdentity(t *mlir.Type) bool {
	strides, offset, ok := mlir.StridesAndOffset(t)
	return ok && offset == 0 && slices.Equal(strides, mlir.IdentityStrides(t.Shape))
}
