package lanes

//go:noescape
func simdCvtFlrI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)
