package isa

// CPol is the cache policy of a memory instruction, as LLVM numbers its bits:
// before gfx12 GLC, SLC, DLC and SCC; on gfx12 the temporal hint TH and the
// scope; on gfx12.5 also NV and scale_offset, which shares the operand.
// Source: LLVM, SIDefines.h, namespace CPol.
type CPol uint16

const (
	CPolGLC CPol = 1 << 0 // sc0 on gfx940
	CPolSLC CPol = 1 << 1 // nt on gfx940
	CPolDLC CPol = 1 << 2 // gfx10 and gfx11
	CPolSCC CPol = 1 << 4 // sc1 on gfx940

	CPolTH         CPol = 7       // bits 2:0
	CPolScope      CPol = 3 << 3  // bits 4:3
	CPolScopeShift      = 3       // lowest bit of CPolScope
	CPolNV         CPol = 1 << 5  // non-volatile, gfx12.5
	CPolScale      CPol = 1 << 11 // scale_offset, gfx12.5

	// Values of TH with rules of their own.
	thAtomicReturn  CPol = 1
	thAtomicNT      CPol = 2
	thBypass        CPol = 3 // TH_LOAD_LU and TH_STORE_WB but for SCOPE_SYS
	thAtomicCascade CPol = 4
	scopeDev        CPol = 2 << 3
	scopeSys        CPol = 3 << 3
)

// CPolKind is the kind of a memory instruction, which decides the names of its
// cache policy.
type CPolKind uint8

const (
	CPolLoad   CPolKind = iota // and instructions that neither load nor store
	CPolStore                  // also one that loads as well, but atomics
	CPolAtomic                 // with or without result
	CPolScalar                 // SMEM and SMRD; on gfx12 a load
)

// cpolNames lists the one-bit modifiers in the order of the text. vector and scalar
// are the sets whose vector and scalar instructions have the name. A name with the
// prefix "no" clears the bit.
var cpolNames = []struct {
	name   string
	bit    CPol
	vector SetMask
	scalar SetMask
}{
	{"glc", CPolGLC, onBeforeGFX12 &^ SinceGFX942, onBeforeGFX12},
	{"sc0", CPolGLC, SinceGFX942, 0},
	{"slc", CPolSLC, onBeforeGFX12 &^ SinceGFX942, onBeforeGFX12},
	{"nt", CPolSLC, SinceGFX942, 0},
	{"dlc", CPolDLC, onGFX10 | onGFX11, onGFX10 | onGFX11},
	{"scc", CPolSCC, SinceGFX90A &^ SinceGFX942, SinceGFX90A},
	{"sc1", CPolSCC, SinceGFX942, 0},
	{"scale_offset", CPolScale, SinceGFX1250, SinceGFX1250},
	{"nv", CPolNV, SinceGFX1250, SinceGFX1250},
}

// CPolByName looks up glc, slc, dlc, scc, sc0, sc1, nt, nv or scale_offset, or
// one of them with "no" before it: then clear is true. Which instructions may
// have the bit is for the caller to check.
func CPolByName(s Set, k CPolKind, name []byte) (bit CPol, clear bool, st Status) {
	plain, clear := cut(name, "no")
	for i := range cpolNames {
		c := &cpolNames[i]
		if string(plain) != c.name {
			continue
		}
		sets := c.vector
		if k == CPolScalar {
			sets = c.scalar
		}
		if sets.Has(s) {
			return c.bit, clear, Found
		}
		st = NotSupported
	}
	return 0, clear, st
}

// th is a temporal hint's name; the instructions it is for are kind.
type th struct {
	name  string
	value CPol
	kind  CPolKind
}

// ths lists the hints of gfx12; the first name of a value is printed, bypass
// excepted. Source: LLVM, AMDGPUAsmParser.cpp, parseTH; AMDGPUInstPrinter.cpp,
// printTH.
var ths = []th{
	{"TH_LOAD_RT", 0, CPolLoad},
	{"TH_LOAD_NT", 1, CPolLoad},
	{"TH_LOAD_HT", 2, CPolLoad},
	{"TH_LOAD_LU", thBypass, CPolLoad},
	{"TH_LOAD_NT_RT", 4, CPolLoad},
	{"TH_LOAD_RT_NT", 5, CPolLoad},
	{"TH_LOAD_NT_HT", 6, CPolLoad},
	{thLoadBypass, thBypass, CPolLoad},
	{"TH_STORE_RT", 0, CPolStore},
	{"TH_STORE_NT", 1, CPolStore},
	{"TH_STORE_HT", 2, CPolStore},
	{"TH_STORE_WB", thBypass, CPolStore},
	{"TH_STORE_NT_RT", 4, CPolStore},
	{"TH_STORE_RT_NT", 5, CPolStore},
	{"TH_STORE_NT_HT", 6, CPolStore},
	{"TH_STORE_NT_WB", 7, CPolStore},
	{thStoreBypass, thBypass, CPolStore},
	{"TH_ATOMIC_RETURN", thAtomicReturn, CPolAtomic},
	{"TH_ATOMIC_RT", 0, CPolAtomic},
	{"TH_ATOMIC_RT_RETURN", thAtomicReturn, CPolAtomic},
	{"TH_ATOMIC_NT", thAtomicNT, CPolAtomic},
	{"TH_ATOMIC_NT_RETURN", thAtomicNT | thAtomicReturn, CPolAtomic},
	{"TH_ATOMIC_CASCADE_RT", thAtomicCascade, CPolAtomic},
	{"TH_ATOMIC_CASCADE_NT", thAtomicCascade | thAtomicNT, CPolAtomic},
}

