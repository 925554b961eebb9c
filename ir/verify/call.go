package verify

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

func (c *checker) call(v ir.Value) string {
	message := c.callBase(v)
	if c.f.TailKind(v) == ir.MustTail {
		c.checkMessage(c.mustTail(v))
	}
	return message
}

// callSite caches data that several call rules need.
type callSite struct {
	v         ir.Value
	fn        *ir.TypeInfo // function type
	attrs     ir.AttrList
	callee    *ir.Function // nil for indirect calls and inline assembly
	asm       *ir.InlineAsm
	args      []ir.Operand
	intrinsic bool
}

// notCallable lists the calling conventions of entry points, which cannot be
// called.
var notCallable = [...]ir.CallConv{ir.CCSPIRKernel, ir.CCAMDGPUVS, ir.CCAMDGPUGS, ir.CCAMDGPUPS, ir.CCAMDGPUCS, ir.CCAMDGPUKernel,
	ir.CCAMDGPUHS, ir.CCAMDGPULS, ir.CCAMDGPUES, ir.CCAMDGPUCSChain, ir.CCAMDGPUCSChainPreserv, ir.CCAMDGPUGfxWholeWave}

// callBase checks the rules common to call, invoke and callbr.
func (c *checker) callBase(v ir.Value) string {
	f, m := c.f, c.m
	s := &c.site
	*s = callSite{v: v, fn: m.TypeInfo(f.CallType(v)), attrs: f.CallAttrs(v), callee: f.CalledFunction(v), asm: m.Asm(f.Callee(v)), args: f.Args(v)}
	if !m.IsPtr(c.typeOf(f.Callee(v))) {
		return c.found("Called function must be a pointer!", c.typeOf(f.Callee(v)))
	}
	if s.fn.Kind != ir.KindFunc {
		return c.found("Called function must have a function type!", f.CallType(v))
	}
	if message := c.argTypes(s); message != "" {
		return message
	}
	if len(m.AttrSets(s.attrs)) > len(s.args)+ir.AttrParams {
		return "Attribute after last parameter!"
	}
	s.intrinsic = s.callee != nil && isIntrinsicName(s.callee.Name())
	if s.callee != nil && s.callee.Global.Type != f.CallType(v) {
		if s.intrinsic {
			return c.found("Intrinsic called with incompatible signature", f.CallType(v), s.callee.Global.Type)
		}
		s.callee = nil // treated as an address
	}
	if slices.Contains(notCallable[:], f.CallConv(v)) {
		return "calling convention does not permit calls: " + f.CallConv(v).String()
	}
	c.checkMessage(c.callAttrs(s))
	c.checkMessage(c.argAttrs(s))
	if s.fn.VarArg {
		c.checkMessage(c.varArgs(s))
	}
	if !s.intrinsic {
		c.checkMessage(c.plainCall(s))
	}
	if s.callee == nil && s.fn.Elem == ir.Token {
		c.fail("Return type cannot be token for indirect call!")
	}
	if s.callee != nil && s.callee.Intrinsic != ir.NoIntrinsic {
		c.intrinsicCall(s)
	}
	c.checkMessage(c.bundles(s))
	c.calledWithDebugInfo(s)
	if s.asm != nil {
		c.checkMessage(c.inlineAsm(s))
	}
	c.checkMessage(c.convergent(s))
	return ""
}

// argTypes checks the number and types of the arguments.
func (c *checker) argTypes(s *callSite) string {
	n := len(s.fn.Elems)
	switch {
	case s.fn.VarArg && len(s.args) < n:
		return fmt.Sprintf("Called function requires more parameters than were provided!: %d arguments, %d parameters", len(s.args), n)
	case !s.fn.VarArg && len(s.args) != n:
		return fmt.Sprintf("Incorrect number of arguments passed to called function!: %d arguments, %d parameters", len(s.args), n)
	case s.fn.Elem != c.f.Instr(s.v).Type:
		return c.found("Call result does not match function signature!", c.f.Instr(s.v).Type, s.fn.Elem)
	}
	for i, t := range s.fn.Elems {
		if got := c.typeOf(s.args[i].Value); got != t {
			return c.found(fmt.Sprintf("Call parameter type does not match function signature!: argument %d", i+1), got, t)
		}
	}
	return ""
}

// callAttrs checks the attributes of a call itself.
func (c *checker) callAttrs(s *callSite) string {
	m := c.m
	fn := m.AttrsAt(s.attrs, ir.AttrFunction)
	if m.HasAttr(fn, ir.AttrSpeculatable) &&
		(s.callee == nil || !m.HasAttr(m.AttrsAt(s.callee.Attributes, ir.AttrFunction), ir.AttrSpeculatable)) {
		return "speculatable attribute may not apply to call sites"
	}
	if m.HasAttr(fn, ir.AttrPreallocated) && (s.callee == nil || s.callee.Intrinsic != ir.IntrCallPreallocatedArg) {
		return "preallocated as a call site attribute can only be on llvm.call.preallocated.arg"
	}
	if s.attrs == 0 {
		return ""
	}
	return c.callLists(s)
}

