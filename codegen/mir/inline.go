package mir

import "github.com/gfx-toolchain/gfx/isa"

// IsInline reports whether a constant of an operand type needs no literal. imm has the bits of the
// operand: of 64-bit types all, of 32-bit and packed types the low 32, of 16-bit types the low 16.
func IsInline(s isa.Set, t isa.Type, imm int64) bool {
	_, ok := InlineEnc(s, t, imm)
	return ok
}

// InlineEnc gives the source encoding of an inline constant; see IsInline.
func InlineEnc(s isa.Set, t isa.Type, imm int64) (enc uint16, ok bool) {
	base := t.Base()
	switch base {
	case isa.I64, isa.F64, isa.K64:
		if enc, ok = isa.InlineIntEnc(imm); ok {
			return enc, true
		}
		return isa.InlineF64Enc(s, uint64(imm))
	case isa.I16, isa.F16, isa.BF16:
		if enc, ok = isa.InlineIntEnc(int64(int16(imm))); ok {
			return enc, true
		}
		switch base {
		case isa.F16:
			return isa.InlineF16Enc(s, uint16(imm))
		case isa.BF16:
			return isa.InlineBF16Enc(s, uint16(imm))
		}
		return 0, false
	}
	if enc, ok = isa.InlineIntEnc(int64(int32(imm))); ok {
		return enc, true
	}
	if t.Packed() { // what the halves of a packed constant are differs between generations
		return 0, false
	}
	return isa.InlineF32Enc(s, uint32(imm))
}
