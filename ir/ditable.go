package ir

// Kinds of specialised nodes, in the order of nodeTable. NodeExpression
// (DIExpression) and NodeAssignID (DIAssignID) have no fields: the integers of
// an expression are its operations and their arguments.
const (
	NodeExpression = NodeTuple + 1 + iota
	NodeAssignID
	NodeLocation
	NodeGeneric
	NodeSubrange
	NodeGenericSubrange
	NodeEnumerator
	NodeBasicType
	NodeFixedPointType
	NodeStringType
	NodeSubrangeType
	NodeDerivedType
	NodeCompositeType
	NodeSubroutineType
	NodeFile
	NodeCompileUnit
	NodeSubprogram
	NodeLexicalBlock
	NodeLexicalBlockFile
	NodeNamespace
	NodeCommonBlock
	NodeMacro
	NodeMacroFile
	NodeModule
	NodeTemplateTypeParameter
	NodeTemplateValueParameter
	NodeGlobalVariable
	NodeLocalVariable
	NodeLabel
	NodeGlobalVariableExpression
	NodeObjCProperty
	NodeImportedEntity

	numNodeKinds
)

// FieldForm is the content and the syntax of a field of a specialised node.
type FieldForm uint8

const (
	// Stored in the operands, at Slot.
	FieldNode      FieldForm = iota // node, or null
	FieldString                     // string; the empty string is null
	FieldIntOrNode                  // node, or a signed number as a constant i64
	FieldSize                       // node, or an unsigned number as a constant i64
	FieldExpr                       // node, or a signed number as a DIExpression of DW_OP_consts
	FieldWide                       // number of any width as a constant
	FieldList                       // all operands from Slot on: {!1, !2}

	// Stored in the integers, at Slot.
	FieldUint
	FieldInt     // signed, as uint64(int64(x))
	FieldBool    // 0 or 1
	FieldEnum    // one of Names, or a number
	FieldFlags   // DIFlags
	FieldSPFlags // DISPFlags
	FieldOptUint // the number plus one, or 0 if missing
	FieldOptEnum // like FieldOptUint, one of Names
)

// IsOperand reports whether the field is stored in the operands of a node.
func (f FieldForm) IsOperand() bool { return f <= FieldList }

// FieldFlag holds the flags of a field.
type FieldFlag uint16

const (
	Required      FieldFlag = 1 << iota // must be specified
	NotNull                             // must not be null
	NotEmpty                            // must not be an empty string
	AlwaysPrinted                       // printed even if it is null, empty or zero
	NeverPrinted                        // only in bitcode
	PrintedTyped                        // a number with its type: i64 3
	// Printed only if another field of the node requires it.
	ifPtrAuth
	ifChecksum
	ifLangName
	ifVirtual
	ifRational
	ifNotRational
)

// Field is a field of a specialised node.
type Field struct {
	Name    string    // keyword in text
	Form    FieldForm // representation
	Slot    uint8     // index of the operand or integer of the node
	Flags   FieldFlag // rules for reading and printing
	Names   NameTable // names of the values of FieldEnum and FieldOptEnum
	Max     uint64    // largest value, 0 for no limit
	Default uint64    // value if not specified; not printed
}

