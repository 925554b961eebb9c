package sim

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Data formats of typed buffer accesses. Sources: AMD's ISA documents, "Buffer
// data" and "Data formats"; CLRX, GcnMemHandling.md; ROCm, rocjitsu's
// buffer_format.cpp, for rounding.

// bufferFormat is a data format combined with a number format.
type bufferFormat struct {
	width [4]uint8 // component widths in bits, starting at the lowest bits in memory
	num   numberFormat
	bytes uint8 // total size in bytes; 0 if invalid
}

type numberFormat uint8

const (
	numUnorm numberFormat = iota
	numSnorm
	numUscaled
	numSscaled
	numUint
	numSint
	_
	numFloat
)

func (n numberFormat) integer() bool { return n == numUint || n == numSint }

// formatWidths lists the component widths of the data formats. Format names
// start with the highest bits.
var formatWidths = [16][4]uint8{
	1:  {8},
	2:  {16},
	3:  {8, 8},
	4:  {32},
	5:  {16, 16},
	6:  {11, 11, 10},
	7:  {10, 11, 11},
	8:  {2, 10, 10, 10},
	9:  {10, 10, 10, 2},
	10: {8, 8, 8, 8},
	11: {32, 32},
	12: {16, 16, 16, 16},
	13: {32, 32, 32},
	14: {32, 32, 32, 32},
}

// formatTables hold the formats by number: data format and number format before
// gfx10, then a unified number.
var formatTables = [...]lazy.Value[*[128]bufferFormat]{
	rulesGFX6:  {Make: func() *[128]bufferFormat { return formatTable(isa.GFX600) }},
	rulesGFX8:  {Make: func() *[128]bufferFormat { return formatTable(isa.GFX803) }},
	rulesGFX9:  {Make: func() *[128]bufferFormat { return formatTable(isa.GFX900) }},
	rulesGFX10: {Make: func() *[128]bufferFormat { return formatTable(isa.GFX1010) }},
	rulesGFX11: {Make: func() *[128]bufferFormat { return formatTable(isa.GFX1100) }},
}

func formatTable(s isa.Set) *[128]bufferFormat {
	t := new([128]bufferFormat)
	for dfmt := range uint32(16) {
		f := bufferFormat{width: formatWidths[dfmt]}
		small := false // too narrow for floats
		for _, n := range f.width {
			f.bytes += n // in bits
			small = small || n > 0 && n < 10
		}
		f.bytes /= 8
		for nfmt := range uint32(8) {
			v, ok := isa.EncodeDfmtNfmt(dfmt, nfmt), true
			if isa.HasUnifiedFormat(s) {
				v, ok = isa.UfmtOfDfmtNfmt(s, dfmt, nfmt)
			}
			if f.num = numberFormat(nfmt); ok && f.bytes > 0 && f.num != numFloat-1 && (f.num != numFloat || !small) {
				t[v] = f
			}
		}
	}
	return t
}

// resourceFormat returns the format specified by a resource's last dword.
func resourceFormat(rules bufferRules, word3 uint32) *bufferFormat {
	v := word3 >> 12 & 0x7f
	switch rules {
	case rulesGFX6, rulesGFX8, rulesGFX9:
		v = isa.EncodeDfmtNfmt(word3>>15&15, word3>>12&7)
	case rulesGFX11:
		v &= 0x3f
	}
	return &formatTables[rules].Get()[v]
}

// unpack extracts the components from raw memory.
func (f *bufferFormat) unpack(raw *[4]uint32) (c [4]uint32) {
	at := uint32(0)
	for i, n := range f.width {
		if n == 0 {
			break
		}
		c[i] = f.decode(raw[at/32&3]>>(at&31)&mask(n), n)
		at += uint32(n)
	}
	return c
}

func mask(bits uint8) uint32 { return uint32(1<<bits - 1) }

