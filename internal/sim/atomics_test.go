package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// atomicModel is the test's model of an atomic instruction.
type atomicModel struct {
	old, new string // names before and since gfx11; "" for none
	bytes    int
	operands int
	next     func(old, data, data2 uint64) uint64
}

func low32(f func(a, b uint32) uint32) func(old, data, _ uint64) uint64 {
	return func(old, data, _ uint64) uint64 { return uint64(f(uint32(old), uint32(data))) }
}

var atomicModels = []atomicModel{
	{"add", "add_u32", 4, 1, low32(func(a, b uint32) uint32 { return a + b })},
	{"sub", "sub_u32", 4, 1, low32(func(a, b uint32) uint32 { return a - b })},
	{"swap", "swap_b32", 4, 1, low32(func(a, b uint32) uint32 { return b })},
	{"and", "and_b32", 4, 1, low32(func(a, b uint32) uint32 { return a & b })},
	{"or", "or_b32", 4, 1, low32(func(a, b uint32) uint32 { return a | b })},
	{"xor", "xor_b32", 4, 1, low32(func(a, b uint32) uint32 { return a ^ b })},
	{"smax", "max_i32", 4, 1, low32(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) })},
	{"umin", "min_u32", 4, 1, low32(func(a, b uint32) uint32 { return min(a, b) })},
	{"inc", "inc_u32", 4, 1, low32(func(a, b uint32) uint32 {
		if a >= b {
			return 0
		}
		return a + 1
	})},
	{"add_x2", "add_u64", 8, 1, func(a, b, _ uint64) uint64 { return a + b }},
	{"sub_x2", "sub_u64", 8, 1, func(a, b, _ uint64) uint64 { return a - b }},
	{"and_x2", "and_b64", 8, 1, func(a, b, _ uint64) uint64 { return a & b }},
	{"smin_x2", "min_i64", 8, 1, func(a, b, _ uint64) uint64 { return uint64(min(int64(a), int64(b))) }},
	{"swap_x2", "swap_b64", 8, 1, func(_, b, _ uint64) uint64 { return b }},
	{"cmpswap", "cmpswap_b32", 4, 2, func(a, b, c uint64) uint64 {
		if a == c {
			return b
		}
		return a
	}},
	{"cmpswap_x2", "cmpswap_b64", 8, 2, func(a, b, c uint64) uint64 {
		if a == c {
			return b
		}
		return a
	}},
}

func (a *atomicModel) name(cpu string) string {
	if strings.HasPrefix(cpu, "gfx11") {
		return a.new
	}
	return a.old
}

// returning returns the modifier that makes an atomic return the old value.
func returning(cpu string) string {
	if cpu == "gfx942" || cpu == "gfx950" {
		return "sc0"
	}
	return "glc"
}

// atomicSpaces lists the instruction kinds and address spaces under test:
// global, flat, LDS, scratch, buffer and scalar.
var atomicSpaces = []string{"global", "flat", "flat lds", "flat private", "buffer", "s"}

func TestAtomics(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		for i := range atomicModels {
			for _, space := range atomicSpaces {
				switch {
				case space == "global" && cpu == "gfx803", space == "s" && cpu != "gfx900" && cpu != "gfx1010":
					continue
				}
				for k, exec := range execs {
					c := &atomicCase{a: &atomicModels[i], cpu: cpu, lanes: lanes, space: space, exec: exec, shape: (i + k) % 3}
					c.run(t, true)
					if k == i%3 {
						c.run(t, false)
					}
				}
			}
		}
	})
}

// atomicCase is an atomic executed by all lanes of a wave on one word, on a few
// words or on one word each.
type atomicCase struct {
	a     *atomicModel
	cpu   string
	lanes int
	space string
	exec  uint64
	shape int
}

func (c *atomicCase) word(l int) int { return []int{3, l % 5, l}[c.shape] }

// place returns the byte offset of a lane's word.
func (c *atomicCase) place(l int) int { return c.word(l) * c.a.bytes }

// data returns operand i of a lane. Comparisons occasionally succeed.
func (c *atomicCase) data(l, i int) uint64 {
	v := uint64(pattern(20+i, l)) | uint64(pattern(30+i, l))<<32
	if i == 1 && l%3 == 0 {
		v = binary.LittleEndian.Uint64(noise(1024, 7)[c.place(l):])
	}
	if c.a.bytes == 4 {
		v &= math.MaxUint32
	}
	return v
}

