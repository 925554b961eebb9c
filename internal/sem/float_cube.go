package sem

// floatCubeRows lists the operations that find the face of a cube that a
// direction (sources 0 to 2: x, y, z) points at, and the coordinates on it. On
// ties, Z takes precedence over Y, and Y over X. Denormal magnitudes compare as
// zeros in all modes; coordinates are passed through. Source: RDNA 3 ISA,
// V_CUBEID_F32 and following.
func floatCubeRows() []Row {
	return []Row{
		{Name: "v_cubeid_f32", Sig: sig(F32, F32, F32, F32), Fn: cubeID},
		{Name: "v_cubesc_f32", Sig: sig(F32, F32, F32, F32), Fn: cubeSC},
		{Name: "v_cubetc_f32", Sig: sig(F32, F32, F32, F32), Fn: cubeTC},
		{Name: "v_cubema_f32", Sig: sig(F32, F32, F32, F32), Fn: cubeMA},
	}
}

// The axes of a cube.
const (
	axisX = iota
	axisY
	axisZ
)

// majorAxis returns the axis of the largest coordinate and whether it is
// negative.
func majorAxis(c *Ctx, x, y, z uint64) (axis int, major uint64, neg bool) {
	flush := c.rules(F32)
	flush.flushIn = true
	mag := func(v uint64) uint64 { return single.mag(c.source(&single, flush, v)) }
	ax, ay, az := mag(x), mag(y), mag(z)
	axis, major = axisX, x
	switch {
	case max(ax, ay, az) == az && az <= inf32:
		axis, major = axisZ, z
	case max(ax, ay) == ay && ay <= inf32:
		axis, major = axisY, y
	}
	m := single.mag(major)
	return axis, major, single.isNeg(major) && m >= min32 && m <= inf32
}

func cubeID(c *Ctx, s0, s1, s2 uint64) uint64 {
	axis, _, neg := majorAxis(c, s0, s1, s2)
	face := 2 * float64(axis)
	if neg {
		face++
	}
	return c.fromFloat64(&single, rules{}, face)
}

func cubeSC(c *Ctx, s0, s1, s2 uint64) uint64 {
	axis, _, neg := majorAxis(c, s0, s1, s2)
	v, flip := s0, neg
	switch axis {
	case axisX:
		v, flip = s2, !neg
	case axisY:
		flip = false
	}
	return c.cubeResult(v, flip)
}

func cubeTC(c *Ctx, s0, s1, s2 uint64) uint64 {
	axis, _, neg := majorAxis(c, s0, s1, s2)
	if axis == axisY {
		return c.cubeResult(s2, neg)
	}
	return c.cubeResult(s1, true)
}

// cubeMA returns twice the coordinate. A zero is +0 unless rounding is
// downwards.
func cubeMA(c *Ctx, s0, s1, s2 uint64) uint64 {
	_, major, _ := majorAxis(c, s0, s1, s2)
	r := c.rules(F32)
	if single.mag(major) < min32 {
		return single.zero(r.rnd == RoundMinusInfinity && single.isNeg(major))
	}
	return c.add(&single, r, major, major)
}

// cubeResult returns a coordinate, with its sign changed if flip is set.
func (c *Ctx) cubeResult(v uint64, flip bool) uint64 {
	if flip {
		v ^= single.sign
	}
	if single.isNaN(v) {
		return c.rules(F32).quieted(&single, v)
	}
	return v
}
