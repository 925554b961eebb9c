package verify

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// checksumSizes holds the number of hexadecimal digits for each kind of
// checksum.
var checksumSizes = [...]int{1: 32, 2: 40, 3: 64}

func (c *checker) diFile(md ir.Metadata) string {
	kind := c.m.MDFieldInt(md, "checksumkind")
	if kind == 0 {
		return ""
	}
	if kind >= uint64(len(checksumSizes)) {
		return "invalid checksum kind"
	}
	text, _ := c.m.MDString(c.m.MDField(md, "checksum"))
	switch {
	case len(text) != checksumSizes[kind]:
		return "invalid checksum length"
	case strings.Trim(text, "0123456789abcdefABCDEF") != "":
		return "invalid checksum"
	}
	return ""
}

func (c *checker) diCompileUnit(md ir.Metadata) string {
	file, k := c.field(md, "file")
	if !c.m.IsDistinct(md) {
		return "compile units must be distinct"
	}
	if k != ir.NodeFile {
		return "invalid file"
	}
	if name, _ := c.m.MDString(c.m.MDField(file, "filename")); name == "" {
		return "invalid filename"
	}
	if c.m.MDFieldInt(md, "emissionKind") > 3 {
		return "invalid emission kind"
	}
	return firstOf(
		c.list(md, "enums", "invalid enum list", "invalid enum type", func(op ir.Metadata, k ir.NodeKind) bool {
			return k == ir.NodeCompositeType && c.hasTag(op, tagEnumeration)
		}),
		c.list(md, "retainedTypes", "invalid retained type list", "invalid retained type", func(op ir.Metadata, k ir.NodeKind) bool {
			return isType(k) || k == ir.NodeSubprogram && !c.isDefinition(op)
		}),
		c.list(md, "globals", "invalid global variable list", "invalid global variable ref", func(_ ir.Metadata, k ir.NodeKind) bool {
			return k == ir.NodeGlobalVariableExpression
		}),
		c.list(md, "imports", "invalid imported entity list", "invalid imported entity ref", func(_ ir.Metadata, k ir.NodeKind) bool {
			return k == ir.NodeImportedEntity
		}),
		c.list(md, "macros", "invalid macro list", "invalid macro ref", isMacro))
}

func isMacro(_ ir.Metadata, k ir.NodeKind) bool { return k == ir.NodeMacro || k == ir.NodeMacroFile }

func (c *checker) diSubprogram(md ir.Metadata) string {
	declaration, declKind := c.field(md, "declaration")
	file, fileKind := c.field(md, "file")
	flags := c.m.MDFieldInt(md, "flags")
	switch {
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope"
	case file != 0 && fileKind != ir.NodeFile:
		return "invalid file"
	case file == 0 && c.m.MDFieldInt(md, "line") != 0:
		return "line specified with no file"
	case !c.isNullOr(md, "type", func(k ir.NodeKind) bool { return k == ir.NodeSubroutineType }):
		return "invalid subroutine type"
	case !c.isNullOr(md, "containingType", isType):
		return "invalid containing type"
	}
	if message := c.templateParams(md); message != "" {
		return message
	}
	if declaration != 0 && (declKind != ir.NodeSubprogram || c.isDefinition(declaration)) {
		return "invalid subprogram declaration"
	}
	if message := c.retainedNodes(md); message != "" {
		return message
	}
	if conflictingFlags(flags) {
		return "invalid reference flags"
	}
	if message := c.unit(md, declaration); message != "" {
		return message
	}
	if message := c.list(md, "thrownTypes", "invalid thrown types list", "invalid thrown type",
		func(_ ir.Metadata, k ir.NodeKind) bool { return isType(k) }); message != "" {
		return message
	}
	if flags&flagAllCalls != 0 && !c.isDefinition(md) {
		return "DIFlagAllCallsDescribed must be attached to a definition"
	}
	return ""
}

