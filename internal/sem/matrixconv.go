package sem

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// matSpecial is the exponent that represents infinities and NaNs. It exceeds
// every sum of two others.
const matSpecial = 1 << 20

// matFormat is a floating-point format of at most 32 bits.
type matFormat struct {
	mant, exp int  // sizes of the fields in bits
	bias      int  // of the exponent
	fnuz      bool // no infinities; the pattern of negative zero is the NaN
	finite    bool // no infinities and no NaN
	oneNaN    bool // no infinities; only the largest encoding is a NaN
	cut       int  // number of low bits that the multiplier ignores
}

var matFormats = [...]matFormat{
	MatrixF16:  {mant: 10, exp: 5, bias: 15},
	MatrixBF16: {mant: 7, exp: 8, bias: 127},
	MatrixF32:  {mant: 23, exp: 8, bias: 127},
	MatrixXF32: {mant: 23, exp: 8, bias: 127, cut: 13},
	MatrixFP8:  {mant: 3, exp: 4, bias: 8, fnuz: true},
	MatrixBF8:  {mant: 2, exp: 5, bias: 16, fnuz: true},
	MatrixFP6:  {mant: 3, exp: 2, bias: 1, finite: true},
	MatrixBF6:  {mant: 2, exp: 3, bias: 3, finite: true},
	MatrixFP4:  {mant: 1, exp: 2, bias: 1, finite: true},
}

// The 8-bit formats of the Open Compute Project.
var (
	matOCPFP8 = matFormat{mant: 3, exp: 4, bias: 7, oneNaN: true}
	matOCPBF8 = matFormat{mant: 2, exp: 5, bias: 15}
)

// matFormatOf returns the format of a type on a set.
func matFormatOf(set isa.Set, t MatrixType) *matFormat {
	switch {
	case set.Has(isa.PropFp8Fnuz):
	case t == MatrixFP8:
		return &matOCPFP8
	case t == MatrixBF8:
		return &matOCPBF8
	}
	return &matFormats[t]
}

// Formats of scales, as matrix_a_scale_fmt and matrix_b_scale_fmt encode them.
const (
	ScaleE8M0 = iota // powers of two with a bias of 127, or NaN
	ScaleE5M3        // unsigned
	ScaleE4M3
)

// matE5M3 is the unsigned format of scales. Its only NaN is 0xff.
var matE5M3 = matFormat{mant: 3, exp: 5, bias: 15, oneNaN: true}

// scale multiplies the rows of A or B by their scales, one for each block of K.
func (m *Matrix) scale(v []float64, rows, lanes int, scales []uint32, sel, format uint8) {
	for i := range rows {
		for block := range m.K / m.ScaleBlock {
			at, bit := i+rows*block, 8*int(sel)
			if m.Wave {
				at, bit = block/4*lanes+i, block%4*8
				if rows == 16 {
					at += int(sel&1) * 16
				}
			}
			scale := matScaleValue(format, uint8(scales[at]>>bit))
			part := v[i*m.K+block*m.ScaleBlock:][:m.ScaleBlock]
			for j := range part {
				part[j] *= scale
			}
		}
	}
}

// matScaleValue returns the value of a scale.
func matScaleValue(format, v uint8) float64 {
	var x float64
	switch {
	case format == ScaleE5M3:
		x, _ = matDecode(&matE5M3, uint64(v))
	case format == ScaleE4M3:
		x, _ = matDecode(&matOCPFP8, uint64(v))
	case v == 0xff:
		return math.NaN()
	default:
		return math.Float64frombits(uint64(int(v)-127+1023) << 52)
	}
	return x
}

// ValidScales reports whether the formats of scales are allowed: formats other
// than E8M0 are for FP4 only, and if A and B are both FP4, they have the same
// format of scales. Source: the decoder of AMD's emulator of gfx1250.
func (m *Matrix) ValidScales(a, b uint8) bool {
	fits := func(t MatrixType, format uint8) bool {
		return format == ScaleE8M0 || t == MatrixFP4 && format <= ScaleE4M3
	}
	return fits(m.A, a) && fits(m.B, b) && (a == b || m.A != MatrixFP4 || m.B != MatrixFP4)
}