// nodeTable lists the specialised nodes and their fields in the order in which
// LLVM 22 prints them. Operands are in LLVM's order, which determines the
// numbers of printed nodes.
var nodeTable = [...]struct {
	name      string
	ops, ints uint8
	fields    []Field
}{
	{"DIExpression", 0, 0, nil},
	{"DIAssignID", 0, 0, nil},
	{"DILocation", 2, 5, []Field{
		{Name: "line", Form: FieldUint, Slot: 0, Flags: AlwaysPrinted, Max: 1<<32 - 1},
		{Name: "column", Form: FieldUint, Slot: 1, Max: 1<<16 - 1},
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "inlinedAt", Form: FieldNode, Slot: 1},
		{Name: "isImplicitCode", Form: FieldBool, Slot: 2},
		{Name: "atomGroup", Form: FieldUint, Slot: 3},
		{Name: "atomRank", Form: FieldUint, Slot: 4, Max: 1<<8 - 1},
	}},
	{"GenericDINode", 1, 1, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Flags: Required | AlwaysPrinted, Names: DwarfTags},
		{Name: "header", Form: FieldString, Slot: 0},
		{Name: "operands", Form: FieldList, Slot: 1},
	}},
	{"DISubrange", 4, 0, []Field{
		{Name: "count", Form: FieldIntOrNode, Slot: 0},
		{Name: "lowerBound", Form: FieldIntOrNode, Slot: 1},
		{Name: "upperBound", Form: FieldIntOrNode, Slot: 2},
		{Name: "stride", Form: FieldIntOrNode, Slot: 3},
	}},
	{"DIGenericSubrange", 4, 0, []Field{
		{Name: "count", Form: FieldExpr, Slot: 0},
		{Name: "lowerBound", Form: FieldExpr, Slot: 1},
		{Name: "upperBound", Form: FieldExpr, Slot: 2},
		{Name: "stride", Form: FieldExpr, Slot: 3},
	}},
	{"DIEnumerator", 2, 1, []Field{
		{Name: "name", Form: FieldString, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "value", Form: FieldWide, Slot: 1, Flags: Required},
		{Name: "isUnsigned", Form: FieldBool, Slot: 0},
	}},
	{"DIBasicType", 2, 6, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Names: DwarfTags, Default: 0x24},
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "size", Form: FieldSize, Slot: 1},
		{Name: "align", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "dataSize", Form: FieldUint, Slot: 2, Max: 1<<32 - 1},
		{Name: "encoding", Form: FieldEnum, Slot: 3, Names: DwarfEncodings},
		{Name: "num_extra_inhabitants", Form: FieldUint, Slot: 4, Max: 1<<32 - 1},
		{Name: "flags", Form: FieldFlags, Slot: 5},
	}},
	{"DIFixedPointType", 4, 6, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Names: DwarfTags, Default: 0x24},
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "size", Form: FieldSize, Slot: 1},
		{Name: "align", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "encoding", Form: FieldEnum, Slot: 2, Names: DwarfEncodings},
		{Name: "flags", Form: FieldFlags, Slot: 3},
		{Name: "kind", Form: FieldEnum, Slot: 4, Flags: AlwaysPrinted, Names: FixedPointKinds},
		{Name: "factor", Form: FieldInt, Slot: 5, Flags: ifNotRational},
		{Name: "numerator", Form: FieldWide, Slot: 2, Flags: ifRational},
		{Name: "denominator", Form: FieldWide, Slot: 3, Flags: ifRational},
	}},
	{"DIStringType", 5, 3, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Names: DwarfTags, Default: 0x12},
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "stringLength", Form: FieldNode, Slot: 2},
		{Name: "stringLengthExpression", Form: FieldNode, Slot: 3},
		{Name: "stringLocationExpression", Form: FieldNode, Slot: 4},
		{Name: "size", Form: FieldSize, Slot: 1},
		{Name: "align", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "encoding", Form: FieldEnum, Slot: 2, Names: DwarfEncodings},
	}},
	{"DISubrangeType", 9, 3, []Field{
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "scope", Form: FieldNode, Slot: 1},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "size", Form: FieldSize, Slot: 3},
		{Name: "align", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "flags", Form: FieldFlags, Slot: 2},
		{Name: "baseType", Form: FieldNode, Slot: 4},
		{Name: "lowerBound", Form: FieldIntOrNode, Slot: 5, Flags: PrintedTyped},
		{Name: "upperBound", Form: FieldIntOrNode, Slot: 6, Flags: PrintedTyped},
		{Name: "stride", Form: FieldIntOrNode, Slot: 7, Flags: PrintedTyped},
		{Name: "bias", Form: FieldIntOrNode, Slot: 8, Flags: PrintedTyped},
	}},
	{"DIDerivedType", 8, 10, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Flags: Required | AlwaysPrinted, Names: DwarfTags},
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "scope", Form: FieldNode, Slot: 1},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "baseType", Form: FieldNode, Slot: 5, Flags: Required | AlwaysPrinted},
		{Name: "size", Form: FieldSize, Slot: 3},
		{Name: "align", Form: FieldUint, Slot: 2, Max: 1<<32 - 1},
		{Name: "offset", Form: FieldSize, Slot: 4},
		{Name: "flags", Form: FieldFlags, Slot: 3},
		{Name: "extraData", Form: FieldNode, Slot: 6},
		{Name: "dwarfAddressSpace", Form: FieldOptUint, Slot: 4, Max: 1<<32 - 1},
		{Name: "annotations", Form: FieldNode, Slot: 7},
		{Name: "ptrAuthKey", Form: FieldUint, Slot: 5, Flags: ifPtrAuth, Max: 1<<3 - 1},
		{Name: "ptrAuthIsAddressDiscriminated", Form: FieldBool, Slot: 6, Flags: ifPtrAuth | AlwaysPrinted},
		{Name: "ptrAuthExtraDiscriminator", Form: FieldUint, Slot: 7, Flags: ifPtrAuth, Max: 1<<16 - 1},
		{Name: "ptrAuthIsaPointer", Form: FieldBool, Slot: 8, Flags: ifPtrAuth | AlwaysPrinted},
		{Name: "ptrAuthAuthenticatesNullValues", Form: FieldBool, Slot: 9, Flags: ifPtrAuth | AlwaysPrinted},
	}},
	{"DICompositeType", 18, 7, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Flags: Required | AlwaysPrinted, Names: DwarfTags},
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "scope", Form: FieldNode, Slot: 1},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "baseType", Form: FieldNode, Slot: 5},
		{Name: "size", Form: FieldSize, Slot: 3},
		{Name: "align", Form: FieldUint, Slot: 2, Max: 1<<32 - 1},
		{Name: "offset", Form: FieldSize, Slot: 4},
		{Name: "num_extra_inhabitants", Form: FieldUint, Slot: 3, Max: 1<<32 - 1},
		{Name: "flags", Form: FieldFlags, Slot: 4},
		{Name: "elements", Form: FieldNode, Slot: 6},
		{Name: "runtimeLang", Form: FieldEnum, Slot: 5, Names: DwarfLanguages},
		{Name: "vtableHolder", Form: FieldNode, Slot: 7},
		{Name: "templateParams", Form: FieldNode, Slot: 8},
		{Name: "identifier", Form: FieldString, Slot: 9},
		{Name: "discriminator", Form: FieldNode, Slot: 10},
		{Name: "dataLocation", Form: FieldNode, Slot: 11},
		{Name: "associated", Form: FieldNode, Slot: 12},
		{Name: "allocated", Form: FieldNode, Slot: 13},
		{Name: "rank", Form: FieldIntOrNode, Slot: 14},
		{Name: "annotations", Form: FieldNode, Slot: 15},
		{Name: "specification", Form: FieldNode, Slot: 16},
		{Name: "enumKind", Form: FieldOptEnum, Slot: 6, Names: DwarfEnumKinds},
		{Name: "bitStride", Form: FieldNode, Slot: 17},
	}},
	{"DISubroutineType", 1, 2, []Field{
		{Name: "flags", Form: FieldFlags, Slot: 0},
		{Name: "cc", Form: FieldEnum, Slot: 1, Names: DwarfConventions},
		{Name: "types", Form: FieldNode, Slot: 0, Flags: Required | AlwaysPrinted},
	}},
	{"DIFile", 4, 1, []Field{
		{Name: "filename", Form: FieldString, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "directory", Form: FieldString, Slot: 1, Flags: Required | AlwaysPrinted},
		{Name: "checksumkind", Form: FieldEnum, Slot: 0, Names: ChecksumKinds},
		{Name: "checksum", Form: FieldString, Slot: 2, Flags: ifChecksum | AlwaysPrinted},
		{Name: "source", Form: FieldString, Slot: 3},
	}},
	{"DICompileUnit", 11, 11, []Field{
		{Name: "language", Form: FieldEnum, Slot: 0, Names: DwarfLanguages},
		{Name: "sourceLanguageName", Form: FieldEnum, Slot: 1, Names: DwarfLanguageNames},
		{Name: "sourceLanguageVersion", Form: FieldUint, Slot: 2, Flags: ifLangName | AlwaysPrinted, Max: 1<<32 - 1},
		{Name: "file", Form: FieldNode, Slot: 0, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "producer", Form: FieldString, Slot: 1},
		{Name: "isOptimized", Form: FieldBool, Slot: 3, Flags: AlwaysPrinted},
		{Name: "flags", Form: FieldString, Slot: 2},
		{Name: "runtimeVersion", Form: FieldUint, Slot: 4, Flags: AlwaysPrinted, Max: 1<<32 - 1},
		{Name: "splitDebugFilename", Form: FieldString, Slot: 3},
		{Name: "emissionKind", Form: FieldEnum, Slot: 5, Flags: AlwaysPrinted, Names: EmissionKinds},
		{Name: "enums", Form: FieldNode, Slot: 4},
		{Name: "retainedTypes", Form: FieldNode, Slot: 5},
		{Name: "globals", Form: FieldNode, Slot: 6},
		{Name: "imports", Form: FieldNode, Slot: 7},
		{Name: "macros", Form: FieldNode, Slot: 8},
		{Name: "dwoId", Form: FieldUint, Slot: 6},
		{Name: "splitDebugInlining", Form: FieldBool, Slot: 7, Default: 1},
		{Name: "debugInfoForProfiling", Form: FieldBool, Slot: 8},
		{Name: "nameTableKind", Form: FieldEnum, Slot: 9, Names: NameTableKinds},
		{Name: "rangesBaseAddress", Form: FieldBool, Slot: 10},
		{Name: "sysroot", Form: FieldString, Slot: 9},
		{Name: "sdk", Form: FieldString, Slot: 10},
	}},
	{"DISubprogram", 13, 7, []Field{
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "linkageName", Form: FieldString, Slot: 3},
		{Name: "scope", Form: FieldNode, Slot: 1, Flags: AlwaysPrinted},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "type", Form: FieldNode, Slot: 4},
		{Name: "scopeLine", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "containingType", Form: FieldNode, Slot: 8},
		{Name: "virtualIndex", Form: FieldUint, Slot: 2, Flags: ifVirtual | AlwaysPrinted, Max: 1<<32 - 1},
		{Name: "thisAdjustment", Form: FieldInt, Slot: 3},
		{Name: "flags", Form: FieldFlags, Slot: 4},
		{Name: "spFlags", Form: FieldSPFlags, Slot: 5, Flags: AlwaysPrinted},
		{Name: "unit", Form: FieldNode, Slot: 5},
		{Name: "templateParams", Form: FieldNode, Slot: 9},
		{Name: "declaration", Form: FieldNode, Slot: 6},
		{Name: "retainedNodes", Form: FieldNode, Slot: 7},
		{Name: "thrownTypes", Form: FieldNode, Slot: 10},
		{Name: "annotations", Form: FieldNode, Slot: 11},
		{Name: "targetFuncName", Form: FieldString, Slot: 12},
		{Name: "keyInstructions", Form: FieldBool, Slot: 6},
	}},
	{"DILexicalBlock", 2, 2, []Field{
		{Name: "scope", Form: FieldNode, Slot: 1, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "column", Form: FieldUint, Slot: 1, Max: 1<<16 - 1},
	}},
	{"DILexicalBlockFile", 2, 1, []Field{
		{Name: "scope", Form: FieldNode, Slot: 1, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "discriminator", Form: FieldUint, Slot: 0, Flags: Required | AlwaysPrinted, Max: 1<<32 - 1},
	}},
	{"DINamespace", 2, 1, []Field{
		{Name: "name", Form: FieldString, Slot: 1},
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "exportSymbols", Form: FieldBool, Slot: 0},
	}},
	{"DICommonBlock", 4, 1, []Field{
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "declaration", Form: FieldNode, Slot: 1, Flags: AlwaysPrinted},
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "file", Form: FieldNode, Slot: 3},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
	}},
	{"DIMacro", 2, 2, []Field{
		{Name: "type", Form: FieldEnum, Slot: 0, Flags: Required | AlwaysPrinted, Names: DwarfMacinfo},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "name", Form: FieldString, Slot: 0, Flags: Required},
		{Name: "value", Form: FieldString, Slot: 1},
	}},
	{"DIMacroFile", 2, 2, []Field{
		{Name: "type", Form: FieldEnum, Slot: 0, Flags: NeverPrinted, Names: DwarfMacinfo, Default: 3},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "file", Form: FieldNode, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "nodes", Form: FieldNode, Slot: 1},
	}},
	{"DIModule", 6, 2, []Field{
		{Name: "scope", Form: FieldNode, Slot: 1, Flags: Required | AlwaysPrinted},
		{Name: "name", Form: FieldString, Slot: 2, Flags: Required},
		{Name: "configMacros", Form: FieldString, Slot: 3},
		{Name: "includePath", Form: FieldString, Slot: 4},
		{Name: "apinotes", Form: FieldString, Slot: 5},
		{Name: "file", Form: FieldNode, Slot: 0},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "isDecl", Form: FieldBool, Slot: 1},
	}},
	{"DITemplateTypeParameter", 2, 1, []Field{
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "type", Form: FieldNode, Slot: 1, Flags: Required | AlwaysPrinted},
		{Name: "defaulted", Form: FieldBool, Slot: 0},
	}},
	{"DITemplateValueParameter", 3, 2, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Names: DwarfTags, Default: 0x30},
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "type", Form: FieldNode, Slot: 1},
		{Name: "defaulted", Form: FieldBool, Slot: 1},
		{Name: "value", Form: FieldNode, Slot: 2, Flags: Required | AlwaysPrinted},
	}},
	{"DIGlobalVariable", 8, 4, []Field{
		{Name: "name", Form: FieldString, Slot: 1, Flags: NotEmpty},
		{Name: "linkageName", Form: FieldString, Slot: 4},
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: AlwaysPrinted},
		{Name: "file", Form: FieldNode, Slot: 2},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "type", Form: FieldNode, Slot: 3},
		{Name: "isLocal", Form: FieldBool, Slot: 1, Flags: AlwaysPrinted},
		{Name: "isDefinition", Form: FieldBool, Slot: 2, Flags: AlwaysPrinted, Default: 1},
		{Name: "declaration", Form: FieldNode, Slot: 5},
		{Name: "templateParams", Form: FieldNode, Slot: 6},
		{Name: "align", Form: FieldUint, Slot: 3, Max: 1<<32 - 1},
		{Name: "annotations", Form: FieldNode, Slot: 7},
	}},
	{"DILocalVariable", 5, 4, []Field{
		{Name: "name", Form: FieldString, Slot: 1},
		{Name: "arg", Form: FieldUint, Slot: 0, Max: 1<<16 - 1},
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "file", Form: FieldNode, Slot: 2},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "type", Form: FieldNode, Slot: 3},
		{Name: "flags", Form: FieldFlags, Slot: 2},
		{Name: "align", Form: FieldUint, Slot: 3, Max: 1<<32 - 1},
		{Name: "annotations", Form: FieldNode, Slot: 4},
	}},
	{"DILabel", 3, 4, []Field{
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | NotNull | AlwaysPrinted},
		{Name: "name", Form: FieldString, Slot: 1, Flags: Required},
		{Name: "file", Form: FieldNode, Slot: 2, Flags: Required},
		{Name: "line", Form: FieldUint, Slot: 0, Flags: Required, Max: 1<<32 - 1},
		{Name: "column", Form: FieldUint, Slot: 1, Max: 1<<16 - 1},
		{Name: "isArtificial", Form: FieldBool, Slot: 2},
		{Name: "coroSuspendIdx", Form: FieldOptUint, Slot: 3, Max: 1<<32 - 1},
	}},
	{"DIGlobalVariableExpression", 2, 0, []Field{
		{Name: "var", Form: FieldNode, Slot: 0, Flags: Required},
		{Name: "expr", Form: FieldNode, Slot: 1, Flags: Required},
	}},
	{"DIObjCProperty", 5, 2, []Field{
		{Name: "name", Form: FieldString, Slot: 0},
		{Name: "file", Form: FieldNode, Slot: 1},
		{Name: "line", Form: FieldUint, Slot: 0, Max: 1<<32 - 1},
		{Name: "setter", Form: FieldString, Slot: 3},
		{Name: "getter", Form: FieldString, Slot: 2},
		{Name: "attributes", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "type", Form: FieldNode, Slot: 4},
	}},
	{"DIImportedEntity", 5, 2, []Field{
		{Name: "tag", Form: FieldEnum, Slot: 0, Flags: Required | AlwaysPrinted, Names: DwarfTags},
		{Name: "name", Form: FieldString, Slot: 2},
		{Name: "scope", Form: FieldNode, Slot: 0, Flags: Required | AlwaysPrinted},
		{Name: "entity", Form: FieldNode, Slot: 1},
		{Name: "file", Form: FieldNode, Slot: 3},
		{Name: "line", Form: FieldUint, Slot: 1, Max: 1<<32 - 1},
		{Name: "elements", Form: FieldNode, Slot: 4},
	}},
}

