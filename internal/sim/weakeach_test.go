package sim

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/target"
)

// weakEach lists instructions by processor. v2 of each lane is an offset into
// the buffer at s[4:5], v[4:5] the address of buffer or LDS, v6 an LDS address,
// s[8:11] a buffer resource, s12 the scalar offset, v8 and later registers hold
// data. Code after a semicolon runs after all waits.
var weakEach = map[string][]string{
	"gfx900": {
		"global_load_ubyte v8, v2, s[4:5]", "global_load_short_d16_hi v8, v2, s[4:5]", "global_load_dword v8, v2, s[4:5]",
		"global_load_dwordx2 v[8:9], v2, s[4:5]", "global_load_dwordx3 v[8:10], v2, s[4:5]", "global_load_dwordx4 v[2:5], v2, s[4:5]",
		"global_store_byte v2, v8, s[4:5]", "global_store_dword v2, v8, s[4:5]", "global_store_dwordx3 v2, v[8:10], s[4:5]", "global_store_dwordx4 v2, v[8:11], s[4:5]",
		"global_atomic_add v8, v6, v9, s[4:5] glc", "global_atomic_add v6, v9, s[4:5]", "global_atomic_cmpswap_x2 v[8:9], v16, v[10:13], s[4:5] glc",
		"flat_load_dword v8, v[4:5]", "flat_store_dword v[4:5], v8", "flat_load_dwordx2 v[4:5], v[4:5]", "flat_atomic_add v8, v[4:5], v9 glc",
		"flat_load_dword v8, v[14:15]", "flat_load_ushort v8, v[14:15]",
		"s_load_dword s20, s[4:5], 0x3c", "s_load_dwordx2 s[4:5], s[4:5], 0x8", "s_load_dwordx8 s[20:27], s[4:5], 0x30", "s_load_dwordx16 s[20:35], s[4:5], s12",
		"s_buffer_load_dwordx4 s[20:23], s[8:11], 0x20", "s_buffer_load_dwordx4 s[20:23], s[8:11], 0xff8", "s_buffer_load_dwordx2 s[20:21], s[8:11], s36",
		"s_store_dword s12, s[4:5], 0x40", "s_atomic_add s12, s[4:5], 0x40 glc", "s_dcache_inv", "s_dcache_wb", "s_memtime s[20:21]; s_mov_b64 s[20:21], 0",
		"buffer_load_dword v8, v2, s[8:11], 0 offen", "buffer_load_dwordx4 v[8:11], v17, s[8:11], 0 offen", "buffer_store_dwordx2 v[8:9], v2, s[8:11], 0 offen",
		"buffer_load_dword v[8:9], v2, s[8:11], 0 offen tfe", "buffer_atomic_add v8, v17, s[8:11], 0 offen glc", "buffer_load_format_xyzw v[8:11], v2, s[8:11], 0 offen",
		"tbuffer_load_format_xy v[8:9], v2, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT] offen", "tbuffer_store_format_x v8, v6, s[8:11], 0 format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_UINT] offen",
		"buffer_load_dword v2, s[8:11], 0 offen lds", "global_load_dword v2, s[4:5] lds",
		"ds_read_b32 v8, v6", "ds_read_b64 v[6:7], v6 offset:8", "ds_write_b32 v6, v6", "ds_add_rtn_u32 v8, v6, v9", "ds_read_u16_d16_hi v8, v6", "ds_append v8 offset:16",
		"ds_bpermute_b32 v8, v6, v9", "ds_write_b32 v6, v8\nds_append v9 offset:16\nds_read_b32 v8, v6\nds_read_b32 v10, v6 offset:4",
		"ds_write_b32 v6, v8\nflat_load_dword v9, v[18:19]", "buffer_wbinvl1_vol", "image_get_resinfo v8, v6, s[8:15] dmask:0x1", "s_sendmsg sendmsg(MSG_INTERRUPT)",
		"global_store_dword v2, v8, s[4:5]\nglobal_load_dword v9, v2, s[4:5]\nglobal_store_dword v2, v10, s[4:5]",
		"ds_write_b32 v6, v8\nds_read_b32 v9, v6\nbuffer_load_dword v10, v2, s[8:11], 0 offen\nflat_store_dword v[4:5], v8\nflat_load_dword v11, v[14:15]",
		"s_mov_b32 exec_lo, 0x5a5a\nflat_load_dword v8, v[4:5]", "s_mov_b64 exec, 0\nglobal_load_dword v8, v2, s[4:5]\nds_read_b32 v9, v6\nflat_load_dword v9, v[4:5]",
	},
	"gfx600": {"ds_read_b32 v8, v6 offset:8", "buffer_load_dword v8, v2, s[8:11], 0 offen", "s_load_dword s20, s[4:5], 0x3"},
	"gfx90a": {"global_load_dwordx2 a[2:3], v2, s[4:5]", "global_store_dword v2, a3, s[4:5]", "ds_read_b32 a1, v6", "buffer_wbl2", "buffer_invl2",
		"global_store_dword v2, v8, s[4:5]\nbuffer_wbl2"},
	"gfx942":  {"global_atomic_add v8, v6, v9, s[4:5] sc0", "buffer_inv sc1", "buffer_wbl2 sc1", "global_load_lds_dword v2, s[4:5]"},
	"gfx1030": {"global_load_dwordx2 v[8:9], v2, s[4:5]", "buffer_gl0_inv", "buffer_gl1_inv", "flat_load_dword v8, v[4:5]"},
	"gfx1100": {"global_store_b32 v2, v8, s[4:5]", "lds_direct_load v8", "ds_load_b32 v8, v6", "global_load_d16_b16 v8, v2, s[4:5]"},
	"gfx1200": {"s_load_u8 s20, s[4:5], 0x7", "s_load_i16 s20, s[4:5], 0x6", "global_load_block v[8:39], v2, s[4:5]", "global_inv scope:SCOPE_SYS", "global_wb scope:SCOPE_SYS",
		"global_wbinv scope:SCOPE_SYS", "s_load_b96 s[20:22], s[4:5], 0x38", "global_load_tr_b128 v[8:11], v16, s[4:5]"},
	"gfx1250": {"global_load_async_to_lds_b32 v6, v2, s[4:5]", "global_store_async_from_lds_b64 v6, v2, s[4:5]", "global_load_b128 v[8:11], v2, s[4:5]"},
}

