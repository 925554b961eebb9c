package image

import "github.com/gfx-toolchain/gfx/isa"

// ClampMode is the treatment of coordinates outside an image.
type ClampMode uint8

const (
	ClampWrap ClampMode = iota
	ClampMirror
	ClampLastTexel
	ClampMirrorOnceLastTexel
	ClampHalfBorder
	ClampMirrorOnceHalfBorder
	ClampBorder
	ClampMirrorOnceBorder
)

// Filter is the filter of a direction.
type Filter uint8

const (
	FilterPoint Filter = iota
	FilterBilinear
	FilterAnisoPoint
	FilterAnisoBilinear
)

// linear reports whether the filter blends texels.
func (f Filter) linear() bool { return f&1 != 0 }

// MipFilter is the filter of the third direction or between levels.
type MipFilter uint8

const (
	MipNone MipFilter = iota
	MipPoint
	MipLinear
)

// Reduction is how the texels of a footprint are combined.
type Reduction uint8

const (
	ReduceBlend Reduction = iota
	ReduceMin
	ReduceMax
)

// Border colours by number.
const (
	BorderTransparentBlack = iota
	BorderOpaqueBlack
	BorderOpaqueWhite
	BorderMemory // from the table that a register of the device points to
)

// Sampler holds the fields of a sampler.
type Sampler struct {
	Clamp        [3]ClampMode
	MaxAniso     uint32 // binary logarithm of the greatest number of samples
	Compare      uint8  // function of comparisons, by its number
	Unnormalized bool   // coordinates are in texels
	TruncCoord   bool   // coordinates of point filters are truncated to fixed point, not rounded
	NoCubeWrap   bool   // a face ends at its edges like an image
	Reduce       Reduction
	MinLOD       int32 // in 1/256 of a level, as the other levels of detail
	MaxLOD       int32
	Bias         int32
	Mag, Min     Filter
	Z            MipFilter
	Mip          MipFilter
	Border       uint8
	BorderIndex  uint32
}

// samplerWords lists the bits of the fields in a generation's samplers.
type samplerWords struct{ minLOD, maxLOD, bias, borderIndex field }

// Sources: AMD's ISA documents, "Sampler resource"; ROCm, resource_*.h; Mesa,
// gfx10-rsrc.json and gfx11-rsrc.json.
var (
	samplerGFX6  = samplerWords{field{{1, 0, 12}}, field{{1, 12, 12}}, field{{2, 0, 14}}, field{{3, 0, 12}}}
	samplerGFX11 = samplerWords{field{{1, 0, 12}}, field{{1, 12, 12}}, field{{2, 0, 14}}, field{{3, 18, 12}}}
	samplerGFX12 = samplerWords{field{{1, 0, 13}}, field{{1, 13, 13}}, field{{2, 0, 14}}, field{{3, 18, 12}}}

	sampClampX, sampClampY, sampClampZ = field{{0, 0, 3}}, field{{0, 3, 3}}, field{{0, 6, 3}}
	sampAniso, sampCompare, sampUnnorm = field{{0, 9, 3}}, field{{0, 12, 3}}, field{{0, 15, 1}}
	sampTrunc, sampCube, sampReduce    = field{{0, 27, 1}}, field{{0, 28, 1}}, field{{0, 29, 2}}
	sampMag, sampMin, sampZ, sampMip   = field{{2, 20, 2}}, field{{2, 22, 2}}, field{{2, 24, 2}}, field{{2, 26, 2}}
	sampBorder                         = field{{3, 30, 2}}
)

func samplerWordsOf(s isa.Set) *samplerWords {
	switch s.Gen() {
	case isa.Gen11:
		return &samplerGFX11
	case isa.Gen12:
		return &samplerGFX12
	}
	return &samplerGFX6
}

// DecodeSampler returns the fields of a sampler of 4 dwords.
func DecodeSampler(s isa.Set, words *[4]uint32) Sampler {
	var w [8]uint32
	copy(w[:], words[:])
	f := samplerWordsOf(s)
	return Sampler{
		Clamp:    [3]ClampMode{ClampMode(sampClampX.read(&w)), ClampMode(sampClampY.read(&w)), ClampMode(sampClampZ.read(&w))},
		MaxAniso: sampAniso.read(&w), Compare: uint8(sampCompare.read(&w)), Unnormalized: sampUnnorm.read(&w) != 0, TruncCoord: sampTrunc.read(&w) != 0,
		NoCubeWrap: sampCube.read(&w) != 0, Reduce: Reduction(sampReduce.read(&w)),
		MinLOD: int32(f.minLOD.read(&w)), MaxLOD: int32(f.maxLOD.read(&w)), Bias: int32(f.bias.read(&w)<<18) >> 18,
		Mag: Filter(sampMag.read(&w)), Min: Filter(sampMin.read(&w)), Z: MipFilter(sampZ.read(&w)), Mip: MipFilter(sampMip.read(&w)),
		Border: uint8(sampBorder.read(&w)), BorderIndex: f.borderIndex.read(&w),
	}
}

// Encode returns the words of a sampler. Values are cut to the width of their
// fields.
func (p *Sampler) Encode(s isa.Set) (words [4]uint32) {
	var w [8]uint32
	f := samplerWordsOf(s)
	for i, c := range []field{sampClampX, sampClampY, sampClampZ} {
		c.write(&w, uint32(p.Clamp[i]))
	}
	for _, x := range []struct {
		field field
		v     uint32
	}{
		{sampAniso, p.MaxAniso}, {sampCompare, uint32(p.Compare)}, {sampUnnorm, bit(p.Unnormalized)}, {sampTrunc, bit(p.TruncCoord)}, {sampCube, bit(p.NoCubeWrap)},
		{sampReduce, uint32(p.Reduce)}, {f.minLOD, uint32(p.MinLOD)}, {f.maxLOD, uint32(p.MaxLOD)}, {f.bias, uint32(p.Bias)}, {sampMag, uint32(p.Mag)},
		{sampMin, uint32(p.Min)}, {sampZ, uint32(p.Z)}, {sampMip, uint32(p.Mip)}, {sampBorder, uint32(p.Border)}, {f.borderIndex, p.BorderIndex},
	} {
		x.field.write(&w, x.v)
	}
	copy(words[:], w[:])
	return words
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// UsesBorder reports whether a clamp mode reads the border colour.
func (p *Sampler) UsesBorder() bool {
	for _, c := range p.Clamp {
		if c >= ClampHalfBorder {
			return true
		}
	}
	return false
}