// String returns the name of a kind of specialised node, such as "DILocation".
func (k NodeKind) String() string {
	if k > NodeTuple && k < numNodeKinds {
		return nodeTable[k-NodeExpression].name
	}
	return [...]string{"null", "string", "value", "tuple"}[min(k, NodeTuple)]
}

// Fields returns the fields of a kind of specialised node in the order in which
// they are printed.
func (k NodeKind) Fields() []Field {
	if k > NodeTuple && k < numNodeKinds {
		return nodeTable[k-NodeExpression].fields
	}
	return nil
}

// FieldCounts returns the numbers of operands (not counting a list) and
// integers of a kind of specialised node.
func (k NodeKind) FieldCounts() (ops, ints int) {
	if k > NodeTuple && k < numNodeKinds {
		row := &nodeTable[k-NodeExpression]
		return int(row.ops), int(row.ints)
	}
	return 0, 0
}

// NodeKindByName returns the kind of specialised node with the given name, or
// NodeNone.
func NodeKindByName(name []byte) NodeKind {
	for i := range nodeTable {
		if nodeTable[i].name == string(name) {
			return NodeExpression + NodeKind(i)
		}
	}
	return NodeNone
}

// FieldByName returns the field with the given name of a kind of specialised
// node, or nil.
func (k NodeKind) FieldByName(name []byte) *Field {
	fields := k.Fields()
	for i := range fields {
		if fields[i].Name == string(name) {
			return &fields[i]
		}
	}
	return nil
}

