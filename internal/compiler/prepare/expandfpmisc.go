package prepare

import (
	"math"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// wantLdexp is the condition for llvm.ldexp: v_ldexp_f16 has a 16-bit exponent,
// the others have 32 bits.
func wantLdexp(x *fpExpander, v ir.Value, t ir.Type) bool {
	s := x.M.Scalar(t)
	return isExpandable(s) && x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 1))) != ldexpExponent(s)
}

func ldexpExponent(t ir.Type) ir.Type {
	if t == ir.Half {
		return ir.I16
	}
	return ir.I32
}

// fpLdexp limits the exponent of llvm.ldexp to the supported range.
func fpLdexp(x *fpExpander, v ir.Value) ir.Value {
	f, m := x.f, x.M
	a, e := f.Operand(v, 0), f.Operand(v, 1)
	to, from := ldexpExponent(f.TypeOf(a)), f.TypeOf(e)
	wide := m.IntBits(from) > m.IntBits(to)
	if m.IntBits(from) < 32 {
		from = ir.I32
		e = x.FoldCast(ir.OpSExt, e, from)
	}
	if wide {
		n := m.IntBits(to)
		low, high := m.NewSigned(from, -1<<(n-1)), m.NewSigned(from, 1<<(n-1)-1)
		e = x.Select(x.Compare(ir.ICmpSLT, e, low), low, e)
		e = x.Select(x.Compare(ir.ICmpSGT, e, high), high, e)
	}
	e = x.resizeInt(e, to, true)
	return x.Call(m.DeclareIntrinsic(ir.IntrLdexp, f.TypeOf(a), to), a, e)
}

func wantFrexp(x *fpExpander, v ir.Value, _ ir.Type) bool {
	s := x.M.Scalar(x.f.TypeOf(x.f.Operand(v, 0)))
	return s == ir.BFloat || isExpandable(s)
}

// fpFrexp expands llvm.frexp to the operations for significand and exponent.
// The gfx6 operations do not handle infinities and NaNs.
func fpFrexp(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a, t := f.Operand(v, 0), f.TypeOf(v)
	number := f.TypeOf(a)
	if x.isSmall(number) {
		a = x.extend(a)
	}
	var mant, e ir.Value
	if f.TypeOf(a) == ir.Half {
		e = x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNFrexpExp, ir.I16, ir.Half), a)
		mant = x.intr(ir.IntrAMDGCNFrexpMant, a)
	} else {
		mant, e = x.frexpAny(a)
	}
	r := x.InsertValue(x.M.Poison(t), x.shorten(mant, number), 0)
	return x.InsertValue(r, x.resizeInt(e, x.M.ElementType(t, 1), true), 1)
}

// fpModf expands llvm.modf to the fractional and the integral part, both with
// the sign of the operand.
func fpModf(x *fpExpander, v ir.Value) ir.Value {
	f := x.f
	a := f.Operand(v, 0)
	number := f.TypeOf(a)
	if x.isSmall(number) {
		a = x.extend(a)
	}
	t := f.TypeOf(a)
	whole := x.intr(ir.IntrTrunc, a)
	inf := x.Compare(ir.FCmpOEQ, x.fabs(a), x.num(t, math.Inf(1)))
	part := x.intr(ir.IntrCopysign, x.Select(inf, x.num(t, 0), x.fsub(a, whole)), a)
	r := x.M.Poison(f.TypeOf(v))
	for i, p := range [...]ir.Value{part, whole} {
		if t != number {
			p = x.shorten(p, number)
		}
		r = x.InsertValue(r, p, uint32(i))
	}
	return r
}

// fpFromHalf and fpToHalf expand llvm.convert.from.fp16 and
// llvm.convert.to.fp16: the half is an i16.
func fpFromHalf(x *fpExpander, v ir.Value) ir.Value {
	return x.FoldCast(ir.OpFPExt, x.FoldCast(ir.OpBitCast, x.f.Operand(v, 0), ir.Half), x.f.TypeOf(v))
}

func fpToHalf(x *fpExpander, v ir.Value) ir.Value {
	return x.FoldCast(ir.OpBitCast, x.FoldCast(ir.OpFPTrunc, x.f.Operand(v, 0), ir.Half), ir.I16)
}

