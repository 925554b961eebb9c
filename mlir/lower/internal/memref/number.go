package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/affine"
)

// A number is an index that is known or is a value.
type number struct {
	value *mlir.Value // nil if the number is known
	known int64
}

func constant(n int64) number { return number{known: n} }

// valueNumber returns the number of a value, which is known if arith.constant creates it.
func valueNumber(v *mlir.Value) number {
	if v.Op != nil && v.Op.Name == "arith.constant" {
		return constant(v.Op.Attr("value").Int)
	}
	return number{value: v}
}

// mixedNumbers returns the numbers of a list of integers: those in static, and for each that is
// Dynamic the next value.
func mixedNumbers(values []*mlir.Value, static []int64) []number {
	list := make([]number, len(static))
	for i, n := range static {
		if n != mlir.Dynamic {
			list[i] = constant(n)
			continue
		}
		list[i] = valueNumber(values[0])
		values = values[1:]
	}
	return list
}

// split returns numbers as operations have them: the inverse of mixedNumbers.
func split(list []number) (values []*mlir.Value, static []int64) {
	static = make([]int64, len(list))
	for i, n := range list {
		static[i] = n.known
		if n.value != nil {
			static[i] = mlir.Dynamic
			values = append(values, n.value)
		}
	}
	return values, static
}

// A formula is an affine expression of values.
type formula struct {
	symbols []*mlir.Value
}

// expr returns the expression of a number.
func (f *formula) expr(n number) *mlir.Expr {
	if n.value == nil {
		return mlir.Const(n.known)
	}
	for i, v := range f.symbols {
		if v == n.value {
			return mlir.Symbol(i)
		}
	}
	f.symbols = append(f.symbols, n.value)
	return mlir.Symbol(len(f.symbols) - 1)
}

// number computes an expression by affine.apply, unless it is a constant or one of
// the values.
func (f *formula) number(b *mlir.Builder, x *mlir.Expr) number {
	switch x.Kind {
	case mlir.ConstantExpr:
		return constant(x.Value)
	case mlir.SymbolExpr:
		return number{value: f.symbols[x.Value]}
	}
	used := usedSymbols(x, make([]bool, len(f.symbols)))
	renamed := make([]*mlir.Expr, len(used))
	var operands []*mlir.Value
	for i, u := range used {
		if u {
			renamed[i] = mlir.Symbol(len(operands))
			operands = append(operands, f.symbols[i])
		}
	}
	m := &mlir.AffineMap{Symbols: len(operands), Results: []*mlir.Expr{x.Replace(nil, renamed)}}
	return number{value: affine.NewApply(b, operands, m)}
}

// usedSymbols sets the elements of symbols that an expression has.
func usedSymbols(x *mlir.Expr, used []bool) []bool {
	switch x.Kind {
	case mlir.ConstantExpr:
	case mlir.SymbolExpr:
		used[x.Value] = true
	default:
		usedSymbols(x.LHS, used)
		usedSymbols(x.RHS, used)
	}
	return used
}

// product multiplies numbers.
func product(b *mlir.Builder, list ...number) number {
	f := &formula{}
	x := mlir.Const(1)
	for _, n := range list {
		x = x.Mul(f.expr(n))
	}
	return f.number(b, x)
}

// indexValue returns the value of a number, which may be a new constant.
func (n number) indexValue(b *mlir.Builder) *mlir.Value {
	if n.value != nil {
		return n.value
	}
	a := b.Context.IndexAttr(n.known)
	return b.Create(mlir.OpState{
		Name: "arith.constant", Types: []*mlir.Type{a.Type}, Attrs: []mlir.NamedAttr{{Name: "value", Attr: a}},
	}).Result(0)
}
