package opt

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxDemand bounds how many operations are looked through, and how many users of one, to find which bits of a value count.
const (
	maxDemand      = 5
	maxDemandUsers = 8
)

// dropMasks takes away forms of which nobody looks at more bits than the plain one has. Forms are made before their users are known.
func (x *intPromoter) dropMasks() {
	f := x.f
	for i := len(x.masks) - 1; i >= 0; i-- {
		k := &x.masks[i]
		if !k.v.IsLocal() || k.v == k.plain || x.demanded(k.v, 0)>>k.bits != 0 {
			continue
		}
		if f.HasUses(k.v) {
			f.ReplaceUses(k.v, k.plain)
		}
		x.eraseDead(k.v, k.plain)
	}
}

// eraseDead erases a form that is not used, and what only it used, but not the value that it is of.
func (x *intPromoter) eraseDead(v, plain ir.Value) {
	f := x.f
	for v != plain && v.IsLocal() && !f.HasUses(v) && f.FirstRecordUse(v) == 0 {
		from := f.Operand(v, 0)
		f.Erase(v)
		v = from
	}
}

// demanded gives which bits of a value its users look at.
func (x *intPromoter) demanded(v ir.Value, depth int) uint64 {
	f := x.f
	sum, n := uint64(0), 0
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		if n++; n > maxDemandUsers || depth == maxDemand {
			return ^uint64(0)
		}
		if sum |= x.demandedBy(f.User(u), f.UseIndex(u), depth); sum == ^uint64(0) {
			break
		}
	}
	return sum
}

// demandedBy gives which bits of an operand an instruction looks at. One whose flags say something of other bits looks at all.
func (x *intPromoter) demandedBy(v ir.Value, operand, depth int) uint64 {
	f := x.f
	op := f.Op(v)
	if f.Instr(v).Flags != 0 {
		return ^uint64(0)
	}
	switch op {
	case ir.OpTrunc:
		return ^uint64(0) >> (64 - x.m.IntBits(f.TypeOf(v)))
	case ir.OpShl, ir.OpLShr:
		n, ok := x.m.IntValue(f.Operand(v, 1))
		if !ok || operand != 0 {
			return ^uint64(0)
		}
		if d := x.demanded(v, depth+1); op == ir.OpShl {
			return d & (^uint64(0) >> (64 - x.m.IntBits(f.TypeOf(v)))) >> n
		} else {
			return d << n
		}
	case ir.OpAnd:
		d := x.demanded(v, depth+1)
		if n, ok := x.m.IntValue(f.Operand(v, 1)); ok {
			d &= n
		}
		return d
	case ir.OpOr, ir.OpXor:
		return x.demanded(v, depth+1)
	case ir.OpAdd, ir.OpSub, ir.OpMul: // carries go up only
		if d := x.demanded(v, depth+1); d != 0 {
			return ^uint64(0) >> bits.LeadingZeros64(d)
		}
		return 0
	case ir.OpSelect:
		if operand > 0 {
			return x.demanded(v, depth+1)
		}
	}
	return ^uint64(0)
}