// weakKernel returns a kernel with one of the texts of weakEach.
func weakKernel(cpu, text string, seed uint64) kernelTest {
	text, after, _ := strings.Cut(text, ";")
	k := kernelTest{cpu: cpu, features: eccOff(cpu), text: text, lds: 2048, buffers: [][]byte{noise(4096, 5)}}
	if strings.HasPrefix(cpu, "gfx12") {
		k.wave = 32
	}
	if after != "" {
		k.text += "\ns_waitcnt lgkmcnt(0)\n" + after
	}
	k.setup = func(w *wave) {
		r := rand.New(rand.NewPCG(seed, 1))
		base := argument(w, 0)
		fillPattern(w, 0, 48)
		for i := range w.group.lds {
			w.group.lds[i] = byte(i * 7)
		}
		for l := range w.lanes {
			w.v[2*w.lanes+l] = uint32(l)*56 + r.Uint32N(40)
			setV64(w, 4, l, base+uint64(r.IntN(1000)*4))
			if l%3 == 0 {
				setV64(w, 4, l, device.GroupAperture|uint64(r.IntN(500)*4))
			}
			setV64(w, 14, l, device.GroupAperture|uint64(4*l))
			w.v[6*w.lanes+l] = uint32(l) * 12 & 0x3fc
			w.v[16*w.lanes+l] = uint32(r.IntN(16)) * 128
			w.v[17*w.lanes+l] = 3500 + uint32(l)*20&^3
			setV64(w, 18, l, device.GroupAperture|uint64(w.v[6*w.lanes+l]))
		}
		w.setPair(4, base)
		w.s[8], w.s[9], w.s[10], w.s[11] = uint32(base), uint32(base>>32), 4096, 7<<12|4<<15|4|5<<3|6<<6|7<<9
		w.s[12], w.s[36] = 100, 8192
		w.setM0(0x60)
		if cpu == "gfx600" {
			w.setM0(0xffffffff)
		}
	}
	return k
}

