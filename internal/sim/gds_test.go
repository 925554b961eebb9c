package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// m0Text returns code that sets M0.
func m0Text(v uint32) string { return fmt.Sprintf("s_mov_b32 m0, %#x\n", v) }

// TestDSNames checks that every DS and LDSDIR instruction executes.
func TestDSNames(t *testing.T) {
	for _, cpu := range testCPUs {
		set, encs := dsEncs(t, cpu)
		for _, e := range encs {
			in := dsWords(e, set, 64, 0, false)
			if !Simulated(&in) {
				t.Errorf("%s: %s is not simulated", cpu, e.Name())
			}
		}
	}
}

// hasGDS reports whether a processor has GDS memory.
func hasGDS(cpu string) bool { return cpu != "gfx90a" && cpu != "gfx942" && cpu != "gfx950" }

// TestDSAppend counts lanes at an address specified by M0 and the offset.
func TestDSAppend(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		exec := uint64(0x100f0301) & (^uint64(0) >> (64 - lanes))
		for _, gds := range []bool{false, true} {
			if gds && !hasGDS(cpu) {
				continue
			}
			text, m0 := "ds_append v11 offset:8\nds_append v12 offset:8\nds_consume v13 offset:12\n", uint32(16)
			if gds {
				text, m0 = strings.ReplaceAll(text, "\n", " gds\n"), 16<<16|16
			}
			res := kernelTest{cpu: cpu, wave: lanes, lds: 64, text: m0Text(m0) + text, setup: func(w *wave) {
				w.setMask(sExec, exec)
				for _, b := range [][]byte{w.group.lds, w.group.launch.gdsMemory()} {
					binary.LittleEndian.PutUint32(b[24:], 100)
					binary.LittleEndian.PutUint32(b[28:], 3)
				}
			}}.run(t)
			n := uint32(popcount(exec))
			for l := range lanes {
				want := [3]uint32{}
				if exec>>l&1 != 0 {
					want = [3]uint32{100, 100 + n, 3}
				}
				if got := [3]uint32{res.v(11, l), res.v(12, l), res.v(13, l)}; got != want {
					t.Errorf("gds %v, lane %d: %d, want %d", gds, l, got, want)
				}
			}
			mem := res.groups[0].lds
			if gds {
				mem = res.groups[0].launch.gdsMemory()
			}
			if a, b := binary.LittleEndian.Uint32(mem[24:]), binary.LittleEndian.Uint32(mem[28:]); a != 100+2*n || b != 3-n {
				t.Errorf("gds %v: counters %d and %d", gds, a, int32(b))
			}
		}
	})
}

// TestDSMisaligned checks that all processors require aligned atomics and
// accept misaligned reads and writes.
func TestDSMisaligned(t *testing.T) {
	for _, cpu := range testCPUs {
		store, exchange := "ds_write_b64 v4, v[12:13] offset:1", "ds_wrxchg_rtn_b32"
		if cpu == "gfx1100" {
			store, exchange = "ds_store_b64 v4, v[12:13] offset:1", "ds_storexchg_rtn_b32"
		}
		for text, bad := range map[string]uint64{
			"ds_add_u32 v4, v12 offset:2":                  2,
			"ds_add_rtn_u64 v[8:9], v4, v[12:13] offset:4": 4,
			exchange + " v8, v4, v12 offset:3":             3,
			"ds_append v8 offset:2":                        2,
			"ds_add_u32 v4, v12 offset:2 gds":              2,
			store:                                          0,
			"ds_add_u32 v4, v12 offset:4":                  0,
		} {
			if strings.HasSuffix(text, "gds") && !hasGDS(cpu) {
				continue
			}
			res := kernelTest{cpu: cpu, lds: 64, wave: 64, text: m0Text(0) + text, setup: func(w *wave) {
				w.setMask(sExec, 0xf0)
				clear(w.v[4*64 : 5*64])
			}}.try(t)
			f := res.fault()
			switch {
			case bad == 0:
				if f != nil {
					t.Errorf("%s: %s: %v", cpu, text, f)
				}
			case f == nil || f.Kind != device.FaultAlignment || f.Addr != bad:
				t.Errorf("%s: %s: %v", cpu, text, f)
			case !strings.Contains(f.Error(), strings.Fields(text)[0]):
				t.Errorf("%s: no name in %v", text, f)
			}
		}
	}
}

