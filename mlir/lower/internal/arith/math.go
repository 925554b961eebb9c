package arith

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// intrinsics are the operations of dialect math that LLVM has as intrinsic functions.
var intrinsics = [...]struct {
	op, to string
	only22 bool // edition 19 does not convert it
}{
	{"absf", "fabs", false}, {"atan2", "atan2", true}, {"ceil", "ceil", false}, {"copysign", "copysign", false},
	{"cos", "cos", false}, {"ctpop", "ctpop", false}, {"exp", "exp", false}, {"exp2", "exp2", false},
	{"floor", "floor", false}, {"fma", "fma", false}, {"fpowi", "powi", false}, {"log", "log", false},
	{"log10", "log10", false}, {"log2", "log2", false}, {"powf", "pow", false}, {"round", "round", false},
	{"roundeven", "roundeven", false}, {"sin", "sin", false}, {"sqrt", "sqrt", false}, {"trunc", "trunc", false},
	{"acos", "acos", true}, {"asin", "asin", true}, {"atan", "atan", true}, {"cosh", "cosh", true}, {"sinh", "sinh", true},
	{"tan", "tan", true}, {"tanh", "tanh", true},
}

// MathToLLVM converts the operations of dialect math that LLVM has as intrinsic functions.
func MathToLLVM(c *mlir.Context) []tollvm.Row {
	rows := []tollvm.Row{
		{Op: "math.absi", Run: withFlag("llvm.intr.abs", "is_int_min_poison")},
		{Op: "math.ctlz", Run: withFlag("llvm.intr.ctlz", "is_zero_poison")},
		{Op: "math.cttz", Run: withFlag("llvm.intr.cttz", "is_zero_poison")},
		{Op: "math.expm1", Run: exponentialMinusOne},
		{Op: "math.log1p", Run: logarithmPlusOne},
		{Op: "math.rsqrt", Run: reciprocalRoot},
		{Op: "math.isnan", Run: isClass(0x003)},
		{Op: "math.isfinite", Run: isClass(0x1F8)},
		{Op: "math.sincos", Run: sineAndCosine},
	}
	for _, i := range intrinsics {
		if !i.only22 || c.Edition != mlir.Edition19 {
			rows = append(rows, tollvm.Row{Op: "math." + i.op, To: "llvm.intr." + i.to, Run: simple})
		}
	}
	return rows
}

// fastMath returns the attribute of fast-math flags of an operation for LLVM operations, if it has any.
func fastMath(c *mlir.Context, o *mlir.Op) []mlir.NamedAttr {
	if a := o.Attr("fastmath"); a != nil {
		return []mlir.NamedAttr{tollvm.Named("fastmathFlags", flags(c, "fastmath", a))}
	}
	return nil
}

// withFlag converts to an intrinsic function with a flag that is false.
func withFlag(to, flag string) func(*tollvm.Lowering, *mlir.Op, string) error {
	return func(l *tollvm.Lowering, o *mlir.Op, _ string) error {
		attr := tollvm.Named(flag, l.Context.Bool(false))
		return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value { return l.Emit(to, t, operands, attr) })
	}
}

func exponentialMinusOne(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	fast := fastMath(l.Context, o)
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		one := l.SplatFloat(t, 1)
		return l.Binary("llvm.fsub", l.Emit("llvm.intr.exp", t, operands, fast...), one, fast...)
	})
}

func logarithmPlusOne(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	fast := fastMath(l.Context, o)
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		sum := l.Binary("llvm.fadd", l.SplatFloat(t, 1), operands[0], fast...)
		return l.Emit("llvm.intr.log", t, tollvm.Values(sum), fast...)
	})
}

func reciprocalRoot(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	fast := fastMath(l.Context, o)
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		one := l.SplatFloat(t, 1)
		return l.Binary("llvm.fdiv", one, l.Emit("llvm.intr.sqrt", t, operands, fast...), fast...)
	})
}

// isClass converts a test of a float's class: bits as in llvm.is.fpclass.
func isClass(bits int64) func(*tollvm.Lowering, *mlir.Op, string) error {
	return func(l *tollvm.Lowering, o *mlir.Op, _ string) error {
		return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
			return l.Emit("llvm.intr.is.fpclass", t, operands, tollvm.Named("bit", l.Context.I32Attr(bits)))
		})
	}
}

