package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Operand fields can encode registers that do not exist: tuples past the last
// VGPR, reserved scalar encodings, constants as destinations. The decoder
// accepts some of them; the simulator treats these instructions as illegal.
// TestOperandValues tests all values.

// badRegister returns a message that names a register of the instruction that
// does not exist, or "" if all exist.
func badRegister(in *isa.Inst) string {
	for _, u := range reguse.Of(in) {
		if why := badUse(in.Set, &u); why != "" {
			return why
		}
	}
	if in.Enc.Form() == isa.SMRD && reguse.FindOperand(in, isa.FieldOff) != nil {
		if off := in.ScalarOffset(); off.Reg && off.SReg >= endExec {
			return fmt.Sprintf("scalar offset %d is not a register", off.SReg)
		}
	}
	if f := in.Enc.Form(); (f == isa.MUBUF || f == isa.MTBUF) && in.BufferResource() >= endTTMPs {
		return fmt.Sprintf("the buffer resource at encoding %d is not in SGPRs", in.BufferResource())
	}
	if why := badImageWords(in); why != "" {
		return why
	}
	if f := in.Enc.Form(); f == isa.VOPD || f == isa.VOPD3 {
		half := func(y bool) func(*isa.OperandInfo) isa.Value {
			return func(o *isa.OperandInfo) isa.Value { return in.DualOperand(o, y) }
		}
		if why := badOperands(in.Set, in.Enc, half(false)); why != "" {
			return why
		}
		return badOperands(in.Set, in.DualY(), half(true))
	}
	return badOperands(in.Set, in.Enc, in.Operand)
}

// badImageWords checks that the resource and the sampler of an image instruction
// are in SGPRs.
func badImageWords(in *isa.Inst) string {
	if k := in.Enc.Image().Kind; k == isa.NotImage || k == isa.ImageRay {
		return ""
	}
	for _, x := range [...]struct {
		field isa.Field
		size  int
		what  string
	}{{isa.FieldSrsrc, 8, "resource"}, {isa.FieldRsrc, 8, "resource"}, {isa.FieldSsamp, 4, "sampler"}, {isa.FieldSamp, 4, "sampler"}} {
		p := reguse.FindOperand(in, x.field)
		if p == nil {
			continue
		}
		if v := in.Operand(p); v.Kind != isa.ScalarReg || int(v.Num)+x.size > endTTMPs {
			return fmt.Sprintf("the image %s at encoding %d is not in SGPRs", x.what, v.Num)
		}
	}
	return ""
}

// lastVGPR returns the number of the last VGPR that operands can name.
func lastVGPR(s isa.Set) int {
	if s.Has(isa.PropVgprs1024) {
		return wideVGPRs - 1
	}
	return numVGPRs - 1
}

// badUse checks a range of registers.
func badUse(s isa.Set, u *reguse.Use) string {
	first, n := u.First, reguse.Reg(u.N)
	switch {
	case first < reguse.AGPR && int(first+n) > lastVGPR(s)+1:
		return fmt.Sprintf("v[%d:%d] extends past v%d", first, first+n-1, lastVGPR(s))
	case first < reguse.AGPR, first == reguse.SCC:
		return ""
	case first < reguse.Scalar:
		if g := s.Gen(); s != isa.GFX908 && g != isa.Gen90A && g != isa.Gen940 {
			return s.String() + " has no AGPRs"
		}
		return ""
	}
	if code := int(first - reguse.Scalar); !scalarsExist(s, code, int(n)) {
		return fmt.Sprintf("%d scalar registers at encoding %d do not exist on %s", n, code, s)
	}
	return ""
}

// Scalar encodings, see package isa.
const (
	endSGPRs = 106 // including FLAT_SCRATCH and XNACK_MASK up to gfx9
	endVCC   = 108
	endTTMPs = 124 // including TBA and TMA up to gfx8
	endExec  = 128
)

// scalarsExist reports whether the n scalar registers from encoding code on
// exist and form a tuple.
func scalarsExist(s isa.Set, code, n int) bool {
	end := code + n
	switch {
	case code < endSGPRs && s.Has(isa.PropFlat):
		return end <= endSGPRs
	case code < endSGPRs:
		return end <= s.NumSGPRs()
	case code < endVCC:
		return end <= endVCC
	case code < endTTMPs:
		return end <= endTTMPs
	case code < sExec:
		return n == 1 && int32(code) == reguse.M0Code(s)
	}
	return end <= endExec
}

// badOperands checks operands that are not registers: constants as
// destinations, and values that the instruction set does not support.
func badOperands(s isa.Set, e isa.Enc, value func(*isa.OperandInfo) isa.Value) string {
	ops := e.Operands()
	for i := range ops {
		o := &ops[i]
		c := o.Class.Info()
		if c.Files == 0 {
			continue
		}
		v := value(o)
		register := v.Kind == isa.VGPRValue || v.Kind == isa.AGPRValue || v.Kind == isa.ScalarReg && v.Num < endExec
		switch {
		case o.Field == isa.FieldVdst && !register && v.Kind != isa.NoValue:
			return fmt.Sprintf("the destination with encoding %d is not a register", v.Num)
		case v.Kind == isa.LDSDirect && c.Files&isa.FileV == 0:
			return "lds_direct is not an operand of " + e.Name()
		case v.Kind == isa.ScalarReg && v.Num >= endExec && !specialExists(s, int32(v.Num)):
			return fmt.Sprintf("scalar source %d does not exist on %s", v.Num, s)
		case v.Kind == isa.InlineFP && v.Num == encInv2pi && !s.Has(isa.PropInv2pi):
			return "the constant 1/(2*pi) does not exist on " + s.String()
		}
	}
	return ""
}

// specialExists reports whether an instruction set has a given non-register
// scalar source: apertures exist since gfx9, the flat scratch base since gfx12.
func specialExists(s isa.Set, code int32) bool {
	return code >= encVCCZ || code&^1 == encFlatBaseLo && s.Has(isa.PropScratchGlobal) || code >= encSharedBase && s.Has(isa.PropApertureReg)
}
