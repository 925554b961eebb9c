package pattern

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// Make creates one operation from To, or returns None if it cannot. flags are
// the flags that To requests.
type Make func(op ir.Op, sub uint8, intr ir.Intrinsic, flags ir.Flags, t ir.Type, ops []ir.Value) ir.Value

// Result returns the replacement for the instruction after rule c matched. If
// make is nil, only constants are created.
func (q *Query) Result(c *Compiled, make Make) ir.Value { return q.buildExpr(c.To, q.Type, make) }

// isLiteral reports whether a node is a literal, whose type depends on its
// context.
func (n *Node) isLiteral() bool { return n.Kind >= Int && n.Kind <= Undef }

// buildExpr creates an expression of To or If; hint is the type of its
// literals.
func (q *Query) buildExpr(k int16, hint ir.Type, make Make) ir.Value {
	n := &q.rule.Nodes[k]
	switch {
	case n.Kind == Var || n.Kind == Const:
		return q.values[n.Name]
	case n.isLiteral():
		if hint == ir.NoType {
			return ir.None
		}
		return q.literal(n, hint)
	case n.Kind == Func:
		return q.function(n, hint, make)
	}
	if q.top+len(n.Kids) > len(q.stack) {
		panic("BUG: the result of a rule is too deep")
	}
	ops := q.stack[q.top : q.top+len(n.Kids)]
	clear(ops)
	q.top += len(n.Kids)
	v := q.buildOp(n, hint, ops, make)
	q.top -= len(n.Kids)
	return v
}

// buildOp creates an operation and its operands; ops is storage for the
// operands.
func (q *Query) buildOp(n *Node, hint ir.Type, ops []ir.Value, make Make) ir.Value {
	for _, literals := range [...]bool{false, true} {
		for i, kid := range n.Kids {
			if q.rule.Nodes[kid].isLiteral() != literals {
				continue
			}
			if ops[i] = q.buildExpr(kid, q.kidHint(n, i, hint, ops), make); ops[i] == ir.None {
				return ir.None
			}
		}
	}
	return q.operation(n, hint, ops, make)
}

// kidHint returns the type of operand i of an operation, if known.
func (q *Query) kidHint(n *Node, i int, hint ir.Type, ops []ir.Value) ir.Type {
	switch {
	case n.Op == ir.OpSelect && i == 0:
		return q.boolLike(hint)
	case i == 1 && (n.Intr == ir.IntrAbs || n.Intr == ir.IntrCtlz || n.Intr == ir.IntrCttz):
		return ir.I1
	case n.Op == ir.OpICmp || n.Op == ir.OpFCmp || n.Op == ir.OpCall:
		if other := 1 - min(i, 1); other < len(ops) && ops[other] != ir.None {
			return q.F.TypeOf(ops[other])
		}
		if n.Op == ir.OpCall {
			return hint
		}
		return ir.NoType
	case n.Op.IsCast():
		return ir.NoType
	case n.Op == ir.OpSelect:
		if other := ops[3-i]; other != ir.None {
			return q.F.TypeOf(other)
		}
	case len(ops) == 2 && ops[1-i] != ir.None:
		return q.F.TypeOf(ops[1-i])
	}
	return hint
}

// boolLike returns i1, or a vector of i1 with as many elements as t.
func (q *Query) boolLike(t ir.Type) ir.Type {
	if t == ir.NoType {
		return ir.I1
	}
	return q.F.Module().WithScalar(t, ir.I1)
}

func (q *Query) operation(n *Node, hint ir.Type, ops []ir.Value, make Make) ir.Value {
	t := q.F.TypeOf(ops[0])
	sub := uint8(0)
	switch {
	case n.Op == ir.OpICmp || n.Op == ir.OpFCmp:
		t = q.boolLike(t)
		sub = uint8(q.predOf(n))
	case n.Op == ir.OpSelect:
		t = q.F.TypeOf(ops[1])
	case n.Op.IsCast():
		t = hint
	}
	constant := true
	for _, o := range ops {
		constant = constant && o.IsConst()
	}
	if constant {
		if v := q.Fold(q.F, n.Op, sub, n.Intr, t, ops); v != ir.None {
			return v
		}
	}
	if make == nil {
		return ir.None
	}
	return make(n.Op, sub, n.Intr, n.Flags|q.sameFlags(n, t), t, ops)
}

func (q *Query) predOf(n *Node) ir.Pred {
	switch n.Pred {
	case AnyPred:
		return q.pred
	case InversePred:
		return q.pred.Inverse()
	case SwappedPred:
		return q.pred.Swapped()
	}
	return n.Pred
}

// sameFlags returns the matched instruction's flags that an operation with "="
// may have.
func (q *Query) sameFlags(n *Node, t ir.Type) ir.Flags {
	if !n.Same {
		return 0
	}
	flags := ir.Flags(0)
	if n.Op.HasFastFlags() && (q.F.Module().IsFPMathType(t) || n.Op == ir.OpFCmp) {
		flags |= ir.FastMath
	}
	if n.Op.HasWrapFlags() {
		flags |= ir.NUW | ir.NSW
	}
	if n.Op.HasExact() {
		flags |= ir.Exact
	}
	if n.Op == ir.OpICmp {
		flags |= ir.SameSign
	}
	return q.Flags & flags
}