// matDecode returns the exact value of a float and its exponent: the exponent
// of the smallest normal number for zeros and denormals, matSpecial for
// infinities and NaNs.
func matDecode(f *matFormat, v uint64) (float64, int32) {
	sign := v >> (f.mant + f.exp) & 1 << 63
	frac := v & (1<<f.mant - 1)
	exp := int(v >> f.mant & (1<<f.exp - 1))
	top := exp == 1<<f.exp-1 && !f.fnuz && !f.finite
	if f.oneNaN {
		top = top && frac == 1<<f.mant-1
	}
	if top && frac != 0 || f.fnuz && sign != 0 && exp == 0 && frac == 0 {
		return math.NaN(), matSpecial
	}
	frac = frac >> f.cut << f.cut
	switch {
	case top:
		return math.Float64frombits(sign | 0x7ff<<52), matSpecial
	case exp == 0:
		e := 1 - f.bias
		x := float64(frac) * math.Float64frombits(uint64(1023+e-f.mant)<<52)
		return math.Float64frombits(math.Float64bits(x) | sign), int32(e)
	}
	e := exp - f.bias
	return math.Float64frombits(sign | uint64(1023+e)<<52 | frac<<(52-f.mant)), int32(e)
}

// matDecodeAll decodes floats; with flush, denormals become zeros of their sign.
func matDecodeAll(f *matFormat, raw []uint64, val []float64, exp []int32, flush bool) {
	field := uint64(1<<f.exp-1) << f.mant
	for i, v := range raw {
		if flush && v&field == 0 {
			v &= 1 << (f.mant + f.exp)
		}
		val[i], exp[i] = matDecode(f, v)
	}
}

// convertA and convertB convert s.raw to the elements of A and B.
func (s *MatrixScratch) convertA(c *Ctx, m *Matrix, mods MatrixMods) {
	n := m.M * m.aK() * m.Blocks
	s.convert(c, m, 0, m.A, mods, s.raw[:n], s.a[:n], s.ea[:n])
}

func (s *MatrixScratch) convertB(c *Ctx, m *Matrix, mods MatrixMods) {
	n := m.N * m.K * m.Blocks
	s.convert(c, m, 1, m.B, mods, s.raw[:n], s.b[:n], s.eb[:n])
}

// convert converts the elements of operand src (0 for A, 1 for B) to values:
// floats and their exponents, or integers instead of exponents.
func (s *MatrixScratch) convert(c *Ctx, m *Matrix, src int, t MatrixType, mods MatrixMods, raw []uint64, val []float64, exp []int32) {
	switch t {
	case MatrixI8, MatrixIU8, MatrixIU4:
		signed := t == MatrixI8 || mods.NegLo>>src&1 != 0
		matIntegers(raw, exp, t.Bits(), signed)
	case MatrixF64:
		var neg uint64
		if c.Set.Gen() == isa.Gen940 {
			neg = uint64(mods.BLGP) >> src & 1 << 63
		}
		for i, v := range raw {
			val[i] = math.Float64frombits(v ^ neg)
		}
	default:
		lo, hi := uint64(mods.NegLo)>>src&1, uint64(mods.NegHi)>>src&1
		switch {
		case m.Wave && t.Bits() == 16:
			matNegate(raw, lo<<15, hi<<15)
		case m.Wave && t == MatrixF32:
			matNegate(raw, lo<<31, lo<<31)
		}
		matDecodeAll(matFormatOf(c.Set, t), raw, val, exp, t == MatrixF32 && !m.Wave && c.Mode.FlushIn(F32))
	}
}

// matNegate changes the sign bits of even and odd elements.
func matNegate(raw []uint64, even, odd uint64) {
	if even|odd == 0 {
		return
	}
	for i := 0; i+1 < len(raw); i += 2 {
		raw[i] ^= even
		raw[i+1] ^= odd
	}
}

// matIntegers sign-extends or zero-extends integers.
func matIntegers(raw []uint64, val []int32, bits int, signed bool) {
	up := 32 - bits
	for i, v := range raw {
		if signed {
			val[i] = int32(v) << up >> up
		} else {
			val[i] = int32(v)
		}
	}
}

// matWiden returns the bits of a 16-bit element of C as f32.
func matWiden(t MatrixType, v uint32) uint32 {
	if t == MatrixBF16 {
		return v << 16
	}
	x, _ := matDecode(&matFormats[MatrixF16], uint64(v))
	return math.Float32bits(float32(x))
}

// matNarrow rounds an f32 to f16 or bf16, to nearest even.
func matNarrow(t MatrixType, v uint32) uint32 {
	sign, mag := v>>31, v&0x7fffffff
	switch {
	case mag > 0x7f800000: // NaN
		if t == MatrixBF16 {
			return 0x7fc0
		}
		return 0x7e00
	case t == MatrixBF16:
		return sign<<15 | (mag+0x7fff+mag>>16&1)>>16
	case mag >= 0x477ff000: // 65520 and more
		return sign<<15 | 0x7c00
	case mag < 0x38800000: // less than the smallest normal number
		// The sum's last bit has the value of the smallest denormal.
		return sign<<15 | math.Float32bits(math.Float32frombits(mag)+0.5)&0x7ff
	}
	return sign<<15 | (mag-112<<23+0xfff+mag>>13&1)>>13
}
