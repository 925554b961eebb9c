package sem

// twoOverPi holds the first 1201 bits of the fraction 2/π, the most significant
// one first. The bits after them are 0.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
}

// twoOverPiBits returns 53 bits of 2/π from fraction bit n on.
func twoOverPiBits(n int) uint64 {
	word := func(i int) uint64 {
		if i < len(twoOverPi) {
			return twoOverPi[i]
		}
		return 0
	}
	i, s := n/64, n%64
	return (word(i)<<s | word(i+1)>>(64-s)) >> 11
}

// trigPreop returns a part of 2/π for the argument reduction of sine and
// cosine: 53 bits; source 1 is the number of the part. For large arguments
// (source 0) part 0 starts at the first relevant bits. Source: RDNA 3 ISA,
// V_TRIG_PREOP_F64.
func trigPreop(c *Ctx, s0, s1, _ uint64) uint64 {
	shift, exp := int(s1&31)*53, double.exponent(s0)
	shift += max(0, exp-1077)
	scale := -53 - shift
	if exp >= 1968 {
		scale += 128
	}
	r := c.rules(F64)
	r.rnd = RoundTowardZero
	return c.round(&double, r, false, 0, twoOverPiBits(shift), scale)
}
