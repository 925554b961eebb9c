package memref

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

func verifySubview(c *mlir.Context, o *mlir.Op) error {
	from, to, s := o.Operand(0).Type, o.Result(0).Type, sliceOf(o)
	if err := verifySlice(c, o, s, len(from.Shape), len(from.Shape)); err != nil {
		return err
	}
	if from.Space != to.Space {
		return mlir.PlainErrorf("different memory spaces specified for base memref type '%s' and subview memref type '%s'", from, to)
	}
	strides, offset, ok := mlir.StridesAndOffset(from)
	if !ok {
		return mlir.PlainErrorf("base type '%s' is not strided", from)
	}
	want := c.MemRefType(s.sizes, from.Elem, s.layout(c, strides, offset), from.Space)
	if err := verifyReduced(c, want, to); err != nil {
		return err
	}
	if c.Edition == mlir.Edition19 {
		return nil
	}
	return s.verifyBounds(from.Shape)
}

// layout returns the layout of a view of a memref with strides and an offset.
func (s *slice) layout(c *mlir.Context, strides []int64, offset int64) *mlir.Attr {
	result := make([]int64, len(strides))
	for i, n := range strides {
		offset = plus(offset, times(s.offsets[i], n))
		result[i] = times(s.strides[i], n)
	}
	return c.StridedLayout(result, offset)
}

// times returns a product, which is Dynamic if a factor is.
func times(a, b int64) int64 {
	if a == mlir.Dynamic || b == mlir.Dynamic {
		return mlir.Dynamic
	}
	return a * b
}

func plus(a, b int64) int64 {
	if a == mlir.Dynamic || b == mlir.Dynamic {
		return mlir.Dynamic
	}
	return a + b
}

// verifyReduced checks that a type is the one wanted, from which dimensions of size 1 may
// be missing.
func verifyReduced(c *mlir.Context, want, to *mlir.Type) error {
	tail := func(what string) error {
		got := " "
		if c.Edition != mlir.Edition19 {
			got = fmt.Sprintf(", but got '%s'", to)
		}
		return mlir.PlainErrorf("expected result type to be '%s' or a rank-reduced version. (mismatch of result %s)%s", want, what, got)
	}
	if len(to.Shape) > len(want.Shape) {
		if c.Edition == mlir.Edition19 {
			return mlir.PlainErrorf("expected result rank to be smaller or equal to the source rank. ")
		}
		return mlir.PlainErrorf("expected result rank to be smaller or equal to the source rank, but got '%s'", to)
	}
	if _, ok := keptDims(want.Shape, to.Shape); !ok {
		return tail("sizes")
	}
	if want.Elem != to.Elem {
		got := ""
		if c.Edition != mlir.Edition19 {
			got = fmt.Sprintf(", but got '%s'", to)
		}
		return mlir.PlainErrorf("expected result element type to be '%s'%s", want.Elem, got)
	}
	if !layoutAgrees(want, to) {
		return tail("layout")
	}
	return nil
}

// keptDims finds which dimensions of a shape remain where dimensions of size 1 may be missing.
func keptDims(shape, reduced []int64) (kept []int, ok bool) {
	at := 0
	for i, n := range shape {
		switch {
		case at < len(reduced) && n == reduced[at]:
			kept = append(kept, i)
			at++
		case n != 1:
			return nil, false
		}
	}
	return kept, at == len(reduced)
}

// layoutAgrees compares the offset, and the strides of the dimensions that remain. Of dimensions
// of size 1 any may be the ones that are missing.
func layoutAgrees(want, to *mlir.Type) bool {
	ws, wo, ok := mlir.StridesAndOffset(want)
	ts, to2, ok2 := mlir.StridesAndOffset(to)
	if !ok || !ok2 || wo != to2 {
		return false
	}
	return matchStrides(want.Shape, ws, to.Shape, ts)
}

// matchStrides reports whether dimensions of size 1 can be removed so that shapes and strides
// are the same.
func matchStrides(shape, strides, reduced, want []int64) bool {
	if len(shape) == len(reduced) {
		return slices.Equal(strides, want)
	}
	// Match from the front. A dimension of size 1 with the stride of the next one that
	// remains is kept.
	at := 0
	for i, n := range shape {
		left := len(shape) - i
		switch {
		case at < len(reduced) && n == reduced[at] && (strides[i] == want[at] || n != 1 || left == len(reduced)-at):
			if strides[i] != want[at] {
				return false
			}
			at++
		case n != 1:
			return false
		}
	}
	return at == len(reduced)
}

// verifyBounds checks that a view with constant numbers is within a shape.
func (s *slice) verifyBounds(shape []int64) error {
	for i, n := range shape {
		offset, size, stride := s.offsets[i], s.sizes[i], s.strides[i]
		if n == mlir.Dynamic || offset == mlir.Dynamic {
			continue
		}
		if offset >= n {
			return mlir.PlainErrorf("offset %d is out-of-bounds: %d >= %d", i, offset, n)
		}
		if size == mlir.Dynamic || stride == mlir.Dynamic {
			continue
		}
		if end := offset + (size-1)*stride; end >= n {
			return mlir.PlainErrorf("slice along dimension %d runs out-of-bounds: %d >= %d", i, end, n)
		}
	}
	return nil
}
