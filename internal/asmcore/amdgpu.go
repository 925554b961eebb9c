package asmcore

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// AMDGPU is the Machine of AMD GPUs. All dialects of its assembly share it.
//
// Sources: User Guide for AMDGPU Backend, chapters Relocation Records and
// Assembler; LLVM's AMDGPUAsmBackend.cpp and AMDGPUELFObjectWriter.cpp.
type AMDGPU struct {
	ELF codeobject.Header

	// BranchOffset3F enables the workaround for the hardware bug of gfx1010,
	// gfx1011 and gfx1012: a branch with an offset of 0x3f words jumps to a
	// wrong address. An s_nop after the branch changes the offset.
	BranchOffset3F bool
}

// FixupBranch is the 16-bit offset in words of an SOPP branch.
const FixupBranch = FixupTarget

// The relocation specifiers of AMDGPU.
const (
	SpecNone Spec = iota
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

func (m *AMDGPU) Header() codeobject.Header { return m.ELF }

func (m *AMDGPU) Specifier(name []byte) (Spec, bool) {
	for i, n := range specNames {
		if n != "" && strings.EqualFold(n, string(name)) {
			return Spec(i), true
		}
	}
	return 0, false
}

func (m *AMDGPU) SpecifierName(s Spec) string { return specNames[s] }

func (m *AMDGPU) Fixup(k FixupKind) FixupInfo {
	if k != FixupBranch {
		panic("BUG: no such fixup kind")
	}
	return FixupInfo{Name: "fixup_si_sopp_br", Bits: 16, PCRel: true}
}

// branchWords returns the offset field of a branch for a distance in bytes from
// the branch.
func branchWords(value int64) int64 { return (value - 4) / 4 }

func (m *AMDGPU) Apply(_ FixupKind, data []byte, value int64) string {
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

func (m *AMDGPU) Relocation(r Reloc) (codeobject.RelocType, string) {
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
	case FixupData4, FixupPCRel4:
		if r.PCRel {
			return codeobject.R_AMDGPU_REL32, ""
		}
		return codeobject.R_AMDGPU_ABS32, ""
	case FixupData8, FixupPCRel8:
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
func (m *AMDGPU) Nops(dst []byte, n int) []byte {
	for ; n%4 != 0; n-- {
		dst = append(dst, 0)
	}
	for ; n > 0; n -= 4 {
		dst = binary.LittleEndian.AppendUint32(dst, sNop)
	}
	return dst
}

func (m *AMDGPU) Relaxes() bool { return m.BranchOffset3F }

func (m *AMDGPU) Relax(_ FixupKind, value int64, resolved bool) int {
	if m.BranchOffset3F && (!resolved || branchWords(value) == 0x3f) {
		return 4
	}
	return 0
}

// AMDGPUSyntax defines the lexical rules of LLVM's AMDGPU assembly.
var AMDGPUSyntax = Syntax{Comment: ';', IdentStart: "$", IdentMore: "$@?", HashComment: true}

// NeedsPCRel reports whether LLVM makes a 32-bit literal PC-relative. It does
// if the expression has a symbol without one of the specifiers abs32@lo,
// abs32@hi and abs64, and is not a difference.
func (p *Parser) NeedsPCRel(v Value) bool {
	if v.IsConst() {
		return false
	}
	switch n := p.nodes[v.Node]; {
	case n.op == opSym:
		return Spec(n.aux) != SpecAbs32Lo && Spec(n.aux) != SpecAbs32Hi && Spec(n.aux) != SpecAbs64
	case n.op >= opMinus && n.op <= opLNot:
		return p.NeedsPCRel(Value{Node: n.a})
	case n.op >= opAdd && n.op <= opLOr && n.op != opSub:
		return p.NeedsPCRel(Value{Node: n.a}) || p.NeedsPCRel(Value{Node: n.b})
	}
	return false
}
