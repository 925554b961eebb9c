//go:build !amd64 && !arm64

package sim

import "sync/atomic"

// hostOrdersLoads tells that only a store and a later load may change places.
const hostOrdersLoads = false

// fence keeps loads and stores from passing it, as far as Go's atomic operations do.
func fence(p *uint32) { atomic.SwapUint32(p, 0) }
