package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

func (c *checker) activeLaneMask(s *callSite) string {
	switch {
	case !c.m.IsVector(s.fn.Elem):
		return c.found("get_active_lane_mask: must return a vector", s.fn.Elem)
	case c.m.Scalar(s.fn.Elem) != ir.I1:
		return c.found("get_active_lane_mask: element type is not i1", s.fn.Elem)
	}
	return ""
}

func (c *checker) vectorLength(s *callSite) string {
	if n, ok := c.m.SignedValue(s.arg(1)); ok && n <= 0 {
		return "get_vector_length: VF must be positive"
	}
	return ""
}

func (c *checker) maskedLoad(s *callSite) string {
	mask, pass := c.argType(s, 1), c.argType(s, 2)
	switch {
	case !c.m.IsVector(s.fn.Elem):
		return c.found("masked_load: must return a vector", s.fn.Elem)
	case !c.m.IsVector(mask):
		return c.found("masked_load: mask must be vector", mask)
	case pass != s.fn.Elem:
		return c.found("masked_load: pass through and return type must match", pass, s.fn.Elem)
	case c.lanes(mask) != c.lanes(s.fn.Elem):
		return c.found("masked_load: vector mask must be same length as return", mask, s.fn.Elem)
	}
	return ""
}

func (c *checker) maskedStore(s *callSite) string {
	value, mask := c.argType(s, 0), c.argType(s, 2)
	switch {
	case !c.m.IsVector(mask):
		return c.found("masked_store: mask must be vector", mask)
	case c.lanes(mask) != c.lanes(value):
		return c.found("masked_store: vector mask must be same length as value", mask, value)
	}
	return ""
}

func (c *checker) maskedGather(s *callSite) string {
	if p := c.argType(s, 0); c.lanes(p) != c.lanes(s.fn.Elem) {
		return c.found("Intrinsic has incorrect argument type!", p, s.fn.Elem)
	}
	return ""
}

func (c *checker) maskedScatter(s *callSite) string {
	if value, p := c.argType(s, 0), c.argType(s, 1); c.lanes(p) != c.lanes(value) {
		return c.found("Intrinsic has incorrect argument type!", p, value)
	}
	return ""
}

func (c *checker) countBundles(v ir.Value, tag string) (n int) {
	for _, b := range c.f.Bundles(v) {
		if c.m.BundleTagName(b.Tag) == tag {
			n++
		}
	}
	return n
}

func (c *checker) guard(s *callSite) string {
	switch {
	case c.f.Op(s.v) != ir.OpCall:
		return "experimental_guard cannot be invoked"
	case c.countBundles(s.v, "deopt") != 1:
		return `experimental_guard must have exactly one "deopt" operand bundle`
	}
	return ""
}

func (c *checker) deoptimizeCall(s *callSite) string {
	switch {
	case c.f.Op(s.v) != ir.OpCall:
		return "experimental_deoptimize cannot be invoked"
	case c.countBundles(s.v, "deopt") != 1:
		return `experimental_deoptimize must have exactly one "deopt" operand bundle`
	case s.fn.Elem != c.f.ReturnType():
		return c.found("experimental_deoptimize return type must match caller return type", s.fn.Elem, c.f.ReturnType())
	}
	next := c.f.Next(s.v)
	switch {
	case next == ir.None || c.f.Op(next) != ir.OpRet:
		return "calls to experimental_deoptimize must be followed by a return"
	case s.fn.Elem != ir.Void && c.operandOf(next) != s.v:
		return "calls to experimental_deoptimize must be followed by a return of the value computed by experimental_deoptimize"
	}
	return ""
}

func (c *checker) vaStart(s *callSite) string {
	if !c.m.TypeInfo(c.f.Global.Type).VarArg {
		return "va_start called in a non-varargs function"
	}
	return ""
}

func (c *checker) dynamicAreaOffset(s *callSite) string {
	layout := c.m.Layout()
	if c.m.IntBits(s.fn.Elem) != int(layout.Pointer(layout.AllocaAddrSpace).Bits) {
		return c.found("get_dynamic_area_offset result type must be scalar integer matching alloca address space width", s.fn.Elem)
	}
	return ""
}

func (c *checker) fixedPoint(s *callSite) string {
	for i, which := range [...]string{"first", "second"} {
		if t := c.argType(s, i); !c.m.IsIntOrIntVector(t) {
			return c.found(which+" operand of [us][mul|div]_fix[_sat] must be an int type or vector of ints", t)
		}
	}
	scale, ok := c.constArg(s, 2)
	width := uint64(c.m.ScalarBits(c.argType(s, 0)))
	if !ok {
		return ""
	}
	switch s.callee.Intrinsic {
	case ir.IntrSmulFix, ir.IntrSmulFixSat, ir.IntrSdivFix, ir.IntrSdivFixSat:
		if scale >= width {
			return "the scale of s[mul|div]_fix[_sat] must be less than the width of the operands"
		}
	default:
		if scale > width {
			return "the scale of u[mul|div]_fix[_sat] must be less than or equal to the width of the operands"
		}
	}
	return ""
}

