package affine

import (
	"errors"

	"github.com/gfx-toolchain/gfx/mlir"
)

// mapOf returns the map of an operation.
func mapOf(o *mlir.Op) *mlir.AffineMap { return o.Attr("map").Map }

func verifyApply(c *mlir.Context, o *mlir.Op) error {
	m := mapOf(o)
	switch {
	case len(o.Operands) != m.Dims+m.Symbols:
		return errors.New("operand count and affine map dimension and symbol count must match")
	case len(m.Results) != 1:
		return errors.New("mapping must produce one value")
	}
	if c.Edition == mlir.Edition19 {
		return nil
	}
	r := scopeOf(o)
	for _, u := range o.Operands[m.Dims:] {
		if isDimension(u.Value, r) && !isSymbol(u.Value, r) {
			return mlir.PlainErrorf("dimensional operand cannot be used as a symbol")
		}
	}
	return nil
}

func verifyMinMax(c *mlir.Context, o *mlir.Op) error {
	m := mapOf(o)
	switch {
	case len(o.Operands) != m.Dims+m.Symbols:
		return errors.New("operand count and affine map dimension and symbol count must match")
	case len(m.Results) == 0 && c.Edition != mlir.Edition19:
		return errors.New("affine map expect at least one result")
	}
	return nil
}

// verifyIndexing checks the indices of an access to a memref, which begin after the
// first skip operands.
func verifyIndexing(c *mlir.Context, o *mlir.Op, t *mlir.Type, skip int) error {
	m := mapOf(o)
	switch {
	case len(m.Results) != len(t.Shape):
		return errors.New("affine map num results must equal memref rank")
	case m.Dims+m.Symbols != len(o.Operands)-skip:
		return errors.New("expects as many subscripts as affine map inputs")
	}
	indices := make([]*mlir.Value, 0, len(o.Operands)-skip)
	for _, u := range o.Operands[skip:] {
		indices = append(indices, u.Value)
	}
	return verifyIndices(c, o, indices, m.Dims)
}

func verifyLoad(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(0).Type
	if o.Result(0).Type != t.Elem {
		return errors.New("result type must match element type of memref")
	}
	return verifyIndexing(c, o, t, 1)
}

func verifyStore(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(1).Type
	if o.Operand(0).Type != t.Elem {
		return errors.New("value to store must have the same type as memref element type")
	}
	return verifyIndexing(c, o, t, 2)
}

func verifyVectorLoad(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(0).Type
	if err := verifyIndexing(c, o, t, 1); err != nil {
		return err
	}
	return verifyVector(t, o.Result(0).Type)
}

func verifyVectorStore(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(1).Type
	if err := verifyIndexing(c, o, t, 2); err != nil {
		return err
	}
	return verifyVector(t, o.Operand(0).Type)
}

func verifyVector(memref, vector *mlir.Type) error {
	if memref.Elem != vector.Elem {
		return errors.New("requires memref and vector types of the same elemental type")
	}
	return nil
}

func verifyPrefetch(_ *mlir.Context, o *mlir.Op) error {
	m := mapOf(o)
	switch {
	case len(m.Results) != len(o.Operand(0).Type.Shape):
		return errors.New("affine.prefetch affine map num results must equal memref rank")
	case m.Dims+m.Symbols+1 != len(o.Operands):
		return errors.New("too few operands")
	}
	return nil
}

func verifyDelinearize(c *mlir.Context, o *mlir.Op) error {
	if c.Edition == mlir.Edition19 {
		if o.CountNamed("basis") == 0 {
			return errors.New("basis should not be empty")
		}
		if len(o.Results) != o.CountNamed("basis") {
			return errors.New("should return an index for each basis element")
		}
		return nil
	}
	if n, basis := len(o.Results), o.Attr("static_basis").NumElements(); n != basis && n != basis+1 {
		return errors.New("should return an index for each basis element and up to one extra index")
	}
	return verifyBasis(o)
}

func verifyLinearize(_ *mlir.Context, o *mlir.Op) error {
	if n, basis := o.CountNamed("multi_index"), o.Attr("static_basis").NumElements(); n != basis && n != basis+1 {
		return errors.New("should be passed a basis element for each index except possibly the first")
	}
	return verifyBasis(o)
}

// verifyBasis checks the sizes among which a linear index is divided.
func verifyBasis(o *mlir.Op) error {
	dynamic := 0
	for _, n := range o.Attr("static_basis").Int64s() {
		if n == mlir.Dynamic {
			dynamic++
		} else if n <= 0 {
			return errors.New("no basis element may be statically non-positive")
		}
	}
	if dynamic != o.CountNamed("dynamic_basis") {
		return errors.New("mismatch between dynamic and static basis (kDynamic marker but no corresponding dynamic basis entry) -- this can only happen due to an incorrect fold/rewrite")
	}
	return nil
}
