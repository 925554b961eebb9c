package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// constMapper rebuilds constants with some constants replaced.
type constMapper struct {
	m   *ir.Module
	new map[ir.Value]ir.Value // replacement of a constant; unchanged constants map to themselves
	f   *ir.Function          // any function of the module, or nil if it has none
}

// reset removes all replacements.
func (c *constMapper) reset(m *ir.Module) {
	c.m = m
	if c.new == nil {
		c.new = map[ir.Value]ir.Value{}
	}
	clear(c.new)
}

// mapped returns the replacement of a constant.
func (c *constMapper) mapped(v ir.Value) ir.Value {
	if !v.IsConst() {
		return v
	}
	if n, ok := c.new[v]; ok {
		return n
	}
	kind := c.m.ConstKindOf(v)
	if kind != ir.ConstExpr && kind != ir.ConstAggregate {
		return v
	}
	old := c.m.ConstOperands(v)
	var room [8]ir.Value
	ops, same := room[:0], true
	for _, o := range old {
		n := c.mapped(o)
		same = same && n == o
		ops = append(ops, n)
	}
	n := v
	switch {
	case same:
	case kind == ir.ConstAggregate:
		n = c.m.NewAggregate(c.m.TypeOfConst(v), ops)
	default:
		n = c.expr(v, ops)
	}
	c.new[v] = n
	return n
}

// expr returns an expression with new operands, folded if possible.
func (c *constMapper) expr(v ir.Value, ops []ir.Value) ir.Value {
	m := c.m
	x := m.Const(v)
	switch {
	case x.Op == ir.OpGetElementPtr:
		source, flags, _, from, to := m.GEPExpr(v)
		if from != ir.None {
			return m.NewGEPInRange(source, flags, from, to, ops...)
		}
		return c.absolute(m.GEP(source, flags, ops...))
	case x.Op.IsCast():
		return m.CastFlags(x.Op, ops[0], x.Type, x.Flags)
	case x.Op.IsBinary():
		return m.Binary(x.Op, ops[0], ops[1], x.Flags)
	case x.Op == ir.OpICmp || x.Op == ir.OpFCmp:
		return m.NewCompareExpr(m.ExprPred(v), x.Type, ops[0], ops[1])
	}
	return m.NewExpr(x.Op, x.Type, x.Flags, ops...)
}

// absolute returns a constant pointer at a constant offset from a number as
// that number. It returns other constants unchanged.
func (c *constMapper) absolute(v ir.Value) ir.Value {
	m := c.m
	if t := m.TypeOfConst(v); c.f == nil || !m.IsPtr(t) || m.Layout().Pointer(m.AddrSpace(t)).Bits != 32 {
		return v
	}
	base, offset := analysis.ConstantOffset(c.f, v, false)
	start := uint64(0)
	switch m.ConstKindOf(base) {
	case ir.ConstZero:
	case ir.ConstExpr:
		if m.Const(base).Op != ir.OpIntToPtr {
			return v
		}
		n, ok := m.IntValue(m.ConstOperands(base)[0])
		if !ok {
			return v
		}
		start = n
	default:
		return v
	}
	return m.Cast(ir.OpIntToPtr, m.NewInt(ir.I32, (start+uint64(offset))&(1<<32-1)), m.TypeOfConst(v))
}
