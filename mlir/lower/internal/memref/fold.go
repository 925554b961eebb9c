package memref

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// accessedAt returns the position of the memref among the operands of an access to one
// element, which the indices follow. It is negative for other operations.
func accessedAt(name string) int {
	switch name {
	case "memref.load", "memref.prefetch":
		return 0
	case "memref.store":
		return 1
	}
	return -1
}

// FoldAliases replaces accesses to elements of subviews within o by accesses to the memref that
// the subview is part of.
func FoldAliases(c *mlir.Context, o *mlir.Op) {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if accessedAt(p.Name) >= 0 {
			list = append(list, p)
		}
		return true
	})
	for _, p := range list {
		b := c.Before(p).From(p)
		for foldSubview(b, p) {
		}
	}
}

// foldSubview replaces the memref of an access by the source of the subview that
// creates it.
func foldSubview(b *mlir.Builder, o *mlir.Op) bool {
	at := accessedAt(o.Name)
	sub := o.Operand(at).Op
	if sub == nil || sub.Name != "memref.subview" {
		return false
	}
	dropped := tollvm.DroppedDims(sub)
	if dropped == nil {
		return false
	}
	offsets := mixedNumbers(sub.Named("offsets"), sub.Attr("static_offsets").Int64s())
	_, steps := operandNumbers(sub)
	var operands []*mlir.Value
	for _, u := range o.Operands {
		operands = append(operands, u.Value)
	}
	indices := slices.Clone(operands[at+1:])
	operands = append(operands[:at], sub.Operand(0))
	for d, offset := range offsets {
		f := &formula{}
		x := f.expr(offset)
		if !dropped[d] {
			x = x.Add(f.expr(valueNumber(indices[0])).Mul(f.expr(steps[d])))
			indices = indices[1:]
		}
		operands = append(operands, f.number(b, x).indexValue(b))
	}
	o.SetOperands(operands...)
	eraseUnused(sub)
	return true
}
