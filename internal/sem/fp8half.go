package sem

// fp8HalfRows lists conversions between 8-bit floats and f16 (gfx1250). op_sel
// selects bytes as for the conversions of f32; the caller selects halves of
// 16-bit operands. Source: LLVM, VOP1Instructions.td and VOP3Instructions.td.
func fp8HalfRows() []Row {
	return []Row{
		{Name: "v_cvt_f16_fp8", Sig: sig(F16, B32), Fn: cvtF16From8(SmallFP8), ClampFormat: true},
		{Name: "v_cvt_f16_bf8", Sig: sig(F16, B32), Fn: cvtF16From8(SmallBF8)},
		{Name: "v_cvt_pk_f16_fp8", Sig: sig(B32, B16), Fn: cvtPkF16From8(SmallFP8)},
		{Name: "v_cvt_pk_f16_bf8", Sig: sig(B32, B16), Fn: cvtPkF16From8(SmallBF8)},
		{Name: "v_cvt_pk_fp8_f16", Sig: sig(B16, B32), Fn: cvtPk8FromF16(SmallFP8), ClampFormat: true},
		{Name: "v_cvt_pk_bf8_f16", Sig: sig(B16, B32), Fn: cvtPk8FromF16(SmallBF8)},
		{Name: "v_cvt_sr_fp8_f16", Sig: sig(B32, F16, B32, B32), Fn: cvtSr8FromF16(SmallFP8)},
		{Name: "v_cvt_sr_bf8_f16", Sig: sig(B32, F16, B32, B32), Fn: cvtSr8FromF16(SmallBF8)},
	}
}

// small8 returns the format of a conversion: with clamp, fp8 is E5M3 on sets
// with the property.
func (c *Ctx) small8(t Small) Small {
	if t == SmallFP8 && c.clampIsE5M3() {
		return SmallE5M3
	}
	return t
}

// sourceByte returns the byte of a source that op_sel selects: its bit 0 is the
// higher one of the number.
func (c *Ctx) sourceByte(v uint64) uint8 {
	n := c.OpSel&1<<1 | c.OpSel>>1&1
	return uint8(v >> (8 * n))
}

func cvtF16From8(t Small) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		return c.small8(t).widen(c, &half, c.sourceByte(s0), e8m0One)
	}
}

func cvtPkF16From8(t Small) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		return t.widen(c, &half, uint8(s0), e8m0One) | t.widen(c, &half, uint8(s0>>8), e8m0One)<<16
	}
}

func cvtPk8FromF16(t Small) Func {
	return func(c *Ctx, s0, _, _ uint64) uint64 {
		t := c.small8(t)
		lo := t.narrow(c, &half, s0&0xffff, e8m0One, smallRounding{})
		hi := t.narrow(c, &half, s0>>16&0xffff, e8m0One, smallRounding{})
		return uint64(lo) | uint64(hi)<<8
	}
}

// cvtSr8FromF16 writes the byte of the destination that op_sel[3:2] selects.
func cvtSr8FromF16(t Small) Func {
	return func(c *Ctx, s0, s1, s2 uint64) uint64 {
		v := uint64(t.narrow(c, &half, s0, e8m0One, smallRounding{true, uint32(s1)}))
		shift := c.OpSel >> 2 & 3 * 8
		return s2&^(0xff<<shift) | v<<shift
	}
}
