package sim

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/isa"
)

// weakCPUs has a processor of each generation of memory hierarchies.
var weakCPUs = []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}

// weakText holds the text of a processor's instructions for litmus tests. s[4:5]
// is the address of the buffer, v0 of the thread's lane 0 is 0, v[2:3] and v[4:5]
// are the addresses of two variables.
type weakText struct {
	cpu                string
	load, store        string // "op dst, addr" and "op addr, data"
	loadAgent          string // cache policy of an atomic load of agent scope
	storeAgent         string
	waitLoads, waitAll string
	release, acquire   string
	system             weakSystem
}

// weakSystem holds the text for system scope.
type weakSystem struct{ load, store, release, acquire string }

func weakTextOf(cpu string) weakText {
	t := weakText{cpu: cpu, load: "flat_load_dword %s, %s", store: "flat_store_dword %s, %s", loadAgent: "glc",
		waitLoads: "s_waitcnt vmcnt(0)", waitAll: "s_waitcnt vmcnt(0)", acquire: "buffer_wbinvl1_vol"}
	if genOf(cpu) >= 9 {
		t.load, t.store = "global_load_dword %s, %s, off", "global_store_dword %s, %s, off"
	}
	switch {
	case cpu == "gfx600":
		t.load, t.store = "buffer_load_dword %s, %s, s[8:11], 0 addr64", "buffer_store_dword %[2]s, %[1]s, s[8:11], 0 addr64"
		t.acquire = "buffer_wbinvl1"
	case cpu == "gfx942" || cpu == "gfx950":
		t.loadAgent, t.storeAgent, t.release, t.acquire = "sc1", "sc1", "buffer_wbl2 sc1", "buffer_inv sc1"
	case strings.HasPrefix(cpu, "gfx10"):
		t.loadAgent, t.acquire, t.waitAll = "glc dlc", "buffer_gl1_inv\nbuffer_gl0_inv", "s_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0x0"
	case strings.HasPrefix(cpu, "gfx11"):
		t.load, t.store = "global_load_b32 %s, %s, off", "global_store_b32 %s, %s, off"
		t.acquire, t.waitAll = "buffer_gl1_inv\nbuffer_gl0_inv", "s_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0x0"
	case strings.HasPrefix(cpu, "gfx12"):
		t.load, t.store = "global_load_b32 %s, %s, off", "global_store_b32 %s, %s, off"
		t.loadAgent, t.storeAgent, t.acquire = "scope:SCOPE_DEV", "scope:SCOPE_DEV", "global_inv scope:SCOPE_DEV"
		t.waitLoads, t.waitAll = "s_wait_loadcnt 0x0", "s_wait_loadcnt 0x0\ns_wait_storecnt 0x0"
		if cpu == "gfx1250" {
			t.release = "global_wb scope:SCOPE_DEV"
		}
	}
	t.system = weakSystem{t.loadAgent, t.storeAgent, t.release, t.acquire}
	switch {
	case cpu == "gfx90a":
		t.system.release, t.system.acquire = "buffer_wbl2", "buffer_invl2\nbuffer_wbinvl1_vol"
	case cpu == "gfx942" || cpu == "gfx950":
		t.system = weakSystem{"sc0 sc1", "sc0 sc1", "buffer_wbl2 sc0 sc1", "buffer_inv sc0 sc1"}
	case strings.HasPrefix(cpu, "gfx12"):
		t.system = weakSystem{"scope:SCOPE_SYS", "scope:SCOPE_SYS", "global_wb scope:SCOPE_SYS", "global_inv scope:SCOPE_SYS"}
	}
	return t
}

// litmus is a test of two work-groups of one work-item. The threads' code uses
// the macros x, y: variables; LD, LDA: plain and atomic loads to a register; ST,
// STA: stores of 1; REL, ACQ: release and acquire of agent scope. SLDA, SSTA, SREL and SACQ
// have system scope.
type litmus struct {
	name    string
	threads [2]string
	weak    [2]uint32 // results of v10 and v11 of thread 1, or of v10 of both threads
	both    bool
	agents  []int // of the threads; y is then in fine-grained memory
}

