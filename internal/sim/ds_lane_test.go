package sim

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// runLanes runs text, which moves v12 (data) to v8 with v4 (address), and
// compares each lane of v8 with the data of lane from(m, l), or with 0 if that
// is -1.
func runLanes(t *testing.T, cpu string, lanes int, text string, r *rand.Rand, from func(m *dsModel, l int) int) {
	t.Helper()
	m := &dsModel{set: dsSet(t, cpu), lanes: lanes}
	m.random(r, 16)
	for l := range m.v[dsAddr] {
		if r.IntN(4) != 0 {
			m.v[dsAddr][l] = uint32(r.IntN(lanes * 4))
		}
	}
	before := *m
	for l := range lanes {
		if m.exec>>l&1 == 0 {
			continue
		}
		f := from(&before, l)
		m.v[dsDst][l] = 0
		if f >= 0 && m.exec>>f&1 != 0 {
			m.v[dsDst][l] = before.v[dsData0][f]
		}
	}
	res := kernelTest{cpu: cpu, wave: lanes, text: text, setup: before.load}.run(t)
	m.compare(t, text, res.waves[0])
}

func dsSet(t *testing.T, cpu string) isa.Set {
	set, _ := dsEncs(t, cpu)
	return set
}

// TestDSSwizzle compares each mode of ds_swizzle_b32 with its definition.
func TestDSSwizzle(t *testing.T) {
	type mode struct {
		text string
		from func(l int) int // source lane among 32
	}
	modes := []mode{
		{"swizzle(QUAD_PERM,0,1,2,3)", func(l int) int { return l }},
		{"swizzle(QUAD_PERM,3,1,0,2)", func(l int) int { return l/4*4 + []int{3, 1, 0, 2}[l%4] }},
		{"swizzle(BITMASK_PERM,\"01pi0\")", func(l int) int { return 8 + l/4%2*4 + (1-l/2%2)*2 }},
		{"swizzle(SWAP,1)", func(l int) int { return l ^ 1 }},
		{"swizzle(SWAP,16)", func(l int) int { return (l + 16) % 32 }},
		{"swizzle(REVERSE,8)", func(l int) int { return l/8*8 + 7 - l%8 }},
		{"swizzle(REVERSE,32)", func(l int) int { return 31 - l }},
		{"swizzle(BROADCAST,4,2)", func(l int) int { return l/4*4 + 2 }},
		{"swizzle(BROADCAST,32,31)", func(l int) int { return 31 }},
	}
	// Tables from the ISA documents, which count lanes from 1.
	fft0 := []int{0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d, 0x3, 0x13, 0xb, 0x1b, 0x7, 0x17, 0xf, 0x1f, 0x2, 0x12, 0xa, 0x1a, 0x6, 0x16, 0xe, 0x1e, 0x4, 0x14, 0xc, 0x1c, 0x8, 0x18, 0x10, 0x20}
	fft16 := []int{0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf, 0x2, 0xa, 0x6, 0xe, 0x4, 0xc, 0x8, 0x10, 0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20}
	later := []mode{
		{"swizzle(FFT,0)", func(l int) int { return fft0[l] - 1 }},
		{"swizzle(FFT,16)", func(l int) int { return fft16[l] - 1 }},
		{"swizzle(FFT,31)", func(l int) int { return l }},
		{"swizzle(ROTATE,0,5)", func(l int) int { return (l + 5) % 32 }},
		{"swizzle(ROTATE,1,7)", func(l int) int { return (l + 25) % 32 }},
		{fmt.Sprint(0xc000 | 1<<5 | 0x18), func(l int) int { return l/8*8 + (l+1)%8 }},        // left by 1 in groups of 8
		{fmt.Sprint(0xc400 | 3<<5 | 0x10), func(l int) int { return l/16*16 + (l%16+13)%16 }}, // right by 3 in groups of 16
	}
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		r := rand.New(rand.NewPCG(2, uint64(lanes)))
		list := modes
		if cpu != "gfx803" {
			list = append(list[:len(list):len(list)], later...)
		} else { // every value from 0x8000 is QUAD_PERM
			list = append(list[:len(list):len(list)], mode{"0xe01b", func(l int) int { return l ^ 3 }})
		}
		for _, md := range list {
			for range 3 {
				runLanes(t, cpu, lanes, fmt.Sprintf("ds_swizzle_b32 v8, v12 offset:%s", md.text), r, func(_ *dsModel, l int) int { return l&32 | md.from(l%32) })
			}
		}
	})
}

// TestDSPermute compares ds_permute_b32 and ds_bpermute_b32 with their
// definitions: 32 lanes wide on gfx10 and gfx11, otherwise all.
func TestDSPermute(t *testing.T) {
	forWaves(t, append(testCPUs, "gfx1200"), func(t *testing.T, cpu string, lanes int) {
		r := rand.New(rand.NewPCG(3, uint64(lanes)))
		width := lanes
		if g := dsSet(t, cpu).Gen(); g == isa.Gen10 || g == isa.Gen11 {
			width = 32
		}
		index := func(m *dsModel, l int, off uint32) int {
			return l/width*width + int((m.v[dsAddr][l]+off)/4)%width
		}
		for i := range 8 {
			off := uint32(i / 4 * 8)
			runLanes(t, cpu, lanes, fmt.Sprintf("ds_bpermute_b32 v8, v4, v12 offset:%d", off), r, func(m *dsModel, l int) int {
				return index(m, l, off)
			})
			runLanes(t, cpu, lanes, fmt.Sprintf("ds_permute_b32 v8, v4, v12 offset:%d", off), r, func(m *dsModel, l int) int {
				for s := lanes - 1; s >= 0; s-- {
					if m.exec>>s&1 != 0 && index(m, s, off) == l {
						return s
					}
				}
				return -1
			})
		}
	})
}

// TestDSLanesInPlace checks instructions whose destination is also a source.
func TestDSLanesInPlace(t *testing.T) {
	for _, text := range []string{"ds_swizzle_b32 v1, v1 offset:swizzle(REVERSE,32)", "ds_bpermute_b32 v1, v0, v1", "ds_permute_b32 v1, v0, v1", "ds_bpermute_b32 v0, v0, v1\nv_mov_b32 v1, v0"} {
		res := kernelTest{cpu: "gfx1030", wave: 32, text: text, setup: func(w *wave) {
			for l := range 32 {
				w.v[l], w.v[32+l] = uint32(31-l)*4, uint32(l)+100
			}
		}}.run(t)
		for l := range 32 {
			if got := res.v(1, l); got != uint32(131-l) {
				t.Errorf("%s: lane %d is %d", text, l, got)
			}
		}
	}
}

// TestSwizzleLane checks that source lanes are below 32, and that FFT with
// masks of high bits is a permutation.
func TestSwizzleLane(t *testing.T) {
	for off := range uint32(1 << 16) {
		for l := range 32 {
			for _, later := range []bool{false, true} {
				if f := swizzleLane(off, l, later); f < 0 || f > 31 {
					t.Fatalf("offset %#x: lane %d reads lane %d", off, l, f)
				}
			}
		}
	}
	for high := range 6 {
		seen := uint32(0)
		for l := range 32 {
			seen |= 1 << swizzleLane(0xe000|uint32(31<<high&31), l, true)
		}
		if bits.OnesCount32(seen) != 32 {
			t.Errorf("FFT with %d low bits reversed reads lanes %#x", high, seen)
		}
	}
}
