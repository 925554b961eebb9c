package sem

import "math/big"

// sumThen applies an operation to a saturated sum and the third source.
func sumThen(n int, signed bool, f func(a, b *big.Int) *big.Int) func(x *args) *big.Int {
	return func(x *args) *big.Int { return f(clampTo(total(x), n, signed), x.v[2]) }
}

// nibbles clamps four bytes and packs them.
func nibbles(signed bool) func(x *args) *big.Int {
	return func(x *args) *big.Int {
		return join(4, 4, func(i int) *big.Int { return clampTo(x.field(0, 8*i, 8, signed), 4, signed) })
	}
}

var int64Specs = []spec{
	{"v_add_nc_u64", "u64=u64,u64", true, total, nil},
	{"v_sub_nc_u64", "u64=u64,u64", true, diff, nil},
	{"v_mul_u64", "u64=u64,u64", false, prod, nil},
	{"v_mad_nc_u64_u32", "u64=u32,u32,u64", true, muladd, nil},
	{"v_mad_nc_i64_i32", "i64=i32,i32,i64", true, muladd, nil},
	{"v_mad_u32", "u32=u32,u32,u32", false, muladd, nil},
	{"v_min_u64", "u64=u64,u64", false, min2, nil},
	{"v_min_i64", "i64=i64,i64", false, min2, nil},
	{"v_max_u64", "u64=u64,u64", false, max2, nil},
	{"v_max_i64", "i64=i64,i64", false, max2, nil},

	{"v_add_max_u32", "u32=u32,u32,u32", false, sumThen(32, false, larger), nil},
	{"v_add_max_i32", "i32=i32,i32,i32", false, sumThen(32, true, larger), nil},
	{"v_add_min_u32", "u32=u32,u32,u32", false, sumThen(32, false, smaller), nil},
	{"v_add_min_i32", "i32=i32,i32,i32", false, sumThen(32, true, smaller), nil},
	{"v_pk_add_max_u16", "u16=u16,u16,u16", false, sumThen(16, false, larger), nil},
	{"v_pk_add_max_i16", "i16=i16,i16,i16", false, sumThen(16, true, larger), nil},
	{"v_pk_add_min_u16", "u16=u16,u16,u16", false, sumThen(16, false, smaller), nil},
	{"v_pk_add_min_i16", "i16=i16,i16,i16", false, sumThen(16, true, smaller), nil},

	{"v_sat_pk4_i4_i8", "b16=b32", false, nibbles(true), nil},
	{"v_sat_pk4_u4_u8", "b16=b32", false, nibbles(false), nil},
}
