package sem

// The arithmetic of float atomics on memory and LDS: old is the value in
// memory, src is the lane's operand, and the result is the value to store. Sums
// are rounded to nearest even in all modes. Denormals follow c.Mode, so the
// caller sets there the behaviour of the memory in question.
//
// Sources: RDNA 3 ISA, "Float memory atomics"; CDNA 3 ISA, DS_ADD_F32.

func (c *Ctx) atomicRules(t Type) rules {
	r := c.rules(t)
	r.rnd, r.quiet = RoundNearestEven, true
	return r
}

func (c *Ctx) atomicAdd(t Type, old, src uint64) uint64 {
	return c.add(formatOf[t], c.atomicRules(t), old, src)
}

// AddF32 returns the sum of two f32.
func AddF32(c *Ctx, old, src uint64) uint64 { return c.atomicAdd(F32, old, src) }

// AddF64 returns the sum of two f64.
func AddF64(c *Ctx, old, src uint64) uint64 { return c.atomicAdd(F64, old, src) }

// PkAddF16 adds the two f16 in a dword.
func PkAddF16(c *Ctx, old, src uint64) uint64 { return c.atomicPair(F16, old, src) }

// PkAddBF16 adds the two bf16 in a dword.
func PkAddBF16(c *Ctx, old, src uint64) uint64 { return c.atomicPair(BF16, old, src) }

func (c *Ctx) atomicPair(t Type, old, src uint64) uint64 {
	return c.atomicAdd(t, old&0xffff, src&0xffff) | c.atomicAdd(t, old>>16&0xffff, src>>16&0xffff)<<16
}

// MinF32 returns the smaller of two f32. A signaling NaN takes precedence and
// is quieted; any other NaN loses. -0 is below +0.
func MinF32(c *Ctx, old, src uint64) uint64 { return c.atomicPick(F32, old, src, false) }

// MaxF32 returns the larger of two f32; see MinF32.
func MaxF32(c *Ctx, old, src uint64) uint64 { return c.atomicPick(F32, old, src, true) }

// MinF64 returns the smaller of two f64; see MinF32.
func MinF64(c *Ctx, old, src uint64) uint64 { return c.atomicPick(F64, old, src, false) }

// MaxF64 returns the larger of two f64; see MinF32.
func MaxF64(c *Ctx, old, src uint64) uint64 { return c.atomicPick(F64, old, src, true) }

// atomicPick compares flushed values, but returns the original selected one.
func (c *Ctx) atomicPick(t Type, old, src uint64, larger bool) uint64 {
	f, r := formatOf[t], c.atomicRules(t)
	a, b := c.source(f, r, old), c.source(f, r, src)
	switch {
	case f.isSignaling(a):
		return a | f.quiet
	case f.isSignaling(b):
		return b | f.quiet
	case f.isNaN(b):
		return old
	case f.isNaN(a):
		return src
	case a != b && (f.order(b) > f.order(a)) == larger:
		return src
	}
	return old
}

// atomicNumber is minimumNumber or maximumNumber (gfx12). It compares flushed
// values, but returns the original selected one. Source: RDNA 4 ISA,
// DS_MIN_NUM_F32 and its neighbours.
func (c *Ctx) atomicNumber(t Type, old, src uint64, larger bool) uint64 {
	f, r := formatOf[t], c.atomicRules(t)
	a, b := c.source(f, r, old), c.source(f, r, src)
	switch {
	case f.isNaN(a) && f.isNaN(b):
		return src | f.quiet
	case f.isNaN(b):
		return old
	case f.isNaN(a):
		return src
	case a != b && (f.order(b) > f.order(a)) == larger:
		return src
	}
	return old
}
