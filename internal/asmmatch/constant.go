package asmmatch

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// Constants as operands: whether one fits, and whether it becomes an inline
// constant or a literal. The rules are from LLVM's AMDGPUOperand
// (isInlinableImm, isLiteralImm, addLiteralImmOperand).

// fitsConstant reports whether a number or an expression fits an operand that
// accepts constants.
func (m *Matcher) fitsConstant(o *Operand, s *spec) bool {
	if o.Mods&^(s.mods|AnyLit|NegAbs) != 0 {
		return false
	}
	if o.Kind == KindExpr {
		return m.fitsExpr(s)
	}
	// A constant with modifiers that the operand does not accept can become a
	// literal, to which the modifiers are applied.
	applied := o.Mods&NegAbs&^s.mods != 0
	if !applied && o.Mods&AnyLit == 0 && (m.inlinable(o, s.typ) || s.mixed && m.inlinesAsLiteral(o, s.typ)) {
		return true
	}
	return !s.typ.InlineOnly() && s.typ != isa.NoType && m.fitsLiteral(o, s.typ, applied)
}

// fitsExpr reports whether an operand accepts an expression of yet unknown
// value as a literal. Only 32-bit operands without modifiers do, and 64-bit
// scalar ones where 64-bit literals exist.
func (m *Matcher) fitsExpr(s *spec) bool {
	if s.mods != 0 || s.src < 0 {
		return false
	}
	switch s.typ {
	case isa.I32, isa.F32:
		return true
	case isa.I64:
		return m.has64 && s.files&isa.FileV == 0
	}
	return false
}

// floatOf returns the bits of a floating-point number in an operand's type. ok
// is false if the number overflows or underflows.
func floatOf(f float64, t isa.Type) (bits uint32, ok bool) {
	switch t {
	case isa.F16, isa.V2F16, isa.V2F16Splat, isa.V2F16NoInline:
		return halfOf(f)
	case isa.BF16, isa.V2BF16:
		// LLVM accepts a number that fits a half or, for the literal of a pair,
		// a float.
		bits, _ = bfloatOf(f)
		if t == isa.V2BF16 {
			_, ok = floatOf(f, isa.F32)
		} else {
			_, ok = halfOf(f)
		}
		return bits, ok
	}
	s := float32(f)
	bits = math.Float32bits(s)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return bits, true
	}
	tiny := bits&^(1<<31) < 1<<23
	ok = !math.IsInf(float64(s), 0) && (!tiny || float64(s) == f)
	if t == isa.I16 && ok { // LLVM accepts a number that fits a half
		_, ok = halfOf(f)
	}
	return bits, ok
}

// halfOf rounds to half precision.
func halfOf(f float64) (uint32, bool) {
	b := math.Float64bits(f)
	sign := uint32(b>>48) & 0x8000
	exp := int(b>>52&0x7ff) - 1023
	man := b & (1<<52 - 1)
	switch {
	case exp == 1024: // infinity or NaN
		return sign | 0x7c00 | uint32(man>>42), true
	case exp < -25:
		return sign, f == 0
	case exp > 15:
		return sign | 0x7c00, false
	}
	return roundTo(sign, exp, man, 10, -14, 15)
}

// bfloatOf rounds to bfloat16.
func bfloatOf(f float64) (uint32, bool) {
	b := math.Float64bits(f)
	sign := uint32(b>>48) & 0x8000
	exp := int(b>>52&0x7ff) - 1023
	man := b & (1<<52 - 1)
	switch {
	case exp == 1024:
		return sign | 0x7f80 | uint32(man>>45), true
	case exp < -134:
		return sign, f == 0
	case exp > 127:
		return sign | 0x7f80, false
	}
	return roundTo(sign, exp, man, 7, -126, 127)
}

// roundTo rounds 1.man × 2^exp to a format with bits of mantissa and exponents
// from lo to hi, to nearest even. ok is false if the value is an inexact
// denormal or rounds to infinity.
func roundTo(sign uint32, exp int, man uint64, bits, lo, hi int) (uint32, bool) {
	drop := uint(52 - bits)
	man |= 1 << 52
	field := exp - lo // of the exponent, minus the 1 that the leading bit carries into it
	tiny := exp < lo
	if tiny {
		drop += uint(lo - exp)
		field = 0
	}
	kept := man >> drop
	rest := man & (1<<drop - 1)
	half := uint64(1) << (drop - 1)
	if rest > half || rest == half && kept&1 != 0 {
		kept++
	}
	v := uint32(field)<<uint(bits) + uint32(kept)
	if infinite := uint32(hi-lo+2) << uint(bits); v >= infinite {
		return sign | infinite, false
	}
	return sign | v, !tiny || rest == 0
}