// MDField returns the operand in the named field of a specialised node. It
// returns 0 if the field is null or does not exist.
func (m *Module) MDField(md Metadata, name string) Metadata {
	f := m.NodeKind(md).FieldByName([]byte(name))
	if f == nil || !f.Form.IsOperand() {
		return 0
	}
	return m.MDOperands(md)[f.Slot]
}

// MDFieldInt returns the integer in the named field of a specialised node, or 0
// if the field does not exist.
func (m *Module) MDFieldInt(md Metadata, name string) uint64 {
	f := m.NodeKind(md).FieldByName([]byte(name))
	if f == nil || f.Form.IsOperand() {
		return 0
	}
	return m.MDInts(md)[f.Slot]
}

// IsPrinted reports whether LLVM prints the field f of a node if it differs
// from its default.
func (m *Module) IsPrinted(md Metadata, f *Field) bool {
	switch {
	case f.Flags&NeverPrinted != 0:
		return false
	case f.Flags&ifPtrAuth != 0:
		return m.MDFieldInt(md, "ptrAuthKey") != 0
	case f.Flags&ifChecksum != 0:
		return m.MDFieldInt(md, "checksumkind") != 0
	case f.Flags&ifLangName != 0:
		return m.MDFieldInt(md, "sourceLanguageName") != 0
	case f.Flags&ifVirtual != 0:
		const virtuality = 3
		return m.MDFieldInt(md, "spFlags")&virtuality != 0 || m.MDFieldInt(md, "virtualIndex") != 0
	case f.Flags&ifRational != 0:
		return m.MDFieldInt(md, "kind") == fixedPointRational
	case f.Flags&ifNotRational != 0:
		return m.MDFieldInt(md, "kind") != fixedPointRational
	}
	return true
}

