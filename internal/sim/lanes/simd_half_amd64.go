package lanes

//go:noescape
func simdAddF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubrevF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFmaF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdTruncF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCeilF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFloorF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRndneF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFractF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRcpF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSqrtF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRsqF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdExpF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLogF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSinF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCosF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF16F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtPkrtz(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF16U16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF16I16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtU16F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtI16F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPackF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpEqF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLgF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpOF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpUF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgeF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgtF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNleF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNltF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNeqF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNlgF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkAddF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMulF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkFmaF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDot2F32F16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFmaMixF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadMixF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLdexpF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivFixupF16(d, a, b, c *uint32, exec uint64, n int) (left uint64)
