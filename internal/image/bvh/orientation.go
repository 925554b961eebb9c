package bvh

import "math"

// Orientations of boxes: rotations that compressed nodes select by number.
// Source: GPURT, ObbCommon.hlsli.

// orientationValues holds the absolute values of the elements of the matrices.
var orientationValues = [32]uint32{
	0, 0x3d1be50c, 0x3e15f61a, 0x3e484336, 0x3e79df93, 0x3e7c3a3a, 0x3e8a8bd4, 0x3e9e0875,
	0x3e9f0938, 0x3ea7bf1b, 0x3eaaaaab, 0x3ec3ef15, 0x3f000000, 0x3f01814f, 0x3f16a507, 0x3f273d75,
	0x3f30fbc5, 0x3f3504f3, 0x3f3d3a87, 0x3f4e034d, 0x3f5a827a, 0x3f692290, 0x3f6c835e, 0x3f73023f,
	0x3f7641af, 0x3f800000,
}

// orientations holds the matrices: for each element, row by row, five bits of an
// index in orientationValues and a sign.
var orientations = [104]uint64{
	0x162c0ad6000019, 0x16ac02d6000019, 0x11440c51000019, 0x11c40451000019, 0xb580d8b000019,
	0xbd8058b000019, 0x640e40000019, 0xe40640000019, 0x1602b01900b016, 0x1600b01902b016,
	0x11031019011011, 0x11011019031011, 0xb03601901600b, 0xb01601903600b, 0x39019019000,
	0x19019039000, 0x190000162c0ad6, 0x19000016ac02d6, 0x19000011440c51, 0x19000011c40451,
	0x1900000b580d8b, 0x1900000bd8058b, 0x19000000640e40, 0x19000000e40640, 0x18066058186996,
	0x180460589a6196, 0x140ac09430cb11, 0x1408c094b2c311, 0x101ef1d03cfbcb, 0x101cf1d0bef3cb,
	0xc33130c451c40, 0xc31130cc71440, 0x188468581a6996, 0x18866858986196, 0x1488c89432cb11,
	0x148ac894b0c311, 0x109cf9d03efbcb, 0x109ef9d0bcf3cb, 0xcb11b0c471c40, 0xcb31b0cc51440,
	0x18181996181998, 0x18981196981198, 0x14302b11302b14, 0x14b02311b02314, 0x103c7bcb3c7bd0,
	0x10bc73cbbc73d0, 0xc44cc4044cc4c, 0xcc4c440c4c44c, 0x181a19969a1198, 0x189a11961a1998,
	0x14322b11b22314, 0x14b22311322b14, 0x103e7bcbbe73d0, 0x10be73cb3e7bd0, 0xc46cc40c6c44c,
	0xcc6c44046cc4c, 0x161a6998046058, 0x16986198066058, 0x1132cb1408c094, 0x11b0c3140ac094,
	0xb3efbd01cf1d0, 0xbbcf3d01ef1d0, 0x471c4c31130c, 0xc5144c33130c, 0x169a6198846858,
	0x16186998866858, 0x11b2c31488c894, 0x1130cb148ac894, 0xbbef3d09cf9d0, 0xb3cfbd09ef9d0,
	0xc7144cb11b0c, 0x451c4cb31b0c, 0x171638d71458d7, 0x178c51578e3157, 0x13368a1334da13,
	0x13a0d353a28353, 0xe4a9a4e492a4e, 0xea5248ea6948e, 0xa56490a55590a, 0xa91554a92454a,
	0x178e51570c3957, 0x171438d79650d7, 0x13a2d353208b53, 0x13348a13b6d213, 0xea7248e249c8e,
	0xe489a4ecb224e, 0xa93554a104d4a, 0xa54490ad7510a, 0x170c59570e3957, 0x179630d79450d7,
	0x1320db53228b53, 0x13b68213b4d213, 0xe252c8e269c8e, 0xeca924ec9224e, 0xa115d4a124d4a,
	0xad6410ad5510a, 0x179430d71658d7, 0x170e59578c3157, 0x13b4821336da13, 0x1322db53a08353,
	0xec8924e4b2a4e, 0xe272c8ea4948e, 0xad4410a57590a, 0xa135d4a90454a,
}

// orientationOf returns the matrix of a number; ok is false for numbers without
// one.
func orientationOf(n uint32) (m [3]Vec, ok bool) {
	if n >= uint32(len(orientations)) {
		return m, false
	}
	for i := range 9 {
		x := uint32(orientations[n] >> (6 * i) & 63)
		m[i/3][i%3] = math.Float32frombits(orientationValues[x&31] | x>>5<<31)
	}
	return m, true
}

// fma returns a*b+c with one rounding.
func fma(a, b, c float32) float32 {
	// The product is exact in double precision. Rounding the sum to odd before
	// the conversion makes the second rounding harmless.
	p := float64(a) * float64(b)
	s := p + float64(c)
	big, small := p, float64(c)
	if math.Abs(small) > math.Abs(big) {
		big, small = small, big
	}
	rest := small - float64(s-big)
	if rest != 0 && !math.IsNaN(rest) && !math.IsInf(s, 0) && math.Float64bits(s)&1 == 0 {
		if rest > 0 == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

// apply returns the product of a matrix's row and a vector, plus c. The order of
// the operations is GPURT's.
func apply(row *Vec, v *Vec, c float32) float32 {
	return fma(v[0], row[0], fma(v[1], row[1], fma(v[2], row[2], c)))
}

// turned returns the ray in the coordinates of a transformation.
func (y *Ray) turned(m *[3]Vec, shift *Vec) (z Ray) {
	z.Extent = y.Extent
	negativeZero := math.Float32frombits(1 << 31) // changes no sum
	for k := range 3 {
		z.Origin[k] = apply(&m[k], &y.Origin, shift[k])
		z.Direction[k] = apply(&m[k], &y.Direction, negativeZero)
	}
	z.Invert()
	return z
}

// Invert sets the reciprocals of the direction.
func (y *Ray) Invert() {
	for k, d := range y.Direction {
		y.Inverse[k] = 1 / d
	}
}