const fixedPointRational = 2

// Operations of DIExpression that this package interprets.
const (
	opConsts       = 0x11
	opSwap         = 0x16
	opStackValue   = 0x9f
	opLLVMFragment = 0x1000
	opLLVMConvert  = 0x1001
	opLLVMEntry    = 0x1003
)

// ExprStep returns the number of arguments of the first operation of a
// DIExpression, and whether a DIExpression may contain the operation.
func ExprStep(ints []uint64) (args int, ok bool) {
	op := ints[0]
	for _, o := range exprOps {
		ok = ok || uint64(o) == op
	}
	for _, a := range exprArgs {
		if uint64(a.op) == op {
			args = int(a.args)
		}
	}
	return args, ok && args < len(ints)
}

// IsValidExpr reports whether ints is a valid sequence of DIExpression
// operations and arguments by LLVM's rules.
func IsValidExpr(ints []uint64) bool {
	for at := 0; at < len(ints); {
		args, ok := ExprStep(ints[at:])
		next := at + 1 + args
		switch {
		case !ok:
			return false
		case ints[at] == opLLVMFragment && next != len(ints):
			return false
		case ints[at] == opStackValue && next != len(ints) && (next+3 != len(ints) || ints[next] != opLLVMFragment):
			return false
		case ints[at] == opSwap && len(ints) == 1:
			return false
		case ints[at] == opLLVMEntry && (at != 0 || ints[1] != 1):
			return false
		}
		at = next
	}
	return true
}

// NewExpression returns the DIExpression with the given operations and
// arguments.
func (m *Module) NewExpression(ints ...uint64) Metadata { return m.NewNode(NodeExpression, nil, ints) }
