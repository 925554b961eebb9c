package lanes

//go:noescape
func simdBfeI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdBfm(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdXnor(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdBcnt(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMbcnt(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdBfrev(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFfbhU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFfbhI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFfblB32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPerm(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAlignbyte(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulHiI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulHiI24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulHiU24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxminI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinmaxI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxminU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinmaxU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot4I8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot4U8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot2I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot2U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSadU8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSadU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSadU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot4I8U8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot4U8I8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMsadU8(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLerp(d, a, b, c *uint32, exec uint64, n int) (left uint64)
