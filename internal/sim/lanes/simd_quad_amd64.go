package lanes

//go:noescape
func simdCmpEq64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNe64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtI64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtI64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeI64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeI64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtU64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtU64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeU64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeU64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadI64(d, a, b, c *uint32, exec uint64, n int) (left uint64)
