package isa

// RegKind is a register file, or the special registers.
type RegKind uint8

// Register files.
const (
	RegSGPR RegKind = iota
	RegVGPR
	RegAGPR
	RegTTMP
	RegSpecial
)

// Widths is a set of operand widths.
type Widths uint8

const (
	W32   Widths = 1 << iota // 32 bits
	W64                      // 64 bits
	WMore                    // 96 bits and more
	wNone Widths = 0
	wAll         = W32 | W64 | WMore
)

// widthOf returns the set of one width in dwords.
func widthOf(dwords int) Widths {
	switch dwords {
	case 1:
		return W32
	case 2:
		return W64
	}
	return WMore
}

// specialReg is a scalar register with a name: its code as a scalar source, the
// widths of operands that print it and of those that accept it, and the sets
// whose disassembler knows the code and whose assembler knows the name. The
// disassembler knows more, for LLVM's reads codes of one generation on others.
type specialReg struct {
	name, alias string
	code        uint8
	prints      Widths
	takes       Widths
	known, has  SetMask
	xnack       bool // only on processors that support XNACK
}

// specialRegs lists the special registers, the frequent ones first.
// Source: LLVM, AMDGPUDisassembler.cpp, decodeSpecialReg32 and after;
// AMDGPUAsmParser.cpp, getSpecialRegForName and subtargetHasRegister.
var specialRegs = []specialReg{
	{"vcc", "", 106, W64, W64, onAll, onAll, false},
	{"vcc_lo", "", 106, W32, W32, onAll, onAll, false},
	{"vcc_hi", "", 107, W32, W32, onAll, onAll, false},
	{"exec", "", 126, W64, W64, onAll, onAll, false},
	{"exec_lo", "", 126, W32, W32, onAll, onAll, false},
	{"exec_hi", "", 127, W32, W32, onAll, onAll, false},
	{"m0", "", 124, W32, W32, onBeforeGFX11, onBeforeGFX11, false},
	{"m0", "", 125, W32, W32, SinceGFX1100, SinceGFX1100, false},
	{"null", "", 124, wAll, wAll, SinceGFX1100, SinceGFX1100, false},
	{"null", "", 125, wAll, wAll, onBeforeGFX11 &^ onGFX6to7, onGFX10, false},
	{"src_scc", "scc", 253, W32 | W64, W32 | W64, onAll, onAll, false},
	{"src_vccz", "vccz", 251, W32 | W64, W32 | W64, onAll, onBeforeGFX11, false},
	{"src_execz", "execz", 252, W32 | W64, W32 | W64, onAll, onBeforeGFX11, false},
	{"src_lds_direct", "lds_direct", 254, W32, W32, onBeforeGFX11 | onGFX11 | onGFX1200, onAll, false},
	{"src_shared_base", "shared_base", 235, W32 | W64, W32 | W64, SinceGFX803, SinceGFX900, false},
	{"src_shared_limit", "shared_limit", 236, W32 | W64, W32 | W64, SinceGFX803, SinceGFX900, false},
	{"src_private_base", "private_base", 237, W32 | W64, W32 | W64, SinceGFX803, SinceGFX900, false},
	{"src_private_limit", "private_limit", 238, W32 | W64, W32 | W64, SinceGFX803, SinceGFX900, false},
	{"src_pops_exiting_wave_id", "pops_exiting_wave_id", 239, W32 | W64, W32 | W64, SinceGFX803, onGFX9 | onGFX10, false},
	{"src_flat_scratch_base_lo", "", 230, W32 | W64, W32 | W64, SinceGFX803, SinceGFX1250, false},
	{"src_flat_scratch_base_hi", "", 231, W32, W32 | W64, SinceGFX803, SinceGFX1250, false},
	{"flat_scratch", "", 102, W64, W64, onGFX8 | onGFX9, onGFX8 | onGFX9, false},
	{"flat_scratch_lo", "", 102, W32, W32, onGFX8 | onGFX9, onGFX8 | onGFX9, false},
	{"flat_scratch_hi", "", 103, W32, W32, onGFX8 | onGFX9, onGFX8 | onGFX9, false},
	{"flat_scratch", "", 104, W64, W64, onGFX7, onGFX7, false},
	{"flat_scratch_lo", "", 104, W32, W32, onGFX7, onGFX7, false},
	{"flat_scratch_hi", "", 105, W32, W32, onGFX7, onGFX7, false},
	{"xnack_mask", "", 104, W64, W64, onGFX8 | onGFX9, onGFX8 | onGFX9, true},
	{"xnack_mask_lo", "", 104, W32, W32, onGFX8 | onGFX9, onGFX8 | onGFX9, true},
	{"xnack_mask_hi", "", 105, W32, W32, onGFX8 | onGFX9, onGFX8 | onGFX9, true},
	{"tba", "", 108, W64, W64, onBeforeGFX9, onBeforeGFX9, false},
	{"tba_lo", "", 108, W32, W32, onBeforeGFX9, onBeforeGFX9, false},
	{"tba_hi", "", 109, W32, W32, onBeforeGFX9, onBeforeGFX9, false},
	{"tma", "", 110, W64, W64, onBeforeGFX9, onBeforeGFX9, false},
	{"tma_lo", "", 110, W32, W32, onBeforeGFX9, onBeforeGFX9, false},
	{"tma_hi", "", 111, W32, W32, onBeforeGFX9, onBeforeGFX9, false},
	{"pc", "", 0, wNone, wNone, 0, onAll, false}, // no operand takes it
}

