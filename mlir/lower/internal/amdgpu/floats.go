package amdgpu

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// FloatOptions select how casts of floats are converted.
type FloatOptions struct {
	Chipset     tollvm.Chipset
	Saturate    bool // finite numbers that are too large for 8-bit floats become the largest ones
	RoundToZero bool // f32 is rounded to f16 towards zero
}

// ConvertFloats converts casts to and from the small floats of a chipset to amdgpu
// operations. Edition 19 converts FNUZ floats whatever the chipset.
func ConvertFloats(c *mlir.Context, top *mlir.Op, options FloatOptions) {
	f := &floatCasts{FloatOptions: options, edition: c.Edition}
	for _, name := range [...]string{"arith.extf", "arith.truncf", "arith.scaling_extf", "arith.scaling_truncf"} {
		f.list = append(f.list, opsNamed(top, name)...)
	}
	for len(f.list) > 0 {
		o := f.list[0]
		f.list = f.list[1:]
		f.emitter = emitter{c.Before(o).From(o)}
		f.convert(o)
	}
}

// floatCasts converts casts. New casts are added to the list of those to convert.
type floatCasts struct {
	emitter
	FloatOptions
	edition mlir.Edition
	list    []*mlir.Op
}

func (f *floatCasts) convert(o *mlir.Op) {
	in, out := o.Operand(0).Type, o.Result(0).Type
	if !isPlain(in) || !isPlain(out) {
		return
	}
	switch o.Name {
	case "arith.extf":
		if f.isSmall(in) {
			o.Replace(f.extended(o.Operand(0), out))
		}
	case "arith.truncf":
		switch {
		case o.Attr("roundingmode") == nil && f.isSmall(out) && (!f.Saturate || in.ElementOrSelf().BitWidth() > 8):
			o.Replace(f.truncated(o.Operand(0), out))
		case f.RoundToZero && f.edition != mlir.Edition19 && out.ElementOrSelf().String() == "f16" && in.ElementOrSelf().String() == "f32":
			o.Replace(f.towardsZero(o.Operand(0), out))
		}
	default:
		if f.Chipset == gfx950 {
			f.scaling(o)
		}
	}
}

// isPlain reports whether a type is a float or a vector of fixed size.
func isPlain(t *mlir.Type) bool {
	return t.Kind == mlir.FloatKind || t.Kind == mlir.VectorKind && !t.IsScalable() && t.Elem.Kind == mlir.FloatKind
}

// isSmall reports whether a type has 8-bit floats that the chipset converts.
func (f *floatCasts) isSmall(t *mlir.Type) bool {
	if f.edition == mlir.Edition19 {
		name := t.ElementOrSelf().String()
		return name == "f8E4M3FNUZ" || name == "f8E5M2FNUZ"
	}
	return smallFloatOn(f.edition, f.Chipset, t) != ""
}

// cast creates arith.extf or arith.truncf if a value is narrower or wider than an
// element type.
func (f *floatCasts) cast(v *mlir.Value, elem *mlir.Type) *mlir.Value {
	t := elem
	if v.Type.Kind == mlir.VectorKind {
		t = f.Context.Vector(elem, v.Type.Shape...)
	}
	from, to := v.Type.ElementOrSelf().BitWidth(), elem.BitWidth()
	name := "arith.extf"
	switch {
	case v.Type == t:
		return v
	case from > to:
		name = "arith.truncf"
	}
	n := f.emit(name, t, v)
	f.list = append(f.list, n.Op)
	return n
}

// zeros creates a vector of zeros.
func (f *floatCasts) zeros(elem *mlir.Type, shape ...int64) *mlir.Value {
	c := f.Context
	t := c.Vector(elem, shape...)
	raw := make([]byte, (elem.BitWidth()+7)/8)
	return f.constant(c.DenseElements(t, raw, true), t)
}

// at creates vector.extract.
func (f *floatCasts) at(v *mlir.Value, position ...int64) *mlir.Value {
	return f.with("static_position", f.Context.DenseI64Array(position...)).emit("vector.extract", v.Type.Elem, v)
}

// put creates vector.insert of an element.
func (f *floatCasts) put(v, into *mlir.Value, position ...int64) *mlir.Value {
	return f.with("static_position", f.Context.DenseI64Array(position...)).emit("vector.insert", into.Type, v, into)
}

// reshaped creates vector.shape_cast unless v has the type.
func (f *floatCasts) reshaped(v *mlir.Value, shape ...int64) *mlir.Value {
	if slices.Equal(v.Type.Shape, shape) {
		return v
	}
	return f.emit("vector.shape_cast", f.Context.Vector(v.Type.Elem, shape...), v)
}

