package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// isSpecialVariable reports whether only the linker reads a variable, so that
// it must not have uses.
func isSpecialVariable(name string) bool {
	switch name {
	case "llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors":
		return true
	}
	return false
}

// module checks the entities outside functions.
func (c *checker) module() {
	c.f, c.b, c.v = nil, 0, ir.None
	c.deoptimize()
	c.recoveredFrames()
	c.attachments2()
	for _, kind := range [...]ir.GlobalKind{ir.GlobalVar, ir.GlobalAlias, ir.GlobalIFunc} {
		for _, g := range c.m.Globals() {
			if g == nil || g.Kind != kind {
				continue
			}
			c.m.Guard().Check()
			c.g = g
			switch kind {
			case ir.GlobalVar:
				c.variable(g)
			case ir.GlobalAlias:
				c.checkMessage(c.alias(g))
				c.checkMessage(c.globalValue(g))
			default:
				c.checkMessage(c.ifunc(g))
			}
		}
	}
	c.g = nil
	for _, n := range c.m.NamedMDs {
		c.namedMetadata(n)
	}
	c.comdats()
	c.moduleFlags()
	c.strings("llvm.ident")
	c.strings("llvm.commandline")
	if n := c.m.NamedMetadata("llvm.errno.tbaa"); n != nil {
		if len(n.Ops) == 0 {
			c.fail("llvm.errno.tbaa must have at least one operand")
		}
		for _, md := range n.Ops {
			c.checkMessage(c.tbaaTag(md))
		}
	}
	c.compileUnits()
}

// isDeclarationForLinker reports whether the linker treats a global as defined
// elsewhere.
func isDeclarationForLinker(g *ir.Global) bool {
	return g.Linkage == ir.AvailableExternally || g.IsDeclaration()
}

// globalValue checks the rules common to all globals.
func (c *checker) globalValue(g *ir.Global) string {
	switch {
	case g.IsDeclaration() && g.Linkage != ir.External && g.Linkage != ir.ExternWeak:
		return "Global is external, but doesn't have external or weak linkage!: " + g.Linkage.String()
	case g.Linkage == ir.Appending && g.Kind != ir.GlobalVar:
		return "Only global variables can have appending linkage!"
	case g.Linkage == ir.Appending && c.m.Kind(g.Type) != ir.KindArray:
		return c.found("Only global arrays can have appending linkage!", g.Type)
	case g.Comdat != nil && isDeclarationForLinker(g):
		return "Declaration may not be in a Comdat!: $" + g.Comdat.Name
	case g.DLL == ir.DLLExport && g.Vis == ir.Hidden:
		return "dllexport GlobalValue must have default or protected visibility"
	case g.ImpliesDSOLocal() && !g.DSOLocal:
		return "GlobalValue with local linkage or non-default visibility must be dso_local!"
	}
	if g.DLL == ir.DLLImport {
		switch {
		case g.Vis != ir.DefaultVisibility:
			return "dllimport GlobalValue must have default visibility"
		case g.DSOLocal:
			return "GlobalValue with DLLImport Storage is dso_local!"
		case (!g.IsDeclaration() || g.Linkage != ir.External && g.Linkage != ir.ExternWeak) && g.Linkage != ir.AvailableExternally:
			return "Global is marked as dllimport, but not external"
		}
	}
	if g.Kind == ir.GlobalVar || g.Kind == ir.GlobalFunc {
		return c.objectMetadata(g)
	}
	return ""
}

// objectMetadata checks attachments that refer to other globals or addresses.
func (c *checker) objectMetadata(g *ir.Global) string {
	for _, a := range g.MD {
		message := ""
		switch a.Kind {
		case ir.MDAssociated:
			message = c.associated(g, a.Node)
		case ir.MDImplicitRef:
			message = c.implicitRef(a.Node)
		case ir.MDAbsoluteSymbol:
			bits := c.m.Layout().Pointer(g.AddrSpace).Bits
			message = c.ranges(a.Node, c.m.IntType(int(bits)), rangeAbsolute)
		}
		if message != "" {
			return message
		}
	}
	return ""
}

func (c *checker) associated(g *ir.Global, md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) != 1 {
		return "associated metadata must have one operand"
	}
	value := c.m.MDValue(ops[0])
	switch {
	case ops[0] == 0:
		return "associated metadata must have a global value"
	case value == ir.None:
		return "associated metadata must be ValueAsMetadata"
	case !c.m.IsPtr(c.m.TypeOfConst(value)):
		return c.found("associated value must be pointer typed", c.m.TypeOfConst(value))
	case c.stripAliases(value) == g.Value():
		return "global values should not associate to themselves"
	}
	return ""
}

