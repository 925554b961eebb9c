package mir

import "github.com/gfx-toolchain/gfx/isa"

// IsInline reports whether a constant operand of type t needs no literal. imm
// holds the operand's bits: all of them for 64-bit types, the low 32 for 32-bit
// and packed types, the low 16 for 16-bit types.
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
