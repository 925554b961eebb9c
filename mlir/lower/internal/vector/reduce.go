package vector

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

var arithmeticRules = []rule{
	{"bitcast", bitcast},
	{"fma", fma},
	{"outerproduct", outerProduct},
	{"reduction", reduction},
}

// A combining describes a kind of combination of two values.
type combining struct {
	reduce string // the intrinsic that reduces a vector: "llvm.intr.vector.reduce." follows
	pair   string // the LLVM operation of two scalars; for integer bounds the predicate of llvm.icmp
	arith  string // the arith operation of two values
	float  bool
	start  bool // the intrinsic takes a value to start with
}

// combinings are the kinds for integers and floats by their names.
var combinings = [...]struct {
	kind string
	how  combining
}{
	{"add", combining{"add", "llvm.add", "arith.addi", false, false}},
	{"mul", combining{"mul", "llvm.mul", "arith.muli", false, false}},
	{"minui", combining{"umin", "ule", "arith.minui", false, false}},
	{"minsi", combining{"smin", "sle", "arith.minsi", false, false}},
	{"maxui", combining{"umax", "uge", "arith.maxui", false, false}},
	{"maxsi", combining{"smax", "sge", "arith.maxsi", false, false}},
	{"and", combining{"and", "llvm.and", "arith.andi", false, false}},
	{"or", combining{"or", "llvm.or", "arith.ori", false, false}},
	{"xor", combining{"xor", "llvm.xor", "arith.xori", false, false}},
	{"add", combining{"fadd", "", "arith.addf", true, true}},
	{"mul", combining{"fmul", "", "arith.mulf", true, true}},
	{"minnumf", combining{"fmin", "llvm.intr.minnum", "arith.minnumf", true, false}},
	{"maxnumf", combining{"fmax", "llvm.intr.maxnum", "arith.maxnumf", true, false}},
	{"minimumf", combining{"fminimum", "llvm.intr.minimum", "arith.minimumf", true, false}},
	{"maximumf", combining{"fmaximum", "llvm.intr.maximum", "arith.maximumf", true, false}},
}

// combiningOf returns the combination of an operation's kind for elements of a type, or nil.
func combiningOf(o *mlir.Op, elem *mlir.Type) *combining {
	kind := o.Attr("kind").Text
	for i := range combinings {
		if c := &combinings[i]; c.kind == kind && c.how.float == isFloat(elem) && elem.IsIntOrIndex() != c.how.float {
			return &c.how
		}
	}
	return nil
}

// combine returns the combination of two scalars in the LLVM dialect.
func (l lowering) combine(c *combining, x, y *mlir.Value) *mlir.Value {
	if len(c.pair) == len("sle") { // a predicate
		return llvm.NewSelect(l.Builder, llvm.NewIcmp(l.Builder, x, y, c.pair), x, y)
	}
	return l.Binary(c.pair, x, y)
}

// reduce returns the combination of a scalar, which may be missing, and all elements of an LLVM vector.
func (l lowering) reduce(c *combining, v, acc *mlir.Value, flags ...mlir.NamedAttr) *mlir.Value {
	name := "llvm.intr.vector.reduce." + c.reduce
	switch {
	case c.start && acc == nil:
		neutral := 0.0
		if c.reduce == "fmul" {
			neutral = 1
		}
		acc = l.Constant(v.Type.Elem, l.Context.FloatAttr(v.Type.Elem, neutral))
		fallthrough
	case c.start:
		return l.Emit(name, v.Type.Elem, tollvm.Values(acc, v), flags...)
	}
	if !c.float {
		flags = nil
	}
	x := l.Emit(name, v.Type.Elem, tollvm.Values(v), flags...)
	switch {
	case acc == nil:
		return x
	case c.float:
		return l.combine(c, x, acc)
	}
	return l.combine(c, acc, x)
}

// fastmath returns the LLVM flags of an operation with flags of arith. The pass may add reassoc.
func (l lowering) fastmath(o *mlir.Op) mlir.NamedAttr {
	text := "none"
	if a := o.Attr("fastmath"); a != nil {
		text = a.Text
	}
	if l.Reassociate {
		text += ",reassoc"
	}
	a, _ := l.Context.ParseAttr("#llvm.fastmath<" + text + ">")
	return tollvm.Named("fastmathFlags", a)
}

func reduction(l lowering, o *mlir.Op) error {
	c := combiningOf(o, o.Result(0).Type)
	if c == nil {
		return rewrite.ErrNoMatch
	}
	var acc *mlir.Value
	if len(o.Operands) > 1 {
		acc = l.Operand(o, 1)
	}
	l.Replace(o, l.reduce(c, l.Operand(o, 0), acc, l.fastmath(o)))
	return nil
}

// byRows replaces an operation by one on each row of its operands, whose result is f's.
func (l lowering) byRows(o *mlir.Op, f func(row *mlir.Type, list []*mlir.Value) *mlir.Value) error {
	t, operands := o.Result(0).Type, l.Operands(o)
	row := l.rowType(t)
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		list := make([]*mlir.Value, len(operands))
		for i, v := range operands {
			list[i] = l.part(v, o.Operand(i).Type, pos...)
		}
		return f(row, list)
	}))
	return nil
}

// isFloat reports whether LLVM has the float type of a vector's elements.
func isFloat(t *mlir.Type) bool { return t.Kind == mlir.FloatKind && t.Float.LLVM() }

func fma(l lowering, o *mlir.Op) error {
	if !isFloat(o.Result(0).Type.Elem) {
		return rewrite.ErrNoMatch
	}
	return l.byRows(o, func(row *mlir.Type, list []*mlir.Value) *mlir.Value {
		return l.Emit("llvm.intr.fmuladd", row, list)
	})
}

func bitcast(l lowering, o *mlir.Op) error {
	return l.byRows(o, func(row *mlir.Type, list []*mlir.Value) *mlir.Value {
		return l.Emit("llvm.bitcast", row, list)
	})
}

// accumulate returns the combination of x * y and acc, rows of vectors. acc may be missing. Sums of
// floats are fused.
func (l lowering) accumulate(c *combining, x, y, acc *mlir.Value) *mlir.Value {
	if acc != nil && c.reduce == "fadd" {
		return l.Emit("llvm.intr.fmuladd", x.Type, tollvm.Values(x, y, acc))
	}
	product := "arith.muli"
	if c.float {
		product = "arith.mulf"
	}
	v := l.Binary(product, x, y)
	if acc != nil {
		v = l.Binary(c.arith, v, acc)
	}
	return v
}

// outerProduct converts vector.outerproduct of a vector with a vector or a scalar.
func outerProduct(l lowering, o *mlir.Op) error {
	t, list := o.Result(0).Type, l.Operands(o)
	c := combiningOf(o, t.Elem)
	if c == nil {
		return rewrite.ErrNoMatch
	}
	x, y := list[0], list[1]
	acc := func(...int64) *mlir.Value { return nil }
	if len(list) > 2 {
		acc = func(pos ...int64) *mlir.Value { return l.part(list[2], t, pos...) }
	}
	if len(t.Shape) == 1 {
		l.Replace(o, l.accumulate(c, x, l.splat(y, x.Type), acc()))
		return nil
	}
	l.Replace(o, l.build(t, func(pos []int64) *mlir.Value {
		return l.accumulate(c, l.splat(l.lane(x, l.I64(pos[0])), y.Type), y, acc(pos...))
	}))
	return nil
}
