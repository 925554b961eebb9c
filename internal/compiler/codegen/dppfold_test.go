package codegen

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// TestDPPIdentities checks the identities against their definitions.
func TestDPPIdentities(t *testing.T) {
	compute := map[mir.Op]func(x, y uint32) uint32{
		mir.VAddNcU32: func(x, y uint32) uint32 { return x + y },
		mir.VOrB32:    func(x, y uint32) uint32 { return x | y },
		mir.VXorB32:   func(x, y uint32) uint32 { return x ^ y },
		mir.VAndB32:   func(x, y uint32) uint32 { return x & y },
		mir.VMaxU32:   func(x, y uint32) uint32 { return max(x, y) },
		mir.VMinU32:   func(x, y uint32) uint32 { return min(x, y) },
		mir.VMaxI32:   func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) },
		mir.VMinI32:   func(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) },
	}
	for _, fold := range dppFolds {
		f, ok := compute[fold.op]
		if ok != fold.has {
			t.Errorf("%v: an identity is listed: %v", fold.op, fold.has)
		}
		for _, y := range []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 0x12345678, 0xdeadbeef} {
			if fold.has && f(uint32(fold.identity), y) != y {
				t.Errorf("%v: %d is not the identity for %#x", fold.op, fold.identity, y)
			}
		}
	}
}
