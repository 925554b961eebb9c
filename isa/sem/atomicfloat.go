package sem

import "math"

// Floating-point atomics with the host's arithmetic.

func f32(x uint64) float32     { return math.Float32frombits(uint32(x)) }
func bitsF32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func f64of(x uint64) float64   { return math.Float64frombits(x) }
func bitsF64(x float64) uint64 { return math.Float64bits(x) }

func atomicAddF32(_ *Ctx, old, data, _ uint64) uint64 { return bitsF32(f32(old) + f32(data)) }
func atomicAddF64(_ *Ctx, old, data, _ uint64) uint64 { return bitsF64(f64of(old) + f64of(data)) }
func atomicMinF32(_ *Ctx, old, data, _ uint64) uint64 {
	if f32(data) < f32(old) {
		return data
	}
	return old
}
func atomicMinF64(_ *Ctx, old, data, _ uint64) uint64 {
	if f64of(data) < f64of(old) {
		return data
	}
	return old
}
func atomicMaxF32(_ *Ctx, old, data, _ uint64) uint64 {
	if f32(data) > f32(old) {
		return data
	}
	return old
}
func atomicMaxF64(_ *Ctx, old, data, _ uint64) uint64 {
	if f64of(data) > f64of(old) {
		return data
	}
	return old
}
func atomicPkAddF16(_ *Ctx, old, data, _ uint64) uint64  { panic("BUG: no f16 addition yet") }
func atomicPkAddBF16(_ *Ctx, old, data, _ uint64) uint64 { panic("BUG: no bf16 addition yet") }
