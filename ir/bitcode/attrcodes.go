package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// attrKinds maps the numbers of attributes in records to attributes.
var attrKinds = [...]ir.AttrKind{
	1: ir.AttrAlign, 2: ir.AttrAlwaysInline, 3: ir.AttrByVal, 4: ir.AttrInlineHint, 5: ir.AttrInReg, 6: ir.AttrMinSize,
	7: ir.AttrNaked, 8: ir.AttrNest, 9: ir.AttrNoAlias, 10: ir.AttrNoBuiltin, 12: ir.AttrNoDuplicate,
	13: ir.AttrNoImplicitFloat, 14: ir.AttrNoInline, 15: ir.AttrNonLazyBind, 16: ir.AttrNoRedZone, 17: ir.AttrNoReturn,
	18: ir.AttrNoUnwind, 19: ir.AttrOptSize, 20: ir.AttrReadNone, 21: ir.AttrReadOnly, 22: ir.AttrReturned,
	23: ir.AttrReturnsTwice, 24: ir.AttrSignExt, 25: ir.AttrAlignStack, 26: ir.AttrSSP, 27: ir.AttrSSPReq,
	28: ir.AttrSSPStrong, 29: ir.AttrSRet, 30: ir.AttrSanitizeAddress, 31: ir.AttrSanitizeThread, 32: ir.AttrSanitizeMemory,
	33: ir.AttrUWTable, 34: ir.AttrZeroExt, 35: ir.AttrBuiltin, 36: ir.AttrCold, 37: ir.AttrOptNone, 38: ir.AttrInAlloca,
	39: ir.AttrNonNull, 40: ir.AttrJumpTable, 41: ir.AttrDereferenceable, 42: ir.AttrDereferenceableOrNull,
	43: ir.AttrConvergent, 44: ir.AttrSafeStack, 46: ir.AttrSwiftSelf, 47: ir.AttrSwiftError, 48: ir.AttrNoRecurse,
	51: ir.AttrAllocSize, 52: ir.AttrWriteOnly, 53: ir.AttrSpeculatable, 54: ir.AttrStrictFP, 55: ir.AttrSanitizeHWAddress,
	56: ir.AttrNoCFCheck, 57: ir.AttrOptForFuzzing, 58: ir.AttrShadowCallStack, 59: ir.AttrSpeculativeLoadHardening,
	60: ir.AttrImmArg, 61: ir.AttrWillReturn, 62: ir.AttrNoFree, 63: ir.AttrNoSync, 64: ir.AttrSanitizeMemTag,
	65: ir.AttrPreallocated, 66: ir.AttrNoMerge, 67: ir.AttrNullPointerIsValid, 68: ir.AttrNoUndef, 69: ir.AttrByRef,
	70: ir.AttrMustProgress, 71: ir.AttrNoCallback, 72: ir.AttrHot, 73: ir.AttrNoProfile, 74: ir.AttrVScaleRange,
	75: ir.AttrSwiftAsync, 76: ir.AttrNoSanitizeCoverage, 77: ir.AttrElementType,
	78: ir.AttrDisableSanitizerInstrumentation, 79: ir.AttrNoSanitizeBounds, 80: ir.AttrAllocAlign, 81: ir.AttrAllocPtr,
	82: ir.AttrAllocKind, 83: ir.AttrPresplitCoroutine, 84: ir.AttrFnRetThunkExtern, 85: ir.AttrSkipProfile,
	86: ir.AttrMemory, 87: ir.AttrNoFPClass, 88: ir.AttrOptDebug, 89: ir.AttrWritable,
	90: ir.AttrCoroOnlyDestroyWhenComplete, 91: ir.AttrDeadOnUnwind, 92: ir.AttrRange,
	93: ir.AttrSanitizeNumericalStability, 94: ir.AttrInitializes, 95: ir.AttrHybridPatchable, 96: ir.AttrSanitizeRealtime,
	97: ir.AttrSanitizeRealtimeBlocking, 98: ir.AttrCoroElideSafe, 99: ir.AttrNoExt, 100: ir.AttrNoDivergenceSource,
	101: ir.AttrSanitizeType, 102: ir.AttrCaptures, 103: ir.AttrDeadOnReturn, 104: ir.AttrSanitizeAllocToken,
	105: ir.AttrNoCreateUndefOrPoison,
}

