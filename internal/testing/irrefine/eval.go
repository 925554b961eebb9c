package irrefine

import (
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// evaluation is a single evaluation of an expression.
type evaluation struct {
	k    *checker
	pred ir.Pred
	ub   bool
}

func (e *evaluation) width(node int) uint { return uint(e.k.class[e.k.find(node)].width) }

func mask(w uint) uint64 { return 1<<w - 1 }

func sext(x uint64, w uint) int64 { return int64(x<<(64-w)) >> (64 - w) }

// node returns the value of a node. Undef is replaced by one of its possible
// values.
func (e *evaluation) node(i int) value {
	n := &e.k.c.Nodes[i]
	w := e.width(i)
	switch n.Kind {
	case pattern.Var, pattern.Const:
		if l := e.k.labels[n.Name]; l >= 0 && l != i {
			return e.node(l)
		}
		return e.use(e.k.env[n.Name], i)
	case pattern.Int:
		if e.k.isFloat(i) {
			return value{bits: math.Float64bits(float64(n.Lit))}
		}
		return value{bits: uint64(n.Lit) & mask(w)}
	case pattern.SignMin:
		return value{bits: 1 << (w - 1)}
	case pattern.SignMax:
		return value{bits: mask(w) >> 1}
	case pattern.Float:
		return value{bits: math.Float64bits(n.Num)}
	case pattern.Poison:
		return value{poison: true}
	case pattern.Undef:
		return e.use(value{undef: true}, i)
	case pattern.Func:
		return e.function(n)
	}
	return e.operation(n, i, w)
}

// use returns the value that one use observes.
func (e *evaluation) use(v value, node int) value {
	if !v.undef {
		return v
	}
	d := e.k.domain(e.k.find(node), true)
	return d[e.k.tape.pick(len(d))]
}

func (e *evaluation) function(n *pattern.Node) value {
	v := e.node(int(n.Kids[0]))
	switch w := e.width(int(n.Kids[0])); n.FuncName() {
	case "width":
		if w < 3 {
			return value{poison: true}
		}
		return value{bits: uint64(w)}
	case "log2":
		return value{bits: uint64(bits.TrailingZeros64(v.bits)), poison: v.bits == 0}
	}
	panic("BUG: unknown function in a rule: " + n.FuncName())
}

func (e *evaluation) operation(n *pattern.Node, i int, w uint) value {
	if n.Op == ir.OpSelect {
		return e.choose(n)
	}
	var args [3]value
	poison := false
	for j, kid := range n.Kids {
		args[j] = e.node(int(kid))
		poison = poison || args[j].poison
	}
	if n.Op == ir.OpFreeze {
		if poison {
			return e.use(value{undef: true}, i)
		}
		return args[0]
	}
	if div := n.Op == ir.OpUDiv || n.Op == ir.OpSDiv || n.Op == ir.OpURem || n.Op == ir.OpSRem; div && args[1].poison {
		e.ub = true
	}
	if poison {
		if n.Op >= ir.OpUDiv && n.Op <= ir.OpSRem && n.Op != ir.OpFDiv && args[1].bits == 0 && !args[1].poison {
			e.ub = true
		}
		return value{poison: true}
	}
	flags := n.Flags
	if i == int(e.k.c.From) {
		flags |= e.k.extra
	}
	if n.Same {
		flags |= e.k.extra | e.k.c.Nodes[e.k.c.From].Flags
	}
	a, b, c := args[0].bits, args[1].bits, args[2].bits
	from := w
	if len(n.Kids) > 0 {
		from = e.width(int(n.Kids[0]))
	}
	switch {
	case n.Op == ir.OpICmp:
		return compareInts(e.predOf(n), a, b, from, flags)
	case n.Op == ir.OpFCmp:
		return compareFloats(e.predOf(n), a, b, flags)
	case n.Op.IsCast():
		return convert(n.Op, flags, a, from, w)
	case n.Op == ir.OpCall && floatIntrinsics[n.Intr] != nil, n.Op.IsFloatOp():
		return floatOp(n, flags, a, b, c)
	case n.Op == ir.OpCall:
		return intIntrinsic(n.Intr, a, b, c, w)
	}
	v, ub := intOp(n.Op, flags, a, b, w)
	e.ub = e.ub || ub
	return v
}

// choose evaluates a select. Only the selected arm determines the value, but
// undefined behaviour in the other arm counts.
func (e *evaluation) choose(n *pattern.Node) value {
	cond := e.node(int(n.Kids[0]))
	x, y := e.node(int(n.Kids[1])), e.node(int(n.Kids[2]))
	if cond.poison {
		return value{poison: true}
	}
	if cond.bits == 0 {
		x = y
	}
	if flags := n.Flags & (ir.NoNaNs | ir.NoInfs); flags != 0 && broken(flags, math.Float64frombits(x.bits)) {
		x.poison = true
	}
	return x
}

func (e *evaluation) predOf(n *pattern.Node) ir.Pred {
	switch n.Pred {
	case pattern.AnyPred:
		return e.pred
	case pattern.InversePred:
		return e.pred.Inverse()
	case pattern.SwappedPred:
		return e.pred.Swapped()
	}
	return n.Pred
}

// holds reports whether the conditions of the rule hold for the variables.
// Facts about a variable are evaluated for its value.
func (k *checker) holds(pred ir.Pred) bool {
	for _, c := range k.c.Cond {
		n := &k.c.Nodes[c]
		if n.Kind == pattern.Func && !k.fact(n, pred) {
			return false
		}
		if n.Kind != pattern.Func {
			k.tape = tape{}
			e := evaluation{k: k, pred: pred}
			if v := e.node(int(c)); v.poison || v.bits == 0 || e.ub {
				return false
			}
		}
	}
	return true
}

// fact reports whether a predicate of a condition holds.
func (k *checker) fact(n *pattern.Node, pred ir.Pred) bool {
	kid := int(n.Kids[0])
	w := uint(k.class[k.find(kid)].width)
	switch n.FuncName() {
	case "isbool":
		return w == 1 && !k.isFloat(kid)
	case "notbool":
		return w > 1 || k.isFloat(kid)
	case "wide":
		return w > 1
	case "isint":
		return !k.isFloat(kid)
	case "oneuse", "notconst":
		return true
	}
	o := k.outcomesOf(kid, pred)
	switch n.FuncName() {
	case "defined":
		return !o.poison && len(o.values) == 1
	case "pow2":
		return all(o, func(x uint64) bool { return x != 0 && x&(x-1) == 0 })
	case "nonneg":
		return all(o, func(x uint64) bool { return x>>(w-1) == 0 })
	case "nonzero":
		return all(o, func(x uint64) bool { return x != 0 })
	}
	panic("BUG: unknown predicate in a rule: " + n.FuncName())
}

func (k *checker) outcomesOf(node int, pred ir.Pred) outcome { return k.outcomes(int16(node), pred) }

func all(o outcome, fn func(uint64) bool) bool {
	for v := range o.values {
		if !fn(v) {
			return false
		}
	}
	return true
}
