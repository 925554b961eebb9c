package isa

// Message ids with rules of their own.
const (
	msgGS     = 2 // before gfx11
	msgGSDone = 3 // before gfx11
	msgSys    = 15
)

// msgNames lists the messages of s_sendmsg, s_sendmsghalt and s_sendmsg_rtn.
// Source: LLVM, AMDGPUAsmUtils.cpp, namespace SendMsg.
var msgNames = []symRow{
	{"MSG_INTERRUPT", 1, onAll},
	{"MSG_GS", msgGS, onBeforeGFX11},
	{"MSG_GS_DONE", msgGSDone, onBeforeGFX11},
	{"MSG_HS_TESSFACTOR", 2, SinceGFX1100},
	{"MSG_DEALLOC_VGPRS", 3, SinceGFX1100},
	{"MSG_SAVEWAVE", 4, onGFX8 | onGFX9 | onGFX10},
	{"MSG_STALL_WAVE_GEN", 5, SinceGFX900 &^ SinceGFX1200},
	{"MSG_HALT_WAVES", 6, SinceGFX900 &^ SinceGFX1200},
	{"MSG_ORDERED_PS_DONE", 7, onGFX9 | onGFX10},
	{"MSG_EARLY_PRIM_DEALLOC", 8, onGFX9 | onGFX10},
	{"MSG_GS_ALLOC_REQ", 9, SinceGFX900},
	{"MSG_GET_DOORBELL", 10, onGFX9 | onGFX10},
	{"MSG_SAVEWAVE_HAS_TDM", 10, SinceGFX1250},
	{"MSG_GET_DDID", 11, onGFX10},
	{"MSG_SYSMSG", msgSys, onAll},
	{"MSG_RTN_GET_DOORBELL", 128, SinceGFX1100},
	{"MSG_RTN_GET_DDID", 129, SinceGFX1100},
	{"MSG_RTN_GET_TMA", 130, SinceGFX1100},
	{"MSG_RTN_GET_REALTIME", 131, SinceGFX1100},
	{"MSG_RTN_SAVE_WAVE", 132, SinceGFX1100},
	{"MSG_RTN_GET_TBA", 133, SinceGFX1100},
	{"MSG_RTN_GET_TBA_TO_PC", 134, SinceGFX1100},
	{"MSG_RTN_GET_SE_AID_ID", 135, SinceGFX1200},
	{"MSG_RTN_GET_CLUSTER_BARRIER_STATE", 136, SinceGFX1250},
}

var sysMsgOps = []symRow{
	{"SYSMSG_OP_ECC_ERR_INTERRUPT", 1, onAll},
	{"SYSMSG_OP_REG_RD", 2, onAll},
	{"SYSMSG_OP_HOST_TRAP_ACK", 3, onBeforeGFX9},
	{"SYSMSG_OP_TTRACE_PC", 4, onAll},
}

const gsOpNop = 0

var gsMsgOps = []symRow{
	{"GS_OP_NOP", gsOpNop, onAll},
	{"GS_OP_CUT", 1, onAll},
	{"GS_OP_EMIT", 2, onAll},
	{"GS_OP_EMIT_CUT", 3, onAll},
}

// msgOps returns the table of operations of a message. LLVM looks operation names
// of every message but MSG_SYSMSG up among the GS operations.
func msgOps(id int64) []symRow {
	if id == msgSys {
		return sysMsgOps
	}
	return gsMsgOps
}

// MsgByName returns the id of a message.
func MsgByName(s Set, name []byte) (id uint32, st Status) {
	return symByName(msgNames, s, name)
}

// MsgName returns the name of a message, "" when it has none.
func MsgName(s Set, id uint32) string { return symName(msgNames, s, id) }

// MsgOpByName returns the operation of a message, which may be any number.
func MsgOpByName(s Set, id int64, name []byte) (op uint32, st Status) {
	return symByName(msgOps(id), s, name)
}

