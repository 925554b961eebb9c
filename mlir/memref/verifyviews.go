package memref

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// agree reports whether two numbers are the same, or one is only known when the program runs.
func agree(a, b int64) bool { return a == b || a == mlir.Dynamic || b == mlir.Dynamic }

func verifyCast(_ *mlir.Context, o *mlir.Op) error {
	return mlir.VerifyCast(o, canCast(o.Operand(0).Type, o.Result(0).Type))
}

func canCast(a, b *mlir.Type) bool {
	if a.Elem != b.Elem || a.Space != b.Space {
		return false
	}
	if a.Kind != mlir.MemRefKind || b.Kind != mlir.MemRefKind {
		return a.Kind == mlir.MemRefKind || b.Kind == mlir.MemRefKind
	}
	if len(a.Shape) != len(b.Shape) || a.Layout != b.Layout && !stridesAgree(a, b) {
		return false
	}
	return slices.EqualFunc(a.Shape, b.Shape, agree)
}

// stridesAgree compares strides, apart from the ones of dimensions of one element, and offsets.
func stridesAgree(a, b *mlir.Type) bool {
	as, ao, ok := mlir.StridesAndOffset(a)
	bs, bo, ok2 := mlir.StridesAndOffset(b)
	if !ok || !ok2 || len(as) != len(bs) || !agree(ao, bo) {
		return false
	}
	for i := range as {
		if a.Shape[i] != 1 && !agree(as[i], bs[i]) {
			return false
		}
	}
	return true
}

func verifySpaceCast(_ *mlir.Context, o *mlir.Op) error {
	a, b := o.Operand(0).Type, o.Result(0).Type
	ok := a.Kind == b.Kind && a.Elem == b.Elem && a.Layout == b.Layout && slices.Equal(a.Shape, b.Shape)
	return mlir.VerifyCast(o, ok)
}

func verifyMetadata(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(0).Type
	want := []*mlir.Type{c.MemRefType(nil, t.Elem, nil, t.Space), c.Index()}
	for range 2 * len(t.Shape) {
		want = append(want, c.Index())
	}
	return mlir.VerifyInferred(o, want...)
}

// slice is the offsets, sizes and strides of a view, as far as they are constants.
type slice struct{ offsets, sizes, strides []int64 }

func sliceOf(o *mlir.Op) slice {
	return slice{o.Attr("static_offsets").Int64s(), o.Attr("static_sizes").Int64s(), o.Attr("static_strides").Int64s()}
}

// verifySlice checks the numbers of a view of a memref: offsets has as many offsets as the result
// has sizes, or one.
func verifySlice(c *mlir.Context, o *mlir.Op, s slice, offsets, rank int) error {
	if !(len(s.offsets) == 1 && offsets == 1) && len(s.offsets) != len(s.sizes) {
		return mlir.PlainErrorf("expected mixed offsets rank to match mixed sizes rank (%d vs %d) so the rank of the result type is well-formed.",
			len(s.offsets), len(s.sizes))
	}
	if len(s.sizes) != len(s.strides) {
		return mlir.PlainErrorf("expected mixed sizes rank to match mixed strides rank (%d vs %d) so the rank of the result type is well-formed.",
			len(s.sizes), len(s.strides))
	}
	for _, list := range [...]struct {
		name, group string
		values      []int64
		want        int
	}{{"offset", "offsets", s.offsets, offsets}, {"size", "sizes", s.sizes, rank}, {"stride", "strides", s.strides, rank}} {
		if len(list.values) != list.want {
			return mlir.PlainErrorf("expected %d %s values, got %d", list.want, list.name, len(list.values))
		}
		dynamic := 0
		for _, v := range list.values {
			if v == mlir.Dynamic {
				dynamic++
			}
		}
		switch got := o.CountNamed(list.group); {
		case got == dynamic:
		case c.Edition == mlir.Edition19:
			return mlir.PlainErrorf("expected %d dynamic %s values", dynamic, list.name)
		default:
			return mlir.PlainErrorf("expected the number of '%s' to match the number of dynamic entries in 'static_%[1]s' (%d vs %d)", list.group, got, dynamic)
		}
	}
	if err := notNegative("offsets", s.offsets); err != nil {
		return err
	}
	return notNegative("sizes", s.sizes)
}

func notNegative(name string, list []int64) error {
	for _, v := range list {
		if v < 0 && v != mlir.Dynamic {
			return mlir.PlainErrorf("expected %s to be non-negative, but got %d", name, v)
		}
	}
	return nil
}

func verifyReinterpret(c *mlir.Context, o *mlir.Op) error {
	from, to, s := o.Operand(0).Type, o.Result(0).Type, sliceOf(o)
	if err := verifySlice(c, o, s, 1, len(to.Shape)); err != nil {
		return err
	}
	switch {
	case from.Space != to.Space:
		return mlir.PlainErrorf("different memory spaces specified for source type '%s' and result memref type '%s'", from, to)
	case from.Elem != to.Elem:
		return mlir.PlainErrorf("different element types specified for source type '%s' and result memref type '%s'", from, to)
	}
	for i, n := range to.Shape {
		if differs(c, n, s.sizes[i]) {
			return mlir.PlainErrorf("expected result type with size = %s instead of %s in dim = %d", numberText(s.sizes[i]), numberText(n), i)
		}
	}
	strides, offset, ok := mlir.StridesAndOffset(to)
	switch {
	case !ok:
		return mlir.PlainErrorf("expected result type to have strided layout but found '%s'", to)
	case differs(c, offset, s.offsets[0]):
		return mlir.PlainErrorf("expected result type with offset = %s instead of %s", numberText(s.offsets[0]), numberText(offset))
	}
	for i, n := range strides {
		if differs(c, n, s.strides[i]) {
			return mlir.PlainErrorf("expected result type with stride = %s instead of %s in dim = %d", numberText(s.strides[i]), numberText(n), i)
		}
	}
	return nil
}

