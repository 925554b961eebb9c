package asm

import (
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Checks of image instructions.

// checkImage checks the modifiers, data and address of an image instruction,
// and writes the address.
func checkImage(d *dialect, c *cand, ops []operand) bool {
	m := &d.stmt.mods
	if m.on.has(mD16) && d.set.Gen() < isa.Gen8 {
		return d.atMod(mD16, "d16 modifier is not supported on %s", d.cpu())
	}
	dim := isa.DimOf(0)
	if c.mods.has(mDim) {
		dim = isa.DimOf(uint32(m.val[mDim]) & 7)
	}
	if strings.HasPrefix(d.stmt.m.text, "image_msaa") && !dim.MSAA {
		return d.atMod(mDim, "invalid dim; must be MSAA type")
	}
	if c.mods.has(mDMask) && !d.checkImageData(c, ops) {
		return false
	}
	for i := range c.specs {
		if c.specs[i].kind == specAddr && !d.imageAddress(c, &ops[i], i, dim) {
			return false
		}
	}
	return true
}

// checkImageData checks dmask and the size of the data.
func (d *dialect) checkImageData(c *cand, ops []operand) bool {
	m := &d.stmt.mods
	dmask := uint32(0)
	if m.seen.has(mDMask) {
		dmask = uint32(m.val[mDMask])
	}
	packed := d.packedD16 && c.mods.has(mD16)
	want := isa.ImageDataSize(c.enc, dmask, m.on.has(mD16), m.on.has(mTFE), d.packedD16)
	if int(ops[0].dwords) != want {
		what := "dmask"
		switch {
		case packed && c.mods.has(mTFE):
			what = "dmask, d16 and tfe"
		case packed:
			what = "dmask and d16"
		case c.mods.has(mTFE):
			what = "dmask and tfe"
		}
		return d.at(0, "image data size does not match %s: expected %d registers, found %d", what, want, ops[0].dwords)
	}
	atomic := c.traits.Has(isa.TraitLoad | isa.TraitStore)
	switch {
	case atomic && dmask != 1 && dmask != 3 && dmask != 15:
		return d.atMod(mDMask, "invalid atomic image dmask")
	case c.traits.Any(isa.TraitGather4) && (dmask == 0 || dmask&(dmask-1) != 0):
		return d.atMod(mDMask, "invalid image_gather dmask: only one bit must be set")
	}
	return true
}

// imageAddress checks and writes an image's address.
func (d *dialect) imageAddress(c *cand, o *operand, i int, dim *isa.Dim) bool {
	if d.set.Gen() < isa.Gen10 {
		return d.oldAddress(c, o, i)
	}
	m := &d.stmt.mods
	want := isa.ImageAddrSize(c.enc, dim, m.on.has(mA16), d.hasG16)
	list := d.addresses(o)
	have := 0
	for _, a := range list {
		have += int(a.dwords)
	}
	if rays := raysOf(d.stmt.m.text); rays != nil && o.kind == opList && d.set.Gen() >= isa.Gen11 {
		if !raysFit(rays.parts[bit(m.on.has(mA16))], list) {
			return d.at(i, "image address size does not match a16")
		}
		d.writeAddress(c, o, list)
		return true
	}
	if !d.addressFits(c, o, list, want, have) {
		return d.at(i, "image address size does not match dim and a16: expected %d registers, found %d", want, have)
	}
	d.writeAddress(c, o, list)
	return true
}

// addresses returns the registers of an address.
func (d *dialect) addresses(o *operand) []addr {
	s := &d.stmt
	if o.kind == opList {
		return s.list[:o.dwords]
	}
	s.list[0] = addr{o.reg, o.dwords, o.file}
	return s.list[:1]
}

// addressFits reports whether registers can form an address of want dwords.
func (d *dialect) addressFits(c *cand, o *operand, list []addr, want, have int) bool {
	if o.kind != opList {
		if c.form != isa.MIMG { // gfx12 has separate registers
			return have == want && have == 1
		}
		if want > 12 {
			want = 16
		}
		return have == want || have == 8 && want >= 5 && want <= 7
	}
	most := nsaMax(c.form, d.set)
	for i, a := range list {
		if a.file != isa.FileV || a.dwords != 1 && (i != len(list)-1 || len(list) != most) {
			return false
		}
	}
	return have == want && len(list) <= most && (d.set.Gen() >= isa.Gen11 || len(list) == want)
}

// rayParts lists the registers of the address of a ray tracing instruction of
// gfx11 and later, without and with a16.
type rayParts struct {
	name  string
	parts [2][]uint8
}

var rayTable = [...]rayParts{
	{"image_bvh_intersect_ray", [2][]uint8{{1, 1, 3, 3, 3}, {1, 1, 3, 3}}},
	{"image_bvh64_intersect_ray", [2][]uint8{{2, 1, 3, 3, 3}, {2, 1, 3, 3}}},
	{"image_bvh_dual_intersect_ray", [2][]uint8{{2, 2, 3, 3, 2}, {2, 2, 3, 3, 2}}},
	{"image_bvh8_intersect_ray", [2][]uint8{{2, 2, 3, 3, 1}, {2, 2, 3, 3, 1}}},
}

// raysOf returns the row of an instruction, nil for one that traces no rays.
func raysOf(name string) *rayParts {
	if !strings.HasPrefix(name, "image_bvh") {
		return nil
	}
	for i := range rayTable {
		if rayTable[i].name == name {
			return &rayTable[i]
		}
	}
	return nil
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// raysFit reports whether an address consists of the given parts.
func raysFit(parts []uint8, list []addr) bool {
	if len(list) != len(parts) {
		return false
	}
	for i, a := range list {
		if a.file != isa.FileV || a.dwords != parts[i] {
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
func (d *dialect) writeAddress(c *cand, o *operand, list []addr) {
	e := &d.enc
	in := d.inst(c.enc)
	if c.form != isa.MIMG {
		for i, a := range list {
			in.SetField(vaddrFields[i], uint32(a.reg))
		}
		copy(e.words[:], in.Words[:])
		return
	}
	in.SetField(isa.FieldVaddr, uint32(list[0].reg))
	extra := 0
	if o.kind == opList {
		extra = (len(list) + 2) / 4
		in.SetField(isa.FieldNsa, uint32(extra))
		for i, a := range list[1:] {
			in.Words[2+i/4] |= uint32(a.reg) << (i % 4 * 8)
		}
	}
	copy(e.words[:], in.Words[:])
	e.dwords = c.dwords + uint8(extra)
}

// oldAddress checks the size of an address before gfx10. No modifier determines
// it there: it may be any size that a dimension with or without 16-bit
// coordinates can have.
func (d *dialect) oldAddress(c *cand, o *operand, i int) bool {
	lo, hi := 1, 4
	if d.stmt.m.sampler {
		lo, hi = samplerRange(c.enc)
	}
	n := int(o.dwords)
	if o.kind != opReg || d.alignVGPRs && n > 1 && o.reg&1 != 0 || n < lo || n > hi && !(n == 8 && hi > 4) {
		return d.at(i, "invalid operand for instruction: an image address of %d registers, expected %d to %d", n, lo, hi)
	}
	d.writeAddress(c, o, d.addresses(o))
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
