package prepare

import (
	"math/big"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// vpExpander replaces vector-predicated intrinsics (llvm.vp.*) by operations on
// whole vectors. An element is active if the mask selects it and its index is
// below the explicit vector length; the results of the others are poison, so that
// most operations may compute them as well.
type vpExpander struct {
	emitter
	f    *ir.Function
	v    ir.Value   // the current call
	t    ir.Type    // the type of its result
	args []ir.Value // its arguments without metadata
	pred string     // its predicate
}

const vpPrefix = "llvm.vp."

// vpOps maps intrinsics to instructions.
var vpOps = lazy.Value[map[ir.Intrinsic]ir.Op]{Make: func() map[ir.Intrinsic]ir.Op {
	return map[ir.Intrinsic]ir.Op{
		ir.IntrVpAdd: ir.OpAdd, ir.IntrVpSub: ir.OpSub, ir.IntrVpMul: ir.OpMul, ir.IntrVpShl: ir.OpShl, ir.IntrVpLshr: ir.OpLShr, ir.IntrVpAshr: ir.OpAShr,
		ir.IntrVpAnd: ir.OpAnd, ir.IntrVpOr: ir.OpOr, ir.IntrVpXor: ir.OpXor,
		ir.IntrVpSdiv: ir.OpSDiv, ir.IntrVpUdiv: ir.OpUDiv, ir.IntrVpSrem: ir.OpSRem, ir.IntrVpUrem: ir.OpURem,
		ir.IntrVpFadd: ir.OpFAdd, ir.IntrVpFsub: ir.OpFSub, ir.IntrVpFmul: ir.OpFMul, ir.IntrVpFdiv: ir.OpFDiv, ir.IntrVpFrem: ir.OpFRem,
		ir.IntrVpFneg: ir.OpFNeg, ir.IntrVpIcmp: ir.OpICmp, ir.IntrVpFcmp: ir.OpFCmp,
		ir.IntrVpTrunc: ir.OpTrunc, ir.IntrVpZext: ir.OpZExt, ir.IntrVpSext: ir.OpSExt, ir.IntrVpFptrunc: ir.OpFPTrunc, ir.IntrVpFpext: ir.OpFPExt,
		ir.IntrVpFptoui: ir.OpFPToUI, ir.IntrVpFptosi: ir.OpFPToSI, ir.IntrVpUitofp: ir.OpUIToFP, ir.IntrVpSitofp: ir.OpSIToFP,
		ir.IntrVpPtrtoint: ir.OpPtrToInt, ir.IntrVpInttoptr: ir.OpIntToPtr,
	}
}}

// vpForms maps the intrinsics that need more than an operation on all elements
// to their functions.
var vpForms lazy.Value[map[ir.Intrinsic]func(x *vpExpander) ir.Value]

func makeVPForms() map[ir.Intrinsic]func(x *vpExpander) ir.Value {
	return map[ir.Intrinsic]func(x *vpExpander) ir.Value{
		ir.IntrVpSelect: (*vpExpander).choose, ir.IntrVpMerge: (*vpExpander).merge,
		ir.IntrVpLoad:    func(x *vpExpander) ir.Value { return x.access(ir.IntrMaskedLoad, 0) },
		ir.IntrVpGather:  func(x *vpExpander) ir.Value { return x.access(ir.IntrMaskedGather, 0) },
		ir.IntrVpStore:   func(x *vpExpander) ir.Value { return x.access(ir.IntrMaskedStore, 1) },
		ir.IntrVpScatter: func(x *vpExpander) ir.Value { return x.access(ir.IntrMaskedScatter, 1) },
		ir.IntrVpRoundtozero: func(x *vpExpander) ir.Value {
			return x.plain(ir.IntrTrunc, x.operands())
		},
	}
}

// expandVP expands the vector-predicated intrinsics of a function.
func expandVP(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[vpExpander](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	var list []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if id := f.CalledIntrinsic(v); id != ir.NoIntrinsic && strings.HasPrefix(id.String(), vpPrefix) {
				list = append(list, v)
			}
		}
	}
	changed := false
	for _, v := range list {
		changed = x.expand(v) || changed
	}
	return changed
}

