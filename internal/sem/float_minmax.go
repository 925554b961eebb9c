package sem

import "github.com/gfx-toolchain/gfx/isa"

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
	}
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
	if c.Set.Gen() <= isa.Gen8 {
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
		case f.isNaN(a) && (!f.isNaN(b) || c.Set.Gen() < isa.Gen11):
			return b
		}
		return a
	}
	if (f.order(a) > f.order(b)) == larger {
		return a
	}
	return b
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
