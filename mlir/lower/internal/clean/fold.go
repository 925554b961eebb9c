package clean

import (
	"math"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A folder finds a value or a constant that an operation computes. Both are nil if there is none.
type folder func(f *fold) (v *mlir.Value, a *mlir.Attr)

// A fold is an operation with the constants among its operands.
type fold struct {
	c    *mlir.Context
	o    *mlir.Op
	args []*mlir.Attr // nil for an operand that is not constant
}

// constantOf returns the attribute of a constant, or nil.
func constantOf(v *mlir.Value) *mlir.Attr {
	if v.Op == nil || v.Op.Def == nil || !v.Op.Def.Has(mlir.ConstantLike) {
		return nil
	}
	return v.Op.Attr("value")
}

// intWidth returns the width of an integer type in bits, 64 for index, and 0 for other types and wider integers.
func intWidth(t *mlir.Type) uint {
	switch {
	case t.Kind == mlir.IndexKind:
		return 64
	case t.Kind == mlir.IntegerKind && t.Width <= 64 && t.Width > 0:
		return uint(t.Width)
	}
	return 0
}

// number returns the value of an operand that is an integer constant.
func (f *fold) number(i int) (v int64, ok bool) {
	a := f.args[i]
	if a == nil || a.Kind != mlir.IntegerAttr || a.Big != nil || intWidth(a.Type) == 0 {
		return 0, false
	}
	return signExtend(uint64(a.Int), intWidth(a.Type)), true
}

func signExtend(v uint64, width uint) int64 { return int64(v<<(64-width)) >> (64 - width) }

func zeroExtend(v int64, width uint) uint64 { return uint64(v) << (64 - width) >> (64 - width) }

// isNumber reports whether an operand is an integer constant, or a splat of it.
func (f *fold) isNumber(i int, want int64) bool {
	a := f.args[i]
	if a == nil {
		return false
	}
	if a.Kind == mlir.IntegerAttr {
		v, ok := f.number(i)
		return ok && (v == want || want == -1 && zeroExtend(v, intWidth(a.Type)) == math.MaxUint64>>(64-intWidth(a.Type)))
	}
	if a.Kind != mlir.DenseElementsAttr || !a.Splat || intWidth(a.Type.Elem) == 0 {
		return false
	}
	w := intWidth(a.Type.Elem)
	return signExtend(uint64(a.Element(0)), w) == signExtend(uint64(want), w)
}

func (f *fold) resultType() *mlir.Type { return f.o.Result(0).Type }

// integer returns the constant of the result's type.
func (f *fold) integer(v int64) *mlir.Attr {
	t := f.resultType()
	w := intWidth(t)
	if w == 0 {
		return nil
	}
	return f.c.IntAttr(t, signExtend(uint64(v), w))
}

// same reports whether both operands are one value.
func (f *fold) same() bool { return f.o.Operand(0) == f.o.Operand(1) }

// An integerOp computes with integers of a width: signed values, which are truncated to
// the width afterwards. ok is false where the result is not defined.
type integerOp func(x, y int64, width uint) (v int64, ok bool)

// binaryInteger folds an operation whose operands are both constant.
func binaryInteger(op integerOp) folder {
	return func(f *fold) (*mlir.Value, *mlir.Attr) {
		x, ok := f.number(0)
		y, ok2 := f.number(1)
		w := intWidth(f.o.Operand(0).Type)
		if !ok || !ok2 || w == 0 {
			return nil, nil
		}
		v, ok := op(x, y, w)
		if !ok {
			return nil, nil
		}
		return nil, f.integer(v)
	}
}

// An identity is a constant on the right with which an operation returns its
// left operand, or with zero set that constant.
type identity struct {
	constant int64
	absorbs  bool
}

// withIdentities folds an operation by constants on the right, and by equal operands, before another folder.
func withIdentities(next folder, onSame func(f *fold) (*mlir.Value, *mlir.Attr), list ...identity) folder {
	return func(f *fold) (*mlir.Value, *mlir.Attr) {
		for _, id := range list {
			if f.isNumber(1, id.constant) {
				if id.absorbs {
					return f.o.Operand(1), nil
				}
				return f.o.Operand(0), nil
			}
		}
		if onSame != nil && f.same() {
			if v, a := onSame(f); v != nil || a != nil {
				return v, a
			}
		}
		return next(f)
	}
}

// eitherWidth folds an operation of dialect index only where an index of 32 bits
// would have the same value.
func eitherWidth(next folder) folder {
	return func(f *fold) (*mlir.Value, *mlir.Attr) {
		v, a := next(f)
		if a == nil {
			return v, a
		}
		x, _ := f.number(0)
		y, _ := f.number(1)
		for _, n := range [...]int64{x, y, a.Int} {
			if n < 0 || n > math.MaxInt32 {
				return nil, nil
			}
		}
		return v, a
	}
}

func left(f *fold) (*mlir.Value, *mlir.Attr) { return f.o.Operand(0), nil }

func zeroResult(f *fold) (*mlir.Value, *mlir.Attr) { return nil, f.integer(0) }

func total(op func(x, y int64) int64) integerOp {
	return func(x, y int64, _ uint) (int64, bool) { return op(x, y), true }
}

func divides(op func(x, y int64, w uint) int64) integerOp {
	return func(x, y int64, w uint) (int64, bool) {
		if y == 0 || y == -1 && x == signExtend(1<<(w-1), w) {
			return 0, false
		}
		return op(x, y, w), true
	}
}

func dividesUnsigned(op func(x, y uint64) uint64) integerOp {
	return func(x, y int64, w uint) (int64, bool) {
		if y == 0 {
			return 0, false
		}
		return int64(op(zeroExtend(x, w), zeroExtend(y, w))), true
	}
}

func shifts(op func(x int64, by, w uint) int64) integerOp {
	return func(x, y int64, w uint) (int64, bool) {
		by := zeroExtend(y, w)
		if by >= uint64(w) {
			return 0, false
		}
		return op(x, uint(by), w), true
	}
}

func floorDiv(x, y int64, _ uint) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func ceilDiv(x, y int64, _ uint) int64 {
	q := x / y
	if x%y != 0 && (x < 0) == (y < 0) {
		q++
	}
	return q
}

func ceilDivUnsigned(x, y uint64) uint64 {
	q := x / y
	if x%y != 0 {
		q++
	}
	return q
}

func unsignedMax(x, y int64, w uint) (int64, bool) {
	if zeroExtend(x, w) > zeroExtend(y, w) {
		return x, true
	}
	return y, true
}

func unsignedMin(x, y int64, w uint) (int64, bool) {
	if zeroExtend(x, w) < zeroExtend(y, w) {
		return x, true
	}
	return y, true
}

// compares are the predicates of arith.cmpi and index.cmp in their order.
var compares = [...]func(x, y int64, w uint) bool{
	func(x, y int64, _ uint) bool { return x == y },
	func(x, y int64, _ uint) bool { return x != y },
	func(x, y int64, _ uint) bool { return x < y },
	func(x, y int64, _ uint) bool { return x <= y },
	func(x, y int64, _ uint) bool { return x > y },
	func(x, y int64, _ uint) bool { return x >= y },
	func(x, y int64, w uint) bool { return zeroExtend(x, w) < zeroExtend(y, w) },
	func(x, y int64, w uint) bool { return zeroExtend(x, w) <= zeroExtend(y, w) },
	func(x, y int64, w uint) bool { return zeroExtend(x, w) > zeroExtend(y, w) },
	func(x, y int64, w uint) bool { return zeroExtend(x, w) >= zeroExtend(y, w) },
}

func foldCompare(f *fold) (*mlir.Value, *mlir.Attr) {
	p := f.o.Attr("predicate")
	if p == nil || p.Int < 0 || int(p.Int) >= len(compares) || !f.resultType().IsInteger(1) {
		return nil, nil
	}
	test := compares[p.Int]
	if f.same() {
		return nil, f.c.Bool(test(0, 0, 64))
	}
	x, ok := f.number(0)
	y, ok2 := f.number(1)
	if !ok || !ok2 {
		return nil, nil
	}
	return nil, f.c.Bool(test(x, y, intWidth(f.o.Operand(0).Type)))
}

func foldSelect(f *fold) (*mlir.Value, *mlir.Attr) {
	if f.o.Operand(1) == f.o.Operand(2) {
		return f.o.Operand(1), nil
	}
	if v, ok := f.number(0); ok {
		if v != 0 {
			return f.o.Operand(1), nil
		}
		return f.o.Operand(2), nil
	}
	return nil, nil
}

// foldSigned folds extensions with the sign, and truncations.
func foldSigned(f *fold) (*mlir.Value, *mlir.Attr) {
	if v, ok := f.number(0); ok {
		return nil, f.integer(v)
	}
	return nil, nil
}

func foldUnsigned(f *fold) (*mlir.Value, *mlir.Attr) {
	v, ok := f.number(0)
	w := intWidth(f.o.Operand(0).Type)
	if !ok || w == 0 {
		return nil, nil
	}
	return nil, f.integer(int64(zeroExtend(v, w)))
}

// foldIndexCast folds casts between index and integers: back and forth, if the integer is as
// wide as any index.
func foldIndexCast(next folder) folder {
	return func(f *fold) (*mlir.Value, *mlir.Attr) {
		if in := f.o.Operand(0).Op; in != nil && in.Name == f.o.Name && in.Operand(0).Type == f.resultType() && intWidth(f.o.Operand(0).Type) == 64 {
			return in.Operand(0), nil
		}
		return next(f)
	}
}

// real returns the value of an operand that is a constant of type f64, f32, f16 or bf16.
func (f *fold) real(i int) (v float64, ok bool) {
	a := f.args[i]
	if a == nil || a.Kind != mlir.FloatAttr || a.Type.Float == nil || a.Type.Float.Bits > 64 {
		return 0, false
	}
	return a.Type.Float.Float64(a.Bits), true
}

// binaryFloat folds an operation of floats. Rounding to double precision first does not change
// the result for formats of at most half its precision.
func binaryFloat(op func(x, y float64) float64) folder {
	return func(f *fold) (*mlir.Value, *mlir.Attr) {
		x, ok := f.real(0)
		y, ok2 := f.real(1)
		t := f.resultType()
		if !ok || !ok2 || t.Kind != mlir.FloatKind {
			return nil, nil
		}
		v := op(x, y)
		if math.IsNaN(v) {
			return nil, nil // the bits of a NaN are the processor's
		}
		return nil, f.c.FloatAttr(t, v)
	}
}

func foldNegate(f *fold) (*mlir.Value, *mlir.Attr) {
	x, ok := f.real(0)
	if !ok || math.IsNaN(x) {
		return nil, nil
	}
	return nil, f.c.FloatAttr(f.resultType(), -x)
}

// foldApply folds affine.apply: a map that returns an operand, or whose operands
// are constants.
func foldApply(f *fold) (*mlir.Value, *mlir.Attr) {
	m := f.o.Attr("map").Map
	if len(m.Results) != 1 {
		return nil, nil
	}
	e := m.Results[0]
	switch e.Kind {
	case mlir.DimExpr:
		return f.o.Operand(int(e.Value)), nil
	case mlir.SymbolExpr:
		return f.o.Operand(m.Dims + int(e.Value)), nil
	}
	consts := make([]*mlir.Expr, len(f.args))
	for i := range f.args {
		v, ok := f.number(i)
		if !ok {
			return nil, nil
		}
		consts[i] = mlir.Const(v)
	}
	if v := e.Replace(consts[:m.Dims], consts[m.Dims:]); v.Kind == mlir.ConstantExpr {
		return nil, f.c.IndexAttr(v.Value)
	}
	return nil, nil
}

// foldDim folds memref.dim of a size that the type knows.
func foldDim(f *fold) (*mlir.Value, *mlir.Attr) {
	i, ok := f.number(1)
	t := f.o.Operand(0).Type
	if !ok || t.Kind != mlir.MemRefKind || i < 0 || int(i) >= len(t.Shape) || t.Shape[i] == mlir.Dynamic {
		return nil, nil
	}
	return nil, f.c.IndexAttr(t.Shape[i])
}

// foldCast folds a cast of a cast back to the first type, and a cast to the same type.
func foldCast(f *fold) (*mlir.Value, *mlir.Attr) {
	v := f.o.Operand(0)
	if v.Type == f.resultType() {
		return v, nil
	}
	if in := v.Op; in != nil && in.Name == f.o.Name && len(in.Operands) == 1 && in.Operand(0).Type == f.resultType() {
		return in.Operand(0), nil
	}
	return nil, nil
}

// folders returns the functions that fold operations, by name.
func folders() map[string]folder {
	add := total(func(x, y int64) int64 { return x + y })
	sub := total(func(x, y int64) int64 { return x - y })
	mul := total(func(x, y int64) int64 { return x * y })
	and := total(func(x, y int64) int64 { return x & y })
	or := total(func(x, y int64) int64 { return x | y })
	xor := total(func(x, y int64) int64 { return x ^ y })
	maxs := total(func(x, y int64) int64 { return max(x, y) })
	mins := total(func(x, y int64) int64 { return min(x, y) })
	divs := divides(func(x, y int64, _ uint) int64 { return x / y })
	rems := divides(func(x, y int64, _ uint) int64 { return x % y })
	divu := dividesUnsigned(func(x, y uint64) uint64 { return x / y })
	remu := dividesUnsigned(func(x, y uint64) uint64 { return x % y })
	shl := shifts(func(x int64, by, _ uint) int64 { return x << by })
	shrs := shifts(func(x int64, by, _ uint) int64 { return x >> by })
	shru := shifts(func(x int64, by, w uint) int64 { return int64(zeroExtend(x, w) >> by) })
	zero, one, ones := identity{constant: 0}, identity{constant: 1}, identity{constant: -1}
	absorbingZero, absorbingOnes := identity{0, true}, identity{-1, true}
	m := map[string]folder{
		"arith.select":      foldSelect,
		"arith.cmpi":        foldCompare,
		"arith.extsi":       foldSigned,
		"arith.extui":       foldUnsigned,
		"arith.trunci":      foldSigned,
		"arith.addf":        binaryFloat(func(x, y float64) float64 { return x + y }),
		"arith.subf":        binaryFloat(func(x, y float64) float64 { return x - y }),
		"arith.mulf":        binaryFloat(func(x, y float64) float64 { return x * y }),
		"arith.divf":        binaryFloat(func(x, y float64) float64 { return x / y }),
		"arith.negf":        foldNegate,
		"arith.index_cast":  foldIndexCast(foldSigned),
		"arith.ceildivui":   binaryInteger(dividesUnsigned(ceilDivUnsigned)),
		"affine.apply":      foldApply,
		"memref.dim":        foldDim,
		"memref.cast":       foldCast,
		"arith.bitcast":     foldCast,
		"vector.bitcast":    foldCast,
		"vector.shape_cast": foldCast,
	}
	integers := map[string]folder{
		"add":  withIdentities(binaryInteger(add), nil, zero),
		"sub":  withIdentities(binaryInteger(sub), zeroResult, zero),
		"mul":  withIdentities(binaryInteger(mul), nil, one, absorbingZero),
		"divs": withIdentities(binaryInteger(divs), nil, one),
		"divu": withIdentities(binaryInteger(divu), nil, one),
		"rems": binaryInteger(rems), "remu": binaryInteger(remu),
		"floordivs": withIdentities(binaryInteger(divides(floorDiv)), nil, one),
		"ceildivs":  withIdentities(binaryInteger(divides(ceilDiv)), nil, one),
		"maxs":      withIdentities(binaryInteger(maxs), left), "mins": withIdentities(binaryInteger(mins), left),
		"maxu": withIdentities(binaryInteger(unsignedMax), left), "minu": withIdentities(binaryInteger(unsignedMin), left),
		"and":  withIdentities(binaryInteger(and), left, absorbingZero, ones),
		"or":   withIdentities(binaryInteger(or), left, zero, absorbingOnes),
		"xor":  withIdentities(binaryInteger(xor), zeroResult, zero),
		"shl":  withIdentities(binaryInteger(shl), nil, zero),
		"shrs": withIdentities(binaryInteger(shrs), nil, zero), "shru": withIdentities(binaryInteger(shru), nil, zero),
	}
	for name, f := range integers {
		m["arith."+name+"i"] = f
		m["index."+name] = eitherWidth(f)
	}
	return m
}
