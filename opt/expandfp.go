package opt

import (
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// fpExpander makes operations that the processor has of floating-point operations that it does not have. Rows of fpTable
// say what becomes of an operation.
//
// What is left for selection, of scalars where nothing else is said:
//
//   - fneg, fadd, fsub, fmul, fcmp, select of float and double; of half and <2 x half> where the processor has them (gfx8 and gfx9
//     on). fdiv and frem never.
//   - fptosi and fptoui from float and double to i32; sitofp and uitofp from i32 to float and double, from i1 to half (gfx8
//     on) as well; fpext half to float, float to double; fptrunc double to float, float to half (gfx950: to bfloat).
//   - of half (gfx8 on), float and double: llvm.fabs, llvm.copysign, llvm.canonicalize, llvm.fma, llvm.floor, llvm.ceil, llvm.trunc,
//     llvm.rint, llvm.minnum and llvm.maxnum (v_min and v_max as they are: what needs quiet operands has llvm.canonicalize around
//     them), llvm.minimum and llvm.maximum (gfx12 on), llvm.ldexp with an i32 exponent (of half i16),
//     llvm.amdgcn.frexp.mant and llvm.amdgcn.frexp.exp (i32, of half i16), llvm.amdgcn.class, llvm.amdgcn.rcp, llvm.amdgcn.rsq. gfx6 has no
//     floor, ceil, trunc and rint of double.
//   - of float and double: llvm.amdgcn.div.scale, llvm.amdgcn.div.fmas; of half (gfx8 on) too: llvm.amdgcn.div.fixup;
//     llvm.fptosi.sat and llvm.fptoui.sat to i32, which are what v_cvt_i32 and v_cvt_u32 do.
//   - of half (gfx8 on) and float: llvm.amdgcn.sqrt, llvm.amdgcn.exp2, llvm.amdgcn.log, llvm.amdgcn.sin, llvm.amdgcn.cos, llvm.amdgcn.fract;
//     of float: llvm.amdgcn.fmul.legacy.
//   - of i32: llvm.ctlz (zero gives 32), llvm.amdgcn.sffbh, llvm.umin, llvm.smin, llvm.smax.
//
// bfloat is only loaded, stored, chosen and handed on; its arithmetic is that of float with integer operations around it.
//
// The mode for denormals is never switched: where it is not the one that a sequence needs, another sequence is used. Operations that nothing is
// known for (llvm.tan, constrained ones in another environment than the default, …) stay as they are, for selection to refuse.
type fpExpander struct {
	emitter
	f *ir.Function

	f32, other denormMode // of float; of half and double

	half      bool // half has instructions
	packed    bool // <2 x half> has
	gfx6      bool
	minimum   bool // v_minimum
	trigRange bool // v_sin and v_cos take some turns only
	mad       bool // v_mad_f32
	fastFMA   bool
	fmac      bool // v_fmac_f32
	cvtBF16   bool // v_cvt_pk_bf16_f32
	ieee      bool // v_min and v_max make signalling NaNs quiet and give them
}

// denormMode is what becomes of denormal numbers.
type denormMode uint8

const (
	denormKeep    denormMode = iota
	denormFlush              // sources and results become 0
	denormUnknown            // one of them does, or it is not known
)

// fpRule is what becomes of an operation.
type fpRule struct {
	// want reports whether an operation is expanded; nil is always. t is the type of the result.
	want func(x *fpExpander, v ir.Value, t ir.Type) bool
	// expand gives the value that takes the place of a scalar operation, None to leave it.
	expand func(x *fpExpander, v ir.Value) ir.Value
	vector bool // expand does vectors too
	bfloat bool // of the rules for small types: not for half, which has another one
}

// expandFP expands floating-point operations that the processor does not have (AMDGPUCodeGenPrepare, ExpandFp and SITargetLowering in
// LLVM 22). Vectors are taken apart where that is needed.
func expandFP(ctx *Context, f *ir.Function) bool {
	x := scratchOf[fpExpander](ctx)
	x.reset(ctx, f)
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			rule := x.rule(v)
			if rule == nil || rule.want != nil && !rule.want(x, v, f.TypeOf(v)) {
				v = next
				continue
			}
			before := f.Prev(v)
			if n := x.apply(rule, v); n != ir.None {
				changed = true
				x.replace(v, n)
				// what is new may need an expansion, too
				if next = f.First(b); before != ir.None {
					next = f.Next(before)
				}
			}
			v = next
		}
	}
	return changed
}

