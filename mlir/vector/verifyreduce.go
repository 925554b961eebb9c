package vector

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// canCombine reports whether a kind of combination applies to a type of elements.
func canCombine(kind string, t *mlir.Type) bool {
	isFloat := t.Kind == mlir.FloatKind
	switch kind {
	case "add", "mul":
		return isFloat || t.IsIntOrIndex()
	case "minnumf", "maxnumf", "minimumf", "maximumf":
		return isFloat
	}
	return t.IsIntOrIndex()
}

func verifyReduction(_ *mlir.Context, o *mlir.Op) error {
	if rank := len(o.Operand(0).Type.Shape); rank > 1 {
		return fmt.Errorf("unsupported reduction rank: %d", rank)
	}
	t, kind := o.Result(0).Type, o.Attr("kind").Text
	if !canCombine(kind, t) {
		return fmt.Errorf("unsupported reduction type ''%s'' for kind '%s'", t, kind)
	}
	return nil
}

func verifyMultiReduction(c *mlir.Context, o *mlir.Op) error {
	from, to, dims := o.Operand(0).Type, o.Result(0).Type, o.Attr("reduction_dims").Int64s()
	var shape []int64
	var scalable []bool
	for i, n := range from.Shape {
		if !slices.Contains(dims, int64(i)) {
			shape = append(shape, n)
			scalable = append(scalable, isScalableAt(from, i))
		}
	}
	want := from.Elem
	if len(shape) > 0 {
		want = c.VectorType(shape, orNil(scalable), from.Elem)
	}
	if to != want {
		return fmt.Errorf("destination type '%s' is incompatible with source type '%s'", to, from)
	}
	return nil
}

func verifyScan(_ *mlir.Context, o *mlir.Op) error {
	from, initial := o.Operand(0).Type, o.Operand(1).Type
	dim, rank := o.Attr("reduction_dim").Int, int64(len(from.Shape))
	if dim >= rank || dim < 0 {
		return fmt.Errorf("reduction dimension %d has to be less than %d", dim, rank)
	}
	if n := int64(len(initial.Shape)); n != rank-1 {
		return fmt.Errorf("initial value rank %d has to be equal to %d", n, rank-1)
	}
	if !slices.Equal(initial.Shape, slices.Delete(slices.Clone(from.Shape), int(dim), int(dim)+1)) {
		return errors.New("incompatible input/initial value shapes")
	}
	if kind := o.Attr("kind").Text; !canCombine(kind, from.Elem) {
		return fmt.Errorf("unsupported reduction type '%s' for kind '%s'", from.Elem, kind)
	}
	return nil
}

func verifyOuterProduct(_ *mlir.Context, o *mlir.Op) error {
	left, right, result := o.Operand(0).Type, o.Operand(1).Type, o.Result(0).Type
	if len(left.Shape) != 1 {
		return errors.New("expected 1-d vector for operand #1")
	}
	if right.Kind == mlir.VectorKind {
		if err := verifyOuterVectors(left, right, result); err != nil {
			return err
		}
	} else {
		if len(result.Shape) != 1 {
			return errors.New("expected 1-d vector result")
		}
		if left.Shape[0] != result.Shape[0] {
			return errors.New("expected #1 operand dim to match result dim #1")
		}
	}
	switch {
	case len(o.Operands) > 2 && o.Operand(2).Type != result:
		return errors.New("expected operand #3 of same type as result type")
	case !canCombine(o.Attr("kind").Text, result.Elem):
		return errors.New("unsupported outerproduct type")
	}
	return nil
}

func verifyOuterVectors(left, right, result *mlir.Type) error {
	switch {
	case len(right.Shape) != 1:
		return errors.New("expected 1-d vector for operand #2")
	case len(result.Shape) != 2:
		return errors.New("expected 2-d vector result")
	case left.Shape[0] != result.Shape[0]:
		return errors.New("expected #1 operand dim to match result dim #1")
	case right.Shape[0] != result.Shape[1]:
		return errors.New("expected #2 operand dim to match result dim #2")
	case left.IsScalable() && !right.IsScalable():
		return errors.New("expected either both or only #2 operand dim to be scalable")
	}
	return nil
}

// A contraction is vector.contract with the numbers that its rules relate.
type contraction struct {
	lhs, rhs, acc, result *mlir.Type
	maps                  []*mlir.AffineMap
	kinds                 []string // of the iterators
}

func verifyContract(c *mlir.Context, o *mlir.Op) error {
	k := &contraction{lhs: o.Operand(0).Type, rhs: o.Operand(1).Type, acc: o.Operand(2).Type, result: o.Result(0).Type}
	if e := k.lhs.Elem; e.Kind == mlir.IntegerKind && e.Sign != mlir.Signless {
		return errors.New("only supports signless integer types")
	}
	list := o.Attr("indexing_maps").List
	if len(list) != 3 {
		return errors.New("expected an indexing map for each vector operand")
	}
	for _, a := range o.Attr("iterator_types").List {
		k.kinds = append(k.kinds, a.Text)
	}
	for i, a := range list {
		if a.Kind != mlir.AffineMapAttr {
			return errors.New("expected an indexing map for each vector operand")
		}
		if err := k.verifyMap(i, a.Map, o.Operand(i).Type); err != nil {
			return err
		}
		k.maps = append(k.maps, a.Map)
	}
	contracting := k.pairs("reduction")
	switch {
	case len(contracting) == 0:
		return errors.New("expected at least one contracting dimension pair")
	case !k.sameSizes(contracting):
		return errors.New("invalid contracting dimension map")
	case !k.sameSizes(k.pairs("parallel")):
		return errors.New("invalid batch dimension map")
	}
	if err := k.verifyResult(c, contracting); err != nil {
		return err
	}
	if !canCombine(o.Attr("kind").Text, k.result.ElementOrSelf()) {
		return errors.New("unsupported contraction type")
	}
	return nil
}

