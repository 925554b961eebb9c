package sem

// Sums of absolute differences. The clamp bit saturates, as in other integer
// operations. Source: AMD's ISA documents, V_SAD_U8 and its neighbours.

func sadRows() []Row {
	return []Row{
		{Name: "v_sad_u8", Sig: sig(U32, B32, B32, U32), Fn: func(c *Ctx, a, b, acc uint64) uint64 { return fit[uint32](c, sad8(a, b)+int64(acc)) }},
		{Name: "v_sad_hi_u8", Sig: sig(U32, B32, B32, U32), Fn: func(c *Ctx, a, b, acc uint64) uint64 { return fit[uint32](c, sad8(a, b)<<16+int64(acc)) }},
		{Name: "v_sad_u16", Sig: sig(U32, B32, B32, U32), Fn: func(c *Ctx, a, b, acc uint64) uint64 {
			return fit[uint32](c, absDiff(a&0xffff, b&0xffff)+absDiff(a>>16, b>>16)+int64(acc))
		}},
		{Name: "v_sad_u32", Sig: sig(U32, U32, U32, U32), Fn: func(c *Ctx, a, b, acc uint64) uint64 { return fit[uint32](c, absDiff(a, b)+int64(acc)) }},
		{Name: "v_msad_u8", Sig: sig(U32, B32, B32, U32), Fn: func(c *Ctx, a, ref, acc uint64) uint64 { return fit[uint32](c, msad8(a, ref)+int64(acc)) }},
		{Name: "v_qsad_pk_u16_u8", Sig: sig(B64, B64, B32, B64), Fn: func(c *Ctx, a, b, acc uint64) uint64 { return sadPairs(c, sad8, a, b, acc) }},
		{Name: "v_mqsad_pk_u16_u8", Sig: sig(B64, B64, B32, B64), Fn: func(c *Ctx, a, ref, acc uint64) uint64 { return sadPairs(c, msad8, a, ref, acc) }},
	}
}

// MQSadU32 is v_mqsad_u32_u8. It has no Row because its third source and result
// are 128 bits wide. It computes four masked sums of the bytes of ref and of
// four consecutive bytes of src, from byte 0, 1, 2 and 3, each added to its
// accumulator. With the clamp bit each sum saturates.
func MQSadU32(c *Ctx, src uint64, ref uint32, acc [4]uint32) (d [4]uint32) {
	for i := range d {
		d[i] = uint32(fit[uint32](c, msad8(src>>(8*i), uint64(ref))+int64(acc[i])))
	}
	return d
}

// sadPairs computes four 16-bit sums, of bytes 0, 1, 2 and 3 and the bytes
// after them.
func sadPairs(c *Ctx, sum func(a, b uint64) int64, s0, s1, s2 uint64) (d uint64) {
	for i := range 4 {
		acc := int64(s2 >> (16 * i) & 0xffff)
		d |= fit[uint16](c, sum(s0>>(8*i), s1)+acc) & 0xffff << (16 * i)
	}
	return d
}

// absDiff returns the distance of two u32.
func absDiff(a, b uint64) int64 {
	d := int64(a) - int64(b)
	return max(d, -d)
}

// sad8 sums the distances of the low four bytes of two sources.
func sad8(a, b uint64) (sum int64) {
	for range 4 {
		sum += absDiff(a&0xff, b&0xff)
		a >>= 8
		b >>= 8
	}
	return sum
}

// msad8 is sad8 without the bytes that are 0 in ref.
func msad8(a, ref uint64) (sum int64) {
	for range 4 {
		if ref&0xff != 0 {
			sum += absDiff(a&0xff, ref&0xff)
		}
		a >>= 8
		ref >>= 8
	}
	return sum
}
