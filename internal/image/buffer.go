package image

import "github.com/gfx-toolchain/gfx/isa"

// Fields of a buffer resource's last dword. Sources: AMD's ISA documents,
// "Buffer resource"; ROCm, resource_*.h.
const (
	bufferNumber     = 12 // shift of NUM_FORMAT, before gfx10
	bufferData       = 15 // shift of DATA_FORMAT, before gfx10
	bufferFormat     = 12 // shift of FORMAT, from gfx10 on
	bufferLevel      = 1 << 24
	bufferStride     = 16 // shift of STRIDE in the second dword
	bufferAddressTop = 1<<16 - 1
)

// BufferWords returns the buffer resource of a one-dimensional image: a record
// per texel. The number of records is in texels up to gfx7, and in bytes later.
func BufferWords(s isa.Set, r *Resource, f *Format) (w [4]uint32) {
	w[0] = uint32(r.Base)
	w[1] = uint32(r.Base>>32)&bufferAddressTop | uint32(f.Bytes)<<bufferStride
	w[2] = r.Width
	if g := s.Gen(); g != isa.Gen6 && g != isa.Gen7 {
		w[2] *= uint32(f.Bytes)
	}
	w[3] = r.Select
	if !isa.HasUnifiedFormat(s) {
		w[3] |= r.Format>>numberBits<<bufferData | r.Format&(1<<numberBits-1)<<bufferNumber
		return w
	}
	w[3] |= r.Format << bufferFormat
	if s.Gen() == isa.Gen10 {
		w[3] |= bufferLevel
	}
	return w
}