func (c *atomicCase) text(ret bool) string {
	name := c.a.name(c.cpu)
	n := c.a.bytes / 4
	data := vregs(8, n*c.a.operands)
	mod := ""
	if ret {
		mod = " " + returning(c.cpu)
	}
	space := strings.Fields(c.space)[0]
	switch space {
	case "s":
		sdata := strings.ReplaceAll(vregs(8, n*c.a.operands), "v", "s")
		return fmt.Sprintf("s_atomic_%s %s, s[4:5], 0x0%s", name, sdata, mod)
	case "buffer":
		return fmt.Sprintf("buffer_atomic_%s %s, v2, s[12:15], 0 offen%s", name, data, mod)
	}
	dst, off := "", ""
	if ret {
		dst = vregs(16, n) + ", "
	}
	if space == "global" {
		off = ", off"
	}
	return fmt.Sprintf("%s_atomic_%s %sv[4:5], %s%s%s", space, name, dst, data, off, mod)
}

func (c *atomicCase) run(t *testing.T, ret bool) {
	t.Helper()
	n := c.a.bytes / 4
	k := kernelTest{cpu: c.cpu, wave: c.lanes, text: c.text(ret), lds: 1024, buffers: [][]byte{noise(1024, 7)}}
	if c.space == "flat private" {
		k.private = 1024
	}
	k.setup = func(w *wave) {
		if k.private > 0 {
			fillScratch(w)
		}
		copy(w.group.lds, noise(1024, 7))
		fillPattern(w, 16, 2)
		bases := map[string]uint64{"flat lds": device.GroupAperture, "flat private": device.PrivateAperture}
		base := argument(w, 0)
		if b, ok := bases[c.space]; ok {
			base = b
		}
		for l := range w.lanes {
			setV64(w, 4, l, base+uint64(c.place(l)))
			w.v[2*w.lanes+l] = uint32(c.place(l))
			for i := range c.a.operands {
				v := c.data(l, i)
				for k := range n {
					w.v[(8+i*n+k)*w.lanes+l] = uint32(v >> (32 * k))
					if l == 0 {
						w.s[8+i*n+k] = uint32(v >> (32 * k))
					}
				}
			}
		}
		w.setPair(4, base+uint64(c.place(0)))
		copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32), 1024, 4<<15 | 7<<12})
		if c.space == "buffer" && strings.HasPrefix(c.cpu, "gfx1") {
			w.s[15] = 20<<12 | 3<<28
		}
		w.setMask(sExec, c.exec&w.all)
	}
	c.check(t, k.run(t), k.text, ret)
}

// memory returns the value of lane l's word after the kernel has run.
func (c *atomicCase) memory(r *kernelResult, l int) uint64 {
	b := make([]byte, 8)
	switch c.space {
	case "flat lds":
		copy(b, r.groups[0].lds[c.place(l):])
	case "flat private":
		copy(b, scratchBytes(r.waves[0], l, c.place(l), 8))
	default:
		copy(b, r.buffers[0][c.place(l):])
	}
	return c.cut(binary.LittleEndian.Uint64(b))
}

func (c *atomicCase) cut(v uint64) uint64 {
	if c.a.bytes == 4 {
		return uint64(uint32(v))
	}
	return v
}

func (c *atomicCase) check(t *testing.T, r *kernelResult, text string, ret bool) {
	t.Helper()
	words := map[[2]int]uint64{} // by private lane and offset
	dst, n := 16, c.a.bytes/4
	if c.space == "buffer" {
		dst = 8
	}
	lanes := c.lanes
	if c.space == "s" {
		lanes = 1
	}
	for l := range lanes {
		at := [2]int{0, c.place(l)}
		init := binary.LittleEndian.Uint64(noise(1024, 7)[c.place(l):])
		if c.space == "flat private" {
			at[0] = l
			b := noise(len(r.waves[0].scratch.mem), 9)
			init = 0
			for i := range c.a.bytes {
				init |= uint64(b[scratchByte(c.lanes, l, c.place(l)+i)]) << (i * 8)
			}
		}
		if _, ok := words[at]; !ok {
			words[at] = c.cut(init)
		}
		if c.exec>>l&1 == 0 && c.space != "s" {
			continue
		}
		old := words[at]
		words[at] = c.cut(c.a.next(old, c.data(l, 0), c.data(l, 1)))
		for i := range n {
			got, want := r.v(dst+i, l), uint32(old>>(32*i))
			switch {
			case c.space == "s":
				got = r.s(8 + i)
				if !ret {
					want = uint32(c.data(0, 0) >> (32 * i))
				}
			case !ret && dst == 8:
				want = uint32(c.data(l, 0) >> (32 * i))
			case !ret:
				want = pattern(dst+i, l)
			}
			if got != want {
				t.Fatalf("%s %s, exec %#x shape %d: lane %d register %d is %#x, want %#x", c.cpu, text, c.exec, c.shape, l, i, got, want)
			}
		}
	}
	for l := range lanes {
		at := [2]int{0, c.place(l)}
		if c.space == "flat private" {
			at[0] = l
		}
		if got := c.memory(r, l); got != words[at] {
			t.Fatalf("%s %s, exec %#x shape %d: word of lane %d is %#x, want %#x", c.cpu, text, c.exec, c.shape, l, got, words[at])
		}
	}
}

