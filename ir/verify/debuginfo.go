package verify

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// The functions below test for LLVM's classes of nodes.
func isType(k ir.NodeKind) bool {
	switch k {
	case ir.NodeBasicType, ir.NodeFixedPointType, ir.NodeStringType, ir.NodeSubrangeType, ir.NodeDerivedType, ir.NodeCompositeType,
		ir.NodeSubroutineType:
		return true
	}
	return false
}

func isLocalScope(k ir.NodeKind) bool {
	return k == ir.NodeSubprogram || k == ir.NodeLexicalBlock || k == ir.NodeLexicalBlockFile
}

func isScope(k ir.NodeKind) bool {
	switch k {
	case ir.NodeFile, ir.NodeCompileUnit, ir.NodeNamespace, ir.NodeCommonBlock, ir.NodeModule:
		return true
	}
	return isType(k) || isLocalScope(k)
}

// isDINode reports whether nodes of kind k have a DWARF tag.
func isDINode(k ir.NodeKind) bool {
	switch k {
	case ir.NodeExpression, ir.NodeLocation, ir.NodeGlobalVariableExpression, ir.NodeAssignID, ir.NodeMacro, ir.NodeMacroFile:
		return false
	}
	return k > ir.NodeTuple
}

func isVariable(k ir.NodeKind) bool { return k == ir.NodeLocalVariable || k == ir.NodeGlobalVariable }

// Tags and flags used in rules (DWARF 5 and LLVM's extensions).
const (
	tagArray            = 0x01
	tagClass            = 0x02
	tagEnumeration      = 0x04
	tagMember           = 0x0d
	tagPointer          = 0x0f
	tagReference        = 0x10
	tagStructure        = 0x13
	tagTypedef          = 0x16
	tagUnion            = 0x17
	tagInheritance      = 0x1c
	tagPtrToMember      = 0x1f
	tagSet              = 0x20
	tagBase             = 0x24
	tagConst            = 0x26
	tagFriend           = 0x2a
	tagNamelist         = 0x2b
	tagVariantPart      = 0x33
	tagVariant          = 0x19
	tagVariable         = 0x34
	tagVolatile         = 0x35
	tagRestrict         = 0x37
	tagUnspecified      = 0x3b
	tagImportedDecl     = 0x08
	tagImportedModule   = 0x3a
	tagRvalueReference  = 0x42
	tagTemplateAlias    = 0x43
	tagAtomic           = 0x47
	tagImmutable        = 0x4b
	tagStringType       = 0x12
	tagTemplateType     = 0x2f
	tagTemplateValue    = 0x30
	tagGNUTemplateParam = 0x4106
	tagGNUParamPack     = 0x4107
	tagPtrAuth          = 0x4300

	flagStaticMember   = 0x1000
	flagVector         = 0x800
	flagBlockByRef     = 0x10
	flagLValueRef      = 0x2000
	flagRValueRef      = 0x4000
	flagPassByValue    = 0x400000
	flagPassByRef      = 0x800000
	flagBigEndian      = 0x8000000
	flagLittleEndian   = 0x10000000
	flagAllCalls       = 0x20000000
	spFlagDefinition   = 8
	macinfoDefine      = 1
	macinfoUndef       = 2
	macinfoStartFile   = 3
	fixedPointRational = 2
)

// nodeRules holds the rule for each kind of specialised node.
var nodeRules lazy.Value[*[ir.NodeImportedEntity + 1]func(c *checker, md ir.Metadata) string]

func makeNodeRules() *[ir.NodeImportedEntity + 1]func(c *checker, md ir.Metadata) string {
	return &[ir.NodeImportedEntity + 1]func(c *checker, md ir.Metadata) string{
		ir.NodeLocation: (*checker).diLocation, ir.NodeSubrange: (*checker).diSubrange, ir.NodeSubrangeType: (*checker).diSubrangeType,
		ir.NodeGenericSubrange: (*checker).diGenericSubrange, ir.NodeBasicType: (*checker).diBasicType,
		ir.NodeFixedPointType: (*checker).diFixedPoint, ir.NodeStringType: (*checker).diStringType,
		ir.NodeDerivedType: (*checker).diDerivedType, ir.NodeCompositeType: (*checker).diCompositeType,
		ir.NodeSubroutineType: (*checker).diSubroutineType, ir.NodeFile: (*checker).diFile, ir.NodeCompileUnit: (*checker).diCompileUnit,
		ir.NodeSubprogram: (*checker).diSubprogram, ir.NodeLexicalBlock: (*checker).diLexicalBlock,
		ir.NodeLexicalBlockFile: (*checker).diLexicalBlock, ir.NodeNamespace: (*checker).diNamespace, ir.NodeCommonBlock: (*checker).diCommonBlock,
		ir.NodeMacro: (*checker).diMacro, ir.NodeMacroFile: (*checker).diMacroFile, ir.NodeModule: (*checker).diModule,
		ir.NodeTemplateTypeParameter: (*checker).diTemplateParam, ir.NodeTemplateValueParameter: (*checker).diTemplateParam,
		ir.NodeGlobalVariable: (*checker).diGlobalVariable, ir.NodeLocalVariable: (*checker).diLocalVariable, ir.NodeLabel: (*checker).diLabel,
		ir.NodeExpression: (*checker).diExpression, ir.NodeGlobalVariableExpression: (*checker).diGlobalExpression,
		ir.NodeObjCProperty: (*checker).diObjCProperty, ir.NodeImportedEntity: (*checker).diImportedEntity, ir.NodeAssignID: (*checker).diAssignID,
		ir.NodeGeneric: (*checker).diGeneric,
	}
}