// reset learns the processor and the modes of a function.
func (x *fpExpander) reset(ctx *Context, f *ir.Function) {
	x.f, x.F, x.m, x.Fast = f, f, f.Module(), 0
	known := ctx.Target != nil
	has := func(t target.Feature) bool { return !known || ctx.Target.Has(t) }
	x.half, x.packed = !known || ctx.isGPU(target.GFX8), !known || ctx.isGPU(target.GFX9)
	x.gfx6 = known && ctx.Target.Processor.Gen.Major() == 6
	x.minimum = ctx.isGPU(target.GFX12)
	x.trigRange = !known || ctx.Target.Processor.Gen.Major() < 9
	x.mad = known && !ctx.isGPU(target.GFX940) && !ctx.isGPU(target.GFX10_3)
	x.fastFMA, x.fmac = has(target.FeatureFastFMA), has(target.FeatureDLInsts)
	x.cvtBF16 = ctx.isGPU(target.GFX950) || ctx.isGPU(target.GFX12_5)
	x.ieee = !x.minimum && fnString(f, "amdgpu-ieee") != "false"
	x.other = parseDenormMode(fnString(f, "denormal-fp-math"))
	x.f32 = x.other
	if s := fnString(f, "denormal-fp-math-f32"); s != "" {
		x.f32 = parseDenormMode(s)
	}
}

// parseDenormMode reads "result,sources" of an attribute; one word stands for both.
func parseDenormMode(s string) denormMode {
	switch s {
	case "", "ieee", "ieee,ieee":
		return denormKeep
	case "preserve-sign", "preserve-sign,preserve-sign", "positive-zero", "positive-zero,positive-zero":
		return denormFlush
	}
	return denormUnknown
}

// denorm gives the mode of a scalar type.
func (x *fpExpander) denorm(t ir.Type) denormMode {
	if t == ir.Float {
		return x.f32
	}
	return x.other
}

// rule gives the row of an operation, nil when it has none.
func (x *fpExpander) rule(v ir.Value) *fpRule {
	op, id := x.f.Op(v), ir.NoIntrinsic
	if op == ir.OpCall {
		if id = x.f.CalledIntrinsic(v); id == ir.NoIntrinsic || !x.isFloating(v) {
			return nil
		}
	}
	if r := x.smallRule(v, op, id); r != nil {
		return r
	}
	switch {
	case id >= ir.IntrExperimentalConstrainedAcos && id <= ir.IntrExperimentalConstrainedUitofp:
		return &constrainedRule
	case id != ir.NoIntrinsic:
		return fpIntrinsics.Get()[id]
	}
	return fpOps[op]
}

// isFloating reports whether the result or the first operand of a call is floating-point.
func (x *fpExpander) isFloating(v ir.Value) bool {
	return x.m.IsFloatOrFloatVector(x.f.TypeOf(v)) || x.m.IsFloatOrFloatVector(x.f.TypeOf(x.f.Operand(v, 0)))
}

// apply expands an operation, element by element where it must be.
func (x *fpExpander) apply(rule *fpRule, v ir.Value) ir.Value {
	x.Before(v)
	if rule.vector || !x.hasVector(v) {
		return rule.expand(x, v)
	}
	return x.takeApart(v)
}

// hasVector reports whether the result or an operand is a vector.
func (x *fpExpander) hasVector(v ir.Value) bool {
	return x.m.IsVector(x.f.TypeOf(v)) || x.m.IsVector(x.f.TypeOf(x.f.Operand(v, 0)))
}