// decode converts an n-bit component to 32 bits.
func (f *bufferFormat) decode(v uint32, n uint8) uint32 {
	signed := int32(v<<(32-n)) >> (32 - n)
	switch f.num {
	case numUint:
		return v
	case numSint:
		return uint32(signed)
	case numUnorm:
		return math.Float32bits(float32(float64(v) / float64(mask(n))))
	case numSnorm:
		return math.Float32bits(float32(max(-1, float64(signed)/float64(mask(n-1)))))
	case numUscaled:
		return math.Float32bits(float32(v))
	case numSscaled:
		return math.Float32bits(float32(signed))
	}
	switch n {
	case 32:
		return v
	case 16:
		return smallFloat(v&0x7fff, 10) | v>>15<<31
	}
	return smallFloat(v, uint32(n)-5)
}

// smallFloat converts an unsigned float with a 5-bit exponent to f32.
func smallFloat(v, mantissa uint32) uint32 {
	exp, frac := v>>mantissa, v&(1<<mantissa-1)
	switch exp {
	case 31:
		return 0xff<<23 | frac<<(23-mantissa)
	case 0:
		return math.Float32bits(float32(math.Ldexp(float64(frac), -14-int(mantissa))))
	}
	return (exp+127-15)<<23 | frac<<(23-mantissa)
}

// pack stores components to raw memory.
func (f *bufferFormat) pack(c *[4]uint32) (raw [4]uint32) {
	at := uint32(0)
	for i, n := range f.width {
		if n == 0 {
			break
		}
		raw[at/32&3] |= f.encode(c[i], n) & mask(n) << (at & 31)
		at += uint32(n)
	}
	return raw
}

// encode converts a 32-bit value to an n-bit component.
func (f *bufferFormat) encode(v uint32, n uint8) uint32 {
	if f.num.integer() || f.num == numFloat && n == 32 {
		return v
	}
	x := float64(math.Float32frombits(v))
	if f.num == numFloat {
		if n == 16 {
			return packHalf(v)
		}
		return packSmallFloat(x, int(n)-5)
	}
	if x != x {
		x = 0
	}
	top, half := float64(mask(n)), float64(mask(n-1))
	switch f.num {
	case numUnorm:
		x = math.RoundToEven(min(max(x, 0), 1) * top)
	case numSnorm:
		x = math.RoundToEven(min(max(x, -1), 1) * half)
	case numUscaled:
		x = math.Trunc(min(max(x, 0), top))
	case numSscaled:
		x = math.Trunc(min(max(x, -half-1), half))
	}
	return uint32(int64(x))
}

// packSmallFloat converts x to an unsigned float with a 5-bit exponent, rounded
// to nearest. Larger values saturate to the largest finite float, negative
// values to 0.
func packSmallFloat(x float64, mantissa int) uint32 {
	inf := uint32(31) << mantissa
	switch {
	case x != x:
		return inf | 1<<(mantissa-1)
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return inf
	case x >= math.Ldexp(2-math.Ldexp(1, -mantissa), 15):
		return inf - 1
	}
	_, exp := math.Frexp(x)
	exp = max(exp-1, -14)
	return uint32(exp+14)<<mantissa + uint32(math.RoundToEven(math.Ldexp(x, mantissa-exp)))
}

// packHalf converts f32 to f16, rounded to nearest even.
func packHalf(v uint32) uint32 {
	sign, abs := v>>16&0x8000, v&0x7fffffff
	x := float64(math.Float32frombits(abs))
	switch {
	case abs > 0xff<<23:
		return sign | 0x7e00 | abs>>13&0x3ff
	case x >= 65520:
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	_, exp := math.Frexp(x)
	exp = max(exp-1, -14)
	return sign | (uint32(exp+14)<<10 + uint32(math.RoundToEven(math.Ldexp(x, 10-exp))))
}

// cutHalf converts f32 to f16, rounded toward zero.
func cutHalf(v uint32) uint32 {
	sign, abs := v>>16&0x8000, v&0x7fffffff
	switch {
	case abs >= 0xff<<23:
		return packHalf(v)
	case abs >= (15+128)<<23:
		return sign | 0x7bff
	}
	h := packHalf(abs)
	if math.Float32frombits(smallFloat(h, 10)) > math.Float32frombits(abs) {
		h--
	}
	return sign | h
}