// unit checks the unit of a subprogram definition, and that a subprogram
// declaration has neither a unit nor a declaration.
func (c *checker) unit(md, declaration ir.Metadata) string {
	unit, k := c.field(md, "unit")
	if !c.isDefinition(md) {
		switch {
		case unit != 0:
			return "subprogram declarations must not have a compile unit"
		case declaration != 0:
			return "subprogram declaration must not have a declaration field"
		}
		return ""
	}
	switch {
	case !c.m.IsDistinct(md):
		return "subprogram definitions must be distinct"
	case unit == 0:
		return "subprogram definitions must have a compile unit"
	case k != ir.NodeCompileUnit:
		return "invalid unit type"
	}
	return ""
}

// retainedNodes checks the variables and labels in a subprogram's
// retainedNodes.
func (c *checker) retainedNodes(md ir.Metadata) string {
	list, k := c.field(md, "retainedNodes")
	if list == 0 {
		return ""
	}
	if k != ir.NodeTuple {
		return "invalid retained nodes list"
	}
	for _, op := range c.m.MDOperands(list) {
		switch k := c.m.NodeKind(op); {
		case op == 0:
			return "nullptr in retained nodes"
		case k != ir.NodeLocalVariable && k != ir.NodeLabel && k != ir.NodeImportedEntity:
			return "invalid retained nodes, expected DILocalVariable, DILabel or DIImportedEntity"
		}
		scope := c.m.MDField(op, "scope")
		if !isLocalScope(c.m.NodeKind(scope)) {
			return "invalid retained nodes, retained node is not local"
		}
		if c.subprogramOf(scope) != md {
			return "invalid retained nodes, retained node does not belong to subprogram"
		}
	}
	return ""
}

func (c *checker) diLexicalBlock(md ir.Metadata) string {
	scope, k := c.field(md, "scope")
	switch {
	case !isLocalScope(k):
		return "invalid local scope"
	case k == ir.NodeSubprogram && !c.isDefinition(scope):
		return "scope points into the type hierarchy"
	case c.m.NodeKind(md) == ir.NodeLexicalBlock && c.m.MDFieldInt(md, "line") == 0 && c.m.MDFieldInt(md, "column") != 0:
		return "cannot have column info without line info"
	}
	return ""
}

func (c *checker) diCommonBlock(md ir.Metadata) string {
	switch {
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope ref"
	case !c.isNullOr(md, "declaration", func(k ir.NodeKind) bool { return k == ir.NodeGlobalVariable }):
		return "invalid declaration"
	}
	return ""
}

func (c *checker) diNamespace(md ir.Metadata) string {
	if !c.isNullOr(md, "scope", isScope) {
		return "invalid scope ref"
	}
	return ""
}

func (c *checker) diMacro(md ir.Metadata) string {
	if t := c.m.MDFieldInt(md, "type"); t != macinfoDefine && t != macinfoUndef {
		return "invalid macinfo type"
	}
	if name, _ := c.m.MDString(c.m.MDField(md, "name")); name == "" {
		return "anonymous macro"
	}
	return ""
}

func (c *checker) diMacroFile(md ir.Metadata) string {
	switch {
	case c.m.MDFieldInt(md, "type") != macinfoStartFile:
		return "invalid macinfo type"
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	}
	return c.list(md, "nodes", "invalid macro list", "invalid macro ref", isMacro)
}

func (c *checker) diModule(md ir.Metadata) string {
	if name, _ := c.m.MDString(c.m.MDField(md, "name")); name == "" {
		return "anonymous module"
	}
	return ""
}

func (c *checker) diTemplateParam(md ir.Metadata) string {
	if !c.isNullOr(md, "type", isType) {
		return "invalid type ref"
	}
	if c.m.NodeKind(md) == ir.NodeTemplateValueParameter && !c.hasTag(md, tagTemplateValue, tagGNUTemplateParam, tagGNUParamPack) {
		return "invalid tag"
	}
	return ""
}

// diVariable checks the rules common to global and local variables.
func (c *checker) diVariable(md ir.Metadata) string {
	switch {
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope"
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	case !c.isNullOr(md, "type", isType):
		return "invalid type ref"
	}
	return ""
}

