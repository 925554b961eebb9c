package prepare

import (
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// fpExpander lowers floating-point operations that the processor does not
// support. The rows of fpTable select the lowering of each operation.
//
// The following operations remain for selection, on scalars unless noted
// otherwise:
//
//   - fneg, fadd, fsub, fmul, fcmp, select of float and double; of half and <2 x half> if the
//     processor supports them (gfx8 and gfx9 on). fdiv and frem never remain.
//   - fptosi and fptoui from float and double to i32; sitofp and uitofp from i32 to float and
//     double, from i1 also to half (gfx8 on); fpext half to float, float to double; fptrunc
//     double to float, float to half (gfx950: also to bfloat).
//   - of half (gfx8 on), float and double: llvm.fabs, llvm.copysign, llvm.canonicalize,
//     llvm.fma, llvm.floor, llvm.ceil, llvm.trunc, llvm.rint, llvm.minnum and llvm.maxnum
//     (plain v_min and v_max: llvm.canonicalize surrounds operands that must be quiet),
//     llvm.minimum and llvm.maximum (gfx12 on), llvm.ldexp with an i32 exponent (half: i16),
//     llvm.amdgcn.frexp.mant and llvm.amdgcn.frexp.exp (i32, half: i16), llvm.amdgcn.class,
//     llvm.amdgcn.rcp, llvm.amdgcn.rsq. gfx6 has no floor, ceil, trunc and rint of double.
//   - of float and double: llvm.amdgcn.div.scale, llvm.amdgcn.div.fmas; also of half (gfx8
//     on): llvm.amdgcn.div.fixup; llvm.fptosi.sat and llvm.fptoui.sat to i32, which v_cvt_i32
//     and v_cvt_u32 implement.
//   - of half (gfx8 on) and float: llvm.amdgcn.sqrt, llvm.amdgcn.exp2, llvm.amdgcn.log,
//     llvm.amdgcn.sin, llvm.amdgcn.cos, llvm.amdgcn.fract; of float: llvm.amdgcn.fmul.legacy.
//   - of i32: llvm.ctlz (32 for zero), llvm.amdgcn.sffbh, llvm.umin, llvm.smin, llvm.smax.
//
// bfloat is only loaded, stored, selected and passed; its arithmetic uses
// float, with integer operations for the conversions.
//
// The denormal mode is never switched: if a sequence requires another mode,
// another sequence is used. Unsupported operations (llvm.tan, constrained
// operations in a non-default environment, …) are left unchanged, and selection
// rejects them.
type fpExpander struct {
	emitter
	f *ir.Function

	f32, other denormMode // modes of float; of half and double

	half      bool // half instructions
	packed    bool // <2 x half> instructions
	gfx6      bool
	minimum   bool // v_minimum
	trigRange bool // the range of v_sin and v_cos is limited
	mad       bool // v_mad_f32
	fastFMA   bool
	fmac      bool // v_fmac_f32
	cvtBF16   bool // v_cvt_pk_bf16_f32
	ieee      bool // v_min and v_max return signaling NaNs, quieted
}

// denormMode specifies the treatment of denormal numbers.
type denormMode uint8

const (
	denormKeep    denormMode = iota
	denormFlush              // sources and results are flushed to 0
	denormUnknown            // only one of them is flushed, or unknown
)

// fpRule is the lowering of an operation.
type fpRule struct {
	// want reports whether to expand an operation; nil means always. t is the
	// type of the result.
	want func(x *fpExpander, v ir.Value, t ir.Type) bool
	// expand returns the replacement of a scalar operation, or None to keep it.
	expand func(x *fpExpander, v ir.Value) ir.Value
	vector bool // expand also accepts vectors
	bfloat bool // rule for small types: not for half, which has a different one
}

// expandFP expands floating-point operations that the processor does not
// support (AMDGPUCodeGenPrepare, ExpandFp and SITargetLowering in LLVM 22).
// Vectors are scalarized if necessary.
func expandFP(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[fpExpander](ctx)
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
			if n := x.applyRule(rule, v); n != ir.None {
				changed = true
				x.replace(v, n)
				// The new instructions may also need expansion.
				if next = f.First(b); before != ir.None {
					next = f.Next(before)
				}
			}
			v = next
		}
	}
	return changed
}