func (c *checker) roundToInt(s *callSite) string {
	t, name := c.argType(s, 0), s.callee.Name()
	switch {
	case !c.m.IsFloatOrFloatVector(t) || !c.m.IsIntOrIntVector(s.fn.Elem):
		return c.found(name+": argument must be floating-point or vector of floating-points, and result must be integer or vector of integers", t, s.fn.Elem)
	case c.m.IsVector(t) != c.m.IsVector(s.fn.Elem):
		return c.found(name+": argument and result disagree on vector use", t, s.fn.Elem)
	case c.lanes(t) != c.lanes(s.fn.Elem):
		return c.found(name+": argument must be same length as result", t, s.fn.Elem)
	}
	return ""
}

func (c *checker) bswap(s *callSite) string {
	if c.m.ScalarBits(s.fn.Elem)%16 != 0 {
		return c.found("bswap must be an even number of bytes", s.fn.Elem)
	}
	return ""
}

func (c *checker) invariantStart(s *callSite) string {
	if n, ok := c.m.SignedValue(s.arg(0)); !ok || n < -1 {
		return "invariant_start parameter must be -1, 0 or a positive number"
	}
	return ""
}

func (c *checker) stepVector(s *callSite) string {
	if t := s.fn.Elem; !c.m.IsVector(t) || !c.m.IsIntOrIntVector(t) || c.m.ScalarBits(t) < 8 {
		return c.found("stepvector only supported for vectors of integers with a bitwidth of at least 8.", t)
	}
	return ""
}

func (c *checker) vectorInsert(s *callSite) string {
	whole, part := c.argType(s, 0), c.argType(s, 1)
	i, ok := c.constArg(s, 2)
	n, k := c.lanes(whole), c.lanes(part)
	switch {
	case !ok || k == 0:
		return ""
	case c.m.Scalar(whole) != c.m.Scalar(part):
		return c.found("vector_insert parameters must have the same element type.", whole, part)
	case uint64(uint32(i))%k != 0:
		return "vector_insert index must be a constant multiple of the subvector's known minimum vector length."
	case uint64(uint32(i)) >= n || uint64(uint32(i))+k > n:
		return "subvector operand of vector_insert would overrun the vector being inserted into."
	}
	return ""
}

func (c *checker) vectorExtract(s *callSite) string {
	whole, part := c.argType(s, 0), s.fn.Elem
	i, ok := c.constArg(s, 1)
	n, k := c.lanes(whole), c.lanes(part)
	switch {
	case !ok || k == 0:
		return ""
	case c.m.Scalar(whole) != c.m.Scalar(part):
		return c.found("vector_extract result must have the same element type as the input vector.", whole, part)
	case uint64(uint32(i))%k != 0:
		return "vector_extract index must be a constant multiple of the result type's known minimum vector length."
	case uint64(uint32(i)) >= n || uint64(uint32(i))+k > n:
		return "vector_extract would overrun."
	}
	return ""
}

func (c *checker) partialReduce(s *callSite) string {
	acc, vec := c.lanes(c.argType(s, 0)), c.lanes(c.argType(s, 1))
	if acc == 0 || vec%acc != 0 {
		return "Invalid vector widths for partial reduction. The width of the input vector must be a positive integer multiple of the width of the accumulator vector."
	}
	return ""
}

func (c *checker) vectorMatch(s *callSite) string {
	a, b, mask := c.argType(s, 0), c.argType(s, 1), c.argType(s, 2)
	m := c.m
	switch {
	case !m.IsVector(a) || !m.IsVector(b) || !m.IsVector(mask):
		return "Operands must be vectors."
	case !m.IsInt(m.Scalar(a)):
		return c.found("First operand must be a vector of integers.", a)
	case m.Scalar(a) != m.Scalar(b):
		return c.found("First two operands must have the same element type.", a, b)
	case c.lanes(a) != c.lanes(mask):
		return c.found("First operand and mask must have the same number of elements.", a, mask)
	case m.Scalar(mask) != ir.I1:
		return c.found("Mask must be a vector of i1's.", mask)
	case s.fn.Elem != mask:
		return c.found("Return type must match the mask type.", s.fn.Elem, mask)
	}
	return ""
}