func (c *checker) diGlobalVariable(md ir.Metadata) string {
	if message := c.diVariable(md); message != "" {
		return message
	}
	switch t, _ := c.field(md, "type"); {
	case t == 0 && c.m.MDFieldInt(md, "isDefinition") != 0:
		return "missing global variable type"
	case !c.isNullOr(md, "declaration", func(k ir.NodeKind) bool { return k == ir.NodeDerivedType }):
		return "invalid static data member declaration"
	}
	return ""
}

func (c *checker) diLocalVariable(md ir.Metadata) string {
	if message := c.diVariable(md); message != "" {
		return message
	}
	if _, k := c.field(md, "scope"); !isLocalScope(k) {
		return "local variable requires a valid scope"
	}
	if _, k := c.field(md, "type"); k == ir.NodeSubroutineType {
		return "invalid type"
	}
	return ""
}

func (c *checker) diLabel(md ir.Metadata) string {
	switch _, k := c.field(md, "scope"); {
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope"
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	case !isLocalScope(k):
		return "label requires a valid scope"
	}
	return ""
}

func (c *checker) diExpression(md ir.Metadata) string {
	if !ir.IsValidExpr(c.m.MDInts(md)) {
		return "invalid expression"
	}
	return ""
}

func (c *checker) diGlobalExpression(md ir.Metadata) string {
	variable, k := c.field(md, "var")
	if k != ir.NodeGlobalVariable {
		return "missing variable"
	}
	if expr, k := c.field(md, "expr"); k == ir.NodeExpression {
		return c.fragment(variable, expr)
	}
	return ""
}

func (c *checker) diObjCProperty(md ir.Metadata) string {
	switch {
	case !c.isNullOr(md, "type", isType):
		return "invalid type ref"
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	}
	return ""
}

func (c *checker) diImportedEntity(md ir.Metadata) string {
	switch {
	case !c.hasTag(md, tagImportedModule, tagImportedDecl):
		return "invalid tag"
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope for imported entity"
	case !c.isNullOr(md, "entity", isDINode):
		return "invalid imported entity"
	}
	return ""
}

func (c *checker) diAssignID(md ir.Metadata) string {
	switch {
	case len(c.m.MDOperands(md)) != 0:
		return "DIAssignID has no arguments"
	case !c.m.IsDistinct(md):
		return "DIAssignID must be distinct"
	}
	return ""
}

// opLLVMFragment is DW_OP_LLVM_fragment: offset and size in bits, at the end of an expression.
const opLLVMFragment = 0x1000

// fragmentOf returns the fragment of a variable that an expression describes.
func (c *checker) fragmentOf(expr ir.Metadata) (offset, size uint64, ok bool) {
	ints := c.m.MDInts(expr)
	if n := len(ints); n >= 3 && ints[n-3] == opLLVMFragment && ir.IsValidExpr(ints) {
		return ints[n-2], ints[n-1], true
	}
	return 0, 0, false
}

// fragment checks that the fragment of an expression is a proper part of a
// variable.
func (c *checker) fragment(variable, expr ir.Metadata) string {
	offset, size, ok := c.fragmentOf(expr)
	if !ok {
		return ""
	}
	whole, known := c.sizeOf(c.m.MDField(variable, "type"))
	switch {
	case !known:
	case uint64(uint32(size)+uint32(offset)) > whole:
		return "fragment is larger than or outside of variable"
	case uint64(uint32(size)) == whole:
		return "fragment covers entire variable"
	}
	return ""
}

// sizeOf returns the size of a type in bits, looking through typedefs and
// qualifiers.
func (c *checker) sizeOf(t ir.Metadata) (uint64, bool) {
	for range c.m.NumMetadata() {
		k := c.m.NodeKind(t)
		if !isType(k) {
			return 0, false
		}
		size, hasSize := c.m.MDInt(c.m.MDField(t, "size"))
		if hasSize && size != 0 {
			return size, true
		}
		if k != ir.NodeDerivedType {
			return 0, false
		}
		t = c.m.MDField(t, "baseType")
	}
	return 0, false
}