var litmusTests = []litmus{
	{"MP", [2]string{"ST x\nST y", "LD v10 y\nLD v11 x"}, [2]uint32{1, 0}, false, nil},
	{"MP, stale line", [2]string{"ST x\nREL\nSTA y", "LD v12 x\nWAIT\nLDA v10 y\nWAIT\nLD v11 x"}, [2]uint32{1, 0}, false, nil},
	{"MP, release and acquire", [2]string{"ST x\nREL\nSTA y", "LD v12 x\nWAIT\nLDA v10 y\nACQ\nLD v11 x"}, [2]uint32{1, 0}, false, nil},
	{"MP, release only", [2]string{"ST x\nREL\nSTA y", "LDA v10 y\nLDA v11 x"}, [2]uint32{1, 0}, false, nil},
	{"MP, acquire only", [2]string{"ST x\nSTA y", "LDA v10 y\nACQ\nLD v11 x"}, [2]uint32{1, 0}, false, nil},
	{"SB", [2]string{"STA x\nLDA v10 y", "STA y\nLDA v10 x"}, [2]uint32{0, 0}, true, nil},
	{"SB, ordered", [2]string{"STA x\nREL\nACQ\nLDA v10 y", "STA y\nREL\nACQ\nLDA v10 x"}, [2]uint32{0, 0}, true, nil},
	{"LB", [2]string{"LDA v10 x\nSTA y", "LDA v10 y\nSTA x"}, [2]uint32{1, 1}, true, nil},
	{"LB, ordered", [2]string{"LDA v10 x\nACQ\nSTA y", "LDA v10 y\nACQ\nSTA x"}, [2]uint32{1, 1}, true, nil},
	{"CoRR", [2]string{"STA x", "LDA v10 x\nLDA v11 x"}, [2]uint32{1, 0}, false, nil},
	{"MP on two agents", [2]string{"ST x\nSREL\nSSTA y", "LD v12 x\nWAIT\nSLDA v10 y\nSACQ\nLD v11 x"}, [2]uint32{1, 0}, false, []int{0, 1}},
	{"MP on two agents, agent release", [2]string{"ST x\nREL\nSSTA y", "SLDA v10 y\nSACQ\nLD v11 x"}, [2]uint32{1, 0}, false, []int{0, 1}},
	{"MP on two agents, agent acquire", [2]string{"ST x\nSREL\nSSTA y", "LD v12 x\nWAIT\nSLDA v10 y\nACQ\nLD v11 x"}, [2]uint32{1, 0}, false, []int{0, 1}},
	{"SB on two agents", [2]string{"SSTA x\nSREL\nSACQ\nSLDA v10 y", "SSTA y\nSREL\nSACQ\nSLDA v10 x"}, [2]uint32{0, 0}, true, []int{0, 1}},
	{"SB on two agents, agent scope", [2]string{"STA x\nREL\nACQ\nLDA v10 y", "STA y\nREL\nACQ\nLDA v10 x"}, [2]uint32{0, 0}, true, []int{0, 1}},
}

// expand replaces the macros in the code of a thread.
func (t *weakText) expand(code string) string {
	vars := map[string]string{"x": "v[2:3]", "y": "v[4:5]"}
	var out []string
	for _, line := range strings.Split(code, "\n") {
		f := strings.Fields(line)
		switch f[0] {
		case "LD":
			out = append(out, fmt.Sprintf(t.load, f[1], vars[f[2]]))
		case "LDA":
			out = append(out, fmt.Sprintf(t.load, f[1], vars[f[2]])+" "+t.loadAgent)
		case "ST":
			out = append(out, fmt.Sprintf(t.store, vars[f[1]], "v6"))
		case "STA":
			out = append(out, fmt.Sprintf(t.store, vars[f[1]], "v6")+" "+t.storeAgent)
		case "REL":
			out = append(out, t.release, t.waitAll)
		case "ACQ":
			out = append(out, t.waitLoads, t.acquire)
		case "SLDA":
			out = append(out, fmt.Sprintf(t.load, f[1], vars[f[2]])+" "+t.system.load)
		case "SSTA":
			out = append(out, fmt.Sprintf(t.store, vars[f[1]], "v6")+" "+t.system.store)
		case "SREL":
			out = append(out, t.system.release, t.waitAll)
		case "SACQ":
			out = append(out, t.waitLoads, t.system.acquire)
		case "WAIT":
			out = append(out, t.waitLoads)
		}
	}
	return strings.Join(out, "\n")
}