// TestDSCondExchange checks that each dword is replaced if bit 31 of its data
// is set, without storing that bit. The address is truncated to 16 bits.
func TestDSCondExchange(t *testing.T) {
	for _, cpu := range testCPUs {
		data := [][2]uint32{{0x80000005, 7}, {6, 0xffffffff}, {0x80000000, 0x80000001}, {1, 2}}
		want := [][2]uint32{{5, 101}, {102, 0x7fffffff}, {0, 1}, {106, 107}}
		res := kernelTest{cpu: cpu, lds: 64, text: "ds_condxchg32_rtn_b64 v[8:9], v4, v[12:13] offset:8", setup: func(w *wave) {
			w.setMask(sExec, 15)
			for i := range 16 {
				binary.LittleEndian.PutUint32(w.group.lds[i*4:], uint32(98+i))
			}
			for l, d := range data {
				w.v[4*64+l], w.v[12*64+l], w.v[13*64+l] = uint32(l*8)|0xabc30003, d[0], d[1]
			}
		}}.run(t)
		for l := range want {
			mem := res.groups[0].lds[8+8*l:]
			if a, b := binary.LittleEndian.Uint32(mem), binary.LittleEndian.Uint32(mem[4:]); a != want[l][0] || b != want[l][1] {
				t.Errorf("%s: lane %d: %#x %#x, want %#x", cpu, l, a, b, want[l])
			}
			if a, b := res.v(8, l), res.v(9, l); a != uint32(100+2*l) || b != uint32(101+2*l) {
				t.Errorf("%s: lane %d gets %d, %d", cpu, l, a, b)
			}
		}
	}
}

// TestDSPackedAtomics adds pairs of 16-bit floats.
func TestDSPackedAtomics(t *testing.T) {
	for text, want := range map[string][2]uint32{
		"ds_pk_add_rtn_f16 v8, v4, v12":  {0x40003c00, 0x45004200}, // (1, 2) + (2, 3)
		"ds_pk_add_rtn_bf16 v8, v4, v12": {0x40003f80, 0x40a04040},
	} {
		f16 := strings.Contains(text, "_f16")
		res := kernelTest{cpu: "gfx942", lds: 4, text: text, setup: func(w *wave) {
			w.setMask(sExec, 1)
			clear(w.v[4*64 : 5*64])
			binary.LittleEndian.PutUint32(w.group.lds, want[0])
			if w.v[12*64] = 0x40404000; f16 {
				w.v[12*64] = 0x42004000
			}
		}}.run(t)
		if got := binary.LittleEndian.Uint32(res.groups[0].lds); got != want[1] || res.v(8, 0) != want[0] {
			t.Errorf("%s: %#x and %#x, want %#x", text, got, res.v(8, 0), want)
		}
	}
}

// TestDSNop checks that ds_nop has no effect.
func TestDSNop(t *testing.T) {
	for _, cpu := range testCPUs {
		kernelTest{cpu: cpu, text: "ds_nop"}.run(t)
	}
}

// TestGSReg adds to the 32-bit and 64-bit streamout registers.
func TestGSReg(t *testing.T) {
	text := "ds_add_gs_reg_rtn v[8:9], v12 offset:12 gds\nds_sub_gs_reg_rtn v[10:11], v13 offset:12 gds\n" +
		"ds_add_gs_reg_rtn v[14:15], v12 offset:32 gds\nds_sub_gs_reg_rtn v[16:17], v13 offset:32 gds\n" +
		"ds_add_gs_reg_rtn v[18:19], v13 offset:32 gds\nds_add_gs_reg_rtn v[20:21], v13 offset:12 gds\n"
	res := kernelTest{cpu: "gfx1100", wave: 32, text: text, setup: func(w *wave) {
		w.setMask(sExec, 0xc0)
		for r := 8; r < 22; r++ {
			w.v[r*32+6], w.v[r*32+7] = 77, 77
		}
		w.v[12*32+6], w.v[13*32+6] = 0xffffffff, 1
		for i := range w.group.launch.global.regs {
			w.group.launch.global.regs[i] = uint64(i)
		}
	}}.run(t)
	want := map[int]uint32{8: 3, 9: 77, 10: 2, 11: 77, 14: 8, 15: 0, 16: 7, 17: 1, 18: 6, 19: 1, 20: 1, 21: 77}
	for r, v := range want {
		if res.v(r, 6) != v || res.v(r, 7) != 77 {
			t.Errorf("v%d is %#x and %#x, want %#x", r, res.v(r, 6), res.v(r, 7), v)
		}
	}
	regs := res.groups[0].launch.global.regs
	if regs[3] != 2 || regs[8] != 7+1<<32 {
		t.Errorf("registers %#x", regs)
	}
}