// debugNode checks a specialised node.
func (c *checker) debugNode(md ir.Metadata, k ir.NodeKind) {
	if rule := nodeRules.From(makeNodeRules)[k]; rule != nil {
		if message := rule(c, md); message != "" {
			c.badNode(message, md)
		}
	}
}

// field returns an operand of a node and its kind.
func (c *checker) field(md ir.Metadata, name string) (ir.Metadata, ir.NodeKind) {
	op := c.m.MDField(md, name)
	return op, c.m.NodeKind(op)
}

// isNullOr reports whether a field is null or of an accepted kind.
func (c *checker) isNullOr(md ir.Metadata, name string, ok func(ir.NodeKind) bool) bool {
	op, k := c.field(md, name)
	return op == 0 || ok(k)
}

func isFile(k ir.NodeKind) bool  { return k == ir.NodeFile }
func isTuple(k ir.NodeKind) bool { return k == ir.NodeTuple }

// list checks the elements of a field that is a tuple.
func (c *checker) list(md ir.Metadata, name, wrongList, wrongElement string, ok func(op ir.Metadata, k ir.NodeKind) bool) string {
	op, k := c.field(md, name)
	if op == 0 {
		return ""
	}
	if k != ir.NodeTuple {
		return wrongList
	}
	for _, e := range c.m.MDOperands(op) {
		if !ok(e, c.m.NodeKind(e)) {
			return wrongElement
		}
	}
	return ""
}

func (c *checker) diLocation(md ir.Metadata) string {
	scope, k := c.field(md, "scope")
	switch {
	case !isLocalScope(k):
		return "location requires a valid scope"
	case !c.isNullOr(md, "inlinedAt", func(k ir.NodeKind) bool { return k == ir.NodeLocation }):
		return "inlined-at should be a location"
	case k == ir.NodeSubprogram && !c.isDefinition(scope):
		return "scope points into the type hierarchy"
	}
	return ""
}

func (c *checker) isDefinition(sp ir.Metadata) bool {
	return c.m.MDFieldInt(sp, "spFlags")&spFlagDefinition != 0
}

func (c *checker) diGeneric(md ir.Metadata) string {
	if c.m.MDFieldInt(md, "tag") == 0 {
		return "invalid tag"
	}
	return ""
}

// bound checks a bound of a subrange: a constant, variable or expression.
func (c *checker) bound(md ir.Metadata, name, what string, constant bool, more ir.NodeKind) string {
	ok := c.isNullOr(md, name, func(k ir.NodeKind) bool {
		return constant && k == ir.NodeValue || isVariable(k) || k == ir.NodeExpression || more != 0 && k == more
	})
	switch {
	case ok:
		return ""
	case more != 0:
		return what + " must be signed constant or DIVariable or DIExpression or DIDerivedType"
	}
	return what + " must be signed constant or DIVariable or DIExpression"
}

func (c *checker) diSubrange(md ir.Metadata) string {
	count, k := c.field(md, "count")
	if upper, _ := c.field(md, "upperBound"); count != 0 && upper != 0 {
		return "Subrange can have any one of count or upperBound"
	}
	if message := c.bound(md, "count", "Count", true, 0); message != "" {
		return message
	}
	if n, ok := c.m.SignedValue(c.m.MDValue(count)); k == ir.NodeValue && ok && n < -1 {
		return "invalid subrange count"
	}
	return firstOf(c.bound(md, "lowerBound", "LowerBound", true, 0), c.bound(md, "upperBound", "UpperBound", true, 0),
		c.bound(md, "stride", "Stride", true, 0))
}

