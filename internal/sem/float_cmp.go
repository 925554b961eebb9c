package sem

import "fmt"

// Outcomes of comparing two values: bits for sets of outcomes, and their
// indices.
const (
	onLess      = 1 << isLess
	onEqual     = 1 << isEqual
	onGreater   = 1 << isGreater
	onUnordered = 1 << isUnordered
)

const (
	isLess = iota
	isEqual
	isGreater
	isUnordered
)

// floatPredicates lists the comparisons with the outcomes for which each is
// true.
var floatPredicates = []struct {
	name string
	mask uint64
}{
	{"f", 0},
	{"lt", onLess},
	{"eq", onEqual},
	{"le", onLess | onEqual},
	{"gt", onGreater},
	{"lg", onLess | onGreater},
	{"ge", onGreater | onEqual},
	{"o", onLess | onEqual | onGreater},
	{"u", onUnordered},
	{"nge", onLess | onUnordered},
	{"nlg", onEqual | onUnordered},
	{"ngt", onLess | onEqual | onUnordered},
	{"nle", onGreater | onUnordered},
	{"neq", onLess | onGreater | onUnordered},
	{"nlt", onEqual | onGreater | onUnordered},
	{"t", onLess | onEqual | onGreater | onUnordered},
	{"tru", onLess | onEqual | onGreater | onUnordered},
}

// floatCompareRows lists v_cmp and v_cmpx of floats. v_cmps and v_cmpsx of gfx6
// and gfx7 have the same results.
func floatCompareRows() []Row {
	var rows []Row
	for _, t := range []Type{F16, F32, F64} {
		suffix := fmt.Sprint("f", t.Bits())
		for _, p := range floatPredicates {
			fn := compare(t, p.mask)
			if t == F32 {
				fn = compareF32(p.mask)
			}
			name := fmt.Sprintf("v_cmp_%s_%s v_cmpx_%[1]s_%[2]s", p.name, suffix)
			if t != F16 && p.name != "t" {
				name += fmt.Sprintf(" v_cmps_%s_%s v_cmpsx_%[1]s_%[2]s", p.name, suffix)
			}
			rows = append(rows, Row{Name: name, Sig: sig(Bool, t, t), Fn: fn})
		}
		mask := B32
		if t == F16 { // half of a register from gfx11 on
			mask = B16
		}
		rows = append(rows, Row{
			Name: fmt.Sprintf("v_cmp_class_%s v_cmpx_class_%[1]s", suffix),
			Sig:  sig(Bool, t, mask), Fn: class(formatOf[t]),
		})
	}
	return rows
}

// compare returns the comparison that is true for the outcomes in mask. Only
// signaling NaNs are invalid.
func compare(t Type, mask uint64) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, _ uint64) uint64 {
		r := c.rules(t)
		return mask >> f.outcome(c.source(f, r, s0), c.source(f, r, s1)) & 1
	}
}

// outcome compares two values.
func (f *format) outcome(a, b uint64) int {
	switch {
	case f.isNaN(a) || f.isNaN(b):
		return isUnordered
	case a == b || f.mag(a)|f.mag(b) == 0:
		return isEqual
	case f.order(a) < f.order(b):
		return isLess
	}
	return isGreater
}

// compareF32 is compare for f32. It uses the host's comparison where possible.
func compareF32(mask uint64) Func {
	slow := compare(F32, mask)
	return func(c *Ctx, s0, s1, _ uint64) uint64 {
		if !c.plain32(s0, s1) {
			return slow(c, s0, s1, 0)
		}
		outcome := isGreater
		if a, b := f32(s0), f32(s1); a < b {
			outcome = isLess
		} else if a == b {
			outcome = isEqual
		}
		return mask >> outcome & 1
	}
}

// The classes of v_cmp_class, as bits of its second source.
const (
	classSignaling = iota
	classQuiet
	classNegInf
	classNegNormal
	classNegDenormal
	classNegZero
	classZero
	classDenormal
	classNormal
	classInf
)

// class returns v_cmp_class of a format, which reports whether the second
// source has the bit of the class of the first. Nothing is flushed. Source:
// RDNA 3 ISA, V_CMP_CLASS_F32.
func class(f *format) Func {
	return func(_ *Ctx, s0, s1, _ uint64) uint64 { return s1 >> f.classify(s0) & 1 }
}

func (f *format) classify(v uint64) int {
	mag := f.mag(v)
	n := classNormal
	switch {
	case mag > f.inf && v&f.quiet == 0:
		return classSignaling
	case mag > f.inf:
		return classQuiet
	case mag == f.inf:
		n = classInf
	case mag == 0:
		n = classZero
	case f.exponent(v) == 0:
		n = classDenormal
	}
	if f.isNeg(v) {
		return classNegInf + classInf - n
	}
	return n
}
