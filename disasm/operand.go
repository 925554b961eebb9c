package disasm

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/isa"
)

// source appends an operand of registers or constants with its modifiers.
func (p *printer) source(dst []byte, o *isa.OperandInfo) []byte {
	if o.Mods {
		return p.modified(dst, o)
	}
	start := len(dst)
	if n, dwords, ok := p.in.PlainVGPR(o); ok {
		dst = appendVector(dst, 'v', isa.Value{Num: n, Dwords: uint8(dwords)})
	} else {
		dst = p.value(dst, o, p.in.Operand(o))
	}
	p.markSource(dst, start, o, isa.SourceMods{})
	return dst
}

// modified appends -v0, |v0|, -|v0|, neg(1), sext(v0).
func (p *printer) modified(dst []byte, o *isa.OperandInfo) []byte {
	start, m := len(dst), p.in.SourceMods(o)
	dst = p.withMods(dst, o, m)
	p.markSource(dst, start, o, m)
	return dst
}

func (p *printer) withMods(dst []byte, o *isa.OperandInfo, m isa.SourceMods) []byte {
	v := p.in.Operand(o)
	if m.Sext {
		dst = append(dst, "sext("...)
		return append(p.value(dst, o, v), ')')
	}
	isConst := v.Kind == isa.InlineInt || v.Kind == isa.InlineFP || v.Kind == isa.Literal32 || v.Kind == isa.Literal64
	neg := m.Neg && !m.Abs && isConst
	start := len(dst)
	switch {
	case neg:
		dst = append(dst, "neg("...)
	case m.Neg:
		dst = append(dst, '-')
	}
	if m.Abs {
		dst = append(dst, '|')
	}
	dst = p.value(dst, o, v)
	if m.Abs {
		dst = append(dst, '|')
	}
	if neg && dst[start+len("neg(")] == 'l' { // lit(…) needs no additional parentheses
		dst[start] = '-'
		return append(dst[:start+1], dst[start+len("neg("):]...)
	}
	if neg {
		dst = append(dst, ')')
	}
	return dst
}

// value appends a register or constant, with LLVM's comment after one that the
// operand's class does not accept.
func (p *printer) value(dst []byte, o *isa.OperandInfo, v isa.Value) []byte {
	switch v.Kind {
	case isa.VGPRValue:
		dst = appendVector(dst, 'v', v)
	case isa.AGPRValue:
		dst = appendVector(dst, 'a', v)
	case isa.LDSDirect:
		dst = append(dst, "src_lds_direct"...)
	case isa.ScalarReg:
		dst, _ = isa.AppendSReg(dst, p.in.Set, uint32(v.Num), int(v.Dwords))
	case isa.InlineInt:
		dst = strconv.AppendInt(dst, int64(isa.InlineIntValue(v.Num)), 10)
		return p.checkConst(dst, o)
	case isa.InlineFP:
		dst = p.inlineFP(dst, o, v.Num)
		return p.checkConst(dst, o)
	case isa.Literal32, isa.Literal64:
		start := len(dst)
		dst = p.literal(dst, o, v.Kind == isa.Literal64)
		if dst[start] == 'l' { // lit(…) is not a plain number
			return dst
		}
		return p.checkConst(dst, o)
	}
	if !p.in.Takes(o, v) {
		dst = append(dst, "/*Invalid register, operand has '"...)
		dst = append(dst, isa.ClassName(p.in.Set, p.in.Wave, o.Class, v.Dwords)...)
		dst = append(dst, "' register class*/"...)
	}
	return dst
}

func (p *printer) checkConst(dst []byte, o *isa.OperandInfo) []byte {
	if o.Type == isa.NoType {
		return append(dst, "/*Invalid immediate*/"...)
	}
	return dst
}

