package sim

import "sync/atomic"

// hostOrdersLoads reports whether the host reorders nothing but a store with a
// later load.
const hostOrdersLoads = true

// fence prevents later loads from passing earlier stores. On this processor an
// exchange does so faster than MFENCE.
func fence(p *uint32) { atomic.SwapUint32(p, 0) }
