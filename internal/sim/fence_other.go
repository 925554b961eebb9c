//go:build !amd64 && !arm64

package sim

import "sync/atomic"

// hostOrdersLoads reports whether the host reorders nothing but a store with a
// later load.
const hostOrdersLoads = false

// fence prevents loads and stores from being reordered across it, as far as
// Go's atomic operations do.
func fence(p *uint32) { atomic.SwapUint32(p, 0) }
