package catalystabi

import "github.com/gfx-toolchain/gfx/catalyst"

// Bits of COMPUTE_PGM_RSRC2. Source: AMD's register documents.
const (
	RSrc2Scratch    = 0
	RSrc2UserSGPRs  = 1 // shift, 5 bits
	RSrc2GroupIDs   = 7 // shift, 3 bits
	RSrc2TGSize     = 10
	RSrc2LocalIDs   = 11 // shift, 2 bits
	RSrc2Exceptions = 24 // shift, 7 bits
)

// MaxUserSGPRs is the maximum number of registers with user data.
const MaxUserSGPRs = 16

// BufferFormat is the last word of the descriptor of a buffer without
// structure: elements of 32 bits, unsigned integers, all components selected.
const BufferFormat = 4 | 5<<3 | 6<<6 | 7<<9 | 4<<12 | 4<<15

// UAVConstants is the first version of the driver whose constant pointers are
// UAVs.
const UAVConstants = 134805

// IsUAV reports whether the buffer of a pointer to global or constant memory is
// a UAV, not a constant buffer.
func IsUAV(b *catalyst.Binary, a *catalyst.Arg) bool {
	return a.Space != catalyst.Constant || b.Driver.Version >= UAVConstants
}

// HasBuffer reports whether a kernel can reach the buffer of a pointer to global
// or constant memory: the pointer is an offset in it. Otherwise it is an address
// in 64-bit binaries.
func HasBuffer(b *catalyst.Binary, info *catalyst.Info, a *catalyst.Arg) bool {
	table, immediate := catalyst.PtrConstBufferTable, catalyst.ImmConstBuffer
	if IsUAV(b, a) {
		table, immediate = catalyst.PtrUAVTable, catalyst.ImmUAV
	}
	for _, u := range info.UserData {
		if u.Class == table || u.Class == immediate && u.Slot == a.ID.Value {
			return true
		}
	}
	return false
}