func (c *checker) scopeDecl(s *callSite) string {
	md := c.metadataArg(s, 0)
	switch {
	case !c.m.IsNode(md):
		return "!id.scope.list must point to an MDNode"
	case len(c.m.MDOperands(md)) != 1:
		return "!id.scope.list must point to a list with a single scope"
	}
	return c.aliasScopes(s.v, md)
}

func (c *checker) needsElementType(s *callSite) string {
	if _, ok := c.elementType(s, 0); !ok {
		return "Intrinsic requires elementtype attribute on first argument."
	}
	return ""
}

func (c *checker) ptrMask(s *callSite) string {
	p, mask := c.argType(s, 0), c.argType(s, 1)
	switch {
	case !c.m.IsPtrOrPtrVector(p):
		return c.found("llvm.ptrmask intrinsic first argument must be pointer or vector of pointers", p)
	case c.m.IsVector(p) != c.m.IsVector(mask):
		return c.found("llvm.ptrmask intrinsic arguments must be both scalars or both vectors", p, mask)
	case c.lanes(p) != c.lanes(mask):
		return c.found("llvm.ptrmask intrinsic arguments must have the same number of elements", p, mask)
	case int(c.m.Layout().Pointer(c.m.AddrSpace(p)).IndexBits) != c.m.ScalarBits(mask):
		return c.found("llvm.ptrmask intrinsic second argument bitwidth must match pointer index type size of first argument", p, mask)
	}
	return ""
}

func (c *checker) threadPointer(s *callSite) string {
	if c.m.AddrSpace(s.fn.Elem) != c.m.Layout().GlobalAddrSpace {
		return c.found("llvm.thread.pointer intrinsic return type must be for the globals address space", s.fn.Elem)
	}
	return ""
}

func (c *checker) threadLocalAddress(s *callSite) string {
	g := c.m.ConstGlobal(s.arg(0))
	switch {
	case g == nil:
		return "llvm.threadlocal.address first argument must be a GlobalValue"
	case c.threadLocal(g) == ir.NotThreadLocal:
		return "llvm.threadlocal.address operand isThreadLocal() must be true"
	}
	return ""
}

// threadLocal returns the thread-local model of a global. An alias has its
// target's model.
func (c *checker) threadLocal(g *ir.Global) ir.ThreadLocal { return g.TLS }

func (c *checker) lifetime(s *callSite) string {
	if v := s.arg(0); !c.isAlloca(v) && c.m.ConstKindOf(v) != ir.ConstPoison {
		return "llvm.lifetime.start/end can only be used on alloca or poison"
	}
	return ""
}

func (c *checker) relocNone(s *callSite) string {
	if c.m.NodeKind(c.metadataArg(s, 0)) != ir.NodeString {
		return "llvm.reloc.none argument must be a metadata string"
	}
	return ""
}

func (c *checker) callBrLandingPad(s *callSite) string {
	br := s.arg(0)
	if !br.IsLocal() || c.f.Op(br) != ir.OpCallBr {
		return "intrinstic requires callbr operand"
	}
	pred := ir.Block(0)
	for u := c.f.FirstPred(c.b); u != 0; u = c.f.NextUse(u) {
		if p := c.f.PredOf(u); pred != 0 && p != pred {
			return "Intrinsic in block must have 1 unique predecessor"
		} else {
			pred = p
		}
	}
	if pred == 0 {
		return "Intrinsic in block must have 1 unique predecessor"
	}
	if c.f.Op(c.f.Terminator(pred)) != ir.OpCallBr {
		return "Intrinsic must have corresponding callbr in predecessor"
	}
	for _, o := range c.f.CallSuccessors(br)[1:] {
		if o.Value == c.b.Value() {
			if c.f.First(c.b) != s.v {
				return "No other instructions may proceed intrinsic"
			}
			return ""
		}
	}
	return "Intrinsic's corresponding callbr must have intrinsic's parent basic block in indirect destination list"
}

func (c *checker) coroID(s *callSite) string {
	info := c.stripped(s.arg(3))
	if c.m.ConstKindOf(info) == ir.ConstZero {
		return ""
	}
	g := c.m.ConstGlobal(info)
	if g == nil || g.Kind != ir.GlobalVar || !g.Constant || g.Init == ir.None || g.Linkage.IsInterposable() {
		return "info argument of llvm.coro.id must refer to an initialized constant"
	}
	if c.m.ConstKindOf(g.Init) != ir.ConstAggregate {
		return "info argument of llvm.coro.id must refer to either a struct or an array"
	}
	return ""
}

func (c *checker) pointerBase(s *callSite) string {
	if !c.m.IsPtr(s.fn.Elem) {
		return c.found("gc.get.pointer.base must return a pointer", s.fn.Elem)
	}
	if c.argType(s, 0) != s.fn.Elem {
		return "gc.get.pointer.base operand and result must be of the same type"
	}
	return ""
}