// expand expands one call. It returns false if the intrinsic is kept.
func (x *vpExpander) expand(v ir.Value) bool {
	f := x.f
	x.v, x.t, x.args, x.pred = v, f.TypeOf(v), x.args[:0], ""
	for _, o := range f.Args(v) {
		if f.TypeOf(o.Value) == ir.MD {
			x.pred, _ = x.M.MDString(o.Value.Metadata())
		} else {
			x.args = append(x.args, o.Value)
		}
	}
	x.Before(v)
	x.Fast = f.Instr(v).Flags & ir.FastMath
	n := x.lower(f.CalledIntrinsic(v))
	x.Fast = 0
	if n == ir.None {
		return false
	}
	if x.t != ir.Void {
		x.replace(v, n)
	}
	f.Erase(v)
	return true
}

// lower returns the replacement of the current call, or None.
func (x *vpExpander) lower(id ir.Intrinsic) ir.Value {
	if form := vpForms.From(makeVPForms)[id]; form != nil {
		return form(x)
	}
	ops := x.operands()
	switch op := vpOps.Get()[id]; {
	case op == ir.OpICmp, op == ir.OpFCmp:
		return x.compare(op, ops)
	case op == ir.OpFNeg:
		return x.FNeg(ops[0])
	case op.IsBinary():
		if divides(op) { // by zero, in elements that are not active
			t := x.f.TypeOf(ops[1])
			ops[1] = x.pick(x.active(x.mask()), ops[1], x.M.Splat(t, x.M.NewInt(x.M.Scalar(t), 1)))
		}
		return x.Binary(op, ops[0], ops[1], 0)
	case op != ir.OpNone:
		return x.Cast(op, ops[0], x.t, 0)
	}
	name := strings.TrimPrefix(id.String(), vpPrefix)
	if kind, ok := strings.CutPrefix(name, "reduce."); ok {
		return x.reduce(ir.LookupIntrinsic("llvm.vector.reduce." + kind))
	}
	if plain := ir.LookupIntrinsic("llvm." + name); plain != ir.NoIntrinsic {
		return x.plain(plain, ops)
	}
	return ir.None
}

// divides reports whether an operation on integers fails for a divisor of 0.
func divides(op ir.Op) bool {
	return op == ir.OpSDiv || op == ir.OpUDiv || op == ir.OpSRem || op == ir.OpURem
}

// operands returns the arguments before the mask and the length.
func (x *vpExpander) operands() []ir.Value { return x.args[:len(x.args)-2] }

func (x *vpExpander) mask() ir.Value { return x.args[len(x.args)-2] }

// active returns the mask of the active elements.
func (x *vpExpander) active(mask ir.Value) ir.Value {
	m := x.M
	n := m.NumElements(x.f.TypeOf(mask))
	length := x.args[len(x.args)-1]
	if k, ok := m.IntValue(length); ok && k >= n {
		return mask
	}
	numbers := make([]ir.Value, n)
	for i := range numbers {
		numbers[i] = m.NewInt(ir.I32, uint64(i))
	}
	below := x.FoldCompare(ir.ICmpULT, m.NewAggregate(m.VectorType(ir.I32, n), numbers), x.Emitter.Splat(length, n))
	return x.Op(ir.OpAnd, mask, below)
}

// compare returns the comparison with the call's predicate, or None if there is
// no such predicate.
func (x *vpExpander) compare(op ir.Op, ops []ir.Value) ir.Value {
	first, last := ir.ICmpEQ, ir.ICmpSLE
	if op == ir.OpFCmp {
		first, last = ir.FCmpFalse, ir.FCmpTrue
	}
	for p := first; p <= last; p++ {
		if p.String() == x.pred {
			return x.Compare(p, ops[0], ops[1])
		}
	}
	return ir.None
}

// choose is llvm.vp.select: the mask selects between two vectors.
func (x *vpExpander) choose() ir.Value { return x.pick(x.args[0], x.args[1], x.args[2]) }

// merge is llvm.vp.merge: elements past the length are the second vector's.
func (x *vpExpander) merge() ir.Value {
	return x.pick(x.active(x.args[0]), x.args[1], x.args[2])
}

// pick selects elements. Flags would make an element poison for the sake of the
// value that is not selected.
func (x *vpExpander) pick(mask, a, b ir.Value) ir.Value {
	fast := x.Fast
	x.Fast = 0
	v := x.Select(mask, a, b)
	x.Fast = fast
	return v
}

// plain calls an intrinsic on whole vectors.
func (x *vpExpander) plain(id ir.Intrinsic, args []ir.Value) ir.Value {
	params := make([]ir.Type, len(args))
	for i, a := range args {
		params[i] = x.f.TypeOf(a)
	}
	over, ok := x.M.MatchIntrinsic(id, x.M.FuncType(x.t, params, false))
	if !ok {
		return ir.None
	}
	return x.Call(x.M.DeclareIntrinsic(id, over...), args...)
}

