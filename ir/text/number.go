package text

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"unsafe"

	"github.com/gfx-toolchain/gfx/ir"
)

// maxDigits limits the digits of an integer to the digits of the widest integer
// type.
const maxDigits = ir.MaxIntBits

// str returns b as a string without copying. The caller must not modify b while
// the string is in use.
func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// smallInt returns the magnitude and the sign of the current token, an integer
// literal. ok is false if the magnitude does not fit in 64 bits.
func (p *parser) smallInt() (n uint64, neg, ok bool) {
	s := p.text()
	if s[0] == '-' {
		neg, s = true, s[1:]
	}
	if len(s) > 19 || class[s[0]]&cDigit == 0 {
		return 0, neg, false
	}
	for _, c := range s {
		n = n*10 + uint64(c-'0')
	}
	return n, neg, true
}

// bigInt returns the value of the current token, an integer literal.
func (p *parser) bigInt() *big.Int {
	s := p.text()
	if len(s) > maxDigits {
		p.fail("integer is too long")
	}
	n := new(big.Int)
	switch s[0] {
	case 'u', 's':
		n.SetString(string(s[3:]), 16)
		if w := n.BitLen(); s[0] == 's' && w > 0 {
			n = signed(n, w) // as in LLVM: the highest set bit is the sign
		}
	default:
		if _, ok := n.SetString(str(s), 10); !ok {
			p.fail("invalid integer")
		}
	}
	return n
}

// signed returns the lowest bits of n as a signed number.
func signed(n *big.Int, bits int) *big.Int {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	n = new(big.Int).Mod(n, mod)
	if n.Bit(bits-1) != 0 {
		n.Sub(n, mod)
	}
	return n
}

// wordsOf returns the lowest bits of n, lowest word first.
func wordsOf(n *big.Int, bits int) []uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	n = new(big.Int).Mod(n, mod)
	bytes := n.FillBytes(make([]byte, (bits+63)/64*8))
	out := make([]uint64, len(bytes)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(bytes[len(bytes)-8*(i+1):])
	}
	return out
}

// intConst parses an integer literal as a constant of integer type t. As in
// LLVM, a literal that does not fit is truncated.
func (p *parser) intConst(t ir.Type) ir.Value {
	n, neg, small := p.smallInt()
	if neg {
		n = -n
	}
	known := &p.ints[(n^uint64(t))%uint64(len(p.ints))]
	v := known.v
	if !small || known.t != t || known.n != n {
		if v = p.newInt(t, n, small); small && p.m.IntBits(t) <= 64 {
			*known = knownInt{n, t, v}
		}
	}
	p.scanToken()
	return v
}

// newInt creates the constant of integer type t for the current token. If small
// is set, n is its value.
func (p *parser) newInt(t ir.Type, n uint64, small bool) ir.Value {
	bits := p.m.IntBits(t)
	if bits == 0 {
		p.fail("integer constant must have integer type")
	}
	if small && bits <= 64 {
		return p.m.NewInt(t, n)
	}
	p.useWords(t)
	return p.m.NewWide(t, wordsOf(p.bigInt(), bits))
}

// knownInt is a cache entry for a recently parsed constant of an integer type
// with at most 64 bits.
type knownInt struct {
	n uint64
	t ir.Type
	v ir.Value
}

// useWords counts the memory of constants that may be larger than their text,
// so that a short input cannot allocate much memory.
func (p *parser) useWords(t ir.Type) {
	p.words += min(p.m.SizeInBits(t)/64, maxWords+1)
	if p.words > uint64(len(p.src))+maxWords {
		p.fail("too many large constants")
	}
}

// maxWords is the number of words that large constants may use in addition to
// one word per byte of the text.
const maxWords = 1 << 23

// floatConst parses a floating-point literal as a constant of floating-point
// type t.
func (p *parser) floatConst(t ir.Type) ir.Value {
	lo, hi := p.floatBits(t)
	var v ir.Value
	switch t {
	case ir.X86FP80, ir.FP128, ir.PPCFP128:
		v = p.m.NewWide(t, []uint64{lo, hi})
	default:
		v = p.m.NewFloatBits(t, lo)
	}
	p.scanToken()
	return v
}

// floatBits returns the bits of the current token, a floating-point literal, in
// type t.
func (p *parser) floatBits(t ir.Type) (lo, hi uint64) {
	if !p.m.IsFloat(t) {
		p.fail("floating point constant invalid for type")
	}
	if p.tok != tFloat {
		return p.hexBits(t)
	}
	x, err := strconv.ParseFloat(str(p.text()), 64)
	if err != nil && !math.IsInf(x, 0) {
		p.fail("invalid floating point constant")
	}
	return p.fromDouble(t, math.Float64bits(x)), 0
}

