// Package sem states what the operations of the instruction table compute, as
// pure functions of bit patterns: the simulator runs them lane by lane, and a
// compiler folds constants with them.
//
// A row names an instruction (isa.Op), the types of its result and sources and
// one function. What surrounds an operation is not its concern: which lanes are
// on, where operands stand, half selection (op_sel), the modifiers neg, abs,
// sext, omod and a float's clamp, DPP and SDWA. Packed operations (v_pk_*) are
// one row for one element.
//
// Rounding, denormals, NaN and integer clamping follow Ctx; the floating-point
// mode of the host is never relied upon. Instructions that touch memory,
// other lanes or the wave's state are the simulator's own.
//
// Sources: AMD's instruction set documents for GCN3, Vega, CDNA 1 to 3 and
// RDNA 1 to 3.
package sem

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Type is what an operand's bits mean. Values travel as uint64, zero-extended;
// bits above a type's size are 0 in sources and ignored in results.
type Type uint8

const (
	None Type = iota
	B8
	B16 // bits without a meaning
	B32
	B64
	B128
	I16 // two's complement
	I32
	I64
	U16
	U32
	U64
	F16
	BF16
	F32
	F64
	Bool // a bit: the result of a comparison, one lane of a mask, SCC
)

// Bits gives the size of a type in bits.
func (t Type) Bits() int { return int(typeBits[t]) }

var typeBits = [...]uint8{None: 0, B8: 8, B16: 16, B32: 32, B64: 64, B128: 128, I16: 16, I32: 32, I64: 64, U16: 16, U32: 32, U64: 64, F16: 16, BF16: 16, F32: 32, F64: 64, Bool: 1}

// Float reports whether neg and abs change the sign bit of a value of the
// type, and omod and clamp apply to it as a float.
func (t Type) Float() bool { return t == F16 || t == BF16 || t == F32 || t == F64 }

// Mode is the low bits of the MODE register: FP_ROUND, FP_DENORM, DX10_CLAMP
// and IEEE. Source: AMD's ISA documents, "Mode register".
type Mode uint16

// Round gives the rounding mode of f32, or of f64 and f16.
func (m Mode) Round(t Type) Round {
	if t == F32 {
		return Round(m & 3)
	}
	return Round(m >> 2 & 3)
}

// FlushIn and FlushOut report whether denormal sources and results of a type
// become zeros of their sign.
func (m Mode) FlushIn(t Type) bool  { return m.denorm(t)&1 == 0 }
func (m Mode) FlushOut(t Type) bool { return m.denorm(t)&2 == 0 }

func (m Mode) denorm(t Type) Mode {
	if t == F32 {
		return m >> 4 & 3
	}
	return m >> 6 & 3
}

// DX10Clamp reports whether clamping a NaN gives 0.
func (m Mode) DX10Clamp() bool { return m>>8&1 != 0 }

// IEEE reports whether signaling NaNs are made quiet by all operations.
func (m Mode) IEEE() bool { return m>>9&1 != 0 }

// Round is a rounding mode, as the MODE register numbers them.
type Round uint8

const (
	RoundNearestEven Round = iota
	RoundPlusInfinity
	RoundMinusInfinity
	RoundTowardZero
)

// Exceptions are floating-point and integer exceptions in the bit order of
// TRAPSTS.EXCP.
type Exceptions uint16

const (
	Invalid Exceptions = 1 << iota
	InputDenormal
	DivideByZero
	Overflow
	Underflow
	Inexact
	IntDivideByZero
)

// Ctx is what an operation computes under besides its operands.
type Ctx struct {
	Mode  Mode
	Set   isa.Set
	Clamp bool  // the clamp bit: integer operations saturate (those of floats are clamped afterwards)
	NegLo uint8 // raw neg_lo bits, for the dot products that read signedness from them
	OpSel uint8 // raw op_sel bits, for operations that select bytes by them
	Ovfl  bool  // MODE.FP16_OVFL: results of f16 and 8-bit floats that overflow are the largest finite number

	Track bool // whether exceptions are to be noted
	Excp  Exceptions
}

// raise notes exceptions when somebody wants to know.
func (c *Ctx) raise(e Exceptions) {
	if c.Track {
		c.Excp |= e
	}
}

// Func computes a result from up to three sources. Sources stand in the order of the
// assembler's text; where the instruction adds to its destination (v_fmac,
// v_dot4c, s_addk), the destination's old value is the last source.
type Func func(c *Ctx, s0, s1, s2 uint64) uint64

// FlagFunc is a Func that also takes or gives one bit: a lane of VCC or of a
// mask operand (carry, borrow, the choice of v_cndmask, the scale of
// v_div_scale and v_div_fmas), or SCC of scalar instructions.
type FlagFunc func(c *Ctx, s0, s1, s2 uint64, in bool) (d uint64, out bool)

// Row is one operation. Exactly one of Fn and Flag is set.
type Row struct {
	Name string // the instruction's, without an encoding suffix; several separated by blanks
	Sig  Sig
	Fn   Func
	Flag FlagFunc
}

// Sig is the types of an operation.
type Sig struct {
	Dst Type
	Src [3]Type
}

// sig writes a signature: the result, then the sources.
func sig(dst Type, src ...Type) (s Sig) {
	s.Dst = dst
	copy(s.Src[:], src)
	return s
}

// Of gives the row of an instruction, nil for one that has none.
func Of(op isa.Op) *Row { return index.Get()[op] }

// ByName gives the row of an instruction's name without an encoding suffix, nil when there is none.
func ByName(name string) *Row { return byName.Get()[name] }

var byName = lazy.Value[map[string]*Row]{Make: func() map[string]*Row {
	names := map[string]*Row{}
	for _, rows := range tables() {
		for i := range rows {
			for _, n := range strings.Fields(rows[i].Name) {
				if names[n] != nil {
					panic("BUG: two rows for " + n)
				}
				names[n] = &rows[i]
			}
		}
	}
	return names
}}

var index = lazy.Value[map[isa.Op]*Row]{Make: func() map[isa.Op]*Row {
	names := byName.Get()
	ops := map[isa.Op]*Row{}
	for e := range isa.Enc(isa.NumEncs()) {
		n := e.Name()
		if dual, ok := strings.CutPrefix(n, "v_dual_"); ok {
			n = dualName(dual)
		}
		if names[n] == nil && e.Traits().Any(isa.TraitUseMode) {
			n = scalarFloatName(n)
		}
		if r := names[n]; r != nil {
			ops[e.Op()] = r
		}
	}
	return ops
}}

// dualName gives the instruction that one half of a VOPD pair stands for.
func dualName(n string) string {
	if acc, ok := strings.CutPrefix(n, "dot2acc_"); ok {
		return "v_dot2c_" + acc
	}
	return "v_" + n
}

// scalarFloatName gives the vector instruction that a scalar operation on floats (gfx11.5)
// computes as: s_fmamk_f32 as v_fmamk_f32.
func scalarFloatName(n string) string {
	if rest, ok := strings.CutPrefix(n, "s_"); ok {
		return "v_" + rest
	}
	return n
}
