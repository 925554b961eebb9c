package gpu

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// Printf converts gpu.printf for a runtime: HIP, whose device library collects the
// arguments, or OpenCL, which has a function printf. Other runtimes have no rows.
func Printf(runtime string) []tollvm.Row {
	switch runtime {
	case "HIP":
		return []tollvm.Row{{Op: "gpu.printf", Run: printfHIP}}
	case "OpenCL":
		return []tollvm.Row{{Op: "gpu.printf", Run: printfOpenCL}}
	}
	return nil
}

// genericSpace is LLVM's number of the address space of HIP's format texts; OpenCL's are
// in constant memory.
const genericSpace = 0

// formatText returns the address of a variable with the text of a format, and its size in bytes with
// the zero at its end.
func formatText(l *tollvm.Lowering, o *mlir.Op, space int64) (ptr *mlir.Value, size int64) {
	text := o.Attr("format").Text + "\x00"
	size = int64(len(text))
	array := llvm.ArrayType(l.Context, size, l.Context.Integer(8))
	table := tollvm.SymbolTable(o)
	name := freeName(table, "printfFormat_")
	b := l.Context.AtEnd(table)
	b.MoveToStart(table)
	b.From(o).Create(mlir.OpState{Name: "llvm.mlir.global", Regions: []*mlir.Region{{}}, Attrs: []mlir.NamedAttr{
		tollvm.Named("sym_name", l.Context.String(name)),
		tollvm.Named("global_type", l.Context.TypeAttr(array)),
		tollvm.Named("constant", l.Context.Unit()),
		tollvm.Named("value", l.Context.String(text)),
		tollvm.Named("linkage", linkage(l.Context, "internal")),
		tollvm.Named("addr_space", l.Context.I32Attr(space)),
	}})
	global := l.Emit("llvm.mlir.addressof", llvm.PointerType(l.Context, space), nil,
		tollvm.Named("global_name", l.Context.SymbolRef(name)))
	return l.GEP(global, array, tollvm.MayWrap, []int64{0, 0}), size
}

// freeName returns a prefix with the first number such that no symbol of a
// table has the name.
func freeName(table *mlir.Block, prefix string) string {
	taken := map[string]bool{}
	for p := range table.Ops {
		if a := p.Attr("sym_name"); a != nil {
			taken[a.Text] = true
		}
	}
	for i := 0; ; i++ {
		if name := fmt.Sprint(prefix, i); !taken[name] {
			return name
		}
	}
}

// printfOpenCL calls printf with a format in constant memory.
func printfOpenCL(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Convertible(o) || tollvm.SymbolTable(o) == nil {
		return rewrite.ErrNoMatch
	}
	c := l.Context
	i32 := c.Integer(32)
	t := llvm.FunctionType(c, i32, []*mlir.Type{llvm.PointerType(c, constantSpace)}, true)
	if table := tollvm.SymbolTable(o); c.LookupSymbol(o, c.SymbolRef("printf")) == nil {
		b := c.AtEnd(table)
		b.MoveToStart(table)
		b.From(o).Create(mlir.OpState{Name: "llvm.func", Regions: []*mlir.Region{{}}, Attrs: []mlir.NamedAttr{
			tollvm.Named("sym_name", c.String("printf")), tollvm.Named("function_type", c.TypeAttr(t)),
		}})
	}
	text, _ := formatText(l, o, constantSpace)
	args := append(tollvm.Values(text), l.Operands(o)...)
	attrs := []mlir.NamedAttr{
		tollvm.Named("callee", c.SymbolRef("printf")), tollvm.Named("var_callee_type", c.TypeAttr(t)),
	}
	if c.Edition != mlir.Edition19 {
		attrs = append(attrs, tollvm.Named("operandSegmentSizes", c.DenseI32Array(int64(len(args)), 0)),
			tollvm.Named("op_bundle_sizes", c.DenseI32Array()))
	}
	l.Emit("llvm.call", i32, args, attrs...)
	o.Erase()
	return nil
}

// argsPerCall is the number of values that a call of HIP's device library appends.
const argsPerCall = 7

// printfHIP passes the format and then the arguments, as words of 64 bits, to HIP's
// device library.
func printfHIP(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Convertible(o) || tollvm.SymbolTable(o) == nil {
		return rewrite.ErrNoMatch
	}
	for _, u := range o.Operands {
		if l.Convert(u.Value.Type).BitWidth() > 64 {
			return rewrite.ErrNoMatch
		}
	}
	i64 := l.Context.Integer(64)
	zero := l.Int(i64, 0)
	state := l.Call(o, "__ockl_printf_begin", i64, tollvm.Values(zero))
	text, size := formatText(l, o, genericSpace)
	length := l.Int(i64, size)
	last, more := l.I32(1), l.I32(0)
	isLast := more
	if len(o.Operands) == 0 {
		isLast = last
	}
	state = l.Call(o, "__ockl_printf_append_string_n", i64, tollvm.Values(state, text, length, isLast))
	for first := 0; first < len(o.Operands); first += argsPerCall {
		end := min(first+argsPerCall, len(o.Operands))
		args := tollvm.Values(state, l.I32(int64(end-first)))
		for i := first; i < end; i++ {
			args = append(args, printedWord(l, l.Operand(o, i)))
		}
		for len(args) < 2+argsPerCall {
			args = append(args, zero)
		}
		isLast = more
		if end == len(o.Operands) {
			isLast = last
		}
		state = l.Call(o, "__ockl_printf_append_args", i64, append(args, isLast))
	}
	o.Erase()
	return nil
}

// printedWord returns a number in 64 bits: floats as f64, integers without sign.
func printedWord(l *tollvm.Lowering, v *mlir.Value) *mlir.Value {
	i64 := l.Context.Integer(64)
	if v.Type.Kind == mlir.FloatKind {
		if v.Type.Float != &mlir.Float64 {
			v = l.Emit("llvm.fpext", l.Context.FloatType(&mlir.Float64), tollvm.Values(v))
		}
		return l.Emit("llvm.bitcast", i64, tollvm.Values(v))
	}
	if v.Type.Width < i64.Width {
		return l.Emit("llvm.zext", i64, tollvm.Values(v))
	}
	return v
}
