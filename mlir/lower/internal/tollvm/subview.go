package tollvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// DroppedDims returns which dimensions of its source a memref.subview lacks. It returns nil if the
// result's type fits no choice.
//
// The dimensions that remain have the sizes and strides of the result's type, in order. Where several
// choices fit, the result keeps the last ones. Strides alone do not decide: all dynamic ones look alike.
func DroppedDims(o *mlir.Op) []bool {
	sizes, steps := o.Attr("static_sizes").Int64s(), o.Attr("static_strides").Int64s()
	strides, _, _ := mlir.StridesAndOffset(o.Operand(0).Type)
	to := o.Result(0).Type
	left, _, _ := mlir.StridesAndOffset(to)
	dropped := make([]bool, len(sizes))
	at := len(to.Shape) - 1
	for i := len(sizes) - 1; i >= 0; i-- {
		switch {
		case at >= 0 && sizes[i] == to.Shape[at] && stepped(strides[i], steps[i]) == left[at]:
			at--
		case sizes[i] == 1:
			dropped[i] = true
		default:
			return nil
		}
	}
	if at >= 0 {
		return nil
	}
	return dropped
}

// stepped returns the stride of a subview that takes every step-th element.
func stepped(stride, step int64) int64 {
	if stride == mlir.Dynamic || step == mlir.Dynamic {
		return mlir.Dynamic
	}
	return stride * step
}