func (k *contraction) verifyMap(i int, m *mlir.AffineMap, t *mlir.Type) error {
	rank := 0
	if t.Kind == mlir.VectorKind {
		rank = len(t.Shape)
	}
	switch {
	case m.Symbols != 0:
		return fmt.Errorf("expected indexing map %d to have no symbols", i)
	case m.Dims != len(k.kinds):
		return fmt.Errorf("expected indexing map %d to have %d number of inputs", i, len(k.kinds))
	case len(m.Results) != rank:
		return fmt.Errorf("expected indexing map %d to have %d number of outputs", i, rank)
	case !isProjectedPermutation(m):
		return fmt.Errorf("expected indexing map %d to be a projected permutation of its inputs", i)
	}
	return nil
}

// isProjectedPermutation reports whether the results of a map are different dimensions.
func isProjectedPermutation(m *mlir.AffineMap) bool {
	seen := make([]bool, m.Dims)
	for _, e := range m.Results {
		if e.Kind != mlir.DimExpr || seen[e.Value] {
			return false
		}
		seen[e.Value] = true
	}
	return true
}

// place returns the position of a dimension among the results of a map, or -1.
func place(m *mlir.AffineMap, dim int) int {
	return slices.IndexFunc(m.Results, func(e *mlir.Expr) bool { return e.Kind == mlir.DimExpr && e.Value == int64(dim) })
}

// pairs returns the dimensions of the factors that iterators of a kind relate.
func (k *contraction) pairs(kind string) (list [][2]int) {
	for i, word := range k.kinds {
		l, r := place(k.maps[0], i), place(k.maps[1], i)
		if word == kind && l >= 0 && r >= 0 {
			list = append(list, [2]int{l, r})
		}
	}
	return list
}

func (k *contraction) sameSizes(pairs [][2]int) bool {
	for _, p := range pairs {
		if k.lhs.Shape[p[0]] != k.rhs.Shape[p[1]] {
			return false
		}
	}
	return true
}

// verifyResult compares the types of accumulator and result with the one that follows from the factors.
func (k *contraction) verifyResult(c *mlir.Context, contracting [][2]int) error {
	isScalar := len(k.lhs.Shape) == len(contracting) && len(k.rhs.Shape) == len(contracting)
	hasVector := k.result.Kind == mlir.VectorKind && k.acc.Kind == mlir.VectorKind
	if isScalar {
		if k.result.Kind == mlir.VectorKind || k.acc.Kind == mlir.VectorKind {
			return errors.New("invalid accumulator/result vector shape")
		}
		return nil
	}
	if !hasVector {
		return errors.New("invalid accumulator/result vector shape")
	}
	sizes := make([]int64, len(k.kinds))
	for i := range sizes {
		switch l, r := place(k.maps[0], i), place(k.maps[1], i); {
		case r >= 0:
			sizes[i] = k.rhs.Shape[r]
		case l >= 0:
			sizes[i] = k.lhs.Shape[l]
		default:
			return errors.New("expected all dimensions to be either a LHS or a RHS dimension")
		}
	}
	var shape []int64
	for _, e := range k.maps[2].Results {
		shape = append(shape, sizes[e.Value])
	}
	want := c.VectorType(shape, k.result.Scalable, k.result.Elem)
	if k.result != want || k.acc != want {
		return fmt.Errorf("invalid accumulator/result vector shape, expected: '%s'", want)
	}
	return nil
}

func verifyConstantMask(_ *mlir.Context, o *mlir.Op) error {
	t, sizes := o.Result(0).Type, o.Attr("mask_dim_sizes").Int64s()
	if len(t.Shape) == 0 {
		switch {
		case len(sizes) != 1:
			return mlir.PlainErrorf("array attr must have length 1 for 0-D vectors")
		case sizes[0] != 0 && sizes[0] != 1:
			return mlir.PlainErrorf("mask dim size must be either 0 or 1 for 0-D vectors")
		}
		return nil
	}
	if len(sizes) != len(t.Shape) {
		return errors.New("must specify array attr of size equal vector result rank")
	}
	zeros := 0
	for i, n := range sizes {
		if n < 0 || n > t.Shape[i] {
			return errors.New("array attr of size out of bounds of vector result dimension size")
		}
		if n == 0 {
			zeros++
		}
	}
	if zeros > 0 && zeros < len(sizes) {
		return errors.New("expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim")
	}
	for i, n := range sizes {
		if isScalableAt(t, i) && n != 0 && n != t.Shape[i] {
			return errors.New("only supports 'none set' or 'all set' scalable dimensions")
		}
	}
	return nil
}

func verifyCreateMask(_ *mlir.Context, o *mlir.Op) error {
	switch rank := len(o.Result(0).Type.Shape); {
	case rank == 0 && len(o.Operands) != 1:
		return errors.New("must specify exactly one operand for 0-D create_mask")
	case rank > 0 && len(o.Operands) != rank:
		return errors.New("must specify an operand for each result vector dimension")
	}
	return nil
}
