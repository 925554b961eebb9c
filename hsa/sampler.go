package hsa

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/internal/image"
)

// SamplerAddressing is a treatment of coordinates outside an image,
// hsa_ext_sampler_addressing_mode_t.
type SamplerAddressing uint32

// Treatments of coordinates. Values: hsa_ext_image.h.
const (
	AddressUndefined     SamplerAddressing = 0
	AddressClampToEdge   SamplerAddressing = 1
	AddressClampToBorder SamplerAddressing = 2
	AddressRepeat        SamplerAddressing = 3
	AddressMirrored      SamplerAddressing = 4
)

// clampModes maps addressing modes to the hardware's.
var clampModes = [...]image.ClampMode{AddressUndefined: image.ClampWrap, AddressClampToEdge: image.ClampLastTexel, AddressClampToBorder: image.ClampBorder,
	AddressRepeat: image.ClampWrap, AddressMirrored: image.ClampMirror}

// SamplerDescriptor describes a sampler, hsa_ext_sampler_descriptor_t and
// hsa_ext_sampler_descriptor_v2_t.
type SamplerDescriptor struct {
	Unnormalized bool              // coordinates are in texels
	Linear       bool              // the filter is linear, not nearest
	Addressing   SamplerAddressing // treatment of coordinates outside the image
	// PerAxis are the treatments of x, y and z if they differ,
	// hsa_ext_sampler_descriptor_v2_t. An AddressUndefined
	// is replaced by Addressing.
	PerAxis [3]SamplerAddressing
}

// Sampler is a sampler of an agent, hsa_ext_sampler_t.
type Sampler struct {
	Descriptor SamplerDescriptor // as given to NewSampler
	object     *Buffer
}

// Addr returns the address of the sampler object, which is the sampler's handle
// and the kernel's argument.
func (s *Sampler) Addr() uint64 { return s.object.Addr() }

// Destroy frees the sampler, hsa_ext_sampler_destroy.
func (s *Sampler) Destroy() error { return s.object.Free() }

// NewSampler creates a sampler, hsa_ext_sampler_create and
// hsa_ext_sampler_create_v2. name is for reports.
func (a *Agent) NewSampler(d SamplerDescriptor, name string) (*Sampler, error) {
	set, err := a.imageSet()
	if err != nil {
		return nil, err
	}
	p := image.Sampler{Unnormalized: d.Unnormalized, MaxLOD: 4095}
	for i, mode := range d.PerAxis {
		if mode == AddressUndefined {
			mode = d.Addressing
		}
		if int(mode) >= len(clampModes) {
			return nil, errorf(StatusErrorInvalidArgument, "unknown addressing mode %d", mode)
		}
		p.Clamp[i] = clampModes[mode]
	}
	if d.Linear {
		p.Mag, p.Min = image.FilterBilinear, image.FilterBilinear
	}
	object, err := a.pools[0].AllocateNamed(objectSize, name+" (object)")
	if err != nil {
		return nil, err
	}
	for k, v := range p.Encode(set) {
		binary.LittleEndian.PutUint32(object.Bytes()[4*k:], v)
	}
	return &Sampler{Descriptor: d, object: object}, nil
}