func TestFloatAtomics(t *testing.T) {
	bits := func(x float32) uint32 { return math.Float32bits(x) }
	for _, x := range []struct {
		cpu, text      string
		old, new, want uint32
	}{
		{"gfx90a", "global_atomic_add_f32 v[4:5], v8, off", bits(1.5), bits(2.25), bits(1.5 + 64*2.25)},
		{"gfx90a", "global_atomic_add_f32 v[4:5], v8, off", 1, 1, 0},  // flushes denormals
		{"gfx942", "global_atomic_add_f32 v[4:5], v8, off", 1, 1, 65}, // preserves denormals
		{"gfx1100", "global_atomic_add_f32 v[4:5], v8, off", 1, 1, 65},
		{"gfx1030", "global_atomic_fmin v[4:5], v8, off", bits(3), bits(-7), bits(-7)},
		{"gfx942", "global_atomic_pk_add_f16 v[4:5], v8, off", 0x3c003c00, 0x3c004000, 0x54015802 - 0x01010202 + 0x3ff},
	} {
		if strings.Contains(x.text, "pk_add_f16") {
			x.want = 0x54105808 // 1+64 and 1+128
		}
		k := kernelTest{cpu: x.cpu, text: x.text, buffers: [][]byte{dwords(x.old)}, setup: func(w *wave) {
			for l := range w.lanes {
				setV64(w, 4, l, argument(w, 0))
				w.v[8*w.lanes+l] = x.new
			}
		}}
		if got := k.run(t).words(0)[0]; got != x.want {
			t.Errorf("%s %s: %#x, want %#x", x.cpu, x.text, got, x.want)
		}
	}
}

func TestMisalignedAtomic(t *testing.T) {
	for _, text := range []string{"global_atomic_add v[4:5], v8, off", "flat_atomic_add_x2 v[4:5], v[8:9]", "buffer_atomic_swap v8, v2, s[12:15], 0 offen", "s_atomic_add s8, s[4:5], 0x4"} {
		k := kernelTest{text: text, lds: 1024, buffers: [][]byte{noise(1024, 7)}, setup: func(w *wave) {
			base := argument(w, 0)
			for l := range w.lanes {
				setV64(w, 4, l, base+8)
				w.v[2*w.lanes+l] = 4
			}
			setV64(w, 4, 7, base+12)
			w.v[4*w.lanes+7] += 2
			w.v[2*w.lanes+7] = 6
			w.setPair(4, base)
			w.s[4] += 4
			copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32), 1024, 4<<15 | 7<<12})
		}}
		f := k.try(t).fault()
		if strings.HasPrefix(text, "s_") { // the low address bits are ignored
			if f != nil {
				t.Errorf("%s: %+v", text, f)
			}
			continue
		}
		if f == nil || f.Kind != device.FaultAlignment || f.Lane != 7 {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

// TestAtomicsTogether increments one word from several goroutines and checks
// that each returned number is unique.
func TestAtomicsTogether(t *testing.T) {
	text := `
v_mov_b32 v8, 1
v_mov_b32 v9, 0
global_atomic_add v10, v9, v8, s[8:9] glc
v_lshlrev_b32 v11, 2, v0
global_atomic_umax v11, v10, s[8:9] offset:64
global_atomic_add_x2 v9, v[8:9], s[8:9] offset:8
s_waitcnt vmcnt(0)
v_lshlrev_b32 v10, 2, v10
global_store_dword v10, v8, s[10:11]`
	const groups = 100
	k := kernelTest{text: "s_load_dwordx4 s[8:11], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)" + text, grid: [3]int{64 * groups}, options: device.Options{Workers: 4},
		buffers: [][]byte{make([]byte, 512), make([]byte, 64*groups*4)}}
	r, _ := k.dispatch(t)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if got := r.words(0); got[0] != 64*groups || got[2] != 64*groups || got[3] != 0 {
		t.Errorf("counted to %d and %d", got[0], got[2])
	}
	for i, v := range r.words(1) {
		if v != 1 {
			t.Fatalf("no lane got the number %d", i)
		}
	}
}