// Codes of the scalar operand where the trap temporaries begin and end.
const (
	ttmpFirstGFX9 = 108
	ttmpFirst     = 112
	ttmpLast      = 123
)

// ttmpCode returns the scalar operand code of ttmp0.
func ttmpCode(s Set) uint32 {
	if SinceGFX900.Has(s) {
		return ttmpFirstGFX9
	}
	return ttmpFirst
}

// numSGPRs returns the number of SGPRs that the assembler knows on a set; their
// codes are 0 and up.
func numSGPRs(s Set) uint32 {
	switch {
	case SinceGFX1010.Has(s):
		return 106
	case onGFX6to7.Has(s):
		return 104
	}
	return 102
}

// Reg is a special register found by name.
type Reg struct {
	Name  string // as printed
	Code  uint32 // as a scalar source operand
	Takes Widths // of the operands that may have it
	XNACK bool   // only on processors that support XNACK
}

// RegByName looks up a special register such as vcc_lo, m0 or shared_base. With
// NotSupported, r has only the name. LLVM's error is then r.Name + " register
// not available on this GPU", for null "'null' operand is not supported on this
// GPU".
func RegByName(s Set, name []byte) (r Reg, st Status) {
	for i := range specialRegs {
		sp := &specialRegs[i]
		if string(name) != sp.name && (sp.alias == "" || string(name) != sp.alias) {
			continue
		}
		if sp.has.Has(s) {
			return Reg{sp.name, uint32(sp.code), sp.takes, sp.xnack}, Found
		}
		r, st = Reg{Name: sp.name}, NotSupported
	}
	return r, st
}

// RegPair returns the 64-bit register of two halves in a list: [vcc_lo,vcc_hi] is
// vcc. ok is false when they are not halves of one register in order.
func RegPair(s Set, lo, hi Reg) (r Reg, ok bool) {
	if hi.Code != lo.Code+1 || lo.Takes != W32 || hi.Takes != W32 || !halves(lo.Name, hi.Name) {
		return Reg{}, false
	}
	r, st := RegByName(s, []byte(lo.Name[:len(lo.Name)-len("_lo")]))
	return r, st == Found
}

// halves reports whether two names are x_lo and x_hi.
func halves(lo, hi string) bool {
	n := len(lo) - len("_lo")
	return n > 0 && len(hi) == len(lo) && lo[:n] == hi[:n] && lo[n:] == "_lo" && hi[n:] == "_hi"
}

// regFiles lists the prefixes of numbered registers in the order of the search.
// Source: LLVM, AMDGPUAsmParser.cpp, RegularRegisters.
var regFiles = [...]struct {
	prefix string
	kind   RegKind
}{
	{"v", RegVGPR},
	{"s", RegSGPR},
	{"ttmp", RegTTMP},
	{"acc", RegAGPR},
	{"a", RegAGPR},
}

// Sizes of tuples in dwords, as bit sets. Source: as above, getRegClass.
const (
	sizesTTMP = 1<<1 | 1<<2 | 1<<4 | 1<<8 | 1<<16
	sizesSGPR = 1<<13 - 1<<1 | 1<<16
	sizesVGPR = sizesSGPR | 1<<32
)