// reset initializes x for the processor and the denormal modes of a function.
func (x *fpExpander) reset(ctx *opt.Context, f *ir.Function) {
	x.f, x.F, x.M, x.Fast = f, f, f.Module(), 0
	known := ctx.Target != nil
	has := func(t target.Feature) bool { return !known || ctx.Target.Has(t) }
	x.half, x.packed = !known || isGPU(ctx, target.GFX8), !known || isGPU(ctx, target.GFX9)
	x.gfx6 = known && ctx.Target.Processor.Gen.Major() == 6
	x.minimum = isGPU(ctx, target.GFX12)
	x.trigRange = !known || ctx.Target.Processor.Gen.Major() < 9
	x.mad = known && !isGPU(ctx, target.GFX940) && !isGPU(ctx, target.GFX10_3)
	x.fastFMA, x.fmac = has(target.FeatureFastFMA), has(target.FeatureDLInsts)
	x.cvtBF16 = isGPU(ctx, target.GFX950) || isGPU(ctx, target.GFX12_5)
	x.ieee = !x.minimum && opt.StringAttr(f, "amdgpu-ieee") != "false"
	x.other = parseDenormMode(opt.StringAttr(f, "denormal-fp-math"))
	x.f32 = x.other
	if s := opt.StringAttr(f, "denormal-fp-math-f32"); s != "" {
		x.f32 = parseDenormMode(s)
	}
}

// parseDenormMode parses the attribute value "result,sources"; a single word
// applies to both.
func parseDenormMode(s string) denormMode {
	switch s {
	case "", "ieee", "ieee,ieee":
		return denormKeep
	case "preserve-sign", "preserve-sign,preserve-sign", "positive-zero", "positive-zero,positive-zero":
		return denormFlush
	}
	return denormUnknown
}

// denorm returns the mode of a scalar type.
func (x *fpExpander) denorm(t ir.Type) denormMode {
	if t == ir.Float {
		return x.f32
	}
	return x.other
}

// rule returns the row of an operation, or nil.
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
	return x.M.IsFloatOrFloatVector(x.f.TypeOf(v)) || x.M.IsFloatOrFloatVector(x.f.TypeOf(x.f.Operand(v, 0)))
}

// applyRule expands an operation, element by element if necessary.
func (x *fpExpander) applyRule(rule *fpRule, v ir.Value) ir.Value {
	x.Before(v)
	if rule.vector || !x.hasVector(v) {
		return rule.expand(x, v)
	}
	return x.takeApart(v)
}

// hasVector reports whether the result or an operand is a vector.
func (x *fpExpander) hasVector(v ir.Value) bool {
	return x.M.IsVector(x.f.TypeOf(v)) || x.M.IsVector(x.f.TypeOf(x.f.Operand(v, 0)))
}