// stripAliases returns a pointer without conversions and aliases.
func (c *checker) stripAliases(v ir.Value) ir.Value {
	for range maxConstDepth {
		v = c.stripCasts(v)
		g := c.m.ConstGlobal(v)
		if g == nil || g.Kind != ir.GlobalAlias {
			break
		}
		v = g.Init
	}
	return v
}

func (c *checker) implicitRef(md ir.Metadata) string {
	ops := c.m.MDOperands(md)
	if len(ops) != 1 {
		return "ref metadata must have one operand"
	}
	value := c.m.MDValue(ops[0])
	switch {
	case ops[0] == 0:
		return "ref metadata must not be null"
	case value == ir.None:
		return "ref metadata must be ValueAsMetadata"
	case !c.m.IsPtr(c.m.TypeOfConst(value)):
		return c.found("ref value must be pointer typed", c.m.TypeOfConst(value))
	}
	if g := c.m.ConstGlobal(c.stripAliases(value)); g == nil || g.Kind != ir.GlobalVar && g.Kind != ir.GlobalFunc {
		return "ref metadata must point to a GlobalObject"
	}
	return ""
}

// variable checks a global variable.
func (c *checker) variable(g *ir.Global) {
	m := c.m
	if g.Init != ir.None && !c.checkMessage(c.initializer(g)) {
		return
	}
	if isSpecialVariable(g.Name()) {
		c.checkMessage(c.specialVariable(g))
	}
	for _, a := range g.MD {
		if a.Kind != ir.MDDbg {
			continue
		}
		if m.NodeKind(a.Node) != ir.NodeGlobalVariableExpression {
			c.debug("!dbg attachment of global variable must be a DIGlobalVariableExpression", a.Node)
			continue
		}
		c.node(a.Node, true)
	}
	if info := m.TypeInfo(g.Type); info.Kind == ir.KindTarget && targetTypeOf(info.Name).notGlobal {
		c.fail("Global @" + g.Name() + " has illegal target extension type: " + c.typ(g.Type))
	}
	if g.Init != ir.None && !isSpecialVariable(g.Name()) {
		c.constOperand(g.Init, false)
	}
	c.checkMessage(c.globalValue(g))
}

func (c *checker) initializer(g *ir.Global) string {
	m := c.m
	switch t := m.TypeOfConst(g.Init); {
	case t != g.Type:
		return c.found("Global variable initializer type does not match global variable type!", t, g.Type)
	case !m.IsSized(t):
		return c.found("Global variable initializer must be sized", t)
	}
	if g.Linkage == ir.Common {
		switch {
		case !m.IsZero(g.Init):
			return "'common' global must have a zero initializer!"
		case g.Constant:
			return "'common' global may not be marked constant!"
		case g.Comdat != nil:
			return "'common' global may not be in a Comdat!"
		}
	}
	return ""
}

// specialVariable checks llvm.used, llvm.global_ctors and similar variables.
func (c *checker) specialVariable(g *ir.Global) string {
	if g.Init != ir.None && g.Linkage != ir.Appending {
		return "invalid linkage for intrinsic global variable: " + g.Linkage.String()
	}
	info := c.m.TypeInfo(g.Type)
	if info.Kind != ir.KindArray {
		return ""
	}
	if g.Name() == "llvm.global_ctors" || g.Name() == "llvm.global_dtors" {
		return c.constructors(info.Elem)
	}
	if !c.m.IsPtr(info.Elem) {
		return c.found("wrong type for intrinsic global variable", g.Type)
	}
	if g.Init == ir.None {
		return ""
	}
	if c.m.ConstKindOf(g.Init) != ir.ConstAggregate {
		return "wrong initializer for intrinsic global variable"
	}
	for _, o := range c.m.ConstOperands(g.Init) {
		member := c.m.ConstGlobal(c.stripCasts(o))
		switch {
		case member != nil && isSpecialVariable(member.Name()):
			return "invalid uses of intrinsic global variable: @" + member.Name()
		case member == nil || member.Kind == ir.GlobalIFunc:
			return "invalid " + g.Name() + " member: " + c.constName(o)
		case member.Name() == "":
			return "members of " + g.Name() + " must be named"
		}
	}
	return ""
}

