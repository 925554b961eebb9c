package codegen

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/isa"
)

// What stands behind the last function of a section, because the hardware fetches instructions ahead: from gfx10 on
// s_code_end, on gfx90a and gfx942 s_nop. Source: LLVM, AMDGPUTargetStreamer.cpp, EmitCodeEnd.

// codeEnds says to how many bytes the code is filled up, with how many dwords behind that, and with which.
var codeEnds = [isa.NumGens]struct {
	align, dwords int
	word          uint32
}{
	isa.Gen90A: {64, 256, 0xbf800000}, isa.Gen940: {64, 256, 0xbf800000},
	isa.Gen10: {64, 48, 0xbf9f0000}, isa.Gen11: {128, 96, 0xbf9f0000}, isa.Gen12: {128, 96, 0xbf9f0000}, isa.Gen1250: {128, 96, 0xbf9f0000},
}

// AppendCodeEnd puts behind the code of a section what its end needs. The section must be aligned to 256 bytes.
func AppendCodeEnd(text []byte, s isa.Set) []byte {
	e := &codeEnds[s.Gen()]
	if e.align == 0 || len(text) == 0 {
		return text
	}
	for len(text)%e.align != 0 {
		text = binary.LittleEndian.AppendUint32(text, e.word)
	}
	for range e.dwords {
		text = binary.LittleEndian.AppendUint32(text, e.word)
	}
	return text
}
