package bitcode

import "fmt"

// Block IDs.
const (
	blockInfo             = 0
	blockModule           = 8
	blockParamAttr        = 9
	blockParamAttrGroup   = 10
	blockConstants        = 11
	blockFunction         = 12
	blockIdentification   = 13
	blockValueSymtab      = 14
	blockMetadata         = 15
	blockMetadataAttach   = 16
	blockType             = 17
	blockUseList          = 18
	blockModuleStrtab     = 19
	blockGlobalvalSummary = 20
	blockBundleTags       = 21
	blockMetadataKind     = 22
	blockStrtab           = 23
	blockFullLTOSummary   = 24
	blockSymtab           = 25
	blockSyncScopes       = 26
)

var blockNames = [...]string{blockInfo: "BLOCKINFO", blockModule: "MODULE_BLOCK", blockParamAttr: "PARAMATTR_BLOCK",
	blockParamAttrGroup: "PARAMATTR_GROUP_BLOCK", blockConstants: "CONSTANTS_BLOCK", blockFunction: "FUNCTION_BLOCK",
	blockIdentification: "IDENTIFICATION_BLOCK", blockValueSymtab: "VALUE_SYMTAB", blockMetadata: "METADATA_BLOCK",
	blockMetadataAttach: "METADATA_ATTACHMENT", blockType: "TYPE_BLOCK", blockUseList: "USELIST_BLOCK",
	blockModuleStrtab: "MODULE_STRTAB_BLOCK", blockGlobalvalSummary: "GLOBALVAL_SUMMARY_BLOCK",
	blockBundleTags: "OPERAND_BUNDLE_TAGS_BLOCK", blockMetadataKind: "METADATA_KIND_BLOCK", blockStrtab: "STRTAB_BLOCK",
	blockFullLTOSummary: "FULL_LTO_GLOBALVAL_SUMMARY_BLOCK", blockSymtab: "SYMTAB_BLOCK",
	blockSyncScopes: "SYNC_SCOPE_NAMES_BLOCK"}

// blockName returns the name of a block for errors.
func blockName(id uint32) string {
	switch {
	case id == noBlock:
		return ""
	case id < uint32(len(blockNames)) && blockNames[id] != "":
		return blockNames[id]
	}
	return fmt.Sprintf("block %d", id)
}

// Record codes by block.
const (
	blockInfoSetBID = 1

	identString = 1
	identEpoch  = 2

	strtabBlob = 1

	modVersion        = 1
	modTriple         = 2
	modDataLayout     = 3
	modAsm            = 4
	modSectionName    = 5
	modGlobalVar      = 7
	modFunction       = 8
	modAliasOld       = 9
	modGCName         = 11
	modComdat         = 12
	modAlias          = 14
	modSourceFilename = 16
	modIFunc          = 18

	attrEntryOld   = 1
	attrEntry      = 2
	attrGroupEntry = 3

	typeNumEntry      = 1
	typeVoid          = 2
	typeFloat         = 3
	typeDouble        = 4
	typeLabel         = 5
	typeOpaque        = 6
	typeInteger       = 7
	typePointer       = 8
	typeFunctionOld   = 9
	typeHalf          = 10
	typeArray         = 11
	typeVector        = 12
	typeX86FP80       = 13
	typeFP128         = 14
	typePPCFP128      = 15
	typeMetadata      = 16
	typeX86MMX        = 17
	typeStructAnon    = 18
	typeStructName    = 19
	typeStructNamed   = 20
	typeFunction      = 21
	typeToken         = 22
	typeBFloat        = 23
	typeX86AMX        = 24
	typeOpaquePointer = 25
	typeTarget        = 26

	bundleTag     = 1
	syncScopeName = 1

	vstEntry   = 1
	vstBBEntry = 2
	vstFnEntry = 3

	cstSetType         = 1
	cstNull            = 2
	cstUndef           = 3
	cstInteger         = 4
	cstWideInteger     = 5
	cstFloat           = 6
	cstAggregate       = 7
	cstString          = 8
	cstCString         = 9
	cstBinop           = 10
	cstCast            = 11
	cstGEPOld          = 12
	cstSelect          = 13
	cstExtractElt      = 14
	cstInsertElt       = 15
	cstShuffleVec      = 16
	cstCmp             = 17
	cstAsmOld          = 18
	cstShuffleVecEx    = 19
	cstInBoundsGEP     = 20
	cstBlockAddress    = 21
	cstData            = 22
	cstAsmOld2         = 23
	cstGEPInRangeOld   = 24
	cstUnop            = 25
	cstPoison          = 26
	cstDSOLocalEquiv   = 27
	cstAsmOld3         = 28
	cstNoCFI           = 29
	cstAsm             = 30
	cstGEPInRange      = 31
	cstGEP             = 32
	cstPtrAuth         = 33
	cstPtrAuth2        = 34
	lastConstantRecord = cstPtrAuth2
)

// Record codes of function blocks.
const (
	funDeclareBlocks   = 1
	funBinop           = 2
	funCast            = 3
	funGEPOld          = 4
	funSelect          = 5
	funExtractElt      = 6
	funInsertElt       = 7
	funShuffleVec      = 8
	funCmp             = 9
	funRet             = 10
	funBr              = 11
	funSwitch          = 12
	funInvoke          = 13
	funUnreachable     = 15
	funPhi             = 16
	funAlloca          = 19
	funLoad            = 20
	funVAArg           = 23
	funStoreOld        = 24
	funExtractVal      = 26
	funInsertVal       = 27
	funCmp2            = 28
	funVSelect         = 29
	funInBoundsGEPOld  = 30
	funIndirectBr      = 31
	funDebugLocAgain   = 33
	funCall            = 34
	funDebugLoc        = 35
	funFence           = 36
	funCmpXchgOld      = 37
	funAtomicRMWOld    = 38
	funResume          = 39
	funLandingPadOld   = 40
	funLoadAtomic      = 41
	funStoreAtomicOld  = 42
	funGEP             = 43
	funStore           = 44
	funStoreAtomic     = 45
	funCmpXchg         = 46
	funLandingPad      = 47
	funCleanupRet      = 48
	funCatchRet        = 49
	funCatchPad        = 50
	funCleanupPad      = 51
	funCatchSwitch     = 52
	funOperandBundle   = 55
	funUnop            = 56
	funCallBr          = 57
	funFreeze          = 58
	funAtomicRMW       = 59
	funBlockAddrUsers  = 60
	funDbgValue        = 61
	funDbgDeclare      = 62
	funDbgAssign       = 63
	funDbgValueSimple  = 64
	funDbgLabel        = 65
	funDbgDeclareValue = 66
	lastFunctionRecord = funDbgDeclareValue
)

// Record codes of metadata blocks.
const (
	mdStringOld        = 1
	mdValue            = 2
	mdNode             = 3
	mdName             = 4
	mdDistinctNode     = 5
	mdKind             = 6
	mdOldNode          = 8
	mdOldFnNode        = 9
	mdNamedNode        = 10
	mdAttachment       = 11
	mdStrings          = 35
	mdGlobalDeclAttach = 36
	mdIndexOffset      = 38
	mdIndex            = 39
	mdArgList          = 46
)
