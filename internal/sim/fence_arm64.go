package sim

// hostOrdersLoads reports whether the host reorders nothing but a store with a
// later load.
const hostOrdersLoads = false

// fence prevents loads and stores from being reordered across it.
func fence(p *uint32)
