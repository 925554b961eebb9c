package lanes

//go:noescape
func simdNot16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubrevU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshrrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAshrrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadU32U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadI32I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtI32I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtPkI16I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtPkU16U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkLshlrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkLshrrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkAshrrev16(d, a, b, c *uint32, exec uint64, n int) (left uint64)
