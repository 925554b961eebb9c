package sem

func OMod(c *Ctx, t Type, v uint64, omod uint8) uint64 { return v }
func ClampFloat(c *Ctx, t Type, v uint64) uint64       { return v }