// ones returns n times 1.
func ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// slice creates vector.extract_strided_slice unless it is the whole vector.
func (f *floatCasts) slice(v *mlir.Value, offsets, sizes []int64) *mlir.Value {
	if slices.Equal(v.Type.Shape, sizes) {
		return v
	}
	c := f.Context
	return attributed{f.emitter, []mlir.NamedAttr{{Name: "offsets", Attr: c.I64Array(offsets)}, {Name: "sizes", Attr: c.I64Array(sizes)},
		{Name: "strides", Attr: c.I64Array(ones(len(sizes)))}}}.emit("vector.extract_strided_slice", c.Vector(v.Type.Elem, sizes...), v)
}

// part is slice for one dimension.
func (f *floatCasts) part(v *mlir.Value, from, n int64) *mlir.Value {
	return f.slice(v, []int64{from}, []int64{n})
}

// putSlice creates vector.insert_strided_slice unless v replaces the whole vector.
func (f *floatCasts) putSlice(v, into *mlir.Value, offsets ...int64) *mlir.Value {
	if v.Type == into.Type {
		return v
	}
	c := f.Context
	return attributed{f.emitter, []mlir.NamedAttr{{Name: "offsets", Attr: c.I64Array(offsets)},
		{Name: "strides", Attr: c.I64Array(ones(len(v.Type.Shape)))}}}.emit("vector.insert_strided_slice", into.Type, v, into)
}

// ext creates amdgpu.ext_packed_fp8.
func (f *floatCasts) ext(v *mlir.Value, t *mlir.Type, index int64) *mlir.Value {
	return f.with("index", f.Context.I32Attr(index)).emit("amdgpu.ext_packed_fp8", t, v)
}

// extended returns 8-bit floats in a wider type.
func (f *floatCasts) extended(v *mlir.Value, t *mlir.Type) *mlir.Value {
	elem := t.ElementOrSelf()
	f32 := f.Context.F32()
	if t.Kind != mlir.VectorKind {
		return f.cast(f.ext(v, f32, 0), elem)
	}
	if len(t.Shape) == 0 {
		return f.put(f.cast(f.ext(f.at(v), f32, 0), elem), f.zeros(elem))
	}
	n := t.NumElements()
	result := f.zeros(elem, n)
	v = f.reshaped(v, n)
	for i := int64(0); i < n; i += wordBytes {
		word := f.part(v, i, min(wordBytes, n-i))
		result = f.extendWord(word, result, i)
	}
	return f.reshaped(result, t.Shape...)
}

// wordBytes is the number of 8-bit floats in a word.
const wordBytes = 4

// extendWord puts the extended elements of a word into a vector: pairs in edition 22, one by one
// in edition 19.
func (f *floatCasts) extendWord(word, into *mlir.Value, at int64) *mlir.Value {
	c := f.Context
	elem := into.Type.Elem
	n := word.Type.NumElements()
	for j := int64(0); j < n; {
		if j+1 < n && f.edition != mlir.Edition19 {
			into = f.putSlice(f.cast(f.ext(word, c.Vector(c.F32(), 2), j/2), elem), into, at+j)
			j += 2
			continue
		}
		into = f.put(f.cast(f.ext(word, c.F32(), j), elem), into, at+j)
		j++
	}
	return into
}

// truncated returns floats as 8-bit floats.
func (f *floatCasts) truncated(v *mlir.Value, t *mlir.Type) *mlir.Value {
	elem := t.ElementOrSelf()
	if f.Saturate {
		v = f.clamped(v, elem)
	}
	if t.Kind != mlir.VectorKind {
		return f.at(f.trunc(elem, f.cast(v, f.Context.F32()), nil, 0, nil), 0)
	}
	if len(t.Shape) == 0 {
		scalar := f.at(f.trunc(elem, f.cast(f.at(v), f.Context.F32()), nil, 0, nil), 0)
		return f.put(scalar, f.zeros(elem))
	}
	n := t.NumElements()
	result := f.zeros(elem, n)
	for i := int64(0); i < n; i += wordBytes {
		var word *mlir.Value
		size := min(wordBytes, n-i)
		for j := int64(0); j < size; j += 2 {
			a := f.element(v, i+j)
			var b *mlir.Value
			if j+1 < size {
				b = f.element(v, i+j+1)
			}
			word = f.trunc(elem, a, b, j/2, word)
		}
		result = f.putSlice(f.part(word, 0, size), result, i)
	}
	return f.reshaped(result, t.Shape...)
}