const (
	thDefault     = "TH_DEFAULT"
	thLoadBypass  = "TH_LOAD_BYPASS"
	thStoreBypass = "TH_STORE_BYPASS"
)

// TH is a temporal hint as it was written.
type TH struct {
	Value  CPol     // bits 2:0
	Kind   CPolKind // CPolLoad, CPolStore or CPolAtomic: the prefix of the name
	Bypass bool     // TH_LOAD_BYPASS or TH_STORE_BYPASS
}

// THByName returns the hint of a name such as TH_LOAD_NT; TH_DEFAULT is 0.
func THByName(name []byte) (t TH, st Status) {
	if string(name) == thDefault {
		return TH{}, Found
	}
	for i := range ths {
		if r := &ths[i]; string(name) == r.name {
			return TH{r.value, r.kind, r.name == thLoadBypass || r.name == thStoreBypass}, Found
		}
	}
	return TH{}, Unknown
}

// CheckTH returns the reason why an instruction cannot have a hint that was
// written, with the scope it has, or "". The caller must check that an atomic
// with a result has TH_ATOMIC_RETURN.
func CheckTH(k CPolKind, t TH, scope CPol) (problem string) {
	if t.Value == 0 {
		return ""
	}
	if k == CPolScalar {
		if t.Value >= 4 && t.Value <= 6 {
			return "invalid th value for SMEM instruction"
		}
		k = CPolLoad
	}
	switch {
	case t.Value == thBypass && t.Bypass != (scope == scopeSys):
		return "scope and th combination is not valid"
	case k == t.Kind:
		return ""
	case k == CPolAtomic:
		return "invalid th value for atomic instructions"
	case k == CPolStore:
		return "invalid th value for store instructions"
	}
	return "invalid th value for load instructions"
}

var scopeNames = []string{"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"}

// ScopeByName returns the scope bits of SCOPE_CU …, shifted to their place. A
// number from 0 to 3 is accepted in its place.
func ScopeByName(name []byte) (scope CPol, st Status) {
	v, st := indexOf(scopeNames, name)
	return CPol(v) << CPolScopeShift, st
}

// AppendCPol appends " glc slc", " sc0 nt", " th:TH_LOAD_NT scope:SCOPE_SYS nv"
// …; nothing for 0. AppendCPol ignores bits that the set does not have.
func AppendCPol(dst []byte, s Set, k CPolKind, v CPol) []byte {
	if v == 0 {
		return dst
	}
	if SinceGFX1200.Has(s) {
		return appendCPol12(dst, k, v)
	}
	for i := range cpolNames {
		c := &cpolNames[i]
		if v&c.bit == 0 {
			continue
		}
		sets := c.vector
		if k == CPolScalar {
			sets = c.scalar
		}
		if sets.Has(s) {
			dst = append(append(dst, ' '), c.name...)
		}
	}
	return dst
}

func appendCPol12(dst []byte, k CPolKind, v CPol) []byte {
	if v&CPolScale != 0 {
		dst = append(dst, " scale_offset"...)
	}
	if v&CPolTH != 0 {
		dst = appendTH(append(dst, " th:"...), k, v&CPolTH, v&CPolScope)
	}
	if v&CPolScope != 0 {
		dst = append(append(dst, " scope:"...), scopeNames[v&CPolScope>>CPolScopeShift]...)
	}
	if v&CPolNV != 0 {
		dst = append(dst, " nv"...)
	}
	return dst
}

// appendTH appends a hint's name. A value without a name is a number, for
// atomics after the prefix: th:0x7, th:TH_ATOMIC_0x5.
func appendTH(dst []byte, k CPolKind, v, scope CPol) []byte {
	if k == CPolScalar {
		k = CPolLoad
	}
	if v == thBypass && scope == scopeSys && k != CPolAtomic {
		if k == CPolStore {
			return append(dst, thStoreBypass...)
		}
		return append(dst, thLoadBypass...)
	}
	if k == CPolAtomic && v&thAtomicCascade != 0 {
		if scope < scopeDev {
			return appendHex(append(dst, "TH_ATOMIC_"...), uint32(v))
		}
		v &^= thAtomicReturn // the name ignores the bit
	}
	for i := range ths {
		if ths[i].value == v && ths[i].kind == k {
			return append(dst, ths[i].name...)
		}
	}
	return appendHex(dst, uint32(v))
}
