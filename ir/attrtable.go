package ir

// The attributes of LLVM 22.1 in LLVM's numeric order, which is also the order
// in which a set is printed.
const (
	_ AttrKind = iota
	AttrAllocAlign
	AttrAllocPtr
	AttrAlwaysInline
	AttrBuiltin
	AttrCold
	AttrConvergent
	AttrCoroOnlyDestroyWhenComplete
	AttrCoroElideSafe
	AttrDeadOnReturn
	AttrDeadOnUnwind
	AttrDisableSanitizerInstrumentation
	AttrFnRetThunkExtern
	AttrHot
	AttrHybridPatchable
	AttrImmArg
	AttrInReg
	AttrInlineHint
	AttrJumpTable
	AttrMinSize
	AttrMustProgress
	AttrNaked
	AttrNest
	AttrNoAlias
	AttrNoBuiltin
	AttrNoCallback
	AttrNoCFCheck
	AttrNoCreateUndefOrPoison
	AttrNoDivergenceSource
	AttrNoDuplicate
	AttrNoExt
	AttrNoFree
	AttrNoImplicitFloat
	AttrNoInline
	AttrNoMerge
	AttrNoProfile
	AttrNoRecurse
	AttrNoRedZone
	AttrNoReturn
	AttrNoSanitizeBounds
	AttrNoSanitizeCoverage
	AttrNoSync
	AttrNoUndef
	AttrNoUnwind
	AttrNonLazyBind
	AttrNonNull
	AttrNullPointerIsValid
	AttrOptForFuzzing
	AttrOptDebug
	AttrOptSize
	AttrOptNone
	AttrPresplitCoroutine
	AttrReadNone
	AttrReadOnly
	AttrReturned
	AttrReturnsTwice
	AttrSignExt
	AttrSafeStack
	AttrSanitizeAddress
	AttrSanitizeAllocToken
	AttrSanitizeHWAddress
	AttrSanitizeMemTag
	AttrSanitizeMemory
	AttrSanitizeNumericalStability
	AttrSanitizeRealtime
	AttrSanitizeRealtimeBlocking
	AttrSanitizeThread
	AttrSanitizeType
	AttrShadowCallStack
	AttrSkipProfile
	AttrSpeculatable
	AttrSpeculativeLoadHardening
	AttrSSP
	AttrSSPReq
	AttrSSPStrong
	AttrStrictFP
	AttrSwiftAsync
	AttrSwiftError
	AttrSwiftSelf
	AttrWillReturn
	AttrWritable
	AttrWriteOnly
	AttrZeroExt
	AttrByRef // type attributes start here
	AttrByVal
	AttrElementType
	AttrInAlloca
	AttrPreallocated
	AttrSRet
	AttrAlign // integer attributes start here
	AttrAllocKind
	AttrAllocSize
	AttrCaptures
	AttrDereferenceable
	AttrDereferenceableOrNull
	AttrMemory
	AttrNoFPClass
	AttrAlignStack
	AttrUWTable
	AttrVScaleRange
	AttrRange       // a range
	AttrInitializes // a list of ranges
	AttrString      // "key" or "key"="value"
	AttrUnknown     // unknown to LLVM 22, kept as text

	numAttrKinds
)

