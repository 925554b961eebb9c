package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestAsyncLDS copies memory through LDS, with offsets that apply to both sides.
func TestAsyncLDS(t *testing.T) {
	for _, x := range []struct {
		load, store string
		bytes       int
	}{
		{"global_load_async_to_lds_b8", "global_store_async_from_lds_b8", 1},
		{"global_load_async_to_lds_b32", "global_store_async_from_lds_b32", 4},
		{"global_load_async_to_lds_b64", "global_store_async_from_lds_b64", 8},
		{"cluster_load_async_to_lds_b64", "global_store_async_from_lds_b64", 8},
		{"global_load_async_to_lds_b128", "global_store_async_from_lds_b128", 16},
	} {
		in := noise(2048, 7)
		text := pointer12 + fmt.Sprintf(`
s_load_b64 s[6:7], s[0:1], 0x8
v_mul_u32_u24_e32 v1, %d, v0
v_add_nc_u32_e32 v2, 0x100, v1
s_mov_b32 m0, 0
s_mov_b32 exec_lo, 0xff00ff0f
s_wait_kmcnt 0
%s v2, v1, s[4:5] offset:32
s_wait_asynccnt 0
%s v1, v2, s[6:7] offset:32
s_wait_asynccnt 0
ds_load_u8 v3, v2 offset:32
s_wait_dscnt 0`, x.bytes, x.load, x.store)
		k := kernelTest{cpu: "gfx1250", wave: 32, lds: 2048, buffers: [][]byte{in, make([]byte, 2048)}, text: text}
		r := k.run(t)
		want := make([]byte, 2048)
		for l := range 32 {
			if 0xff00ff0f>>l&1 == 0 {
				continue
			}
			at := 32 + l*x.bytes
			copy(want[at:at+x.bytes], in[at:])
			if got := r.v(3, l); got != uint32(in[at]) {
				t.Errorf("%s: lane %d has %#x in LDS, want %#x", x.load, l, got, in[at])
			}
		}
		if string(r.buffers[1]) != string(want) {
			t.Errorf("%s: wrong data", x.store)
		}
	}
}

// TestLDSBarrier arrives at a barrier in LDS.
func TestLDSBarrier(t *testing.T) {
	for _, x := range []struct{ state, n, want uint64 }{
		{3<<32 | 3, 1, 3<<32 | 2},
		{3<<32 | 3, 3, 3 << 32},
		{3 << 32, 1, 3<<32 | 7<<29 | 3},
		{3<<32 | 1<<29, 1, 3<<32 | 3},
		{3<<32 | 1<<29 | 3, 8, 3<<32 | 7<<29 | 3},
		{3<<32 | 2<<29 | 1, 4, 3<<32 | 1<<29 | 1},
		{5 << 61, 1, 5<<61 | 7<<29},
	} {
		// One arrival at a time, as the instructions define it.
		want := x.state
		for range x.n {
			if want&(1<<29-1) != 0 {
				want--
				continue
			}
			phase := (want>>29 - 1) & 7
			want = want&^(1<<32-1) | phase<<29 | want>>32&(1<<29-1)
		}
		if want != x.want {
			t.Fatalf("%#x - %d: %#x, want %#x", x.state, x.n, want, x.want)
		}
		if got := arriveLDS(x.state, x.n); got != want {
			t.Errorf("%#x - %d: %#x, want %#x", x.state, x.n, got, want)
		}
	}
	r := kernelTest{cpu: "gfx1250", wave: 32, lds: 64, text: `
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 39
v_mov_b32_e32 v3, 39
v_mov_b32_e32 v4, 2
v_mov_b32_e32 v5, 0
ds_store_b64 v1, v[2:3] offset:8
s_wait_dscnt 0
ds_atomic_async_barrier_arrive_b64 v1 offset:8
s_wait_asynccnt 0
s_mov_b32 exec_lo, 1
ds_atomic_barrier_arrive_rtn_b64 v[6:7], v1, v[4:5] offset:8
ds_load_b64 v[8:9], v1 offset:8
s_wait_dscnt 0`}.run(t)
	if r.v(6, 0) != 7 || r.v(7, 0) != 39 || r.v(8, 0) != 5 || r.v(9, 0) != 39 {
		t.Errorf("%d %d, then %d %d", r.v(6, 0), r.v(7, 0), r.v(8, 0), r.v(9, 0))
	}
}

// tensorTest is a tensor transfer whose result the test computes.
type tensorTest struct {
	name         string
	log          int // size of an element
	tensor, tile []int
	stride       []int // of dimensions 1 and up
	padEvery     int   // dwords, 0 for no padding
	padDwords    int
	rows         []int
	wide         bool // rows have 32 bits
	iterations   int
	ldsStep      int
	memStep      int
}