// attrNoCapture is the number of nocapture, which became captures(none).
const attrNoCapture = 11

// Memory effects of old attributes that memory(…) replaced.
const (
	argMemEffects       = ir.MemoryEffects(3 << (2 * ir.ArgMem))
	inaccessibleEffects = ir.MemoryEffects(3 << (2 * ir.InaccessibleMem))
)

// oldMemory maps the numbers of these attributes to the effects that they
// allow.
var oldMemory = lazy.Value[map[uint64]ir.MemoryEffects]{Make: func() map[uint64]ir.MemoryEffects {
	return map[uint64]ir.MemoryEffects{20: ir.MemoryNone, 21: ir.MemoryRead, 52: ir.MemoryWrite, 45: argMemEffects,
		49: inaccessibleEffects, 50: argMemEffects | inaccessibleEffects}
}}

// rawAttrs maps bits in the records of LLVM before 3.3 to attributes.
var rawAttrs = [64]ir.AttrKind{
	0: ir.AttrZeroExt, 1: ir.AttrSignExt, 2: ir.AttrNoReturn, 3: ir.AttrInReg, 4: ir.AttrSRet, 5: ir.AttrNoUnwind,
	6: ir.AttrNoAlias, 7: ir.AttrByVal, 8: ir.AttrNest, 9: ir.AttrReadNone, 10: ir.AttrReadOnly, 11: ir.AttrNoInline,
	12: ir.AttrAlwaysInline, 13: ir.AttrOptSize, 14: ir.AttrSSP, 15: ir.AttrSSPReq, 22: ir.AttrNoRedZone,
	23: ir.AttrNoImplicitFloat, 24: ir.AttrNaked, 25: ir.AttrInlineHint, 29: ir.AttrReturnsTwice, 30: ir.AttrUWTable,
	31: ir.AttrNonLazyBind, 32: ir.AttrSanitizeAddress, 33: ir.AttrMinSize, 34: ir.AttrNoDuplicate, 35: ir.AttrSSPStrong,
	36: ir.AttrSanitizeThread, 37: ir.AttrSanitizeMemory, 38: ir.AttrNoBuiltin, 39: ir.AttrReturned, 40: ir.AttrCold,
	41: ir.AttrBuiltin, 42: ir.AttrOptNone, 43: ir.AttrInAlloca, 44: ir.AttrNonNull, 45: ir.AttrJumpTable,
	46: ir.AttrConvergent, 47: ir.AttrSafeStack, 48: ir.AttrNoRecurse, 51: ir.AttrSwiftSelf, 52: ir.AttrSwiftError,
	53: ir.AttrWriteOnly, 54: ir.AttrSpeculatable, 55: ir.AttrStrictFP, 56: ir.AttrSanitizeHWAddress, 57: ir.AttrNoCFCheck,
	58: ir.AttrOptForFuzzing, 59: ir.AttrShadowCallStack, 60: ir.AttrSpeculativeLoadHardening, 61: ir.AttrImmArg,
	62: ir.AttrWillReturn, 63: ir.AttrNoFree,
}

// rawMemory maps the bits of rawAttrs that restrict memory accesses to the
// effects that they allow. rawNoCapture is the bit of nocapture.
var rawMemory = lazy.Value[map[int]ir.MemoryEffects]{Make: func() map[int]ir.MemoryEffects {
	return map[int]ir.MemoryEffects{9: ir.MemoryNone, 10: ir.MemoryRead, 53: ir.MemoryWrite, 49: inaccessibleEffects,
		50: argMemEffects | inaccessibleEffects}
}}

const rawNoCapture = 21

// Values of uwtable. The default is the second one.
const (
	uwtableSync  = 1
	uwtableAsync = 2
)
