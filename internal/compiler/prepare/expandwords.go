package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// wordRule specifies how expandToWord changes an intrinsic on values of any
// type.
type wordRule struct {
	args     uint8   // the arguments of that type, as bits
	flag     ir.Type // the integer that replaces i1, or Void
	pointers bool    // pointers become integers
	global   bool    // flat pointers become pointers to global memory
}

// wordRules holds the intrinsics that selection does not support for some types
// that llc supports: operations between lanes and buffer accesses of i1,
// operations on pointers that compute, and loads to LDS from flat pointers, which
// llc assumes to point to global memory.
var wordRules = lazy.Value[map[ir.Intrinsic]wordRule]{Make: func() map[ir.Intrinsic]wordRule {
	rules := map[ir.Intrinsic]wordRule{}
	add := func(rule wordRule, list ...ir.Intrinsic) {
		for _, id := range list {
			rules[id] = rule
		}
	}
	add(wordRule{args: 1, flag: ir.I32}, ir.IntrAMDGCNReadlane, ir.IntrAMDGCNReadfirstlane, ir.IntrAMDGCNPermlane64, ir.IntrAMDGCNMovDpp8)
	add(wordRule{args: 1 | 1<<2, flag: ir.I32}, ir.IntrAMDGCNWritelane)
	add(wordRule{args: 1 | 1<<1, flag: ir.I32}, ir.IntrAMDGCNPermlane16, ir.IntrAMDGCNPermlanex16, ir.IntrAMDGCNUpdateDpp)
	add(wordRule{flag: ir.I8}, ir.IntrAMDGCNRawBufferLoad, ir.IntrAMDGCNRawPtrBufferLoad, ir.IntrAMDGCNStructBufferLoad, ir.IntrAMDGCNStructPtrBufferLoad,
		ir.IntrAMDGCNRawAtomicBufferLoad, ir.IntrAMDGCNRawPtrAtomicBufferLoad, ir.IntrAMDGCNStructAtomicBufferLoad, ir.IntrAMDGCNStructPtrAtomicBufferLoad)
	add(wordRule{args: 1, flag: ir.I8}, ir.IntrAMDGCNRawBufferStore, ir.IntrAMDGCNRawPtrBufferStore, ir.IntrAMDGCNStructBufferStore, ir.IntrAMDGCNStructPtrBufferStore)
	add(wordRule{args: 1, flag: ir.Void, pointers: true}, ir.IntrAMDGCNWaveShuffle, ir.IntrAMDGCNWaveReduceAdd, ir.IntrAMDGCNWaveReduceSub,
		ir.IntrAMDGCNWaveReduceAnd, ir.IntrAMDGCNWaveReduceOr, ir.IntrAMDGCNWaveReduceXor, ir.IntrAMDGCNWaveReduceUmin, ir.IntrAMDGCNWaveReduceUmax,
		ir.IntrAMDGCNWaveReduceMin, ir.IntrAMDGCNWaveReduceMax)
	add(wordRule{args: 1, flag: ir.Void, global: true}, ir.IntrAMDGCNLoadToLds)
	return rules
}}

// replacement returns the type that replaces a type, or Void for none.
func (r *wordRule) replacement(m *ir.Module, t ir.Type) ir.Type {
	switch {
	case r.global && t == ir.Ptr:
		return m.PtrType(addrspace.Global)
	case t == ir.I1:
		return r.flag
	case r.pointers && m.Kind(t) == ir.KindPtr:
		return m.IntType(int(m.SizeInBits(t)))
	}
	return ir.Void
}

// wordType returns the rule of a call, and the type on which it becomes a call,
// or Void if it remains.
func (x *intrinsicExpander) wordType(v ir.Value) (r wordRule, to ir.Type) {
	f := x.f
	r, ok := wordRules.Get()[f.CalledIntrinsic(v)]
	if !ok {
		return r, ir.Void
	}
	t := f.TypeOf(v)
	if t == ir.Void {
		t = f.TypeOf(f.Operand(v, 0))
	}
	return r, r.replacement(x.M, t)
}

// widensCompare reports whether a call compares numbers of 16 bits, for which the
// machine has no instructions.
func (x *intrinsicExpander) widensCompare(v ir.Value) bool {
	switch x.f.CalledIntrinsic(v) {
	case ir.IntrAMDGCNIcmp:
		return x.words && x.f.TypeOf(x.f.Operand(v, 0)) == ir.I16
	case ir.IntrAMDGCNFcmp:
		return x.words && x.f.TypeOf(x.f.Operand(v, 0)) == ir.Half
	}
	return false
}

// widenCompare replaces a comparison of 16-bit numbers in all lanes by one of 32
// bits.
func (x *intrinsicExpander) widenCompare(v ir.Value) {
	f := x.f
	id, op, to := f.CalledIntrinsic(v), ir.OpZExt, ir.I32
	p, _ := x.M.IntValue(f.Operand(v, 2))
	switch {
	case id == ir.IntrAMDGCNFcmp:
		op, to = ir.OpFPExt, ir.Float
	case ir.Pred(p).IsSigned():
		op = ir.OpSExt
	}
	a, b := x.FoldCast(op, f.Operand(v, 0), to), x.FoldCast(op, f.Operand(v, 1), to)
	x.replace(v, x.Call(x.M.DeclareIntrinsic(id, f.TypeOf(v), to), a, b, f.Operand(v, 2)))
	f.Erase(v)
}

// expandToWord replaces a call on i1 or pointers by a call on integers.
func (x *intrinsicExpander) expandToWord(v ir.Value) {
	f := x.f
	r, to := x.wordType(v)
	var args []ir.Value
	for n, a := range f.Args(v) {
		switch {
		case r.args>>n&1 == 0:
			args = append(args, a.Value)
		case r.global:
			args = append(args, x.FoldCast(ir.OpAddrSpaceCast, a.Value, to))
		case f.TypeOf(a.Value) == ir.I1:
			args = append(args, x.FoldCast(ir.OpZExt, a.Value, to))
		default:
			args = append(args, x.FoldCast(ir.OpPtrToInt, a.Value, to))
		}
	}
	out := x.Call(x.M.DeclareIntrinsic(f.CalledIntrinsic(v), to), args...)
	switch t := f.TypeOf(v); {
	case t == ir.I1:
		x.replace(v, x.FoldCast(ir.OpTrunc, out, t))
	case t != ir.Void:
		x.replace(v, x.FoldCast(ir.OpIntToPtr, out, t))
	}
	f.Erase(v)
}
