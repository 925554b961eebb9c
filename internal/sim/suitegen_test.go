package sim

import (
	"math/rand/v2"

	"github.com/gfx-toolchain/gfx/isa"
)

// instGen generates random instructions of one instruction set and wave size.
type instGen struct {
	rng *rand.Rand
	set isa.Set
	dec *isa.Decoder
}

// Registers in random operands: few, so that they overlap.
const (
	suiteVGPRs = 20
	suiteSGPRs = 24
)

// modifierFields lists the fields of ALU instructions that are not operands.
// They receive random values that the decoder accepts.
var modifierFields = []isa.Field{
	isa.FieldClamp, isa.FieldOmod, isa.FieldNeg, isa.FieldAbs, isa.FieldOpSel, isa.FieldNegHi, isa.FieldOpSelHi, isa.FieldOpSelHi2,
	isa.FieldDppCtrl, isa.FieldDpp8, isa.FieldRowMask, isa.FieldBankMask, isa.FieldBoundCtrl, isa.FieldFi,
	isa.FieldDstSel, isa.FieldDstUnused, isa.FieldSrc0Sel, isa.FieldSrc1Sel,
	isa.FieldSrc0Neg, isa.FieldSrc0Abs, isa.FieldSrc0Sext, isa.FieldSrc1Neg, isa.FieldSrc1Abs, isa.FieldSrc1Sext,
	isa.FieldSrc0S, isa.FieldSrc1S, isa.FieldSd, isa.FieldCbsz, isa.FieldAbid, isa.FieldBlgp,
}

// random returns a random instruction of an encoding. ok is false if the
// decoder rejected many attempts.
func (g *instGen) random(e isa.Enc, lanes int) (in isa.Inst, ok bool) {
	plain, ok := isa.Sample(e, g.set, lanes)
	if !ok {
		return in, false
	}
	for try := range 200 {
		in = plain
		g.operands(&in)
		if try%4 != 3 {
			g.modifiers(&in, try)
		}
		g.literal(&in)
		out, n, err := g.dec.Decode(append(isa.Encode(nil, &in), make([]byte, 8)...))
		if err == nil && n == int(in.Size) && (out.Enc == e || out.DualY() == e) {
			return out, true
		}
	}
	return in, false
}

// operands sets random operands, for both halves of a pair.
func (g *instGen) operands(in *isa.Inst) {
	switch in.Enc.Form() {
	case isa.VOPD:
		for _, f := range []isa.Field{isa.FieldSrc0X, isa.FieldSrc0Y} {
			in.SetField(f, g.source9(isa.ClassInfo{}))
		}
		for _, f := range []isa.Field{isa.FieldSrc1X, isa.FieldSrc1Y, isa.FieldVdstX, isa.FieldVdstY} {
			in.SetField(f, g.rng.Uint32N(suiteVGPRs))
			if f != isa.FieldVdstX && f != isa.FieldVdstY && g.rng.IntN(3) == 0 {
				in.SetField(f, 0) // operations without a second source
			}
		}
		return
	}
	ops := in.Enc.Operands()
	for i := range ops {
		g.operand(in, &ops[i])
	}
}

func (g *instGen) operand(in *isa.Inst, o *isa.OperandInfo) {
	c := o.Class.Info()
	width := in.Place(o.Field).Width
	switch {
	case o.Field == isa.FieldSimm16 || o.Field == isa.FieldImm:
		in.SetField(o.Field, g.rng.Uint32())
	case c.Files == 0 || width == 0:
		// a modifier
	case width == 9 && in.Enc.Traits().Any(isa.TraitScales) && c.Flags&isa.Lo256 != 0 && g.rng.IntN(4) != 0: // scales of v_wmma
		in.SetField(o.Field, []uint32{256 + g.vector(c), g.rng.Uint32N(suiteSGPRs) &^ 1, 128}[g.rng.IntN(3)])
	case width == 9:
		in.SetField(o.Field, g.source9(c))
	case c.Files&isa.FileV == 0 && c.Files&isa.FileA == 0:
		in.SetField(o.Field, g.scalar(c.Files&isa.FileC != 0))
	case o.Field != isa.FieldVdst && in.HasField(isa.FieldSrc0S) && g.rng.IntN(3) == 0: // SDWA
		in.SetField(o.Field, g.scalar(true))
	default:
		in.SetField(o.Field, g.vector(c))
	}
}

// source9 returns a source that is a VGPR, a scalar or a constant.
func (g *instGen) source9(c isa.ClassInfo) uint32 {
	if c.Files != 0 && c.Files&(isa.FileS|isa.FileC) == 0 || g.rng.IntN(5) < 3 {
		return 256 + g.vector(isa.ClassInfo{Dwords: c.Dwords})
	}
	return g.scalar(true)
}

// vector returns a VGPR. If bit 7 of the operand selects a register half,
// either half is chosen.
func (g *instGen) vector(c isa.ClassInfo) uint32 {
	n := g.rng.Uint32N(suiteVGPRs)
	if c.Flags&isa.Lo128 != 0 || c.Dwords == 0 && g.rng.IntN(4) == 0 {
		n |= g.rng.Uint32N(2) << 7
	}
	if g.rng.IntN(64) == 0 {
		n = 255
	}
	if c.Dwords > 1 && g.set.Has(isa.PropEvenTuples) {
		n &^= 1
	}
	return n
}

