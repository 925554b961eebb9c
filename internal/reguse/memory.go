package reguse

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// regForms handles the formats in which some operands have no separate field.
var regForms = lazy.Value[map[isa.Form]func(c *Collector)]{Make: func() map[isa.Form]func(c *Collector) {
	return map[isa.Form]func(c *Collector){
		isa.FLAT: (*Collector).flat, isa.MUBUF: (*Collector).buffer, isa.MTBUF: (*Collector).buffer,
		isa.MIMG: (*Collector).image, isa.VIMAGE: (*Collector).image, isa.VSAMPLE: (*Collector).image,
		isa.SMEM: (*Collector).scalarMemory, isa.SMRD: (*Collector).scalarMemory, isa.DS: (*Collector).lds,
	}
}}

// flat adds the address of a flat instruction.
func (c *Collector) flat() {
	in := c.in
	a := in.FlatAddress()
	if a.VDwords > 0 {
		c.vgprs(in.AddressVGPR(), a.VDwords, Read, RoleAddr)
	}
	if a.SDwords > 0 {
		c.scalar(int(in.Field(isa.FieldSaddr))&^(a.SDwords-1), a.SDwords, Read, RoleSBase)
	}
}

// buffer adds the address and the data of a buffer instruction. The data of an
// atomic operation is also its result if it returns the old value.
func (c *Collector) buffer() {
	in := c.in
	data := FindOperand(in, isa.FieldVdata)
	if FindOperand(in, isa.FieldAddr) == nil {
		return // cache instruction
	}
	if n := in.BufferVGPRs(); n > 0 {
		c.vgprs(in.AddressVGPR(), n, Read, RoleAddr)
	}
	c.scalar(int(in.BufferResource()&^3), 4, Read, RoleSBase)
	c.value(in.Operand(&isa.OperandInfo{Field: isa.FieldSoffset, Class: isa.ClassS1, Type: isa.I32}), Read, RoleSOffset)
	if data != nil {
		v := in.Operand(data)
		if in.Field(isa.FieldTfe) != 0 {
			v.Dwords++
		}
		how, role := c.vectorData()
		if c.traits.Any(isa.TraitLoad) && !c.traits.Any(isa.TraitStore) && (c.traits.Any(isa.TraitTied) || loadsHalf(in)) {
			how |= Merge
		}
		c.value(v, how, role)
	}
	c.skip = func(o *isa.OperandInfo) bool { return o.Field == isa.FieldVdata }
}

// vectorData returns the use and role of a buffer or image instruction's data
// operand.
func (c *Collector) vectorData() (How, Role) {
	load, store := c.traits.Any(isa.TraitLoad), c.traits.Any(isa.TraitStore)
	switch {
	case load && store && !GivesOld(c.in): // atomic operation
		return Read, RoleData
	case load && store:
		return Read | Write, RoleResult
	case load:
		return Write, RoleResult
	}
	return Read, RoleData
}

// GivesOld reports whether an atomic operation whose data and result are one
// operand returns the old value. The glc bit specifies it, sc0 since gfx940, or a
// bit of th.
func GivesOld(in *isa.Inst) bool {
	if in.HasField(isa.FieldGlc) || in.Enc.Form() == isa.VIMAGE {
		return in.CPol()&isa.CPolGLC != 0
	}
	return in.Enc.Traits().Any(isa.TraitRet)
}

// image adds the address and the data of an image instruction.
func (c *Collector) image() {
	in := c.in
	if c.traits.Any(isa.TraitTensor) {
		return // all operands are fields
	}
	a := in.ImageAddress()
	for i := range a.N {
		how := Read
		if a.Dwords[i] == 3 && in.Enc.MovesRay() { // origin and direction
			how |= Write
		}
		c.vgprs(uint32(a.Regs[i]), int(a.Dwords[i]), how, RoleAddr)
	}
	if o := FindOperand(in, isa.FieldVdata); o != nil {
		v := in.Operand(o)
		v.Dwords = uint8(in.ImageData())
		how, role := c.vectorData()
		c.value(v, how, role)
	}
	c.skip = func(o *isa.OperandInfo) bool { return o.Field == isa.FieldVdata }
	rsrc := isa.FieldSrsrc
	if in.Enc.Form() != isa.MIMG {
		rsrc = isa.FieldRsrc
	}
	if o := FindOperand(in, rsrc); o != nil && in.Field(isa.FieldR128) != 0 {
		v := in.Operand(o)
		v.Dwords = 4
		c.value(v, Read, RoleSBase)
		c.skip = func(o *isa.OperandInfo) bool { return o.Field == isa.FieldVdata || o.Field == rsrc }
	}
}

// scalarMemory adds the offset register of an address.
func (c *Collector) scalarMemory() {
	if FindOperand(c.in, isa.FieldOff) == nil {
		return
	}
	if off := c.in.ScalarOffset(); off.Reg {
		c.scalar(int(off.SReg), 1, Read, RoleSOffset)
	}
}

// lds removes M0 from instructions that do not read it. Before gfx9, M0 limits
// LDS addresses; later, only GDS and a few instructions use it. Source: AMD's
// ISA documents, "LDS instructions".
func (c *Collector) lds() {
	if c.in.Set.Has(isa.PropLdsM0) || c.traits.Any(isa.TraitGws) || c.in.Enc.Kinds().Any(isa.KindM0Lds) ||
		c.in.HasField(isa.FieldGds) && c.in.Field(isa.FieldGds) != 0 {
		return
	}
	c.traits &^= isa.TraitUseM0
}