// TestOrderedCount checks that waves proceed in the order of the IDs in M0,
// regardless of their arrival order.
func TestOrderedCount(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		if !hasGDS(cpu) {
			t.Skip("no GDS")
		}
		const groups = 5
		// The IDs are in reverse order of the groups. Each wave adds 10 plus
		// its ID.
		text := "s_sub_u32 s10, 4, s2\ns_or_b32 m0, s10, 0x400000\nv_mov_b32 v3, s10\nv_add_nc_u32 v3, 10, v3\nds_ordered_count v5, v3 offset:0x308 gds\n"
		set := dsSet(t, cpu)
		if set.Gen() < isa.Gen10 {
			text = strings.Replace(text, "v_add_nc_u32 v3, 10", "v_add_u32 v3, 10", 1)
		}
		if set.Gen() == isa.Gen8 {
			text = strings.Replace(text, "v_add_u32 v3, 10", "v_add_u32 v3, vcc, 10", 1)
		}
		res := kernelTest{cpu: cpu, wave: lanes, text: text, grid: [3]int{groups * lanes}}.run(t)
		for g, w := range res.waves {
			id := 4 - g
			want := uint32(0)
			for i := range id {
				want += uint32(10 + i)
			}
			if got := w.v[5*lanes]; got != want {
				t.Errorf("group %d gets %d, want %d", g, got, want)
			}
		}
		l := res.groups[0].launch
		total := uint32(10 + 11 + 12 + 13 + 14)
		if got := binary.LittleEndian.Uint32(l.gdsMemory()[0x40+8:]); got != total && set.Gen() < isa.Gen11 {
			t.Errorf("counter in GDS is %d", got)
		}
		if got := l.global.regs[2]; got != uint64(total) && set.Gen() >= isa.Gen11 {
			t.Errorf("register is %d", got)
		}
	})
}

// TestOrderedDone checks that a completed wave lets later waves pass at
// counters that it never used. It also covers swaps, several dwords, and more
// waves than IDs.
func TestOrderedDone(t *testing.T) {
	k := kernelTest{cpu: "gfx1010", wave: 32, grid: [3]int{3 * 32}}
	// Wave 0 uses counter 0 and completes. Waves 1 and 2 use counters 0 and 4,
	// two dwords, with swaps.
	k.text = "s_mov_b32 m0, s2\nv_mov_b32 v3, s2\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc1 first\n" +
		"ds_ordered_count v6, v3 offset:0x5110 gds\nds_ordered_count v5, v3 offset:0x300 gds\ns_endpgm\nfirst:\nds_ordered_count v5, v3 offset:0x300 gds\n"
	res := k.run(t)
	w := res.waves[2]
	if w.v[6*32] != 1 || w.v[6*32+1] != 1 || w.v[6*32+2] == 1 {
		t.Errorf("wave 2 swapped %v", w.v[6*32:][:3])
	}
	s := &res.groups[0].launch.global.order
	if s.next[0] != 3 || s.next[4] != 3 {
		t.Errorf("counters at %v", s.next[:5])
	}
	s = &orderState{done: map[uint32]int{0: 2, 1: 1}}
	s.next[0] = 1 << 16
	l := &launch{disp: &device.Dispatch{}, global: globalState{order: *s}}
	l.kernel = &kernel{}
	w.group.launch = l
	w.stop = running
	w.s[reguse.M0Code(w.dev.set)] = 1
	runOrdered(w, &op{ds: &dsInfo{order: &orderedInfo{dwords: 1, idBits: 16, release: true}}, src: [3]operand{{kind: inVGPR}}, dst: operand{kind: inVGPR}})
	if w.stop != running || l.global.order.next[0] != 1<<16+2 {
		t.Errorf("stop %d, next %#x: the second wave of ID 0 was done and the wave of ID 1 had its turn", w.stop, l.global.order.next[0])
	}
}

