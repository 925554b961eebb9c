package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// Checks of image instructions.

// checkImage checks the modifiers, data and address of an image instruction,
// and writes the address.
func checkImage(m *Matcher, c *candidate, ops []Operand) bool {
	mods := &m.stmt.Mods
	if mods.On.Has(ModD16) && !m.set.Has(isa.PropD16) {
		return m.errorAtModifier(ModD16, "d16 modifier is not supported on %s", m.cpu())
	}
	dim := isa.DimOf(0)
	if c.mods.Has(ModDim) {
		dim = isa.DimOf(uint32(mods.Val[ModDim]) & 7)
	}
	if c.enc.Kinds().Any(isa.KindMsaa) && !dim.MSAA {
		return m.errorAtModifier(ModDim, "invalid dim; must be MSAA type")
	}
	if c.mods.Has(ModDMask) && !m.checkImageData(c, ops) {
		return false
	}
	for i := range c.specs {
		if c.specs[i].kind == specAddr && !m.imageAddress(c, &ops[i], i, dim) {
			return false
		}
	}
	return true
}

// checkImageData checks dmask and the size of the data.
func (m *Matcher) checkImageData(c *candidate, ops []Operand) bool {
	mods := &m.stmt.Mods
	dmask := uint32(0)
	if mods.Seen.Has(ModDMask) {
		dmask = uint32(mods.Val[ModDMask])
	}
	packed := m.packedD16 && c.mods.Has(ModD16)
	want := isa.ImageDataSize(c.enc, dmask, mods.On.Has(ModD16), mods.On.Has(ModTFE), m.packedD16)
	if int(ops[0].Dwords) != want {
		what := "dmask"
		switch {
		case packed && c.mods.Has(ModTFE):
			what = "dmask, d16 and tfe"
		case packed:
			what = "dmask and d16"
		case c.mods.Has(ModTFE):
			what = "dmask and tfe"
		}
		return m.errorAt(0, "image data size does not match %s: expected %d registers, found %d", what, want, ops[0].Dwords)
	}
	atomic := c.traits.Has(isa.TraitLoad | isa.TraitStore)
	switch {
	case atomic && dmask != 1 && dmask != 3 && dmask != 15:
		return m.errorAtModifier(ModDMask, "invalid atomic image dmask")
	case c.traits.Any(isa.TraitGather4) && (dmask == 0 || dmask&(dmask-1) != 0):
		return m.errorAtModifier(ModDMask, "invalid image_gather dmask: only one bit must be set")
	}
	return true
}

// imageAddress checks and writes an image's address.
func (m *Matcher) imageAddress(c *candidate, o *Operand, i int, dim *isa.Dim) bool {
	if !m.set.Has(isa.PropImageDim) {
		return m.oldAddress(c, o, i)
	}
	mods := &m.stmt.Mods
	want := isa.ImageAddrSize(c.enc, dim, mods.On.Has(ModA16), m.hasG16)
	list := m.addressesOf(o)
	have := 0
	for _, a := range list {
		have += int(a.Dwords)
	}
	if parts := c.enc.RayParts(mods.On.Has(ModA16)); parts != nil && o.Kind == KindList && m.set.Has(isa.PropImageTuple) {
		if !raysFit(parts, list) {
			return m.errorAt(i, "image address size does not match a16")
		}
		m.writeAddress(c, o, list)
		return true
	}
	if !m.addressFits(c, o, list, want, have) {
		return m.errorAt(i, "image address size does not match dim and a16: expected %d registers, found %d", want, have)
	}
	m.writeAddress(c, o, list)
	return true
}

// addressesOf returns the registers of an address.
func (m *Matcher) addressesOf(o *Operand) []Address {
	s := m.stmt
	if o.Kind == KindList {
		return s.Addresses[:o.Dwords]
	}
	s.Addresses[0] = Address{o.Reg, o.Dwords, o.File}
	return s.Addresses[:1]
}