// access calls a masked intrinsic whose address is the argument with a number.
func (x *vpExpander) access(id ir.Intrinsic, address int) ir.Value {
	m := x.M
	active := x.active(x.mask())
	args := append(x.operands()[:address+1:address+1], active)
	if x.t != ir.Void {
		args = append(args, m.Poison(x.t))
	}
	n := x.plain(id, args)
	if n == ir.None {
		return n
	}
	set := m.AttrsAt(x.f.CallAttrs(x.v), ir.AttrParams+address)
	x.f.SetCallAttrs(n, m.WithAttrsAt(x.f.CallAttrs(n), ir.AttrParams+address, set))
	return n
}

// reduce calls a reduction of the active elements and the start value.
func (x *vpExpander) reduce(id ir.Intrinsic) ir.Value {
	m, start, vector := x.M, x.args[0], x.args[1]
	neutral := x.neutral(id)
	if neutral == ir.None {
		return ir.None
	}
	t := x.f.TypeOf(vector)
	vector = x.pick(x.active(x.mask()), vector, m.Splat(t, neutral))
	if id == ir.IntrVectorReduceFadd || id == ir.IntrVectorReduceFmul {
		return x.plain(id, []ir.Value{start, vector})
	}
	n := x.plain(id, []ir.Value{vector})
	r := reductions.Get()[id]
	if r.op != ir.OpNone {
		return x.Binary(r.op, start, n, 0)
	}
	return x.plain(r.id, []ir.Value{start, n})
}

// neutralInts holds the integers that do not change a reduction, by their width.
var neutralInts = lazy.Value[map[ir.Intrinsic]func(bits uint) *big.Int]{Make: func() map[ir.Intrinsic]func(bits uint) *big.Int {
	number := func(n int64) func(uint) *big.Int {
		return func(uint) *big.Int { return big.NewInt(n) }
	}
	least := func(bits uint) *big.Int { return new(big.Int).Lsh(big.NewInt(-1), bits-1) }
	most := func(bits uint) *big.Int { return new(big.Int).Not(least(bits)) }
	return map[ir.Intrinsic]func(bits uint) *big.Int{
		ir.IntrVectorReduceAdd: number(0), ir.IntrVectorReduceOr: number(0), ir.IntrVectorReduceXor: number(0), ir.IntrVectorReduceUmax: number(0),
		ir.IntrVectorReduceMul: number(1), ir.IntrVectorReduceAnd: number(-1), ir.IntrVectorReduceUmin: number(-1),
		ir.IntrVectorReduceSmax: least, ir.IntrVectorReduceSmin: most,
	}
}}

// neutral returns the element that does not change a reduction of the call's
// type, or None.
func (x *vpExpander) neutral(id ir.Intrinsic) ir.Value {
	m := x.M
	if !m.IsInt(x.t) {
		return x.neutralFloat(id)
	}
	n := neutralInts.Get()[id]
	if n == nil {
		return ir.None
	}
	return m.NewBig(x.t, n(uint(m.IntBits(x.t))))
}

// neutralFloat is neutral for floating-point types. Minima and maxima of numbers
// ignore a NaN, unless flags make it poison.
func (x *vpExpander) neutralFloat(id ir.Intrinsic) ir.Value {
	most, ok := mostOf.Get()[x.t]
	if !ok {
		return ir.None
	}
	sign, infinity := uint64(1)<<(x.M.SizeInBits(x.t)-1), most+1
	farthest := infinity
	if x.Fast&ir.NoInfs != 0 {
		farthest = most
	}
	nan := infinity | (infinity&-infinity)>>1
	if x.Fast&ir.NoNaNs != 0 {
		nan = farthest
		if id == ir.IntrVectorReduceFmax {
			nan |= sign
		}
	}
	bits, ok := map[ir.Intrinsic]uint64{
		ir.IntrVectorReduceFadd: sign, ir.IntrVectorReduceFmul: infinity >> 1 & infinity, // -0 and 1
		ir.IntrVectorReduceFmin: nan, ir.IntrVectorReduceFmax: nan,
		ir.IntrVectorReduceFminimum: farthest, ir.IntrVectorReduceFmaximum: farthest | sign,
	}[id]
	if !ok {
		return ir.None
	}
	return x.M.NewFloatBits(x.t, bits)
}
