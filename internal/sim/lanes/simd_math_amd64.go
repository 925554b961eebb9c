package lanes

//go:noescape
func simdTruncF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCeilF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFloorF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRndneF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFractF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFrexpMantF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFrexpExpF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLdexpF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMin3F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMax3F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMed3F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinmaxF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxminF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdClassF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32Ubyte0(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32Ubyte1(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32Ubyte2(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32Ubyte3(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivScaleF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivFmasF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdDivFixupF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)