// fpClass converts llvm.is.fpclass to llvm.amdgcn.class, which numbers the
// classes in the same way.
func fpClass(x *fpExpander, v ir.Value) ir.Value {
	mask, _ := x.M.IntValue(x.f.Operand(v, 1))
	return x.isClass(x.f.Operand(v, 0), mask)
}

// rsqUsers converts quotients of one and a root to reciprocal roots if the
// flags and !fpmath of both operations permit it.
func (x *fpExpander) rsqUsers(v ir.Value) {
	f := x.f
	rough := func(v ir.Value) bool {
		return x.flags(v)&ir.AllowContract != 0 && (x.flags(v)&ir.ApproxFunc != 0 || x.accuracy(v) >= 1)
	}
	if f.TypeOf(v) != ir.Float || !rough(v) {
		return
	}
	for u := f.FirstUse(v); u != 0; {
		user, index := f.User(u), f.UseIndex(u)
		u = f.NextUse(u)
		if f.Op(user) != ir.OpFDiv || index != 1 || !rough(user) {
			continue
		}
		one := x.isNum(f.Operand(user, 0), 1)
		if !one && !x.isNum(f.Operand(user, 0), -1) {
			continue
		}
		r := x.rsq(f.Operand(v, 0), x.flags(v)&x.flags(user)&ir.ApproxFunc != 0)
		if !one {
			r = x.FNeg(r)
		}
		x.replace(user, r)
	}
}

// rsq is v_rsq_f32 with support for denormals, unless they do not matter.
func (x *fpExpander) rsq(a ir.Value, rough bool) ir.Value {
	if rough || x.f32 == denormFlush {
		return x.intr(ir.IntrAMDGCNRsq, a)
	}
	num := func(n float64) ir.Value { return x.num(ir.Float, n) }
	tiny := x.Compare(ir.FCmpOLT, a, num(0x1p-126))
	r := x.intr(ir.IntrAMDGCNRsq, x.fmul(a, x.Select(tiny, num(0x1p+24), num(1))))
	return x.fmul(r, x.Select(tiny, num(0x1p+12), num(1)))
}

// fpDivFast expands llvm.amdgcn.fdiv.fast.
func fpDivFast(x *fpExpander, v ir.Value) ir.Value {
	return x.divFast(x.f.Operand(v, 0), x.f.Operand(v, 1))
}

// wantClamp is the condition for the absence of v_rsq_clamp, which gfx6 and gfx7
// support.
func wantClamp(x *fpExpander, _ ir.Value, t ir.Type) bool { return x.half && !x.M.IsVector(t) }

// fpRsqClamp expands llvm.amdgcn.rsq.clamp: infinities become the largest numbers.
func fpRsqClamp(x *fpExpander, v ir.Value) ir.Value {
	t := x.f.TypeOf(v)
	most := mostOf.Get()[t]
	low := most | 1<<(x.M.SizeInBits(t)-1)
	r := x.intr(ir.IntrAMDGCNRsq, x.f.Operand(v, 0))
	return x.intr(ir.IntrMaxnum, x.intr(ir.IntrMinnum, r, x.M.NewFloatBits(t, most)), x.M.NewFloatBits(t, low))
}

// mostOf holds the bits of the largest numbers of floating-point types.
var mostOf = lazy.Value[map[ir.Type]uint64]{Make: func() map[ir.Type]uint64 {
	return map[ir.Type]uint64{ir.Half: 0x7bff, ir.BFloat: 0x7f7f, ir.Float: 0x7f7fffff, ir.Double: 0x7fefffffffffffff}
}}

