package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// rayCPUs lists processors with ray tracing: one of each generation, and gfx1013.
var rayCPUs = []string{"gfx1013", "gfx1030", "gfx1100", "gfx1151", "gfx1200"}

// rayText returns the text of an intersection whose address is v10 and later,
// as one tuple or in parts.
func rayText(cpu string, wide, half bool, parts bool) string {
	name, mod := "image_bvh_intersect_ray", ""
	sizes := []int{1, 1, 3, 3, 3}
	if wide {
		name, sizes[0] = "image_bvh64_intersect_ray", 2
	}
	if half {
		sizes, mod = sizes[:4], " a16"
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	addr := vregs(10, total)
	if parts {
		addr = "["
		at := 10
		for i, n := range sizes {
			if cpu[:5] == "gfx10" {
				for k := range n {
					addr += fmt.Sprintf("v%d, ", at+k)
				}
			} else {
				addr += vregs(at, n) + ", "
			}
			at += n
			_ = i
		}
		addr = addr[:len(addr)-2] + "]"
	}
	return fmt.Sprintf("%s v[2:5], %s, s[8:11]%s\ns_nop 0", name, addr, mod)
}

// resourceWords returns a resource of 2^20 nodes with barycentrics and sorting.
func resourceWords(base uint64) []uint32 {
	return []uint32{uint32(base >> 8), uint32(base>>40) | 1<<31, 1 << 20, 8<<28 | 1<<24}
}

func floats(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// rayScene returns a hierarchy: a box node of 128 bytes, a triangle.
func rayScene() []byte {
	b := make([]byte, 4096)
	copy(b, dwords(16, 0x28, 0xffffffff, 0x35))
	copy(b[16:], floats(-1, -1, 5, 1, 1, 6, -1, -1, 2, 1, 1, 3, 0, 0, 0, 0, 0, 0, 10, 10, 10, 11, 11, 11))
	copy(b[128:], floats(-1, -1, 5, 3, -1, 5, -1, 3, 5))
	copy(b[128+60:], dwords(1|2<<2))
	return b
}

// TestIntersectRay runs the intersection of all generations, in all encodings.
func TestIntersectRay(t *testing.T) {
	forWaves(t, rayCPUs, func(t *testing.T, cpu string, lanes int) {
		for i := range 8 {
			wide, half, parts := i&1 != 0, i&2 != 0, i&4 != 0
			if parts && cpu == "gfx1013" || cpu == "gfx1200" && !parts {
				continue
			}
			k := kernelTest{cpu: cpu, wave: lanes, buffers: [][]byte{rayScene()}, text: rayText(cpu, wide, half, parts)}
			k.setup = func(w *wave) {
				copy(w.s[8:], resourceWords(argument(w, 0)))
				set := func(l, reg int, v uint32) { w.v[(10+reg)*w.lanes+l] = v }
				for l := range w.lanes {
					at := 0
					put := func(v ...uint32) {
						for _, x := range v {
							set(l, at, x)
							at++
						}
					}
					put(uint32(5 - l&1*5 + l&1*16)) // the boxes, the triangle
					if wide {
						put(0)
					}
					f := math.Float32bits
					put(f(100), f(0.25), f(0.5), f(0))
					inf := float32(math.Inf(1))
					switch {
					case !half:
						put(0, 0, f(2), f(inf), f(inf), f(0.5))
					case cpu[:5] == "gfx10":
						put(0, 0x7c00<<16|0x4000, 0x3800<<16|0x7c00)
					default:
						put(0x7c00<<16, 0x7c00<<16, 0x3800<<16|0x4000)
					}
				}
			}
			r := k.run(t)
			// Box 1 is entered at 1, box 0 at 2.5. The triangle is met at 2.5.
			if got := [4]uint32{r.v(2, 0), r.v(3, 0), r.v(4, 0), r.v(5, 0)}; got != [4]uint32{0x28, 16, ^uint32(0), ^uint32(0)} {
				t.Errorf("%s: boxes %#x", k.text, got)
			}
			v := [4]float32{}
			for i := range v {
				v[i] = math.Float32frombits(r.v(2+i, 1))
			}
			if v[0]/v[1] != 2.5 || v[2]/v[1] != 1.25/4 || v[3]/v[1] != 1.5/4 {
				t.Errorf("%s: triangle %v", k.text, v)
			}
		}
	})
}

func TestIntersectRayFaults(t *testing.T) {
	for _, test := range []struct {
		cpu  string
		set  func(s []uint32)
		kind device.FaultKind
	}{
		{"gfx1030", func(s []uint32) { s[3] = 0 }, device.FaultIllegal},
		{"gfx1100", func(s []uint32) { s[0] = 7 }, device.FaultMemory},
		{"gfx1200", func(s []uint32) { s[3] |= 1 << 19 }, device.FaultUnsupported},
	} {
		k := kernelTest{cpu: test.cpu, wave: 32, buffers: [][]byte{rayScene()}, text: rayText(test.cpu, false, false, true)}
		k.setup = func(w *wave) {
			copy(w.s[8:], resourceWords(argument(w, 0)))
			test.set(w.s[8:12])
			for i := range 11 {
				clear(w.v[(10+i)*w.lanes : (11+i)*w.lanes])
			}
		}
		if f := k.try(t).fault(); f == nil || f.Kind != test.kind {
			t.Errorf("%s: fault %v", test.cpu, f)
		}
	}
}

// wideScene returns a hierarchy with nodes of gfx12: an instance of 128 bytes,
// the scene of rayScene after it.
func wideScene() []byte {
	b := make([]byte, 4096)
	copy(b, floats(1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0))
	copy(b[48:], dwords(0x1230, 0, 0x77, 0xff<<24|42))
	copy(b[256:], rayScene()[:512])
	return b
}

// TestWideRays runs the instructions for two nodes and for eight boxes.
func TestWideRays(t *testing.T) {
	for _, lanes := range []int{32, 64} {
		for _, dual := range []bool{false, true} {
			text := "image_bvh8_intersect_ray v[30:39], [v[10:11], v[12:13], v[14:16], v[17:19], v20], s[8:11]\ns_nop 0"
			if dual {
				text = "image_bvh_dual_intersect_ray v[30:39], [v[10:11], v[12:13], v[14:16], v[17:19], v[20:21]], s[8:11]\ns_nop 0"
			}
			k := kernelTest{cpu: "gfx1200", wave: lanes, buffers: [][]byte{wideScene()}, text: text}
			k.setup = func(w *wave) {
				base := argument(w, 0)
				copy(w.s[8:], []uint32{0, 1 << 31, ^uint32(0), 8<<28 | 1<<24 | 1<<22 | 0x3ff})
				f := math.Float32bits
				for l := range w.lanes {
					node := []uint32{6, 0x25, 0x30, 7}[l%4]
					for i, v := range []uint32{uint32(base >> 3), uint32(base >> 35), f(100), 1, f(0.25), f(0.5), 0, 0, 0, f(2), node, 7} {
						w.v[(10+i)*w.lanes+l] = v
					}
				}
			}
			r := k.run(t)
			none := ^uint32(0)
			for l := range lanes {
				var got [10]uint32
				for i := range got {
					got[i] = r.v(30+i, l)
				}
				x := math.Float32frombits(r.v(14, l))
				want, moved := [10]uint32{none, none, none, none, none, none, none, none, none, none}, float32(0.25)
				switch l % 4 {
				case 0:
					want = [10]uint32{2: 0x1230, 6: 42, 7: 0x77, 8: none, 9: none}
					moved = 0.75
				case 1:
					want[0], want[1] = 0x28, 16
				case 2:
					if v := math.Float32frombits(got[0]) / math.Float32frombits(got[1]); v != 2.5 {
						t.Errorf("dual %v: t is %v", dual, v)
					}
					copy(want[:4], got[:4])
					want[8] = 0
				}
				if got != want || x != moved || r.v(19, l) != math.Float32bits(2) {
					t.Errorf("dual %v, lane %d: %#x, x is %v; want %#x, %v", dual, l, got, x, want, moved)
				}
			}
		}
	}
}

// TestCompressedFault names the format of nodes that nothing published
// describes.
func TestCompressedFault(t *testing.T) {
	scene := make([]byte, 256)
	scene[3] = 0x80
	k := kernelTest{cpu: "gfx1200", wave: 32, buffers: [][]byte{scene},
		text: "image_bvh8_intersect_ray v[30:39], [v[10:11], v[12:13], v[14:16], v[17:19], v20], s[8:11]"}
	k.setup = func(w *wave) {
		base := argument(w, 0)
		copy(w.s[8:], []uint32{0, 0, ^uint32(0), 8<<28 | 1<<19 | 0x3ff})
		clear(w.v[10*w.lanes : 21*w.lanes])
		for l := range w.lanes {
			w.v[10*w.lanes+l], w.v[11*w.lanes+l] = uint32(base>>3), uint32(base>>35)
		}
	}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultUnsupported {
		t.Errorf("fault %v", f)
	}
}

// TestStacks pushes and pops with each instruction. The stack of lane l begins at
// dword l.
func TestStacks(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		shift     int
		nodes     [][2]uint32 // results, one pair per instruction
	}{
		{"gfx1100", "ds_bvh_stack_rtn_b32 v2, v10, v11, v[12:15] offset:0x1000", 18, [][2]uint32{{8}, {0x10}, {0x18}, {^uint32(1)}}},
		{"gfx1200", "ds_bvh_stack_push4_pop1_rtn_b32 v2, v10, v11, v[12:15] offset:16", 15, [][2]uint32{{8}, {0x10}, {0x18}, {^uint32(1)}}},
		{"gfx1200", "ds_bvh_stack_push8_pop1_rtn_b32 v2, v10, v11, v[12:19] offset:16", 15, [][2]uint32{{8}, {0x10}, {0x18}, {0x28}}},
		{"gfx1200", "ds_bvh_stack_push8_pop2_rtn_b64 v[2:3], v10, v11, v[12:19] offset:0x110", 15, [][2]uint32{{0x10, 8}, {0x28, 0x18}, {0x30, 0x31}, {^uint32(1), ^uint32(0)}}},
	} {
		for _, lanes := range []int{32, 64} {
			text := "" // the first instruction pushes, the others have no children
			for i := range c.nodes {
				text += c.text + fmt.Sprintf("\ns_nop 0\nv_mov_b32 v%d, v2\nv_mov_b32 v%d, v3\n", 30+2*i, 31+2*i)
				for r := 12; r < 20; r++ {
					text += fmt.Sprintf("v_mov_b32 v%d, -1\n", r)
				}
			}
			k := kernelTest{cpu: c.cpu, wave: lanes, lds: 16384, text: text}
			k.setup = func(w *wave) {
				for l := range w.lanes {
					base := uint32(l%32 + l/32*32*16)
					w.v[10*w.lanes+l] = base << c.shift
					for i, v := range []uint32{^uint32(0), 8, 0x10, 0x18, ^uint32(0), 0x28, 0x31, ^uint32(0), ^uint32(0)} {
						w.v[(11+i)*w.lanes+l] = v
					}
				}
			}
			r := k.run(t)
			for l := range lanes {
				for i, want := range c.nodes {
					got := [2]uint32{r.v(30+2*i, l), r.v(31+2*i, l)}
					if got[0] != want[0] || want[1] != 0 && got[1] != want[1] {
						t.Errorf("%s, lane %d, instruction %d: %#x, want %#x", c.text, l, i, got, want)
					}
				}
			}
		}
	}
	k := kernelTest{cpu: "gfx1200", wave: 32, lds: 4096, text: "ds_bvh_stack_push4_pop1_rtn_b32 v2, v10, v11, v[12:15]"}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultIllegal {
		t.Errorf("a stack without entries: fault %v", f)
	}
}

// TestCheckRays finds missing waits, invalid nodes and undefined inputs of ray
// tracing instructions.
func TestCheckRays(t *testing.T) {
	const resource = `
s_load_b64 s[8:9], s[0:1], 0x0
s_mov_b32 s10, -1
s_mov_b32 s11, 0x800003ff
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 0
v_mov_b32_e32 v3, 0
v_mov_b32_e32 v4, 0
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 0
v_mov_b32_e32 v7, 0
v_mov_b32_e32 v8, 1.0
`
	const rays = resource + `
s_wait_kmcnt 0
v_mov_b32_e32 v10, s8
v_mov_b32_e32 v11, s9
v_lshrrev_b64 v[10:11], 3, v[10:11]
s_mov_b32 s8, 0
s_mov_b32 s9, 0
`
	const test = "image_bvh8_intersect_ray v[20:29], [v[10:11], v[1:2], v[3:5], v[6:8], v12], s[8:11]\n"
	runSeeds(t, []seed{
		{name: "result of a ray", check: device.CheckWait, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v30, v21", message: "needs bvhcnt(0)", text: rays + `
v_mov_b32_e32 v12, 5
` + test + `
- s_wait_loadcnt 0
+ s_wait_bvhcnt 0
v_mov_b32_e32 v30, v21`},
		{name: "moved ray", check: device.CheckWait, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v30, v8", message: "needs bvhcnt(0)", text: rays + `
v_mov_b32_e32 v12, 5
` + test + `
+ s_wait_bvhcnt 0
v_mov_b32_e32 v30, v8`},
		{name: "node past the end", check: device.CheckMemory, cpu: "gfx1200", wave: 32, at: "image_bvh8_intersect_ray", message: "128-byte load", text: rays + `
- v_mov_b32_e32 v12, 0x205
+ v_mov_b32_e32 v12, 0x1f5
` + test},
		{name: "undefined node", check: device.CheckInit, cpu: "gfx1200", wave: 32, at: "image_bvh8_intersect_ray", message: "v12", text: rays + `
+ v_mov_b32_e32 v12, 5
` + test},
		{name: "stack of another wave", check: device.CheckMemory, cpu: "gfx1200", wave: 32, lds: 64, at: "ds_bvh_stack_push4_pop1_rtn_b32", message: "LDS", text: `
v_lshlrev_b32_e32 v1, 15, v0
v_mov_b32_e32 v2, -1
v_mov_b32_e32 v4, -1
v_mov_b32_e32 v5, -1
v_mov_b32_e32 v6, -1
- v_mov_b32_e32 v7, 8
+ v_mov_b32_e32 v7, -1
ds_bvh_stack_push4_pop1_rtn_b32 v3, v1, v2, v[4:7] offset:4`},
	})
}
