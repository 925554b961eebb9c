package image

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Raw is an element of memory, its first byte in the lowest bits.
type Raw [4]uint32

// Texel holds four components as they are in registers: floats or integers of
// 32 bits.
type Texel [4]uint32

const one = 0x3f800000 // 1.0

// reader converts an element of a format to a texel.
type reader func(f *Format, raw *Raw) Texel

// Unpack returns the components of an element. Components that the format lacks
// are 0, and all are 0 in an invalid format. The format must be one of texels;
// see Format.Texel.
func (f *Format) Unpack(raw *Raw) Texel {
	if f.read == nil {
		return Texel{}
	}
	return f.read(f, raw)
}

// readerOf returns the fastest reader for a format.
func readerOf(f *Format) reader {
	switch {
	case f.Coding == SharedExp:
		return readSharedExp
	case f.Clamp:
		return readClamped
	case f.Widths[0] == 32 && f.Data != "X24_8_32":
		return readDwords
	case f.Num == Unorm && f.Widths == [4]uint8{8, 8, 8, 8}:
		return readUnorm8
	}
	return readComponents
}

func readDwords(_ *Format, raw *Raw) Texel { return Texel(*raw) }

func readClamped(_ *Format, raw *Raw) (c Texel) {
	x := math.Float32frombits(raw[0])
	if !(x > 0) {
		x = 0
	}
	c[0] = math.Float32bits(min(x, 1))
	return c
}

// unorm8 and srgb8 hold the values of 8-bit components.
var (
	unorm8 = lazy.Value[*[256]uint32]{Make: func() *[256]uint32 {
		return byteTable(func(x float64) float64 { return x })
	}}
	srgb8 = lazy.Value[*[256]uint32]{Make: func() *[256]uint32 { return byteTable(linear) }}
)

func byteTable(f func(x float64) float64) *[256]uint32 {
	t := new([256]uint32)
	for i := range t {
		t[i] = math.Float32bits(float32(f(float64(i) / 255)))
	}
	return t
}

// linear decodes a gamma-encoded value. Source: IEC 61966-2-1.
func linear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// encoded is the inverse of linear.
func encoded(x float64) float64 {
	if x <= 0.0031308 {
		return x * 12.92
	}
	return 1.055*math.Pow(x, 1/2.4) - 0.055
}

func readUnorm8(_ *Format, raw *Raw) Texel {
	t, v := unorm8.Get(), raw[0]
	return Texel{t[v&255], t[v>>8&255], t[v>>16&255], t[v>>24]}
}

// readSharedExp reads three unsigned mantissas of 9 bits with one exponent of 5
// bits, whose bias is 15.
func readSharedExp(_ *Format, raw *Raw) (c Texel) {
	exp := int(raw[0]>>27) - 15 - 9
	for i := range 3 {
		c[i] = math.Float32bits(float32(math.Ldexp(float64(raw[0]>>(9*i)&511), exp)))
	}
	return c
}

// readComponents reads components of any width.
func readComponents(f *Format, raw *Raw) (c Texel) {
	at := uint32(0)
	for i, n := range f.Widths {
		if n == 0 {
			break
		}
		c[i] = f.decode(raw[at/32&3]>>(at&31)&mask(n), n, i)
		at += uint32(n)
	}
	return c
}

func mask(bits uint8) uint32 { return uint32(1<<bits - 1) }

// decode converts component i of n bits to 32 bits.
func (f *Format) decode(v uint32, n uint8, i int) uint32 {
	signed := int32(v<<(32-n)) >> (32 - n)
	switch f.Num {
	case Uint:
		return v
	case Sint:
		return uint32(signed)
	case SRGB:
		if i < 3 && n == 8 {
			return srgb8.Get()[v&255]
		}
		fallthrough
	case Unorm:
		return math.Float32bits(float32(float64(v) / float64(mask(n))))
	case Snorm:
		return math.Float32bits(float32(max(-1, float64(signed)/float64(mask(n-1)))))
	case Uscaled:
		return math.Float32bits(float32(v))
	case Sscaled:
		return math.Float32bits(float32(signed))
	}
	switch n {
	case 32:
		return v
	case 16:
		return UnpackHalf(v)
	case 8: // the stencil of X24_8_32_FLOAT
		return v
	}
	return smallFloat(v, uint32(n)-5)
}

