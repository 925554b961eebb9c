package sem

// Scalar comparisons and operations with a 16-bit immediate. The immediate is a
// raw 16-bit source, which the functions extend. Comparisons have no result
// other than SCC. Source: AMD's ISA documents, SOPC and SOPK.

// scalarPredicates maps the names of comparisons to indices of predicates.
var scalarPredicates = [...]struct {
	name string
	of   int
}{{"eq", 2}, {"lg", 5}, {"gt", 4}, {"ge", 6}, {"lt", 1}, {"le", 3}}

// saluCmpRows returns the rows of s_cmp and s_bitcmp.
func saluCmpRows() []Row {
	i32, u32 := comparisons[int32](), comparisons[uint32]()
	var rows []Row
	for _, p := range scalarPredicates {
		rows = append(rows,
			Row{Name: "s_cmp_" + p.name + "_i32", Sig: sig(None, I32, I32), Flag: toSCC(i32[p.of])},
			Row{Name: "s_cmp_" + p.name + "_u32", Sig: sig(None, U32, U32), Flag: toSCC(u32[p.of])})
	}
	return append(rows,
		Row{Name: "s_cmp_eq_u64", Sig: sig(None, U64, U64), Flag: toSCC(equal)},
		Row{Name: "s_cmp_lg_u64", Sig: sig(None, U64, U64), Flag: toSCC(unequal)},
		Row{Name: "s_bitcmp0_b32", Sig: sig(None, B32, B32), Flag: bitIs(0, 31)},
		Row{Name: "s_bitcmp1_b32", Sig: sig(None, B32, B32), Flag: bitIs(1, 31)},
		Row{Name: "s_bitcmp0_b64", Sig: sig(None, B64, B32), Flag: bitIs(0, 63)},
		Row{Name: "s_bitcmp1_b64", Sig: sig(None, B64, B32), Flag: bitIs(1, 63)},
	)
}

// salukRows returns the rows of SOPK. s_cmpk has the register first and then
// the immediate, as in the text. The others have the immediate first, and
// s_addk, s_mulk and s_cmovk then have the old destination.
func salukRows() []Row {
	i32, u32 := comparisons[int32](), comparisons[uint32]()
	rows := []Row{
		{Name: "s_movk_i32", Sig: sig(I32, B16), Fn: func(_ *Ctx, k, _, _ uint64) uint64 { return sext16(k) }},
		{Name: "s_cmovk_i32", Sig: sig(I32, B16, I32), Flag: func(c *Ctx, k, old, _ uint64, scc bool) (uint64, bool) {
			return selectFirst(c, sext16(k), old, 0, scc)
		}},
		{Name: "s_addk_co_i32", Sig: sig(I32, B16, I32), Flag: func(c *Ctx, k, old, _ uint64, scc bool) (uint64, bool) {
			return scalarAdd(c, sext16(k), old, 0, scc)
		}},
		{Name: "s_mulk_i32", Sig: sig(I32, B16, I32), Fn: func(_ *Ctx, k, old, _ uint64) uint64 { return sext16(k) * old }},
	}
	for _, p := range scalarPredicates {
		cmp := i32[p.of]
		rows = append(rows,
			Row{Name: "s_cmpk_" + p.name + "_u32", Sig: sig(None, U32, B16), Flag: toSCC(u32[p.of])},
			Row{Name: "s_cmpk_" + p.name + "_i32", Sig: sig(None, I32, B16), Flag: func(c *Ctx, s0, k, _ uint64, _ bool) (uint64, bool) {
				return 0, cmp(c, s0, sext16(k), 0) != 0
			}})
	}
	return rows
}

// toSCC turns a comparison into one that sets SCC.
func toSCC(f Func) FlagFunc {
	return func(c *Ctx, s0, s1, s2 uint64, _ bool) (uint64, bool) { return 0, f(c, s0, s1, s2) != 0 }
}

// bitIs tests the bit of the first source whose number is the second source,
// masked.
func bitIs(want, mask uint64) FlagFunc {
	return func(_ *Ctx, s0, s1, _ uint64, _ bool) (uint64, bool) { return 0, s0>>(s1&mask)&1 == want }
}

// sext16 extends the sign of 16 bits to 32.
func sext16(s uint64) uint64 { return uint64(uint32(int16(s))) }
