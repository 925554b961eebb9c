package isa

import "strconv"

// Symbolic operand values of the assembler's language, both ways: value to
// LLVM's canonical text and name to value. Each topic has one table in its own
// file, sym_TOPIC.go; a row has a name, a value and the sets that have it.
//
// Conventions:
//   - AppendX(dst, …) appends canonical text and allocates nothing but what
//     append needs. An operand is appended without blanks around it; a
//     modifier is appended with one leading blank, and not at all when it has
//     its default value, which its comment names.
//   - XByName(s, name) looks up a name: the value, and Found, Unknown (no set
//     has the name) or NotSupported (only other sets have it).
//   - A result called problem is "" or the error, in the words of
//     LLVM's assembler.
//   - Names are compared byte by byte; LLVM's are case-sensitive.
//
// The functions, by topic:
//
//	hwreg      HwregByName HwregName EncodeHwreg DecodeHwreg AppendHwreg
//	           HwregFieldByName CheckHwregField
//	sendmsg    MsgByName MsgName MsgOpByName MsgOpName MsgRequiresOp MsgSupportsStream
//	           ValidMsgID ValidMsgOp ValidMsgStream EncodeMsg DecodeMsg AppendSendMsg
//	waitcnt    WaitcntByName WaitcntMax WaitcntDefault EncodeWaitcnt DecodeWaitcnt AppendWaitcnt
//	depctr     DepCtrDefault EncodeDepCtr AppendDepCtr
//	delay_alu  DelayFieldByName DelayValueByName AppendDelayALU
//	version    VersionByName AppendVersion
//	gpr_idx    GprIdxByName AppendGprIdx
//	exp        ExpTargetByName AppendExpTarget
//	interp     InterpSlotByName AppendInterpSlot InterpAttrByName AppendInterpAttr
//	mtbuf      HasUnifiedFormat FormatDefault DfmtByName NfmtByName UfmtByName ValidFormat
//	           EncodeDfmtNfmt UfmtOfDfmtNfmt AppendBufFormat
//	dim        DimByName DimOf AppendDim
//	dpp        DPPCtrlByName DPPCtrlTakesArg EncodeQuadPerm CheckDPPCtrl AppendDPPCtrl
//	           EncodeDPP8 AppendDPP8 DPPBoundCtrl
//	sdwa       SDWASelByName AppendSDWASel SDWAUnusedByName AppendSDWAUnused
//	swizzle    SwizzleByName SwizzleMode.Args CheckSwizzleArg EncodeSwizzle EncodeSwizzleMask
//	           AppendSwizzle
//	cpol       CPolByName THByName CheckTH ScopeByName AppendCPol
//	name:N     ModifierByName Modifier.Fits AppendModifier AppendBitList OModByName AppendOMod
//	name       FlagByName Flag.String
//	matrix     MatrixModifierByName MatrixValueByName AppendMatrix
//	registers  RegByName RegPrefix RegPair CheckRegs RegCode SpecialReg AppendSReg AppendRegs

// Status is the answer of a look-up by name.
type Status uint8

const (
	Unknown      Status = iota // no instruction set has the name
	Found                      // the value is valid
	NotSupported               // the name belongs to other instruction sets only
	Duplicate                  // the field was given before (EncodeDepCtr)
	BadValue                   // the number is outside the field's range
)

// Masks of sets, named after the generations they cover.
const (
	onAll = SinceGFX600

	onGFX7    SetMask = 1 << GFX700
	onGFX6to7         = SinceGFX600 &^ SinceGFX803
	onGFX8            = SinceGFX803 &^ SinceGFX900
	onGFX9            = SinceGFX900 &^ SinceGFX1010
	onGFX10           = SinceGFX1010 &^ SinceGFX1100
	onGFX101          = SinceGFX1010 &^ SinceGFX1030
	onGFX11           = SinceGFX1100 &^ SinceGFX1200
	onGFX1200         = SinceGFX1200 &^ SinceGFX1250

	onBeforeGFX9  = onAll &^ SinceGFX900
	onBeforeGFX10 = onAll &^ SinceGFX1010
	onBeforeGFX11 = onAll &^ SinceGFX1100
	onBeforeGFX12 = onAll &^ SinceGFX1200
)

// symRow is one row of a table of names: several rows may share a value (the
// first one that a set has is printed) or a name.
type symRow struct {
	name  string
	value uint32
	sets  SetMask
}

// symByName looks a name up in a table.
func symByName(rows []symRow, s Set, name []byte) (uint32, Status) {
	st := Unknown
	for i := range rows {
		r := &rows[i]
		if string(name) != r.name {
			continue
		}
		if r.sets.Has(s) {
			return r.value, Found
		}
		st = NotSupported
	}
	return 0, st
}

// symName returns the first name of a value on a set, "" when it has none.
func symName(rows []symRow, s Set, v uint32) string {
	for i := range rows {
		if rows[i].value == v && rows[i].sets.Has(s) {
			return rows[i].name
		}
	}
	return ""
}

// indexOf finds a name in a list whose index is the value.
func indexOf(names []string, name []byte) (uint32, Status) {
	for i, n := range names {
		if string(name) == n {
			return uint32(i), Found
		}
	}
	return 0, Unknown
}

// appendDec appends an unsigned number in decimal.
func appendDec(dst []byte, v uint32) []byte {
	return strconv.AppendUint(dst, uint64(v), 10)
}

// appendHex appends an unsigned number as LLVM's formatHex does: 0x and lower
// case digits.
func appendHex(dst []byte, v uint32) []byte {
	return strconv.AppendUint(append(dst, "0x"...), uint64(v), 16)
}

// parseDec reads a decimal number of at most max; leading zeroes are allowed.
func parseDec(text []byte, max uint32) (uint32, bool) {
	if len(text) == 0 {
		return 0, false
	}
	v := uint32(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		if v = v*10 + uint32(c-'0'); v > max {
			return 0, false
		}
	}
	return v, true
}

// cut takes a prefix off a name.
func cut(name []byte, prefix string) ([]byte, bool) {
	if len(name) >= len(prefix) && string(name[:len(prefix)]) == prefix {
		return name[len(prefix):], true
	}
	return name, false
}