// constrainedOps maps constrained intrinsics to instructions.
var constrainedOps = lazy.Value[map[ir.Intrinsic]ir.Op]{Make: func() map[ir.Intrinsic]ir.Op {
	return map[ir.Intrinsic]ir.Op{
		ir.IntrExperimentalConstrainedFadd: ir.OpFAdd, ir.IntrExperimentalConstrainedFsub: ir.OpFSub, ir.IntrExperimentalConstrainedFmul: ir.OpFMul,
		ir.IntrExperimentalConstrainedFdiv: ir.OpFDiv, ir.IntrExperimentalConstrainedFrem: ir.OpFRem, ir.IntrExperimentalConstrainedFptosi: ir.OpFPToSI,
		ir.IntrExperimentalConstrainedFptoui: ir.OpFPToUI, ir.IntrExperimentalConstrainedSitofp: ir.OpSIToFP,
		ir.IntrExperimentalConstrainedUitofp: ir.OpUIToFP, ir.IntrExperimentalConstrainedFptrunc: ir.OpFPTrunc,
		ir.IntrExperimentalConstrainedFpext: ir.OpFPExt, ir.IntrExperimentalConstrainedFcmp: ir.OpFCmp, ir.IntrExperimentalConstrainedFcmps: ir.OpFCmp,
	}
}}

const constrainedPrefix = "llvm.experimental.constrained."

// fpConstrained replaces a constrained operation by a plain one. If it may round
// otherwise than to nearest, its first operand becomes opaque, so that no pass
// folds the operation or moves it before the code that sets the rounding mode.
// Exceptions are recorded only for operations whose results are used.
func fpConstrained(x *fpExpander, v ir.Value) ir.Value {
	f, m := x.f, x.M
	id := f.CalledIntrinsic(v)
	var few [4]ir.Value
	args := few[:0]
	pred, nearest := "", true
	for _, o := range f.Args(v) {
		if f.TypeOf(o.Value) != ir.MD {
			args = append(args, o.Value)
			continue
		}
		switch word, _ := m.MDString(o.Value.Metadata()); {
		case strings.HasPrefix(word, "round."):
			nearest = word == "round.tonearest"
		case !strings.Contains(word, "."):
			pred = word
		}
	}
	t := f.TypeOf(v)
	if x.hasVector(v) && (!nearest || pred != "") {
		return x.takeApart(v)
	}
	if !nearest {
		args[0] = x.opaque(args[0])
	}
	x.Fast = x.flags(v)
	defer func() { x.Fast = 0 }()
	switch op := constrainedOps.Get()[id]; {
	case op == ir.OpFCmp:
		for p := ir.FCmpFalse; p <= ir.FCmpTrue; p++ {
			if p.String() == pred {
				return x.Compare(p, args[0], args[1])
			}
		}
		return ir.None
	case op.IsBinary():
		return x.Binary(op, args[0], args[1], 0)
	case op != ir.OpNone:
		return x.Cast(op, args[0], t, 0)
	}
	plain := ir.LookupIntrinsic("llvm." + strings.TrimPrefix(id.String(), constrainedPrefix))
	if plain == ir.NoIntrinsic {
		return ir.None
	}
	return x.callOf(plain, t, args)
}

// opaque returns a scalar that no pass knows to be equal to v, computed at this
// place: the result of inline assembly with side effects.
func (x *fpExpander) opaque(v ir.Value) ir.Value {
	m := x.M
	t := x.f.TypeOf(v)
	if t == ir.I1 || m.SizeInBits(t) > wordBits {
		return v
	}
	bits := m.IntType(int(m.SizeInBits(t)))
	wide := bits
	if m.IntBits(bits) < 32 {
		wide = ir.I32
	}
	n := x.FoldCast(ir.OpZExt, x.FoldCast(ir.OpBitCast, v, bits), wide)
	kind := m.FuncType(wide, []ir.Type{wide}, false)
	n = x.CallValue(kind, m.NewAsm(ir.InlineAsm{Type: kind, Constraints: "=v,0", SideEffect: true}), n)
	return x.FoldCast(ir.OpBitCast, x.FoldCast(ir.OpTrunc, n, bits), t)
}

// callOf calls an intrinsic with the overload for a result type and arguments.
func (x *fpExpander) callOf(id ir.Intrinsic, t ir.Type, args []ir.Value) ir.Value {
	params := make([]ir.Type, len(args))
	for i, a := range args {
		params[i] = x.f.TypeOf(a)
	}
	over, ok := x.M.MatchIntrinsic(id, x.M.FuncType(t, params, false))
	if !ok {
		panic("BUG: arguments do not fit " + id.String())
	}
	return x.Call(x.M.DeclareIntrinsic(id, over...), args...)
}