// firstOf returns the first nonempty message.
func firstOf(messages ...string) string {
	for _, m := range messages {
		if m != "" {
			return m
		}
	}
	return ""
}

func (c *checker) diSubrangeType(md ir.Metadata) string {
	if !c.isNullOr(md, "baseType", isType) {
		return "BaseType must be a type"
	}
	return firstOf(c.bound(md, "lowerBound", "LowerBound", true, ir.NodeDerivedType), c.bound(md, "upperBound", "UpperBound", true, ir.NodeDerivedType),
		c.bound(md, "stride", "Stride", true, 0), c.bound(md, "bias", "Bias", true, 0), c.sizeField(md))
}

// sizeField checks the field size of a type: a constant, variable or expression.
func (c *checker) sizeField(md ir.Metadata) string {
	if !c.isNullOr(md, "size", func(k ir.NodeKind) bool { return k == ir.NodeValue || isVariable(k) || k == ir.NodeExpression }) {
		return "SizeInBits must be a constant or DIVariable or DIExpression"
	}
	return ""
}

func (c *checker) diGenericSubrange(md ir.Metadata) string {
	count, _ := c.field(md, "count")
	upper, _ := c.field(md, "upperBound")
	lower, _ := c.field(md, "lowerBound")
	stride, _ := c.field(md, "stride")
	switch {
	case count != 0 && upper != 0:
		return "GenericSubrange can have any one of count or upperBound"
	case lower == 0:
		return "GenericSubrange must contain lowerBound"
	case stride == 0:
		return "GenericSubrange must contain stride"
	}
	return firstOf(c.bound(md, "count", "Count", false, 0), c.bound(md, "lowerBound", "LowerBound", false, 0),
		c.bound(md, "upperBound", "UpperBound", false, 0), c.bound(md, "stride", "Stride", false, 0))
}

// hasTag reports whether the tag of a node is in tags.
func (c *checker) hasTag(md ir.Metadata, tags ...uint64) bool {
	return slices.Contains(tags, c.m.MDFieldInt(md, "tag"))
}

func (c *checker) diBasicType(md ir.Metadata) string {
	if !c.hasTag(md, tagBase, tagUnspecified, tagStringType) {
		return "invalid tag"
	}
	return ""
}

func (c *checker) diFixedPoint(md ir.Metadata) string {
	if !c.hasTag(md, tagBase) {
		return "invalid tag"
	}
	switch enc := c.m.MDFieldInt(md, "encoding"); enc {
	case 0x0d, 0x0e: // signed and unsigned fixed
	default:
		return "invalid encoding"
	}
	num, _ := c.m.MDInt(c.m.MDField(md, "numerator"))
	den, _ := c.m.MDInt(c.m.MDField(md, "denominator"))
	switch kind := c.m.MDFieldInt(md, "kind"); {
	case kind > fixedPointRational:
		return "invalid kind"
	case kind == fixedPointRational && c.m.MDFieldInt(md, "factor") != 0:
		return "factor should be 0 for rationals"
	case kind != fixedPointRational && (num != 0 || den != 0):
		return "numerator and denominator should be 0 for non-rationals"
	}
	return ""
}

func (c *checker) diStringType(md ir.Metadata) string {
	if !c.hasTag(md, tagStringType) {
		return "invalid tag"
	}
	if f := c.m.MDFieldInt(md, "flags"); f&flagBigEndian != 0 && f&flagLittleEndian != 0 {
		return "has conflicting flags"
	}
	return ""
}

func conflictingFlags(f uint64) bool {
	return f&flagLValueRef != 0 && f&flagRValueRef != 0 || f&flagPassByValue != 0 && f&flagPassByRef != 0
}

func (c *checker) diDerivedType(md ir.Metadata) string {
	tag, flags := c.m.MDFieldInt(md, "tag"), c.m.MDFieldInt(md, "flags")
	base, baseKind := c.field(md, "baseType")
	switch {
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	case !c.hasTag(md, tagTypedef, tagPointer, tagPtrToMember, tagReference, tagRvalueReference, tagConst, tagImmutable, tagVolatile,
		tagRestrict, tagAtomic, tagPtrAuth, tagMember, tagInheritance, tagFriend, tagSet, tagTemplateAlias) &&
		(tag != tagVariable || flags&flagStaticMember == 0):
		return "invalid tag"
	case tag == tagPtrToMember && !c.isNullOr(md, "extraData", isType):
		return "invalid pointer to member type"
	case tag == tagSet && base != 0 && !c.isSetBase(base, baseKind):
		return "invalid set base type"
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope"
	case base != 0 && !isType(baseKind):
		return "invalid base type"
	}
	if message := c.extraData(md, tag); message != "" {
		return message
	}
	if c.m.MDFieldInt(md, "dwarfAddressSpace") != 0 && !c.hasTag(md, tagPointer, tagReference, tagRvalueReference) {
		return "DWARF address space only applies to pointer or reference types"
	}
	return c.sizeField(md)
}

