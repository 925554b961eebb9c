package sim

import "sync/atomic"

// hostOrdersLoads tells that only a store and a later load may change places.
const hostOrdersLoads = true

// fence lets no load pass a store that precedes it. An exchange does so on this
// processor, faster than MFENCE.
func fence(p *uint32) { atomic.SwapUint32(p, 0) }