func (x *tensorTest) descriptor() (d [20]uint32) {
	set := func(at, n, v int) {
		for i := range n {
			d[(at+i)/32] |= uint32(v>>i&1) << ((at + i) % 32)
		}
	}
	at := func(list []int, i int) int {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	set(0, 2, 1)
	set(32, 32, 64) // LDS address
	const g1, g2, g3 = 128, 384, 512
	set(g1+16, 2, x.log)
	if x.padEvery != 0 {
		set(g1+20, 1, 1)
		for x.padEvery != 2<<d[19] {
			d[19]++
		}
		n := int(d[19])
		d[19] = 0
		set(g1+22, 3, n)
		set(g1+25, 7, x.padDwords-1)
	}
	set(g1+48, 32, at(x.tensor, 0))
	set(g1+80, 32, at(x.tensor, 1))
	set(g1+112, 16, at(x.tile, 0))
	set(g1+128, 16, at(x.tile, 1))
	set(g1+144, 16, at(x.tile, 2))
	set(g1+160, 48, at(x.stride, 0))
	set(g1+208, 48, at(x.stride, 1))
	if x.rows != nil {
		set(31, 1, 1)
		set(g1+128, 16, len(x.rows))
		width := 16
		if x.wide {
			set(30, 1, 1)
			width = 32
		}
		for i, r := range x.rows {
			set(g2+i*width, width, r)
		}
		return d
	}
	set(g2, 32, at(x.tensor, 2))
	if x.iterations > 0 {
		set(g1+19, 1, 1)
		set(g2+32, 32, x.ldsStep)
		set(g2+64, 48, x.memStep)
		set(g2+112, 16, x.iterations-1)
		return d
	}
	set(g2+32, 32, at(x.tensor, 3))
	set(g2+64, 48, at(x.stride, 2))
	set(g2+112, 16, at(x.tile, 3))
	set(g3, 48, at(x.stride, 3))
	set(g3+48, 32, at(x.tensor, 4))
	set(g3+80, 16, at(x.tile, 4))
	return d
}

// each calls f for every element of the tile: its number in LDS, its number in
// memory, and whether it is inside of the tensor.
func (x *tensorTest) each(f func(lds, mem int, inside bool)) {
	if x.rows != nil {
		for i, row := range x.rows {
			for c := range x.tile[0] {
				f(i*x.tile[0]+c, row*x.stride[0]+c, c < x.tensor[0] && row < x.tensor[1])
			}
		}
		return
	}
	total := 1
	for _, n := range x.tile {
		total *= n
	}
	for it := range max(x.iterations, 1) {
		for n := range total {
			rest, mem, inside := n, it*x.memStep, true
			for i, size := range x.tile {
				c := rest % size
				rest /= size
				step := 1
				if i > 0 {
					step = x.stride[i-1]
				}
				mem += c * step
				if i == len(x.tile)-1 && it > 0 {
					c += it * x.memStep / step
				}
				inside = inside && c < x.tensor[i]
			}
			f(it*x.ldsStep+n, mem, inside)
		}
	}
}

func TestTensorTransfers(t *testing.T) {
	for _, x := range []tensorTest{
		{name: "row", log: 2, tensor: []int{100}, tile: []int{40}},
		{name: "row past the end", log: 1, tensor: []int{30}, tile: []int{40}},
		{name: "matrix", log: 0, tensor: []int{50, 9}, tile: []int{16, 12}, stride: []int{64}},
		{name: "padding", log: 2, tensor: []int{64, 8}, tile: []int{16, 8}, stride: []int{64}, padEvery: 8, padDwords: 3},
		{name: "five dimensions", log: 3, tensor: []int{3, 4, 2, 2, 3}, tile: []int{4, 3, 2, 2, 2}, stride: []int{5, 20, 41, 85}},
		{name: "words gathered", log: 1, tensor: []int{20, 30}, tile: []int{24, 0}, stride: []int{32}, rows: []int{5, 0, 29, 30, 7}},
		{name: "dwords gathered", log: 2, tensor: []int{20, 12}, tile: []int{16, 0}, stride: []int{24}, rows: []int{11, 2, 3, 70000}, wide: true},
		{name: "iterations", log: 2, tensor: []int{8, 7}, tile: []int{8, 2}, stride: []int{16}, iterations: 4, ldsStep: 20, memStep: 32},
	} {
		t.Run(x.name, func(t *testing.T) { x.run(t, false); x.run(t, true) })
	}
}

func (x *tensorTest) run(t *testing.T, store bool) {
	const size, first = 8192, 64
	in, d := noise(size, 3), x.descriptor()
	text := `
s_load_b64 s[4:5], s[0:1], 0x0
s_load_b64 s[6:7], s[0:1], 0x8
v_lshlrev_b32_e32 v1, 4, v0
s_wait_kmcnt 0
s_mov_b64 s[8:9], s[4:5]
`
	if store { // LDS, from which the tile is stored, holds the first buffer
		text += "s_mov_b64 s[8:9], s[6:7]\n"
		for i := 0; i < size; i += 512 {
			text += fmt.Sprintf("global_load_b128 v[4:7], v1, s[4:5] offset:%d\ns_wait_loadcnt 0\nds_store_b128 v1, v[4:7] offset:%d\n", i, i)
		}
		text += "s_wait_dscnt 0\n"
	}
	for i, v := range d {
		if i != 2 && i != 3 {
			text += fmt.Sprintf("s_mov_b32 s%d, 0x%x\n", 20+i, v)
		}
	}
	text += "s_mov_b32 s22, s8\ns_or_b32 s23, s9, 0x80000000\n"
	op := "tensor_load_to_lds"
	if store {
		op = "tensor_store_from_lds"
	}
	text += "s_mov_b32 exec_lo, 0\n" + op + " s[20:23], s[24:31], s[32:35], s[36:39]\ns_wait_tensorcnt 0\ns_mov_b32 exec_lo, -1\n"
	if !store {
		for i := 0; i < size; i += 512 {
			text += fmt.Sprintf("ds_load_b128 v[4:7], v1 offset:%d\ns_wait_dscnt 0\nglobal_store_b128 v1, v[4:7], s[6:7] offset:%d\n", i, i)
		}
	}
	out := make([]byte, size)
	k := kernelTest{cpu: "gfx1250", wave: 32, lds: size, buffers: [][]byte{in, out}, text: text}
	r := k.run(t)
	want := make([]byte, size)
	n := 1 << x.log
	x.each(func(lds, mem int, inside bool) {
		at := lds * n
		switch {
		case store && inside:
			copy(want[mem*n:][:n], in[first+at:])
		case !store:
			if x.padEvery != 0 {
				at += at / (4 * x.padEvery) * 4 * x.padDwords
			}
			clear(want[first+at:][:n])
			if inside {
				copy(want[first+at:][:n], in[mem*n:])
			}
		}
	})
	for i := range want {
		if r.buffers[1][i] != want[i] {
			t.Fatalf("%s: byte %d is %#x, want %#x", op, i, r.buffers[1][i], want[i])
		}
	}
}

// TestTensorBits reads fields of all positions and sizes.
func TestTensorBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var d [20]uint32
		for i := range d {
			d[i] = rng.Uint32()
		}
		at, n := rng.IntN(500), 1+rng.IntN(57)
		want := uint64(0)
		for i := range n {
			want |= uint64(d[(at+i)/32]>>((at+i)%32)&1) << i
		}
		if got := tensorBits(&d, at, n); got != want {
			t.Fatalf("%d bits from %d: %#x, want %#x", n, at, got, want)
		}
	}
}