// extraData checks the extra data of members: a constant, string, property, or
// a tuple with one constant.
func (c *checker) extraData(md ir.Metadata, tag uint64) string {
	data, k := c.field(md, "extraData")
	if data == 0 || tag != tagMember && tag != tagVariable && tag != tagInheritance {
		return ""
	}
	ok := k == ir.NodeValue || k == ir.NodeString || k == ir.NodeObjCProperty
	if ops := c.m.MDOperands(data); k == ir.NodeTuple {
		ok = len(ops) == 1 && c.m.NodeKind(ops[0]) == ir.NodeValue
	}
	if !ok {
		return "extraData must be ConstantAsMetadata, MDString, DIObjCProperty, or MDTuple with single ConstantAsMetadata operand"
	}
	return ""
}

func (c *checker) isSetBase(md ir.Metadata, k ir.NodeKind) bool {
	switch k {
	case ir.NodeCompositeType:
		return c.hasTag(md, tagEnumeration)
	case ir.NodeSubrangeType:
		return true
	case ir.NodeBasicType:
		switch c.m.MDFieldInt(md, "encoding") {
		case 2, 5, 6, 7, 8: // boolean, signed, signed char, unsigned, unsigned char
			return true
		}
	}
	return false
}

// arrayOnly lists the fields that only arrays may have.
var arrayOnly = [...]string{"dataLocation", "associated", "allocated", "rank"}

func (c *checker) diCompositeType(md ir.Metadata) string {
	flags := c.m.MDFieldInt(md, "flags")
	isArray := c.hasTag(md, tagArray)
	switch {
	case !c.isNullOr(md, "file", isFile):
		return "invalid file"
	case !c.hasTag(md, tagArray, tagStructure, tagUnion, tagEnumeration, tagClass, tagVariantPart, tagVariant, tagNamelist):
		return "invalid tag"
	case !c.isNullOr(md, "scope", isScope):
		return "invalid scope"
	case !c.isNullOr(md, "baseType", isType):
		return "invalid base type"
	case !c.isNullOr(md, "elements", isTuple):
		return "invalid composite elements"
	case slices.Contains(c.m.MDOperands(c.m.MDField(md, "elements")), 0):
		return "DISubprogram contains null entry in `elements` field"
	case !c.isNullOr(md, "vtableHolder", isType):
		return "invalid vtable holder"
	case conflictingFlags(flags):
		return "invalid reference flags"
	case flags&flagBlockByRef != 0:
		return "DIBlockByRefStruct on DICompositeType is no longer supported"
	case flags&flagVector != 0 && !c.isVectorElements(md):
		return "invalid vector, expected one element of type subrange"
	}
	if message := c.templateParams(md); message != "" {
		return message
	}
	if d, k := c.field(md, "discriminator"); d != 0 && (k != ir.NodeDerivedType || !c.hasTag(md, tagVariantPart)) {
		return "discriminator can only appear on variant part"
	}
	for _, name := range arrayOnly {
		if op, _ := c.field(md, name); op != 0 && !isArray {
			return name + " can only appear in array type"
		}
	}
	if base, _ := c.field(md, "baseType"); isArray && base == 0 {
		return "array types must have a base type"
	}
	return c.sizeField(md)
}

// isVectorElements reports whether a vector type has exactly one element, a
// subrange.
func (c *checker) isVectorElements(md ir.Metadata) bool {
	list, _ := c.field(md, "elements")
	ops := c.m.MDOperands(list)
	return len(ops) == 1 && c.m.NodeKind(ops[0]) == ir.NodeSubrange
}

func (c *checker) templateParams(md ir.Metadata) string {
	return c.list(md, "templateParams", "invalid template params", "invalid template parameter", func(_ ir.Metadata, k ir.NodeKind) bool {
		return k == ir.NodeTemplateTypeParameter || k == ir.NodeTemplateValueParameter
	})
}

func (c *checker) diSubroutineType(md ir.Metadata) string {
	if message := c.list(md, "types", "invalid composite elements", "invalid subroutine type ref",
		func(op ir.Metadata, k ir.NodeKind) bool { return op == 0 || isType(k) }); message != "" {
		return message
	}
	if conflictingFlags(c.m.MDFieldInt(md, "flags")) {
		return "invalid reference flags"
	}
	return ""
}
