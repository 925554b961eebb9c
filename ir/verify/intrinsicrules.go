package verify

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// commonRules adds the target-independent rules.
func commonRules(rules *ruleTable) {
	rules.addRules([]ruleOf{
		{ir.IntrAssume, (*checker).assume}, {ir.IntrUcmp, (*checker).threeWay}, {ir.IntrScmp, (*checker).threeWay},
		{ir.IntrIsFpclass, (*checker).isFPClass}, {ir.IntrFptruncRound, (*checker).fpTruncRound},
		{ir.IntrExperimentalMemsetPattern, (*checker).memsetPattern},
		{ir.IntrMemcpyElementUnorderedAtomic, (*checker).elementAtomic},
		{ir.IntrMemmoveElementUnorderedAtomic, (*checker).elementAtomic},
		{ir.IntrMemsetElementUnorderedAtomic, (*checker).elementAtomic},
		{ir.IntrCallPreallocatedSetup, (*checker).preallocatedSetup},
		{ir.IntrCallPreallocatedArg, (*checker).preallocatedArg},
		{ir.IntrCallPreallocatedTeardown, (*checker).preallocatedTeardown},
		{ir.IntrGcroot, (*checker).gcRoot},
		{ir.IntrGcread, (*checker).usesGC},
		{ir.IntrGcwrite, (*checker).usesGC},
		{ir.IntrExperimentalGcStatepoint, (*checker).usesGC},
		{ir.IntrExperimentalGcResult, (*checker).usesGC},
		{ir.IntrInitTrampoline, (*checker).initTrampoline},
		{ir.IntrPrefetch, (*checker).prefetch},
		{ir.IntrStackprotector, (*checker).stackProtector},
		{ir.IntrLocalescape, (*checker).localEscape},
		{ir.IntrLocalrecover, (*checker).localRecover},
		{ir.IntrEhExceptioncode, (*checker).exceptionPointer},
		{ir.IntrEhExceptionpointer, (*checker).exceptionPointer},
		{ir.IntrGetActiveLaneMask, (*checker).activeLaneMask},
		{ir.IntrExperimentalGetVectorLength, (*checker).vectorLength},
		{ir.IntrMaskedLoad, (*checker).maskedLoad},
		{ir.IntrMaskedStore, (*checker).maskedStore},
		{ir.IntrMaskedGather, (*checker).maskedGather},
		{ir.IntrMaskedScatter, (*checker).maskedScatter},
		{ir.IntrExperimentalGuard, (*checker).guard},
		{ir.IntrExperimentalDeoptimize, (*checker).deoptimizeCall},
		{ir.IntrVaStart, (*checker).vaStart},
		{ir.IntrGetDynamicAreaOffset, (*checker).dynamicAreaOffset},
		{ir.IntrSmulFix, (*checker).fixedPoint},
		{ir.IntrSmulFixSat, (*checker).fixedPoint},
		{ir.IntrUmulFix, (*checker).fixedPoint},
		{ir.IntrUmulFixSat, (*checker).fixedPoint},
		{ir.IntrSdivFix, (*checker).fixedPoint},
		{ir.IntrSdivFixSat, (*checker).fixedPoint},
		{ir.IntrUdivFix, (*checker).fixedPoint},
		{ir.IntrUdivFixSat, (*checker).fixedPoint},
		{ir.IntrLrint, (*checker).roundToInt},
		{ir.IntrLlrint, (*checker).roundToInt},
		{ir.IntrLround, (*checker).roundToInt},
		{ir.IntrLlround, (*checker).roundToInt},
		{ir.IntrBswap, (*checker).bswap},
		{ir.IntrInvariantStart, (*checker).invariantStart},
		{ir.IntrStepvector, (*checker).stepVector},
		{ir.IntrVectorInsert, (*checker).vectorInsert},
		{ir.IntrVectorExtract, (*checker).vectorExtract},
		{ir.IntrVectorPartialReduceAdd, (*checker).partialReduce},
		{ir.IntrExperimentalVectorMatch, (*checker).vectorMatch},
		{ir.IntrExperimentalNoaliasScopeDecl, (*checker).scopeDecl},
		{ir.IntrPreserveArrayAccessIndex, (*checker).needsElementType},
		{ir.IntrPreserveStructAccessIndex, (*checker).needsElementType},
		{ir.IntrPtrmask, (*checker).ptrMask},
		{ir.IntrThreadPointer, (*checker).threadPointer},
		{ir.IntrThreadlocalAddress, (*checker).threadLocalAddress},
		{ir.IntrLifetimeStart, (*checker).lifetime},
		{ir.IntrLifetimeEnd, (*checker).lifetime},
		{ir.IntrRelocNone, (*checker).relocNone},
		{ir.IntrCallbrLandingpad, (*checker).callBrLandingPad},
		{ir.IntrCoroId, (*checker).coroID},
		{ir.IntrExperimentalGcGetPointerBase, (*checker).pointerBase},
	})
	for _, id := range [...]ir.Intrinsic{ir.IntrVectorReduceAnd, ir.IntrVectorReduceOr, ir.IntrVectorReduceXor, ir.IntrVectorReduceAdd,
		ir.IntrVectorReduceMul, ir.IntrVectorReduceSmax, ir.IntrVectorReduceSmin, ir.IntrVectorReduceUmax, ir.IntrVectorReduceUmin} {
		rules[id] = func(c *checker, s *callSite) string { return c.reduces(s, 0, c.m.IsIntOrIntVector) }
	}
	for arg, list := range [...][2]ir.Intrinsic{{ir.IntrVectorReduceFmax, ir.IntrVectorReduceFmin}, {ir.IntrVectorReduceFadd, ir.IntrVectorReduceFmul}} {
		for _, id := range list {
			rules[id] = func(c *checker, s *callSite) string { return c.reduces(s, arg, c.m.IsFloatOrFloatVector) }
		}
	}
}

