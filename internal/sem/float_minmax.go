package sem

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// floatMinMaxRows lists selections. Sources are flushed, results are not.
func floatMinMaxRows() []Row {
	return []Row{
		{Name: "v_min_f32", Sig: sig(F32, F32, F32), Fn: minF32},
		{Name: "v_max_f32", Sig: sig(F32, F32, F32), Fn: maxF32},
		{Name: "v_min3_f32", Sig: sig(F32, F32, F32, F32), Fn: nested(minF32, minF32)},
		{Name: "v_max3_f32", Sig: sig(F32, F32, F32, F32), Fn: nested(maxF32, maxF32)},
		{Name: "v_minmax_f32", Sig: sig(F32, F32, F32, F32), Fn: nested(minF32, maxF32)},
		{Name: "v_maxmin_f32", Sig: sig(F32, F32, F32, F32), Fn: nested(maxF32, minF32)},
		{Name: "v_med3_f32", Sig: sig(F32, F32, F32, F32), Fn: med3F32},

		{Name: "v_min_f16 v_pk_min_f16", Sig: sig(F16, F16, F16), Fn: minF16},
		{Name: "v_max_f16 v_pk_max_f16", Sig: sig(F16, F16, F16), Fn: maxF16},
		{Name: "v_min3_f16", Sig: sig(F16, F16, F16, F16), Fn: nested(minF16, minF16)},
		{Name: "v_max3_f16", Sig: sig(F16, F16, F16, F16), Fn: nested(maxF16, maxF16)},
		{Name: "v_minmax_f16", Sig: sig(F16, F16, F16, F16), Fn: nested(minF16, maxF16)},
		{Name: "v_maxmin_f16", Sig: sig(F16, F16, F16, F16), Fn: nested(maxF16, minF16)},
		{Name: "v_med3_f16", Sig: sig(F16, F16, F16, F16), Fn: med3F16},

		{Name: "v_min_f64", Sig: sig(F64, F64, F64), Fn: minF64},
		{Name: "v_max_f64", Sig: sig(F64, F64, F64), Fn: maxF64},

		{Name: "v_min_legacy_f32", Sig: sig(F32, F32, F32), Fn: minLegacyF32},
		{Name: "v_max_legacy_f32", Sig: sig(F32, F32, F32), Fn: maxLegacyF32},
	}
}

// floatMinMax2019Rows lists the selections of IEEE 754-2019 (gfx12, in part
// gfx950): minimumNumber and maximumNumber (…_num), which ignore NaNs, and
// minimum and maximum, which propagate them.
func floatMinMax2019Rows() []Row {
	var rows []Row
	for _, t := range []Type{F16, F32, F64} {
		suffix := fmt.Sprint("_f", t.Bits())
		minNum, maxNum := number(t, false), number(t, true)
		minimum, maximum := extremum(t, false), extremum(t, true)
		two, three := sig(t, t, t), sig(t, t, t, t)
		name := func(names ...string) string {
			for i := range names {
				names[i] += suffix
			}
			return strings.Join(names, " ")
		}
		if t == F64 {
			rows = append(rows,
				Row{Name: name("v_min_num"), Sig: two, Fn: minNum}, Row{Name: name("v_max_num"), Sig: two, Fn: maxNum},
				Row{Name: name("v_minimum"), Sig: two, Fn: minimum}, Row{Name: name("v_maximum"), Sig: two, Fn: maximum})
			continue
		}
		packed := func(n string) string {
			if t == F16 {
				return name("v_"+n, "v_pk_"+n)
			}
			return name("v_" + n)
		}
		rows = append(rows,
			Row{Name: packed("min_num"), Sig: two, Fn: minNum},
			Row{Name: packed("max_num"), Sig: two, Fn: maxNum},
			Row{Name: packed("min3_num"), Sig: three, Fn: nested(minNum, minNum)},
			Row{Name: packed("max3_num"), Sig: three, Fn: nested(maxNum, maxNum)},
			Row{Name: name("v_minmax_num"), Sig: three, Fn: nested(minNum, maxNum)},
			Row{Name: name("v_maxmin_num"), Sig: three, Fn: nested(maxNum, minNum)},
			Row{Name: name("v_med3_num"), Sig: three, Fn: medianNumber(t)},
			Row{Name: packed("minimum") + " s_minimum" + suffix, Sig: two, Fn: minimum},
			Row{Name: packed("maximum") + " s_maximum" + suffix, Sig: two, Fn: maximum},
			Row{Name: packed("minimum3"), Sig: three, Fn: nested(minimum, minimum)},
			Row{Name: packed("maximum3"), Sig: three, Fn: nested(maximum, maximum)},
			Row{Name: name("v_minimummaximum"), Sig: three, Fn: nested(minimum, maximum)},
			Row{Name: name("v_maximumminimum"), Sig: three, Fn: nested(maximum, minimum)})
	}
	return rows
}