// run runs a test and returns how often the weak outcome is seen.
func (x *litmus) run(t *testing.T, cpu string, runs int) (seen int) {
	t.Helper()
	text := weakTextOf(cpu)
	k := kernelTest{cpu: cpu, grid: [3]int{128, 1, 1}, options: device.Options{Memory: device.MemoryWeak, Agents: x.agents}}
	if strings.HasPrefix(cpu, "gfx12") {
		k.wave, k.grid[0] = 32, 64
	}
	k.fine = x.agents != nil
	k.text = "s_cmp_lg_u32 s20, 0\ns_cbranch_scc1 second\n" + text.expand(x.threads[0]) + "\ns_endpgm\nsecond:\n" + text.expand(x.threads[1])
	k.setup = func(w *wave) {
		base := argument(w, 0)
		setV64(w, 2, 0, base+256)
		setV64(w, 4, 0, argument(w, 1)+1024)
		w.v[6*w.lanes] = 1
		w.s[20] = w.group.id[0]
		w.s[8], w.s[9], w.s[10], w.s[11] = 0, 0, 0xffffffff, 0xf<<12|4<<15
		w.setMask(sExec, 1)
	}
	k.buffers = [][]byte{make([]byte, 4096), make([]byte, 4096)}
	d, p, r := k.load(t)
	for seed := range runs {
		d.SetSeed(uint64(seed))
		clear(r.buffers[0])
		clear(r.buffers[1])
		r.waves, r.groups = nil, nil
		if k.runOn(t, d, p, r); r.err != nil {
			t.Fatal(r.err)
		}
		a, b := r.waves[1].v[10*r.waves[1].lanes], r.waves[1].v[11*r.waves[1].lanes]
		if x.both {
			a, b = r.waves[0].v[10*r.waves[0].lanes], a
		}
		if a == x.weak[0] && b == x.weak[1] {
			seen++
		}
	}
	return seen
}

// permitted returns on which processors docs/weakmemory.md permits the outcomes of programs:
// "yes" for all, "no" for none, or the names' beginnings.
func permitted(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/weakmemory.md")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Split(line, " | "); len(f) == 4 && f[2] != "permitted" {
			list[strings.TrimPrefix(f[0], "| ")] = f[2]
		}
	}
	return list
}

// TestWeakLitmus compares the outcomes with the list of the document.
func TestWeakLitmus(t *testing.T) {
	allowed := permitted(t)
	if len(allowed) != len(litmusTests) {
		t.Errorf("%d rows in the document, %d tests", len(allowed), len(litmusTests))
	}
	for _, cpu := range weakCPUs {
		t.Run(cpu, func(t *testing.T) {
			t.Parallel()
			for i := range litmusTests {
				x := &litmusTests[i]
				seen := x.run(t, cpu, 300)
				t.Logf("%s: %d", x.name, seen)
				where, listed := allowed[x.name]
				want := where == "yes" || slices.ContainsFunc(strings.Split(where, ", "), func(s string) bool { return strings.HasPrefix(cpu, s) })
				if !listed || seen > 0 != want {
					t.Errorf("%s: the weak outcome is seen %d times; listed: %v, permitted: %v", x.name, seen, listed, want)
				}
			}
		})
	}
}