func sineAndCosine(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := l.Convert(o.Result(0).Type)
	if t == nil || t.Kind == mlir.DialectKind {
		return rewrite.ErrNoMatch
	}
	pair := l.Emit("llvm.intr.sincos", l.Context.LLVMStruct(t, t), l.Operands(o))
	l.Replace(o, l.Extract(pair, t, 0), l.Extract(pair, t, 1))
	return nil
}

// libraryCalls are the operations that become calls of ROCm's device library: __ocml_NAME_f32.
var libraryCalls = [...]struct {
	op, name string
	// notIn22 are the widths in bits for which edition 22 leaves the operation to the
	// conversion to intrinsic functions: 32, or 1 for all.
	notIn22 int
	only22  bool
}{
	{"math.absf", "fabs", 1, false}, {"math.acos", "acos", 0, false}, {"math.acosh", "acosh", 0, false},
	{"math.asin", "asin", 0, false}, {"math.asinh", "asinh", 0, false}, {"math.atan", "atan", 0, false},
	{"math.atan2", "atan2", 0, false}, {"math.atanh", "atanh", 0, false}, {"math.cbrt", "cbrt", 0, false},
	{"math.ceil", "ceil", 0, false}, {"math.cos", "cos", 0, false}, {"math.cosh", "cosh", 0, false},
	{"math.erf", "erf", 0, false}, {"math.erfc", "erfc", 0, true}, {"math.exp", "exp", 32, false},
	{"math.exp2", "exp2", 0, false}, {"math.expm1", "expm1", 0, false}, {"math.floor", "floor", 0, false},
	{"math.fpowi", "pown", 0, true}, {"math.log", "log", 32, false}, {"math.log10", "log10", 0, false},
	{"math.log1p", "log1p", 0, false}, {"math.log2", "log2", 0, false}, {"math.powf", "pow", 0, false},
	{"math.rsqrt", "rsqrt", 0, false}, {"math.sin", "sin", 0, false}, {"math.sinh", "sinh", 0, false},
	{"math.sqrt", "sqrt", 1, false}, {"math.tan", "tan", 0, false}, {"math.tanh", "tanh", 0, false},
	{"arith.remf", "fmod", 0, false},
}

// MathToROCDL converts the operations for which MLIR calls ROCm's device library.
func MathToROCDL(c *mlir.Context) []tollvm.Row {
	var rows []tollvm.Row
	for _, call := range libraryCalls {
		is19 := c.Edition == mlir.Edition19
		if is19 && call.only22 || !is19 && call.notIn22 == 1 {
			continue
		}
		width := call.notIn22
		if is19 {
			width = 0
		}
		rows = append(rows, tollvm.Row{Op: call.op, To: call.name, Run: func(l *tollvm.Lowering, o *mlir.Op, to string) error {
			elem := o.Result(0).Type.ElementOrSelf()
			if elem.Kind != mlir.FloatKind || elem.Float.Bits == width {
				return rewrite.ErrNoMatch
			}
			return libraryCall(l, o, to)
		}})
	}
	if c.Edition != mlir.Edition19 {
		rows = append(rows, tollvm.Row{Op: "math.clampf", To: "rocdl.fmed3", Run: clamp})
	}
	return rows
}

// hasMedian reports whether the processor has an instruction that selects the middle one of three
// numbers of a format.
func hasMedian(l *tollvm.Lowering, elem *mlir.Type) bool {
	return l.Chipset.Major >= 9 && elem.Kind == mlir.FloatKind && (elem.Float.Name == "f16" || elem.Float.Name == "f32")
}

// clamp converts math.clampf: the middle one of a number and its bounds.
func clamp(l *tollvm.Lowering, o *mlir.Op, to string) error {
	if !hasMedian(l, o.Result(0).Type.ElementOrSelf()) {
		return rewrite.ErrNoMatch
	}
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value { return l.Emit(to, t, operands) })
}