// reduces checks the vector operand of a reduction.
func (c *checker) reduces(s *callSite, arg int, ok func(t ir.Type) bool) string {
	if t := c.argType(s, arg); !ok(t) || !c.m.IsVector(t) {
		return c.found("Intrinsic has incorrect argument type!", t)
	}
	return ""
}

// assume checks the operand bundles of llvm.assume.
func (c *checker) assume(s *callSite) string {
	for _, b := range c.f.Bundles(s.v) {
		ops := c.f.Operands(s.v)[b.First : b.First+b.N]
		if message := c.assumption(c.m.BundleTagName(b.Tag), ops); message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) assumption(tag string, ops []ir.Operand) string {
	isPtr := func(i int) bool { return c.m.IsPtr(c.typeOf(ops[i].Value)) }
	isInt := func(i int) bool { return c.m.IsInt(c.typeOf(ops[i].Value)) }
	n := len(ops)
	if tag == "separate_storage" {
		switch {
		case n != 2:
			return "separate_storage assumptions should have 2 arguments"
		case !isPtr(0) || !isPtr(1):
			return "arguments to separate_storage assumptions should be pointers"
		}
		return ""
	}
	k := ir.AttrKindByName(tag)
	switch {
	case tag == "ignore":
		if n > 2 {
			return "too many arguments"
		}
		return ""
	case k == 0:
		return "tags must be valid attribute names: " + tag
	case k == ir.AttrAlign && n != 2 && n != 3:
		return "alignment assumptions should have 2 or 3 arguments"
	case k == ir.AttrDereferenceable && n != 2:
		return "dereferenceable assumptions should have 2 arguments"
	case k == ir.AttrAlign || k == ir.AttrDereferenceable:
		switch {
		case !isPtr(0):
			return "first argument should be a pointer"
		case !isInt(1):
			return "second argument should be an integer"
		case n == 3 && !isInt(2):
			return "third argument should be an integer if present"
		}
		return ""
	case n > 2:
		return "too many arguments"
	}
	return c.attrAssumption(k, ops)
}

// attrAssumption checks an assumed attribute.
func (c *checker) attrAssumption(k ir.AttrKind, ops []ir.Operand) string {
	switch {
	case k.Form() == ir.AttrFormInt:
		if len(ops) != 2 {
			return "this attribute should have 2 arguments"
		}
		if c.m.ConstKindOf(ops[1].Value) != ir.ConstInt {
			return "the second argument should be a constant integral value"
		}
	case k.OnParam():
		if len(ops) != 1 {
			return "this attribute should have one argument"
		}
	case k.OnFunction():
		if len(ops) != 0 {
			return "this attribute has no argument"
		}
	}
	return ""
}

func (c *checker) threeWay(s *callSite) string {
	t := c.argType(s, 0)
	switch {
	case c.m.ScalarBits(s.fn.Elem) < 2:
		return c.found("result type must be at least 2 bits wide", s.fn.Elem)
	case c.m.IsVector(t) != c.m.IsVector(s.fn.Elem):
		return c.found("ucmp/scmp argument and result types must both be either vector or scalar types", t, s.fn.Elem)
	case c.lanes(t) != c.lanes(s.fn.Elem):
		return c.found("return type and arguments must have the same number of elements", t, s.fn.Elem)
	}
	return ""
}

// allFPClasses is the set of all floating-point classes.
const allFPClasses = 0x3ff

func (c *checker) isFPClass(s *callSite) string {
	if n, ok := c.constArg(s, 1); ok && n&^allFPClasses != 0 {
		return "unsupported bits for llvm.is.fpclass test mask"
	}
	return ""
}

// roundingModes lists the rounding modes of constrained operations.
var roundingModes = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"round.dynamic": true, "round.tonearest": true, "round.tonearestaway": true, "round.downward": true,
		"round.upward": true, "round.towardzero": true}
}}