// TestWeakEach compares the results of single instructions, and of short
// sequences, with strong and with weak memory.
func TestWeakEach(t *testing.T) {
	for cpu, list := range weakEach {
		for _, text := range list {
			t.Run(cpu+"/"+text, func(t *testing.T) {
				for seed := range uint64(6) {
					compareWeak(t, cpu, text, seed)
				}
			})
		}
	}
}

// compareWeak compares the final states of a kernel with strong and with weak
// memory.
func compareWeak(t *testing.T, cpu, text string, seed uint64) {
	t.Helper()
	k := weakKernel(cpu, text, seed)
	strong := k.run(t)
	k = weakKernel(cpu, text, seed)
	k.options = device.Options{Memory: device.MemoryWeak, Seed: seed}
	weak := k.run(t)
	a, b := strong.waves[0], weak.waves[0]
	if *a.v != *b.v {
		t.Error("the VGPRs differ")
	}
	for i := range 102 {
		if a.s[i] != b.s[i] {
			t.Errorf("s%d is %#x, want %#x", i, b.s[i], a.s[i])
		}
	}
	if string(strong.buffers[0]) != string(weak.buffers[0]) {
		t.Error("the buffers differ")
	}
	if string(a.group.lds) != string(b.group.lds) {
		t.Error("the contents of LDS differ")
	}
}

// TestWeakLines has lanes access lines that are far from each other in turn.
func TestWeakLines(t *testing.T) {
	for seed := range uint64(5) {
		k := kernelTest{cpu: "gfx900", buffers: [][]byte{noise(16384, 5)}, options: device.Options{Memory: device.MemoryWeak, Seed: seed},
			text: "global_load_dword v8, v2, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32 v8, 1, v8\nglobal_store_dword v2, v8, s[4:5]"}
		k.setup = func(w *wave) {
			w.setPair(4, argument(w, 0))
			for l := range w.lanes {
				w.v[2*w.lanes+l] = uint32(l%3*4096 + l/3*4)
			}
		}
		r := k.run(t)
		old := &kernelResult{buffers: [][]byte{noise(16384, 5)}}
		for l := range 64 {
			if at := l%3*1024 + l/3; r.words(0)[at] != old.words(0)[at]+1 {
				t.Fatalf("seed %d: lane %d stored %#x", seed, l, r.words(0)[at])
			}
		}
	}
}

// TestWeakChecks runs checks beside weak memory: the wait for a scalar load is
// missing, and the LDS access is out of range.
func TestWeakChecks(t *testing.T) {
	found := device.Checks(0)
	k := weakKernel("gfx900", "s_load_dword s20, s[4:5], 0x0\ns_mov_b32 s21, s20\nv_mov_b32 v6, 0x1000\nds_read_b32 v8, v6", 1)
	k.options = device.Options{Memory: device.MemoryWeak, Checks: device.CheckWait | device.CheckMemory, Finding: func(f *device.Finding) { found |= f.Check }}
	if k.run(t); found != device.CheckWait|device.CheckMemory {
		t.Errorf("found by checks %v", found)
	}
}

// TestWeakDeadlock has a wave wait at a barrier that no wave signals.
func TestWeakDeadlock(t *testing.T) {
	k := kernelTest{cpu: "gfx1200", wave: 32, group: [3]int{64, 1, 1}, text: "s_barrier_wait -1", options: device.Options{Memory: device.MemoryWeak}}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultTimeout || !strings.Contains(f.Message, "deadlock") {
		t.Errorf("%v", f)
	}
}