// number returns minimumNumber or maximumNumber of a type. A NaN loses to any
// number; of two NaNs the first is returned, quiet. Source: RDNA 4 ISA,
// V_MIN_NUM_F32 and V_MAX_NUM_F32.
func number(t Type, larger bool) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, _ uint64) uint64 { return c.pickNumber(f, s0, s1, larger) }
}

func (c *Ctx) pickNumber(f *format, a, b uint64, larger bool) uint64 {
	r := c.rules(f.typ)
	a, b = c.source(f, r, a), c.source(f, r, b)
	switch {
	case f.isNaN(a) && f.isNaN(b):
		return a | f.quiet
	case f.isNaN(a):
		return b
	case f.isNaN(b):
		return a
	}
	return f.ordered(a, b, larger)
}

// extremum returns minimum or maximum of a type. A NaN wins over any number, a
// signaling one over a quiet one, and is returned quiet. Source: RDNA 4 ISA,
// V_MINIMUM_F32 and V_MAXIMUM_F32.
func extremum(t Type, larger bool) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, _ uint64) uint64 {
		r := c.rules(t)
		a, b := c.source(f, r, s0), c.source(f, r, s1)
		switch {
		case f.isSignaling(a), f.isNaN(a) && !f.isSignaling(b):
			return a | f.quiet
		case f.isNaN(b):
			return b | f.quiet
		}
		return f.ordered(a, b, larger)
	}
}

// medianNumber returns v_med3_num of a type: the middle one of three values, or
// minimumNumber of them if one is a NaN. Source: RDNA 4 ISA, V_MED3_NUM_F32.
func medianNumber(t Type) Func {
	f := formatOf[t]
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		if f.isNaN(s0) || f.isNaN(s1) || f.isNaN(s2) {
			return c.pickNumber(f, c.pickNumber(f, s0, s1, false), s2, false)
		}
		return c.median(f, c.rules(t), [3]uint64{s0, s1, s2})
	}
}

// ordered returns the smaller or the larger of two values that are not NaNs.
func (f *format) ordered(a, b uint64, larger bool) uint64 {
	if (f.order(a) > f.order(b)) == larger {
		return a
	}
	return b
}

// order maps values other than NaNs to numbers of the same order, -0 below +0.
func (f *format) order(v uint64) uint64 {
	if v&f.sign != 0 {
		return ^v & (f.sign<<1 - 1)
	}
	return v | f.sign
}

// selectRules returns the rules of minimum and maximum. Before GFX9 they pass
// denormals through in all modes. Source: LLVM's hasMinMaxDenormModes.
func (c *Ctx) selectRules(t Type) rules {
	r := c.rules(t)
	if !c.Set.Has(isa.PropMinmaxDenorm) {
		r.flushIn = false
	}
	return r
}

// pick returns the larger or smaller of two values. In IEEE mode a signaling
// NaN takes precedence and is quieted; any other NaN loses. Of two quiet NaNs,
// GFX11 returns the first, others return the second. Source: V_MIN_F32 and
// V_MAX_F32 in the CDNA 3 and RDNA 3 ISA.
func (c *Ctx) pick(f *format, r rules, a, b uint64, larger bool) uint64 {
	a, b = c.source(f, r, a), c.source(f, r, b)
	if f.isNaN(a) || f.isNaN(b) {
		switch {
		case r.quiet && f.isSignaling(a):
			return a | f.quiet
		case r.quiet && f.isSignaling(b):
			return b | f.quiet
		case f.isNaN(a) && (!f.isNaN(b) || !c.Set.Has(isa.PropMinmaxFirst)):
			return b
		}
		return a
	}
	return f.ordered(a, b, larger)
}