// TestCheckAsync finds invalid accesses of asynchronous and tensor transfers.
func TestCheckAsync(t *testing.T) {
	words := func(d [20]uint32) (s string) {
		for i, v := range d {
			s += fmt.Sprintf("s_mov_b32 s%d, 0x%x\n", 20+i, v)
		}
		return s + "s_mov_b32 s22, s4\ns_mov_b32 s23, s5\n"
	}
	row := func(n int) string {
		x := tensorTest{log: 2, tensor: []int{n}, tile: []int{n}}
		return words(x.descriptor()) + "tensor_load_to_lds s[20:23], s[24:31]\ns_wait_tensorcnt 0"
	}
	runSeeds(t, []seed{
		{name: "LDS of an asynchronous load", check: device.CheckMemory, cpu: "gfx1250", wave: 32, lds: 128, at: "global_load_async_to_lds_b32", message: "LDS", text: pointer12 + `
v_lshlrev_b32_e32 v1, 2, v0
- v_add_nc_u32_e32 v1, 4, v1
global_load_async_to_lds_b32 v1, v1, s[4:5]
s_wait_asynccnt 0`},
		{name: "memory of an asynchronous store", check: device.CheckMemory, cpu: "gfx1250", wave: 32, lds: 256, buffers: []int{128}, at: "global_store_async_from_lds_b32", message: "past the end", text: pointer12 + `
v_lshlrev_b32_e32 v1, 2, v0
ds_store_b32 v1, v0
s_wait_dscnt 0
- v_add_nc_u32_e32 v2, 4, v1
+ v_mov_b32_e32 v2, v1
global_store_async_from_lds_b32 v2, v1, s[4:5]
s_wait_asynccnt 0`},
		{name: "memory of a tensor load", check: device.CheckMemory, cpu: "gfx1250", wave: 32, lds: 1024, buffers: []int{128}, at: "tensor_load_to_lds", message: "past the end", more: true, text: pointer12 + "- " + "s_add_co_u32 s4, s4, 4\n" + row(32)},
	})
}
