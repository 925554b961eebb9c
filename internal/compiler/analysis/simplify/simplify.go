package simplify

import (
	"sync"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// state is reusable storage for one query.
type state struct {
	q     folder
	query pattern.Query
	ops   []ir.Value
}

var states = sync.Pool{New: func() any { return new(state) }}

// Instr returns an existing value that equals an instruction of a block: a
// constant, an argument or another instruction that dominates it. It returns
// None if no such value is found.
func Instr(f *ir.Function, v ir.Value) ir.Value {
	in := f.Instr(v)
	if in.Op.IsTerminator() || in.Type == ir.Void || in.Op == ir.OpAlloca || in.Op == ir.OpStore {
		return ir.None
	}
	if in.Op == ir.OpPhi {
		return phi(f, v)
	}
	s := states.Get().(*state)
	defer states.Put(s)
	s.ops = s.ops[:0]
	constant := true
	for _, o := range f.Operands(v) {
		s.ops = append(s.ops, o.Value)
		constant = constant && o.Value.IsConst()
	}
	s.q = folder{f: f, m: f.Module(), v: v, op: in.Op, sub: in.Sub, flags: in.Flags, t: in.Type, ops: s.ops, query: &s.query}
	return s.q.simplify(constant)
}

// Fold returns the value that an operation on operands would have, as Instr
// does. It fits [ir.Builder].Fold. The result is None for operations that need
// more than operands, subcode and flags (getelementptr, calls, shuffles, phis,
// memory).
func Fold(f *ir.Function, op ir.Op, sub uint8, flags ir.Flags, t ir.Type, ops []ir.Value) ir.Value {
	if op == ir.OpCall || op == ir.OpPhi || op == ir.OpGetElementPtr {
		return ir.None
	}
	s := states.Get().(*state)
	defer states.Put(s)
	s.ops = append(s.ops[:0], ops...)
	constant := true
	for _, o := range ops {
		constant = constant && o.IsConst()
	}
	s.q = folder{f: f, m: f.Module(), op: op, sub: sub, flags: flags, t: t, ops: s.ops, query: &s.query}
	return s.q.simplify(constant)
}

// FoldIntrinsic returns the result of an intrinsic with constant arguments, or
// None.
func FoldIntrinsic(f *ir.Function, id ir.Intrinsic, flags ir.Flags, t ir.Type, args []ir.Value) ir.Value {
	row := intrinsicRowOf(id)
	if row == nil || len(args) > 4 {
		return ir.None
	}
	q := folder{f: f, m: f.Module(), op: ir.OpCall, flags: flags, t: t}
	return q.intrinsic(row, args)
}

// Constant returns the result of an operation or intrinsic with constant
// operands, for package pattern.
func Constant(f *ir.Function, op ir.Op, sub uint8, id ir.Intrinsic, t ir.Type, ops []ir.Value) ir.Value {
	if op == ir.OpCall {
		return FoldIntrinsic(f, id, 0, t, ops)
	}
	q := folder{f: f, m: f.Module(), op: op, sub: sub, t: t, ops: ops}
	return q.constant()
}

func (q *folder) simplify(constant bool) ir.Value {
	if constant {
		if r := q.constant(); r != ir.None {
			return r
		}
	}
	if q.op.IsBinary() || q.op.IsCast() || q.op == ir.OpFNeg || q.op == ir.OpICmp || q.op == ir.OpFCmp {
		for _, o := range q.ops {
			if isPoison(q.m, o) {
				return q.m.Poison(q.t)
			}
		}
	}
	if r := q.byRule(); r != ir.None {
		return r
	}
	if fn := simplifiers[q.op]; fn != nil {
		if r := fn(q); r != ir.None && r != q.v {
			return r
		}
	}
	return ir.None
}

// byRule applies the first matching rule of the tables.
func (q *folder) byRule() ir.Value {
	p := q.query
	if p == nil {
		p = new(pattern.Query)
	}
	*p = pattern.Query{F: q.f, V: q.v, Op: q.op, Sub: q.sub, Flags: q.flags, Type: q.t, Ops: q.ops, Fold: Constant}
	if q.op == ir.OpCall {
		if p.Intr = q.f.CalledIntrinsic(q.v); p.Intr == ir.NoIntrinsic {
			return ir.None
		}
		p.Ops = q.ops[:len(q.f.Args(q.v))]
	}
	for c, i := rules.Get().Next(p, 0); c != nil; c, i = rules.Get().Next(p, i) {
		if r := p.Result(c, nil); r != ir.None && r != q.v && q.f.TypeOf(r) == q.t {
			return r
		}
	}
	return ir.None
}
