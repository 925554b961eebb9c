package disasm

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// plain describes the values of an operand that need no table because their
// text is generated quickly: valid registers and integers in plain form,
// offsets, lanes.
type plain struct {
	kind plainKind
	vgpr uint8 // size in dwords of VGPR tuples, all of which are valid; 0: not plain
	sgpr uint8 // likewise for SGPRs
	half uint8 // 1, 2: VGPRs are written with .l or .h; 3: with the one that bit 7 selects
	mods uint8 // position of the modifier bits in the value (1: -, 2: |…|); 0: no modifiers
	sext bool  // the only modifier is sext(…)
	ints bool  // inline integers are valid
	wide bool  // VGPRs begin at 256, below are scalar encodings
	sign uint8 // width in bits of a signed offset; 0: not signed
	bits uint8 // width in bits of the largest plain offset; 0: any
	mult uint8 // shift of a value to the number of its SGPR
}

type plainKind uint8

const (
	plainNone plainKind = iota
	plainSource
	plainOffset  // offset:4, nothing for 0
	plainOffset0 // offset0:4
	plainOffset1
	plainZero  // nothing for 0
	plainHex   // a literal that is not an inline constant: 0x1234
	plainLanes // dpp8:[0,1,2,3,4,5,6,7]
	plainHex16 // 0x1234
	plainImm16 // 0x1234, small numbers in decimal
)

// plainMax is an upper bound for the length of a plain text.
const plainMax = 24

// plainSGPRs is the number of SGPRs that every generation has.
const plainSGPRs = 102

// numVGPRs is the number of VGPRs, and the encoding of the first one in a field
// for all sources.
const numVGPRs = 256

// Encodings of scalar registers, and of the inline integers and floats.
const (
	encVCC      = 106
	encTTMP     = 108
	encM0       = 124
	encInt0     = 128
	encInt64    = 192
	encIntEnd   = 209
	encFloat    = 240
	encFloatEnd = 249
)

// putPlain writes the text of a plain value and returns its length. ok is false
// for a value that is not plain. b must have room for plainMax bytes.
func (p *plain) putPlain(b []byte, v uint32) (n int, ok bool) {
	_ = b[plainMax-1]
	switch p.kind {
	case plainSource:
		mods := uint32(0)
		if p.mods != 0 {
			mods = v >> (p.mods & 31)
			v &= 1<<(p.mods&31) - 1
		}
		switch {
		case p.vgpr == 0 || p.wide && v < numVGPRs:
			return p.putScalar(b, v<<(p.mult&7), mods)
		case p.wide:
			v -= numVGPRs
		}
		return p.putVGPRs(b, v, mods), v+uint32(p.vgpr) <= numVGPRs
	case plainOffset, plainOffset0, plainOffset1:
		return p.putOffset(b, v), p.bits == 0 || v>>p.bits == 0
	case plainZero:
		return 0, v == 0
	case plainHex:
		return putLiteral(b, v)
	case plainHex16:
		return len(appendHex(b[:0], uint64(v))), true
	case plainImm16:
		return len(appendImm32(b[:0], v)), true
	case plainLanes:
		return putLanes(b, v), true
	}
	return 0, false
}

// any reports whether the operand has plain values.
func (p *plain) any() bool { return p.kind != plainNone }

// putScalar writes s5, s[4:5], -16.
func (p *plain) putScalar(b []byte, v, mods uint32) (n int, ok bool) {
	switch {
	case mods != 0:
		return 0, false
	case v < plainSGPRs:
		switch {
		case p.sgpr == 1:
			b[0] = 's'
			return 1 + putSmall(b[1:], v), true
		case p.sgpr == 0 || v+uint32(p.sgpr) > plainSGPRs || v&1 != 0 || p.sgpr > 2 && v&3 != 0:
			return 0, false
		}
		return putTuple(b, 's', v, v+uint32(p.sgpr)-1), true
	case !p.ints || v < encInt0 || v >= encIntEnd:
		return 0, false
	case v <= encInt64:
		return putSmall(b, v-encInt0), true
	}
	b[0] = '-'
	return 1 + putSmall(b[1:], v-encInt64), true
}

