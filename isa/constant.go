package isa

import "math"

// InlineInt encodes an inline integer: -16 to 64; ok is false for others.
func InlineIntEnc(v int64) (enc uint16, ok bool) {
	switch {
	case v >= 0 && v <= 64:
		return uint16(128 + v), true
	case v >= -16 && v < 0:
		return uint16(192 - v), true
	}
	return 0, false
}

// The bits of the inline floats 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2π).
var (
	inlineF16  = [9]uint16{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118}
	inlineBF16 = [9]uint16{0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22}
	inlineF32  = [9]uint32{0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983}
	inlineF64  = [9]uint64{0x3fe0 << 48, 0xbfe0 << 48, 0x3ff0 << 48, 0xbff0 << 48, 0x4000 << 48, 0xc000 << 48, 0x4010 << 48, 0xc010 << 48, 0x3fc45f306dc9c882}
)

// floats returns the number of inline floats of a set.
func floats(s Set) int {
	if s.Has(PropInv2pi) {
		return 9
	}
	return 8
}

// InlineF16Enc encodes the bits of an inline half float.
func InlineF16Enc(s Set, bits uint16) (enc uint16, ok bool) {
	return encodingIn(inlineF16[:floats(s)], bits)
}

// InlineBF16Enc encodes the bits of an inline bfloat.
func InlineBF16Enc(s Set, bits uint16) (enc uint16, ok bool) {
	return encodingIn(inlineBF16[:floats(s)], bits)
}

// InlineF32Enc encodes the bits of an inline float.
func InlineF32Enc(s Set, bits uint32) (enc uint16, ok bool) {
	return encodingIn(inlineF32[:floats(s)], bits)
}

// InlineF64Enc encodes the bits of an inline double.
func InlineF64Enc(s Set, bits uint64) (enc uint16, ok bool) {
	return encodingIn(inlineF64[:floats(s)], bits)
}

// InlineEnc encodes the bits of an operand of a type as an inline constant.
// Operands have 64 bits, 32 (packed types too) or 16; 16-bit values occupy the
// low bits, and integers are sign-extended.
func InlineEnc(s Set, t Type, bits uint64) (enc uint16, ok bool) {
	if t.Bits() == 64 {
		if enc, ok = InlineIntEnc(int64(bits)); ok {
			return enc, true
		}
		return InlineF64Enc(s, bits)
	}
	switch t {
	case V2F16NoInline:
		return 0, false
	case F16, BF16:
		if enc, ok = InlineIntEnc(int64(int16(bits))); ok {
			return enc, true
		}
		return inlineHalf(s, t, uint16(bits))
	}
	if enc, ok = InlineIntEnc(int64(int32(bits))); ok {
		return enc, true
	}
	return inlineFloat(s, t, uint32(bits))
}

// inlineFloat encodes the bits of an operand of 32 bits as an inline float.
func inlineFloat(s Set, t Type, bits uint32) (enc uint16, ok bool) {
	switch {
	case t == V2F16Splat && s.Has(PropSplatBoth): // both halves have the constant
		if bits>>16 != bits&0xffff {
			return 0, false
		}
		if enc, ok = InlineIntEnc(int64(int16(bits))); ok {
			return enc, true
		}
		return InlineF16Enc(s, uint16(bits))
	case t == V2F16, t == V2BF16, t == V2F16Splat:
		if bits>>16 != 0 {
			return 0, false
		}
		return inlineHalf(s, t, uint16(bits))
	}
	return InlineF32Enc(s, bits)
}

func inlineHalf(s Set, t Type, bits uint16) (enc uint16, ok bool) {
	if t == BF16 || t == V2BF16 {
		return InlineBF16Enc(s, bits)
	}
	return InlineF16Enc(s, bits)
}

func encodingIn[T comparable](list []T, v T) (uint16, bool) {
	for i := range list {
		if list[i] == v {
			return uint16(encFP + i), true
		}
	}
	return 0, false
}

// Inlinable64 reports whether 64 bits encode as an inline constant.
func Inlinable64(s Set, v uint64) bool {
	if _, ok := InlineIntEnc(int64(v)); ok {
		return true
	}
	_, ok := InlineF64Enc(s, v)
	return ok
}

// IsFloat64 reports whether a type is of doubles.
func IsFloat64(t Type) bool { return t.Base() == F64 }

// InlinableLiteral reports whether a 32-bit literal of an operand of a type
// has the bits of an inline constant, so that a decoder marks it. Of a half
// float's literal only the low 16 bits count. Source: LLVM,
// AMDGPUDisassembler.cpp, decodeLiteralConstant.
func InlinableLiteral(s Set, t Type, v uint32) bool {
	switch t.Base() {
	case F16:
		_, ok := InlineF16Enc(s, uint16(v))
		_, ok2 := InlineIntEnc(int64(int16(v)))
		return ok || ok2
	case BF16:
		_, ok := InlineBF16Enc(s, uint16(v))
		_, ok2 := InlineIntEnc(int64(int16(v)))
		return ok || ok2
	case V2F16, V2F16Splat:
		_, ok := InlineF16Enc(s, uint16(v))
		_, ok2 := InlineIntEnc(int64(int32(v)))
		return ok && v <= math.MaxUint16 || ok2
	case V2BF16:
		_, ok := InlineBF16Enc(s, uint16(v))
		_, ok2 := InlineIntEnc(int64(int32(v)))
		return ok && v <= math.MaxUint16 || ok2
	case V2F16NoInline:
		return false
	case I64:
		return Inlinable64(s, uint64(v))
	case F64:
		return Inlinable64(s, uint64(v)<<32)
	}
	if _, ok := InlineIntEnc(int64(int32(v))); ok {
		return true
	}
	_, ok := InlineF32Enc(s, v)
	return ok
}

// InlineFloat returns the bits of an inline float by its encoding, 240 (0.5) to
// 248 (1/(2π)), as a type reads them: F16, BF16, F32 or F64. Integers of 16 and
// 32 bits read an F32, 64-bit integers an F64.
func InlineFloat(enc int, t Type) uint64 {
	i := enc - encFP
	switch t.Base() {
	case F16, V2F16, V2F16Splat:
		return uint64(inlineF16[i])
	case BF16, V2BF16:
		return uint64(inlineBF16[i])
	case F64, I64:
		return inlineF64[i]
	}
	return uint64(inlineF32[i])
}