// takeApart makes the same operation on each element of vectors. A result of several vectors is a struct.
func (x *fpExpander) takeApart(v ir.Value) ir.Value {
	m := x.m
	t := x.f.TypeOf(v)
	if m.IsVector(t) {
		sum := m.Poison(t)
		for i := range m.NumElements(t) {
			at := m.NewInt(ir.I64, i)
			sum = x.InsertElement(sum, x.scalarCopy(v, m.Scalar(t), at), at)
		}
		return sum
	}
	fields := make([]ir.Type, m.NumElements(t))
	parts := make([]ir.Value, len(fields))
	for j := range fields {
		field := m.ElementType(t, uint64(j))
		fields[j], parts[j] = m.Scalar(field), m.Poison(field)
	}
	scalars := m.StructType(fields, false)
	for i := range m.NumElements(m.ElementType(t, 0)) {
		at := m.NewInt(ir.I64, i)
		one := x.scalarCopy(v, scalars, at)
		for j := range parts {
			parts[j] = x.InsertElement(parts[j], x.ExtractValue(one, uint32(j)), at)
		}
	}
	sum := m.Poison(t)
	for j, p := range parts {
		sum = x.InsertValue(sum, p, uint32(j))
	}
	return sum
}

// scalarCopy makes the operation v on one element, with its flags and metadata; t is the type of the result.
func (x *fpExpander) scalarCopy(v ir.Value, t ir.Type, at ir.Value) ir.Value {
	f, m := x.f, x.m
	var few [4]ir.Value
	args := few[:0]
	for _, a := range x.operands(v) {
		if m.IsVector(f.TypeOf(a.Value)) {
			args = append(args, x.element(a.Value, at))
		} else {
			args = append(args, a.Value)
		}
	}
	var c ir.Value
	if f.Op(v) == ir.OpCall {
		c = x.callOf(f.CalledIntrinsic(v), t, args)
	} else {
		c = x.Make(f.Op(v), t, args...)
		f.Instr(c).Sub = f.Instr(v).Sub
	}
	f.Instr(c).Flags = f.Instr(v).Flags
	f.CopyAttachments(c, v)
	return c
}

// operands gives the operands of an operation, without the function that is called.
func (x *fpExpander) operands(v ir.Value) []ir.Operand {
	if x.f.Op(v) == ir.OpCall {
		return x.f.Args(v)
	}
	return x.f.Operands(v)
}

// element takes an element out of a vector.
func (x *fpExpander) element(v, at ir.Value) ir.Value {
	if x.plain(v) {
		if c := x.m.ExtractElementConst(v, at); x.m.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return x.ExtractElement(v, at)
}

// replace puts n in the place of v.
func (x *fpExpander) replace(v, n ir.Value) {
	f := x.f
	if name := f.NameOf(v); name != nil && n.IsLocal() && !f.HasName(n) {
		f.SetName(n, name)
	}
	x.replaceParts(v, n)
	f.ReplaceUses(v, n)
	f.Erase(v)
	for n.IsLocal() && f.Op(n) == ir.OpInsertValue && !f.HasUses(n) && f.FirstRecordUse(n) == 0 {
		unused := n
		n = f.Operand(n, 0)
		f.Erase(unused)
	}
}

// replaceParts replaces what takes an element out of v with what n, a struct that is made here, has there.
func (x *fpExpander) replaceParts(v, n ir.Value) {
	f := x.f
	for u := f.FirstUse(v); u != 0; {
		user := f.User(u)
		u = f.NextUse(u)
		if f.Op(user) != ir.OpExtractValue {
			continue
		}
		for part := n; part.IsLocal() && f.Op(part) == ir.OpInsertValue; part = f.Operand(part, 0) {
			if slices.Equal(f.Indices(part), f.Indices(user)) {
				f.ReplaceUses(user, f.Operand(part, 1))
				f.Erase(user)
				break
			}
		}
	}
}

// intr calls an intrinsic that has one overloaded type, that of its first operand.
func (x *fpExpander) intr(id ir.Intrinsic, args ...ir.Value) ir.Value {
	return x.Call(x.m.DeclareIntrinsic(id, x.f.TypeOf(args[0])), args...)
}

func (x *fpExpander) fma(a, b, c ir.Value) ir.Value { return x.intr(ir.IntrFma, a, b, c) }
func (x *fpExpander) fmul(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFMul, a, b, 0) }
func (x *fpExpander) fadd(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFAdd, a, b, 0) }
func (x *fpExpander) fsub(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFSub, a, b, 0) }
func (x *fpExpander) rcp(a ir.Value) ir.Value       { return x.intr(ir.IntrAMDGCNRcp, a) }
func (x *fpExpander) fabs(a ir.Value) ir.Value      { return x.intr(ir.IntrFabs, a) }
func (x *fpExpander) i32(n int) ir.Value            { return x.m.NewSigned(ir.I32, int64(n)) }

