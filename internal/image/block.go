package image

import "math"

// unpackBlock returns the components of one texel of an element that holds
// several.
func (f *Format) unpackBlock(raw *Raw, x, y uint32) (c Texel) {
	switch f.Coding {
	case Pairs:
		return f.unpackPair(raw, x)
	case Bits:
		if f.Data == "1_REVERSED" {
			x = 7 - x
		}
		c[0] = f.decode(raw[0]>>x&1, 1, 0)
	case Blocks:
		return f.unpackCompressed(raw, x, y)
	}
	return c
}

// unpackPair returns one of two texels that share red and blue. Green is in the
// higher byte of each half in GB_GR, in the lower one in BG_RG.
func (f *Format) unpackPair(raw *Raw, x uint32) (c Texel) {
	green, other := uint32(8), uint32(0)
	if f.Data == "BG_RG" {
		green, other = 0, 8
	}
	v := raw[0]
	c[0] = f.decode(v>>other&255, 8, 0)
	c[1] = f.decode(v>>(green+16*x)&255, 8, 1)
	c[2] = f.decode(v>>(other+16)&255, 8, 2)
	c[3] = one
	if f.Num.Integer() {
		c[3] = 1
	}
	return c
}

// unpackCompressed returns one texel of a block of 4×4 texels. Source: Khronos
// Data Format Specification, "S3TC compressed texture image formats" and "RGTC
// compressed texture image formats".
func (f *Format) unpackCompressed(raw *Raw, x, y uint32) Texel {
	i := 4*y + x
	v := [4]float64{0, 0, 0, 1}
	lo, hi := uint64(raw[0])|uint64(raw[1])<<32, uint64(raw[2])|uint64(raw[3])<<32
	signed := f.Num == Snorm
	switch f.Data {
	case "BC1":
		v = bcColor(lo, i, true)
	case "BC2":
		v = bcColor(hi, i, false)
		v[3] = float64(lo>>(4*i)&15) / 15
	case "BC3":
		v = bcColor(hi, i, false)
		v[3] = bcChannel(lo, i, false)
	case "BC4":
		v[0] = bcChannel(lo, i, signed)
	case "BC6":
		return halfTexel(bc6Texel(lo, hi, i, f.Num == Float))
	case "BC7":
		for k, x := range bc7Texel(lo, hi, i) {
			v[k] = float64(x) / 255
		}
	case "ETC2_RGB", "ETC2_RGBA", "ETC2_R", "ETC2_RG", "ETC2_RGBA1":
		v = f.unpackETC(raw, x, y)
	case "BC5":
		v[0], v[1] = bcChannel(lo, i, signed), bcChannel(hi, i, signed)
	}
	if f.Num == SRGB {
		for k := range 3 {
			v[k] = linear(v[k])
		}
	}
	var c Texel
	for k, x := range v {
		c[k] = math.Float32bits(float32(x))
	}
	return c
}

// halfTexel returns a texel of three components in half precision.
func halfTexel(h [3]uint16) Texel {
	return Texel{UnpackHalf(uint32(h[0])), UnpackHalf(uint32(h[1])), UnpackHalf(uint32(h[2])), one}
}

// bcColor returns colour i of a block of two colours of 5, 6 and 5 bits and 16
// indexes. With alpha, the first colour not above the second one selects three
// colours and transparent black.
func bcColor(block uint64, i uint32, alpha bool) [4]float64 {
	a, b := uint32(block&0xffff), uint32(block>>16&0xffff)
	k := block >> (32 + 2*i) & 3
	w := [4]float64{0, 1, 1. / 3, 2. / 3}[k] // of the second colour
	if alpha && a <= b {
		if k == 3 {
			return [4]float64{}
		}
		w = [3]float64{0, 1, 0.5}[k]
	}
	mix := func(shift, bits uint32) float64 {
		m := uint32(1)<<bits - 1
		return (float64(a>>shift&m)*(1-w) + float64(b>>shift&m)*w) / float64(m)
	}
	return [4]float64{mix(11, 5), mix(5, 6), mix(0, 5), 1}
}

// bcChannel returns value i of a block of two values of 8 bits and 16 indexes.
func bcChannel(block uint64, i uint32, signed bool) float64 {
	a, b := float64(block&255), float64(block>>8&255)
	least, most := 0., 255.
	wide := block&255 > block>>8&255
	if signed {
		p, q := int8(block), int8(block>>8)
		a, b = max(float64(p), -127), max(float64(q), -127)
		least, most = -127, 127
		wide = p > q
	}
	k := float64(block >> (16 + 3*i) & 7)
	switch {
	case k == 0:
	case k == 1:
		a = b
	case wide:
		a = (a*(8-k) + b*(k-1)) / 7
	case k == 6:
		a = least
	case k == 7:
		a = most
	default:
		a = (a*(6-k) + b*(k-1)) / 5
	}
	return a / most
}
