package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Operand fields can hold numbers that no register has: tuples past the last VGPR,
// reserved scalar encodings, constants as destinations. Decoding takes some of them.
// Such an instruction is illegal here. TestOperandValues tries all values.

// badRegister says which register of an instruction does not exist; "" if all do.
func badRegister(in *isa.Inst) string {
	for _, u := range reguse.Of(in) {
		if why := badUse(in.Set, &u); why != "" {
			return why
		}
	}
	if in.Enc.Form() == isa.VOPD {
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

// badUse looks at a range of registers.
func badUse(s isa.Set, u *reguse.Use) string {
	first, n := u.First, reguse.Reg(u.N)
	switch {
	case first < reguse.AGPR && first+n > reguse.AGPR:
		return fmt.Sprintf("v[%d:%d] reaches past v255", first, first+n-1)
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
	endSGPRs = 106 // with FLAT_SCRATCH and XNACK_MASK up to gfx9
	endVCC   = 108
	endTTMPs = 124 // TBA and TMA are among them up to gfx8
	endExec  = 128
)

// scalarsExist reports whether n scalar registers from an encoding on exist and are
// one tuple.
func scalarsExist(s isa.Set, code, n int) bool {
	end := code + n
	switch {
	case code < endSGPRs:
		return end <= endSGPRs
	case code < endVCC:
		return end <= endVCC
	case code < endTTMPs:
		return end <= endTTMPs
	case code < sExec:
		return n == 1 && int32(code) == reguse.M0Code(s)
	}
	return end <= endExec
}

// badOperands looks at operands that are no registers: constants as destinations and
// values that the instruction set does not have.
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
			return fmt.Sprintf("the destination with encoding %d is no register", v.Num)
		case v.Kind == isa.LDSDirect && c.Files&isa.FileV == 0:
			return "lds_direct is no operand of " + e.Name()
		case v.Kind == isa.ScalarReg && v.Num >= endExec && !specialExists(s, int32(v.Num)):
			return fmt.Sprintf("scalar source %d does not exist on %s", v.Num, s)
		}
	}
	return ""
}

// specialExists reports whether an instruction set has a scalar source that is no register:
// apertures came with gfx9, flat scratch's base with gfx12.
func specialExists(s isa.Set, code int32) bool {
	return code >= encVCCZ || code >= encSharedBase && s.Gen() >= isa.Gen9
}
