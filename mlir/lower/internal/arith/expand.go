package arith

import (
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
	ops "github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// ExpandOptions select the formats whose conversions are expanded to operations on integers.
type ExpandOptions struct {
	BF16, F4E2M1, F8E8M0 bool
	OnlyFormats          bool // no other operations than conversions of floats are expanded
}

// Expand replaces operations of dialect arith that LLVM does not have by others of the
// dialect: divisions that round up or down, minima and maxima of floats, scaled
// conversions, and conversions of the formats in the options.
func Expand(c *mlir.Context, o *mlir.Op, options ExpandOptions) error {
	e := &expander{Conversion: rewrite.NewConversion(c), options: options}
	rules := map[string]func(*mlir.Op) error{}
	for i := range expansions {
		if options.OnlyFormats && !strings.HasSuffix(expansions[i].op, "extf") && !strings.HasSuffix(expansions[i].op, "truncf") {
			continue
		}
		rules[expansions[i].op] = func(o *mlir.Op) error { return expansions[i].run(e, o) }
	}
	e.Rule = func(name string) func(*mlir.Op) error { return rules[name] }
	e.Illegal = func(name string) bool { return rules[name] != nil }
	return e.ConvertAll(o)
}

type expander struct {
	*rewrite.Conversion
	options ExpandOptions
}

var expansions = [...]struct {
	op  string
	run func(*expander, *mlir.Op) error
}{
	{"arith.ceildivsi", (*expander).ceilDivSigned},
	{"arith.ceildivui", (*expander).ceilDivUnsigned},
	{"arith.floordivsi", (*expander).floorDivSigned},
	{"arith.maximumf", (*expander).extremum},
	{"arith.minimumf", (*expander).extremum},
	{"arith.maxnumf", (*expander).extremum},
	{"arith.minnumf", (*expander).extremum},
	{"arith.extf", (*expander).extend},
	{"arith.truncf", (*expander).truncate},
	{"arith.scaling_extf", (*expander).scaledExtension},
	{"arith.scaling_truncf", (*expander).scaledTruncation},
}

// constant creates an integer constant, or a vector or tensor of a static shape
// whose elements all are v.
func (e *expander) constant(t *mlir.Type, v int64) *mlir.Value {
	c := e.Context
	if !t.IsShaped() {
		return ops.NewConstant(e.Builder, c.IntAttr(t, v))
	}
	return ops.NewConstant(e.Builder, c.DenseElements(t, c.DenseInts(t.Elem, []int64{v}).Raw, true))
}

// float is constant for a float type.
func (e *expander) float(t *mlir.Type, v float64) *mlir.Value {
	return ops.NewConstant(e.Builder, tollvm.FloatAttr(e.Context, t, v))
}

// like returns the type elem, or t with elements of that type if it has a shape.
func (e *expander) like(t, elem *mlir.Type) *mlir.Type {
	switch t.Kind {
	case mlir.VectorKind:
		return e.Context.VectorType(t.Shape, t.Scalable, elem)
	case mlir.TensorKind:
		return e.Context.TensorType(t.Shape, elem, t.Encoding)
	}
	return elem
}

func (e *expander) ints(t *mlir.Type, width int) *mlir.Type {
	return e.like(t, e.Context.Integer(width))
}

// hasConstants reports whether there are constants of an operation's type.
func hasConstants(o *mlir.Op) bool {
	t := o.Result(0).Type
	return !t.IsShaped() || t.Kind != mlir.UnrankedTensorKind && t.HasStaticShape()
}

// roundedDivision computes n / m, corrected by step where the division is not exact and
// the signs of n and m compare by the predicate. The constants have MLIR's places.
func (e *expander) roundedDivision(o *mlir.Op, predicate string, step int64) error {
	if !hasConstants(o) {
		return rewrite.ErrNoMatch
	}
	b, n, m := e.Builder, o.Operand(0), o.Operand(1)
	var zero, by *mlir.Value
	if step > 0 {
		zero = e.constant(n.Type, 0)
		by = e.constant(n.Type, step)
	}
	quotient := ops.NewDivsi(b, n, m)
	product := ops.NewMuli(b, quotient, m)
	inexact := ops.NewCmpi(b, n, product, "ne")
	if step < 0 {
		zero = e.constant(n.Type, 0)
	}
	below := ops.NewCmpi(b, n, zero, "slt")
	divisorBelow := ops.NewCmpi(b, m, zero, "slt")
	signs := ops.NewCmpi(b, below, divisorBelow, predicate)
	corrects := ops.NewAndi(b, inexact, signs)
	if step < 0 {
		by = e.constant(n.Type, step)
	}
	corrected := ops.NewAddi(b, quotient, by)
	e.Replace(o, ops.NewSelect(b, corrects, corrected, quotient))
	return nil
}

func (e *expander) ceilDivSigned(o *mlir.Op) error { return e.roundedDivision(o, "eq", 1) }

func (e *expander) floorDivSigned(o *mlir.Op) error { return e.roundedDivision(o, "ne", -1) }

// ceilDivUnsigned computes n == 0 ? 0 : (n - 1) / m + 1.
func (e *expander) ceilDivUnsigned(o *mlir.Op) error {
	if !hasConstants(o) {
		return rewrite.ErrNoMatch
	}
	b, n, m := e.Builder, o.Operand(0), o.Operand(1)
	zero := e.constant(n.Type, 0)
	isZero := ops.NewCmpi(b, n, zero, "eq")
	one := e.constant(n.Type, 1)
	up := ops.NewAddi(b, ops.NewDivui(b, ops.NewSubi(b, n, one), m), one)
	e.Replace(o, ops.NewSelect(b, isZero, zero, up))
	return nil
}

// extremum chooses between the operands by a comparison: the right one where an operand is NaN,
// which is the right one itself unless the operation prefers numbers.
func (e *expander) extremum(o *mlir.Op) error {
	x, y := o.Operand(0), o.Operand(1)
	predicate, tested := "ult", y
	if strings.HasPrefix(o.Name, "arith.max") {
		predicate = "ugt"
	}
	if strings.HasSuffix(o.Name, "numf") {
		tested = x
	}
	e.Replace(o, e.choose(x, y, predicate, tested))
	return nil
}

// choose returns x where the comparison with y holds, y elsewhere and where tested is NaN.
func (e *expander) choose(x, y *mlir.Value, predicate string, tested *mlir.Value) *mlir.Value {
	v := ops.NewSelect(e.Builder, ops.NewCmpf(e.Builder, x, y, predicate), x, y)
	return ops.NewSelect(e.Builder, ops.NewCmpf(e.Builder, tested, tested, "uno"), y, v)
}

// elems returns the names of the formats of the first operand and the result.
func elems(o *mlir.Op) (from, to string) {
	return o.Operand(0).Type.ElementOrSelf().Float.Name, o.Result(0).Type.ElementOrSelf().Float.Name
}

// keep returns the attributes of an operation with the given names.
func keep(o *mlir.Op, names ...string) (attrs []mlir.NamedAttr) {
	for _, name := range names {
		if a := o.Attr(name); a != nil {
			attrs = append(attrs, mlir.NamedAttr{Name: name, Attr: a})
		}
	}
	return attrs
}

// extend expands arith.extf of a format in the options.
func (e *expander) extend(o *mlir.Op) error {
	from, to := elems(o)
	switch {
	case !hasConstants(o):
		return rewrite.ErrKeep
	case e.options.BF16 && from == "bf16" && to == "f32":
		e.Replace(o, e.extendBF16(o.Operand(0)))
	case e.options.F8E8M0 && from == "f8E8M0FNU":
		e.Replace(o, e.resize(e.extendF8(o.Operand(0)), o.Result(0).Type, keep(o, "fastmath")...))
	case e.options.F4E2M1 && from == "f4E2M1FN":
		e.Replace(o, e.resize(e.extendF4(o.Operand(0)), o.Result(0).Type))
	default:
		return rewrite.ErrKeep
	}
	return nil
}

// resize converts a value to a type whose format has another size or is the same.
func (e *expander) resize(v *mlir.Value, t *mlir.Type, attrs ...mlir.NamedAttr) *mlir.Value {
	to, from := t.ElementOrSelf().Float, v.Type.ElementOrSelf().Float
	switch {
	case to.Bits > from.Bits:
		return ops.NewExtf(e.Builder, t, v, attrs...)
	case to.Bits < from.Bits:
		return ops.NewTruncf(e.Builder, t, v, attrs...)
	}
	return v
}

// extendBF16 puts the bits into the upper half of an f32.
func (e *expander) extendBF16(v *mlir.Value) *mlir.Value {
	b, t := e.Builder, v.Type
	bits := ops.NewBitcast(b, e.ints(t, 16), v)
	wide := ops.NewExtui(b, e.ints(t, 32), bits)
	return ops.NewBitcast(b, e.like(t, e.Context.F32()), ops.NewShli(b, wide, e.constant(wide.Type, 16)))
}

// extendF8 puts the bits into the exponent of an f32; all ones are NaN.
func (e *expander) extendF8(v *mlir.Value) *mlir.Value {
	b, i8, i32 := e.Builder, e.ints(v.Type, 8), e.ints(v.Type, 32)
	bits := ops.NewBitcast(b, i8, v)
	nan := e.constant(i8, -1)
	wideNaN := e.constant(i32, -1)
	shift := e.constant(i32, 23)
	exponent := ops.NewShli(b, ops.NewExtui(b, i32, bits), shift)
	isNaN := ops.NewCmpi(b, bits, nan, "eq")
	return ops.NewBitcast(b, e.like(v.Type, e.Context.F32()), ops.NewSelect(b, isNaN, wideNaN, exponent))
}

// The bits of an f32 that are sums' parts in the extension of f4E2M1FN.
const (
	halfBits = 0x3F000000 // 0.5
	twoBits  = 0x40000000 // 2
	signBit  = -1 << 31
)

// extendF4 puts the lower exponent bit and the significand into their places, and adds
// the rest of the exponent: the exponent of 2 from 2 on, of 0.5 below, and nothing for zero.
func (e *expander) extendF4(v *mlir.Value) *mlir.Value {
	b, i4, i32 := e.Builder, e.ints(v.Type, 4), e.ints(v.Type, 32)
	bits := ops.NewBitcast(b, i4, v)
	zero := e.constant(i4, 0)
	half := e.constant(i4, 1)
	shift := e.constant(i4, 2)
	two := e.constant(i4, 4)
	mask := e.constant(i4, 7)
	magnitude := ops.NewAndi(b, bits, mask)
	place := e.constant(i32, 20)
	shifted := ops.NewShli(b, magnitude, shift)
	isHalf := ops.NewCmpi(b, magnitude, half, "eq")
	low := ops.NewSelect(b, isHalf, zero, shifted)
	low = ops.NewShli(b, ops.NewExtui(b, i32, low), place)
	none := e.constant(i32, 0)
	upper := e.constant(i32, twoBits)
	lower := e.constant(i32, halfBits)
	high := ops.NewSelect(b, ops.NewCmpi(b, magnitude, two, "uge"), upper, lower)
	high = ops.NewSelect(b, ops.NewCmpi(b, magnitude, zero, "eq"), none, high)
	negative := e.constant(i32, signBit)
	smallest := e.constant(i4, -8)
	sign := ops.NewSelect(b, ops.NewCmpi(b, bits, smallest, "uge"), negative, none)
	sum := ops.NewAddi(b, ops.NewAddi(b, low, high), sign)
	return ops.NewBitcast(b, e.like(v.Type, e.Context.F32()), sum)
}

// truncate expands arith.truncf to a format in the options, in the default mode of rounding.
func (e *expander) truncate(o *mlir.Op) error {
	from, to := elems(o)
	var run func(v *mlir.Value, t *mlir.Type) *mlir.Value
	switch {
	case e.options.BF16 && from == "f32" && to == "bf16":
		run = e.truncateBF16
	case e.options.F8E8M0 && to == "f8E8M0FNU":
		run = e.truncateF8
	case e.options.F4E2M1 && to == "f4E2M1FN":
		run = e.truncateF4
	}
	switch {
	case run == nil || !hasConstants(o):
		return rewrite.ErrKeep
	case o.Attr("roundingmode") != nil:
		return rewrite.ErrNoMatch
	}
	e.Replace(o, run(e.toF32(o), o.Result(0).Type))
	return nil
}

// toF32 returns the operand of a truncation in f32.
func (e *expander) toF32(o *mlir.Op) *mlir.Value {
	v := o.Operand(0)
	return e.resize(v, e.like(v.Type, e.Context.F32()), keep(o, "fastmath")...)
}

// truncateBF16 rounds to nearest even; NaN becomes a quiet one.
func (e *expander) truncateBF16(v *mlir.Value, t *mlir.Type) *mlir.Value {
	b, i16, i32 := e.Builder, e.ints(t, 16), e.ints(t, 32)
	isNaN := ops.NewCmpf(b, v, v, "une")
	bias := e.constant(i32, 0x7FFF)
	nan := e.constant(i16, 0x7FC0)
	shift := e.constant(i32, 16)
	one := e.constant(i32, 1)
	bits := ops.NewBitcast(b, i32, v)
	odd := ops.NewAndi(b, ops.NewShrui(b, bits, shift), one)
	rounded := ops.NewAddi(b, bits, ops.NewAddi(b, odd, bias))
	upper := ops.NewTrunci(b, i16, ops.NewShrui(b, rounded, shift))
	return ops.NewBitcast(b, t, ops.NewSelect(b, isNaN, nan, upper))
}

// truncateF8 takes the exponent of an f32.
func (e *expander) truncateF8(v *mlir.Value, t *mlir.Type) *mlir.Value {
	b, i32 := e.Builder, e.ints(t, 32)
	bits := ops.NewBitcast(b, i32, v)
	exponent := ops.NewShrui(b, bits, e.constant(i32, 23))
	return ops.NewBitcast(b, t, ops.NewTrunci(b, e.ints(t, 8), exponent))
}

// maxF4 is the largest f4E2M1FN.
const maxF4 = 6

// truncateF4 clamps to the range of f4E2M1FN, puts sign, exponent and significand together, and
// adds one where the bits cut off are a quarter of the significand or more.
func (e *expander) truncateF4(v *mlir.Value, t *mlir.Type) *mlir.Value {
	b, i4, i8, i32 := e.Builder, e.ints(t, 4), e.ints(t, 8), e.ints(t, 32)
	one := e.constant(i4, 1)
	three := e.constant(i4, 3)
	place := e.constant(i32, 22)
	zero8 := e.constant(i8, 0)
	minusOne8 := e.constant(i8, -1)
	zero32 := e.constant(i32, 0)
	top := e.float(v.Type, maxF4)
	bottom := e.float(v.Type, -maxF4)
	v = e.choose(v, top, "ult", v)
	v = e.choose(v, bottom, "ugt", v)
	bits := ops.NewBitcast(b, i32, v)
	sign := ops.NewTrunci(b, i4, ops.NewShrui(b, bits, e.constant(i32, 31)))
	sign = ops.NewShli(b, sign, three)
	bias := e.constant(i32, 126)
	biased := ops.NewSubi(b, ops.NewShrui(b, bits, e.constant(i32, 23)), bias)
	exponent := ops.NewShli(b, ops.NewTrunci(b, i4, biased), one)
	whole := ops.NewAddi(b, sign, exponent)
	first := ops.NewAndi(b, bits, e.constant(i32, 1<<22))
	whole = ops.NewAddi(b, whole, ops.NewTrunci(b, i4, ops.NewShrui(b, first, place)))
	significand := e.constant(i32, 1<<23-1)
	narrow := ops.NewTrunci(b, i8, biased)
	isSmall := ops.NewCmpi(b, narrow, zero8, "sle")
	isQuarter := ops.NewCmpi(b, narrow, minusOne8, "eq")
	hasFraction := ops.NewCmpi(b, ops.NewAndi(b, bits, significand), zero32, "ugt")
	aboveQuarter := ops.NewAndi(b, isQuarter, hasFraction)
	isHalf := ops.NewCmpi(b, narrow, zero8, "eq")
	minusOne := e.constant(i4, -1)
	zero := e.constant(i4, 0)
	small := ops.NewSelect(b, isSmall, minusOne, whole)
	small = ops.NewSelect(b, aboveQuarter, zero, small)
	whole = ops.NewSelect(b, isHalf, whole, small)
	rest := e.constant(i32, 1<<22-1)
	quarter := e.constant(i32, 1<<21)
	roundsUp := ops.NewCmpi(b, ops.NewAndi(b, bits, rest), quarter, "uge")
	roundsUp = ops.NewOri(b, roundsUp, isSmall)
	whole = ops.NewSelect(b, roundsUp, ops.NewAddi(b, whole, one), whole)
	return ops.NewBitcast(b, t, whole)
}

// scale returns the scale of a scaled conversion in a format, by way of f8E8M0FNU; it is nil if the
// scale has a format of 8 bits or less and is not of that one.
func (e *expander) scale(o *mlir.Op, t *mlir.Type) *mlir.Value {
	v := o.Operand(1)
	f8 := mlir.FloatFormatNamed("f8E8M0FNU")
	switch format := v.Type.ElementOrSelf().Float; {
	case format.Bits >= 16:
		v = ops.NewTruncf(e.Builder, e.like(v.Type, e.Context.FloatType(f8)), v, keep(o, "fastmath")...)
	case format != f8:
		return nil
	}
	return ops.NewExtf(e.Builder, t, v, keep(o, "fastmath")...)
}

// scaledExtension multiplies the extended operand by the scale.
func (e *expander) scaledExtension(o *mlir.Op) error {
	t := o.Result(0).Type
	scale := e.scale(o, t)
	if scale == nil {
		return rewrite.ErrNoMatch
	}
	v := ops.NewExtf(e.Builder, t, o.Operand(0), keep(o, "fastmath")...)
	e.Replace(o, ops.NewMulf(e.Builder, v, scale, keep(o, "fastmath")...))
	return nil
}

// scaledTruncation truncates the operand divided by the scale.
func (e *expander) scaledTruncation(o *mlir.Op) error {
	v := o.Operand(0)
	scale := e.scale(o, v.Type)
	if scale == nil {
		return rewrite.ErrNoMatch
	}
	quotient := ops.NewDivf(e.Builder, v, scale, keep(o, "fastmath")...)
	e.Replace(o, ops.NewTruncf(e.Builder, o.Result(0).Type, quotient, keep(o, "roundingmode", "fastmath")...))
	return nil
}