// UnpackHalf converts f16 to f32.
func UnpackHalf(v uint32) uint32 { return smallFloat(v&0x7fff, 10) | v>>15&1<<31 }

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

// Pack converts components to an element, which is the inverse of Unpack. The
// format must be one of texels.
func (f *Format) Pack(c *Texel) (raw Raw) {
	if f.Coding == SharedExp {
		raw[0] = packSharedExp(c)
		return raw
	}
	at := uint32(0)
	for i, n := range f.Widths {
		if n == 0 {
			break
		}
		raw[at/32&3] |= f.encode(c[i], n, i) & mask(n) << (at & 31)
		at += uint32(n)
	}
	return raw
}

// encode converts a 32-bit value to component i of n bits.
func (f *Format) encode(v uint32, n uint8, i int) uint32 {
	if f.Num.Integer() || f.Num == Float && (n == 32 && !f.Clamp || n == 8) {
		return v
	}
	x := float64(math.Float32frombits(v))
	if f.Num == Float {
		switch n {
		case 32:
			return math.Float32bits(float32(min(max(x, 0), 1)))
		case 16:
			return PackHalf(v)
		}
		return packSmallFloat(x, int(n)-5)
	}
	if x != x {
		x = 0
	}
	top, half := float64(mask(n)), float64(mask(n-1))
	switch f.Num {
	case SRGB:
		x = min(max(x, 0), 1)
		if i < 3 {
			x = encoded(x)
		}
		x = math.RoundToEven(x * top)
	case Unorm:
		x = math.RoundToEven(min(max(x, 0), 1) * top)
	case Snorm:
		x = math.RoundToEven(min(max(x, -1), 1) * half)
	case Uscaled:
		x = math.Trunc(min(max(x, 0), top))
	case Sscaled:
		x = math.Trunc(min(max(x, -half-1), half))
	}
	return uint32(int64(x))
}

// packSharedExp converts three floats to mantissas of 9 bits with one exponent.
// Source: Vulkan, "RGB to shared exponent conversion".
func packSharedExp(c *Texel) uint32 {
	const top = 511. / 512 * 65536
	var v [3]float64
	exp := -16
	for i := range v {
		v[i] = float64(math.Float32frombits(c[i]))
		if !(v[i] > 0) {
			v[i] = 0
		}
		v[i] = min(v[i], top)
		if v[i] > 0 {
			_, e := math.Frexp(v[i])
			exp = max(exp, e-1)
		}
	}
	exp += 1 + 15
	if m := max(v[0], v[1], v[2]); math.Floor(math.Ldexp(m, 15+9-exp)+0.5) == 512 {
		exp++
	}
	raw := uint32(exp) << 27
	for i := range v {
		raw |= uint32(math.Floor(math.Ldexp(v[i], 15+9-exp)+0.5)) << (9 * i)
	}
	return raw
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

// PackHalf converts f32 to f16, rounded to nearest even.
func PackHalf(v uint32) uint32 {
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

// CutHalf converts f32 to f16, rounded toward zero.
func CutHalf(v uint32) uint32 {
	sign, abs := v>>16&0x8000, v&0x7fffffff
	switch {
	case abs >= 0xff<<23:
		return PackHalf(v)
	case abs >= (15+128)<<23:
		return sign | 0x7bff
	}
	h := PackHalf(abs)
	if math.Float32frombits(smallFloat(h, 10)) > math.Float32frombits(abs) {
		h--
	}
	return sign | h
}

// Selections of DST_SEL.
const (
	Sel0    = 0
	Sel1    = 1
	SelX    = 4
	selBits = 3
)

// IdentitySelect is the DST_SEL value that keeps the components in order.
const IdentitySelect = 4 | 5<<3 | 6<<6 | 7<<9

// Choose returns the component that a DST_SEL of 3 bits selects.
func (f *Format) Choose(c *Texel, sel uint32) uint32 {
	switch {
	case sel >= SelX:
		return c[(sel-SelX)&3]
	case sel != Sel1:
		return 0
	case f.Num.Integer():
		return 1
	}
	return one
}

// Select applies the four DST_SEL of a resource to a texel.
func (f *Format) Select(c *Texel, sel uint32) (d Texel) {
	if sel == IdentitySelect {
		return *c
	}
	for i := range d {
		d[i] = f.Choose(c, sel>>(selBits*i)&7)
	}
	return d
}