// callLists checks the attribute list of a call. It checks each pair of list
// and function type of plain calls only once.
func (c *checker) callLists(s *callSite) string {
	plain := !s.intrinsic && s.asm == nil
	if n := int(s.attrs) + 1; n > len(c.rightLists) {
		c.rightLists = append(c.rightLists, make([]*ir.TypeInfo, n-len(c.rightLists))...)
	}
	if plain && c.rightLists[s.attrs] == s.fn {
		return ""
	}
	message := c.functionAttrs(attrSite{fn: s.fn, list: s.attrs, intrinsic: s.intrinsic, asm: s.asm != nil})
	if plain && message == "" {
		c.rightLists[s.attrs] = s.fn
	}
	return message
}

// argHas reports whether an argument has an attribute, on the call or on the
// callee.
func (c *checker) argHas(v ir.Value, i int, k ir.AttrKind) bool {
	if c.m.HasAttr(c.m.AttrsAt(c.f.CallAttrs(v), ir.AttrParams+i), k) {
		return true
	}
	callee := c.f.CalledFunction(v)
	return callee != nil && callee.Global.Type == c.f.CallType(v) && c.m.HasAttr(c.m.AttrsAt(callee.Attributes, ir.AttrParams+i), k)
}

// argAttrs checks arguments against attributes that restrict their values.
func (c *checker) argAttrs(s *callSite) string {
	m := c.m
	sets := m.AttrSets(s.attrs)
	var declared []ir.AttrSet
	if s.callee != nil {
		declared = m.AttrSets(s.callee.Attributes)
	}
	for i := range s.fn.Elems {
		here, there := setAt(sets, ir.AttrParams+i), setAt(declared, ir.AttrParams+i)
		if here == 0 && there == 0 {
			continue
		}
		has := func(k ir.AttrKind) bool { return m.HasAttr(here, k) || m.HasAttr(there, k) }
		arg := s.args[i].Value
		if has(ir.AttrSwiftError) {
			if message := c.swiftErrorArg(arg); message != "" {
				return message
			}
		}
		if m.HasAttr(here, ir.AttrImmArg) && !m.HasAttr(there, ir.AttrImmArg) {
			return "immarg may not apply only to call sites"
		}
		if has(ir.AttrImmArg) {
			if message := c.immediate(arg, i, here, there); message != "" {
				return message
			}
		}
		if has(ir.AttrPreallocated) && (c.bundle(s.v, "preallocated") != nil) == (c.f.Op(s.v) == ir.OpCall && c.f.TailKind(s.v) == ir.MustTail) {
			return "preallocated operand either requires a preallocated bundle or the call to be musttail (but not both)"
		}
		if has(ir.AttrInAlloca) && i == len(s.fn.Elems)-1 && arg.IsLocal() && c.f.Op(arg) == ir.OpAlloca && !c.f.MemInfo(arg).InAlloca {
			return "inalloca argument for call has mismatched alloca"
		}
	}
	return ""
}

func setAt(sets []ir.AttrSet, i int) ir.AttrSet {
	if i < len(sets) {
		return sets[i]
	}
	return 0
}

// swiftErrorArg checks the definition of a swifterror argument.
func (c *checker) swiftErrorArg(arg ir.Value) string {
	switch {
	case arg.IsLocal() && c.f.Op(arg) == ir.OpAlloca:
		if !c.f.MemInfo(arg).SwiftErr {
			return "swifterror argument for call has mismatched alloca"
		}
	case arg.IsLocal() && c.f.Op(arg) == ir.OpArg:
		if i := int(c.f.Instr(arg).X); !c.m.HasAttr(c.m.AttrsAt(c.f.Attributes, ir.AttrParams+i), ir.AttrSwiftError) {
			return "swifterror argument for call has mismatched parameter"
		}
	default:
		return "swifterror argument should come from an alloca or parameter"
	}
	return ""
}

// immediate checks the argument of an immarg parameter.
func (c *checker) immediate(arg ir.Value, i int, here, there ir.AttrSet) string {
	switch k := c.m.ConstKindOf(arg); {
	case k == ir.ConstInt:
	case k == ir.ConstFloat, k == ir.ConstWide:
		return ""
	default:
		return fmt.Sprintf("immarg operand has non-immediate parameter: argument %d", i+1)
	}
	a, ok := c.m.Attr(there, ir.AttrRange)
	if b, at := c.m.Attr(here, ir.AttrRange); at {
		a, ok = b, true
	}
	if !ok {
		return ""
	}
	low, high, fits := rangeBounds(c.m, a)
	n, _ := c.m.SignedValue(arg)
	bits := c.m.IntBits(c.m.TypeOfConst(arg))
	if fits && !inRange(uint64(n), low, high, bits) {
		return fmt.Sprintf("immarg value %d out of range [%d, %d): argument %d", n, int64(low), int64(high), i+1)
	}
	return ""
}

