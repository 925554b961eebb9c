package amdgpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// scaling replaces arith.scaling_extf and arith.scaling_truncf. Blocks of elements
// whose scale is broadcast are converted together.
func (f *floatCasts) scaling(o *mlir.Op) {
	c := f.Context
	in, out := o.Operand(0), o.Result(0).Type
	truncates := o.Name == "arith.scaling_truncf"
	if !scalable(in.Type, out, truncates) {
		return
	}
	scale := f.cast(o.Operand(1), c.F32())
	if out.Kind != mlir.VectorKind {
		one := f.emit("vector.broadcast", c.Vector(in.Type, 1), in)
		convert := f.scaledPair
		if truncates {
			convert = f.scaledWord
		}
		o.Replace(f.at(convert(one, scale, out), 0))
		return
	}
	elem := out.Elem
	block := blockShape(in.Type.Shape, o.Operand(1))
	result := f.zeros(elem, out.Shape...)
	for offsets := range tiles(in.Type.Shape, block) {
		n := product64(block)
		part := f.reshaped(f.slice(in, offsets, block), n)
		factor := f.at(scale, offsets...)
		var converted *mlir.Value
		if truncates {
			converted = f.truncBlock(part, factor, elem)
		} else {
			converted = f.extBlock(part, factor, elem)
		}
		result = f.putSlice(f.reshaped(converted, block...), result, offsets...)
	}
	o.Replace(result)
}

// scalable reports whether there are operations that convert these types with a scale.
func scalable(in, out *mlir.Type, truncates bool) bool {
	small, wide := in.ElementOrSelf().String(), out.ElementOrSelf().String()
	if truncates {
		small, wide = wide, small
	}
	return slices.Contains([]string{"f8E4M3FN", "f8E5M2", "f4E2M1FN"}, small) && slices.Contains([]string{"f32", "f16", "bf16"}, wide) &&
		(in.Kind != mlir.VectorKind || len(in.Shape) > 0)
}

func product64(list []int64) int64 {
	n := int64(1)
	for _, v := range list {
		n *= v
	}
	return n
}

// blockShape returns the shape of blocks of elements that have the same scale, which is what
// a broadcast in front of the scales shows.
func blockShape(shape []int64, scale *mlir.Value) []int64 {
	v := scale
	for v.Op != nil {
		if v.Op.Name == "vector.shape_cast" {
			v = v.Op.Operand(0)
			continue
		}
		if v.Op.Name == "vector.broadcast" {
			v = v.Op.Operand(0)
		}
		break
	}
	var scales []int64
	if v.Type.Kind == mlir.VectorKind {
		scales = slices.Clone(v.Type.Shape)
	}
	if len(scales) > len(shape) {
		return ones(len(shape))
	}
	scales = append(scales, ones(len(shape)-len(scales))...)
	block := make([]int64, len(shape))
	for i, n := range shape {
		if scales[i] == 0 || n%scales[i] != 0 {
			return ones(len(shape))
		}
		block[i] = n / scales[i]
	}
	return block
}

// tiles returns the offsets of the blocks of a shape in row-major order.
func tiles(shape, block []int64) func(func([]int64) bool) {
	counts := make([]int64, len(shape))
	for i := range counts {
		counts[i] = shape[i] / block[i]
	}
	return func(yield func([]int64) bool) {
		for n := range product64(counts) {
			at := position(counts, n)
			for i := range at {
				at[i] *= block[i]
			}
			if !yield(at) {
				return
			}
		}
	}
}

// scaledPair creates amdgpu.scaled_ext_packed of the first two elements.
func (f *floatCasts) scaledPair(v, scale *mlir.Value, elem *mlir.Type) *mlir.Value {
	return f.scaledExt(v, scale, elem, 0)
}

func (f *floatCasts) scaledExt(v, scale *mlir.Value, elem *mlir.Type, index int64) *mlir.Value {
	c := f.Context
	return f.with("index", c.I32Attr(index)).emit("amdgpu.scaled_ext_packed", c.Vector(elem, 2), v, scale)
}

// scaledWord creates amdgpu.packed_scaled_trunc to the first elements of a word.
func (f *floatCasts) scaledWord(v, scale *mlir.Value, elem *mlir.Type) *mlir.Value {
	return f.scaledTrunc(v, scale, elem, 0, nil)
}

func (f *floatCasts) scaledTrunc(v, scale *mlir.Value, elem *mlir.Type, index int64, old *mlir.Value) *mlir.Value {
	c := f.Context
	operands := tollvm.Values(v, scale)
	if old != nil {
		operands = append(operands, old)
	}
	return f.with("index", c.I32Attr(index)).emit("amdgpu.packed_scaled_trunc", c.Vector(elem, 32/int64(elem.BitWidth())), operands...)
}

// extBlock extends the elements of a block.
func (f *floatCasts) extBlock(v, scale *mlir.Value, elem *mlir.Type) *mlir.Value {
	n := v.Type.NumElements()
	each := 32 / int64(v.Type.Elem.BitWidth())
	result := f.zeros(elem, n)
	for i := int64(0); i < n; i += each {
		size := min(each, n-i)
		word := f.part(v, i, size)
		for j := int64(0); j < size; j += 2 {
			pair := f.scaledExt(word, scale, elem, j/2)
			result = f.putSlice(f.part(pair, 0, min(2, size-j)), result, i+j)
		}
	}
	return result
}

// truncBlock rounds the elements of a block.
func (f *floatCasts) truncBlock(v, scale *mlir.Value, elem *mlir.Type) *mlir.Value {
	n := v.Type.NumElements()
	each := 32 / int64(elem.BitWidth())
	result := f.zeros(elem, n)
	for i := int64(0); i < n; i += each {
		size := min(each, n-i)
		var word *mlir.Value
		if size > 2 {
			word = f.zeros(elem, each)
		}
		for j := int64(0); j < size; j += 2 {
			word = f.scaledTrunc(f.part(v, i+j, min(2, size-j)), scale, elem, j/2, word)
		}
		result = f.putSlice(f.part(word, 0, size), result, i)
	}
	return result
}