// ldexp multiplies by two to the power of n, an i32.
func (x *fpExpander) ldexp(a, n ir.Value) ir.Value {
	return x.Call(x.m.DeclareIntrinsic(ir.IntrLdexp, x.f.TypeOf(a), ir.I32), a, n)
}

// frexp gives the significand, from 0.5 to below 1, and the exponent, an i32. Of infinities and NaNs gfx6 gives neither.
func (x *fpExpander) frexp(a ir.Value) (mant, exp ir.Value) {
	t := x.f.TypeOf(a)
	exp = x.Call(x.m.DeclareIntrinsic(ir.IntrAMDGCNFrexpExp, ir.I32, t), a)
	return x.intr(ir.IntrAMDGCNFrexpMant, a), exp
}

// frexpAny is frexp that gives infinities and NaNs themselves and an exponent of 0.
func (x *fpExpander) frexpAny(a ir.Value) (mant, exp ir.Value) {
	mant, exp = x.frexp(a)
	if x.gfx6 {
		finite := x.Compare(ir.FCmpOLT, x.fabs(a), x.num(x.f.TypeOf(a), math.Inf(1)))
		mant, exp = x.Select(finite, mant, a), x.Select(finite, exp, x.i32(0))
	}
	return mant, exp
}

// isClass tests a class of llvm.is.fpclass.
func (x *fpExpander) isClass(a ir.Value, mask uint64) ir.Value {
	return x.intr(ir.IntrAMDGCNClass, a, x.m.NewInt(ir.I32, mask))
}

// Classes of llvm.is.fpclass.
const (
	classZero   = 0x60
	classPosInf = 0x200
)

// num gives a constant of a scalar type that is one of its numbers.
func (x *fpExpander) num(t ir.Type, n float64) ir.Value {
	if t == ir.Half {
		return x.m.NewFloatBits(t, halfBits(n))
	}
	return x.m.NewFloat(t, n)
}

// halfBits gives the bits of a half, for normal numbers, zeros and infinities.
func halfBits(n float64) uint64 {
	b := math.Float64bits(n)
	sign, exp := b>>63<<15, int(b>>52&0x7ff)
	switch {
	case n == 0:
		return sign
	case math.IsInf(n, 0):
		return sign | 0x7c00
	}
	return sign | uint64(exp-1023+15)<<10 | b>>42&0x3ff
}

// isNum reports whether v is the constant n of its type.
func (x *fpExpander) isNum(v ir.Value, n float64) bool {
	t := x.f.TypeOf(v)
	return (t == ir.Half || t == ir.Float || t == ir.Double) && v == x.num(t, n)
}

// accuracy gives how many ULP !fpmath lets an operation be off, 0 for none.
func (x *fpExpander) accuracy(v ir.Value) float64 {
	node := x.f.Attachment(v, ir.MDFPMath)
	if node == 0 {
		return 0
	}
	ops := x.m.MDOperands(node)
	if len(ops) != 1 {
		return 0
	}
	b, ok := x.m.FloatBits(x.m.MDValue(ops[0]))
	if !ok {
		return 0
	}
	return float64(math.Float32frombits(uint32(b)))
}

// flags gives the fast-math flags of an operation.
func (x *fpExpander) flags(v ir.Value) ir.Flags { return x.f.Instr(v).Flags & ir.FastMath }
