package vector

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// isScalableAt reports whether a dimension of a vector is scalable.
func isScalableAt(t *mlir.Type, i int) bool { return t.Scalable != nil && t.Scalable[i] }

// countScalable returns the number of scalable dimensions.
func countScalable(t *mlir.Type) (n int) {
	for _, s := range t.Scalable {
		if s {
			n++
		}
	}
	return n
}

// bitsOf returns the size of an element in bits; an index has 64.
func bitsOf(t *mlir.Type) int64 {
	switch t.Kind {
	case mlir.IndexKind:
		return 64
	case mlir.VectorKind:
		return t.NumElements() * bitsOf(t.Elem)
	}
	return int64(t.BitWidth())
}

func last(shape []int64) int64 {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

func verifyBitcast(_ *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	for i := 0; i < len(from.Shape)-1; i++ {
		if from.Shape[i] != to.Shape[i] {
			return fmt.Errorf("dimension size mismatch at: %d", i)
		}
	}
	switch same := last(from.Shape)*bitsOf(from.Elem) == last(to.Shape)*bitsOf(to.Elem); {
	case same:
		return nil
	case len(from.Shape) == 0:
		return errors.New("source/result bitwidth of the 0-D vector element types must be equal")
	}
	return errors.New("source/result bitwidth of the minor 1-D vectors must be equal")
}

// dimText writes the size of a dimension, in brackets if it is scalable.
func dimText(n int64, scalable bool) string {
	if scalable {
		return fmt.Sprintf("[%d]", n)
	}
	return fmt.Sprint(n)
}

func verifyBroadcast(c *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	if from.Kind != mlir.VectorKind {
		if from == to.Elem {
			return nil
		}
		return errors.New("source type is not a vector")
	}
	lead := len(to.Shape) - len(from.Shape)
	if lead < 0 {
		return errors.New("source rank higher than destination rank")
	}
	for i, n := range from.Shape {
		m := to.Shape[lead+i]
		fromScalable, toScalable := isScalableAt(from, i), isScalableAt(to, lead+i)
		mixed := n == 1 && fromScalable && m != 1 || fromScalable != toScalable && (n != 1 || fromScalable)
		if n != 1 && n != m || mixed && c.Edition != mlir.Edition19 {
			return fmt.Errorf("dimension mismatch (%s vs. %s)", dimText(n, fromScalable), dimText(m, toScalable))
		}
	}
	return nil
}

// poisonIndex is edition 22's index of an element that is any value.
const poisonIndex = -1

// verifyPositions checks the constants among the positions of extract and insert.
func verifyPositions(c *mlir.Context, o *mlir.Op, t *mlir.Type, of string) error {
	positions := o.Attr("static_position")
	if positions.NumElements() > len(t.Shape) {
		return fmt.Errorf("expected position attribute of rank no greater than %svector rank", of)
	}
	for i := range positions.NumElements() {
		v := positions.Element(i)
		if v == mlir.Dynamic || v >= 0 && v < t.Shape[i] || c.Edition != mlir.Edition19 && v == poisonIndex {
			continue
		}
		return positionError(c, o, i, of)
	}
	return nil
}

func positionError(c *mlir.Context, o *mlir.Op, i int, of string) error {
	poison := ""
	if c.Edition != mlir.Edition19 && o.Name == "vector.extract" {
		poison = " or poison (-1)"
	}
	vector := "corresponding vector dimension"
	if of != "" {
		vector = "corresponding dest vector dimension"
	}
	return fmt.Errorf("expected position attribute #%d to be a non-negative integer smaller than the %s%s", i+1, vector, poison)
}

// verifyExtract checks the constants among the positions.
func verifyExtract(c *mlir.Context, o *mlir.Op) error {
	t, result := o.Operand(0).Type, o.Result(0).Type
	positions := o.Attr("static_position")
	if c.Edition != mlir.Edition19 {
		if result.Kind == mlir.VectorKind && len(result.Shape) == 0 {
			return mlir.PlainErrorf("expected a scalar instead of a 0-d vector as the result type")
		}
	}
	if markers(positions) != o.CountNamed("dynamic_position") {
		return errors.New("mismatch between dynamic and static positions (kDynamic marker but no corresponding dynamic position) -- this can only happen due to an incorrect fold/rewrite")
	}
	if err := verifyPositions(c, o, t, ""); err != nil {
		return err
	}
	return verifyExtracted(o, trailing(c, t, positions.NumElements()))
}

// verifyExtracted compares the type of an extract's result with the one that follows from the
// position. A vector of one element may be its element.
func verifyExtracted(o *mlir.Op, want *mlir.Type) error {
	got := o.Result(0).Type
	isOne := func(t, elem *mlir.Type) bool {
		return t.Kind == mlir.VectorKind && slices.Equal(t.Shape, []int64{1}) && t.Elem == elem
	}
	if isOne(want, got) || isOne(got, want) {
		return nil
	}
	return mlir.VerifyInferred(o, want)
}

// trailing returns the type of the part of a vector at a position of n numbers.
func trailing(c *mlir.Context, t *mlir.Type, n int) *mlir.Type {
	if n == len(t.Shape) {
		return t.Elem
	}
	return c.VectorType(t.Shape[n:], orNil(scalableDims(t)[n:]), t.Elem)
}

// markers counts the numbers that are dynamic.
func markers(a *mlir.Attr) (n int) {
	for i := range a.NumElements() {
		if a.Element(i) == mlir.Dynamic {
			n++
		}
	}
	return n
}

func verifyInsert(c *mlir.Context, o *mlir.Op) error {
	source, dest := o.Operand(0).Type, o.Operand(1).Type
	n := o.Attr("static_position").NumElements()
	isVector := source.Kind == mlir.VectorKind
	if c.Edition != mlir.Edition19 && isVector && len(source.Shape) == 0 {
		return mlir.PlainErrorf("expected a scalar instead of a 0-d vector as the source operand")
	}
	switch {
	case n > len(dest.Shape):
		return errors.New("expected position attribute of rank no greater than dest vector rank")
	case isVector && len(source.Shape)+n != len(dest.Shape):
		return errors.New("expected position attribute rank + source rank to match dest vector rank")
	case !isVector && n != len(dest.Shape):
		return errors.New("expected position attribute rank to match the dest vector rank")
	}
	return verifyPositions(c, o, dest, "dest ")
}

func verifyShuffle(c *mlir.Context, o *mlir.Op) error {
	v1, v2, result, mask := o.Operand(0).Type, o.Operand(1).Type, o.Result(0).Type, o.Attr("mask").Int64s()
	scalars := len(v1.Shape) == 0 && len(v2.Shape) == 0 && len(result.Shape) == 1
	if !scalars && (len(v1.Shape) != len(result.Shape) || len(v2.Shape) != len(result.Shape)) {
		return errors.New("rank mismatch")
	}
	for i := 1; i < len(v1.Shape); i++ {
		if result.Shape[i] != v1.Shape[i] || v1.Shape[i] != v2.Shape[i] {
			return errors.New("dimension mismatch")
		}
	}
	switch {
	case len(mask) == 0:
		return errors.New("invalid mask length")
	case int64(len(mask)) != result.Shape[0]:
		return errors.New("mask length mismatch")
	}
	size := first(v1) + first(v2)
	for i, m := range mask {
		if m >= 0 && m < size || c.Edition != mlir.Edition19 && m == poisonIndex {
			continue
		}
		return fmt.Errorf("mask index #%d out of range", i+1)
	}
	want, err := shuffleType(c, &mlir.OpState{Operands: []*mlir.Value{o.Operand(0), o.Operand(1)}, Attrs: o.Attrs})
	if err != nil {
		return err
	}
	return mlir.VerifyInferred(o, want...)
}

// first returns the size of a vector's first dimension, 1 if it has none.
func first(t *mlir.Type) int64 {
	if len(t.Shape) == 0 {
		return 1
	}
	return t.Shape[0]
}

func verifyTranspose(_ *mlir.Context, o *mlir.Op) error {
	from, to, perm := o.Operand(0).Type, o.Result(0).Type, o.Attr("permutation").Int64s()
	rank := len(from.Shape)
	if len(to.Shape) != rank {
		return fmt.Errorf("vector result rank mismatch: %d", len(to.Shape))
	}
	if len(perm) != rank {
		return fmt.Errorf("transposition length mismatch: %d", len(perm))
	}
	seen := make([]bool, rank)
	for i, p := range perm {
		switch {
		case p < 0 || p >= int64(rank):
			return fmt.Errorf("transposition index out of range: %d", p)
		case seen[p]:
			return fmt.Errorf("duplicate position index: %d", p)
		case to.Shape[i] != from.Shape[p]:
			return fmt.Errorf("dimension size mismatch at: %d", p)
		}
		seen[p] = true
	}
	return nil
}

func verifyShapeCast(c *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	is19 := c.Edition == mlir.Edition19
	switch n, m := from.NumElements(), to.NumElements(); {
	case from.Elem != to.Elem && is19:
		return errors.New("source/result vectors must have same element type")
	case from.Elem != to.Elem:
		return errors.New("has different source and result element types")
	case n != m && is19:
		return errors.New("source/result number of elements must match")
	case n != m:
		return fmt.Errorf("has different number of elements at source (%d) and result (%d)", n, m)
	case is19 && !isRegrouped(from.Shape, to.Shape):
		return errors.New("invalid shape cast")
	}
	if n, m := countScalable(from), countScalable(to); n != m && !is19 {
		return fmt.Errorf("has different number of scalable dims at source (%d) and result (%d)", n, m)
	}
	return nil
}

// isRegrouped reports whether each size of the shape of lower rank is the product of
// neighbours in the other one. Shapes of one rank always are.
func isRegrouped(a, b []int64) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	isOne := func(n int64) bool { return n != 1 }
	allOnes := func(s []int64) bool { return !slices.ContainsFunc(s, isOne) }
	if len(a) == len(b) || len(a) == 0 && allOnes(b) {
		return true
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		product := int64(1)
		for product < a[i] && j < len(b) {
			product *= b[j]
			j++
		}
		if product != a[i] {
			break
		}
		i++
		if i < len(a) && allOnes(a[i:]) {
			i = len(a)
		}
		if j < len(b) && allOnes(b[j:]) {
			j = len(b)
		}
	}
	return i == len(a) && j == len(b)
}

// verifyElement checks that a position is there for vectors of one dimension, and not for others.
func verifyElement(_ *mlir.Context, o *mlir.Op) error {
	rank, has := len(o.NamedType(vectorOperand(o)).Shape), o.CountNamed("position") > 0
	switch {
	case rank == 0 && has:
		return errors.New("expected position to be empty with 0-D vector")
	case rank == 0:
		return nil
	case rank != 1:
		return errors.New("unexpected >1 vector rank")
	case !has:
		return errors.New("expected position for 1-D vector")
	}
	return nil
}

// vectorOperand returns the name of the vector of extractelement or insertelement.
func vectorOperand(o *mlir.Op) string {
	if o.Name == "vector.insertelement" {
		return "dest"
	}
	return "vector"
}
