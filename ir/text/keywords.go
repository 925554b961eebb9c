package text

import (
	"encoding/binary"
	"sync"

	"github.com/gfx-toolchain/gfx/ir"
)

// keyword is the number of a word with a meaning in the syntax. Keywords that
// the reader refers to are constants. They are followed by the words of
// attributes, calling conventions and operations that are not keywords
// elsewhere.
type keyword uint16

const (
	kwNone keyword = iota // any other word
	kwDefine
	kwDeclare
	kwGlobal
	kwConstant
	kwAlias
	kwIFunc
	kwTarget
	kwTriple
	kwDataLayout
	kwSourceFilename
	kwModule
	kwAsm
	kwType
	kwOpaque
	kwAttributes
	kwComdat
	kwDistinct
	kwUseListOrder
	kwUseListOrderBB
	// properties of globals
	kwPrivate
	kwInternal
	kwWeak
	kwWeakODR
	kwLinkOnce
	kwLinkOnceODR
	kwAvailableExternally
	kwAppending
	kwCommon
	kwExternWeak
	kwExternal
	kwDefault
	kwHidden
	kwProtected
	kwDSOLocal
	kwDSOPreemptable
	kwDLLImport
	kwDLLExport
	kwThreadLocal
	kwLocalDynamic
	kwInitialExec
	kwLocalExec
	kwUnnamedAddr
	kwLocalUnnamedAddr
	kwExternallyInitialized
	kwAddrSpace
	kwSection
	kwPartition
	kwCodeModel
	kwNoSanitizeAddress
	kwNoSanitizeHWAddress
	kwSanitizeAddressDynInit
	kwGC
	kwPrefix
	kwPrologue
	kwPersonality
	kwCC
	// comdats
	kwAny
	kwExactMatch
	kwLargest
	kwNoDeduplicate
	kwSameSize
	// types
	kwX
	kwVScale
	kwX86MMX
	kwX86AMX
	// constants
	kwTrue
	kwFalse
	kwNull
	kwUndef
	kwPoison
	kwZeroInitializer
	kwNone_
	kwSplat
	kwBlockAddress
	kwDSOLocalEquivalent
	kwNoCFI
	kwPtrAuth
	kwInRange
	kwSideEffect
	kwIntelDialect
	kwUnwind
	// instructions
	kwTail
	kwMustTail
	kwNoTail
	kwTo
	kwCaller
	kwWithin
	kwFrom
	kwCatch
	kwFilter
	kwCleanup
	kwAtomic
	kwVolatile
	kwSyncScope
	kwNUW
	kwNSW
	kwExact
	kwDisjoint
	kwNNeg
	kwSameSign
	kwInBounds
	kwNUSW
	kwFast
	kwReassoc
	kwNNaN
	kwNInf
	kwNSZ
	kwARcp
	kwContract
	kwAFn
	kwUnordered
	kwMonotonic
	kwAcquire
	kwRelease
	kwAcqRel
	kwSeqCst
	kwAlign
	kwAlignStack
	kwNoCapture
	kwWriteOnly
	kwSingleThread

	numFixedKeywords
)

