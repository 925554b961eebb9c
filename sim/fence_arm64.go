package sim

// hostOrdersLoads tells that only a store and a later load may change places.
const hostOrdersLoads = false

// fence keeps loads and stores from passing it.
func fence(p *uint32)
