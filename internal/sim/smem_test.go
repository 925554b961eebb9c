package sim

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// scalarName returns the name of a load on the given processor; gfx11 renamed
// them.
func scalarName(cpu, old string, n int) string {
	if strings.HasPrefix(cpu, "gfx11") {
		return fmt.Sprintf("%s_b%d", old, n*32)
	}
	if n == 1 {
		return old + "_dword"
	}
	return fmt.Sprintf("%s_dwordx%d", old, n)
}

func sregs(first, n int) string { return strings.Replace(vregs(first, n), "v", "s", 1) }

// scalarOffsets maps the offset operands that a processor can encode to their
// values. s6 is 0x46.
func scalarOffsets(cpu string) map[string]int {
	m := map[string]int{"0x10": 16, "s6": 0x44}
	switch cpu {
	case "gfx700":
		return map[string]int{"0x4": 16, "s6": 0x44, "0x101": 0x404}
	case "gfx600":
		return map[string]int{"0x4": 16, "s6": 0x44}
	case "gfx803":
		return m
	}
	m["-0x20"] = -32
	m["s6 offset:0x8"] = 0x44 + 8
	return m
}

func TestScalarLoads(t *testing.T) {
	forWaves(t, append([]string{"gfx600", "gfx700"}, testCPUs...), func(t *testing.T, cpu string, lanes int) {
		for _, n := range []int{1, 2, 4, 8, 16} {
			for off, at := range scalarOffsets(cpu) {
				if strings.Contains(off, " ") && cpu[3] == '1' {
					continue // the assembler does not support a sum there
				}
				k := kernelTest{cpu: cpu, wave: lanes, buffers: [][]byte{noise(2048, 1)}, text: scalarName(cpu, "s_load", n) + " " + sregs(16, n) + ", s[4:5], " + off}
				k.setup = func(w *wave) {
					w.setPair(4, argument(w, 0)+128+3)
					w.s[6] = 0x46
				}
				r := k.run(t)
				for i := range n {
					if got, want := r.s(16+i), r.words(0)[(128+at)/4+i]; got != want {
						t.Fatalf("%s %s: dword %d is %#x, want %#x", cpu, k.text, i, got, want)
					}
				}
				scalarBuffer(t, cpu, lanes, n, off, at)
			}
		}
	})
}

// scalarBuffer loads from a buffer that ends after its second dword, or before
// its first.
func scalarBuffer(t *testing.T, cpu string, lanes, n int, off string, at int) {
	t.Helper()
	if at < 0 {
		return
	}
	for _, stride := range []uint32{0, 4} {
		k := kernelTest{cpu: cpu, wave: lanes, buffers: [][]byte{noise(2048, 1)}, text: scalarName(cpu, "s_buffer_load", n) + " " + sregs(16, n) + ", s[8:11], " + off}
		k.setup = func(w *wave) {
			base := argument(w, 0)
			records := uint32(at + 8)
			if stride > 0 && cpu != "gfx803" {
				records /= stride
			}
			copy(w.s[8:], []uint32{uint32(base), uint32(base>>32) | stride<<16, records, 0})
			w.s[6] = 0x46
		}
		r := k.run(t)
		for i := range n {
			want := uint32(0)
			if i < 2 {
				want = r.words(0)[at/4+i]
			}
			if got := r.s(16 + i); got != want {
				t.Fatalf("%s %s stride %d: dword %d is %#x, want %#x", cpu, k.text, stride, i, got, want)
			}
		}
	}
}

func TestScalarStores(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx900", "gfx1010"} {
		for _, n := range []int{1, 2, 4} {
			for _, space := range []string{"s_store", "s_buffer_store"} {
				base := "s[4:5]"
				if space == "s_buffer_store" {
					base = "s[8:11]"
				}
				k := kernelTest{cpu: cpu, buffers: [][]byte{noise(512, 1)}, text: scalarName(cpu, space, n) + " " + sregs(16, n) + ", " + base + ", 0x10"}
				k.setup = func(w *wave) {
					b := argument(w, 0)
					w.setPair(4, b)
					copy(w.s[8:], []uint32{uint32(b), uint32(b >> 32), 512, 0})
					copy(w.s[16:], []uint32{1, 2, 3, 4})
				}
				got := k.run(t).buffers[0]
				want := noise(512, 1)
				for i := range n {
					binary.LittleEndian.PutUint32(want[16+i*4:], uint32(i+1))
				}
				if string(got) != string(want) {
					t.Errorf("%s %s: wrong bytes", cpu, k.text)
				}
			}
		}
	}
}

func TestScalarScratch(t *testing.T) {
	k := kernelTest{buffers: [][]byte{noise(512, 1)}, text: "s_scratch_load_dwordx2 s[16:17], s[4:5], s6\ns_scratch_store_dword s16, s[4:5], 0x8",
		setup: func(w *wave) { w.setPair(4, argument(w, 0)); w.s[6] = 3 }}
	r := k.run(t)
	if w := r.words(0); r.s(16) != w[48] || r.s(17) != w[49] || w[2] != w[48] {
		t.Errorf("%#x %#x", r.s(16), r.s(17))
	}
}

func TestScalarOther(t *testing.T) {
	k := kernelTest{text: "s_memtime s[10:11]\ns_memrealtime s[12:13]\ns_dcache_inv\ns_dcache_wb\ns_memtime s[14:15]\ns_waitcnt lgkmcnt(0)"}
	w := k.run(t).waves[0]
	if a, b := w.pair(10), w.pair(14); a == 0 || b < a {
		t.Errorf("time went from %d to %d", a, b)
	}
	for _, text := range []string{"s_load_dword s10, s[4:5], 0x0", "s_load_dwordx16 s[20:35], s[4:5], 0x40000", "s_store_dword s6, s[4:5], 0x0", "s_atomic_add s6, s[4:5], 0x0"} {
		k := kernelTest{text: text, setup: func(w *wave) { w.setPair(4, 4096) }}
		if f := k.try(t).fault(); f == nil || f.Kind != device.FaultMemory || f.Addr&^0x40000 != 4096 {
			t.Errorf("%s: %+v", text, f)
		}
	}
}