// varArgs checks the attributes of variadic arguments.
func (c *checker) varArgs(s *callSite) string {
	m := c.m
	nest, returned := false, false
	for i := range s.args {
		set := m.AttrsAt(s.attrs, ir.AttrParams+i)
		t := c.typeOf(s.args[i].Value)
		if i >= len(s.fn.Elems) && set != 0 {
			if message := c.paramAttrs(set, t); message != "" {
				return message
			}
			switch {
			case nest && m.HasAttr(set, ir.AttrNest):
				return "More than one parameter has attribute nest!"
			case returned && m.HasAttr(set, ir.AttrReturned):
				return "More than one parameter has attribute returned!"
			case m.HasAttr(set, ir.AttrReturned) && !c.sameBits(t, s.fn.Elem):
				return c.found("Incompatible argument and return types for 'returned' attribute", t, s.fn.Elem)
			case m.HasAttr(set, ir.AttrSRet) && (s.callee == nil || s.callee.Intrinsic != ir.IntrExperimentalGcStatepoint):
				return "Attribute 'sret' cannot be used for vararg call arguments!"
			case m.HasAttr(set, ir.AttrInAlloca) && i != len(s.args)-1:
				return "inalloca isn't on the last argument!"
			}
		}
		nest = nest || m.HasAttr(set, ir.AttrNest)
		returned = returned || m.HasAttr(set, ir.AttrReturned)
	}
	return ""
}

// plainCall rejects properties that only calls of intrinsic functions may have.
func (c *checker) plainCall(s *callSite) string {
	for _, t := range s.fn.Elems {
		switch t {
		case ir.MD:
			return "Function has metadata parameter but isn't an intrinsic"
		case ir.Token:
			return "Function has token parameter but isn't an intrinsic"
		}
	}
	for i := -1; i < len(s.fn.Elems); i++ {
		t, what := s.fn.Elem, "return type"
		if i >= 0 {
			t, what = s.fn.Elems[i], "argument passed"
		}
		if c.m.IsVector(t) && c.m.IsSized(t) && uint64(c.m.ABIAlign(t)) < c.m.StoreSize(t) && c.m.StoreSize(t) > 1<<31 {
			return "Incorrect alignment of " + what + " to called function!"
		}
	}
	return ""
}

// bundle returns the first operand bundle of a call with the given tag, or nil.
func (c *checker) bundle(v ir.Value, tag string) *ir.Bundle {
	list := c.f.Bundles(v)
	for i := range list {
		if c.m.BundleTagName(list[i].Tag) == tag {
			return &list[i]
		}
	}
	return nil
}

// bundleRules lists the operand bundles that a call may have only once, with
// their number of operands (-1: any).
var bundleRules = []struct {
	tag, multiple string
	n             int
	wrong         string
}{
	{"deopt", "Multiple deopt operand bundles", -1, ""},
	{"gc-transition", "Multiple gc-transition operand bundles", -1, ""},
	{"funclet", "Multiple funclet operand bundles", 1, "Expected exactly one funclet bundle operand"},
	{"cfguardtarget", "Multiple CFGuardTarget operand bundles", 1, "Expected exactly one cfguardtarget bundle operand"},
	{"ptrauth", "Multiple ptrauth operand bundles", 2, "Expected exactly two ptrauth bundle operands"},
	{"kcfi", "Multiple kcfi operand bundles", 1, "Expected exactly one kcfi bundle operand"},
	{"preallocated", "Multiple preallocated operand bundles", 1, "Expected exactly one preallocated bundle operand"},
	{"gc-live", "Multiple gc-live operand bundles", -1, ""},
	{"clang.arc.attachedcall", `Multiple "clang.arc.attachedcall" operand bundles`, -1, ""},
}

func (c *checker) bundles(s *callSite) string {
	list := c.f.Bundles(s.v)
	if len(list) == 0 {
		return ""
	}
	seen := 0
	for _, b := range list {
		tag := c.m.BundleTagName(b.Tag)
		ops := c.f.Operands(s.v)[b.First : b.First+b.N]
		for i := range bundleRules {
			r := &bundleRules[i]
			switch {
			case r.tag != tag:
			case seen>>i&1 != 0:
				return r.multiple
			case r.n >= 0 && len(ops) != r.n:
				return r.wrong
			default:
				seen |= 1 << i
				if message := c.bundleOperands(s, tag, ops); message != "" {
					return message
				}
			}
		}
	}
	if s.callee != nil && c.bundle(s.v, "ptrauth") != nil {
		return "Direct call cannot have a ptrauth bundle"
	}
	return ""
}

