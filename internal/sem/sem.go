// Package sem defines the operations of the instruction table as pure functions
// of bit patterns. The simulator runs them lane by lane, and a compiler folds
// constants with them.
//
// A row has the name of an instruction (isa.Op), the types of its result and
// sources and one function. The context of an operation is the caller's
// concern: active lanes, operand locations, half selection (op_sel), the
// modifiers neg, abs, sext, omod and a float's clamp, DPP and SDWA. Packed
// operations (v_pk_*) are one row for one element.
//
// Rounding, denormals, NaN and integer clamping follow Ctx, never the
// floating-point mode of the host. The simulator itself implements the
// instructions that access memory, other lanes or the wave's state.
//
// Sources: AMD's instruction set documents for GCN3, Vega, CDNA 1 to 4 and RDNA
// 1 to 3.
package sem

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Type is the interpretation of an operand's bits. Values are passed as uint64,
// zero-extended; bits above a type's size are 0 in sources and ignored in
// results.
type Type uint8

const (
	None Type = iota
	B8
	B16 // uninterpreted bits
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

// Bits returns the size of a type in bits.
func (t Type) Bits() int { return int(typeBits[t]) }

var typeBits = [...]uint8{None: 0, B8: 8, B16: 16, B32: 32, B64: 64, B128: 128, I16: 16, I32: 32, I64: 64, U16: 16, U32: 32, U64: 64, F16: 16, BF16: 16, F32: 32, F64: 64, Bool: 1}

// Float reports whether neg and abs change the sign bit of a value of the type,
// and whether omod and clamp apply to it as a float.
func (t Type) Float() bool { return t == F16 || t == BF16 || t == F32 || t == F64 }

// Mode is the low bits of the MODE register: FP_ROUND, FP_DENORM, DX10_CLAMP
// and IEEE. Source: AMD's ISA documents, "Mode register".
type Mode uint16

// Round returns the rounding mode of f32, or of f64 and f16.
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

// Bits of Mode that gfx12 does not have: they are set there.
const (
	ModeDX10Clamp Mode = 1 << 8
	ModeIEEE      Mode = 1 << 9
)

// DX10Clamp reports whether clamping a NaN yields 0.
func (m Mode) DX10Clamp() bool { return m>>8&1 != 0 }

// IEEE reports whether all operations quiet signaling NaNs.
func (m Mode) IEEE() bool { return m>>9&1 != 0 }

// Round is a rounding mode, numbered as in the MODE register.
type Round uint8

const (
	RoundNearestEven Round = iota
	RoundPlusInfinity
	RoundMinusInfinity
	RoundTowardZero
)

// Exceptions is a set of floating-point and integer exceptions in the bit order
// of TRAPSTS.EXCP.
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

// Ctx holds the inputs of an operation other than its operands.
type Ctx struct {
	Mode  Mode
	Set   isa.Set
	Clamp bool  // the clamp bit: integer operations saturate (float results are clamped by ClampFloat)
	NegLo uint8 // raw neg_lo bits, from which some dot products read the signedness
	OpSel uint8 // raw op_sel bits, with which some operations select bytes
	BitOp uint8 // the truth table of v_bitop3: bit 4*s0+2*s1+s2 is the result for bits of the sources
	Ovfl  bool  // MODE.FP16_OVFL: overflow of f16 and 8-bit floats yields the largest finite number

	Track bool // record exceptions
	Excp  Exceptions
}

// raise records exceptions if Track is set.
func (c *Ctx) raise(e Exceptions) {
	if c.Track {
		c.Excp |= e
	}
}

// Func computes a result from up to three sources. The sources are in the order
// of the assembler's text. If the instruction adds to its destination (v_fmac,
// v_dot4c, s_addk), the destination's old value is the last source.
type Func func(c *Ctx, s0, s1, s2 uint64) uint64

// FlagFunc is a Func that also receives or returns one bit: a lane of VCC or of
// a mask operand (carry, borrow, the selection of v_cndmask, the scale of
// v_div_scale and v_div_fmas), or SCC of scalar instructions.
type FlagFunc func(c *Ctx, s0, s1, s2 uint64, in bool) (d uint64, out bool)

// Row is one operation. Exactly one of Fn and Flag is set.
type Row struct {
	Name string // instruction names without encoding suffixes, separated by blanks; see addOtherNames
	Sig  Sig
	Fn   Func
	Flag FlagFunc

	// ClampFormat reports that the clamp bit selects a format on sets with
	// fp8.e5m3, instead of clamping.
	ClampFormat bool
}

// Sig holds the types of an operation.
type Sig struct {
	Dst Type
	Src [3]Type
}

// sig returns a signature: the result, then the sources.
func sig(dst Type, src ...Type) (s Sig) {
	s.Dst = dst
	copy(s.Src[:], src)
	return s
}

// Of returns the row of an instruction, or nil.
func Of(op isa.Op) *Row { return index.Get()[op] }

// ByName returns the row of an instruction's name without an encoding suffix,
// or nil.
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
	addOtherNames(names)
	return names
}}

// addOtherNames adds the names that instructions have on other sets. A row has
// the name of the operation (isa.OperationNamed), which includes the other names
// without a row of their own.
func addOtherNames(names map[string]*Row) {
	for o := range isa.Operations() {
		all := o.Names()
		r := names[all[0].Name]
		if r == nil {
			continue
		}
		for _, n := range all[1:] {
			if n.Sets != 0 && names[n.Name] == nil {
				names[n.Name] = r
			}
		}
	}
}

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

// dualName returns the instruction that one half of a VOPD pair executes.
func dualName(n string) string {
	if acc, ok := strings.CutPrefix(n, "dot2acc_"); ok {
		return "v_dot2c_" + acc
	}
	if n == "bitop2_b32" { // without a third source
		n = "bitop3_b32"
	}
	return "v_" + n
}

// scalarFloatName returns the vector instruction with the semantics of a scalar
// operation on floats (gfx11.5): v_fmamk_f32 for s_fmamk_f32.
func scalarFloatName(n string) string {
	if rest, ok := strings.CutPrefix(n, "s_"); ok {
		return "v_" + rest
	}
	return n
}