var offsetText = [8]byte{' ', 'o', 'f', 'f', 's', 'e', 't', ':'}

// putOffset writes " offset:4", nothing for 0.
func (p *plain) putOffset(b []byte, v uint32) int {
	if v == 0 {
		return 0
	}
	*(*[8]byte)(b) = offsetText
	n := 8
	if p.kind != plainOffset {
		b[7], b[8] = '0'+byte(p.kind-plainOffset0), ':'
		n = 9
	}
	if p.sign != 0 && v>>(p.sign-1)&1 != 0 {
		b[n] = '-'
		n++
		v = 1<<p.sign - v
	}
	if v < numDecimals {
		return n + putSmall(b[n:], v)
	}
	return n + len(strconv.AppendUint(b[n:n], uint64(v), 10))
}

// putLiteral writes 0x1234 unless the number equals a 32-bit inline constant: a
// small number, a float whose bits are 0 except for the first ones, or 1/(2π).
func putLiteral(b []byte, v uint32) (n int, ok bool) {
	if int32(v) >= -16 && int32(v) <= 64 || v&0x3fffff == 0 || v == 0x3e22f983 {
		return 0, false
	}
	return len(appendHex(b[:0], uint64(v))), true
}

// putLanes writes " dpp8:[7,6,5,4,3,2,1,0]".
func putLanes(b []byte, v uint32) int {
	const text = " dpp8:[0,0,0,0,0,0,0,0]"
	n := copy(b, text)
	for i := 7; i < 22; i += 2 {
		b[i] = '0' + byte(v&7)
		v >>= 3
	}
	return n
}

// putVGPRs writes v5, v5.l or v[4:5] with its modifiers.
func (p *plain) putVGPRs(b []byte, v, mods uint32) int {
	n := 0
	if mods != 0 {
		n = copy(b, p.prefix(mods))
	}
	if p.vgpr > 1 {
		n += putTuple(b[n:], 'v', v, v+uint32(p.vgpr)-1)
	} else {
		half := p.half
		if half == 3 {
			half = uint8(v>>7&1) + 1
			v &= 127
		}
		b[n] = 'v'
		n += 1 + putSmall(b[n+1:], v)
		if half != 0 {
			b[n], b[n+1] = '.', "?lh"[half&3]
			n += 2
		}
	}
	if mods != 0 {
		n += copy(b[n:], p.suffix(mods))
	}
	return n
}

// prefix returns the text of modifiers before a register.
func (p *plain) prefix(mods uint32) string {
	if p.sext {
		return "sext("
	}
	return [...]string{"", "-", "|", "-|"}[mods&3]
}

// suffix returns the text of modifiers after a register.
func (p *plain) suffix(mods uint32) string {
	switch {
	case p.sext:
		return ")"
	case mods&2 != 0:
		return "|"
	}
	return ""
}

// putTuple writes v[4:5].
func putTuple(b []byte, file byte, first, last uint32) int {
	_ = b[15]
	b[0], b[1] = file, '['
	n := 2 + putSmall(b[2:], first)
	b[n] = ':'
	n += 1 + putSmall(b[n+1:], last)
	b[n] = ']'
	return n + 1
}

// putSmall writes a number below 512 and returns its length. b must have room
// for four bytes.
func putSmall(b []byte, v uint32) int {
	d := &decimals.Get()[v&511]
	*(*[4]byte)(b) = *d
	return int(d[3])
}

// numDecimals is the number of entries of decimals.
const numDecimals = 512

// decimals lists the numbers from 0 on as text, with the length in the last
// byte.
var decimals = lazy.Value[*[numDecimals][4]byte]{Make: func() *[numDecimals][4]byte {
	t := new([numDecimals][4]byte)
	for i := range t {
		t[i][3] = byte(len(appendSmall(t[i][:0], uint(i))))
	}
	return t
}}
