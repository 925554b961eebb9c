package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

// allSchedules runs a kernel under the schedules of a search. see is called with the results.
func allSchedules(t *testing.T, k *kernelTest, o device.SearchOptions, see func(s device.Schedule, r *kernelResult)) device.Progress {
	t.Helper()
	search := device.NewSearch(o)
	k.options.Memory, k.options.Search = device.MemoryWeak, search
	d, p, r := k.load(t)
	initial := make([][]byte, len(r.buffers))
	for i := range r.buffers {
		initial[i] = slices.Clone(r.buffers[i])
	}
	for search.Advance() {
		for i := range r.buffers {
			copy(r.buffers[i], initial[i])
		}
		r.waves, r.groups, r.err = nil, nil, nil
		if k.runOn(t, d, p, r); r.err != nil {
			t.Fatalf("schedule %v: %v", search.Schedule(), r.err)
		}
		see(search.Schedule(), r)
	}
	if err := search.Err(); err != nil {
		t.Fatal(err)
	}
	return search.Progress()
}

// TestSearchCounts compares the numbers of schedules with those counted by hand. The waves of a work-group
// access LDS: each access is issued, then performed, in order. A wave with one access has two steps, in one
// order, and two waves thus 4!/(2!2!) schedules. A wave with two accesses has four steps in two orders: the
// first access is performed before the second one is issued or after.
func TestSearchCounts(t *testing.T) {
	store := "ds_write_b32 v0, v1\n"
	load := "ds_read_b32 v2, v0\n"
	wait := "s_waitcnt lgkmcnt(0)\n"
	for _, c := range []struct {
		text  string
		waves int
		want  int
	}{
		{"s_nop 0", 3, 1},
		{store, 1, 1},
		{store, 2, 6},
		{store, 3, 90},
		{load + wait, 2, 6},               // the results are written when the waves wait for them
		{store + store, 1, 2},             // two orders
		{store + wait + store, 2, 70},     // four steps of each wave in one order: 8!/(4!4!)
		{store + store, 2, 280},           // two orders of each: 2*2*8!/(4!4!)
		{load + "v_mov_b32 v3, v2", 1, 3}, // the use is before or after the performance, or between it and the result
		{load + wait + "v_mov_b32 v3, v2", 1, 1},
	} {
		k := kernelTest{text: c.text, group: [3]int{64 * c.waves, 1, 1}, grid: [3]int{64 * c.waves, 1, 1}, lds: 1024}
		k.setup = func(w *wave) {
			w.setM0(0xffffffff)
			for l := range w.lanes {
				w.v[l] = uint32(4 * l)
			}
		}
		seen := map[string]bool{}
		p := allSchedules(t, &k, device.SearchOptions{Deviations: device.MaxDeviations}, func(s device.Schedule, _ *kernelResult) {
			if seen[s.String()] {
				t.Errorf("schedule %v is run twice", s)
			}
			seen[s.String()] = true
		})
		if p.Schedules != c.want || !p.Complete || len(seen) != c.want {
			t.Errorf("%d waves: %s: %v, want %d", c.waves, c.text, p, c.want)
		}
	}
}

// TestSearchEach runs single instructions and short sequences under some schedules: the results are the same as with
// strong memory.
func TestSearchEach(t *testing.T) {
	for cpu, list := range weakEach {
		for _, text := range list {
			k := weakKernel(cpu, text, 1)
			strong := k.run(t).waves[0]
			k = weakKernel(cpu, text, 1)
			allSchedules(t, &k, device.SearchOptions{Deviations: 2, Schedules: 6}, func(s device.Schedule, r *kernelResult) {
				weak := r.waves[0]
				if *weak.v != *strong.v || !slices.Equal(weak.s[:102], strong.s[:102]) || string(weak.group.lds) != string(strong.group.lds) {
					t.Errorf("%s: %s: schedule %v: the registers or the contents of LDS differ", cpu, text, s)
				}
			})
		}
	}
}

// replayed returns the options of a device that runs the default schedule.
func replayed() device.Options {
	s := device.NewReplay(nil)
	s.Advance()
	return device.Options{Memory: device.MemoryWeak, Search: s}
}

