package catalyst

import "fmt"

// SamplerMode is the value of a sampler: of a fixed one of the program, and of a
// sampler argument in constant buffer 1. Bit 0 are normalized coordinates, bits 1
// to 3 the addressing, bits 4 and up the filter.
type SamplerMode uint32

// Addressing is the treatment of coordinates outside an image.
type Addressing uint32

// Treatments of coordinates.
const (
	AddressNone Addressing = iota
	AddressRepeat
	AddressClampToEdge
	AddressClamp // to the border
	AddressMirrored
)

// addressings holds the names of the treatments.
var addressings = [...]string{"none", "repeat", "clamp to edge", "clamp", "mirrored"}

// Fields of a SamplerMode.
const (
	samplerNormalized = 1
	samplerAddressing = 1 // shift, 3 bits
	samplerFilter     = 4 // shift
	filterNearest     = 1
	filterLinear      = 2
)

// NewSamplerMode returns the value of a sampler.
func NewSamplerMode(normalized bool, a Addressing, linear bool) SamplerMode {
	m := SamplerMode(a)<<samplerAddressing | filterNearest<<samplerFilter
	if linear {
		m = SamplerMode(a)<<samplerAddressing | filterLinear<<samplerFilter
	}
	if normalized {
		m |= samplerNormalized
	}
	return m
}

// Normalized reports whether coordinates are in the range from 0 to 1.
func (m SamplerMode) Normalized() bool { return m&samplerNormalized != 0 }

// Addressing returns the treatment of coordinates.
func (m SamplerMode) Addressing() Addressing { return Addressing(m >> samplerAddressing & 7) }

// Linear reports whether the filter is linear, not nearest.
func (m SamplerMode) Linear() bool { return m>>samplerFilter == filterLinear }

// Check returns an error if the addressing or the filter is unknown.
func (m SamplerMode) Check() error {
	a, f := m.Addressing(), m>>samplerFilter
	if int(a) < len(addressings) && (f == filterNearest || f == filterLinear) {
		return nil
	}
	return fmt.Errorf("sampler %#x: unknown addressing %d or filter %d", uint32(m), a, f)
}

// String returns a text such as "normalized, clamp to edge, linear", or
// "unknown".
func (m SamplerMode) String() string {
	if m.Check() != nil {
		return "unknown"
	}
	s, filter := "in texels", "nearest"
	if m.Normalized() {
		s = "normalized"
	}
	if m.Linear() {
		filter = "linear"
	}
	return s + ", " + addressings[m.Addressing()] + ", " + filter
}