// clampForKernels converts math.clampf in all formats, element by element where code generation has no
// instruction for vectors.
func clampForKernels(l *tollvm.Lowering, o *mlir.Op, to string) error {
	if hasMedian(l, o.Result(0).Type.ElementOrSelf()) {
		return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
			return l.EachElement(operands, t, func(args []*mlir.Value) *mlir.Value { return l.Emit(to, args[0].Type, args) })
		})
	}
	fast := fastMath(l.Context, o)
	return l.Elementwise(o, func(operands []*mlir.Value, _ *mlir.Type) *mlir.Value {
		return l.Binary("llvm.intr.maximum", l.Binary("llvm.intr.minimum", operands[0], operands[2], fast...), operands[1], fast...)
	})
}

// libraryCall replaces an operation by calls for each element. Formats that the library does not
// have are computed in f32.
func libraryCall(l *tollvm.Lowering, o *mlir.Op, name string) error {
	elem := o.Result(0).Type.ElementOrSelf()
	in := elem
	if elem.Float.Bits == 16 && (l.Context.Edition == mlir.Edition19 || elem.Float.Name == "bf16") {
		in = l.Context.F32()
	}
	suffix := map[string]string{"f16": "_f16", "f32": "_f32", "f64": "_f64"}[in.Float.Name]
	if t := o.Result(0).Type; suffix == "" || l.Context.Edition == mlir.Edition19 && t.Kind == mlir.VectorKind && len(t.Shape) != 1 {
		return rewrite.ErrNoMatch
	}
	callee := "__ocml_" + name + suffix
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		return l.EachElement(operands, t, func(args []*mlir.Value) *mlir.Value {
			return roundedCall(l, o, callee, args, in, elem)
		})
	})
}

// roundedCall calls a function that computes in the format in.
func roundedCall(l *tollvm.Lowering, o *mlir.Op, callee string, args []*mlir.Value, in, out *mlir.Type) *mlir.Value {
	converted := make([]*mlir.Value, len(args))
	for i, v := range args {
		converted[i] = v
		if v.Type == out && in != out {
			converted[i] = l.Emit("llvm.fpext", in, tollvm.Values(v))
		}
	}
	v := l.Call(o, callee, in, converted)
	if in != out {
		v = l.Emit("llvm.fptrunc", out, tollvm.Values(v))
	}
	return v
}

// expanded are the intrinsic functions that code generation computes without a library: for
// all formats, or only for formats of at most 32 bits.
var expanded = [...]struct {
	op     string
	only32 bool
}{
	{"math.absf", false}, {"math.ceil", false}, {"math.copysign", false}, {"math.floor", false}, {"math.fma", false},
	{"math.round", false}, {"math.roundeven", false}, {"math.sqrt", false}, {"math.trunc", false}, {"math.rsqrt", false},
	{"math.cos", true}, {"math.exp", true}, {"math.exp2", true}, {"math.expm1", true}, {"math.fpowi", true}, {"math.log", true},
	{"math.log10", true}, {"math.log1p", true}, {"math.log2", true}, {"math.powf", true}, {"math.sin", true},
}

// MathForKernels converts dialect math with calls of the device library only where code
// generation does not compute a function itself.
func MathForKernels(c *mlir.Context) []tollvm.Row {
	rows := MathToROCDL(c)
	calls := map[string]tollvm.Row{}
	for _, r := range rows {
		calls[r.Op] = r
	}
	for _, r := range MathToLLVM(c) {
		call, hasCall := calls[r.Op]
		only32, known := false, !hasCall
		for _, e := range expanded {
			if e.op == r.Op {
				only32, known = e.only32, true
			}
		}
		if !known {
			continue
		}
		intrinsic := r.Run
		r.Run = func(l *tollvm.Lowering, o *mlir.Op, to string) error {
			if elem := o.Result(0).Type.ElementOrSelf(); only32 && hasCall && elem.BitWidth() > 32 {
				return call.Run(l, o, call.To)
			}
			return intrinsic(l, o, to)
		}
		rows = append(rows, r)
	}
	return append(rows, tollvm.Row{Op: "math.clampf", To: "rocdl.fmed3", Run: clampForKernels},
		tollvm.Row{Op: "math.isinf", Run: isClass(0x204)}, tollvm.Row{Op: "math.isnormal", Run: isClass(0x108)})
}