// MsgOpName returns the name of a message's operation, "" when it has none.
func MsgOpName(s Set, id, op int64) string {
	if op < 0 || op > 7 {
		return ""
	}
	return symName(msgOps(id), s, uint32(op))
}

// isGSMsg reports whether a message is MSG_GS or MSG_GS_DONE.
func isGSMsg(s Set, id int64) bool {
	return onBeforeGFX11.Has(s) && (id == msgGS || id == msgGSDone)
}

// MsgRequiresOp reports whether a message must have an operation; the others
// must have none when they are given by name.
func MsgRequiresOp(s Set, id int64) bool { return id == msgSys || isGSMsg(s, id) }

// MsgSupportsStream reports whether a stream id may follow the operation.
func MsgSupportsStream(s Set, id, op int64) bool { return isGSMsg(s, id) && op != gsOpNop }

// msgIDMask is the field of the message id: 4 bits, from gfx11 on 8.
func msgIDMask(s Set) uint32 {
	if SinceGFX1100.Has(s) {
		return 0xff
	}
	return 0xf
}

// ValidMsgID reports whether a message id given as a number can be encoded.
func ValidMsgID(s Set, id int64) bool { return id&^int64(msgIDMask(s)) == 0 }

// ValidMsgOp reports whether an operation fits a message. When the message was
// given as a number (not strict), only the field's width (3 bits) counts.
func ValidMsgOp(s Set, id, op int64, strict bool) bool {
	if !strict {
		return 0 <= op && op <= 7
	}
	if !MsgRequiresOp(s, id) {
		return op == 0
	}
	if isGSMsg(s, id) && id == msgGS && op == gsOpNop {
		return false
	}
	return MsgOpName(s, id, op) != ""
}

// ValidMsgStream reports whether a stream id fits a message and operation that
// are valid themselves. Not strict, only the width (2 bits) counts.
func ValidMsgStream(s Set, id, op, stream int64, strict bool) bool {
	if strict && !(isGSMsg(s, id) && (id == msgGS || op != gsOpNop)) {
		return stream == 0
	}
	return 0 <= stream && stream <= 3
}

// EncodeMsg puts the fields together: id, operation from bit 4, stream from bit
// 8. The result may exceed 16 bits when the fields are out of range.
func EncodeMsg(id, op, stream uint32) uint32 { return id | op<<4 | stream<<8 }

// DecodeMsg takes simm16 apart. From gfx11 on there is the id only.
func DecodeMsg(s Set, v uint32) (id, op, stream uint32) {
	id = v & msgIDMask(s)
	if SinceGFX1100.Has(s) {
		return id, 0, 0
	}
	return id, v >> 4 & 7, v >> 8 & 3
}

// AppendSendMsg appends sendmsg(MSG_GS, GS_OP_EMIT, 0) when everything has a
// name and is valid, else sendmsg(2, 0, 1) when the fields hold all bits, else
// the number.
func AppendSendMsg(dst []byte, s Set, v uint32) []byte {
	id, op, stream := DecodeMsg(s, v)
	name := MsgName(s, id)
	id64, op64 := int64(id), int64(op)
	if name == "" || !ValidMsgOp(s, id64, op64, true) || !ValidMsgStream(s, id64, op64, int64(stream), true) {
		if EncodeMsg(id, op, stream) != v {
			return appendDec(dst, v)
		}
		dst = appendDec(append(dst, "sendmsg("...), id)
		dst = appendDec(append(dst, ", "...), op)
		dst = appendDec(append(dst, ", "...), stream)
		return append(dst, ')')
	}
	dst = append(append(dst, "sendmsg("...), name...)
	if MsgRequiresOp(s, id64) {
		dst = append(append(dst, ", "...), MsgOpName(s, id64, op64)...)
		if MsgSupportsStream(s, id64, op64) {
			dst = appendDec(append(dst, ", "...), stream)
		}
	}
	return append(dst, ')')
}
