package control

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// Func converts the operations of dialect func.
func Func() []tollvm.Row {
	return []tollvm.Row{
		{Op: "func.func", Run: function},
		{Op: "func.return", To: "llvm.return", Run: returns},
		{Op: "func.call", Run: call},
		{Op: "func.call_indirect", Run: call},
		{Op: "func.constant", Run: functionConstant},
	}
}

// function converts func.func.
func function(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Attr("function_type").Type
	border, ok := l.Border(t.Ins, t.Outs)
	if !ok {
		return rewrite.ErrNoMatch
	}
	variadic := isVariadic(o)
	hasWrapper := o.Attr(WrapperAttr) != nil && !l.BarePointers
	if variadic && hasWrapper {
		return mlir.PlainErrorf("C interface for variadic functions is not supported yet.")
	}
	result, args, _ := llvm.FunctionParts(border.Type)
	attrs := []mlir.NamedAttr{
		tollvm.Named("sym_name", o.Attr("sym_name")),
		tollvm.Named("function_type", l.Context.TypeAttr(llvm.FunctionType(l.Context, result, args, variadic))),
	}
	if a := l.ArgAttrs(o.Attr("arg_attrs"), border); a != nil {
		attrs = append(attrs, tollvm.Named("arg_attrs", a))
	}
	if a := o.Attr("res_attrs"); a != nil && len(t.Outs) == 1 {
		attrs = append(attrs, tollvm.Named("res_attrs", a))
	}
	attrs = append(attrs, keptAttrs(l, o)...)
	body := o.Regions[0]
	f := l.Create(mlir.OpState{Name: "llvm.func", Attrs: attrs, Regions: o.Regions})
	o.Regions = nil
	if len(body.Blocks) > 0 && !l.ConvertEntry(body, border) {
		return rewrite.ErrNoMatch
	}
	if hasWrapper {
		l.MoveBefore(o)
		wrap(l, o, f)
	}
	o.Erase()
	return nil
}

// variadicAttr is the attribute of a function with more arguments than its type has.
const variadicAttr = "func.varargs"

func isVariadic(o *mlir.Op) bool {
	a := o.Attr(variadicAttr)
	return a != nil && a.Int != 0
}

// keptAttrs returns the attributes of a function that llvm.func has, too: the
// visibility, and the attributes that func.func does not define.
func keptAttrs(l *tollvm.Lowering, o *mlir.Op) (attrs []mlir.NamedAttr) {
	for _, a := range o.Attrs {
		switch {
		case a.Name == "llvm.linkage":
			attrs = append(attrs, tollvm.Named("linkage", a.Attr))
		case a.Name == "llvm.readnone":
			attrs = append(attrs, readNone(l.Context))
		case a.Name == variadicAttr:
		case a.Name == "sym_visibility" || o.Def.AttrDef(a.Name) == nil:
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// readNone is the attribute of a function without effects on memory.
func readNone(c *mlir.Context) mlir.NamedAttr {
	e := c.Enum("llvm", "ModRefInfo")
	none, name, kinds := mlir.Param{Kind: mlir.WordParam, Word: e.Spelling(0)}, "memory_effects", 6
	if c.Edition == mlir.Edition19 {
		name, kinds = "memory", 3
	}
	return tollvm.Named(name, c.DialectAttr("llvm", "memory_effects", slices.Repeat([]mlir.Param{none}, kinds)...))
}

// returns converts func.return.
func returns(l *tollvm.Lowering, o *mlir.Op, to string) error { return l.ReturnValues(o, to) }

// call converts func.call and func.call_indirect.
func call(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	var args []*mlir.Value
	for i, u := range o.Operands {
		if _, ok := l.ArgTypes(u.Value.Type); !ok {
			return rewrite.ErrNoMatch
		}
		args = l.ToArgs(args, u.Value.Type, l.Operand(o, i))
	}
	outs := make([]*mlir.Type, len(o.Results))
	for i, r := range o.Results {
		outs[i] = r.Type
	}
	t, ok := l.ResultType(outs)
	if !ok {
		return rewrite.ErrNoMatch
	}
	s := mlir.OpState{Name: "llvm.call", Operands: args, Attrs: callAttrs(l, o, len(args))}
	if len(outs) > 0 {
		s.Types = []*mlir.Type{t}
	}
	result := l.Create(s)
	values := make([]*mlir.Value, len(outs))
	for i, out := range outs {
		v := result.Result(0)
		if len(outs) > 1 {
			v = l.Extract(v, llvm.StructMembers(t)[i], int64(i))
		}
		if tollvm.IsMemRef(out) && l.BarePointers {
			v = l.StaticMemRef(out, v).Value
		}
		values[i] = v
	}
	l.Replace(o, values...)
	return nil
}

// callAttrs returns the attributes of the call that replaces o.
func callAttrs(l *tollvm.Lowering, o *mlir.Op, args int) (attrs []mlir.NamedAttr) {
	for _, a := range o.Attrs {
		if a.Name != "arg_attrs" && a.Name != "res_attrs" && a.Name != "callee" {
			attrs = append(attrs, a)
		}
	}
	if a := o.Attr("callee"); a != nil {
		attrs = append(attrs, tollvm.Named("callee", a))
	}
	if l.Context.Edition == mlir.Edition19 {
		return attrs
	}
	return append(attrs,
		tollvm.Named("operandSegmentSizes", l.Context.DenseI32Array(int64(args), 0)),
		tollvm.Named("op_bundle_sizes", l.Context.DenseI32Array()))
}

// functionConstant converts func.constant.
func functionConstant(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	l.Replace(o, l.Emit("llvm.mlir.addressof", l.Convert(o.Result(0).Type), nil,
		tollvm.Named("global_name", o.Attr("value"))))
	return nil
}
