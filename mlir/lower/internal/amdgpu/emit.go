package amdgpu

import "github.com/gfx-toolchain/gfx/mlir"

// An emitter creates operations with one result.
type emitter struct{ *mlir.Builder }

// An attributed emitter creates operations with attributes.
type attributed struct {
	emitter
	attrs []mlir.NamedAttr
}

func (e emitter) with(name string, a *mlir.Attr) attributed {
	return attributed{e, []mlir.NamedAttr{{Name: name, Attr: a}}}
}

func (e attributed) emit(name string, t *mlir.Type, operands ...*mlir.Value) *mlir.Value {
	return e.Create(mlir.OpState{Name: name, Types: []*mlir.Type{t}, Operands: operands, Attrs: e.attrs}).Result(0)
}

func (e emitter) emit(name string, t *mlir.Type, operands ...*mlir.Value) *mlir.Value {
	return attributed{emitter: e}.emit(name, t, operands...)
}

// constant creates arith.constant.
func (e emitter) constant(a *mlir.Attr, t *mlir.Type) *mlir.Value {
	return e.with("value", a).emit("arith.constant", t)
}

// index creates a constant index.
func (e emitter) index(v int64) *mlir.Value {
	return e.constant(e.Context.IndexAttr(v), e.Context.Index())
}

// apply creates affine.apply of an expression of symbols, or returns its constant or only symbol.
func (e emitter) apply(expr *mlir.Expr, symbols ...*mlir.Value) *mlir.Value {
	switch expr.Kind {
	case mlir.ConstantExpr:
		return e.index(expr.Value)
	case mlir.SymbolExpr:
		return symbols[expr.Value]
	}
	return e.maps("affine.apply", symbols, expr)
}

// maps creates an affine operation with a map of symbols.
func (e emitter) maps(name string, symbols []*mlir.Value, results ...*mlir.Expr) *mlir.Value {
	m := &mlir.AffineMap{Symbols: len(symbols), Results: results}
	return e.with("map", e.Context.MapAttr(m)).emit(name, e.Context.Index(), symbols...)
}

// A mixed list has constants, and values where a constant is dynamic.
type mixed struct {
	static  []int64
	dynamic []*mlir.Value
}

// mixedOf returns the list of an operation whose constants and values have these names.
func mixedOf(o *mlir.Op, static, dynamic string) mixed {
	return mixed{o.Attr(static).Int64s(), o.Named(dynamic)}
}

// value returns the value of element i, or nil if it is constant.
func (m mixed) value(i int) *mlir.Value {
	if m.static[i] != mlir.Dynamic {
		return nil
	}
	n := 0
	for _, s := range m.static[:i] {
		if s == mlir.Dynamic {
			n++
		}
	}
	return m.dynamic[n]
}

// A symbolList collects the symbols of an expression.
type symbolList struct{ values []*mlir.Value }

// of returns the expression of a value.
func (s *symbolList) of(v *mlir.Value) *mlir.Expr {
	for i, known := range s.values {
		if known == v {
			return mlir.Symbol(i)
		}
	}
	s.values = append(s.values, v)
	return mlir.Symbol(len(s.values) - 1)
}

// element returns the expression of an element of a list.
func (s *symbolList) element(m mixed, i int) *mlir.Expr {
	if v := m.value(i); v != nil {
		return s.of(v)
	}
	return mlir.Const(m.static[i])
}