// median returns the middle one of three values, or the least if one is a NaN.
func (c *Ctx) median(f *format, r rules, v [3]uint64) uint64 {
	for i := range v {
		if f.isNaN(v[i]) {
			return c.pick(f, r, c.pick(f, r, v[0], v[1], false), v[2], false)
		}
	}
	for i := range v {
		v[i] = c.source(f, r, v[i])
	}
	lo, hi := v[0], v[1]
	if f.order(lo) > f.order(hi) {
		lo, hi = hi, lo
	}
	switch o := f.order(v[2]); {
	case o < f.order(lo):
		return lo
	case o > f.order(hi):
		return hi
	}
	return v[2]
}

// nested applies an operation to two sources, and another one to the result and
// the third source.
func nested(first, second Func) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 { return second(c, first(c, s0, s1, 0), s2, 0) }
}

// plain32 reports whether f32 sources can be compared directly: they are not
// NaNs, need no flushing and raise no exceptions.
func (c *Ctx) plain32(a, b uint64) bool {
	return uint32(a)&^sign32 <= inf32 && uint32(b)&^sign32 <= inf32 &&
		(c.Mode>>4&1 != 0 && !c.Track || zeroOrNormal32(a) && zeroOrNormal32(b))
}

func order32(v uint64) int32 { return int32(v) ^ int32(v)>>31&(1<<31-1) }

func minF32(c *Ctx, s0, s1, _ uint64) uint64 {
	if !c.plain32(s0, s1) {
		return c.pick(&single, c.selectRules(F32), s0, s1, false)
	}
	if order32(s0) < order32(s1) {
		return s0
	}
	return s1
}

func maxF32(c *Ctx, s0, s1, _ uint64) uint64 {
	if !c.plain32(s0, s1) {
		return c.pick(&single, c.selectRules(F32), s0, s1, true)
	}
	if order32(s0) > order32(s1) {
		return s0
	}
	return s1
}

func med3F32(c *Ctx, s0, s1, s2 uint64) uint64 {
	return c.median(&single, c.selectRules(F32), [3]uint64{s0, s1, s2})
}

func minF16(c *Ctx, s0, s1, _ uint64) uint64 {
	return c.pick(&half, c.selectRules(F16), s0, s1, false)
}

func maxF16(c *Ctx, s0, s1, _ uint64) uint64 {
	return c.pick(&half, c.selectRules(F16), s0, s1, true)
}

func med3F16(c *Ctx, s0, s1, s2 uint64) uint64 {
	return c.median(&half, c.selectRules(F16), [3]uint64{s0, s1, s2})
}

func minF64(c *Ctx, s0, s1, _ uint64) uint64 {
	return c.pick(&double, c.selectRules(F64), s0, s1, false)
}

func maxF64(c *Ctx, s0, s1, _ uint64) uint64 {
	return c.pick(&double, c.selectRules(F64), s0, s1, true)
}

// minLegacyF32 and maxLegacyF32 are the selections s0 < s1 ? s0 : s1 and
// s0 >= s1 ? s0 : s1 (gfx6, gfx7), so the second source replaces a NaN. Source:
// AMD's Southern Islands ISA, V_MIN_LEGACY_F32 and V_MAX_LEGACY_F32.
func minLegacyF32(c *Ctx, s0, s1, _ uint64) uint64 { return c.selectLegacy(s0, s1, onLess) }

func maxLegacyF32(c *Ctx, s0, s1, _ uint64) uint64 { return c.selectLegacy(s0, s1, onGreater|onEqual) }

// selectLegacy returns the first f32 if its comparison with the second has an
// outcome in first, and otherwise the second.
func (c *Ctx) selectLegacy(s0, s1 uint64, first int) uint64 {
	r := c.selectRules(F32)
	a, b := c.source(&single, r, s0), c.source(&single, r, s1)
	if first>>single.outcome(a, b)&1 != 0 {
		return a
	}
	return b
}
