package sem

// Floating-point atomics as functions of the table of atomics.

func atomicAddF32(c *Ctx, old, data, _ uint64) uint64    { return AddF32(c, old, data) }
func atomicAddF64(c *Ctx, old, data, _ uint64) uint64    { return AddF64(c, old, data) }
func atomicMinF32(c *Ctx, old, data, _ uint64) uint64    { return MinF32(c, old, data) }
func atomicMinF64(c *Ctx, old, data, _ uint64) uint64    { return MinF64(c, old, data) }
func atomicMaxF32(c *Ctx, old, data, _ uint64) uint64    { return MaxF32(c, old, data) }
func atomicMaxF64(c *Ctx, old, data, _ uint64) uint64    { return MaxF64(c, old, data) }
func atomicPkAddF16(c *Ctx, old, data, _ uint64) uint64  { return PkAddF16(c, old, data) }
func atomicPkAddBF16(c *Ctx, old, data, _ uint64) uint64 { return PkAddBF16(c, old, data) }