// truncates reports whether an integer fits in the given number of bits, signed
// or unsigned.
func truncates(v int64, bits int) bool {
	return v >= -1<<(bits-1) && v < 1<<bits
}

// inlinable reports whether a number has an inline constant in an operand of
// type t.
func (m *Matcher) inlinable(o *Operand, t isa.Type) bool {
	_, ok := m.inlineConstant(o, t)
	return ok
}

const inv2Pi32 = 0x3e22f983 // 1/(2π)

// inlinesAsLiteral reports whether a floating-point number, converted to a
// literal, has an inline constant. LLVM accepts literals in the mixed
// multiply-adds even with DPP, where only these can be encoded.
func (m *Matcher) inlinesAsLiteral(o *Operand, t isa.Type) bool {
	if o.Kind != KindReal {
		return false
	}
	_, ok := isa.InlineEnc(m.set, t.Base(), uint64(m.realBits(o.Val, t.Base())))
	return ok
}

// inlineConstant returns the code of a number's inline constant.
func (m *Matcher) inlineConstant(o *Operand, t isa.Type) (uint16, bool) {
	t = t.Base()
	switch t {
	case isa.NoType, isa.V2F16NoInline:
		return 0, false
	case isa.I64, isa.F64, isa.V2I32, isa.V2F32:
		return m.inlineBits(uint64(o.Val), 64, t)
	}
	v := o.Val
	if o.Kind == KindReal {
		bits, ok := floatOf(math.Float64frombits(uint64(v)), t)
		if !ok || t == isa.I16 && bits == inv2Pi32 {
			return 0, false
		}
		if t.Bits() == 16 && t.Float() {
			return m.inlineBits(uint64(bits), 16, t)
		}
		return m.inlineBits(uint64(bits), 32, t)
	}
	bits := t.Bits()
	if !truncates(v, bits) {
		return 0, false
	}
	return m.inlineBits(uint64(v), bits, t)
}

// inlineBits returns the code of the inline constant with the given bits.
func (m *Matcher) inlineBits(v uint64, bits int, t isa.Type) (uint16, bool) {
	switch bits {
	case 64:
		if c, ok := isa.InlineIntEnc(int64(v)); ok {
			return c, true
		}
		return isa.InlineF64Enc(m.set, v)
	case 32:
		if c, ok := isa.InlineIntEnc(int64(int32(v))); ok {
			return c, true
		}
		return isa.InlineF32Enc(m.set, uint32(v))
	}
	if c, ok := isa.InlineIntEnc(int64(int16(v))); ok {
		return c, true
	}
	switch t {
	case isa.F16, isa.V2F16, isa.V2F16Splat:
		return isa.InlineF16Enc(m.set, uint16(v))
	case isa.BF16, isa.V2BF16:
		return isa.InlineBF16Enc(m.set, uint16(v))
	}
	return 0, false
}

// fitsLiteral reports whether a number can be a literal of an operand of type t.
func (m *Matcher) fitsLiteral(o *Operand, t isa.Type, applied bool) bool {
	switch t {
	case isa.I64, isa.F64:
		return m.literal64(o, t)
	case isa.V2I32, isa.V2F32:
		return o.Kind == KindReal || truncates(o.Val, 32)
	}
	bits := t.Bits()
	if t.Packed() {
		bits = 32
	}
	if o.Kind == KindInt {
		return truncates(o.Val, bits)
	}
	_, ok := floatOf(math.Float64frombits(uint64(o.Val)), t)
	return ok
}

// literal64 reports whether a number can be a literal of a 64-bit operand.
func (m *Matcher) literal64(o *Operand, t isa.Type) bool {
	if o.Kind == KindReal {
		return t == isa.F64
	}
	if t == isa.F64 && o.Mods&NegAbs != 0 {
		return false
	}
	return m.has64 || truncates(o.Val, 32)
}

// fitsMandatory reports whether a number can be an instruction's mandatory
// literal.
func (m *Matcher) fitsMandatory(o *Operand, s *spec) bool {
	if o.Mods&^AnyLit != 0 {
		return false
	}
	if s.hi != 0 { // the long offset of gfx7's scalar loads
		return o.Kind == KindInt && s.lo <= o.Val && o.Val <= s.hi
	}
	t := s.typ.Base()
	switch o.Kind {
	case KindInt:
		if t == isa.F64 {
			return m.literal64(o, t)
		}
		return truncates(o.Val, t.Bits())
	case KindReal:
		if t == isa.F64 {
			return true
		}
		_, ok := floatOf(math.Float64frombits(uint64(o.Val)), t)
		return ok
	}
	return false
}