// TestWeakTimeout stops a kernel that runs forever without accessing memory.
func TestWeakTimeout(t *testing.T) {
	k := kernelTest{text: "again:\ns_branch again", options: device.Options{Memory: device.MemoryWeak, Timeout: 50 * time.Millisecond}}
	if r, _ := k.dispatch(t); r.fault() == nil || r.fault().Kind != device.FaultTimeout {
		t.Errorf("%v", r.err)
	}
}

// TestWeakSeeds checks that a seed determines a run whatever the number of workers
// is.
func TestWeakSeeds(t *testing.T) {
	order := func(seed uint64, workers int) string {
		k := kernelTest{cpu: "gfx900", grid: [3]int{64 * 32, 1, 1}, buffers: [][]byte{make([]byte, 4096)}, options: device.Options{Memory: device.MemoryWeak, Seed: seed, Workers: workers},
			text: `s_load_dwordx2 s[4:5], s[0:1], 0x0
v_mov_b32 v4, 0
v_mov_b32 v5, 1
s_mov_b64 exec, 1
s_waitcnt lgkmcnt(0)
global_atomic_add v6, v4, v5, s[4:5] glc
v_mov_b32 v7, s2
s_waitcnt vmcnt(0)
v_lshlrev_b32 v6, 2, v6
global_store_dword v6, v7, s[4:5] offset:256`}
		r, _ := k.dispatch(t)
		return string(r.buffers[0])
	}
	a := order(1, 1)
	if order(1, 8) != a {
		t.Error("the same seed yields different orders")
	}
	if order(2, 1) == a {
		t.Error("different seeds yield the same order")
	}
}

// TestWeakFaults checks faults of instructions that are issued or performed late.
func TestWeakFaults(t *testing.T) {
	for text, want := range map[string]device.FaultKind{
		"global_load_dword v8, v[20:21], off":      device.FaultMemory,
		"global_store_dword v[20:21], v8, off":     device.FaultMemory,
		"global_atomic_add v[20:21], v8, off":      device.FaultMemory,
		"global_atomic_add v8, v2, v9, s[4:5] glc": device.FaultAlignment,
		"s_load_dword s20, s[60:61], 0x0":          device.FaultMemory,
		"ds_add_u32 v2, v8":                        device.FaultAlignment,
		"ds_add_u32 v2, v8\ns_nop 0\nds_append v9": device.FaultAlignment,
		"s_barrier\ns_trap 2":                      device.FaultTrap,
		"s_mov_b32 m0, 0x10000\nds_gws_init v6 gds\ns_mov_b32 m0, 0x20000\nds_gws_sema_p offset:1 gds": device.FaultTimeout,
	} {
		for seed := range uint64(5) {
			k := weakKernel("gfx900", text, seed)
			k.grid = [3]int{256, 1, 1}
			k.options = device.Options{Memory: device.MemoryWeak, Seed: seed}
			if f := k.try(t).fault(); f == nil || f.Kind != want {
				t.Errorf("%s: %v, want %v", text, f, want)
			}
		}
	}
}

// TestWeakGroups runs many work-groups, more than run together, that wait for the last one.
func TestWeakGroups(t *testing.T) {
	k := kernelTest{cpu: "gfx900", grid: [3]int{64 * 40, 1, 1}, buffers: [][]byte{make([]byte, 4096)}, options: device.Options{Memory: device.MemoryWeak, Workers: 4},
		text: `s_load_dwordx2 s[4:5], s[0:1], 0x0
v_mov_b32 v4, 0
v_mov_b32 v5, 1
s_waitcnt lgkmcnt(0)
s_mov_b64 exec, 1
global_atomic_add v4, v5, s[4:5]
again:
s_sleep 1
global_load_dword v6, v4, s[4:5] glc
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s6, v6
s_cmp_lt_u32 s6, 40
s_cbranch_scc1 again
global_load_dword v7, v4, s[4:5]
`}
	r, s := k.dispatch(t)
	if r.err != nil || r.words(0)[0] != 40 || s.Groups != 40 {
		t.Fatalf("error %v, the counter is %d", r.err, r.words(0)[0])
	}
}

