package inspect

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// use holds the registers of instructions: for each file, one more than the
// highest number.
type use struct {
	vgprs, agprs, sgprs int
	vcc, flatScratch    bool
	instructions        int
	undecodable         int
}

// inst counts the registers of an instruction.
func (u *use) inst(in *isa.Inst) {
	form := in.Enc.Form()
	switch form {
	case isa.VOPD, isa.VOPD3:
		u.dual(in)
		return
	case isa.FLAT:
		a := in.FlatAddress()
		if a.VDwords > 0 {
			u.vgpr(in.Field(isa.FieldVaddr), a.VDwords)
		}
		if a.SDwords > 0 {
			u.scalar(in, in.Field(isa.FieldSaddr)&^uint32(a.SDwords-1), a.SDwords) // the hardware ignores the low bit of a pair
		}
	case isa.MUBUF, isa.MTBUF:
		u.buffer(in)
	case isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		if !in.Enc.Traits().Any(isa.TraitTensor) { // tensor instructions have plain operands
			u.image(in)
		}
	case isa.SMEM, isa.SMRD:
		u.scalarOffset(in)
	case isa.EXP:
		u.export(in)
		return
	}
	if in.Enc.Traits().Any(isa.TraitUseVcc | isa.TraitDefVcc) {
		u.vcc = true
	}
	ops := in.Enc.Operands()
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Class == isa.ClassSdwam:
			if in.Field(isa.FieldSd) != 0 {
				n := int(in.Wave) / 32
				u.scalar(in, in.Field(isa.FieldSdst)&^uint32(n-1), n)
			} else {
				u.vcc = true
			}
		case o.Field == isa.FieldVcc:
			u.vcc = true
		case o.Class.Info().Files != 0:
			u.operand(in, o)
		}
	}
}

// operand counts an operand in a field of its own.
func (u *use) operand(in *isa.Inst, o *isa.OperandInfo) {
	if (o.Field == isa.FieldSrsrc || o.Field == isa.FieldRsrc) && in.Field(isa.FieldR128) != 0 {
		v := in.Operand(o)
		v.Dwords = 4 // half of an image's resource, although its text shows all of it
		u.value(in, v)
		return
	}
	if n, dwords, ok := in.PlainVGPR(o); ok {
		u.vgprs = max(u.vgprs, int(n)+max(int(dwords), 1))
		return
	}
	u.value(in, in.Operand(o))
}

func (u *use) value(in *isa.Inst, v isa.Value) {
	n := max(int(v.Dwords), 1)
	switch v.Kind {
	case isa.VGPRValue:
		u.vgprs = max(u.vgprs, int(v.Num)+n)
	case isa.AGPRValue:
		u.agprs = max(u.agprs, int(v.Num)+n)
	case isa.ScalarReg:
		u.scalar(in, uint32(v.Num), n)
	}
}

func (u *use) vgpr(n uint32, dwords int) { u.vgprs = max(u.vgprs, int(n)+dwords) }

// Scalar encodings of VCC, and of the flat scratch base before gfx10.
const (
	vccLo, vccHi = 106, 107
	flatGFX7     = 104
	flatGFX8     = 102
)

// scalar counts scalar registers by their encoding.
func (u *use) scalar(in *isa.Inst, code uint32, dwords int) {
	switch s := in.Set; {
	case int(code) < s.NumSGPRs():
		u.sgprs = max(u.sgprs, min(int(code)+dwords, s.NumSGPRs()))
	case code == vccLo, code == vccHi:
		u.vcc = true
	case s.Has(isa.PropFlatScratch104) && code&^1 == flatGFX7, s.Has(isa.PropFlatScratch102) && code&^1 == flatGFX8:
		u.flatScratch = true
	}
}

// dual counts the registers of both halves of a pair.
func (u *use) dual(in *isa.Inst) {
	for half, e := range [2]isa.Enc{in.Enc, in.DualY()} {
		if e == isa.NoEnc {
			continue
		}
		ops := e.Operands()
		for i := range ops {
			if ops[i].Class.Info().Files != 0 {
				u.value(in, in.DualOperand(&ops[i], half == 1))
			}
		}
		if e.Traits().Any(isa.TraitUseVcc | isa.TraitDefVcc) {
			u.vcc = true
		}
	}
}

// scalarOffset counts the register that a scalar memory instruction adds to its
// address.
func (u *use) scalarOffset(in *isa.Inst) {
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Field != isa.FieldOff {
			continue
		}
		if o := in.ScalarOffset(); o.Reg || in.Enc.Traits().Any(isa.TraitPrefetch) {
			u.scalar(in, o.SReg, 1)
		}
	}
}

// operandIn returns the operand in a field, or nil if the instruction has none.
func operandIn(in *isa.Inst, f isa.Field) *isa.OperandInfo {
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Field == f {
			return &ops[i]
		}
	}
	return nil
}

// buffer counts the address and the data of a buffer instruction.
func (u *use) buffer(in *isa.Inst) {
	if operandIn(in, isa.FieldAddr) == nil {
		return // a cache instruction without an address
	}
	if n := in.Field(isa.FieldOffen) + in.Field(isa.FieldIdxen) + 2*in.Field(isa.FieldAddr64); n > 0 {
		u.vgpr(in.Field(isa.FieldVaddr), int(n))
	}
	u.scalar(in, in.BufferResource()&^3, 4)
	u.value(in, in.Operand(&isa.OperandInfo{Field: isa.FieldSoffset, Class: isa.ClassS1, Type: isa.I32}))
	if o := operandIn(in, isa.FieldVdata); o != nil && in.Field(isa.FieldTfe) != 0 {
		v := in.Operand(o)
		v.Dwords++
		u.value(in, v)
	}
}

// image counts the address and the data of an image instruction.
func (u *use) image(in *isa.Inst) {
	a := in.ImageAddress()
	for i := range a.N {
		u.vgpr(uint32(a.Regs[i]), int(a.Dwords[i]))
	}
	if o := operandIn(in, isa.FieldVdata); o != nil {
		v := in.Operand(o)
		v.Dwords = uint8(in.ImageData())
		u.value(in, v)
	}
}

// export counts the sources of an export.
func (u *use) export(in *isa.Inst) {
	sources := [4]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3}
	en, compr := in.Field(isa.FieldEn), in.Field(isa.FieldCompr)
	for i, f := range sources {
		if compr != 0 {
			f = sources[i/2]
		}
		if en>>i&1 != 0 {
			u.vgpr(in.Field(f), 1)
		}
	}
}