// scalar returns a scalar register, or a constant if they are allowed.
func (g *instGen) scalar(constants bool) uint32 {
	special := []uint32{106, 107, 108, 102, 124, 126, 127}
	if g.set.Has(isa.PropFlat) {
		special = append(special, 104)
	}
	if g.set.Has(isa.PropNull) {
		special = append(special, 125)
	}
	switch k := g.rng.IntN(16); {
	case k < 6 || !constants && k < 12:
		n := g.rng.Uint32N(suiteSGPRs)
		if g.rng.IntN(2) == 0 {
			n &^= 1
		}
		return n
	case k < 8 || !constants:
		return special[g.rng.IntN(len(special))]
	case k < 10:
		return 128 + g.rng.Uint32N(81)
	case k < 12:
		if !g.set.Has(isa.PropInv2pi) {
			return 240 + g.rng.Uint32N(8)
		}
		return 240 + g.rng.Uint32N(9)
	case k < 14:
		return 255
	}
	values := []uint32{251, 252, 253, 235, 236, 237, 238}
	if !g.set.Has(isa.PropApertureReg) {
		values = values[:3]
	}
	return values[g.rng.IntN(len(values))]
}

// modifiers sets random modifiers.
func (g *instGen) modifiers(in *isa.Inst, try int) {
	for _, f := range []isa.Field{isa.FieldRowMask, isa.FieldBankMask} {
		in.SetField(f, 15)
	}
	for _, f := range modifierFields {
		p := in.Place(f)
		if p.Width == 0 || g.rng.IntN(2+try/20) != 0 {
			continue
		}
		v := g.rng.Uint32()
		switch f {
		case isa.FieldDppCtrl:
			v = g.dppCtrl(in)
		case isa.FieldDstSel, isa.FieldSrc0Sel, isa.FieldSrc1Sel:
			v = g.rng.Uint32N(7)
		case isa.FieldDstUnused:
			v = g.rng.Uint32N(3)
		case isa.FieldRowMask, isa.FieldBankMask:
			v |= 15 * g.rng.Uint32N(2)
		}
		in.SetField(f, v)
	}
	if v := in.Enc.Variant(); v == isa.DPP8 || v == isa.DPP864 {
		in.SetFetchInactive(g.rng.IntN(2) == 0)
	}
	if in.Enc.Form() == isa.VOP3P {
		in.SetOpSelHi(g.rng.Uint32N(8))
	}
}

// dppCtrl returns a DPP control that the decoder may accept.
func (g *instGen) dppCtrl(in *isa.Inst) uint32 {
	old := []uint32{0x130, 0x134, 0x138, 0x13c, 0x142, 0x143}
	switch g.rng.IntN(5) {
	case 0:
		return g.rng.Uint32N(0x100)
	case 1:
		return []uint32{0x100, 0x110, 0x120}[g.rng.IntN(3)] + 1 + g.rng.Uint32N(15)
	case 2:
		return 0x140 + g.rng.Uint32N(2)
	case 3:
		return 0x150 + g.rng.Uint32N(32)
	}
	return old[g.rng.IntN(len(old))]
}

// literal appends a literal to an instruction that has one.
func (g *instGen) literal(in *isa.Inst) {
	size := in.LiteralSize()
	fields := []isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc0X, isa.FieldSrc0Y}
	for _, f := range fields {
		if in.Enc.Variant() != isa.SDWA && !in.Enc.Variant().IsDPP() && in.HasField(f) && in.Place(f).Width >= 8 && in.Field(f) == 255 && (in.Place(f).Width == 9 || in.Enc.Form() <= isa.SOPC) {
			size = 4
		}
	}
	if size > 0 {
		in.SetLiteral(uint64(edge32(g.rng)), size)
	}
}

// edge32 returns a random dword, often an edge case.
func edge32(r *rand.Rand) uint32 {
	switch r.IntN(8) {
	case 0:
		return r.Uint32()
	case 1:
		return r.Uint32() & 0xff
	case 2:
		return uint32(edge16(r)) | uint32(edge16(r))<<16
	}
	return edges32[r.IntN(len(edges32))] ^ r.Uint32N(2)*r.Uint32N(4)
}

func edge16(r *rand.Rand) uint16 { return edges16[r.IntN(len(edges16))] ^ uint16(r.Uint32N(4)) }

var edges32 = [...]uint32{
	0, 1, 2, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xffff, 0x10000, 0x8000, 0x7fff, 0xff, 0x80,
	0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x40490fdb, 0xc2f6e979, 0x447a0000, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000,
	0x00800000, 0x80800000, 0x007fffff, 0x00000001, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 0xff800001,
	0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x33800000, 0x477fe000, 0x47800000, 0x38800000, 0x387fc000,
}

var edges16 = [...]uint16{
	0, 1, 0x8000, 0xffff, 0x7fff, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x0400, 0x8400, 0x03ff, 0x83ff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7d01, 0xfd01,
	0x7bff, 0xfbff, 0x3bff, 0x3555, 0x5640, 0x00ff, 0x0100, 0x1000,
}

// edge64 returns a random quadword, often a double.
func edge64(r *rand.Rand) uint64 {
	if r.IntN(4) == 0 {
		return uint64(edge32(r)) | uint64(edge32(r))<<32
	}
	return edges64[r.IntN(len(edges64))] ^ r.Uint64N(2)*r.Uint64N(4)
}

var edges64 = [...]uint64{
	0, 1, 63, 64, 1 << 63, 1<<63 - 1, 1<<64 - 1, 1 << 32, 1<<32 - 1,
	0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x4000000000000000, 0x400921fb54442d18, 0xc08f400000000000,
	0x0010000000000000, 0x000fffffffffffff, 0x8000000000000001, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8123456789abc,
	0x7ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x41e0000000000000, 0x41efffffffe00000, 0x3810000000000000, 0x3690000000000000, 0x47efffffe0000000,
}
