package prepare

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxDemand and maxUsers bound the levels of operations, and the users of each,
// that are examined to find the demanded bits of a value.
const (
	maxDemand      = 5
	maxDemandUsers = 8
)

// dropMasks replaces forms of which no more bits are demanded than the plain
// one has. Forms are created before their users are known.
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

// eraseDead erases an unused form and the operands that become unused, but not
// the value that it represents.
func (x *intPromoter) eraseDead(v, plain ir.Value) {
	f := x.f
	for v != plain && v.IsLocal() && !f.HasUses(v) && f.FirstRecordUse(v) == 0 {
		from := f.Operand(v, 0)
		f.Erase(v)
		v = from
	}
}

// demanded returns the bits of a value that its users demand.
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

// demandedBy returns the bits of an operand that an instruction demands. An
// instruction whose flags depend on other bits demands all.
func (x *intPromoter) demandedBy(v ir.Value, operand, depth int) uint64 {
	f := x.f
	op := f.Op(v)
	if f.Instr(v).Flags != 0 {
		return ^uint64(0)
	}
	switch op {
	case ir.OpTrunc:
		return ^uint64(0) >> (64 - x.M.IntBits(f.TypeOf(v)))
	case ir.OpShl, ir.OpLShr:
		n, ok := x.M.IntValue(f.Operand(v, 1))
		if !ok || operand != 0 {
			return ^uint64(0)
		}
		if d := x.demanded(v, depth+1); op == ir.OpShl {
			return d & (^uint64(0) >> (64 - x.M.IntBits(f.TypeOf(v)))) >> n
		} else {
			return d << n
		}
	case ir.OpAnd:
		d := x.demanded(v, depth+1)
		if n, ok := x.M.IntValue(f.Operand(v, 1)); ok {
			d &= n
		}
		return d
	case ir.OpOr, ir.OpXor:
		return x.demanded(v, depth+1)
	case ir.OpAdd, ir.OpSub, ir.OpMul: // carries propagate upwards only
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
