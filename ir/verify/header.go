package verify

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// isIntrinsicName reports whether a name is reserved for intrinsic functions.
func isIntrinsicName(name string) bool { return len(name) > 5 && name[:5] == "llvm." }

// header checks a function without its body.
func (c *checker) header() {
	f, m := c.f, c.m
	c.g = f.Global
	c.checkMessage(c.globalValue(f.Global))
	fn := m.TypeInfo(f.Global.Type)
	if fn.Kind != ir.KindFunc {
		c.fail(c.found("function has a type that is not a function type", f.Global.Type))
		return
	}
	intrinsic := isIntrinsicName(f.Name())
	c.checkMessage(c.signature(fn, intrinsic))
	if len(m.AttrSets(f.Attributes)) > len(fn.Elems)+ir.AttrParams {
		c.fail("Attribute after last parameter!")
	}
	c.checkMessage(c.functionAttrs(attrSite{fn: fn, list: f.Attributes, intrinsic: intrinsic, global: f.Global}))
	c.checkMessage(c.ownAttrs())
	c.checkMessage(c.convention(fn))
	c.checkMessage(c.functionMetadata())
	c.g = nil
	if f.Entry() == 0 {
		c.declaration()
		return
	}
	if intrinsic {
		c.fail("llvm intrinsics cannot be defined!")
	}
	if f.FirstPred(f.Entry()) != 0 {
		c.fail("Entry block to function must not have predecessors!")
	}
	if c.entryAddresses[f] {
		c.fail("blockaddress may not be used with the entry block!")
	}
	c.definition()
}

// signature checks the result and parameter types.
func (c *checker) signature(fn *ir.TypeInfo, intrinsic bool) string {
	m, f := c.m, c.f
	switch {
	case f.Linkage == ir.Common:
		return "Functions may not have common linkage"
	case fn.Elem != ir.Void && !m.IsFirstClass(fn.Elem) && m.Kind(fn.Elem) != ir.KindStruct:
		return c.found("Functions cannot return aggregate values!", fn.Elem)
	case !intrinsic && fn.Elem == ir.Token:
		return "Function returns a token but isn't an intrinsic"
	case fn.Elem != ir.Void && c.hasSRet():
		return "Invalid struct return type!"
	case f.NumArgs() != len(fn.Elems):
		return "# formal arguments must match # of arguments for function type!"
	}
	for i, t := range fn.Elems {
		switch {
		case c.typeOf(f.Arg(i)) != t:
			return c.found("Argument value does not match function argument type!", c.typeOf(f.Arg(i)), t)
		case !m.IsFirstClass(t):
			return c.found("Function arguments must have first-class types!", t)
		case !intrinsic && t == ir.MD:
			return "Function takes metadata but isn't an intrinsic"
		case !intrinsic && t == ir.Token:
			return "Function takes token but isn't an intrinsic"
		}
	}
	return ""
}

// hasSRet reports whether the first or second parameter of the function is
// sret.
func (c *checker) hasSRet() bool {
	return c.paramHas(0, ir.AttrSRet) || c.paramHas(1, ir.AttrSRet)
}

func (c *checker) paramHas(i int, k ir.AttrKind) bool {
	return c.m.HasAttr(c.m.AttrsAt(c.f.Attributes, ir.AttrParams+i), k)
}

// ownAttrs checks attributes that have a different meaning on functions than on
// calls.
func (c *checker) ownAttrs() string {
	m, f := c.m, c.f
	set := m.AttrsAt(f.Attributes, ir.AttrFunction)
	if m.HasAttr(set, ir.AttrBuiltin) {
		return "Attribute 'builtin' can only be applied to a callsite."
	}
	if c.somewhere(f.Attributes, ir.AttrElementType) {
		return "Attribute 'elementtype' can only be applied to a callsite."
	}
	if _, has := m.StringAttr(set, "aarch64_zt0_undef"); has {
		return "Attribute 'aarch64_zt0_undef' can only be applied to a callsite."
	}
	for i := range f.NumArgs() {
		switch {
		case m.HasAttr(set, ir.AttrNaked) && f.HasUses(f.Arg(i)):
			return "cannot use argument of naked function"
		case f.Entry() != 0 && c.paramHas(i, ir.AttrSwiftError):
			if message := c.swiftErrorUses(f.Arg(i)); message != "" {
				return message
			}
		}
	}
	return ""
}

// conventionRule holds the restrictions of a calling convention.
type conventionRule struct{ void, noSRet, noStack, noVarArg bool }

const (
	ccIntelOCLBI ir.CallConv = 77
	ccPTXKernel  ir.CallConv = 71
	ccPTXDevice  ir.CallConv = 72
	ccX86Intr    ir.CallConv = 83
)