// takeApart applies the operation to each element of the vectors. A result of
// several vectors is a struct.
func (x *fpExpander) takeApart(v ir.Value) ir.Value {
	m := x.M
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

// scalarCopy creates operation v on one element, with its flags and metadata; t
// is the type of the result.
func (x *fpExpander) scalarCopy(v ir.Value, t ir.Type, at ir.Value) ir.Value {
	f, m := x.f, x.M
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

// operands returns the operands of an operation without the callee.
func (x *fpExpander) operands(v ir.Value) []ir.Operand {
	if x.f.Op(v) == ir.OpCall {
		return x.f.Args(v)
	}
	return x.f.Operands(v)
}

// element extracts an element of a vector.
func (x *fpExpander) element(v, at ir.Value) ir.Value {
	if x.IsPlain(v) {
		if c := x.M.ExtractElementConst(v, at); x.M.ConstKindOf(c) != ir.ConstExpr {
			return c
		}
	}
	return x.ExtractElement(v, at)
}

// replace replaces v by n.
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

// replaceParts replaces extractions from v with the elements of n, a struct
// that was built here.
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

// intr calls an intrinsic with one overloaded type, its first operand's type.
func (x *fpExpander) intr(id ir.Intrinsic, args ...ir.Value) ir.Value {
	return x.Call(x.M.DeclareIntrinsic(id, x.f.TypeOf(args[0])), args...)
}

func (x *fpExpander) fma(a, b, c ir.Value) ir.Value { return x.intr(ir.IntrFma, a, b, c) }
func (x *fpExpander) fmul(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFMul, a, b, 0) }
func (x *fpExpander) fadd(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFAdd, a, b, 0) }
func (x *fpExpander) fsub(a, b ir.Value) ir.Value   { return x.Binary(ir.OpFSub, a, b, 0) }
func (x *fpExpander) rcp(a ir.Value) ir.Value       { return x.intr(ir.IntrAMDGCNRcp, a) }
func (x *fpExpander) fabs(a ir.Value) ir.Value      { return x.intr(ir.IntrFabs, a) }
func (x *fpExpander) i32(n int) ir.Value            { return x.M.NewSigned(ir.I32, int64(n)) }

// ldexp multiplies by two to the power of n, an i32.
func (x *fpExpander) ldexp(a, n ir.Value) ir.Value {
	return x.Call(x.M.DeclareIntrinsic(ir.IntrLdexp, x.f.TypeOf(a), ir.I32), a, n)
}

// frexp returns the significand, from 0.5 up to but excluding 1, and the
// exponent, an i32. On gfx6, both are invalid for infinities and NaNs.
func (x *fpExpander) frexp(a ir.Value) (mant, exp ir.Value) {
	t := x.f.TypeOf(a)
	exp = x.Call(x.M.DeclareIntrinsic(ir.IntrAMDGCNFrexpExp, ir.I32, t), a)
	return x.intr(ir.IntrAMDGCNFrexpMant, a), exp
}

// frexpAny is frexp that returns infinities and NaNs unchanged with exponent 0.
func (x *fpExpander) frexpAny(a ir.Value) (mant, exp ir.Value) {
	mant, exp = x.frexp(a)
	if x.gfx6 {
		finite := x.Compare(ir.FCmpOLT, x.fabs(a), x.num(x.f.TypeOf(a), math.Inf(1)))
		mant, exp = x.Select(finite, mant, a), x.Select(finite, exp, x.i32(0))
	}
	return mant, exp
}

// isClass tests a value for a class of llvm.is.fpclass.
func (x *fpExpander) isClass(a ir.Value, mask uint64) ir.Value {
	return x.intr(ir.IntrAMDGCNClass, a, x.M.NewInt(ir.I32, mask))
}

// Classes of llvm.is.fpclass.
const (
	classZero   = 0x60
	classPosInf = 0x200
)

// num returns a constant of a scalar type that represents n exactly.
func (x *fpExpander) num(t ir.Type, n float64) ir.Value {
	if t == ir.Half {
		return x.M.NewFloatBits(t, halfBits(n))
	}
	return x.M.NewFloat(t, n)
}

// halfBits returns the bits of a half; n must be normal, zero or infinite.
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

// accuracy returns the error in ULP that !fpmath permits for an operation, or
// 0.
func (x *fpExpander) accuracy(v ir.Value) float64 {
	node := x.f.Attachment(v, ir.MDFPMath)
	if node == 0 {
		return 0
	}
	ops := x.M.MDOperands(node)
	if len(ops) != 1 {
		return 0
	}
	b, ok := x.M.FloatBits(x.M.MDValue(ops[0]))
	if !ok {
		return 0
	}
	return float64(math.Float32frombits(uint32(b)))
}

// flags returns the fast-math flags of an operation.
func (x *fpExpander) flags(v ir.Value) ir.Flags { return x.f.Instr(v).Flags & ir.FastMath }
