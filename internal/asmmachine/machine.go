// Package asmmachine is AMD GPUs as the machine of package asmcore: relocations,
// branches, padding, header, parameters of debug information. All dialects of
// AMD's assembly share it.
//
// Sources: User Guide for AMDGPU Backend, chapters Relocation Records and
// Assembler; LLVM's AMDGPUAsmBackend.cpp, AMDGPUELFObjectWriter.cpp and
// AMDGPUMCCodeEmitter.cpp.
package asmmachine

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
)

// Machine implements asmcore.Machine.
type Machine struct {
	ELF codeobject.Header

	// BranchOffset3F enables the workaround for the hardware bug of gfx1010,
	// gfx1011 and gfx1012: a branch with an offset of 0x3f words jumps to a
	// wrong address. An s_nop after the branch changes the offset.
	BranchOffset3F bool
}

// FixupBranch is the 16-bit offset in words of an SOPP branch.
const FixupBranch = asmcore.FixupTarget

// The relocation specifiers of AMDGPU.
const (
	SpecNone asmcore.Spec = iota
	SpecGOTPCRel
	SpecGOTPCRel32Lo
	SpecGOTPCRel32Hi
	SpecRel32Lo
	SpecRel32Hi
	SpecRel64
	SpecAbs32Lo
	SpecAbs32Hi
	SpecAbs64
)

var specNames = [...]string{
	SpecGOTPCRel: "gotpcrel", SpecGOTPCRel32Lo: "gotpcrel32@lo", SpecGOTPCRel32Hi: "gotpcrel32@hi",
	SpecRel32Lo: "rel32@lo", SpecRel32Hi: "rel32@hi", SpecRel64: "rel64",
	SpecAbs32Lo: "abs32@lo", SpecAbs32Hi: "abs32@hi", SpecAbs64: "abs64",
}

var specRelocs = [...]codeobject.RelocType{
	SpecGOTPCRel:     codeobject.R_AMDGPU_GOTPCREL,
	SpecGOTPCRel32Lo: codeobject.R_AMDGPU_GOTPCREL32_LO,
	SpecGOTPCRel32Hi: codeobject.R_AMDGPU_GOTPCREL32_HI,
	SpecRel32Lo:      codeobject.R_AMDGPU_REL32_LO,
	SpecRel32Hi:      codeobject.R_AMDGPU_REL32_HI,
	SpecRel64:        codeobject.R_AMDGPU_REL64,
	SpecAbs32Lo:      codeobject.R_AMDGPU_ABS32_LO,
	SpecAbs32Hi:      codeobject.R_AMDGPU_ABS32_HI,
	SpecAbs64:        codeobject.R_AMDGPU_ABS64,
}

// Header returns ELF.
func (m *Machine) Header() codeobject.Header { return m.ELF }

// Specifier returns the number of a specifier's name.
func (m *Machine) Specifier(name []byte) (asmcore.Spec, bool) {
	for i, n := range specNames {
		if n != "" && strings.EqualFold(n, string(name)) {
			return asmcore.Spec(i), true
		}
	}
	return 0, false
}

// SpecifierName is the inverse of Specifier.
func (m *Machine) SpecifierName(s asmcore.Spec) string { return specNames[s] }

// Fixup describes FixupBranch.
func (m *Machine) Fixup(k asmcore.FixupKind) asmcore.FixupInfo {
	if k != FixupBranch {
		panic("BUG: no such fixup kind")
	}
	return asmcore.FixupInfo{Name: "fixup_si_sopp_br", Bits: 16, PCRel: true}
}

// branchWords returns the offset field of a branch for a distance in bytes from
// the branch.
func branchWords(value int64) int64 { return (value - 4) / 4 }

// Apply writes the offset of a branch.
func (m *Machine) Apply(_ asmcore.FixupKind, data []byte, value int64) string {
	words := branchWords(value)
	switch {
	case value%4 != 0:
		return fmt.Sprintf("branch target is not a multiple of 4 bytes away: %d", value)
	case words != int64(int16(words)):
		return fmt.Sprintf("branch size exceeds simm16: the target is %d words away", words)
	}
	binary.LittleEndian.PutUint16(data, uint16(words))
	return ""
}