// TestSearchFaults checks faults, deadlocks, and programs without an end.
func TestSearchFaults(t *testing.T) {
	for text, want := range map[string]device.FaultKind{
		"global_load_dword v8, v[20:21], off":      device.FaultMemory,
		"ds_add_u32 v2, v8":                        device.FaultAlignment,
		"ds_add_u32 v2, v8\ns_nop 0\nds_append v9": device.FaultAlignment,
		"s_trap 2": device.FaultTrap,
		"s_mov_b32 m0, 0x10000\nds_gws_init v6 gds\ns_mov_b32 m0, 0x20000\nds_gws_sema_p offset:1 gds": device.FaultTimeout,
	} {
		k := weakKernel("gfx900", text, 1)
		k.grid = [3]int{256, 1, 1}
		k.options = replayed()
		if f := k.try(t).fault(); f == nil || f.Kind != want {
			t.Errorf("%s: %v, want %v", text, f, want)
		}
	}
	k := kernelTest{cpu: "gfx1200", wave: 32, group: [3]int{64, 1, 1}, text: "s_barrier_wait -1", options: replayed()}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultTimeout || !strings.Contains(f.Message, "deadlock") {
		t.Errorf("%v", f)
	}
	k = kernelTest{text: "again:\ns_branch again", options: replayed()}
	k.options.Timeout = 50 * time.Millisecond
	if r, _ := k.dispatch(t); r.fault() == nil || r.fault().Kind != device.FaultTimeout {
		t.Errorf("%v", r.err)
	}
	k = kernelTest{text: "again:\ns_sleep 1\ns_branch again", grid: [3]int{128, 1, 1}, options: replayed()}
	if r, _ := k.dispatch(t); r.err == nil || !strings.Contains(r.err.Error(), "makes no progress") {
		t.Errorf("%v", r.err)
	}
	k = kernelTest{text: "s_nop 0", grid: [3]int{128, 1, 1}}
	s := device.NewReplay(device.Schedule{{Decision: 0, Choice: 9}})
	s.Advance()
	k.options = device.Options{Memory: device.MemoryWeak, Search: s}
	if r, _ := k.dispatch(t); r.err == nil || s.Err() == nil {
		t.Errorf("a placement that does not exist: %v, %v", r.err, s.Err())
	}
}

// TestSearchProgress runs waves that wait for others: each loop that polls ends.
func TestSearchProgress(t *testing.T) {
	for name, text := range map[string]string{
		"counter": `s_load_dwordx2 s[4:5], s[0:1], 0x0
v_mov_b32 v4, 0
v_mov_b32 v5, 1
s_waitcnt lgkmcnt(0)
s_mov_b64 exec, 1
global_atomic_add v4, v5, s[4:5]
again:
global_load_dword v6, v4, s[4:5] glc
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s6, v6
s_cmp_lt_u32 s6, 6
s_cbranch_scc1 again
`,
		"semaphore": "s_mov_b32 m0, 0\ns_cmp_eq_u32 s2, 5\ns_cbranch_scc1 last\nds_gws_sema_p gds\ns_endpgm\nlast:\nv_mov_b32 v0, 5\nds_gws_sema_br v0 gds",
		"barrier":   "s_barrier\ns_sleep 1\ns_barrier",
	} {
		k := kernelTest{text: text, grid: [3]int{64 * 6, 1, 1}, buffers: [][]byte{make([]byte, 64)}}
		n := 0
		p := allSchedules(t, &k, device.SearchOptions{Deviations: 1}, func(device.Schedule, *kernelResult) { n++ })
		if n < 5 || !p.Exhausted || p.Complete {
			t.Errorf("%s: %v", name, p)
		}
	}
}

// TestSearchPlaces checks that the places of work-groups are different ones.
func TestSearchPlaces(t *testing.T) {
	for groups, want := range []int{1: 1, 2: 2, 3: 4, 4: 5, 5: 5} {
		if groups == 0 {
			continue
		}
		seen := map[string]bool{}
		k := kernelTest{text: "s_nop 0", grid: [3]int{64 * groups, 1, 1}}
		allSchedules(t, &k, device.SearchOptions{Deviations: 1}, func(_ device.Schedule, r *kernelResult) {
			arrays := ""
			for _, w := range r.waves {
				arrays += fmt.Sprint(w.weak.cu / 4)
			}
			seen[arrays] = true
		})
		if len(seen) != want {
			t.Errorf("%d work-groups: %v, want %d", groups, seen, want)
		}
	}
	k := kernelTest{cpu: "gfx1250", wave: 32, group: [3]int{32, 1, 1}, grid: [3]int{32 * 4, 1, 1}, text: "s_nop 0", cluster: [3]uint8{2, 1, 1}}
	if p := allSchedules(t, &k, device.SearchOptions{}, func(device.Schedule, *kernelResult) {}); !p.Complete {
		t.Errorf("clusters: %v", p)
	}
}

// TestSearchTrace checks that a trace and checks do not change the schedules.
func TestSearchTrace(t *testing.T) {
	count := func(change func(o *device.Options)) device.Progress {
		k := weakKernel("gfx900", "s_mov_b64 exec, 1\nglobal_load_dword v8, v2, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dword v2, v8, s[4:5]\nglobal_load_dword v9, v2, s[4:5]", 1)
		k.grid = [3]int{128, 1, 1}
		change(&k.options)
		return allSchedules(t, &k, device.SearchOptions{Deviations: 1}, func(device.Schedule, *kernelResult) {})
	}
	want := count(func(*device.Options) {})
	var b strings.Builder
	if p := count(func(o *device.Options) { o.Trace = &b }); p != want || want.Schedules < 3 || b.Len() == 0 {
		t.Errorf("with a trace %v, without %v", p, want)
	}
	checks := func(o *device.Options) {
		o.Checks, o.Finding = device.CheckAll&^device.CheckRace, func(*device.Finding) {}
	}
	if p := count(checks); p != want {
		t.Errorf("with checks %v, without %v", p, want)
	}
}