// TestGWSBarrier repeatedly synchronizes the waves of all groups.
func TestGWSBarrier(t *testing.T) {
	for _, cpu := range testCPUs {
		const groups, perGroup, rounds = 5, 2, 20
		// Each wave counts its iterations in s10. After each barrier the
		// counters of all waves are compared.
		text := m0Text(3<<16) + "ds_gws_sema_p offset:7 gds\ns_mov_b32 s10, 0\nloop:\n" +
			"s_add_u32 s10, s10, 1\ns_nop 7\nds_gws_barrier v6 offset:62 gds\ns_nop 7\nds_gws_barrier v6 offset:62 gds\n" +
			"s_cmp_lt_u32 s10, 20\ns_cbranch_scc1 loop\n"
		var waves []*wave
		k := kernelTest{cpu: cpu, group: [3]int{perGroup * 64}, grid: [3]int{perGroup * 64 * groups}, text: text, setup: func(w *wave) {
			waves = append(waves, w)
			w.v[6*64] = groups*perGroup - 1
			w.group.launch.global.sync[10].counter = groups * perGroup // the semaphore admits all waves
			w.group.launch.global.sync[1].counter = groups*perGroup - 1
		}}
		seen := gwsRows.Get()["ds_gws_barrier"]
		passed := 0
		row := func(w *wave, o *op, r *gwsResource, value uint32) {
			seen(w, o, r, value)
			if w.stop != parked {
				passed++
				for _, other := range waves {
					// At the second barrier of an iteration, waves may differ by at
					// most one iteration.
					if d := int32(other.s[10] - w.s[10]); d < -1 || d > 1 || w.s[10] == 0 {
						t.Errorf("%s: a wave is at %d, another at %d", cpu, w.s[10], other.s[10])
					}
				}
			}
		}
		dsSpecials.Get()["ds_gws_barrier"] = prepareGWS(row)
		res := k.run(t)
		dsSpecials.Get()["ds_gws_barrier"] = prepareGWS(seen)
		if passed != rounds*2*groups*perGroup {
			t.Errorf("%s: %d barriers passed", cpu, passed)
		}
		l := res.groups[0].launch
		if r := l.global.sync[1]; r.counter != groups*perGroup-1 || l.global.sync[10].counter != 0 || l.global.sync[10].queue != 0 {
			t.Errorf("%s: barrier %+v, semaphore %+v", cpu, r, l.global.sync[10])
		}
	}
}

// TestGWSWorkers repeats the test with Device.Run and several workers. A
// barrier that too few waves reach is a fault.
func TestGWSWorkers(t *testing.T) {
	// All waves but the last wait at a semaphore. The last wave releases them
	// one by one, then the rest at once.
	text := "s_mov_b32 m0, 0\nv_mov_b32 v6, 9\ns_cmp_eq_u32 s2, 29\ns_cbranch_scc1 last\n" +
		"ds_gws_sema_p offset:1 gds\ns_endpgm\nlast:\nds_gws_sema_v offset:1 gds\nds_gws_sema_br v6 offset:1 gds\n" +
		"v_mov_b32 v6, 19\nds_gws_sema_br v6 offset:1 gds\n"
	k := kernelTest{cpu: "gfx90a", text: text, grid: [3]int{30 * 64}, options: device.Options{Workers: 3}}
	res, stats := k.dispatch(t)
	if res.err != nil || stats.Groups != 30 {
		t.Errorf("%v, %+v", res.err, stats)
	}
	if n := stats.Classes["lds"]; n != 29+3 {
		t.Errorf("%d LDS instructions counted", n)
	}
	for workers := 1; workers < 4; workers++ {
		k = kernelTest{grid: [3]int{200 * 64}, options: device.Options{Workers: workers}, text: "s_mov_b32 m0, 0\nv_mov_b32 v0, 250\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 next\nds_gws_init v0 gds\nnext:\nds_gws_barrier v0 gds"}
		res, _ = k.dispatch(t)
		if f := res.fault(); f == nil || f.Kind != device.FaultTimeout || !strings.Contains(f.Message, "deadlock") || !strings.Contains(f.Text, "ds_gws_barrier") {
			t.Errorf("%d workers: fault %v", workers, f)
		}
	}
}