// keywordNames lists the words of the constants above.
var keywordNames = [numFixedKeywords]string{
	kwDefine: "define", kwDeclare: "declare", kwGlobal: "global", kwConstant: "constant", kwAlias: "alias", kwIFunc: "ifunc",
	kwTarget: "target", kwTriple: "triple", kwDataLayout: "datalayout", kwSourceFilename: "source_filename", kwModule: "module",
	kwAsm: "asm", kwType: "type", kwOpaque: "opaque", kwAttributes: "attributes", kwComdat: "comdat", kwDistinct: "distinct",
	kwUseListOrder: "uselistorder", kwUseListOrderBB: "uselistorder_bb",
	kwPrivate: "private", kwInternal: "internal", kwWeak: "weak", kwWeakODR: "weak_odr", kwLinkOnce: "linkonce",
	kwLinkOnceODR: "linkonce_odr", kwAvailableExternally: "available_externally", kwAppending: "appending", kwCommon: "common",
	kwExternWeak: "extern_weak", kwExternal: "external", kwDefault: "default", kwHidden: "hidden", kwProtected: "protected",
	kwDSOLocal: "dso_local", kwDSOPreemptable: "dso_preemptable", kwDLLImport: "dllimport", kwDLLExport: "dllexport",
	kwThreadLocal: "thread_local", kwLocalDynamic: "localdynamic", kwInitialExec: "initialexec", kwLocalExec: "localexec",
	kwUnnamedAddr: "unnamed_addr", kwLocalUnnamedAddr: "local_unnamed_addr", kwExternallyInitialized: "externally_initialized",
	kwAddrSpace: "addrspace", kwSection: "section", kwPartition: "partition", kwCodeModel: "code_model",
	kwNoSanitizeAddress: "no_sanitize_address", kwNoSanitizeHWAddress: "no_sanitize_hwaddress",
	kwSanitizeAddressDynInit: "sanitize_address_dyninit",
	kwGC:                     "gc", kwPrefix: "prefix", kwPrologue: "prologue", kwPersonality: "personality", kwCC: "cc",
	kwAny: "any", kwExactMatch: "exactmatch", kwLargest: "largest", kwNoDeduplicate: "nodeduplicate", kwSameSize: "samesize",
	kwX: "x", kwVScale: "vscale", kwX86MMX: "x86_mmx", kwX86AMX: "x86_amx",
	kwTrue: "true", kwFalse: "false", kwNull: "null", kwUndef: "undef", kwPoison: "poison", kwZeroInitializer: "zeroinitializer",
	kwNone_: "none", kwSplat: "splat", kwBlockAddress: "blockaddress", kwDSOLocalEquivalent: "dso_local_equivalent",
	kwNoCFI: "no_cfi", kwPtrAuth: "ptrauth", kwInRange: "inrange", kwSideEffect: "sideeffect",
	kwIntelDialect: "inteldialect", kwUnwind: "unwind",
	kwTail: "tail", kwMustTail: "musttail", kwNoTail: "notail", kwTo: "to", kwCaller: "caller", kwWithin: "within", kwFrom: "from",
	kwCatch: "catch", kwFilter: "filter", kwCleanup: "cleanup", kwAtomic: "atomic", kwVolatile: "volatile",
	kwSyncScope: "syncscope", kwNUW: "nuw", kwNSW: "nsw", kwExact: "exact",
	kwDisjoint: "disjoint", kwNNeg: "nneg", kwSameSign: "samesign", kwInBounds: "inbounds", kwNUSW: "nusw", kwFast: "fast",
	kwReassoc: "reassoc", kwNNaN: "nnan", kwNInf: "ninf", kwNSZ: "nsz", kwARcp: "arcp", kwContract: "contract", kwAFn: "afn",
	kwUnordered: "unordered", kwMonotonic: "monotonic", kwAcquire: "acquire", kwRelease: "release", kwAcqRel: "acq_rel",
	kwSeqCst: "seq_cst", kwAlign: "align", kwAlignStack: "alignstack", kwNoCapture: "nocapture", kwWriteOnly: "writeonly",
	kwSingleThread: "singlethread",
}

// typeWords lists the words of types.
var typeWords = [...]string{ir.Void: "void", ir.Label: "label", ir.MD: "metadata", ir.Token: "token", ir.Half: "half",
	ir.BFloat: "bfloat", ir.Float: "float", ir.Double: "double", ir.X86FP80: "x86_fp80", ir.FP128: "fp128",
	ir.PPCFP128: "ppc_fp128", ir.Ptr: "ptr"}

