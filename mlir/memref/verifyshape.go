package memref

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// groupsOf returns the dimensions that collapse into each dimension.
func groupsOf(o *mlir.Op) (groups [][]int64) {
	for _, a := range o.Attr("reassociation").List {
		groups = append(groups, a.Int64s())
	}
	return groups
}

// verifyGroups checks that groups of dimensions of the expanded shape become the dimensions of the
// collapsed one.
func verifyGroups(collapsed, expanded []int64, groups [][]int64) error {
	if len(collapsed) != len(groups) {
		return fmt.Errorf("invalid number of reassociation groups: found %d, expected %d", len(groups), len(collapsed))
	}
	next := int64(0)
	for i, group := range groups {
		size := int64(1)
		for _, d := range group {
			if d != next {
				return errors.New("reassociation indices must be contiguous")
			}
			if next++; d >= int64(len(expanded)) {
				return fmt.Errorf("reassociation index %d is out of bounds", d)
			}
			size = times(size, expanded[d])
		}
		if (collapsed[i] == mlir.Dynamic) != (size == mlir.Dynamic) {
			return fmt.Errorf("collapsed dim (%d) must be dynamic if and only if reassociation group is dynamic", i)
		}
		if size != collapsed[i] {
			return fmt.Errorf("collapsed dim size (%d) must equal reassociation group size (%d)", collapsed[i], size)
		}
	}
	switch {
	case len(collapsed) == 0 && slices.ContainsFunc(expanded, func(n int64) bool { return n != 1 }):
		return errors.New("rank 0 memrefs can only be extended/collapsed with/from ones")
	case len(collapsed) > 0 && next != int64(len(expanded)):
		return fmt.Errorf("expanded rank (%d) inconsistent with number of reassociation indices (%d)", len(expanded), next)
	}
	return nil
}

func verifyCollapse(c *mlir.Context, o *mlir.Op) error {
	from, to, groups := o.Operand(0).Type, o.Result(0).Type, groupsOf(o)
	if n, m := len(from.Shape), len(to.Shape); n < m {
		return mlir.OpErrorf("has source rank %d and result rank %d. This is not a collapse (%[1]d < %d).", n, m)
	}
	if err := verifyGroups(to.Shape, from.Shape, groups); err != nil {
		return err
	}
	var layout *mlir.Attr
	if !mlir.HasIdentityLayout(from) {
		var ok bool
		if layout, ok = collapsedLayout(c, from, groups); !ok {
			return errors.New("invalid source layout map or collapsing non-contiguous dims")
		}
	}
	if want := c.MemRefType(to.Shape, from.Elem, layout, from.Space); want != to {
		return fmt.Errorf("expected collapsed type to be '%s' but found '%s'", want, to)
	}
	return nil
}

// collapsedLayout returns the layout after groups of dimensions are collapsed. ok is false if a
// group is known to have gaps.
func collapsedLayout(c *mlir.Context, t *mlir.Type, groups [][]int64) (layout *mlir.Attr, ok bool) {
	strides, offset, ok := mlir.StridesAndOffset(t)
	if !ok {
		return nil, false
	}
	var result []int64
	for _, group := range groups {
		ref := group
		for len(ref) > 1 && t.Shape[ref[len(ref)-1]] == 1 {
			ref = ref[:len(ref)-1]
		}
		if len(ref) == 0 {
			result = append(result, 1)
			continue
		}
		at := ref[len(ref)-1]
		if t.Shape[at] != mlir.Dynamic || len(ref) == 1 {
			result = append(result, strides[at])
		} else {
			result = append(result, mlir.Dynamic)
		}
	}
	for i, group := range groups {
		stride := result[i]
		for k := len(group) - 1; k > 0; k-- {
			d := group[k]
			stride = times(stride, t.Shape[d])
			if t.Shape[d-1] != 1 && !agree(stride, strides[d-1]) {
				return nil, false
			}
		}
	}
	return c.StridedLayout(result, offset), true
}

func verifyExpand(c *mlir.Context, o *mlir.Op) error {
	from, to, groups := o.Operand(0).Type, o.Result(0).Type, groupsOf(o)
	if n, m := len(from.Shape), len(to.Shape); n > m {
		return mlir.OpErrorf("has source rank %d and result rank %d. This is not an expansion (%[1]d > %d).", n, m)
	}
	if err := verifyGroups(from.Shape, to.Shape, groups); err != nil {
		return err
	}
	want, ok := expandedType(c, from, to.Shape, groups)
	if !ok {
		return errors.New("invalid source layout map")
	}
	if want != to {
		return fmt.Errorf("expected expanded type to be '%s' but found '%s'", want, to)
	}
	return verifyOutputShape(o, to)
}

// expandedType returns the type of a memref whose dimensions are expanded to groups.
func expandedType(c *mlir.Context, from *mlir.Type, shape []int64, groups [][]int64) (t *mlir.Type, ok bool) {
	if mlir.HasIdentityLayout(from) {
		return c.MemRefType(shape, from.Elem, nil, from.Space), true
	}
	strides, offset, ok := mlir.StridesAndOffset(from)
	if !ok {
		return nil, false
	}
	result := make([]int64, len(shape))
	for i := range result {
		result[i] = 1
	}
	for i, group := range groups {
		stride := strides[i]
		for k := len(group) - 1; k >= 0; k-- {
			result[group[k]] = stride
			stride = times(stride, shape[group[k]])
		}
	}
	return c.MemRefType(shape, from.Elem, c.StridedLayout(result, offset), from.Space), true
}

// verifyOutputShape compares the sizes that an expansion lists with its type.
func verifyOutputShape(o *mlir.Op, t *mlir.Type) error {
	listed := o.Attr("static_output_shape").Int64s()
	if len(listed) != len(t.Shape) {
		return fmt.Errorf("expected number of static shape bounds to be equal to the output rank (%d) but found %d inputs instead", len(t.Shape), len(listed))
	}
	dynamic := 0
	for _, n := range listed {
		if n == mlir.Dynamic {
			dynamic++
		}
	}
	if got := o.CountNamed("output_shape"); got != dynamic {
		return fmt.Errorf("mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has %d dynamic dims while output_shape has %d values", dynamic, got)
	}
	for i, n := range t.Shape {
		if n != mlir.Dynamic && n != listed[i] {
			return fmt.Errorf("invalid output shape provided at pos %d", i)
		}
	}
	return nil
}