var conventionRules = lazy.Value[map[ir.CallConv]conventionRule]{Make: func() map[ir.CallConv]conventionRule {
	return map[ir.CallConv]conventionRule{
		ir.CCAMDGPUKernel:         {void: true, noSRet: true, noStack: true, noVarArg: true},
		ir.CCSPIRKernel:           {void: true, noSRet: true, noVarArg: true},
		ir.CCAMDGPUCSChain:        {void: true, noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUCSChainPreserv: {void: true, noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUVS:             {noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUHS:             {noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUGS:             {noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUPS:             {noSRet: true, noStack: true, noVarArg: true},
		ir.CCAMDGPUCS:             {noSRet: true, noStack: true, noVarArg: true},
		ir.CCFast:                 {noVarArg: true},
		ir.CCCold:                 {noVarArg: true},
		ccIntelOCLBI:              {noVarArg: true},
		ccPTXKernel:               {noVarArg: true},
		ccPTXDevice:               {noVarArg: true},
		ir.CCAMDGPUGfxWholeWave:   {noVarArg: true},
	}
}}

// convention checks the function against its calling convention.
func (c *checker) convention(fn *ir.TypeInfo) string {
	if c.f.CC == ir.CC {
		return ""
	}
	switch {
	case c.f.CC == ccX86Intr && len(fn.Elems) > 0 && !c.paramHas(0, ir.AttrByVal):
		return "Calling convention parameter requires byval"
	case c.f.CC == ir.CCAMDGPUGfxWholeWave && (len(fn.Elems) == 0 || fn.Elems[0] != ir.I1):
		return "Calling convention requires first argument to be i1"
	case c.f.CC == ir.CCAMDGPUGfxWholeWave && c.paramHas(0, ir.AttrInReg):
		return "Calling convention requires first argument to not be inreg"
	}
	r := conventionRules.Get()[c.f.CC]
	switch {
	case r.void && fn.Elem != ir.Void:
		return c.found("Calling convention requires void return type", fn.Elem)
	case r.noSRet && c.hasSRet():
		return "Calling convention does not allow sret"
	}
	for i, t := range fn.Elems {
		switch {
		case !r.noStack:
		case c.paramHas(i, ir.AttrByVal):
			return "Calling convention disallows byval"
		case c.paramHas(i, ir.AttrPreallocated):
			return "Calling convention disallows preallocated"
		case c.paramHas(i, ir.AttrInAlloca):
			return "Calling convention disallows inalloca"
		case c.paramHas(i, ir.AttrByRef) && c.m.AddrSpace(t) == c.m.Layout().AllocaAddrSpace:
			return "Calling convention disallows stack byref"
		}
	}
	if r.noVarArg && fn.VarArg {
		return "Calling convention does not support varargs or perfect forwarding!"
	}
	return ""
}

// functionMetadata checks !prof and !kcfi_type of a function.
func (c *checker) functionMetadata() string {
	for _, a := range c.f.MD {
		ops := c.m.MDOperands(a.Node)
		message := ""
		switch a.Kind {
		case ir.MDProf:
			message = c.functionProf(ops)
		case ir.MDKCFIType:
			message = c.kcfiType(ops)
		}
		if message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) functionProf(ops []ir.Metadata) string {
	if len(ops) > 0 {
		if name, _ := c.m.MDString(ops[0]); name == "unknown" {
			return c.unknownProf(ops)
		}
	}
	if len(ops) < 2 {
		return "!prof annotations should have no less than 2 operands"
	}
	name, isString := c.m.MDString(ops[0])
	switch {
	case ops[0] == 0:
		return "first operand should not be null"
	case !isString:
		return "expected string with name of the !prof annotation"
	case name != "function_entry_count" && name != "synthetic_function_entry_count":
		return "first operand should be 'function_entry_count' or 'synthetic_function_entry_count'"
	case ops[1] == 0:
		return "second operand should not be null"
	case c.m.NodeKind(ops[1]) != ir.NodeValue:
		return "expected integer argument to function_entry_count"
	}
	return ""
}

func (c *checker) kcfiType(ops []ir.Metadata) string {
	if len(ops) != 1 {
		return "!kcfi_type must have exactly one operand"
	}
	value := c.m.MDValue(ops[0])
	switch {
	case ops[0] == 0:
		return "!kcfi_type operand must not be null"
	case value == ir.None:
		return "expected a constant operand for !kcfi_type"
	case c.m.ConstKindOf(value) != ir.ConstInt:
		return "expected a constant integer operand for !kcfi_type"
	case c.m.TypeOfConst(value) != ir.I32:
		return "expected a 32-bit integer constant operand for !kcfi_type"
	}
	return ""
}

// declaration checks the rules specific to declarations.
func (c *checker) declaration() {
	for _, a := range c.f.MD {
		switch {
		case a.Kind == ir.MDDbg && c.m.IsDistinct(a.Node) && c.m.NodeKind(a.Node) == ir.NodeSubprogram:
			c.debug("function declaration may only have a unique !dbg attachment", a.Node)
		case a.Kind == ir.MDProf:
			c.fail("function declaration may not have a !prof attachment")
		}
		c.node(a.Node, true)
	}
	if c.f.Personality != ir.None {
		c.fail("Function declaration shouldn't have a personality routine")
	}
}

// definition checks the metadata of a function with a body.
func (c *checker) definition() {
	var seen [ir.MDKCFIType + 1]int
	for _, a := range c.f.MD {
		if int(a.Kind) < len(seen) {
			seen[a.Kind]++
		}
		switch {
		case a.Kind == ir.MDDbg:
			switch {
			case seen[a.Kind] > 1:
				c.debug("function must have a single !dbg attachment", a.Node)
				continue
			case c.m.NodeKind(a.Node) != ir.NodeSubprogram:
				c.debug("function !dbg attachment must be a subprogram", a.Node)
				continue
			case !c.m.IsDistinct(a.Node):
				c.debug("function definition may only have a distinct !dbg attachment", a.Node)
				continue
			}
			c.subprogram = a.Node
		case a.Kind == ir.MDProf && seen[a.Kind] == 2:
			c.fail("function must have a single !prof attachment")
		case a.Kind == ir.MDKCFIType && seen[a.Kind] == 2:
			c.fail("function must have a single !kcfi_type attachment")
		}
		c.node(a.Node, a.Kind == ir.MDDbg)
	}
	for _, v := range [...]ir.Value{c.f.Personality, c.f.Prefix, c.f.Prologue} {
		if v != ir.None {
			c.constOperand(v, false)
		}
	}
}
