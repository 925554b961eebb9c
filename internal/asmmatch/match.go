package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// findCandidate returns the first candidate that the operands fit, or nil. ops are the
// operands after the mnemonic.
func (m *Matcher) findCandidate(mn *Mnemonic, ops []Operand, forced Encoding) *candidate {
	mods := &m.stmt.Mods
	for i := range mn.cands {
		c := &mn.cands[i]
		if len(c.specs) != len(ops) || c.pair || mods.Seen&^(c.mods|c.need) != 0 || c.need&^mods.On != 0 || allowed[forced]>>c.variant&1 == 0 {
			continue
		}
		if m.fitsAll(c, ops) && (c.rules == 0 || m.isChosen(c)) {
			return c
		}
	}
	return nil
}

// fitsAll reports whether all operands fit the specs of a candidate.
func (m *Matcher) fitsAll(c *candidate, ops []Operand) bool {
	for i := range ops {
		if !m.fitsSpec(&ops[i], &c.specs[i]) {
			return false
		}
	}
	return true
}

// fitsSpec reports whether an operand fits a spec.
func (m *Matcher) fitsSpec(o *Operand, s *spec) bool {
	if o.Kind == KindReg && s.kind == specValue {
		if o.File&s.files == 0 {
			return o.Takes != 0 && m.fitsScalarConstant(o, s) || o.File == isa.FileS && o.Reg == codeLDSDirect && s.flags&isa.LDS != 0
		}
		if o.Dwords == s.dwords && s.flags == 0 && o.Half == 0 && o.Mods&^s.mods == 0 {
			if o.File == isa.FileS && o.Reg < codeInt0 || o.File != isa.FileS && (o.Dwords == 1 || !m.alignVGPRs || o.Reg&1 == 0) {
				return true
			}
		}
		return m.fitsRegister(o, s)
	}
	return m.fitsOther(o, s)
}

// fitsRegister reports whether a register of one of the spec's files fits.
func (m *Matcher) fitsRegister(o *Operand, s *spec) bool {
	if o.Mods&^s.mods != 0 {
		return false
	}
	if o.File != isa.FileS {
		return m.fitsVector(o, s)
	}
	if m.fitsScalarConstant(o, s) {
		return true
	}
	if !m.fitsWidth(o, s) {
		return false
	}
	switch f := s.flags; {
	case f == 0:
		return true
	case f&isa.NoM0 != 0 && o.Reg == m.m0:
		return false
	case f&isa.NoExec != 0 && (o.Reg == codeExec || o.Reg == codeExec+1):
		return false
	case f&isa.NoExecHi != 0 && o.Reg == codeExec+1:
		return false
	case f&isa.NoNull != 0 && o.Reg == m.null:
		return false
	case o.Reg == codeLDSDirect && f&isa.LDS == 0 && s.files&isa.FileV == 0:
		return false
	}
	return true
}

// Codes of scalar operands.
const (
	codeVCC       = 106
	codeExec      = 126
	codeInt0      = 128
	codeLDSDirect = 254
	codeLit64     = 254
	codeLiteral   = 255
	codeVGPR      = 256
)

// fitsWidth reports whether a scalar register has the size of an operand.
func (m *Matcher) fitsWidth(o *Operand, s *spec) bool {
	if o.Reg >= codeInt0 && s.flags&isa.Mask != 0 {
		return o.Reg != codeLDSDirect
	}
	if o.Reg >= codeInt0 {
		if s.at.width < 8 {
			return false
		}
		// A named constant: the only such register is src_scc, of 32 bits.
		return s.dwords == 1 && (m.isNarrow(o.Reg) || o.Reg == codeVCCZ || o.Reg == codeEXECZ || o.Reg == codePOPS || o.Reg == codeLDSDirect && (s.flags&isa.LDS != 0 || s.files&isa.FileV != 0))
	}
	want := s.dwords
	if s.flags&isa.Mask != 0 {
		return o.Dwords == 1 && m.waves&Wave32 != 0 || o.Dwords == 2 && m.waves&Wave64 != 0 || o.Reg == m.null
	}
	return o.Dwords == want || o.Reg == m.null
}

// isNarrow reports whether a named constant is accepted as a 32-bit register.
func (m *Matcher) isNarrow(code uint16) bool {
	return code == codeSCC || m.has64 && (code == codeScratchLo || code == codeScratchLo+1)
}

const (
	codeScratchLo = 230 // src_flat_scratch_base_lo of gfx12.5

	codePOPS  = 239
	codeVCCZ  = 251
	codeEXECZ = 252
	codeSCC   = 253
)

// fitsScalarConstant reports whether a named scalar register that is a constant
// (src_shared_base, null …) fits an operand that accepts constants.
func (m *Matcher) fitsScalarConstant(o *Operand, s *spec) bool {
	return s.files&isa.FileC != 0 && (o.Reg >= codeInt0 && o.Reg != codeLDSDirect || o.Reg == m.null && o.File == isa.FileS) && o.File == isa.FileS && o.Mods&^s.mods == 0
}

// fitsVector reports whether a VGPR or AGPR fits.
func (m *Matcher) fitsVector(o *Operand, s *spec) bool {
	switch {
	case o.Dwords != s.dwords:
		return false
	case s.flags&isa.Half != 0 != (o.Half != 0):
		return false
	case s.flags&isa.Lo128 != 0 && o.Reg >= 128:
		return false
	case m.alignVGPRs && o.Dwords > 1 && o.Reg&1 != 0 && s.flags&isa.Odd == 0:
		return false
	}
	return true
}

// fitsOther reports whether an operand fits a spec if at least one of the two
// is not a register.
func (m *Matcher) fitsOther(o *Operand, s *spec) bool {
	switch s.kind {
	case specValue:
		return (o.Kind == KindInt || o.Kind == KindReal || o.Kind == KindExpr) && s.files&isa.FileC != 0 && m.fitsConstant(o, s)
	case specVCC:
		return o.Kind == KindReg && o.File == isa.FileS && o.Reg == codeVCC && o.Mods == 0 &&
			(o.Dwords == 1 && m.waves&Wave32 != 0 || o.Dwords == 2 && m.waves&Wave64 != 0)
	case specM0:
		return o.Kind == KindReg && o.File == isa.FileS && o.Reg == m.m0
	case specOff:
		return o.Kind == KindOff
	case specExport:
		return o.Kind == KindOff || o.Kind == KindReg && o.File == isa.FileV && o.Dwords == 1 && o.Half == 0
	case specImm:
		return o.Kind == KindInt && o.Mods&^AnyLit == 0 && s.lo <= o.Val && o.Val <= s.hi
	case specCustom, specAttr:
		return o.Kind == KindSpecial
	case specBranch:
		return o.Kind == KindSpecial || o.Kind == KindExpr
	case specK:
		return m.fitsMandatory(o, s)
	case specAddr:
		return o.Kind == KindList || o.Kind == KindReg && o.File == isa.FileV && o.Half == 0
	case specData:
		return o.Kind == KindReg && o.File&s.files != 0 && o.Half == 0 && (o.Dwords == 1 || !m.alignVGPRs || o.Reg&1 == 0)
	}
	return false
}
