package arith

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// IndexToLLVM converts the operations of dialect index.
func IndexToLLVM() []tollvm.Row {
	return []tollvm.Row{
		{Op: "index.add", To: "llvm.add", Run: simple},
		{Op: "index.and", To: "llvm.and", Run: simple},
		{Op: "index.bool.constant", Run: constant},
		{Op: "index.casts", To: "llvm.sext", Run: indexCast},
		{Op: "index.castu", To: "llvm.zext", Run: indexCast},
		{Op: "index.ceildivs", Run: expandDivision(ceilDivSigned)},
		{Op: "index.ceildivu", Run: expandDivision(ceilDivUnsigned)},
		{Op: "index.cmp", To: "llvm.icmp", Run: indexCompare},
		{Op: "index.constant", Run: indexConstant},
		{Op: "index.divs", To: "llvm.sdiv", Run: simple},
		{Op: "index.divu", To: "llvm.udiv", Run: simple},
		{Op: "index.floordivs", Run: expandDivision(floorDivSigned)},
		{Op: "index.maxs", To: "llvm.intr.smax", Run: simple},
		{Op: "index.maxu", To: "llvm.intr.umax", Run: simple},
		{Op: "index.mins", To: "llvm.intr.smin", Run: simple},
		{Op: "index.minu", To: "llvm.intr.umin", Run: simple},
		{Op: "index.mul", To: "llvm.mul", Run: simple},
		{Op: "index.or", To: "llvm.or", Run: simple},
		{Op: "index.rems", To: "llvm.srem", Run: simple},
		{Op: "index.remu", To: "llvm.urem", Run: simple},
		{Op: "index.shl", To: "llvm.shl", Run: simple},
		{Op: "index.shrs", To: "llvm.ashr", Run: simple},
		{Op: "index.shru", To: "llvm.lshr", Run: simple},
		{Op: "index.sizeof", Run: indexWidth},
		{Op: "index.sub", To: "llvm.sub", Run: simple},
		{Op: "index.xor", To: "llvm.xor", Run: simple},
	}
}

// indexConstant converts a constant, which is truncated to the width of index.
func indexConstant(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	l.Replace(o, l.Int(l.Index(), o.Attr("value").Int))
	return nil
}

func indexWidth(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	l.Replace(o, l.Int(l.Index(), int64(l.IndexBits)))
	return nil
}

// indexCompare converts a comparison, whose predicates have numbers of their own.
func indexCompare(l *tollvm.Lowering, o *mlir.Op, to string) error {
	p, _ := l.Context.Enum("llvm", "ICmpPredicate").Case(o.Attr("pred").Text)
	l.Replace(o, l.Emit(to, l.Context.Integer(1), l.Operands(o), tollvm.Named("predicate", l.Context.I64Attr(p))))
	return nil
}

// A division computes the quotient of its operands from LLVM operations.
type division func(d *divider, x, y *mlir.Value) *mlir.Value

// expandDivision converts a division that LLVM does not have.
func expandDivision(run division) func(*tollvm.Lowering, *mlir.Op, string) error {
	return func(l *tollvm.Lowering, o *mlir.Op, _ string) error {
		d := &divider{l}
		return l.Elementwise(o, func(operands []*mlir.Value, _ *mlir.Type) *mlir.Value { return run(d, operands[0], operands[1]) })
	}
}

// Divisions converts the divisions of dialect arith that LLVM does not have, which MLIR
// expands before.
func Divisions() []tollvm.Row {
	return []tollvm.Row{
		{Op: "arith.ceildivsi", Run: expandDivision(ceilDivSigned)},
		{Op: "arith.ceildivui", Run: expandDivision(ceilDivUnsigned)},
		{Op: "arith.floordivsi", Run: expandDivision(floorDivSigned)},
	}
}

// A divider creates the operations of a division.
type divider struct{ *tollvm.Lowering }

// Predicates of llvm.icmp.
const (
	predEQ = iota
	predNE
	predSLT
	predSLE
	predSGT
)

func (d *divider) test(predicate int64, x, y *mlir.Value) *mlir.Value {
	bit := withElem(d.Context, x.Type, d.Context.Integer(1))
	return d.Emit("llvm.icmp", bit, tollvm.Values(x, y), tollvm.Named("predicate", d.Context.I64Attr(predicate)))
}

func (d *divider) choose(cond, x, y *mlir.Value) *mlir.Value {
	return d.Emit("llvm.select", x.Type, tollvm.Values(cond, x, y))
}

// ceilDivSigned rounds up: (n + (m > 0 ? -1 : 1)) / m + 1 where n and m have the same
// sign and n is not zero, -(-n / m) elsewhere.
func ceilDivSigned(d *divider, n, m *mlir.Value) *mlir.Value {
	zero, one, minusOne := d.Splat(n.Type, 0), d.Splat(n.Type, 1), d.Splat(n.Type, -1)
	positive := d.test(predSGT, m, zero)
	step := d.choose(positive, minusOne, one)
	up := d.Binary("llvm.add", d.Binary("llvm.sdiv", d.Binary("llvm.add", n, step), m), one)
	down := d.Binary("llvm.sub", zero, d.Binary("llvm.sdiv", d.Binary("llvm.sub", zero, n), m))
	sameSign := d.test(predEQ, d.test(predSGT, n, zero), positive)
	return d.choose(d.Binary("llvm.and", sameSign, d.test(predNE, n, zero)), up, down)
}

// ceilDivUnsigned rounds up: n == 0 ? 0 : (n - 1) / m + 1.
func ceilDivUnsigned(d *divider, n, m *mlir.Value) *mlir.Value {
	zero, one := d.Splat(n.Type, 0), d.Splat(n.Type, 1)
	up := d.Binary("llvm.add", d.Binary("llvm.udiv", d.Binary("llvm.sub", n, one), m), one)
	return d.choose(d.test(predEQ, n, zero), zero, up)
}

// floorDivSigned rounds down: -1 - (x - n) / m with x = 1 for a negative m and -1
// otherwise, where n and m have different signs and n is not zero; n / m elsewhere.
func floorDivSigned(d *divider, n, m *mlir.Value) *mlir.Value {
	zero, one, minusOne := d.Splat(n.Type, 0), d.Splat(n.Type, 1), d.Splat(n.Type, -1)
	negative := d.test(predSLT, m, zero)
	x := d.choose(negative, one, minusOne)
	down := d.Binary("llvm.sub", minusOne, d.Binary("llvm.sdiv", d.Binary("llvm.sub", x, n), m))
	differ := d.test(predNE, d.test(predSLT, n, zero), negative)
	return d.choose(d.Binary("llvm.and", differ, d.test(predNE, n, zero)), down, d.Binary("llvm.sdiv", n, m))
}
