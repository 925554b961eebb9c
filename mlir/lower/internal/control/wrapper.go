package control

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// WrapperAttr is the attribute of a function with a wrapper for callers in C, which passes
// memrefs as pointers to descriptors, and a structure of results through its first argument.
const WrapperAttr = "llvm.emit_c_interface"

// wrapperPrefix is what the names of wrappers begin with.
const wrapperPrefix = "_mlir_ciface_"

// RequestWrappers sets the attribute of all functions within o.
func RequestWrappers(c *mlir.Context, o *mlir.Op) {
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == "func.func" {
			p.SetAttr(WrapperAttr, c.Unit())
		}
		return true
	})
}

// A wrapper is a function for callers in C.
type wrapper struct {
	l        *tollvm.Lowering
	ins      []*mlir.Type // of the function that is wrapped
	op       *mlir.Op
	result   *mlir.Type // of the function, or nil
	byMemory bool       // the result is a structure, to which the first argument points
}

// wrap creates the wrapper of a function that is f in the LLVM dialect. The wrapper of a
// declaration is a declaration: then f calls it.
func wrap(l *tollvm.Lowering, o, f *mlir.Op) {
	t := o.Attr("function_type").Type
	w := &wrapper{l: l, ins: t.Ins}
	result, _, _ := llvm.FunctionParts(f.Attr("function_type").Type)
	if len(t.Outs) > 0 {
		w.result = result
		w.byMemory = llvm.StructMembers(result) != nil
	}
	w.create(o)
	if body := f.Regions[0]; len(body.Blocks) == 0 {
		linkage := l.Context.Enum("llvm", "linkage")
		private, _ := linkage.Case("private")
		f.SetAttr("linkage", l.Context.EnumAttr(linkage, private))
		w.callFrom(f, body.AddBlock())
	} else {
		w.callTo(f, w.op.Regions[0].AddBlock())
	}
}

// argTypes returns the types of the wrapper's arguments.
func (w *wrapper) argTypes() (list []*mlir.Type) {
	if w.byMemory {
		list = append(list, w.l.PlainPointer())
	}
	for _, t := range w.ins {
		if tollvm.IsMemRef(t) {
			list = append(list, w.l.PlainPointer())
		} else {
			list = append(list, w.l.Convert(t))
		}
	}
	return list
}

// create creates the function without a body, with the attributes of o.
func (w *wrapper) create(o *mlir.Op) {
	c := w.l.Context
	result := c.DialectType("llvm", "void")
	if w.result != nil && !w.byMemory {
		result = w.result
	}
	attrs := []mlir.NamedAttr{
		tollvm.Named("sym_name", c.String(wrapperPrefix+o.Attr("sym_name").Text)),
		tollvm.Named("function_type", c.TypeAttr(llvm.FunctionType(c, result, w.argTypes(), false))),
	}
	if a := o.Attr("arg_attrs"); a != nil {
		list := a.List
		if w.byMemory {
			list = append([]*mlir.Attr{c.Dict()}, list...)
		}
		attrs = append(attrs, tollvm.Named("arg_attrs", c.Array(list...)))
	}
	if a := o.Attr("res_attrs"); a != nil && w.result != nil && !w.byMemory {
		attrs = append(attrs, tollvm.Named("res_attrs", a))
	}
	for _, a := range keptAttrs(w.l, o) {
		if a.Name != "linkage" {
			attrs = append(attrs, a)
		}
	}
	w.op = w.l.Create(mlir.OpState{Name: "llvm.func", Attrs: attrs, Regions: []*mlir.Region{{}}})
}

// call creates the call of a function.
func (w *wrapper) call(f *mlir.Op, args []*mlir.Value, results ...*mlir.Type) *mlir.Op {
	c := w.l.Context
	attrs := []mlir.NamedAttr{tollvm.Named("callee", c.SymbolRef(f.Attr("sym_name").Text))}
	if c.Edition != mlir.Edition19 {
		attrs = append(attrs, tollvm.Named("operandSegmentSizes", c.DenseI32Array(int64(len(args)), 0)),
			tollvm.Named("op_bundle_sizes", c.DenseI32Array()))
	}
	return w.l.Create(mlir.OpState{Name: "llvm.call", Operands: args, Types: results, Attrs: attrs})
}

// resultTypes returns the result of the function as a list.
func (w *wrapper) resultTypes() []*mlir.Type {
	if w.result == nil {
		return nil
	}
	return []*mlir.Type{w.result}
}

// callTo fills the wrapper's body: it loads the descriptors and calls the function.
func (w *wrapper) callTo(f *mlir.Op, entry *mlir.Block) {
	l := w.l
	for _, t := range w.argTypes() {
		entry.AddArg(t)
	}
	l.MoveToEnd(entry)
	own := entry.Args
	if w.byMemory {
		own = own[1:]
	}
	var args []*mlir.Value
	for i, t := range w.ins {
		v := own[i]
		if tollvm.IsMemRef(t) {
			v = l.Emit("llvm.load", l.Convert(t), tollvm.Values(v))
		}
		args = l.ToArgs(args, t, v)
	}
	results := w.call(f, args, w.resultTypes()...).Results
	if w.byMemory {
		l.EmitVoid("llvm.store", []*mlir.Value{results[0], entry.Args[0]})
		results = nil
	}
	l.EmitVoid("llvm.return", results)
}

// callFrom fills the body of a declared function f: it stores the descriptors on the stack and
// calls the wrapper.
func (w *wrapper) callFrom(f *mlir.Op, entry *mlir.Block) {
	l := w.l
	_, types, _ := llvm.FunctionParts(f.Attr("function_type").Type)
	for _, t := range types {
		entry.AddArg(t)
	}
	l.MoveToEnd(entry)
	var args []*mlir.Value
	if w.byMemory {
		args = append(args, w.onStack(w.result))
	}
	own := entry.Args
	for _, t := range w.ins {
		parts, _ := l.ArgTypes(t)
		v := l.FromArgs(t, own[:len(parts)])
		own = own[len(parts):]
		if tollvm.IsMemRef(t) {
			p := w.onStack(v.Type)
			l.EmitVoid("llvm.store", []*mlir.Value{v, p})
			v = p
		}
		args = append(args, v)
	}
	if w.byMemory {
		w.call(w.op, args)
		l.EmitVoid("llvm.return", tollvm.Values(l.Emit("llvm.load", w.result, args[:1])))
		return
	}
	l.EmitVoid("llvm.return", w.call(w.op, args, w.resultTypes()...).Results)
}

// onStack allocates memory for a value of type t.
func (w *wrapper) onStack(t *mlir.Type) *mlir.Value {
	one := w.l.IndexInt(1)
	return w.l.Emit("llvm.alloca", w.l.PlainPointer(), tollvm.Values(one), tollvm.Named("elem_type", w.l.Context.TypeAttr(t)))
}