// TestGWSReleaseAll checks that only waiting waves are released.
func TestGWSReleaseAll(t *testing.T) {
	r := &gwsResource{}
	set := dsSet(t, "gfx1030")
	l := &launch{dev: &Device{set: set}}
	o := &op{ds: &dsInfo{}}
	var waves []*wave
	for range 3 {
		w := &wave{group: &group{launch: l}, counts: new(tally)}
		w.counts.classes[o.class] = 1
		gwsAcquire(w, o, r, 0)
		waves = append(waves, w)
	}
	gwsRows.Get()["ds_gws_sema_release_all"](waves[0], o, r, 0)
	if r.counter != 3 || r.queue != 3 {
		t.Errorf("%+v", r)
	}
	for _, w := range waves {
		w.stop = running
		gwsAcquire(w, o, r, 0)
		if w.stop != running {
			t.Error("a wave still waits")
		}
	}
	if r.counter != 0 || r.queue != 0 {
		t.Errorf("%+v", r)
	}
}

// TestDSNoPanic runs all instructions with random register values.
func TestDSNoPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	values := []uint32{0, 1, 4, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff, 0xfff0, 0xffff, 0x10000}
	for _, cpu := range testCPUs {
		set, encs := dsEncs(t, cpu)
		for _, e := range encs {
			lanes := 64
			if set.Gen() >= isa.Gen10 && r.IntN(2) == 0 {
				lanes = 32
			}
			in := dsWords(e, set, lanes, r.Uint32N(1<<16), r.IntN(2) == 0)
			if in.HasField(isa.FieldVdst) {
				for _, f := range []isa.Field{isa.FieldVdst, isa.FieldAddr, isa.FieldData0, isa.FieldData1} {
					if in.Field(f) != 0 && r.IntN(2) == 0 {
						in.SetField(f, 254)
					}
				}
			}
			k := kernelTest{cpu: cpu, wave: lanes, lds: r.Uint32N(3) * 30, text: dsText(in), options: device.Options{Timeout: time.Millisecond}, setup: func(w *wave) {
				for i := range w.v {
					w.v[i] = values[r.IntN(len(values))] + r.Uint32N(3)
				}
				w.setMask(sExec, r.Uint64()&r.Uint64()&w.all)
				w.s[reguse.M0Code(set)] = values[r.IntN(len(values))] + r.Uint32N(2)<<16
			}}
			k.try(t)
		}
	}
}

// TestGroupInfo checks the work-group info: first wave, wave order and wave
// count.
func TestGroupInfo(t *testing.T) {
	res := kernelTest{text: "s_nop 0", group: [3]int{160, 2}, grid: [3]int{320, 3}, directives: []string{".amdhsa_system_sgpr_workgroup_info 1"}}.run(t)
	// Four groups of 320, 320, 160 and 160 work-items have 5, 5, 3 and 3 waves.
	want := []uint32{}
	for group, waves := range []uint32{5, 5, 3, 3} {
		for i := range waves {
			v := (uint32(group)*5+i)<<6 | waves
			if i == 0 {
				v |= 1 << 31
			}
			want = append(want, v)
		}
	}
	if len(res.waves) != len(want) {
		t.Fatalf("%d waves", len(res.waves))
	}
	for i, w := range res.waves {
		if w.s[5] != want[i] {
			t.Errorf("wave %d: %#x, want %#x", i, w.s[5], want[i])
		}
	}
}