// words holds the meanings of words, by keyword.
type words struct {
	slots [2048]keyword // hash table
	n     int
	names [maxKeywords]string
	keys  [maxKeywords]wordKey
	types [maxKeywords]ir.Type
	ops   [maxKeywords]ir.Op
	attrs [maxKeywords]ir.AttrKind
	ccs   [maxKeywords]ir.CallConv // plus one
	preds [2][maxKeywords]uint8    // for fcmp and icmp, plus one
	rmws  [maxKeywords]uint8       // plus one
	call  keyword
}

// maxKeywords is the capacity of the keyword tables.
const maxKeywords = 1024

var (
	wordsOnce sync.Once
	dict      words
)

// wordKey holds the first and the last bytes of a word. Together with the
// length they identify a word of up to longWord bytes.
type wordKey struct{ lo, hi uint64 }

const longWord = 16

func keyOf(w []byte) (k wordKey) {
	n := len(w)
	switch {
	case n >= 8:
		return wordKey{binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[n-8:])}
	case n >= 4:
		return wordKey{uint64(binary.LittleEndian.Uint32(w)), uint64(binary.LittleEndian.Uint32(w[n-4:]))}
	}
	for _, c := range w {
		k.lo = k.lo<<8 | uint64(c)
	}
	return k
}

// hash returns the hash of a word with n bytes.
func (k wordKey) hash(n int) uint32 {
	h := (k.lo ^ k.hi*0x9e3779b97f4a7c15 ^ uint64(n)) * 0xd6e8feb86659fd93
	return uint32(h >> 40)
}

// lookup returns the keyword of a word.
func lookup(w []byte) keyword {
	key := keyOf(w)
	for i := key.hash(len(w)); ; i++ {
		k := dict.slots[i%uint32(len(dict.slots))]
		if k == kwNone {
			return k
		}
		if k %= maxKeywords; dict.keys[k] == key && len(dict.names[k]) == len(w) && (len(w) <= longWord || dict.names[k] == string(w)) {
			return k
		}
	}
}

// addWord returns the keyword of a word, and creates it if necessary.
func (d *words) addWord(name string) keyword {
	if k := lookup([]byte(name)); k != kwNone {
		return k
	}
	k := keyword(d.n)
	d.n++
	d.names[k] = name
	if name != "" {
		d.keys[k] = keyOf([]byte(name))
		i := d.keys[k].hash(len(name))
		for d.slots[i%uint32(len(d.slots))] != kwNone {
			i++
		}
		d.slots[i%uint32(len(d.slots))] = k
	}
	return k
}

// buildTable fills the table.
func (d *words) buildTable() {
	for i, name := range keywordNames {
		if name == "" { // a number without a word keeps its entry
			name = "\x00" + string(rune('0'+i))
		}
		d.addWord(name)
	}
	for t, name := range typeWords {
		if name != "" {
			d.types[d.addWord(name)] = ir.Type(t)
		}
	}
	for op := ir.OpRet; op <= ir.OpFreeze; op++ {
		k := d.addWord(op.String())
		d.ops[k] = op
		if op == ir.OpCall {
			d.call = k
		}
	}
	for k := ir.AttrKind(1); k < ir.AttrString; k++ {
		w := d.addWord(k.String())
		d.attrs[w] = k
	}
	for cc := ir.CallConv(0); cc < 128; cc++ {
		if name := cc.String(); name[len(name)-1] != ')' {
			w := d.addWord(name)
			d.ccs[w] = cc + 1
		}
	}
	for p := ir.FCmpFalse; p <= ir.FCmpTrue; p++ {
		k := d.addWord(p.String())
		d.preds[0][k] = uint8(p) + 1
	}
	for p := ir.ICmpEQ; p < ir.NumPreds; p++ {
		k := d.addWord(p.String())
		d.preds[1][k] = uint8(p) + 1
	}
	for o := ir.RMWXchg; o < ir.NumRMWOps; o++ {
		k := d.addWord(o.String())
		d.rmws[k] = uint8(o) + 1
	}
}
