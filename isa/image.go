package isa

import (
	"math/bits"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// imageInfo holds the possible register counts of an image instruction's data
// and address, one bit for each count: of the data, of an address that is one
// tuple, of an address in separate registers. A decoder that finds another
// count in the words uses the instruction's plain count.
type imageInfo struct{ data, addr, nsa uint16 }

// ImageAddress is the registers of an image instruction's address.
type ImageAddress struct {
	Regs   [12]uint16 // first VGPR of each tuple
	Dwords [12]uint8  // size of each tuple
	N      int        // number of tuples; 1 when the address is one tuple
	NSA    bool       // each tuple has its own register number
}

// ImageKind is what an image instruction does.
type ImageKind uint8

// Kinds of image instructions.
const (
	NotImage     ImageKind = iota
	ImageLoad              // of a texel at integer coordinates
	ImageStore             // of a texel
	ImageAtomic            // on a texel
	ImageMSAA              // loads one component of several samples of a pixel
	ImageSample            // filters texels
	ImageGather            // loads one component of the texels of a bilinear footprint
	ImageLOD               // returns the level of detail that a sample would use
	ImageResinfo           // returns the size of a level
	ImageRay               // intersects a ray with a node of a BVH
)

// ImageShape describes an image instruction by its name. The parts of the
// address follow each other in the order offset, bias, comparison value,
// gradients, coordinates, level of detail. Source: LLVM, MIMGInstructions.td,
// MIMGBaseOpcode.
type ImageShape struct {
	Kind      ImageKind // NotImage for other instructions
	Offset    bool      // a dword with offsets in texels
	Bias      bool      // a bias of the level of detail
	Compare   bool      // a value that is compared with the texels
	Gradients bool      // derivatives of the coordinates
	Coarse    bool      // the derivatives are the same for a quad (cd)
	G16       bool      // 16-bit gradients
	Coords    bool      // coordinates
	Lod       bool      // the level of detail (l)
	Clamp     bool      // the least level of detail (cl)
	LevelZero bool      // level of detail 0 (lz)
	Mip       bool      // an integer level
	Raw       bool      // data in memory format, without conversion (pck)
	Signed    bool      // raw data is sign-extended (sgn)
	Row       bool      // a gather of a row of texels (gather4h)
	Wide      bool      // the atomic has pairs of operands (cmpswap)

	ray *rayShape
}

// sampler reports whether the instruction has a sampler operand.
func (s *ImageShape) sampler() bool {
	return s.Kind == ImageSample || s.Kind == ImageGather || s.Kind == ImageLOD
}

// extra returns the number of parts of the address before the gradients.
func (s *ImageShape) extra() int { return bit(s.Offset) + bit(s.Bias) + bit(s.Compare) }

// Image returns the shape of an image instruction, whose kind is NotImage for
// another instruction. The caller must not modify it.
func (e Enc) Image() *ImageShape { return &imageShapes.Get()[e] }

// ImageAddressTuple returns the size in dwords of the smallest tuple of registers
// that an image instruction has for an address of n dwords. ok is false if the
// address needs separate registers.
func (e Enc) ImageAddressTuple(n int) (size int, ok bool) {
	sizes := imageInfos[encs[e].image].addr
	for size = n; size < 16; size++ {
		if sizes>>size&1 != 0 {
			return size, true
		}
	}
	return 0, false
}

// rayShape is the address of a ray-tracing instruction: its size as one tuple,
// and the sizes of its parts. Index 1 is with 16-bit directions.
type rayShape struct {
	data  uint8
	addr  [2]uint8
	parts [2][]uint8
}

var (
	rayBVH   = rayShape{4, [2]uint8{11, 8}, [2][]uint8{{1, 1, 3, 3, 3}, {1, 1, 3, 3}}}
	rayBVH64 = rayShape{4, [2]uint8{12, 9}, [2][]uint8{{2, 1, 3, 3, 3}, {2, 1, 3, 3}}}
	rayBVH8  = rayShape{10, [2]uint8{11, 11}, [2][]uint8{{2, 2, 3, 3, 1}, {2, 2, 3, 3, 1}}}
	rayDual  = rayShape{10, [2]uint8{12, 12}, [2][]uint8{{2, 2, 3, 3, 2}, {2, 2, 3, 3, 2}}}
)

var rayShapes = [...]struct {
	name  string
	shape *rayShape
}{{"bvh_intersect_ray", &rayBVH}, {"bvh64_intersect_ray", &rayBVH64}, {"bvh_dual_intersect_ray", &rayDual}, {"bvh8_intersect_ray", &rayBVH8}}

// imageShapes has the shape of every image encoding, other encodings' are zero.
var imageShapes = lazy.Value[[]ImageShape]{Make: func() []ImageShape {
	s := make([]ImageShape, len(encs))
	for e := range encs {
		if f := encs[e].form; f == MIMG || f == VIMAGE || f == VSAMPLE {
			s[e] = shapeOf(Enc(e).Name())
		}
	}
	return s
}}

// imageKinds maps the beginnings of names to kinds.
var imageKinds = [...]struct {
	prefix string
	kind   ImageKind
}{
	{"load", ImageLoad}, {"store", ImageStore}, {"atomic", ImageAtomic}, {"msaa", ImageMSAA}, {"sample", ImageSample},
	{"gather", ImageGather}, {"get_lod", ImageLOD}, {"get_resinfo", ImageResinfo}, {"bvh", ImageRay},
}

// shapeOf parses an image instruction's name.
func shapeOf(name string) (s ImageShape) {
	name = strings.TrimPrefix(name, "image_")
	for i := range imageKinds {
		if strings.HasPrefix(name, imageKinds[i].prefix) {
			s.Kind = imageKinds[i].kind
		}
	}
	for i := range rayShapes {
		if rayShapes[i].name == name {
			s.ray = rayShapes[i].shape
		}
	}
	s.Coords, s.Mip = s.Kind != ImageResinfo, s.Kind == ImageResinfo
	parts := strings.Split(name, "_")
	s.Row = s.Kind == ImageGather && strings.HasSuffix(parts[0], "h")
	for _, p := range parts[1:] {
		s.addPart(p)
	}
	return s
}

// addPart records a part of an image instruction's name.
func (s *ImageShape) addPart(p string) {
	switch p {
	case "c":
		s.Compare = s.sampler()
	case "b":
		s.Bias = s.sampler()
	case "o":
		s.Offset = s.sampler()
	case "d":
		s.Gradients = true
	case "cd":
		s.Gradients, s.Coarse = true, true
	case "cl":
		s.Clamp = true
	case "l":
		s.Lod = true
	case "lz":
		s.LevelZero = true
	case "mip":
		s.Mip = true
	case "g16":
		s.G16 = true
	case "pck":
		s.Raw = true
	case "sgn":
		s.Signed = true
	case "cmpswap", "fcmpswap":
		s.Wide = true
	}
}

// RayParts returns the sizes in dwords of the parts of a ray-tracing
// instruction's address, or nil for another instruction. The caller must not
// modify the slice.
func (e Enc) RayParts(a16 bool) []uint8 {
	if s := imageShapes.Get()[e].ray; s != nil {
		return s.parts[bit(a16)]
	}
	return nil
}

// ImageAddrSize returns the number of dwords of address an image instruction of
// gfx10 and later takes. Source: LLVM, AMDGPUBaseInfo.cpp, getAddrSizeMIMGOp.
func ImageAddrSize(e Enc, dim *Dim, a16, hasG16 bool) int {
	s := &imageShapes.Get()[e]
	if s.ray != nil {
		return int(s.ray.addr[bit(a16)])
	}
	words := s.extra()
	n := 0
	if s.Coords {
		n += int(dim.Coords)
	}
	if s.Lod || s.Clamp || s.Mip {
		n++
	}
	if a16 {
		words += (n + 1) / 2
	} else {
		words += n
	}
	if s.Gradients {
		if a16 && !hasG16 || s.G16 {
			words += (int(dim.Gradients)/2 + 1) &^ 1
		} else {
			words += int(dim.Gradients)
		}
	}
	return words
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ImageDataSize returns the number of dwords of data of an image instruction
// with given modifiers. With packedD16 two 16-bit elements share a dword.
func ImageDataSize(e Enc, dmask uint32, d16, tfe, packedD16 bool) int {
	if r := imageShapes.Get()[e].ray; r != nil {
		return int(r.data)
	}
	n := max(popcount(dmask&15), 1)
	if encs[e].traits.Any(TraitGather4) {
		n = 4
	}
	if d16 && packedD16 {
		n = (n + 1) / 2
	}
	if tfe {
		n++
	}
	return n
}

// nsaTuples returns the number of tuples a separate-register address has in its
// words' plain form: as many as the instruction takes of those there is place
// for; ok is false when the instruction never takes that many dwords.
func (in *Inst) nsaTuples() (n int, ok bool) {
	places, least := 4, 0
	if encs[in.Enc].form == MIMG {
		k := int(in.Field(FieldNsa))
		places = 1 + 4*k
		if k > 1 {
			least = places - 4
		}
	}
	m := imageInfos[encs[in.Enc].image].nsa
	if encs[in.Enc].form != MIMG {
		m = imageInfos[encs[in.Enc].image].addr
	}
	m &= 1<<(places+1) - 1
	n = bits.Len16(m) - 1
	return n, n > least
}

// imageTuple reports whether size VGPRs from n on are a tuple of the set.
func (in *Inst) imageTuple(n uint32, size int) bool {
	return int(n)+size <= 256 && (size == 1 || n&1 == 0 || !in.Set.Has(PropEvenTuples))
}

// imageSizes returns the sizes in dwords of an image instruction's data and
// address as the words have them, or the plain ones where the instruction has
// no such size or the tuple would leave the register file.
func (in *Inst) imageSizes() (data, addr int) {
	x := &imageInfos[encs[in.Enc].image]
	f := encs[in.Enc].form
	nsa := f != MIMG || in.Field(FieldNsa) != 0
	plainData := bits.TrailingZeros16(x.data)
	if encs[in.Enc].traits.Any(TraitGather4) && imageShapes.Get()[in.Enc].Kind == ImageMSAA {
		plainData = 4
	}
	plainAddr := bits.TrailingZeros16(x.addr)
	sizes := x.addr
	if nsa {
		plainAddr, _ = in.nsaTuples()
		if f == MIMG {
			sizes = x.nsa
		}
	}
	data = ImageDataSize(in.Enc, in.Field(FieldDmask), in.Field(FieldD16) != 0, in.Field(FieldTfe) != 0, in.Set.Has(PropPackedD16))
	addr = plainAddr
	if in.Set.Has(PropImageDim) {
		addr = ImageAddrSize(in.Enc, DimOf(in.Field(FieldDim)), in.Field(FieldA16) != 0, in.Set.Has(PropG16))
		if nsa && addr > plainAddr && !in.Set.Has(PropImageTuple) {
			return plainData, plainAddr
		}
	}
	if x.data>>data&1 == 0 || sizes>>addr&1 == 0 {
		return plainData, plainAddr
	}
	if data != plainData && !in.imageTuple(in.Field(FieldVdata), data) {
		return plainData, plainAddr
	}
	switch {
	case addr == plainAddr:
	case !nsa && !in.imageTuple(in.imageReg(0), addr):
		return plainData, plainAddr
	case addr > plainAddr && nsa && !in.imageTuple(in.imageReg(plainAddr-1), addr-plainAddr+1):
		return plainData, plainAddr
	}
	return data, addr
}

// ImageData returns the size in dwords of an image instruction's data.
func (in *Inst) ImageData() int {
	if r := imageShapes.Get()[in.Enc].ray; r != nil {
		return int(r.data)
	}
	n, _ := in.imageSizes()
	return n
}

// vaddrFields are the places of the addresses of VIMAGE and VSAMPLE.
var vaddrFields = [...]Field{FieldVaddr0, FieldVaddr1, FieldVaddr2, FieldVaddr3, FieldVaddr4}

// imageReg returns the first VGPR of address tuple i.
func (in *Inst) imageReg(i int) uint32 {
	switch {
	case encs[in.Enc].form != MIMG:
		return in.Field(vaddrFields[i])
	case i == 0:
		return in.Field(FieldVaddr)
	}
	return in.Words[2+(i-1)/4] >> ((i - 1) % 4 * 8) & 255
}

// ImageAddress returns the registers of an image instruction's address.
func (in *Inst) ImageAddress() (a ImageAddress) {
	f := encs[in.Enc].form
	ray := imageShapes.Get()[in.Enc].ray
	nsa := f != MIMG || in.Field(FieldNsa) != 0
	a.N = 1
	if ray != nil {
		return in.rayAddress(ray, nsa)
	}
	_, size := in.imageSizes()
	a.N, a.NSA = size, nsa
	if !nsa {
		a.N = 1
	} else if plain, _ := in.nsaTuples(); size > plain {
		a.N = plain
	}
	for i := range a.N {
		a.Regs[i], a.Dwords[i] = uint16(in.imageReg(i)), 1
	}
	a.Dwords[a.N-1] = uint8(size - a.N + 1)
	if a.N == 1 && f != MIMG {
		a.NSA = false
	}
	return a
}

// ImagePlace returns the place of the first VGPR of address tuple i.
func (in *Inst) ImagePlace(i int) Place {
	switch {
	case encs[in.Enc].form != MIMG:
		return in.Place(vaddrFields[i])
	case i == 0:
		return in.Place(FieldVaddr)
	}
	return Place{uint8(64 + (i-1)*8), 8}
}

// FreeImageTuples reports whether the sizes of an image instruction's data and
// address remain the same for all registers with which the tuples fit into the
// register file.
func (in *Inst) FreeImageTuples() bool {
	const most = 256 - len(ImageAddress{}.Regs)
	a := in.ImageAddress()
	return !in.Set.Has(PropEvenTuples) && int(in.Field(FieldVdata)) <= most && int(a.Regs[a.N-1]) <= most
}

// rayAddress returns the address of a ray-tracing instruction.
func (in *Inst) rayAddress(r *rayShape, nsa bool) (a ImageAddress) {
	a16 := int(in.Field(FieldA16))
	a.NSA = nsa
	switch {
	case !nsa:
		a.N = 1
		a.Dwords[0] = r.addr[a16]
	case sets[in.Set].gen == Gen10:
		a.N = int(r.addr[a16])
		for i := range a.N {
			a.Dwords[i] = 1
		}
	default:
		a.N = copy(a.Dwords[:], r.parts[a16])
	}
	for i := range a.N {
		a.Regs[i] = uint16(in.imageReg(i))
	}
	return a
}
