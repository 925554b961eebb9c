package sem

import "github.com/gfx-toolchain/gfx/isa"

// Neg changes the sign bit of a value of a float type, including NaNs; values
// of other types are returned unchanged.
func Neg(t Type, v uint64) uint64 {
	if !t.Float() {
		return v
	}
	return v ^ formatOf[t].sign
}

// Output modifiers of VOP3 and SDWA by field value.
const (
	OModNone uint8 = iota
	OModMul2
	OModMul4
	OModDiv2
)

// OMod applies an output modifier to the result of an operation of a float
// type; see AppliesOMod. A zero or denormal result becomes +0. A result that halving turns
// denormal becomes a zero with its sign.
//
// Source: RDNA 3 ISA, 7.2.3 "Output modifiers"; the zeros as measured on
// hardware.
func OMod(c *Ctx, t Type, v uint64, omod uint8) uint64 {
	if omod == OModNone || !t.Float() || !c.AppliesOMod(t) {
		return v
	}
	f := formatOf[t]
	e := f.exponent(v)
	switch {
	case f.mag(v) >= f.inf:
		return v
	case e == 0:
		return 0
	case omod == OModDiv2:
		if e == 1 {
			c.raise(Underflow | Inexact)
			return f.zero(f.isNeg(v))
		}
		return v - 1<<f.mant
	}
	if mag := f.mag(v) + uint64(omod)<<f.mant; mag < f.inf {
		return f.signed(f.isNeg(v), mag)
	}
	return c.overflow(f, c.rules(t), f.isNeg(v))
}

// AppliesOMod reports whether output modifiers have an effect: neither if
// denormal results of the type are kept nor in IEEE mode, which gfx12 does not
// have.
func (c *Ctx) AppliesOMod(t Type) bool {
	return c.Mode.FlushOut(t) && !(c.Mode.IEEE() && c.Set.Has(isa.PropFpMode))
}

// ClampFloat clamps the result of an operation of a float type to +0…1.0. A NaN
// becomes +0 in DX10 clamp mode and is returned unchanged otherwise.
func ClampFloat(c *Ctx, t Type, v uint64) uint64 {
	if !t.Float() {
		return v
	}
	f := formatOf[t]
	switch {
	case f.isNaN(v):
		if c.Mode.DX10Clamp() {
			return 0
		}
		return v
	case f.isNeg(v):
		return 0
	case v > f.one():
		return f.one()
	}
	return v
}
