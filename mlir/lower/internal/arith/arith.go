// Package arith converts the dialects arith, index and math to the LLVM dialect.
package arith

import (
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// ToLLVM converts the operations of dialect arith.
func ToLLVM() []tollvm.Row {
	return []tollvm.Row{
		{Op: "arith.addf", To: "llvm.fadd", Run: simple},
		{Op: "arith.addi", To: "llvm.add", Run: simple},
		{Op: "arith.addui_extended", Run: addExtended},
		{Op: "arith.andi", To: "llvm.and", Run: simple},
		{Op: "arith.bitcast", To: "llvm.bitcast", Run: simple},
		{Op: "arith.cmpf", To: "llvm.fcmp", Run: simple},
		{Op: "arith.cmpi", To: "llvm.icmp", Run: simple},
		{Op: "arith.constant", Run: constant},
		{Op: "arith.divf", To: "llvm.fdiv", Run: simple},
		{Op: "arith.divsi", To: "llvm.sdiv", Run: simple},
		{Op: "arith.divui", To: "llvm.udiv", Run: simple},
		{Op: "arith.extf", To: "llvm.fpext", Run: floatCast},
		{Op: "arith.extsi", To: "llvm.sext", Run: simple},
		{Op: "arith.extui", To: "llvm.zext", Run: simple},
		{Op: "arith.fptosi", To: "llvm.fptosi", Run: simple},
		{Op: "arith.fptoui", To: "llvm.fptoui", Run: simple},
		{Op: "arith.index_cast", To: "llvm.sext", Run: indexCast},
		{Op: "arith.index_castui", To: "llvm.zext", Run: indexCast},
		{Op: "arith.maximumf", To: "llvm.intr.maximum", Run: simple},
		{Op: "arith.maxnumf", To: "llvm.intr.maxnum", Run: simple},
		{Op: "arith.maxsi", To: "llvm.intr.smax", Run: simple},
		{Op: "arith.maxui", To: "llvm.intr.umax", Run: simple},
		{Op: "arith.minimumf", To: "llvm.intr.minimum", Run: simple},
		{Op: "arith.minnumf", To: "llvm.intr.minnum", Run: simple},
		{Op: "arith.minsi", To: "llvm.intr.smin", Run: simple},
		{Op: "arith.minui", To: "llvm.intr.umin", Run: simple},
		{Op: "arith.mulf", To: "llvm.fmul", Run: simple},
		{Op: "arith.muli", To: "llvm.mul", Run: simple},
		{Op: "arith.mulsi_extended", To: "llvm.sext", Run: multiplyExtended},
		{Op: "arith.mului_extended", To: "llvm.zext", Run: multiplyExtended},
		{Op: "arith.negf", To: "llvm.fneg", Run: simple},
		{Op: "arith.ori", To: "llvm.or", Run: simple},
		{Op: "arith.remf", To: "llvm.frem", Run: simple},
		{Op: "arith.remsi", To: "llvm.srem", Run: simple},
		{Op: "arith.remui", To: "llvm.urem", Run: simple},
		{Op: "arith.select", To: "llvm.select", Run: simple},
		{Op: "arith.shli", To: "llvm.shl", Run: simple},
		{Op: "arith.shrsi", To: "llvm.ashr", Run: simple},
		{Op: "arith.shrui", To: "llvm.lshr", Run: simple},
		{Op: "arith.sitofp", To: "llvm.sitofp", Run: simple},
		{Op: "arith.subf", To: "llvm.fsub", Run: simple},
		{Op: "arith.subi", To: "llvm.sub", Run: simple},
		{Op: "arith.truncf", To: "llvm.fptrunc", Run: floatCast},
		{Op: "arith.trunci", To: "llvm.trunc", Run: simple},
		{Op: "arith.uitofp", To: "llvm.uitofp", Run: simple},
		{Op: "arith.xori", To: "llvm.xor", Run: simple},
	}
}

// simple replaces an operation by another one of the same operands, for each
// row of vectors.
func simple(l *tollvm.Lowering, o *mlir.Op, to string) error {
	attrs := convertAttrs(l.Context, o, to)
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		return l.Emit(to, t, operands, attrs...)
	})
}