// constructors checks the element type of llvm.global_ctors: { i32, ptr, ptr }.
func (c *checker) constructors(t ir.Type) string {
	info := c.m.TypeInfo(t)
	code := c.m.PtrType(c.m.Layout().ProgramAddrSpace)
	n := len(info.Elems)
	switch {
	case info.Kind != ir.KindStruct || n != 2 && n != 3 || info.Elems[0] != ir.I32 || info.Elems[1] != code:
		return c.found("wrong type for intrinsic global variable", t)
	case n != 3:
		return c.found("the third field of the element type is mandatory, specify ptr null to migrate from the obsoleted 2-field form", t)
	case !c.m.IsPtr(info.Elems[2]):
		return c.found("wrong type for intrinsic global variable", t)
	}
	return ""
}

func (c *checker) alias(g *ir.Global) string {
	switch g.Linkage {
	case ir.Appending, ir.Common, ir.ExternWeak:
		return "Alias should have private, internal, linkonce, weak, linkonce_odr, weak_odr, external, or available_externally linkage!"
	}
	if g.Init == ir.None {
		return "Aliasee cannot be NULL!"
	}
	if t := c.m.TypeOfConst(g.Init); t != c.m.PtrType(g.AddrSpace) {
		return c.found("Alias and aliasee types should match!", t, c.m.PtrType(g.AddrSpace))
	}
	if k := c.m.ConstKindOf(g.Init); k != ir.ConstGlobal && k != ir.ConstExpr {
		return "Aliasee should be either GlobalValue or ConstantExpr"
	}
	return c.aliasee(g, g.Init, map[*ir.Global]bool{g: true}, 0)
}

// aliasee checks the target of an alias.
func (c *checker) aliasee(alias *ir.Global, v ir.Value, seen map[*ir.Global]bool, depth int) string {
	if depth > maxConstDepth {
		return ""
	}
	g := c.m.ConstGlobal(v)
	if alias.Linkage == ir.AvailableExternally && (g == nil || g.Linkage != ir.AvailableExternally) {
		return "available_externally alias must point to available_externally global value"
	}
	if g == nil {
		if message := c.constTree(v); message != "" && c.m.ConstKindOf(v) == ir.ConstExpr {
			return message
		}
		for _, o := range c.m.ConstOperands(v) {
			to := o
			if other := c.m.ConstGlobal(o); other != nil && other.Kind == ir.GlobalAlias && other.Init != ir.None {
				if seen[other] {
					return "Aliases cannot form a cycle"
				}
				if other.Linkage.IsInterposable() {
					return "Alias cannot point to an interposable alias"
				}
				seen[other] = true
				to = other.Init
			}
			if message := c.aliasee(alias, to, seen, depth+1); message != "" {
				return message
			}
		}
		return ""
	}
	if alias.Linkage != ir.AvailableExternally && isDeclarationForLinker(g) {
		return "Alias must point to a definition: @" + g.Name()
	}
	if g.Kind != ir.GlobalAlias {
		return ""
	}
	switch {
	case seen[g]:
		return "Aliases cannot form a cycle"
	case g.Linkage.IsInterposable():
		return "Alias cannot point to an interposable alias"
	case g.Init == ir.None:
		return ""
	}
	seen[g] = true
	return c.aliasee(alias, g.Init, seen, depth+1)
}

func (c *checker) ifunc(g *ir.Global) string {
	switch g.Linkage {
	case ir.Appending, ir.Common, ir.ExternWeak, ir.AvailableExternally:
		return "IFunc should have private, internal, linkonce, weak, linkonce_odr, weak_odr, or external linkage!"
	}
	resolver := c.m.ConstGlobal(c.stripAliases(g.Init))
	switch {
	case g.Init == ir.None || resolver == nil || resolver.Func == nil:
		return "IFunc must have a Function resolver"
	case isDeclarationForLinker(resolver):
		return "IFunc resolver must be a definition: @" + resolver.Name()
	case !c.m.IsPtr(resolver.Func.ReturnType()):
		return c.found("IFunc resolver must return a pointer", resolver.Func.ReturnType())
	case c.m.TypeOfConst(g.Init) != c.m.PtrType(g.AddrSpace):
		return c.found("IFunc resolver has incorrect type", c.m.TypeOfConst(g.Init))
	}
	return ""
}

// comdats checks that no COMDAT in COFF has the name of a private symbol.
func (c *checker) comdats() {
	if !c.coff {
		return
	}
	for _, d := range c.m.Comdats {
		if g := c.m.Global(d.Name); g != nil && g.Linkage == ir.Private {
			c.g = g
			c.fail("comdat global value has private linkage")
		}
	}
	c.g = nil
}
