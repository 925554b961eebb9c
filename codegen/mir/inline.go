package mir

import "github.com/gfx-toolchain/gfx/isa"

// IsInline reports whether a constant of an operand of a type needs no literal. imm has the bits of the
// operand: of 64-bit types all, of 32-bit and packed types the low 32, of 16-bit types the low 16.
func IsInline(s isa.Set, t isa.Type, imm int64) bool {
	_, ok := inlineEnc(s, t, imm)
	return ok
}

func inlineEnc(s isa.Set, t isa.Type, imm int64) (enc uint16, ok bool) {
	t = t.Base()
	if t == isa.I16 {
		imm = int64(int16(imm))
	}
	return isa.InlineEnc(s, t, uint64(imm))
}
