package sem

// Dot products of integers. The clamp bit saturates the exact sum. Where an
// instruction adds to its destination (…c), the destination is the third
// source. Source: AMD's ISA documents, V_DOT2_I32_I16 and its neighbours.

func dotRows() []Row {
	return []Row{
		{Name: "v_dot2_i32_i16 v_dot2c_i32_i16", Sig: sig(I32, B32, B32, I32), Fn: dot2I16},
		{Name: "v_dot2_u32_u16", Sig: sig(U32, B32, B32, U32), Fn: dot2U16},
		{Name: "v_dot4_i32_i8 v_dot4c_i32_i8", Sig: sig(I32, B32, B32, I32), Fn: dot4I8},
		{Name: "v_dot4_u32_u8", Sig: sig(U32, B32, B32, U32), Fn: dot4U8},
		{Name: "v_dot4_i32_iu8", Sig: sig(I32, B32, B32, I32), Fn: dot4IU8},
		{Name: "v_dot8_i32_i4 v_dot8c_i32_i4", Sig: sig(I32, B32, B32, I32), Fn: dot8I4},
		{Name: "v_dot8_u32_u4", Sig: sig(U32, B32, B32, U32), Fn: dot8U4},
		{Name: "v_dot8_i32_iu4", Sig: sig(I32, B32, B32, I32), Fn: dot8IU4},
	}
}

func dot2I16(c *Ctx, s0, s1, s2 uint64) uint64 {
	sum := int64(int16(s0))*int64(int16(s1)) + int64(int16(s0>>16))*int64(int16(s1>>16))
	return fit[int32](c, sum+int64(int32(s2)))
}

func dot2U16(c *Ctx, s0, s1, s2 uint64) uint64 {
	sum := int64(uint16(s0))*int64(uint16(s1)) + int64(s0>>16)*int64(s1>>16)
	return fit[uint32](c, sum+int64(s2))
}

func dot4I8(c *Ctx, s0, s1, s2 uint64) uint64 {
	return fit[int32](c, dot4[int8, int8](s0, s1)+int64(int32(s2)))
}

func dot4U8(c *Ctx, s0, s1, s2 uint64) uint64 {
	return fit[uint32](c, dot4[uint8, uint8](s0, s1)+int64(s2))
}

// dot4IU8 reads the signedness of each source from neg_lo.
func dot4IU8(c *Ctx, s0, s1, s2 uint64) uint64 {
	var sum int64
	switch c.NegLo & 3 {
	case 0:
		sum = dot4[uint8, uint8](s0, s1)
	case 1:
		sum = dot4[int8, uint8](s0, s1)
	case 2:
		sum = dot4[uint8, int8](s0, s1)
	case 3:
		sum = dot4[int8, int8](s0, s1)
	}
	return fit[int32](c, sum+int64(int32(s2)))
}

func dot8I4(c *Ctx, s0, s1, s2 uint64) uint64 {
	return fit[int32](c, dot8(s0, s1, true, true)+int64(int32(s2)))
}

func dot8U4(c *Ctx, s0, s1, s2 uint64) uint64 {
	return fit[uint32](c, dot8(s0, s1, false, false)+int64(s2))
}

func dot8IU4(c *Ctx, s0, s1, s2 uint64) uint64 {
	sum := dot8(s0, s1, c.NegLo&1 != 0, c.NegLo&2 != 0)
	return fit[int32](c, sum+int64(int32(s2)))
}

func dot4[A, B int8 | uint8](a, b uint64) int64 {
	return int64(A(a))*int64(B(b)) + int64(A(a>>8))*int64(B(b>>8)) +
		int64(A(a>>16))*int64(B(b>>16)) + int64(A(a>>24))*int64(B(b>>24))
}

func dot8(a, b uint64, signedA, signedB bool) (sum int64) {
	for range 8 {
		sum += nibble(a, signedA) * nibble(b, signedB)
		a >>= 4
		b >>= 4
	}
	return sum
}

// nibble returns the low four bits as a number.
func nibble(x uint64, signed bool) int64 {
	if signed {
		return int64(x<<60) >> 60
	}
	return int64(x & 15)
}