// differs reports whether a number of a type is another one than the operation's. Edition 19 takes
// each number that is not known for any number.
func differs(c *mlir.Context, inType, inOp int64) bool {
	if c.Edition == mlir.Edition19 {
		return !agree(inType, inOp)
	}
	return inType != mlir.Dynamic && inType != inOp
}

// numberText writes a number, or that it is only known when the program runs.
func numberText(n int64) string {
	if n == mlir.Dynamic {
		return "dynamic"
	}
	return fmt.Sprint(n)
}

func verifyTransposed(c *mlir.Context, o *mlir.Op) error {
	m, from, to := o.Attr("permutation").Map, o.Operand(0).Type, o.Result(0).Type
	if !isPermutation(m) {
		return errors.New("expected a permutation map")
	}
	if m.Dims != len(from.Shape) {
		return errors.New("expected a permutation map of same rank as the input")
	}
	strides, offset, _ := mlir.StridesAndOffset(from)
	var shape, permuted []int64
	for _, e := range m.Results {
		shape = append(shape, from.Shape[e.Value])
		permuted = append(permuted, strides[e.Value])
	}
	want := canonical(c, c.MemRefType(shape, from.Elem, c.StridedLayout(permuted, offset), from.Space))
	if canonical(c, to) != want {
		if want.Layout != nil {
			want = c.MemRefType(want.Shape, want.Elem, c.MapAttr(linearMap(want.Layout)), want.Space)
		}
		return fmt.Errorf("result type '%s' is not equivalent to the canonical transposed input type '%s'", to, want)
	}
	return nil
}

// linearMap returns a strided layout as a map: numbers that are not known are symbols.
func linearMap(layout *mlir.Attr) *mlir.AffineMap {
	m := &mlir.AffineMap{Dims: len(layout.Ints)}
	number := func(n int64) *mlir.Expr {
		if n != mlir.Dynamic {
			return mlir.Const(n)
		}
		m.Symbols++
		return mlir.Symbol(m.Symbols - 1)
	}
	sum := number(layout.Int)
	for i, n := range layout.Ints {
		sum = sum.Add(mlir.Dim(i).Mul(number(n)))
	}
	m.Results = []*mlir.Expr{sum}
	return m
}

func isPermutation(m *mlir.AffineMap) bool {
	seen := make([]bool, m.Dims)
	for _, e := range m.Results {
		if e.Kind != mlir.DimExpr || seen[e.Value] {
			return false
		}
		seen[e.Value] = true
	}
	return len(m.Results) == m.Dims && m.Symbols == 0
}

// canonical returns a memref type with a strided layout, or none where it is the identity.
func canonical(c *mlir.Context, t *mlir.Type) *mlir.Type {
	strides, offset, ok := mlir.StridesAndOffset(t)
	if !ok {
		return t
	}
	if offset == 0 && slices.Equal(strides, mlir.IdentityStrides(t.Shape)) && !slices.Contains(strides, mlir.Dynamic) {
		return c.MemRefType(t.Shape, t.Elem, nil, t.Space)
	}
	return c.MemRefType(t.Shape, t.Elem, c.StridedLayout(strides, offset), t.Space)
}

func verifyView(c *mlir.Context, o *mlir.Op) error {
	from, to := o.Operand(0).Type, o.Result(0).Type
	switch {
	case !mlir.HasIdentityLayout(from):
		return mlir.PlainErrorf("unsupported map for base memref type '%s'", from)
	case !mlir.HasIdentityLayout(to):
		return mlir.PlainErrorf("unsupported map for result memref type '%s'", to)
	case from.Space != to.Space:
		return mlir.PlainErrorf("different memory spaces specified for base memref type '%s' and view memref type '%s'", from, to)
	}
	n := o.CountNamed("sizes")
	if c.Edition == mlir.Edition19 && n != dynamicDims(to) {
		return mlir.PlainErrorf("incorrect number of size operands for type '%s'", to)
	}
	return verifyDynamicSizes(c, to, n)
}

func verifyReshape(_ *mlir.Context, o *mlir.Op) error {
	from, shape, to := o.Operand(0).Type, o.Operand(1).Type, o.Result(0).Type
	isRanked := to.Kind == mlir.MemRefKind
	switch {
	case from.Elem != to.Elem:
		return errors.New("element types of source and destination memref types should be the same")
	case from.Kind == mlir.MemRefKind && !mlir.HasIdentityLayout(from):
		return errors.New("source memref type should have identity affine map")
	case isRanked && !mlir.HasIdentityLayout(to):
		return errors.New("result memref type should have identity affine map")
	case isRanked && shape.Shape[0] == mlir.Dynamic:
		return errors.New("cannot use shape operand with dynamic length to reshape to statically-ranked memref type")
	case isRanked && shape.Shape[0] != int64(len(to.Shape)):
		return errors.New("length of shape operand differs from the result's memref rank")
	}
	return nil
}