func (c *checker) fpTruncRound(s *callSite) string {
	md := c.metadataArg(s, 1)
	mode, isString := c.m.MDString(md)
	switch {
	case md == 0:
		return "missing rounding mode argument"
	case !isString:
		return "invalid value for llvm.fptrunc.round metadata operand (the operand should be a string)"
	case !roundingModes.Get()[mode] || mode == "round.dynamic":
		return "unsupported rounding mode argument: " + mode
	}
	return ""
}

func (c *checker) memsetPattern(s *callSite) string {
	if !c.m.IsSized(c.argType(s, 1)) {
		return c.found("unsized types cannot be used as memset patterns", c.argType(s, 1))
	}
	return ""
}

// argAlign returns the alignment that the attributes of an argument specify.
func (c *checker) argAlign(s *callSite, i int) uint64 {
	if a, ok := c.m.Attr(c.m.AttrsAt(s.attrs, ir.AttrParams+i), ir.AttrAlign); ok {
		return a.Int
	}
	return 0
}

func (c *checker) elementAtomic(s *callSite) string {
	size, ok := c.constArg(s, 3)
	isSet := s.callee.Intrinsic == ir.IntrMemsetElementUnorderedAtomic
	switch {
	case !ok:
		return ""
	case bits.OnesCount64(size) != 1:
		return "element size of the element-wise atomic memory intrinsic must be a power of 2"
	case c.argAlign(s, 0) < size:
		return "incorrect alignment of the destination argument"
	case !isSet && c.argAlign(s, 1) < size:
		return "incorrect alignment of the source argument"
	}
	return ""
}