// regKinds lists for each register file how its registers are printed, their
// number on any set, and the sizes of tuples.
var regKinds = [...]struct {
	prefix string // as printed
	count  uint32
	sizes  uint64
}{
	RegSGPR: {"s", 106, sizesSGPR},
	RegVGPR: {"v", 256, sizesVGPR},
	RegAGPR: {"a", 256, sizesVGPR},
	RegTTMP: {"ttmp", 16, sizesTTMP},
}

// RegPrefix returns the register file that a name such as s5, acc or ttmp11
// begins with, and the length of that prefix; ok is false when there is none.
// A special register's name may begin with one, too: ask RegByName first.
func RegPrefix(name []byte) (k RegKind, n int, ok bool) {
	for i := range regFiles {
		if _, ok := cut(name, regFiles[i].prefix); ok {
			return regFiles[i].kind, len(regFiles[i].prefix), true
		}
	}
	return 0, 0, false
}

// tupleAlign returns the alignment of a tuple of SGPRs or TTMPs in registers.
func tupleAlign(dwords uint32) uint32 {
	if dwords > 2 {
		return 4
	}
	return max(dwords, 1)
}

// CheckRegs describes the error in a tuple of dwords registers from index of a
// file, in LLVM's words. Before "register not available on this GPU" LLVM
// writes the tuple as AppendRegs does, and a blank.
func CheckRegs(s Set, k RegKind, index, dwords uint32) (problem string) {
	d := &regKinds[k]
	if k == RegSGPR || k == RegTTMP {
		if index%tupleAlign(dwords) != 0 {
			return "invalid register alignment"
		}
	}
	if d.sizes>>dwords&1 == 0 { // a shift by more than 63 yields 0
		return "invalid or unsupported register size"
	}
	count := d.count
	if k == RegVGPR && s.Has(PropVgprs1024) && index < count {
		count = 1024 // the higher registers, selected by s_set_vgpr_msb
	}
	last := uint64(index) + uint64(dwords) - 1
	if last >= uint64(count) {
		return "register index is out of range"
	}
	if k == RegSGPR && last >= uint64(numSGPRs(s)) ||
		k == RegTTMP && last > uint64(ttmpLast-ttmpCode(s)) {
		return "register not available on this GPU"
	}
	return ""
}

// RegCode returns the 8-bit scalar operand code of an SGPR or TTMP.
func RegCode(s Set, k RegKind, index uint32) uint32 {
	if k == RegTTMP {
		return ttmpCode(s) + index
	}
	return index
}

// SpecialReg returns the printed name of a code other than an SGPR, TTMP or
// constant, for an operand of a width; "" when there is none. LLVM prints names
// that the assembler of the same set refuses.
func SpecialReg(s Set, code uint32, dwords int) string {
	w := widthOf(dwords)
	for i := range specialRegs {
		sp := &specialRegs[i]
		if uint32(sp.code) == code && sp.prints&w != 0 && sp.known.Has(s) {
			return sp.name
		}
	}
	return ""
}

// AppendSReg appends a scalar register operand by its 8-bit code: s5, s[4:7],
// ttmp[0:1], vcc, m0 …. A tuple whose code is not aligned is rounded down, as
// LLVM does; and as LLVM does it prints ttmp[8:15] on sets with 12 of them. ok is
// false when no register of that width has the code.
func AppendSReg(dst []byte, s Set, code uint32, dwords int) (out []byte, ok bool) {
	k, index := RegSGPR, code
	if code >= numSGPRs(s) {
		k, index = RegTTMP, code-ttmpCode(s)
		if code > ttmpLast || code < ttmpCode(s) {
			name := SpecialReg(s, code, dwords)
			return append(dst, name...), name != ""
		}
	}
	if dwords > 1 {
		index &^= tupleAlign(uint32(dwords)) - 1
		if index+uint32(dwords) > regKinds[k].count {
			return dst, false
		}
	}
	return AppendRegs(dst, k, index, dwords), true
}

// AppendRegs appends v5 or v[4:7]. The file must not be RegSpecial.
func AppendRegs(dst []byte, k RegKind, index uint32, dwords int) []byte {
	dst = append(dst, regKinds[k].prefix...)
	if dwords <= 1 {
		return appendDec(dst, index)
	}
	dst = appendDec(append(dst, '['), index)
	dst = appendDec(append(dst, ':'), index+uint32(dwords)-1)
	return append(dst, ']')
}