// Relocation returns a relocation's type.
func (m *Machine) Relocation(r asmcore.Reloc) (codeobject.RelocType, string) {
	switch s := r.Symbol; {
	case s != nil && (s.Name == "SCRATCH_RSRC_DWORD0" || s.Name == "SCRATCH_RSRC_DWORD1"):
		return codeobject.R_AMDGPU_ABS32_LO, ""
	case r.Spec != 0:
		return specRelocs[r.Spec], ""
	}
	switch r.Kind {
	case FixupBranch:
		if r.Symbol == nil {
			return 0, "branch to an absolute address"
		}
		if !r.Symbol.IsDefined() {
			return 0, "undefined label '" + r.Symbol.Name + "'"
		}
		return codeobject.R_AMDGPU_REL16, ""
	case asmcore.FixupData4, asmcore.FixupPCRel4:
		if r.PCRel {
			return codeobject.R_AMDGPU_REL32, ""
		}
		return codeobject.R_AMDGPU_ABS32, ""
	case asmcore.FixupData8, asmcore.FixupPCRel8:
		if r.PCRel {
			return codeobject.R_AMDGPU_REL64, ""
		}
		return codeobject.R_AMDGPU_ABS64, ""
	}
	if r.Symbol != nil && !r.Symbol.IsDefined() {
		return 0, "undefined label '" + r.Symbol.Name + "': no relocation is narrower than 32 bits"
	}
	return 0, "expression needs a relocation, and none is narrower than 32 bits"
}

// sNop is s_nop 0.
const sNop = 0xbf800000

// Nops appends n bytes of padding: s_nop 0, preceded by zeros if n is not a
// multiple of an instruction's size.
func (m *Machine) Nops(dst []byte, n int) []byte {
	for ; n%4 != 0; n-- {
		dst = append(dst, 0)
	}
	for ; n > 0; n -= 4 {
		dst = binary.LittleEndian.AppendUint32(dst, sNop)
	}
	return dst
}

// Relaxes reports whether branches may need padding.
func (m *Machine) Relaxes() bool { return m.BranchOffset3F }

// Relax returns the padding that the workaround needs after a branch.
func (m *Machine) Relax(_ asmcore.FixupKind, value int64, resolved bool) int {
	if m.BranchOffset3F && (!resolved || branchWords(value) == 0x3f) {
		return 4
	}
	return 0
}

// Debug returns LLVM's parameters of debug information.
func (m *Machine) Debug() asmcore.DebugParams {
	return asmcore.DebugParams{MinInstLength: 4, DataAlignment: 4, ReturnColumn: 16}
}

// plainRelocs lists the names of plain data relocations that .reloc accepts in
// addition to the machine's own.
var plainRelocs = [...]struct {
	name string
	typ  codeobject.RelocType
}{
	{"BFD_RELOC_NONE", codeobject.R_AMDGPU_NONE},
	{"BFD_RELOC_32", codeobject.R_AMDGPU_ABS32},
	{"BFD_RELOC_64", codeobject.R_AMDGPU_ABS64},
}

// RelocationByName returns the type of a relocation's name in .reloc.
func (m *Machine) RelocationByName(name []byte) (codeobject.RelocType, bool) {
	for i := range plainRelocs {
		if plainRelocs[i].name == string(name) {
			return plainRelocs[i].typ, true
		}
	}
	return codeobject.RelocTypeByName(string(name))
}

// NeedsPCRel reports whether LLVM makes a 32-bit literal PC-relative. It does
// if the expression has a symbol without one of the specifiers abs32@lo,
// abs32@hi and abs64, and is not a difference.
func NeedsPCRel(p *asmcore.Parser, v asmcore.Value) bool {
	return p.AnyAddend(v, func(s asmcore.Spec) bool { return s != SpecAbs32Lo && s != SpecAbs32Hi && s != SpecAbs64 })
}
