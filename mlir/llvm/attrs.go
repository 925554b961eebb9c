package llvm

import "github.com/gfx-toolchain/gfx/mlir"

// forms are the attributes with parameters. Debug information (di_*) has
// keywords of DWARF, which are not checked.
var forms = []mlir.AttrForm{
	{Mnemonic: "access_group", Class: "LLVM_AccessGroupAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr"}}},
	{Mnemonic: "alias_scope", Class: "LLVM_AliasScopeAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr"},
		{Name: "domain", Kind: mlir.ValueForm, Class: "AliasScopeDomainAttr", Nested: "alias_scope_domain"},
		{Name: "description", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "alias_scope", Class: "LLVM_AliasScopeAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "Attribute"},
		{Name: "domain", Kind: mlir.ValueForm, Class: "AliasScopeDomainAttr", Nested: "alias_scope_domain"},
		{Name: "description", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "alias_scope_domain", Class: "LLVM_AliasScopeDomainAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr"},
		{Name: "description", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "alias_scope_domain", Class: "LLVM_AliasScopeDomainAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "Attribute"},
		{Name: "description", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "blockaddress", Class: "LLVM_BlockAddressAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "function", Kind: mlir.ValueForm, Class: "FlatSymbolRefAttr"},
		{Name: "tag", Kind: mlir.ValueForm, Class: "BlockTagAttr", Nested: "blocktag"}}},
	{Mnemonic: "blocktag", Class: "LLVM_BlockTagAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.IntForm, Class: "uint32_t"}}},
	{Mnemonic: "dereferenceable", Class: "LLVM_DereferenceableAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "bytes", Kind: mlir.IntForm, Class: "uint64_t"},
		{Name: "mayBeNull", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true}}},
	{Mnemonic: "di_annotation", Class: "LLVM_DIAnnotationAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "value", Kind: mlir.ValueForm, Class: "StringAttr"}}},
	{Mnemonic: "di_basic_type", Class: "LLVM_DIBasicTypeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "sizeInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "encoding", Kind: mlir.WordForm, Class: "unsigned"}}},
	{Mnemonic: "di_common_block", Class: "LLVM_DICommonBlockAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "decl", Kind: mlir.ValueForm, Class: "DIGlobalVariableAttr", Nested: "di_global_variable", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true}}},
	{Mnemonic: "di_compile_unit", Class: "LLVM_DICompileUnitAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr"},
		{Name: "sourceLanguage", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file"},
		{Name: "producer", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "isOptimized", Kind: mlir.BoolForm, Class: "bool"},
		{Name: "emissionKind", Kind: mlir.WordForm, Class: "DIEmissionKind"},
		{Name: "nameTableKind", Kind: mlir.WordForm, Class: "DINameTableKind", Optional: true}}},
	{Mnemonic: "di_compile_unit", Class: "LLVM_DICompileUnitAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr"},
		{Name: "sourceLanguage", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file"},
		{Name: "producer", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "isOptimized", Kind: mlir.BoolForm, Class: "bool"},
		{Name: "emissionKind", Kind: mlir.WordForm, Class: "DIEmissionKind"},
		{Name: "nameTableKind", Kind: mlir.WordForm, Class: "DINameTableKind", Optional: true},
		{Name: "splitDebugFilename", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "di_composite_type", Class: "LLVM_DICompositeTypeAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "recId", Kind: mlir.ValueForm, Class: "DistinctAttr", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "uint32_t", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "baseType", Kind: mlir.ValueForm, Class: "DITypeAttr", Optional: true},
		{Name: "flags", Kind: mlir.WordForm, Class: "DIFlags", Optional: true},
		{Name: "sizeInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "elements", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DINodeAttr>", Optional: true},
		{Name: "dataLocation", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "rank", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "allocated", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "associated", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true}}},
	{Mnemonic: "di_composite_type", Class: "LLVM_DICompositeTypeAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "recId", Kind: mlir.ValueForm, Class: "DistinctAttr", Optional: true},
		{Name: "isRecSelf", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true},
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "uint32_t", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "baseType", Kind: mlir.ValueForm, Class: "DITypeAttr", Optional: true},
		{Name: "flags", Kind: mlir.WordForm, Class: "DIFlags", Optional: true},
		{Name: "sizeInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "dataLocation", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "rank", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "allocated", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "associated", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "elements", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DINodeAttr>", Optional: true}}},
	{Mnemonic: "di_derived_type", Class: "LLVM_DIDerivedTypeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "baseType", Kind: mlir.ValueForm, Class: "DITypeAttr", Optional: true},
		{Name: "sizeInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "uint32_t", Optional: true},
		{Name: "offsetInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "dwarfAddressSpace", Kind: mlir.IntForm, Class: "std::optional<unsigned>", Optional: true, Number: -1},
		{Name: "extraData", Kind: mlir.ValueForm, Class: "DINodeAttr", Optional: true}}},
	{Mnemonic: "di_generic_subrange", Class: "LLVM_DIGenericSubrangeAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "count", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true},
		{Name: "lowerBound", Kind: mlir.ValueForm, Class: "::mlir::Attribute"},
		{Name: "upperBound", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true},
		{Name: "stride", Kind: mlir.ValueForm, Class: "::mlir::Attribute"}}},
	{Mnemonic: "di_global_variable", Class: "LLVM_DIGlobalVariable", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "linkageName", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file"},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned"},
		{Name: "type", Kind: mlir.ValueForm, Class: "DITypeAttr"},
		{Name: "isLocalToUnit", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true},
		{Name: "isDefined", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "unsigned", Optional: true}}},
	{Mnemonic: "di_global_variable_expression", Class: "LLVM_DIGlobalVariableExpressionAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "var", Kind: mlir.ValueForm, Class: "DIGlobalVariableAttr", Nested: "di_global_variable"},
		{Name: "expr", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true}}},
	{Mnemonic: "di_imported_entity", Class: "LLVM_DIImportedEntityAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "entity", Kind: mlir.ValueForm, Class: "DINodeAttr"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "elements", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DINodeAttr>", Optional: true}}},
	{Mnemonic: "di_label", Class: "LLVM_DILabelAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true}}},
	{Mnemonic: "di_lexical_block", Class: "LLVM_DILexicalBlockAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "column", Kind: mlir.IntForm, Class: "unsigned", Optional: true}}},
	{Mnemonic: "di_lexical_block_file", Class: "LLVM_DILexicalBlockFile", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "discriminator", Kind: mlir.IntForm, Class: "unsigned"}}},
	{Mnemonic: "di_local_variable", Class: "LLVM_DILocalVariableAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "arg", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "type", Kind: mlir.ValueForm, Class: "DITypeAttr", Optional: true}}},
	{Mnemonic: "di_local_variable", Class: "LLVM_DILocalVariableAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "arg", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "type", Kind: mlir.ValueForm, Class: "DITypeAttr", Optional: true},
		{Name: "flags", Kind: mlir.WordForm, Class: "DIFlags", Optional: true}}},
	{Mnemonic: "di_module", Class: "LLVM_DIModuleAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "configMacros", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "includePath", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "apinotes", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "isDecl", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true}}},
	{Mnemonic: "di_namespace", Class: "LLVM_DINamespaceAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "exportSymbols", Kind: mlir.BoolForm, Class: "bool"}}},
	{Mnemonic: "di_null_type", Class: "LLVM_DINullTypeAttr", Bare: true, Alias: true},
	{Mnemonic: "di_string_type", Class: "LLVM_DIStringTypeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "tag", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "sizeInBits", Kind: mlir.IntForm, Class: "uint64_t", Optional: true},
		{Name: "alignInBits", Kind: mlir.IntForm, Class: "uint32_t", Optional: true},
		{Name: "stringLength", Kind: mlir.ValueForm, Class: "DIVariableAttr", Optional: true},
		{Name: "stringLengthExp", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "stringLocationExp", Kind: mlir.ValueForm, Class: "DIExpressionAttr", Nested: "di_expression", Optional: true},
		{Name: "encoding", Kind: mlir.WordForm, Class: "unsigned"}}},
	{Mnemonic: "di_subprogram", Class: "LLVM_DISubprogramAttr", Keyed: true, Alias: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr", Optional: true},
		{Name: "compileUnit", Kind: mlir.ValueForm, Class: "DICompileUnitAttr", Nested: "di_compile_unit", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr"},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "linkageName", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file"},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "scopeLine", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "subprogramFlags", Kind: mlir.WordForm, Class: "DISubprogramFlags", Optional: true},
		{Name: "type", Kind: mlir.ValueForm, Class: "DISubroutineTypeAttr", Nested: "di_subroutine_type", Optional: true}}},
	{Mnemonic: "di_subprogram", Class: "LLVM_DISubprogramAttr", Keyed: true, Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "recId", Kind: mlir.ValueForm, Class: "DistinctAttr", Optional: true},
		{Name: "isRecSelf", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true},
		{Name: "id", Kind: mlir.ValueForm, Class: "DistinctAttr", Optional: true},
		{Name: "compileUnit", Kind: mlir.ValueForm, Class: "DICompileUnitAttr", Nested: "di_compile_unit", Optional: true},
		{Name: "scope", Kind: mlir.ValueForm, Class: "DIScopeAttr", Optional: true},
		{Name: "name", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "linkageName", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true},
		{Name: "file", Kind: mlir.ValueForm, Class: "DIFileAttr", Nested: "di_file", Optional: true},
		{Name: "line", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "scopeLine", Kind: mlir.IntForm, Class: "unsigned", Optional: true},
		{Name: "subprogramFlags", Kind: mlir.WordForm, Class: "DISubprogramFlags", Optional: true},
		{Name: "type", Kind: mlir.ValueForm, Class: "DISubroutineTypeAttr", Nested: "di_subroutine_type", Optional: true},
		{Name: "retainedNodes", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DINodeAttr>", Optional: true},
		{Name: "annotations", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DINodeAttr>", Optional: true}}},
	{Mnemonic: "di_subrange", Class: "LLVM_DISubrangeAttr", Keyed: true, Fields: []mlir.FormField{
		{Name: "count", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true},
		{Name: "lowerBound", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true},
		{Name: "upperBound", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true},
		{Name: "stride", Kind: mlir.ValueForm, Class: "::mlir::Attribute", Optional: true}}},
	{Mnemonic: "di_subroutine_type", Class: "LLVM_DISubroutineTypeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "callingConvention", Kind: mlir.WordForm, Class: "unsigned"},
		{Name: "types", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<DITypeAttr>", Optional: true}}},
	{Mnemonic: "loop_annotation", Class: "LoopAnnotationAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disableNonforced", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "vectorize", Kind: mlir.ValueForm, Class: "LoopVectorizeAttr", Nested: "loop_vectorize", Optional: true},
		{Name: "interleave", Kind: mlir.ValueForm, Class: "LoopInterleaveAttr", Nested: "loop_interleave", Optional: true},
		{Name: "unroll", Kind: mlir.ValueForm, Class: "LoopUnrollAttr", Nested: "loop_unroll", Optional: true},
		{Name: "unrollAndJam", Kind: mlir.ValueForm, Class: "LoopUnrollAndJamAttr", Nested: "loop_unroll_and_jam", Optional: true},
		{Name: "licm", Kind: mlir.ValueForm, Class: "LoopLICMAttr", Nested: "loop_licm", Optional: true},
		{Name: "distribute", Kind: mlir.ValueForm, Class: "LoopDistributeAttr", Nested: "loop_distribute", Optional: true},
		{Name: "pipeline", Kind: mlir.ValueForm, Class: "LoopPipelineAttr", Nested: "loop_pipeline", Optional: true},
		{Name: "peeled", Kind: mlir.ValueForm, Class: "LoopPeeledAttr", Nested: "loop_peeled", Optional: true},
		{Name: "unswitch", Kind: mlir.ValueForm, Class: "LoopUnswitchAttr", Nested: "loop_unswitch", Optional: true},
		{Name: "mustProgress", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "isVectorized", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "startLoc", Kind: mlir.ValueForm, Class: "FusedLoc", Optional: true},
		{Name: "endLoc", Kind: mlir.ValueForm, Class: "FusedLoc", Optional: true},
		{Name: "parallelAccesses", Kind: mlir.ListForm, Class: "::llvm::ArrayRef<AccessGroupAttr>", Nested: "access_group", Optional: true}}},
	{Mnemonic: "loop_distribute", Class: "LoopDistributeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "followupCoincident", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupSequential", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupFallback", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupAll", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true}}},
	{Mnemonic: "loop_interleave", Class: "LoopInterleaveAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "count", Kind: mlir.ValueForm, Class: "IntegerAttr"}}},
	{Mnemonic: "loop_licm", Class: "LoopLICMAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "versioningDisable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true}}},
	{Mnemonic: "loop_peeled", Class: "LoopPeeledAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "count", Kind: mlir.ValueForm, Class: "IntegerAttr", Optional: true}}},
	{Mnemonic: "loop_pipeline", Class: "LoopPipelineAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "initiationinterval", Kind: mlir.ValueForm, Class: "IntegerAttr", Optional: true}}},
	{Mnemonic: "loop_unroll", Class: "LoopUnrollAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "count", Kind: mlir.ValueForm, Class: "IntegerAttr", Optional: true},
		{Name: "runtimeDisable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "full", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "followupUnrolled", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupRemainder", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupAll", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true}}},
	{Mnemonic: "loop_unroll_and_jam", Class: "LoopUnrollAndJamAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "count", Kind: mlir.ValueForm, Class: "IntegerAttr", Optional: true},
		{Name: "followupOuter", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupInner", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupRemainderOuter", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupRemainderInner", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupAll", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true}}},
	{Mnemonic: "loop_unswitch", Class: "LoopUnswitchAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "partialDisable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true}}},
	{Mnemonic: "loop_vectorize", Class: "LoopVectorizeAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "disable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "predicateEnable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "scalableEnable", Kind: mlir.ValueForm, Class: "BoolAttr", Optional: true},
		{Name: "width", Kind: mlir.ValueForm, Class: "IntegerAttr", Optional: true},
		{Name: "followupVectorized", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupEpilogue", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true},
		{Name: "followupAll", Kind: mlir.ValueForm, Class: "LoopAnnotationAttr", Nested: "loop_annotation", Optional: true}}},
	{Mnemonic: "memory_effects", Class: "LLVM_MemoryEffectsAttr", Keyed: true, Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "other", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "argMem", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "inaccessibleMem", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"}}},
	{Mnemonic: "memory_effects", Class: "LLVM_MemoryEffectsAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "other", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "argMem", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "inaccessibleMem", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "errnoMem", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "targetMem0", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"},
		{Name: "targetMem1", Kind: mlir.WordForm, Class: "ModRefInfo", Enum: "ModRefInfo"}}},
	{Mnemonic: "poison", Class: "LLVM_PoisonAttr", Bare: true},
	{Mnemonic: "target", Class: "LLVM_TargetAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "triple", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "chip", Kind: mlir.ValueForm, Class: "StringAttr"},
		{Name: "features", Kind: mlir.ValueForm, Class: "TargetFeaturesAttr", Nested: "target_features", Optional: true}}},
	{Mnemonic: "tbaa_member", Class: "LLVM_TBAAMemberAttr", Fields: []mlir.FormField{
		{Name: "typeDesc", Kind: mlir.ValueForm, Class: "TBAANodeAttr"},
		{Name: "offset", Kind: mlir.IntForm, Class: "int64_t"}}},
	{Mnemonic: "tbaa_root", Class: "LLVM_TBAARootAttr", Keyed: true, Bare: true, Alias: true, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.ValueForm, Class: "StringAttr", Optional: true}}},
	{Mnemonic: "tbaa_tag", Class: "LLVM_TBAATagAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "base_type", Kind: mlir.ValueForm, Class: "TBAATypeDescriptorAttr", Nested: "tbaa_type_desc"},
		{Name: "access_type", Kind: mlir.ValueForm, Class: "TBAATypeDescriptorAttr", Nested: "tbaa_type_desc"},
		{Name: "offset", Kind: mlir.IntForm, Class: "int64_t"},
		{Name: "constant", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true}}},
	{Mnemonic: "tbaa_type_desc", Class: "LLVM_TBAATypeDescriptorAttr", Keyed: true, Alias: true, Fields: []mlir.FormField{
		{Name: "id", Kind: mlir.StringForm, Class: "::llvm::StringRef"},
		{Name: "members", Kind: mlir.BraceForm, Class: "::llvm::ArrayRef<TBAAMemberAttr>", Nested: "tbaa_member"}}},
	{Mnemonic: "undef", Class: "LLVM_UndefAttr", Bare: true},
	{Mnemonic: "vec_type_hint", Class: "LLVM_VecTypeHintAttr", Keyed: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "hint", Kind: mlir.TypeForm, Class: "TypeAttr"},
		{Name: "is_signed", Kind: mlir.BoolForm, Class: "bool", Default: "false", Optional: true}}},
	{Mnemonic: "zero", Class: "LLVM_ZeroAttr", Bare: true},
	{Mnemonic: "address_space", Class: "LLVM_AddressSpaceAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "addressSpace", Kind: mlir.IntForm, Class: "unsigned"}}},
	{Mnemonic: "constant_range", Class: "LLVM_ConstantRangeAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "type", Kind: mlir.TypeForm, Class: "IntegerType"},
		{Name: "lower", Kind: mlir.IntForm, Class: "APInt"},
		{Name: "upper", Kind: mlir.IntForm, Class: "APInt"}}},
	{Mnemonic: "di_file", Class: "LLVM_DIFileAttr", Separator: " in ", Alias: true, Fields: []mlir.FormField{
		{Name: "name", Kind: mlir.StringForm, Class: "StringAttr"},
		{Name: "directory", Kind: mlir.StringForm, Class: "StringAttr"}}},
	{Mnemonic: "framePointerKind", Class: "FramePointerKindAttr", Editions: mlir.Only19, Fields: []mlir.FormField{
		{Name: "framePointerKind", Kind: mlir.WordForm, Class: "framePointerKind::FramePointerKind", Words: "none, non-leaf, all, reserved"}}},
	{Mnemonic: "framePointerKind", Class: "FramePointerKindAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "framePointerKind", Kind: mlir.WordForm, Class: "framePointerKind::FramePointerKind", Words: "none, non-leaf, all, reserved, non-leaf-no-reserve"}}},
	{Mnemonic: "mlir.module_flag", Class: "ModuleFlagAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "behavior", Kind: mlir.WordForm, Class: "ModFlagBehavior", Enum: "ModFlagBehavior"},
		{Name: "key", Kind: mlir.StringForm, Class: "StringAttr"},
		{Name: "value", Kind: mlir.ValueForm, Class: "Attribute"}}},
	{Mnemonic: "mlir.workgroup_attribution", Class: "WorkgroupAttributionAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "num_elements", Kind: mlir.ValueForm, Class: "IntegerAttr"},
		{Name: "element_type", Kind: mlir.TypeForm, Class: "TypeAttr"}}},
	{Mnemonic: "mmra_tag", Class: "LLVM_MMRATagAttr", Separator: ":", Alias: true, Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "prefix", Kind: mlir.StringForm, Class: "::llvm::StringRef"},
		{Name: "suffix", Kind: mlir.StringForm, Class: "::llvm::StringRef"}}},
	{Mnemonic: "target_features", Class: "LLVM_TargetFeaturesAttr", Fields: []mlir.FormField{
		{Name: "features", Kind: mlir.BracketForm, Class: "::llvm::ArrayRef<StringAttr>"}}},
	{Mnemonic: "uwtableKind", Class: "UWTableKindAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "uwtableKind", Kind: mlir.WordForm, Class: "uwtable::UWTableKind", Words: "none, sync, async"}}},
	{Mnemonic: "vscale_range", Class: "LLVM_VScaleRangeAttr", Keyed: true, Fields: []mlir.FormField{
		{Name: "minRange", Kind: mlir.ValueForm, Class: "IntegerAttr"},
		{Name: "maxRange", Kind: mlir.ValueForm, Class: "IntegerAttr"}}},
}