// addressFits reports whether registers can form an address of want dwords.
func (m *Matcher) addressFits(c *candidate, o *Operand, list []Address, want, have int) bool {
	if o.Kind != KindList {
		if c.form != isa.MIMG { // gfx12 has separate registers
			return have == want && have == 1
		}
		if want > 12 {
			want = 16
		}
		return have == want || have == 8 && want >= 5 && want <= 7
	}
	most := nsaMax(c.form, m.set)
	for i, a := range list {
		if a.File != isa.FileV || a.Dwords != 1 && (i != len(list)-1 || len(list) != most) {
			return false
		}
	}
	return have == want && len(list) <= most && (m.set.Has(isa.PropImageTuple) || len(list) == want)
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// raysFit reports whether an address consists of the given parts.
func raysFit(parts []uint8, list []Address) bool {
	if len(list) != len(parts) {
		return false
	}
	for i, a := range list {
		if a.File != isa.FileV || a.Dwords != parts[i] {
			return false
		}
	}
	return true
}

// nsaMax returns the maximum number of registers of an address list.
func nsaMax(f isa.Form, s isa.Set) int {
	switch {
	case f == isa.VSAMPLE:
		return 4
	case f == isa.VIMAGE, s.Gen() == isa.Gen11:
		return 5
	}
	return 13
}

// vaddrFields lists the address fields of VIMAGE and VSAMPLE.
var vaddrFields = [...]isa.Field{isa.FieldVaddr0, isa.FieldVaddr1, isa.FieldVaddr2, isa.FieldVaddr3, isa.FieldVaddr4}

// writeAddress writes the registers of an address: in fields, or from gfx10 on
// in dwords after the instruction.
func (m *Matcher) writeAddress(c *candidate, o *Operand, list []Address) {
	e := &m.enc
	in := m.Inst()
	if c.form != isa.MIMG {
		for i, a := range list {
			in.SetField(vaddrFields[i], uint32(a.Reg))
		}
		copy(e.Words[:], in.Words[:])
		return
	}
	in.SetField(isa.FieldVaddr, uint32(list[0].Reg))
	extra := 0
	if o.Kind == KindList {
		extra = (len(list) + 2) / 4
		in.SetField(isa.FieldNsa, uint32(extra))
		for i, a := range list[1:] {
			in.Words[2+i/4] |= uint32(a.Reg) << (i % 4 * 8)
		}
	}
	copy(e.Words[:], in.Words[:])
	e.Dwords = c.dwords + uint8(extra)
}

// oldAddress checks the size of an address before gfx10. No modifier determines
// it there: it may be any size that a dimension with or without 16-bit
// coordinates can have.
func (m *Matcher) oldAddress(c *candidate, o *Operand, i int) bool {
	lo, hi := 1, 4
	if m.stmt.Mnemonic.sampler {
		lo, hi = samplerRange(c.enc)
	}
	n := int(o.Dwords)
	if o.Kind != KindReg || m.alignVGPRs && n > 1 && o.Reg&1 != 0 || n < lo || n > hi && !(n == 8 && hi > 4) {
		return m.errorAt(i, "invalid operand for instruction: an image address of %d registers, expected %d to %d", n, lo, hi)
	}
	m.writeAddress(c, o, m.addressesOf(o))
	return true
}

// samplerRange returns the range of address sizes of a sampling instruction.
func samplerRange(e isa.Enc) (lo, hi int) {
	const dim1D, dim3D = 0, 2
	half := isa.ImageAddrSize(e, isa.DimOf(dim1D), true, true)
	one := isa.ImageAddrSize(e, isa.DimOf(dim1D), false, false)
	three := isa.ImageAddrSize(e, isa.DimOf(dim3D), false, false)
	lo = half
	if three-one > 2 { // has gradients, which may be 16 bits wide
		lo--
	}
	return lo, max(three, 4)
}