// TestWeakSemaphore has more work-groups than run together wait for a semaphore
// that the last one increments.
func TestWeakSemaphore(t *testing.T) {
	k := kernelTest{cpu: "gfx900", grid: [3]int{64 * 30, 1, 1}, options: device.Options{Memory: device.MemoryWeak},
		text: "s_mov_b32 m0, 0\ns_cmp_eq_u32 s2, 29\ns_cbranch_scc1 last\nds_gws_sema_p gds\ns_endpgm\nlast:\nv_mov_b32 v0, 29\nds_gws_sema_br v0 gds"}
	if r, s := k.dispatch(t); r.err != nil || s.Groups != 30 {
		t.Fatal(r.err)
	}
}

// TestWeakCounters issues more operations than a counter can count, and waits for
// some of them with a number in a register.
func TestWeakCounters(t *testing.T) {
	for seed := range uint64(20) {
		k := weakKernel("gfx1030", strings.Repeat("global_store_dword v2, v8, s[4:5]\n", 80)+"global_load_dword v8, v16, s[4:5]\nglobal_load_dword v9, v16, s[4:5] offset:4\ns_mov_b32 s13, 1\ns_waitcnt_vmcnt s13, 0x0\nv_mov_b32 v10, v8", seed)
		k.options = device.Options{Memory: device.MemoryWeak, Seed: seed}
		r := k.run(t)
		if r.v(10, 5) != r.v(8, 5) {
			t.Errorf("seed %d: v8 is used before it is loaded", seed)
		}
	}
}

// TestWeakAgents checks the agents of work-groups and clusters, and a number that is out of range.
func TestWeakAgents(t *testing.T) {
	agents := []int{0, 2, 1, 1}
	for _, cluster := range []uint8{1, 2} {
		k := kernelTest{cpu: "gfx1250", wave: 32, group: [3]int{32, 1, 1}, grid: [3]int{32 * 40, 1, 1}, text: "s_nop 0",
			cluster: [3]uint8{cluster, 1, 1}, options: device.Options{Memory: device.MemoryWeak, Agents: agents}}
		for i, w := range k.run(t).waves {
			if got, want := w.weak.cu/weakmem.NumCUs, agents[i/int(cluster)%4]; got != want {
				t.Errorf("wave %d runs on agent %d, want %d", i, got, want)
			}
		}
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{-1, 16} {
		if _, err := New(tgt, device.NewMemory(0), device.Options{Agents: []int{0, n}}); err == nil || !strings.Contains(err.Error(), "expected 0 to 15") {
			t.Errorf("agent %d: %v", n, err)
		}
	}
}

// TestWeakPlaces checks the CUs of waves.
func TestWeakPlaces(t *testing.T) {
	for _, c := range []struct {
		cpu, mode string
		split     bool
	}{
		{"gfx900", "", false}, {"gfx90a", ".amdhsa_tg_split 1", true}, {"gfx90a", ".amdhsa_tg_split 0", false},
		{"gfx1030", ".amdhsa_workgroup_processor_mode 1", true}, {"gfx1030", ".amdhsa_workgroup_processor_mode 0", false}, {"gfx1250", "", false},
	} {
		k := kernelTest{cpu: c.cpu, group: [3]int{128, 1, 1}, grid: [3]int{1024, 1, 1}, text: "s_nop 0", options: device.Options{Memory: device.MemoryWeak}}
		if c.mode != "" {
			k.directives = []string{c.mode}
		}
		if c.cpu == "gfx1250" {
			k.wave, k.cluster = 32, [3]uint8{2, 1, 1}
		}
		var last *group
		for _, g := range k.run(t).groups {
			a, b := g.waves[0].weak.cu, g.waves[1].weak.cu
			if a != b != c.split || a/4 != b/4 || !c.split && last != nil && a == last.waves[0].weak.cu {
				t.Errorf("%s %s: waves on CUs %d and %d", c.cpu, c.mode, a, b)
			}
			last = g
		}
	}
}
