package pattern

import "github.com/gfx-toolchain/gfx/ir"

// Check reports whether the types of To are consistent for the matched values:
// the operands of each operation have the same type, conversions are possible,
// and the result has the type of the instruction. Rules with conversions match
// values of unrelated types.
func (q *Query) Check(c *Compiled) bool {
	q.rule = c
	t, ok := q.typeOf(c.To, q.Type)
	return ok && (t == ir.NoType || t == q.Type)
}

// typeOf returns the type of an expression of To, or NoType for literals.
func (q *Query) typeOf(k int16, hint ir.Type) (ir.Type, bool) {
	n := &q.rule.Nodes[k]
	switch {
	case n.Kind == Var || n.Kind == Const:
		if q.values[n.Name] == ir.None {
			return ir.NoType, false
		}
		return q.F.TypeOf(q.values[n.Name]), true
	case n.isLiteral():
		return ir.NoType, true
	case n.Kind == Func:
		return q.typeOf(n.Kids[0], hint)
	}
	var types [3]ir.Type
	for i, kid := range n.Kids {
		t, ok := q.typeOf(kid, ir.NoType)
		if !ok {
			return t, false
		}
		types[i] = t
	}
	return q.operationType(n, types, hint)
}

func (q *Query) operationType(n *Node, types [3]ir.Type, hint ir.Type) (ir.Type, bool) {
	m := q.F.Module()
	agree := func(a, b ir.Type) (ir.Type, bool) {
		switch {
		case a == ir.NoType:
			return b, true
		case b == ir.NoType || a == b:
			return a, true
		}
		return a, false
	}
	switch {
	case n.Op == ir.OpSelect:
		t, ok := agree(types[1], types[2])
		cond := types[0]
		if cond != ir.NoType && m.IsVector(cond) && t != ir.NoType && (!m.IsVector(t) || m.NumElements(t) != m.NumElements(cond)) {
			return t, false
		}
		return t, ok && (cond == ir.NoType || m.Scalar(cond) == ir.I1)
	case n.Op.IsCast():
		if hint == ir.NoType {
			return ir.NoType, false
		}
		return hint, ir.CastIsValid(m, n.Op, types[0], hint)
	}
	t, ok := agree(types[0], types[1])
	if n.Intr == ir.IntrAbs || n.Intr == ir.IntrCtlz || n.Intr == ir.IntrCttz {
		t, ok = types[0], true
	} else if ok {
		t, ok = agree(t, types[2])
	}
	if n.Op == ir.OpICmp || n.Op == ir.OpFCmp {
		return q.boolLike(t), ok
	}
	return t, ok
}