// convertAttrs returns the attributes of an operation for the one that replaces it.
func convertAttrs(c *mlir.Context, o *mlir.Op, to string) (attrs []mlir.NamedAttr) {
	def := c.OpDef(to)
	for _, a := range o.Attrs {
		switch a.Name {
		case "fastmath":
			if def.AttrDef("fastmathFlags") != nil {
				attrs = append(attrs, tollvm.Named("fastmathFlags", flags(c, "fastmath", a.Attr)))
			}
		case "overflowFlags":
			f := flags(c, "overflow", a.Attr)
			if d := def.AttrDef(a.Name); d != nil && d.Constraint.Property {
				f = c.I32Attr(f.Int)
			}
			attrs = append(attrs, tollvm.Named(a.Name, f))
		case "roundingmode":
		default:
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// flags returns the flags of an enumeration of arith as the flags of the same words in llvm's.
func flags(c *mlir.Context, enum string, a *mlir.Attr) *mlir.Attr {
	e := c.Enum("llvm", enum)
	var value int64
	for word := range strings.SplitSeq(a.Text, ",") {
		v, _ := e.Case(strings.TrimSpace(word))
		value |= v
	}
	return c.EnumAttr(e, value)
}

// constant converts arith.constant. The value keeps its own type.
func constant(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := l.Convert(o.Result(0).Type)
	if t == nil {
		return rewrite.ErrNoMatch
	}
	l.Replace(o, l.Constant(t, o.Attr("value")))
	return nil
}

// floatCast converts between float types of LLVM.
func floatCast(l *tollvm.Lowering, o *mlir.Op, to string) error {
	for _, t := range []*mlir.Type{o.Operand(0).Type.ElementOrSelf(), o.Result(0).Type.ElementOrSelf()} {
		if !t.Float.LLVM() {
			return rewrite.ErrNoMatch
		}
	}
	mode := o.Attr("roundingmode")
	if mode == nil {
		return simple(l, o, to)
	}
	attrs := append(otherAttrs(o, "roundingmode"), roundingMode(l.Context, mode),
		tollvm.Named("fpExceptionBehavior", l.Context.I64Attr(ignoredExceptions)))
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		return l.Emit(roundedTruncation, t, operands, attrs...)
	})
}

const (
	roundedTruncation = "llvm.intr.experimental.constrained.fptrunc"
	ignoredExceptions = 0 // of llvm.FPExceptionBehavior
	nearestEven       = 0 // of arith.RoundingMode, as fptrunc rounds
	towardZero        = 3 // of arith.RoundingMode
)

// roundings are the modes of llvm.RoundingMode for the modes of arith.RoundingMode.
var roundings = [...]string{"tonearest", "downward", "upward", "towardzero", "tonearestaway"}

// otherAttrs returns the attributes of an operation but one, in a new list.
func otherAttrs(o *mlir.Op, name string) (list []mlir.NamedAttr) {
	for _, a := range o.Attrs {
		if a.Name != name {
			list = append(list, a)
		}
	}
	return list
}

func roundingMode(c *mlir.Context, mode *mlir.Attr) mlir.NamedAttr {
	e := c.Enum("llvm", "RoundingMode")
	v, _ := e.Case(roundings[mode.Int])
	return tollvm.Named("roundingmode", c.I64Attr(v))
}

// TruncationForKernels converts arith.truncf with a mode of rounding for code generation, which never
// changes the processor's mode: to the nearest number, and from f32 to f16 towards zero. Other modes are
// refused.
func TruncationForKernels() []tollvm.Row {
	return []tollvm.Row{{Op: "arith.truncf", To: "llvm.fptrunc", Run: truncateForKernel}}
}

func truncateForKernel(l *tollvm.Lowering, o *mlir.Op, to string) error {
	mode := o.Attr("roundingmode")
	switch {
	case mode == nil:
		return rewrite.ErrNoMatch
	case mode.Int == nearestEven:
		o.SetAttr("roundingmode", nil)
		return floatCast(l, o, to)
	case mode.Int == towardZero && l.Context.Edition != mlir.Edition19 && isHalf(o.Result(0).Type) && o.Operand(0).Type == l.Context.F32():
		x := l.Operand(o, 0)
		pair := l.Emit("rocdl.cvt.pkrtz", l.Context.Vector(o.Result(0).Type, 2), tollvm.Values(x, x))
		l.Replace(o, l.Emit("llvm.extractelement", o.Result(0).Type, tollvm.Values(pair, l.I32(0))))
		return nil
	}
	word := l.Context.Enum("arith", "RoundingMode").Spelling(mode.Int)
	return mlir.OpErrorf("rounds %s, in which code generation does not convert '%s' to '%s'", word, o.Operand(0).Type, o.Result(0).Type)
}

func isHalf(t *mlir.Type) bool { return t.Kind == mlir.FloatKind && t.Float == &mlir.Float16 }

// indexCast converts between index and integers: it truncates, extends, or does
// nothing.
func indexCast(l *tollvm.Lowering, o *mlir.Op, extend string) error {
	return l.Elementwise(o, func(operands []*mlir.Value, t *mlir.Type) *mlir.Value {
		return resize(l, operands[0], t, extend)
	})
}

// resize truncates or extends a value to a type.
func resize(l *tollvm.Lowering, v *mlir.Value, t *mlir.Type, extend string) *mlir.Value {
	from, to := v.Type.ElementOrSelf().Width, t.ElementOrSelf().Width
	switch {
	case from > to:
		return l.Emit("llvm.trunc", t, tollvm.Values(v))
	case from < to:
		return l.Emit(extend, t, tollvm.Values(v))
	}
	return v
}

// addExtended converts the sum with its carry.
func addExtended(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t, bit := l.Convert(o.Result(0).Type), l.Convert(o.Result(1).Type)
	if t == nil || bit == nil || t.Kind == mlir.DialectKind {
		return rewrite.ErrNoMatch
	}
	pair := l.Emit("llvm.intr.uadd.with.overflow", l.Context.LLVMStruct(t, bit), l.Operands(o))
	l.Replace(o, l.Extract(pair, t, 0), l.Extract(pair, bit, 1))
	return nil
}

// multiplyExtended converts the product of twice the width, in two halves.
func multiplyExtended(l *tollvm.Lowering, o *mlir.Op, extend string) error {
	t := l.Convert(o.Result(0).Type)
	if t == nil || t.Kind == mlir.DialectKind {
		return rewrite.ErrNoMatch
	}
	width := t.ElementOrSelf().Width
	wide := withElem(l.Context, t, l.Context.Integer(2*width))
	x, y := l.Operand(o, 0), l.Operand(o, 1)
	product := l.Binary("llvm.mul", l.Emit(extend, wide, tollvm.Values(x)), l.Emit(extend, wide, tollvm.Values(y)))
	low := l.Emit("llvm.trunc", t, tollvm.Values(product))
	high := l.Binary("llvm.lshr", product, l.Splat(wide, int64(width)))
	l.Replace(o, low, l.Emit("llvm.trunc", t, tollvm.Values(high)))
	return nil
}

// withElem returns a type with elem in place of its elements, or of itself if it is no vector.
func withElem(c *mlir.Context, t, elem *mlir.Type) *mlir.Type {
	if t.Kind != mlir.VectorKind {
		return elem
	}
	return c.VectorType(t.Shape, t.Scalable, elem)
}
