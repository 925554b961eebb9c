package pattern

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/known"
	"github.com/gfx-toolchain/gfx/ir"
)

// functions lists the functions available to conditions and To: test checks a
// property of a value, number computes a constant from a value.
var functions = [...]struct {
	name   string
	test   func(q *Query, v ir.Value) bool
	number func(q *Query, v ir.Value) ir.Value
}{
	{name: "width", number: widthOf},   // width of x's type, as a constant of the type
	{name: "log2", number: log2Of},     // of a power of two
	{name: "pow2", test: isPowerOfTwo}, // a power of two in all elements
	{name: "defined", test: func(q *Query, v ir.Value) bool { return analysis.NotPoison(q.F, v) }},                  // neither undef nor poison
	{name: "nonneg", test: func(q *Query, v ir.Value) bool { return known.NonNegative(q.F, v) }},                    // sign bit is 0
	{name: "nonzero", test: func(q *Query, v ir.Value) bool { return known.NonZero(q.F, v) }},                       //
	{name: "oneuse", test: func(q *Query, v ir.Value) bool { return v.IsLocal() && q.F.HasOneUse(v) }},              //
	{name: "notconst", test: func(q *Query, v ir.Value) bool { return !v.IsConst() }},                               //
	{name: "isbool", test: func(q *Query, v ir.Value) bool { return q.F.Module().Scalar(q.F.TypeOf(v)) == ir.I1 }},  // i1 or a vector of it
	{name: "notbool", test: func(q *Query, v ir.Value) bool { return q.F.Module().Scalar(q.F.TypeOf(v)) != ir.I1 }}, //
	{name: "isint", test: func(q *Query, v ir.Value) bool { return q.F.Module().IsIntOrIntVector(q.F.TypeOf(v)) }},  //
	{name: "wide", test: func(q *Query, v ir.Value) bool { return q.F.Module().ScalarBits(q.F.TypeOf(v)) > 1 }},     // more than one bit
}

func funcNumber(name string) int {
	for i := range functions {
		if functions[i].name == name {
			return i
		}
	}
	return -1
}

// FuncName returns the name of a function node.
func (n *Node) FuncName() string { return functions[n.Fn].name }

func (q *Query) function(n *Node, hint ir.Type, make Make) ir.Value {
	v := q.buildExpr(n.Kids[0], hint, make)
	if fn := functions[n.Fn].number; fn != nil && v != ir.None {
		return fn(q, v)
	}
	return ir.None
}

// holds reports whether the conditions of the rule are satisfied.
func (q *Query) holds() bool {
	for _, k := range q.rule.Cond {
		n := &q.rule.Nodes[k]
		if n.Kind == Func && functions[n.Fn].test != nil {
			if v := q.buildExpr(n.Kids[0], q.Type, nil); v == ir.None || !functions[n.Fn].test(q, v) {
				return false
			}
			continue
		}
		if v := q.buildExpr(k, ir.NoType, nil); v == ir.None || !isTrue(q.F.Module(), v) {
			return false
		}
	}
	return true
}

// isTrue reports whether a constant is true or a vector of true.
func isTrue(m *ir.Module, v ir.Value) bool {
	if s := m.SplatValue(v); s != ir.None {
		v = s
	}
	n, ok := m.IntValue(v)
	return ok && n == 1
}

// scalarOf returns the number that all elements of a constant share.
func scalarOf(m *ir.Module, v ir.Value) (uint64, bool) {
	if !v.IsConst() {
		return 0, false
	}
	if s := m.SplatValue(v); s != ir.None {
		v = s
	}
	return m.IntValue(v)
}

func widthOf(q *Query, v ir.Value) ir.Value {
	t := q.F.TypeOf(v)
	n := uint64(q.F.Module().ScalarBits(t))
	if n > 64 || n < 3 { // the width must be representable in the type
		return ir.None
	}
	return q.F.Module().NewInt(t, n)
}

func log2Of(q *Query, v ir.Value) ir.Value {
	n, ok := scalarOf(q.F.Module(), v)
	if !ok || n == 0 {
		return ir.None
	}
	return q.F.Module().NewInt(q.F.TypeOf(v), uint64(bits.TrailingZeros64(n)))
}

func isPowerOfTwo(q *Query, v ir.Value) bool {
	n, ok := scalarOf(q.F.Module(), v)
	return ok && n != 0 && n&(n-1) == 0
}
