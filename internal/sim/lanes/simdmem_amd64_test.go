package lanes

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestSIMDMemory compares SIMD loads and stores with the portable ones, for
// addresses inside and outside a region.
func TestSIMDMemory(t *testing.T) {
	if !HasSIMD {
		t.Skip("the host has no AVX2 and FMA")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := 32 << r.IntN(2)
		mem := make([]uint32, 1+r.IntN(300))
		for i := range mem {
			mem[i] = r.Uint32()
		}
		size := uint64(len(mem) * 4)
		start := r.Uint64N(1<<40) &^ 3
		if r.IntN(2) == 0 {
			start = start&^0xffffffff - 4*r.Uint64N(200) // across a 4 GiB boundary
		}
		var lo, hi, d [128]uint32
		exec := (r.Uint64() | r.Uint64()) >> (64 - n)
		var want uint64
		for l := range n {
			addr := start + uint64(r.IntN(len(mem)))*4
			switch r.IntN(12) {
			case 0:
				addr = start + size + r.Uint64N(64)
			case 1:
				addr = start - 1 - r.Uint64N(64)
			case 2:
				addr += 1 + r.Uint64N(3)
			case 3:
				addr = r.Uint64()
			case 4:
				addr += 1 << 32
			}
			lo[l], hi[l], d[l] = uint32(addr), uint32(addr>>32), r.Uint32()
			if off := addr - start; exec>>l&1 != 0 && (off > size-4 || off&3 != 0) {
				want |= 1 << l
			}
		}
		store := r.IntN(2) == 0
		old, model := d, append([]uint32(nil), mem...)
		run := simdGather
		if store {
			run = simdScatter
		}
		left := run(&d[0], &lo[0], &hi[0], exec, n, start, size-4, unsafe.Pointer(&mem[0]))
		if left != want {
			t.Fatalf("left %#x, want %#x", left, want)
		}
		for l := range n {
			w := (uint64(lo[l]) | uint64(hi[l])<<32) - start
			if exec&^left>>l&1 == 0 {
				continue
			}
			if store {
				model[w/4] = old[l]
			} else {
				old[l] = model[w/4]
			}
		}
		if d != old {
			t.Fatal("registers differ")
		}
		for i := range mem {
			if mem[i] != model[i] {
				t.Fatalf("dword %d differs", i)
			}
		}
	}
}