// preallocatedSetup checks the uses of the token for the preallocated arguments
// of a call.
func (c *checker) preallocatedSetup(s *callSite) string {
	n, ok := c.constArg(s, 0)
	if !ok {
		return "llvm.call.preallocated.setup argument must be a constant"
	}
	found := false
	for u := c.f.FirstUse(s.v); u != 0; u = c.f.NextUse(u) {
		user := c.f.User(u)
		if !c.f.Op(user).IsCall() {
			return "Uses of llvm.call.preallocated.setup must be calls"
		}
		switch c.f.CalledIntrinsic(user) {
		case ir.IntrCallPreallocatedTeardown:
			continue
		case ir.IntrCallPreallocatedArg:
			i, ok := c.m.IntValue(c.f.Args(user)[1].Value)
			if !ok {
				return "llvm.call.preallocated.alloc arg index must be a constant"
			}
			if i >= n {
				return "llvm.call.preallocated.alloc arg index must be between 0 and corresponding llvm.call.preallocated.setup's argument count"
			}
			continue
		}
		if found {
			return "Can have at most one call corresponding to a llvm.call.preallocated.setup"
		}
		found = true
		if message := c.preallocatedCall(s, user, n); message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) preallocatedCall(s *callSite, user ir.Value, n uint64) string {
	count := uint64(0)
	for i := range c.f.Args(user) {
		if c.argHas(user, i, ir.AttrPreallocated) {
			count++
		}
	}
	switch b := c.bundle(user, "preallocated"); {
	case count == 0:
		return "cannot use preallocated intrinsics on a call without preallocated arguments"
	case count != n:
		return "llvm.call.preallocated.setup arg size must be equal to number of preallocated arguments at call site"
	case b == nil:
		return `Use of llvm.call.preallocated.setup outside intrinsics must be in "preallocated" operand bundle`
	case b.N == 0 || c.f.Operand(user, int(b.First)) != s.v:
		return "preallocated bundle must have token from corresponding llvm.call.preallocated.setup"
	}
	return ""
}

func (c *checker) isSetup(v ir.Value) bool {
	return v.IsLocal() && c.f.CalledIntrinsic(v) == ir.IntrCallPreallocatedSetup
}

func (c *checker) preallocatedArg(s *callSite) string {
	switch {
	case !c.isSetup(s.arg(0)):
		return "llvm.call.preallocated.arg token argument must be a llvm.call.preallocated.setup"
	case !c.m.HasAttr(c.m.AttrsAt(s.attrs, ir.AttrFunction), ir.AttrPreallocated):
		return `llvm.call.preallocated.arg must be called with a "preallocated" call site attribute`
	}
	return ""
}

func (c *checker) preallocatedTeardown(s *callSite) string {
	if !c.isSetup(s.arg(0)) {
		return "llvm.call.preallocated.teardown token argument must be a llvm.call.preallocated.setup"
	}
	return ""
}

func (c *checker) usesGC(s *callSite) string {
	if c.f.GC == "" {
		return "Enclosing function does not use GC."
	}
	return ""
}

func (c *checker) gcRoot(s *callSite) string {
	root := c.stripped(s.arg(0))
	switch {
	case !c.isAlloca(root):
		return "llvm.gcroot parameter #1 must be an alloca."
	case !s.arg(1).IsConst():
		return "llvm.gcroot parameter #2 must be a constant."
	case !c.m.IsPtr(c.f.AllocatedType(root)) && c.m.ConstKindOf(s.arg(1)) == ir.ConstZero:
		return "llvm.gcroot parameter #1 must either be a pointer alloca, or argument #2 must be a non-null constant."
	}
	return c.usesGC(s)
}

func (c *checker) initTrampoline(s *callSite) string {
	if g := c.m.ConstGlobal(c.stripped(s.arg(1))); g == nil || g.Func == nil {
		return "llvm.init_trampoline parameter #2 must resolve to a function."
	}
	return ""
}

func (c *checker) prefetch(s *callSite) string {
	for i, row := range [...]struct {
		limit   uint64
		message string
	}{{2, "rw argument to llvm.prefetch must be 0-1"}, {4, "locality argument to llvm.prefetch must be 0-3"},
		{2, "cache type argument to llvm.prefetch must be 0-1"}} {
		if n, ok := c.constArg(s, i+1); ok && n >= row.limit {
			return row.message
		}
	}
	return ""
}

func (c *checker) stackProtector(s *callSite) string {
	if !c.isAlloca(c.stripped(s.arg(1))) {
		return "llvm.stackprotector parameter #2 must resolve to an alloca."
	}
	return ""
}

func (c *checker) localEscape(s *callSite) string {
	switch {
	case c.b != c.f.Entry():
		return "llvm.localescape used outside of entry block"
	case c.escapes != 0:
		return "multiple calls to llvm.localescape in one function"
	}
	for _, a := range s.args {
		if c.m.ConstKindOf(a.Value) == ir.ConstZero {
			continue
		}
		v := c.stripped(a.Value)
		if _, isConst := c.m.IntValue(c.operandOf(v)); !c.isAlloca(v) || !isConst || c.f.Parent(v) != c.f.Entry() {
			return "llvm.localescape only accepts static allocas"
		}
	}
	c.escapes = len(s.args) + 1
	return ""
}

// operandOf returns the first operand of an instruction.
func (c *checker) operandOf(v ir.Value) ir.Value {
	if v.IsLocal() && c.f.NumOperands(v) > 0 {
		return c.f.Operand(v, 0)
	}
	return ir.None
}

func (c *checker) localRecover(s *callSite) string {
	if g := c.m.ConstGlobal(c.stripped(s.arg(0))); g == nil || g.Func == nil || g.Func.Entry() == 0 {
		return "llvm.localrecover first argument must be function defined in this module"
	}
	return ""
}

func (c *checker) exceptionPointer(s *callSite) string {
	if v := s.arg(0); !v.IsLocal() || c.f.Op(v) != ir.OpCatchPad {
		return "eh.exceptionpointer argument must be a catchpad"
	}
	return ""
}
