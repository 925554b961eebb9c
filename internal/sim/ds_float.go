package sim

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
)

// quickFloats lists fast floating-point atomics by kind, for 32 and 64 bits.
// Operands other than zeros and normal numbers are left to package sem.
var quickFloats = lazy.Value[map[sem.AtomicKind][2]func(c *sem.Ctx, old, data, data2 uint64) uint64]{Make: func() map[sem.AtomicKind][2]func(c *sem.Ctx, old, data, data2 uint64) uint64 {
	return map[sem.AtomicKind][2]func(c *sem.Ctx, old, data, data2 uint64) uint64{
		sem.AtomicFAdd: {quickAdd32, quickAdd64},
		sem.AtomicFMin: {quickMin32, quickMin64},
		sem.AtomicFMax: {quickMax32, quickMax64},
	}
}}

// ordinary32 and ordinary64 report whether a float is 0 or a normal number.
func ordinary32(v uint32) bool { return v>>23&0xff-1 < 0xfe || v<<1 == 0 }
func ordinary64(v uint64) bool { return v>>52&0x7ff-1 < 0x7fe || v<<1 == 0 }

// quickAdd32 uses host addition if all numbers are ordinary: both round to
// nearest even.
func quickAdd32(c *sem.Ctx, old, data, _ uint64) uint64 {
	a, b := uint32(old), uint32(data)
	s := math.Float32bits(math.Float32frombits(a) + math.Float32frombits(b))
	if ordinary32(a) && ordinary32(b) && ordinary32(s) {
		return uint64(s)
	}
	return sem.AddF32(c, old, data)
}

func quickAdd64(c *sem.Ctx, old, data, _ uint64) uint64 {
	s := math.Float64bits(math.Float64frombits(old) + math.Float64frombits(data))
	if ordinary64(old) && ordinary64(data) && ordinary64(s) {
		return s
	}
	return sem.AddF64(c, old, data)
}

// order32 and order64 map ordinary floats to integers with the same order. -0
// is less than 0.
func order32(v uint32) int32 { return int32(v) ^ int32(uint32(int32(v)>>31)>>1) }
func order64(v uint64) int64 { return int64(v) ^ int64(uint64(int64(v)>>63)>>1) }

func quickMin32(c *sem.Ctx, old, data, _ uint64) uint64 {
	switch a, b := uint32(old), uint32(data); {
	case !ordinary32(a) || !ordinary32(b):
		return sem.MinF32(c, old, data)
	case order32(b) < order32(a):
		return data
	}
	return old
}

func quickMax32(c *sem.Ctx, old, data, _ uint64) uint64 {
	switch a, b := uint32(old), uint32(data); {
	case !ordinary32(a) || !ordinary32(b):
		return sem.MaxF32(c, old, data)
	case order32(b) > order32(a):
		return data
	}
	return old
}

func quickMin64(c *sem.Ctx, old, data, _ uint64) uint64 {
	switch {
	case !ordinary64(old) || !ordinary64(data):
		return sem.MinF64(c, old, data)
	case order64(data) < order64(old):
		return data
	}
	return old
}

func quickMax64(c *sem.Ctx, old, data, _ uint64) uint64 {
	switch {
	case !ordinary64(old) || !ordinary64(data):
		return sem.MaxF64(c, old, data)
	case order64(data) > order64(old):
		return data
	}
	return old
}
