package asm

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// match returns the first candidate that the operands fit, or nil. ops are the
// operands after the mnemonic.
func (d *dialect) match(m *mnemonic, ops []operand, forced encoding) *cand {
	mods := &d.stmt.mods
	for i := range m.cands {
		c := &m.cands[i]
		if len(c.specs) != len(ops) || c.pair || mods.seen&^(c.mods|c.need) != 0 || c.need&^mods.on != 0 || allowed[forced]>>c.variant&1 == 0 {
			continue
		}
		if d.fitsAll(c, ops) && (c.rules == 0 || d.chosen(c)) {
			return c
		}
	}
	return nil
}

// fitsAll reports whether all operands fit the specs of a candidate.
func (d *dialect) fitsAll(c *cand, ops []operand) bool {
	for i := range ops {
		if !d.fits(&ops[i], &c.specs[i]) {
			return false
		}
	}
	return true
}

// fits reports whether an operand fits a spec.
func (d *dialect) fits(o *operand, s *spec) bool {
	if o.kind == opReg && s.kind == specValue {
		if o.file&s.files == 0 {
			return o.takes != 0 && d.fitsScalarConstant(o, s) || o.file == isa.FileS && o.reg == codeLDSDirect && s.flags&isa.LDS != 0
		}
		if o.dwords == s.dwords && s.flags == 0 && o.half == 0 && o.mods&^s.mods == 0 {
			if o.file == isa.FileS && o.reg < codeInt0 || o.file != isa.FileS && (o.dwords == 1 || !d.alignVGPRs || o.reg&1 == 0) {
				return true
			}
		}
		return d.fitsRegister(o, s)
	}
	return d.fitsOther(o, s)
}

// fitsRegister reports whether a register of one of the spec's files fits.
func (d *dialect) fitsRegister(o *operand, s *spec) bool {
	if o.mods&^s.mods != 0 {
		return false
	}
	if o.file != isa.FileS {
		return d.fitsVector(o, s)
	}
	if d.fitsScalarConstant(o, s) {
		return true
	}
	if !d.fitsWidth(o, s) {
		return false
	}
	switch f := s.flags; {
	case f == 0:
		return true
	case f&isa.NoM0 != 0 && o.reg == d.m0:
		return false
	case f&isa.NoExec != 0 && (o.reg == codeExec || o.reg == codeExec+1):
		return false
	case f&isa.NoExecHi != 0 && o.reg == codeExec+1:
		return false
	case f&isa.NoNull != 0 && o.reg == d.null:
		return false
	case o.reg == codeLDSDirect && f&isa.LDS == 0 && s.files&isa.FileV == 0:
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
func (d *dialect) fitsWidth(o *operand, s *spec) bool {
	if o.reg >= codeInt0 && s.flags&isa.Mask != 0 {
		return o.reg != codeLDSDirect
	}
	if o.reg >= codeInt0 {
		if s.at.width < 8 {
			return false
		}
		// A named constant: the only such register is src_scc, of 32 bits.
		return s.dwords == 1 && (d.narrow(o.reg) || o.reg == codeVCCZ || o.reg == codeEXECZ || o.reg == codePOPS || o.reg == codeLDSDirect && (s.flags&isa.LDS != 0 || s.files&isa.FileV != 0))
	}
	want := s.dwords
	if s.flags&isa.Mask != 0 {
		return o.dwords == 1 && d.waves&wave32 != 0 || o.dwords == 2 && d.waves&wave64 != 0 || o.reg == d.null
	}
	return o.dwords == want || o.reg == d.null
}

// narrow reports whether a named constant is accepted as a 32-bit register.
func (d *dialect) narrow(code uint16) bool {
	return code == codeSCC || d.has64 && (code == codeScratchLo || code == codeScratchLo+1)
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
func (d *dialect) fitsScalarConstant(o *operand, s *spec) bool {
	return s.files&isa.FileC != 0 && (o.reg >= codeInt0 && o.reg != codeLDSDirect || o.reg == d.null && o.file == isa.FileS) && o.file == isa.FileS && o.mods&^s.mods == 0
}

// fitsVector reports whether a VGPR or AGPR fits.
func (d *dialect) fitsVector(o *operand, s *spec) bool {
	switch {
	case o.dwords != s.dwords:
		return false
	case s.flags&isa.Half != 0 != (o.half != 0):
		return false
	case s.flags&isa.Lo128 != 0 && o.reg >= 128:
		return false
	case d.alignVGPRs && o.dwords > 1 && o.reg&1 != 0 && s.flags&isa.Odd == 0:
		return false
	}
	return true
}

// fitsOther reports whether an operand fits a spec if at least one of the two
// is not a register.
func (d *dialect) fitsOther(o *operand, s *spec) bool {
	switch s.kind {
	case specValue:
		return (o.kind == opInt || o.kind == opReal || o.kind == opExpr) && s.files&isa.FileC != 0 && d.fitsConstant(o, s)
	case specVCC:
		return o.kind == opReg && o.file == isa.FileS && o.reg == codeVCC && o.mods == 0 &&
			(o.dwords == 1 && d.waves&wave32 != 0 || o.dwords == 2 && d.waves&wave64 != 0)
	case specM0:
		return o.kind == opReg && o.file == isa.FileS && o.reg == d.m0
	case specOff:
		return o.kind == opOff
	case specExport:
		return o.kind == opOff || o.kind == opReg && o.file == isa.FileV && o.dwords == 1 && o.half == 0
	case specImm:
		return o.kind == opInt && o.mods&^modsLit == 0 && s.lo <= o.val && o.val <= s.hi
	case specCustom, specAttr:
		return o.kind == opSpecial
	case specBranch:
		return o.kind == opSpecial || o.kind == opExpr
	case specK:
		return d.fitsMandatory(o, s)
	case specAddr:
		return o.kind == opList || o.kind == opReg && o.file == isa.FileV && o.half == 0
	case specData:
		return o.kind == opReg && o.file&s.files != 0 && o.half == 0 && (o.dwords == 1 || !d.alignVGPRs || o.reg&1 == 0)
	}
	return false
}
