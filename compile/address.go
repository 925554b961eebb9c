package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
)

// address is the value of a constant expression: a number, or the address of a
// global plus a number.
type address struct {
	global *ir.Global // nil for a number
	offset int64
}

// addressOf evaluates a constant. It returns false if no relocation can express
// the value.
func addressOf(m *ir.Module, v ir.Value) (address, bool) {
	switch m.ConstKindOf(v) {
	case ir.ConstGlobal:
		return address{global: m.ConstGlobal(v)}, true
	case ir.ConstInt:
		c := m.Const(v)
		return address{offset: signExtend(c.Bits(), m.IntBits(c.Type))}, true
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		return address{}, true
	case ir.ConstDSOLocalEquivalent, ir.ConstNoCFI:
		return addressOf(m, m.ConstOperands(v)[0])
	case ir.ConstExpr:
		return expressionOf(m, v)
	}
	return address{}, false
}

func signExtend(x uint64, bits int) int64 { return int64(x<<(64-bits)) >> (64 - bits) }

func expressionOf(m *ir.Module, v ir.Value) (address, bool) {
	c := m.Const(v)
	ops := m.ConstOperands(v)
	switch c.Op {
	case ir.OpGetElementPtr:
		return elementOf(m, v)
	case ir.OpBitCast:
		return addressOf(m, ops[0])
	case ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr:
		return unsignedOf(m, ops[0])
	case ir.OpAddrSpaceCast:
		return castOf(m, v, ops[0])
	case ir.OpTrunc:
		a, ok := addressOf(m, ops[0])
		return a, ok && a.global == nil
	case ir.OpAdd, ir.OpSub, ir.OpXor:
		return arithmeticOf(m, c.Op, ops)
	}
	return address{}, false
}

// unsignedOf evaluates a constant that is zero-extended when it is widened.
func unsignedOf(m *ir.Module, v ir.Value) (address, bool) {
	a, ok := addressOf(m, v)
	if n := m.SizeInBits(m.TypeOfConst(v)); a.global == nil && n < 64 {
		a.offset &= 1<<n - 1
	}
	return a, ok
}

func arithmeticOf(m *ir.Module, op ir.Op, ops []ir.Value) (address, bool) {
	x, okX := addressOf(m, ops[0])
	y, okY := addressOf(m, ops[1])
	if !okX || !okY {
		return address{}, false
	}
	switch {
	case op == ir.OpAdd && y.global == nil:
		return address{x.global, x.offset + y.offset}, true
	case op == ir.OpAdd && x.global == nil:
		return address{y.global, x.offset + y.offset}, true
	case op == ir.OpSub && x.global == y.global:
		return address{nil, x.offset - y.offset}, true
	case op == ir.OpSub && y.global == nil:
		return address{x.global, x.offset - y.offset}, true
	case op == ir.OpXor && x.global == nil && y.global == nil:
		return address{nil, x.offset ^ y.offset}, true
	}
	return address{}, false
}

// differenceOf evaluates the difference of two addresses, or its low half.
func differenceOf(m *ir.Module, v ir.Value) (x, y address, ok bool) {
	if m.ConstKindOf(v) != ir.ConstExpr {
		return x, y, false
	}
	ops := m.ConstOperands(v)
	switch m.Const(v).Op {
	case ir.OpTrunc:
		return differenceOf(m, ops[0])
	case ir.OpSub:
		x, okX := addressOf(m, ops[0])
		y, okY := addressOf(m, ops[1])
		return x, y, okX && okY && x.global != nil && y.global != nil && x.global != y.global
	}
	return x, y, false
}

// castOf evaluates an addrspacecast: flat, global and constant addresses have
// equal numbers, and null stays null.
func castOf(m *ir.Module, v, from ir.Value) (address, bool) {
	a, ok := addressOf(m, from)
	to, of := m.AddrSpace(m.TypeOfConst(v)), m.AddrSpace(m.TypeOfConst(from))
	wide := func(space uint32) bool {
		return space == addrspace.Flat || space == addrspace.Global || space == addrspace.Constant
	}
	switch {
	case !ok:
		return a, false
	case wide(to) && wide(of):
		return a, true
	case wide(of) && a == (address{}):
		return address{offset: -1}, true // null of local and private memory
	case wide(to) && a == (address{offset: -1}):
		return address{}, true
	}
	return a, to == of
}

// elementOf evaluates a getelementptr.
func elementOf(m *ir.Module, v ir.Value) (address, bool) {
	t, _, ops, _, _ := m.GEPExpr(v)
	a, ok := addressOf(m, ops[0])
	for i, o := range ops[1:] {
		x, okIndex := addressOf(m, o)
		if !ok || !okIndex || x.global != nil {
			return a, false
		}
		switch {
		case i == 0:
			a.offset += x.offset * int64(m.AllocSize(t))
		case m.Kind(t) == ir.KindStruct:
			a.offset += int64(m.FieldOffset(t, int(x.offset)))
			t = m.ElementType(t, uint64(x.offset))
		default:
			t = m.ElementType(t, 0)
			a.offset += x.offset * int64(m.AllocSize(t))
		}
	}
	return a, ok
}

// describeConst names a constant in a message.
func describeConst(m *ir.Module, v ir.Value) string {
	if c := m.Const(v); c.Kind == ir.ConstExpr {
		return c.Op.String()
	}
	return fmt.Sprintf("a constant of kind %d", m.ConstKindOf(v))
}

// aliased evaluates the target of an alias, through other aliases, which may
// not have a place yet.
func aliased(m *ir.Module, g *ir.Global) (address, bool) {
	a, ok := addressOf(m, g.Init)
	if !ok || a.global == nil || a.global.Kind != ir.GlobalAlias {
		return a, ok
	}
	next, ok := aliased(m, a.global)
	return address{next.global, next.offset + a.offset}, ok
}

// alias defines an alias of a global.
func (w *dataWriter) alias(g *ir.Global) error {
	w.g = g
	a, ok := aliased(w.m, g)
	if !ok || a.global == nil {
		return fmt.Errorf("alias %s: the aliasee is not supported", g.Name())
	}
	to := w.p.symbols[w.p.symbolOf(symbolName(a.global))]
	n := w.p.global(g)
	s := w.p.symbols[n]
	s.target = w.p.symbolOf(symbolName(a.global))
	s.typ, s.section, s.special, s.size = to.typ, to.section, to.special, to.size
	if g.Kind == ir.GlobalIFunc {
		s.typ = codeobject.STT_GNU_IFUNC
	}
	s.value = to.value + uint64(a.offset)
	w.p.chunks = append(w.p.chunks, chunk{kind: chunkAlias, symbol: n, from: uint64(a.offset)})
	return nil
}
