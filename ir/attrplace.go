package ir

// attrPlaces is a bit set of the places where an attribute is allowed.
type attrPlaces uint8

const (
	attrOnFunction attrPlaces = 1 << iota
	attrOnParam
	attrOnResult

	attrOnValue = attrOnParam | attrOnResult
)

// otherPlaces lists the places of attributes that are not restricted to
// functions (LLVM 22, Attributes.td). 0 means functions only.
var otherPlaces = [numAttrKinds]attrPlaces{
	AttrAllocAlign: attrOnParam, AttrAllocPtr: attrOnParam, AttrAlign: attrOnValue, AttrByRef: attrOnParam, AttrByVal: attrOnParam,
	AttrCaptures: attrOnParam, AttrDeadOnReturn: attrOnParam, AttrDeadOnUnwind: attrOnParam, AttrDereferenceable: attrOnValue,
	AttrDereferenceableOrNull: attrOnValue, AttrElementType: attrOnParam, AttrImmArg: attrOnParam, AttrInAlloca: attrOnParam,
	AttrInitializes: attrOnParam, AttrInReg: attrOnValue, AttrNest: attrOnParam, AttrNoAlias: attrOnValue,
	AttrNoExt: attrOnValue, AttrNoFPClass: attrOnValue, AttrNoFree: attrOnFunction | attrOnParam,
	AttrNoUndef: attrOnValue, AttrNonNull: attrOnValue, AttrPreallocated: attrOnFunction | attrOnParam,
	AttrRange: attrOnValue, AttrReadNone: attrOnParam, AttrReadOnly: attrOnParam, AttrReturned: attrOnParam,
	AttrSignExt: attrOnValue, AttrAlignStack: attrOnFunction | attrOnValue, AttrSRet: attrOnParam, AttrSwiftAsync: attrOnParam,
	AttrSwiftError: attrOnParam, AttrSwiftSelf: attrOnParam, AttrWritable: attrOnParam, AttrWriteOnly: attrOnParam,
	AttrZeroExt: attrOnValue, AttrString: attrOnFunction | attrOnValue, AttrUnknown: attrOnFunction | attrOnValue,
}

func (k AttrKind) places() attrPlaces {
	if k < numAttrKinds && otherPlaces[k] != 0 {
		return otherPlaces[k]
	}
	return attrOnFunction
}

// OnFunction reports whether the attribute is allowed on functions and calls.
func (k AttrKind) OnFunction() bool { return k.places()&attrOnFunction != 0 }

// OnParam reports whether the attribute is allowed on parameters and arguments.
func (k AttrKind) OnParam() bool { return k.places()&attrOnParam != 0 }

// OnResult reports whether the attribute is allowed on results.
func (k AttrKind) OnResult() bool { return k.places()&attrOnResult != 0 }