// bundleOperands checks the operands of a bundle.
func (c *checker) bundleOperands(s *callSite, tag string, ops []ir.Operand) string {
	isConst32 := func(v ir.Value) bool {
		return c.m.ConstKindOf(v) == ir.ConstInt && c.m.TypeOfConst(v) == ir.I32
	}
	switch tag {
	case "funclet":
		if !c.isFuncletPad(ops[0].Value) {
			return "Funclet bundle operands should correspond to a FuncletPadInst"
		}
	case "ptrauth":
		if !isConst32(ops[0].Value) {
			return "Ptrauth bundle key operand must be an i32 constant"
		}
		if c.typeOf(ops[1].Value) != ir.I64 {
			return "Ptrauth bundle discriminator operand must be an i64"
		}
	case "kcfi":
		if !isConst32(ops[0].Value) {
			return "Kcfi bundle operand must be an i32 constant"
		}
	case "preallocated":
		if v := ops[0].Value; !v.IsLocal() || c.f.CalledIntrinsic(v) != ir.IntrCallPreallocatedSetup {
			return `"preallocated" argument must be a token from llvm.call.preallocated.setup`
		}
	case "clang.arc.attachedcall":
		return c.attachedCall(s, ops)
	}
	return ""
}

// attachedCall checks the operand bundle clang.arc.attachedcall.
func (c *checker) attachedCall(s *callSite, ops []ir.Operand) string {
	noReturn := c.m.HasAttr(c.m.AttrsAt(s.attrs, ir.AttrFunction), ir.AttrNoReturn) ||
		s.callee != nil && c.m.HasAttr(c.m.AttrsAt(s.callee.Attributes, ir.AttrFunction), ir.AttrNoReturn)
	if !c.m.IsPtr(s.fn.Elem) && (!noReturn || s.fn.Elem != ir.Void) {
		return `a call with operand bundle "clang.arc.attachedcall" must call a function returning a pointer or a non-returning function that has a void return type`
	}
	if len(ops) != 1 || c.m.ConstGlobal(ops[0].Value) == nil || c.m.ConstGlobal(ops[0].Value).Func == nil {
		return `operand bundle "clang.arc.attachedcall" requires one function as an argument`
	}
	switch c.m.ConstGlobal(ops[0].Value).Name() {
	case "objc_retainAutoreleasedReturnValue", "objc_claimAutoreleasedReturnValue", "objc_unsafeClaimAutoreleasedReturnValue",
		"llvm.objc.retainAutoreleasedReturnValue", "llvm.objc.claimAutoreleasedReturnValue", "llvm.objc.unsafeClaimAutoreleasedReturnValue":
		return ""
	}
	return "invalid function argument"
}

// inlineAsm checks the arguments of inline assembly against its constraints.
func (c *checker) inlineAsm(s *callSite) string {
	if message := ir.CheckConstraints(c.m, s.asm); message != "" {
		return message
	}
	arg, labels := 0, 0
	for constraint := range constraintsOf(s.asm.Constraints) {
		kind, indirect := constraint[0], isIndirect(constraint)
		switch {
		case kind == '!':
			labels++
			continue
		case kind == '~' || kind == '=' && !indirect:
			continue
		}
		if arg >= len(s.args) {
			break
		}
		has := c.m.HasAttr(c.m.AttrsAt(s.attrs, ir.AttrParams+arg), ir.AttrElementType)
		switch {
		case indirect && !c.m.IsPtr(c.typeOf(s.args[arg].Value)):
			return "Operand for indirect constraint must have pointer type"
		case indirect && !has:
			return "Operand for indirect constraint must have elementtype attribute"
		case !indirect && has:
			return "Elementtype attribute can only be applied for indirect constraints"
		}
		arg++
	}
	switch {
	case c.f.Op(s.v) != ir.OpCallBr && labels != 0:
		return "Label constraints can only be used with callbr"
	case c.f.Op(s.v) == ir.OpCallBr && labels != len(c.f.CallSuccessors(s.v))-1:
		return "Number of label constraints does not match number of callbr dests"
	}
	return ""
}

// calledWithDebugInfo checks that a call that may be inlined has a location.
func (c *checker) calledWithDebugInfo(s *callSite) {
	if c.subprogram == 0 || s.callee == nil || c.f.Instr(s.v).Loc != 0 || s.callee.Entry() == 0 || s.callee.Linkage.IsInterposable() {
		return
	}
	for _, a := range s.callee.MD {
		if a.Kind == ir.MDDbg {
			c.debug("inlinable function call in a function with debug info must have a !dbg location", 0)
			return
		}
	}
}