// TestWeakWavesReused checks that a wave which an earlier dispatch has left does not show.
func TestWeakWavesReused(t *testing.T) {
	old := map[*wave]bool{}
	k := kernelTest{cpu: "gfx90a", grid: [3]int{4 * 64, 1, 1}, options: device.Options{Memory: device.MemoryWeak},
		text: "v_mov_b32 v5, 7\nv_accvgpr_write_b32 a3, 8\ns_mov_b32 s20, 9\nglobal_load_dword v6, v0, s[0:1]\ns_endpgm"}
	reused := 0
	k.setup = func(w *wave) {
		if old[w] {
			reused++
		}
		old[w] = true
		if w.s[20] != 0 || slices.Max(w.v[w.lanes:]) != 0 || len(w.weak.list) != 0 || w.ids.kernel != w.group.launch.kernel {
			t.Fatalf("s20 is %d, v5 %d, a3 %d, %d operations are outstanding", w.s[20], w.v[5*w.lanes], w.v[(numVGPRs+3)*w.lanes], len(w.weak.list))
		}
	}
	d, p, r := k.load(t)
	for n := 0; reused == 0; n++ {
		if n == 1000 {
			t.Fatal("no wave is used again")
		}
		if k.runOn(t, d, p, r); r.err != nil {
			t.Fatal(r.err)
		}
		if v := r.waves[len(r.waves)-1]; v.v[5*v.lanes] != 7 || v.v[(numVGPRs+3)*v.lanes] != 8 {
			t.Fatal("the kernel has not run")
		}
	}
}

// TestWeakPollCounts checks which instructions count as polls in succession, and after how many a wave
// polls rarely.
func TestWeakPollCounts(t *testing.T) {
	load, other := &weakFacts{polls: true}, &weakFacts{polls: true}
	plain, invalidate := &weakFacts{}, &weakFacts{cache: weakmem.Op{Invalidate: weakmem.Vector}}
	x := &weakWave{}
	for i, c := range []struct {
		facts *weakFacts
		polls int
	}{{load, 0}, {load, 1}, {invalidate, 1}, {load, 2}, {other, 0}, {other, 1}, {plain, 0}, {plain, 0}, {load, 0}, {load, 1}} {
		if x.countPolls(c.facts); x.polls != c.polls {
			t.Errorf("instruction %d: %d polls, want %d", i, x.polls, c.polls)
		}
	}
	s := &weakSched{}
	s.mem.Reset(weakmem.RulesOf(isa.Gen9, 1), 1, 1)
	first := s.patience()
	for s.mem.Eventful() {
		s.mem.Advance()
	}
	if later := s.patience(); first != weakFirstPolls || later != weakPolls {
		t.Errorf("patience of %d polls at first, %d later", first, later)
	}
}

// TestWeakPolls runs waves that poll until another one has stored many times.
func TestWeakPolls(t *testing.T) {
	k := kernelTest{cpu: "gfx900", grid: [3]int{8 * 64, 1, 1}, options: device.Options{Memory: device.MemoryWeak}, buffers: [][]byte{make([]byte, 4096)}}
	k.text = `
		s_cmp_lg_u32 s20, 0
		s_cbranch_scc1 poll
	work:
		global_store_dword v2, v1, s[2:3] offset:1024
		s_waitcnt vmcnt(0)
		s_sub_u32 s21, s21, 1
		s_cmp_lg_u32 s21, 0
		s_cbranch_scc1 work
		global_store_dword v2, v1, s[2:3]
		s_endpgm
	poll:
		s_add_u32 s22, s22, 1
		global_load_dword v3, v2, s[2:3] glc
		s_waitcnt vmcnt(0)
		v_readfirstlane_b32 s23, v3
		s_cmp_eq_u32 s23, 0
		s_cbranch_scc1 poll
		s_endpgm`
	const rounds = 3000
	k.setup = func(w *wave) {
		base := argument(w, 0)
		w.s[2], w.s[3] = uint32(base), uint32(base>>32)
		w.s[20], w.s[21], w.s[22] = w.group.id[0], rounds, 0
		w.v[w.lanes], w.v[2*w.lanes] = 1, 0
		w.setMask(sExec, 1)
	}
	r := k.run(t)
	polls := uint32(0)
	for _, w := range r.waves[1:] {
		polls += w.s[22]
	}
	if polls == 0 || polls > 5*rounds {
		t.Errorf("%d polls while the other wave has stored %d times", polls, rounds)
	}
}
