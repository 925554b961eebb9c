package lanes

//go:noescape
func simdTruncF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCeilF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFloorF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRndneF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFractF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRcpF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSqrtF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRsqF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLdexpF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32F64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF64F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF64I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF64U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtI32F64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtU32F64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFrexpMantF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFrexpExpF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdClassF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivScaleF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivFmasF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivFixupF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)