// hexLetters lists the letters of hexadecimal literals with their types and
// numbers of digits.
var hexLetters = [...]struct {
	letter byte
	t      ir.Type
	digits int
}{
	{'K', ir.X86FP80, 20}, {'L', ir.FP128, 32}, {'M', ir.PPCFP128, 32}, {'H', ir.Half, 4}, {'R', ir.BFloat, 4},
}

// hexBits returns the bits of a hexadecimal literal.
func (p *parser) hexBits(t ir.Type) (lo, hi uint64) {
	s := p.text()[2:]
	for _, row := range hexLetters {
		if s[0] == row.letter {
			if t != row.t {
				p.fail("floating point constant invalid for type")
			}
			return p.letterBits(t, s[1:], row.digits)
		}
	}
	n, err := strconv.ParseUint(str(s), 16, 64)
	if err != nil {
		p.fail("constant bigger than 64 bits detected")
	}
	return p.fromDouble(t, n), 0
}

// letterBits returns the bits of the digits after a letter. LLVM writes the
// upper 16 bits of x86_fp80 first. For the 128-bit types it writes the lower
// half first; fewer than 16 digits belong to the upper half.
func (p *parser) letterBits(t ir.Type, s []byte, digits int) (lo, hi uint64) {
	if len(s) > digits {
		p.fail("constant bigger than %d bits detected", 4*digits)
	}
	cut := len(s)
	switch t {
	case ir.X86FP80:
		cut = min(4, len(s))
	case ir.FP128, ir.PPCFP128:
		if cut = 16; len(s) < 16 {
			cut = 0
		}
	}
	a, _ := strconv.ParseUint(str(s[:cut]), 16, 64)
	b, _ := strconv.ParseUint(str(s[cut:]), 16, 64)
	if t == ir.X86FP80 {
		return b, canonicalFP80(a, b)
	}
	return a, b
}

// canonicalFP80 returns the upper 16 bits of an x86_fp80 in the form of LLVM's
// APFloat. An operand that the processor rejects (integer bit 0 with a nonzero
// exponent) becomes a NaN. A pseudo-denormal gets the exponent 1.
func canonicalFP80(top, significand uint64) uint64 {
	const exponent = 0x7fff
	integerBit := significand>>63 != 0
	switch e := top & exponent; {
	case e != 0 && e != exponent && !integerBit:
		return top | exponent
	case e == 0 && integerBit:
		return top | 1
	}
	return top
}

// fromDouble converts the bits of a double to type t. A float must represent
// the value exactly, as in LLVM. Signaling NaNs are preserved.
func (p *parser) fromDouble(t ir.Type, bits uint64) uint64 {
	switch t {
	case ir.Double:
		return bits
	case ir.Float, ir.Half, ir.BFloat:
		n, exact := narrow(bits, t)
		if !exact {
			p.fail("floating point constant invalid for type")
		}
		return n
	}
	p.fail("floating point constant does not have type '%s'", p.typeString(t))
	return 0
}

// formats lists the numbers of exponent and fraction bits.
var formats = [...]struct{ exp, frac uint }{ir.Half: {5, 10}, ir.BFloat: {8, 7}, ir.Float: {8, 23}}

// narrow converts the bits of a double to half, bfloat or float. exact is false
// if the value changes.
func narrow(bits uint64, t ir.Type) (out uint64, exact bool) {
	f := formats[t]
	sign := bits >> 63 << (f.exp + f.frac)
	exp := int(bits >> 52 & 0x7ff)
	frac := bits & (1<<52 - 1)
	top := uint64(1)<<f.exp - 1
	drop := 52 - f.frac
	switch {
	case exp == 0x7ff && frac != 0: // the payload is truncated, but must not become zero
		n := frac >> drop
		if n == 0 {
			n = 1
		}
		return sign | top<<f.frac | n, frac&(1<<drop-1) == 0
	case exp == 0x7ff:
		return sign | top<<f.frac, true
	case exp == 0 && frac == 0:
		return sign, true
	case exp == 0: // below the range of the other types
		return sign, false
	}
	e := exp - 1023 + int(top>>1)
	if e >= int(top) {
		return sign | top<<f.frac, false
	}
	if e <= 0 { // subnormal
		shift := drop + uint(1-e)
		if shift > 53 {
			return sign, false
		}
		whole := frac | 1<<52
		return sign | whole>>shift, whole&(1<<shift-1) == 0
	}
	return sign | uint64(e)<<f.frac | frac>>drop, frac&(1<<drop-1) == 0
}

// widen converts the bits of a float to the bits of a double.
func widen(bits uint32) uint64 {
	if bits&0x7f800000 == 0x7f800000 && bits&0x7fffff != 0 { // NaN: unchanged, signaling or not
		return uint64(bits>>31)<<63 | 0x7ff<<52 | uint64(bits&0x7fffff)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(bits)))
}