var attrNames = [numAttrKinds]string{
	AttrAllocAlign:                      "allocalign",
	AttrAllocPtr:                        "allocptr",
	AttrAlwaysInline:                    "alwaysinline",
	AttrBuiltin:                         "builtin",
	AttrCold:                            "cold",
	AttrConvergent:                      "convergent",
	AttrCoroOnlyDestroyWhenComplete:     "coro_only_destroy_when_complete",
	AttrCoroElideSafe:                   "coro_elide_safe",
	AttrDeadOnReturn:                    "dead_on_return",
	AttrDeadOnUnwind:                    "dead_on_unwind",
	AttrDisableSanitizerInstrumentation: "disable_sanitizer_instrumentation",
	AttrFnRetThunkExtern:                "fn_ret_thunk_extern",
	AttrHot:                             "hot",
	AttrHybridPatchable:                 "hybrid_patchable",
	AttrImmArg:                          "immarg",
	AttrInReg:                           "inreg",
	AttrInlineHint:                      "inlinehint",
	AttrJumpTable:                       "jumptable",
	AttrMinSize:                         "minsize",
	AttrMustProgress:                    "mustprogress",
	AttrNaked:                           "naked",
	AttrNest:                            "nest",
	AttrNoAlias:                         "noalias",
	AttrNoBuiltin:                       "nobuiltin",
	AttrNoCallback:                      "nocallback",
	AttrNoCFCheck:                       "nocf_check",
	AttrNoCreateUndefOrPoison:           "nocreateundeforpoison",
	AttrNoDivergenceSource:              "nodivergencesource",
	AttrNoDuplicate:                     "noduplicate",
	AttrNoExt:                           "noext",
	AttrNoFree:                          "nofree",
	AttrNoImplicitFloat:                 "noimplicitfloat",
	AttrNoInline:                        "noinline",
	AttrNoMerge:                         "nomerge",
	AttrNoProfile:                       "noprofile",
	AttrNoRecurse:                       "norecurse",
	AttrNoRedZone:                       "noredzone",
	AttrNoReturn:                        "noreturn",
	AttrNoSanitizeBounds:                "nosanitize_bounds",
	AttrNoSanitizeCoverage:              "nosanitize_coverage",
	AttrNoSync:                          "nosync",
	AttrNoUndef:                         "noundef",
	AttrNoUnwind:                        "nounwind",
	AttrNonLazyBind:                     "nonlazybind",
	AttrNonNull:                         "nonnull",
	AttrNullPointerIsValid:              "null_pointer_is_valid",
	AttrOptForFuzzing:                   "optforfuzzing",
	AttrOptDebug:                        "optdebug",
	AttrOptSize:                         "optsize",
	AttrOptNone:                         "optnone",
	AttrPresplitCoroutine:               "presplitcoroutine",
	AttrReadNone:                        "readnone",
	AttrReadOnly:                        "readonly",
	AttrReturned:                        "returned",
	AttrReturnsTwice:                    "returns_twice",
	AttrSignExt:                         "signext",
	AttrSafeStack:                       "safestack",
	AttrSanitizeAddress:                 "sanitize_address",
	AttrSanitizeAllocToken:              "sanitize_alloc_token",
	AttrSanitizeHWAddress:               "sanitize_hwaddress",
	AttrSanitizeMemTag:                  "sanitize_memtag",
	AttrSanitizeMemory:                  "sanitize_memory",
	AttrSanitizeNumericalStability:      "sanitize_numerical_stability",
	AttrSanitizeRealtime:                "sanitize_realtime",
	AttrSanitizeRealtimeBlocking:        "sanitize_realtime_blocking",
	AttrSanitizeThread:                  "sanitize_thread",
	AttrSanitizeType:                    "sanitize_type",
	AttrShadowCallStack:                 "shadowcallstack",
	AttrSkipProfile:                     "skipprofile",
	AttrSpeculatable:                    "speculatable",
	AttrSpeculativeLoadHardening:        "speculative_load_hardening",
	AttrSSP:                             "ssp",
	AttrSSPReq:                          "sspreq",
	AttrSSPStrong:                       "sspstrong",
	AttrStrictFP:                        "strictfp",
	AttrSwiftAsync:                      "swiftasync",
	AttrSwiftError:                      "swifterror",
	AttrSwiftSelf:                       "swiftself",
	AttrWillReturn:                      "willreturn",
	AttrWritable:                        "writable",
	AttrWriteOnly:                       "writeonly",
	AttrZeroExt:                         "zeroext",
	AttrByRef:                           "byref",
	AttrByVal:                           "byval",
	AttrElementType:                     "elementtype",
	AttrInAlloca:                        "inalloca",
	AttrPreallocated:                    "preallocated",
	AttrSRet:                            "sret",
	AttrAlign:                           "align",
	AttrAllocKind:                       "allockind",
	AttrAllocSize:                       "allocsize",
	AttrCaptures:                        "captures",
	AttrDereferenceable:                 "dereferenceable",
	AttrDereferenceableOrNull:           "dereferenceable_or_null",
	AttrMemory:                          "memory",
	AttrNoFPClass:                       "nofpclass",
	AttrAlignStack:                      "alignstack",
	AttrUWTable:                         "uwtable",
	AttrVScaleRange:                     "vscale_range",
	AttrRange:                           "range",
	AttrInitializes:                     "initializes",
}