// element returns an element of a vector, counted in row-major order, as f32.
func (f *floatCasts) element(v *mlir.Value, i int64) *mlir.Value {
	return f.cast(f.at(v, position(v.Type.Shape, i)...), f.Context.F32())
}

// position returns the indices of an element that is counted in row-major order.
func position(shape []int64, i int64) []int64 {
	at := make([]int64, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

// trunc creates amdgpu.packed_trunc_2xfp8. b and old may be nil.
func (f *floatCasts) trunc(elem *mlir.Type, a, b *mlir.Value, index int64, old *mlir.Value) *mlir.Value {
	c := f.Context
	operands, sizes := tollvm.Values(a), []int64{1, 0, 0}
	for i, v := range [...]*mlir.Value{b, old} {
		if v != nil {
			operands, sizes[i+1] = append(operands, v), 1
		}
	}
	return attributed{f.emitter, []mlir.NamedAttr{{Name: "wordIndex", Attr: c.I32Attr(index)}, {Name: "operandSegmentSizes", Attr: c.DenseI32Array(sizes...)}}}.
		emit("amdgpu.packed_trunc_2xfp8", c.Vector(elem, wordBytes), operands...)
}

// largest are the largest numbers of 8-bit floats.
var largest = [...]struct {
	name  string
	value float64
}{{"f8E4M3FNUZ", 240}, {"f8E5M2FNUZ", 57344}, {"f8E4M3FN", 448}, {"f8E5M2", 57344}}

// splat creates a constant of a type whose elements are all the same.
func (f *floatCasts) splat(t *mlir.Type, v float64) *mlir.Value {
	c := f.Context
	a := c.FloatAttr(t.ElementOrSelf(), v)
	if t.Kind == mlir.VectorKind {
		raw := make([]byte, 0, 16)
		raw = binary.LittleEndian.AppendUint64(raw, a.Bits[0])
		raw = binary.LittleEndian.AppendUint64(raw, a.Bits[1])
		a = c.DenseElements(t, raw[:(t.Elem.BitWidth()+7)/8], true)
	}
	return f.constant(a, t)
}

// Predicates of arith.cmpf.
const (
	orderedEqual = 1
	unordered    = 14
)

// compare creates arith.cmpf.
func (f *floatCasts) compare(predicate int64, x, y *mlir.Value) *mlir.Value {
	c := f.Context
	t := c.Integer(1)
	if x.Type.Kind == mlir.VectorKind {
		t = c.Vector(t, x.Type.Shape...)
	}
	return f.with("predicate", c.I64Attr(predicate)).emit("arith.cmpf", t, x, y)
}

// clamped returns v with finite numbers limited to the range of 8-bit floats.
func (f *floatCasts) clamped(v *mlir.Value, elem *mlir.Type) *mlir.Value {
	t := v.Type
	most := 0.0
	for _, n := range largest {
		if n.name == elem.String() {
			most = n.value
		}
	}
	inf := f.compare(orderedEqual, v, f.splat(t, math.Inf(1)))
	negative := f.compare(orderedEqual, v, f.splat(t, math.Inf(-1)))
	nan := f.compare(unordered, v, v)
	keep := f.emit("arith.ori", inf.Type, f.emit("arith.ori", inf.Type, inf, negative), nan)
	limited := f.emit("arith.minimumf", t, f.emit("arith.maximumf", t, v, f.splat(t, -most)), f.splat(t, most))
	return f.emit("arith.select", t, keep, v, limited)
}

// towardsZero returns f32 rounded to f16 towards zero.
func (f *floatCasts) towardsZero(v *mlir.Value, t *mlir.Type) *mlir.Value {
	c := f.Context
	f16 := t.ElementOrSelf()
	pair := func(a, b *mlir.Value) *mlir.Value {
		if b == nil {
			b = f.emit("llvm.mlir.poison", c.F32())
		}
		return f.emit("rocdl.cvt.pkrtz", c.Vector(f16, 2), a, b)
	}
	if t.Kind != mlir.VectorKind {
		return f.at(pair(v, nil), 0)
	}
	if len(t.Shape) == 0 {
		return f.put(f.at(pair(f.at(v), nil), 0), f.zeros(f16))
	}
	n := t.NumElements()
	result := f.zeros(f16, n)
	for i := int64(0); i < n; i += 2 {
		var b *mlir.Value
		if i+1 < n {
			b = f.at(v, position(v.Type.Shape, i+1)...)
		}
		two := pair(f.at(v, position(v.Type.Shape, i)...), b)
		result = f.putSlice(f.part(two, 0, min(2, n-i)), result, i)
	}
	return f.reshaped(result, t.Shape...)
}
