package tollvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// Elementwise replaces an operation whose operands and result have one shape by the
// values that make creates for scalars or vectors of one dimension. Vectors of more dimensions, which
// are arrays in LLVM, are taken apart. make gets the converted operands, and the type
// of its result.
func (l *Lowering) Elementwise(o *mlir.Op, make func(operands []*mlir.Value, t *mlir.Type) *mlir.Value) error {
	t := l.Convert(o.Result(0).Type)
	if t == nil || !l.Convertible(o) {
		return rewrite.ErrNoMatch
	}
	l.Replace(o, l.EachRow(l.Operands(o), t, make))
	return nil
}

// Convertible reports whether all operands and results of an operation have types
// in LLVM.
func (l *Lowering) Convertible(o *mlir.Op) bool {
	for _, u := range o.Operands {
		if l.Convert(u.Value.Type) == nil {
			return false
		}
	}
	for _, r := range o.Results {
		if l.Convert(r.Type) == nil {
			return false
		}
	}
	return true
}

// EachRow computes a value of type t, an array if it is a vector of several dimensions, from
// values of that shape. Scalars among them serve all rows.
func (l *Lowering) EachRow(operands []*mlir.Value, t *mlir.Type, make func([]*mlir.Value, *mlir.Type) *mlir.Value) *mlir.Value {
	n, elem, ok := llvm.ArrayParts(t)
	if !ok {
		return make(operands, t)
	}
	whole := l.Poison(t)
	rows := append([]*mlir.Value(nil), operands...)
	for i := range n {
		for k, v := range operands {
			if _, inner, ok := llvm.ArrayParts(v.Type); ok {
				rows[k] = l.Extract(v, inner, i)
			}
		}
		whole = l.Insert(whole, l.EachRow(rows, elem, make), i)
	}
	return whole
}

// EachElement computes a scalar or vector of type t from the elements of scalars or
// vectors.
func (l *Lowering) EachElement(operands []*mlir.Value, t *mlir.Type, make func([]*mlir.Value) *mlir.Value) *mlir.Value {
	if t.Kind != mlir.VectorKind {
		return make(operands)
	}
	whole := l.Poison(t)
	for i := range t.Shape[0] {
		at := l.Int(l.Index(), i)
		elems := append([]*mlir.Value(nil), operands...)
		for k, v := range operands {
			if v.Type.Kind == mlir.VectorKind {
				elems[k] = l.Emit("llvm.extractelement", v.Type.Elem, Values(v, at))
			}
		}
		whole = l.Emit("llvm.insertelement", t, Values(whole, make(elems), at))
	}
	return whole
}

// Call creates a call of a function, which it declares in the symbol table around o
// unless it is there. result is nil for a function without result; then the
// value is nil.
func (l *Lowering) Call(o *mlir.Op, callee string, result *mlir.Type, args []*mlir.Value) *mlir.Value {
	l.declare(o, callee, result, args)
	attrs := []mlir.NamedAttr{Named("callee", l.Context.SymbolRef(callee))}
	if l.Context.Edition != mlir.Edition19 {
		attrs = append(attrs, Named("operandSegmentSizes", l.Context.DenseI32Array(int64(len(args)), 0)),
			Named("op_bundle_sizes", l.Context.DenseI32Array()))
	}
	if result == nil {
		l.EmitVoid("llvm.call", args, attrs...)
		return nil
	}
	return l.Emit("llvm.call", result, args, attrs...)
}

// declare adds the declaration of a function to the symbol table around an operation.
func (l *Lowering) declare(o *mlir.Op, name string, result *mlir.Type, args []*mlir.Value) {
	table := SymbolTable(o)
	if table == nil || l.Context.LookupSymbol(o, l.Context.SymbolRef(name)) != nil {
		return
	}
	if result == nil {
		result = l.Context.DialectType("llvm", "void")
	}
	types := make([]*mlir.Type, len(args))
	for i, v := range args {
		types[i] = v.Type
	}
	b := l.Context.AtEnd(table)
	b.MoveToStart(table)
	if last := l.declared[table]; last != nil && last.Next() != nil {
		b.MoveBefore(last.Next())
	}
	l.declared[table] = b.Create(mlir.OpState{
		Name: "llvm.func", Regions: []*mlir.Region{{}},
		Attrs: []mlir.NamedAttr{
			Named("sym_name", l.Context.String(name)),
			Named("function_type", l.Context.TypeAttr(llvm.FunctionType(l.Context, result, types, false))),
		},
	})
}

// SymbolTable returns the block of the innermost symbol table around an operation, or nil.
func SymbolTable(o *mlir.Op) *mlir.Block {
	for p := o.Parent(); p != nil; p = p.Parent() {
		if p.Def != nil && p.Def.Has(mlir.SymbolTable) {
			return p.Body(0)
		}
	}
	return nil
}
