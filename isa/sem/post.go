package sem

func OMod(c *Ctx, t Type, v uint64, omod uint8) uint64 { return v }
func ClampFloat(c *Ctx, t Type, v uint64) uint64       { return v }
func Neg(t Type, v uint64) uint64                      { return v ^ 1<<(t.Bits()-1) }
func MixF16(c *Ctx, v uint64) uint64                   { return v }