// appendVector appends v5, v[4:5], v5.l.
func appendVector(dst []byte, file byte, v isa.Value) []byte {
	dst = append(dst, file)
	if v.Dwords <= 1 {
		dst = appendSmall(dst, uint(v.Num))
		switch v.Half {
		case 1:
			dst = append(dst, ".l"...)
		case 2:
			dst = append(dst, ".h"...)
		}
		return dst
	}
	dst = append(dst, '[')
	dst = appendSmall(dst, uint(v.Num))
	dst = append(dst, ':')
	dst = appendSmall(dst, uint(v.Num)+uint(v.Dwords)-1)
	return append(dst, ']')
}

// appendSmall appends a number below 1000.
func appendSmall(dst []byte, n uint) []byte {
	if n >= 100 {
		dst = append(dst, byte('0'+n/100))
		n %= 100
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	}
	if n >= 10 {
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	}
	return append(dst, byte('0'+n))
}

const hexDigits = "0123456789abcdef"

// appendHex appends 0x1f.
func appendHex(dst []byte, v uint64) []byte {
	dst = append(dst, "0x"...)
	shift := 0
	for v>>shift > 15 {
		shift += 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&15])
	}
	return dst
}

// inline32 and similar tables list the bits of the inline floats 240 to 248.
var (
	inline16   = [9]uint16{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118}
	inline32   = [9]uint32{0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983}
	inlineText = [9]string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"}
)

// inlineFP appends an inline float as the operand's type reads it.
func (p *printer) inlineFP(dst []byte, o *isa.OperandInfo, enc uint16) []byte {
	i := enc - 240
	t := o.Type.Base()
	switch {
	case i == 8 && o.Type.Bits() == 64:
		return append(dst, "0.15915494309189532"...)
	case t == isa.I16:
		return p.inlineFPInt16(dst, i)
	case t == isa.V2F16NoInline:
		return appendHex(dst, uint64(inline32[i]))
	}
	return append(dst, inlineText[i]...)
}

// literal appends the literal after the words. A literal that equals an inline
// constant is written as lit(0x…), so that it is read back as a literal.
func (p *printer) literal(dst []byte, o *isa.OperandInfo, wide bool) []byte {
	v := p.in.Literal()
	t := o.Type.Base()
	name := ""
	switch {
	case wide && o.Type.Bits() < 64 && v>>32 == 0:
		name = "lit64("
	case wide && o.Type.Bits() < 64, !wide && t == isa.F64, t == isa.NoType, t == isa.V2F16NoInline:
		if !wide && t == isa.F64 {
			v <<= 32
		}
		return p.number(dst, t, v)
	case wide:
		if isa.Inlinable64(p.in.Set, v) || v>>32 == 0 || isa.IsFloat64(o.Type) && uint32(v) == 0 {
			name = "lit64("
		}
	case isa.InlinableLiteral(p.in.Set, o.Type, uint32(v)):
		name = "lit("
	case t == isa.I16 || t == isa.F16:
		v &= 0xffff
	}
	if name == "" {
		return appendHex(dst, v)
	}
	dst = append(dst, name...)
	return append(appendHex(dst, v), ')')
}

// number appends a constant given by its bits, as an inline constant if it is
// one.
func (p *printer) number(dst []byte, t isa.Type, v uint64) []byte {
	n, enc, ok := int64(int32(v)), uint16(0), false
	switch t {
	case isa.F64:
		n = int64(v)
		enc, ok = isa.InlineF64Enc(p.in.Set, v)
	case isa.F16:
		enc, ok = isa.InlineF16Enc(p.in.Set, uint16(v))
	case isa.BF16:
		enc, ok = isa.InlineBF16Enc(p.in.Set, uint16(v))
	case isa.V2F16NoInline:
	default:
		enc, ok = isa.InlineF32Enc(p.in.Set, uint32(v))
	}
	switch {
	case n >= -16 && n <= 64:
		return strconv.AppendInt(dst, n, 10)
	case ok:
		return append(dst, inlineText[enc-240]...)
	case t == isa.F64:
		v >>= 32
	case t == isa.I16 || t == isa.F16:
		v &= 0xffff
	}
	return appendHex(dst, v&0xffffffff)
}

func (p *printer) inlineFPInt16(dst []byte, i uint16) []byte {
	return appendHex(dst, uint64(inline16[i]))
}
