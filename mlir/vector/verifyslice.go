package vector

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A bounded list of numbers is an attribute that is checked against a shape.
type bounded struct {
	name   string
	values []int64
}

func boundedAttr(o *mlir.Op, name string) bounded { return bounded{name, o.Attr(name).Int64s()} }

// inRange checks that all numbers are at least low and at most high.
func (b bounded) inRange(low, high int64) error {
	for _, v := range b.values {
		if v < low || v > high {
			return fmt.Errorf("expected %s to be confined to [%d, %d)", b.name, low, high+1)
		}
	}
	return nil
}

// inShape checks that the numbers are at least low, and less than the sizes plus more.
func (b bounded) inShape(shape []int64, low, more int64) error {
	for i, v := range b.values {
		if i < len(shape) && (v < low || v >= shape[i]+more) {
			return fmt.Errorf("expected %s dimension %d to be confined to [%d, %d)", b.name, i, low, shape[i]+more)
		}
	}
	return nil
}

// sumInShape checks that the sums with another list are within a shape.
func (b bounded) sumInShape(other bounded, shape []int64) error {
	for i, v := range b.values {
		if i >= len(shape) || i >= len(other.values) {
			break
		}
		if sum := v + other.values[i]; sum < 1 || sum >= shape[i]+1 {
			return fmt.Errorf("expected sum(%s, %s) dimension %d to be confined to [1, %d)", b.name, other.name, i, shape[i]+1)
		}
	}
	return nil
}

// firstError returns the first error.
func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func verifyExtractSlice(c *mlir.Context, o *mlir.Op) error {
	t := o.Operand(0).Type
	offsets, sizes, strides := boundedAttr(o, "offsets"), boundedAttr(o, "sizes"), boundedAttr(o, "strides")
	n := len(offsets.values)
	if len(sizes.values) != n || len(strides.values) != n {
		return errors.New("expected offsets, sizes and strides attributes of same size")
	}
	if n > len(t.Shape) {
		return errors.New("expected offsets attribute of rank no greater than vector rank")
	}
	err := firstError(offsets.inShape(t.Shape, 0, 0), sizes.inShape(t.Shape, 1, 1), strides.inRange(1, 1), offsets.sumInShape(sizes, t.Shape))
	if err != nil {
		return err
	}
	shape := append(append([]int64(nil), sizes.values...), t.Shape[n:]...)
	want := c.VectorType(shape, t.Scalable, t.Elem)
	if o.Result(0).Type != want {
		return fmt.Errorf("expected result type to be '%s'", want)
	}
	for i, size := range sizes.values {
		if isScalableAt(t, i) && size != t.Shape[i] {
			return fmt.Errorf("expected size at idx=%d to match the corresponding base size from the input vector (%d vs %d)", i, size, t.Shape[i])
		}
	}
	return nil
}

func verifyInsertSlice(_ *mlir.Context, o *mlir.Op) error {
	source, dest := o.Operand(0).Type, o.Operand(1).Type
	offsets, strides := boundedAttr(o, "offsets"), boundedAttr(o, "strides")
	lead := len(dest.Shape) - len(source.Shape)
	switch {
	case len(offsets.values) != len(dest.Shape):
		return errors.New("expected offsets of same size as destination vector rank")
	case len(strides.values) != len(source.Shape):
		return errors.New("expected strides of same size as source vector rank")
	case lead < 0:
		return errors.New("expected source rank to be no greater than destination rank")
	}
	whole := bounded{"source vector shape", append(make([]int64, lead), source.Shape...)}
	err := firstError(offsets.inShape(dest.Shape, 0, 0), strides.inRange(1, 1), insertedSum(offsets, whole, dest.Shape))
	if err != nil {
		return err
	}
	for i, size := range source.Shape {
		if isScalableAt(source, i) != isScalableAt(dest, lead+i) {
			return fmt.Errorf("mismatching scalable flags (at source vector idx=%d)", i)
		}
		if isScalableAt(source, i) && size != dest.Shape[lead+i] {
			return fmt.Errorf("expected size at idx=%d to match the corresponding base size from the input vector (%d vs %d)", i, size, dest.Shape[lead+i])
		}
	}
	return nil
}

// insertedSum is sumInShape where sizes of 0 belong to dimensions that the source does not have.
func insertedSum(offsets, whole bounded, shape []int64) error {
	for i, v := range offsets.values {
		if sum := v + whole.values[i]; sum < 0 || sum >= shape[i]+1 {
			return fmt.Errorf("expected sum(offsets, %s) dimension %d to be confined to [1, %d)", whole.name, i, shape[i]+1)
		}
	}
	return nil
}
