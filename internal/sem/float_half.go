package sem

import "math"

const (
	sign16 = 1 << 15
	inf16  = 0x7c00
)

// f16 converts a finite f16 number to float32.
func f16(v uint64) float32 {
	f := math.Float32frombits(uint32(v&^sign16)<<13) * 0x1p112
	if v&sign16 != 0 {
		return -f
	}
	return f
}

// toHalf rounds a number to the nearest f16.
func toHalf(f float64) uint64 {
	v := math.Float64bits(f)
	s, mag := v>>48&sign16, v&^(1<<63)
	switch {
	case mag >= 0x40f<<52: // 65536
		return s | inf16
	case mag < 0x3f1<<52: // below the normal numbers: an addition drops the bits
		return s | math.Float64bits(math.Float64frombits(mag)+0x1p28)&0xfff
	}
	mag += 1<<41 - 1 + mag>>42&1
	return s | (mag-0x3f0<<52)>>42
}

// quickHalf reports whether the host's arithmetic may be used: see quickMode.
// Denormals must be kept, and the sources must be finite.
func (c *Ctx) quickHalf(a, b uint64) bool {
	return c.Mode>>2&3 == 0 && c.Mode>>6&3 == 3 && !c.Track && !c.Ovfl && a&inf16 != inf16 && b&inf16 != inf16
}

// addF16 is immune to double rounding: a sum or product rounded to f32, which
// has more than twice as many bits as f16, rounds to f16 like the exact one.
func addF16(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickHalf(s0, s1) {
		return toHalf(float64(f16(s0) + f16(s1)))
	}
	return c.add(&half, c.rules(F16), s0, s1)
}

func subF16(c *Ctx, s0, s1, _ uint64) uint64 { return addF16(c, s0, s1^sign16, 0) }

func subrevF16(c *Ctx, s0, s1, _ uint64) uint64 { return addF16(c, s1, s0^sign16, 0) }

func mulF16(c *Ctx, s0, s1, _ uint64) uint64 {
	if c.quickHalf(s0, s1) {
		return toHalf(float64(f16(s0) * f16(s1)))
	}
	return c.mul(&half, c.rules(F16), s0, s1)
}

func fmaF16(c *Ctx, s0, s1, s2 uint64) uint64 {
	if c.quickHalf(s0, s1) && s2&inf16 != inf16 {
		if sum, exact := exactSum(float64(f16(s0))*float64(f16(s1)), float64(f16(s2))); exact {
			return toHalf(sum)
		}
	}
	return c.fma(&half, c.rules(F16), s0, s1, s2)
}

// exactSum returns a sum and whether it is exact (Knuth's TwoSum).
func exactSum(a, b float64) (float64, bool) {
	sum := a + b
	b1 := sum - a
	return sum, (a-(sum-b1))+(b-b1) == 0
}

func madF16(c *Ctx, s0, s1, s2 uint64) uint64 { return c.mad(&half, c.madRules(F16), s0, s1, s2) }

// MixF16 widens an f16 source of v_fma_mix and v_mad_mix to f32, which their
// rows expect. A NaN is not quieted.
func MixF16(c *Ctx, v uint64) uint64 {
	return c.convert(&half, &single, rules{flushIn: c.Mode.FlushIn(F16)}, v)
}

// mixRules returns the rules of f32 operations with an f16 result: sources
// follow the mode of f32, the result follows the mode of f16.
func (c *Ctx) mixRules() rules {
	r := c.rules(F16)
	r.flushIn = c.Mode.FlushIn(F32)
	return r
}

func fmaMixF16(c *Ctx, s0, s1, s2 uint64) uint64 {
	return c.fuse(&single, &half, c.mixRules(), s0, s1, s2, 0)
}

// madMixF16 rounds to f32 before rounding to f16.
func madMixF16(c *Ctx, s0, s1, s2 uint64) uint64 {
	r := c.mixRules()
	r.flushIn = false
	return c.convert(&single, &half, r, madF32(c, s0, s1, s2))
}
