package mir

import "github.com/gfx-toolchain/gfx/isa"

// Positions of the sources of an image instruction. The parts of the address
// follow ImageData.
const (
	ImageResource  = iota
	ImageSampler   // None for an instruction without a sampler
	ImageMask      // the mask of components (dmask)
	ImageDim       // the dimension, as encoded from gfx10 on
	ImageFlagBits  // flags such as ImageUnorm
	ImageData      // the data of a store or atomic operation, the old value of the result of another instruction, or None
	ImageAddresses // the first part of the address
)

// Flags of an image instruction, one bit each.
const (
	ImageUnorm = 1 << iota
	ImageR128  // the resource has four dwords; on gfx9, the address has 16 bits
	ImageA16   // the address has 16 bits
	ImageLWE   // the dword after the data reports whether the level is missing
	ImageD16   // the components of the data have 16 bits
)

// maxAddresses is the maximum number of parts of an image address.
const maxAddresses = 13

// imageSlots describes the operands of image instructions. Kind NotImage is the
// only other one.
func (b *slotBuilder) imageSlots(k isa.ImageKind) {
	x := b.x
	data := Slot{Kind: SlotReg, Field: isa.FieldVdata, Files: isa.FileV}
	x.data = ImageData
	if k != isa.ImageStore && k != isa.ImageAtomic {
		x.Defs, x.Slots = 1, []Slot{data}
		x.data++
		data.Optional = true
	}
	x.Slots = append(x.Slots, Slot{Kind: SlotReg, Field: isa.FieldSrsrc, Files: isa.FileS, Dwords: 8},
		Slot{Kind: SlotReg, Field: isa.FieldSsamp, Files: isa.FileS, Dwords: 4, Optional: true},
		Slot{Kind: SlotImm, Field: isa.FieldDmask}, Slot{Kind: SlotImm, Field: isa.FieldDim}, Slot{Kind: SlotImm, Field: isa.FieldUnorm}, data)
	x.tiedData = data
	x.tiedData.Tied = true
	for range maxAddresses {
		x.Slots = append(x.Slots, Slot{Kind: SlotReg, Field: isa.FieldVaddr, Files: isa.FileV})
	}
}

// imageKind returns what an image instruction with slots of imageSlots does,
// NotImage for other instructions.
func (x *OpInfo) imageKind() isa.ImageKind {
	if len(x.Encs) == 0 {
		return isa.NotImage
	}
	if k := x.Encs[0].Image().Kind; k != isa.ImageRay {
		return k
	}
	return isa.NotImage
}

// IsImage reports whether the operation is an image instruction whose sources
// have the positions from ImageResource on.
func (x *OpInfo) IsImage() bool { return x.imageKind() != isa.NotImage }

// takesUses reports whether an instruction can have n sources.
func (x *OpInfo) takesUses(n int) bool {
	most := len(x.Slots) - x.Defs
	return n == most || n > ImageAddresses && n < most && x.IsImage()
}

// imageFields are the fields of the flags. A missing field has the bit 0.
var imageFields = [...]isa.Field{isa.FieldUnorm, isa.FieldR128, isa.FieldA16, isa.FieldLwe, isa.FieldD16}

// vaddrFields are the fields of the address from gfx12 on.
var vaddrFields = [...]isa.Field{isa.FieldVaddr0, isa.FieldVaddr1, isa.FieldVaddr2, isa.FieldVaddr3, isa.FieldVaddr4}

// image encodes the operands of an image instruction.
func (e *encoder) image() {
	in := &e.in
	if len(e.defs) > 0 {
		e.register(isa.FieldVdata, &e.defs[0])
	}
	uses := e.uses
	e.register(isa.FieldSrsrc, &uses[ImageResource])
	if o := &uses[ImageSampler]; o.Kind == KindReg {
		field := isa.FieldSsamp
		if in.Enc.Form() != isa.MIMG {
			field = isa.FieldSamp
		}
		e.scalar(field, in.Place(field).Width, scalarCode(in.Set, o.Reg()))
	}
	e.imm(isa.FieldDmask, uses[ImageMask].Imm)
	dim := uses[ImageDim].Imm
	if in.Set.Has(isa.PropImageDim) {
		e.imm(isa.FieldDim, dim)
	} else if isa.DimOf(uint32(dim)).Array {
		in.SetField(isa.FieldDa, 1)
	}
	for n, f := range imageFields {
		if uses[ImageFlagBits].Imm>>n&1 != 0 && in.HasField(f) {
			in.SetField(f, 1)
		}
	}
	if o := &uses[ImageData]; len(e.defs) == 0 && o.Kind == KindReg {
		e.register(isa.FieldVdata, o)
	}
	e.imageAddress(uses[ImageAddresses:])
}

// imageAddress encodes the address. Up to gfx11, an address in consecutive
// registers needs no further dwords.
func (e *encoder) imageAddress(parts []Operand) {
	in := &e.in
	if in.Enc.Form() != isa.MIMG {
		if len(parts) > len(vaddrFields) || !in.HasField(vaddrFields[len(parts)-1]) {
			e.fail("%d parts of an address", len(parts))
			return
		}
		for n := range parts {
			e.register(vaddrFields[n], &parts[n])
		}
		return
	}
	e.register(isa.FieldVaddr, &parts[0])
	if len(parts) == 1 || e.consecutive(parts) {
		return
	}
	dwords := (len(parts) + 2) / 4
	in.SetField(isa.FieldNsa, uint32(dwords))
	for n := range parts[1:] {
		in.Words[2+n/4] |= uint32(parts[n+1].Reg().Index()) << (n % 4 * 8)
	}
	in.Size += uint8(4 * dwords)
}

// consecutive reports whether the parts of an address are one tuple, of a size
// that the encoding has.
func (e *encoder) consecutive(parts []Operand) bool {
	at := parts[0].Reg()
	n := 0
	for k := range parts {
		if parts[k].Reg() != at+Reg(n) {
			return false
		}
		n += e.f.OperandDwords(&parts[k])
	}
	size, ok := e.x.Encs[0].ImageAddressTuple(n)
	return ok && size == n
}
