package control

import (
	"github.com/gfx-toolchain/gfx/mlir"
)

// An expander computes affine expressions with operations of dialect arith.
type expander struct {
	*mlir.Builder
	dims, symbols []*mlir.Value
}

// newExpander returns an expander whose operands are dims dimensions, then symbols.
func newExpander(b *mlir.Builder, dims int, operands []*mlir.Value) *expander {
	return &expander{Builder: b, dims: operands[:dims], symbols: operands[dims:]}
}

func (e *expander) binary(name string, x, y *mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	return e.Create(mlir.OpState{Name: name, Operands: []*mlir.Value{x, y}, Types: []*mlir.Type{x.Type}, Attrs: attrs}).Result(0)
}

// Predicates of arith.cmpi.
const (
	equal        = 0
	signedLess   = 2
	signedLessEq = 3
	signedMoreEq = 5
	unsignedLess = 6
)

func (e *expander) compare(predicate int64, x, y *mlir.Value) *mlir.Value {
	return compare(e.Builder, predicate, x, y)
}

// compare creates arith.cmpi.
func compare(b *mlir.Builder, predicate int64, x, y *mlir.Value) *mlir.Value {
	return b.Create(mlir.OpState{
		Name: "arith.cmpi", Operands: []*mlir.Value{x, y}, Types: []*mlir.Type{b.Context.Integer(1)},
		Attrs: []mlir.NamedAttr{{Name: "predicate", Attr: b.Context.I64Attr(predicate)}},
	}).Result(0)
}

func (e *expander) choose(cond, x, y *mlir.Value) *mlir.Value {
	return e.Create(mlir.OpState{
		Name: "arith.select", Operands: []*mlir.Value{cond, x, y}, Types: []*mlir.Type{x.Type},
	}).Result(0)
}

// nsw is the attribute of arithmetic without signed overflow, which edition 19 does not
// set.
func (e *expander) nsw() []mlir.NamedAttr {
	if e.Context.Edition == mlir.Edition19 {
		return nil
	}
	enum := e.Context.Enum("arith", "overflow")
	flag, _ := enum.Case("nsw")
	return []mlir.NamedAttr{{Name: "overflowFlags", Attr: e.Context.EnumAttr(enum, flag)}}
}

// expand computes an expression.
func (e *expander) expand(x *mlir.Expr) (*mlir.Value, error) {
	switch x.Kind {
	case mlir.ConstantExpr:
		return indexConstant(e.Builder, x.Value), nil
	case mlir.DimExpr:
		return e.dims[x.Value], nil
	case mlir.SymbolExpr:
		return e.symbols[x.Value], nil
	}
	if divides[x.Kind] != "" {
		if err := checkDivisor(x); err != nil {
			return nil, err
		}
	}
	l, err := e.expand(x.LHS)
	if err != nil {
		return nil, err
	}
	r, err := e.expand(x.RHS)
	if err != nil {
		return nil, err
	}
	switch x.Kind {
	case mlir.AddExpr:
		return e.binary("arith.addi", l, r), nil
	case mlir.MulExpr:
		return e.binary("arith.muli", l, r, e.nsw()...), nil
	case mlir.ModExpr:
		return e.modulo(l, r), nil
	case mlir.FloorDivExpr:
		return e.floorDiv(l, r), nil
	default:
		return e.ceilDiv(l, r), nil
	}
}

// divides are the expressions that divide, with the words of their errors.
var divides = [...]string{
	mlir.ModExpr: "modulo", mlir.FloorDivExpr: "division", mlir.CeilDivExpr: "division",
}

// checkDivisor refuses constants that MLIR's formulas for positive divisors do not suit. A divisor that
// is no constant must be positive, too, or the result is undefined.
func checkDivisor(x *mlir.Expr) error {
	if x.RHS.Kind == mlir.ConstantExpr && x.RHS.Value <= 0 {
		return mlir.PlainErrorf("%s by non-positive value is not supported", divides[x.Kind])
	}
	return nil
}

// modulo computes the remainder that is never negative.
func (e *expander) modulo(l, r *mlir.Value) *mlir.Value {
	rem := e.binary("arith.remsi", l, r)
	negative := e.compare(signedLess, rem, indexConstant(e.Builder, 0))
	return e.choose(negative, e.binary("arith.addi", rem, r), rem)
}

// floorDiv computes -1 - (-1 - l) / r for a negative l, l / r otherwise.
func (e *expander) floorDiv(l, r *mlir.Value) *mlir.Value {
	zero := indexConstant(e.Builder, 0)
	minusOne := indexConstant(e.Builder, -1)
	negative := e.compare(signedLess, l, zero)
	dividend := e.choose(negative, e.binary("arith.subi", minusOne, l), l)
	quotient := e.binary("arith.divsi", dividend, r)
	return e.choose(negative, e.binary("arith.subi", minusOne, quotient), quotient)
}

// ceilDiv computes -(-l / r) for an l that is not positive, (l - 1) / r + 1 otherwise.
func (e *expander) ceilDiv(l, r *mlir.Value) *mlir.Value {
	zero := indexConstant(e.Builder, 0)
	one := indexConstant(e.Builder, 1)
	negative := e.compare(signedLessEq, l, zero)
	dividend := e.choose(negative, e.binary("arith.subi", zero, l), e.binary("arith.subi", l, one))
	quotient := e.binary("arith.divsi", dividend, r)
	return e.choose(negative, e.binary("arith.subi", zero, quotient), e.binary("arith.addi", quotient, one))
}

// all computes expressions.
func (e *expander) all(list []*mlir.Expr) ([]*mlir.Value, error) {
	values := make([]*mlir.Value, len(list))
	for i, x := range list {
		v, err := e.expand(x)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// reduce combines the values of expressions, of which there is at least one: by
// arith.minsi or arith.maxsi.
func (e *expander) reduce(name string, list []*mlir.Expr) (*mlir.Value, error) {
	values, err := e.all(list)
	if err != nil {
		return nil, err
	}
	v := values[0]
	for _, w := range values[1:] {
		v = e.binary(name, v, w)
	}
	return v, nil
}
