package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Tests of clusters. Sources: AMD's CDNA 5 ISA, "Work-group clusters"; LLVM's
// lowering of the work-group and cluster IDs.

// clusterIDs stores IDs of a work-group: s20 and s21 in x and y from the position
// and size of the cluster, s22 the flat position, s23 the number of the cluster,
// s24 the largest flat position, s25 in z.
const clusterIDs = `
s_bfe_u32 s10, ttmp6, 0x4000c
s_add_co_i32 s10, s10, 1
s_mul_i32 s10, s10, ttmp9
s_bfe_u32 s11, ttmp6, 0x40000
s_add_co_i32 s20, s10, s11
s_bfe_u32 s10, ttmp6, 0x40010
s_add_co_i32 s10, s10, 1
s_and_b32 s12, ttmp7, 0xffff
s_mul_i32 s10, s10, s12
s_bfe_u32 s11, ttmp6, 0x40004
s_add_co_i32 s21, s10, s11
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_getreg_b32 s23, hwreg(HW_REG_IB_STS2, 6, 4)
s_bfe_u32 s24, ttmp6, 0x40018
s_bfe_u32 s10, ttmp6, 0x40014
s_add_co_i32 s10, s10, 1
s_lshr_b32 s12, ttmp7, 16
s_mul_i32 s10, s10, s12
s_bfe_u32 s11, ttmp6, 0x40008
s_add_co_i32 s25, s10, s11
`

func TestClusterIDs(t *testing.T) {
	for _, x := range []struct{ cluster, grid [3]int }{
		{[3]int{2, 1, 1}, [3]int{6, 1, 1}}, {[3]int{1, 3, 1}, [3]int{2, 6, 2}}, {[3]int{2, 2, 2}, [3]int{4, 2, 4}},
		{[3]int{16, 1, 1}, [3]int{32, 1, 1}}, {[3]int{1, 1, 1}, [3]int{3, 2, 2}}, {[3]int{}, [3]int{3, 2, 1}},
	} {
		size := x.cluster
		k := kernelTest{cpu: "gfx1250", wave: 32, text: clusterIDs, group: [3]int{32, 1, 1}}
		n := 1
		for d := range 3 {
			k.cluster[d] = uint8(size[d])
			size[d] = max(size[d], 1)
			n *= size[d]
			k.grid[d] = x.grid[d] * k.group[max(d, 0)]
		}
		k.grid = [3]int{x.grid[0] * 32, x.grid[1], x.grid[2]}
		r := k.run(t)
		seen := map[[3]uint32]bool{}
		for i, w := range r.waves {
			id := r.groups[i].id
			seen[id] = true
			flat := 0
			for d := 2; d >= 0; d-- {
				flat = flat*size[d] + int(id[d])%size[d]
			}
			if n == 1 { // outside of clusters, ttmp6 and IB_STS2 are 0
				flat = 0
			}
			want := fmt.Sprint(id[0], id[1], id[2], flat, n-1, n > 1)
			if got := fmt.Sprint(w.s[20], w.s[21], w.s[25], w.s[22], w.s[24], w.s[23] != 0); got != want {
				t.Errorf("cluster %v, grid %v: got %s, want %s", x.cluster, x.grid, got, want)
			}
		}
		if total := x.grid[0] * x.grid[1] * x.grid[2]; len(seen) != total {
			t.Errorf("cluster %v, grid %v: %d of %d work-groups ran", x.cluster, x.grid, len(seen), total)
		}
	}
}

// TestClusterLimits checks the messages for clusters that cannot run.
func TestClusterLimits(t *testing.T) {
	for _, x := range []struct {
		cpu     string
		cluster [3]uint8
		grid    [3]int
		want    string
	}{
		{"gfx1200", [3]uint8{2, 1, 1}, [3]int{64, 1, 1}, "cluster of 2×1×1 work-groups: gfx1200 has no clusters"},
		{"gfx1250", [3]uint8{17, 1, 1}, [3]int{17 * 32, 1, 1}, "cluster of 17×1×1 work-groups exceeds the limit of 16"},
		{"gfx1250", [3]uint8{255, 255, 255}, [3]int{32, 1, 1}, "exceeds the limit of 16"},
		{"gfx1250", [3]uint8{2, 1, 1}, [3]int{96, 1, 1}, "dimension 0: the grid has 3 work-groups, which is no multiple of the cluster's 2"},
		{"gfx1250", [3]uint8{1, 4, 1}, [3]int{32, 6, 1}, "dimension 1: the grid has 6 work-groups, which is no multiple of the cluster's 4"},
		{"gfx1250", [3]uint8{2, 1, 1}, [3]int{63, 1, 1}, "63 work-items are no multiple of the work-group's 32: a cluster has no partial work-groups"},
	} {
		k := kernelTest{cpu: x.cpu, wave: 32, cluster: x.cluster, grid: x.grid, group: [3]int{32, 1, 1}, text: "s_nop 0"}
		if f := k.try(t).fault(); f == nil || f.Kind != device.FaultDispatch || !strings.Contains(f.Message, x.want) {
			t.Errorf("%s %v %v: %v, want %q", x.cpu, x.cluster, x.grid, f, x.want)
		}
	}
}

// exchange stores a value to the place of the work-group, passes the barrier of
// the cluster, and loads the value of the next work-group of the cluster of four
// into v2. %s is LLVM's sequence for the barrier, or a part of it.
const exchange = pointer12 + `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_lshl_b32 s23, ttmp9, 4
s_lshl_b32 s24, s22, 2
s_add_co_u32 s24, s24, s23
v_mov_b32_e32 v1, s24
v_add_nc_u32_e32 v2, 0x100, v1
global_store_b32 v1, v2, s[4:5]
+ s_wait_storecnt 0
s_cmp_eq_u32 0, 0
s_barrier_signal_isfirst -1
s_barrier_wait -1
s_cbranch_scc0 wait
s_barrier_signal -3
wait:
s_barrier_wait -3
global_inv scope:SCOPE_SE
s_add_co_u32 s24, s22, 1
s_and_b32 s24, s24, 3
s_lshl_b32 s24, s24, 2
s_add_co_u32 s24, s24, s23
v_mov_b32_e32 v1, s24
s_wait_loadcnt 0
global_load_b32 v2, v1, s[4:5]
s_wait_loadcnt 0
`

// TestClusterExchange passes values between the work-groups of a cluster, with one
// and with several waves per work-group, on one and on several workers.
func TestClusterExchange(t *testing.T) {
	for _, waves := range []int{1, 3} {
		text := strings.ReplaceAll(exchange, "\n+ ", "\n")
		k := kernelTest{cpu: "gfx1250", wave: 32, cluster: [3]uint8{4, 1, 1}, group: [3]int{32 * waves, 1, 1}, grid: [3]int{32 * waves * 8, 1, 1},
			buffers: [][]byte{make([]byte, 256), make([]byte, 256)}, text: text}
		r := k.run(t)
		for _, w := range r.waves {
			next := w.group.id[0]/4*4 + (w.group.id[0]+1)%4
			if got, want := w.v[2*32], 0x100+next*4; got != want {
				t.Errorf("%d waves: work-group %d loads %#x, want %#x", waves, w.group.id[0], got, want)
			}
		}
		k.text += pointer12 + `
v_mov_b32_e32 v1, s24
v_readfirstlane_b32 s26, v2
v_mov_b32_e32 v3, s26
s_load_b64 s[6:7], s[0:1], 0x8
s_wait_kmcnt 0
global_store_b32 v1, v3, s[6:7]`
		k.memory, k.options = nil, device.Options{Workers: 4, Checks: device.CheckAll}
		k.grid[0] = 32 * waves * 16
		r, stats := k.dispatch(t)
		if r.err != nil || stats.Groups != 16 {
			t.Fatalf("%d waves: %v", waves, r.err)
		}
		for i, v := range r.words(1)[:16] {
			if v != 0x100+uint32(i)*4 {
				t.Errorf("%d waves: word %d is %#x", waves, i, v)
			}
		}
	}
}

// TestClusterBarrierState reads the state of the barrier before and after a
// signal, and lets a work-group leave.
func TestClusterBarrierState(t *testing.T) {
	k := kernelTest{cpu: "gfx1250", wave: 32, cluster: [3]uint8{2, 2, 1}, grid: [3]int{64, 2, 1}, group: [3]int{32, 1, 1}, text: `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_get_barrier_state s20, -3
s_wait_kmcnt 0
s_cmp_eq_u32 s22, 3
s_cbranch_scc1 end
s_barrier_signal -3
s_get_barrier_state s21, -3
s_wait_kmcnt 0
s_barrier_wait -3
s_get_barrier_state s23, -3
s_mov_b32 s24, 1
end:`}
	r := k.run(t)
	for i, w := range r.waves {
		last := i == 3
		state := func(signals, members int) uint32 { return uint32(signals<<16 | members<<4 | 1) }
		if w.s[20] != state(i, 4) || !last && (w.s[21] != state(i+1, 4) || w.s[23]>>16 != 0 || w.s[24] != 1) {
			t.Errorf("work-group %d: %#x %#x %#x %d", i, w.s[20], w.s[21], w.s[23], w.s[24])
		}
	}
}

// TestClusterDeadlock waits for a signal that no work-group sends, and for
// work-groups that fault.
func TestClusterDeadlock(t *testing.T) {
	k := kernelTest{cpu: "gfx1250", wave: 32, cluster: [3]uint8{2, 1, 1}, grid: [3]int{128, 1, 1}, group: [3]int{32, 1, 1}, text: `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_cmp_eq_u32 s22, 1
s_cbranch_scc1 wait
s_barrier_signal -3
wait:
s_barrier_wait -3`}
	if f := k.try(t).fault(); f == nil || !strings.Contains(f.Message, "deadlock: all waves of the cluster") || f.Group != [3]uint32{} {
		t.Errorf("without a signal: %v", f)
	}
	k.text = `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_cmp_eq_u32 s22, 1
s_cbranch_scc0 wait
s_trap 2
wait:
s_barrier_signal -3
s_barrier_wait -3`
	for range 2 {
		k.memory = nil
		r, _ := k.dispatch(t)
		if f := r.fault(); f == nil || f.Kind != device.FaultTrap || f.Group != [3]uint32{1, 0, 0} {
			t.Errorf("with a trap: %v", f)
		}
		k.options.Checks = device.CheckAll
	}
}

// TestOutsideOfClusters executes cluster barriers in a plain dispatch, where they
// have no effect, and isfirst in a work-group of one wave.
func TestOutsideOfClusters(t *testing.T) {
	text := `
s_cmp_eq_u32 0, 0
s_barrier_signal_isfirst -1
s_cselect_b32 s20, 1, 0
s_cmp_eq_u32 0, 1
s_barrier_signal_isfirst -1
s_cselect_b32 s21, 1, 0`
	for cpu, kept := range map[string]uint32{"gfx1200": 0, "gfx1250": 1} {
		k := kernelTest{cpu: cpu, wave: 32, text: text}
		if kept == 1 {
			k.text += "\ns_barrier_signal -3\ns_barrier_wait -3\ns_barrier_wait -3\ns_get_barrier_state s22, -3\ns_wait_kmcnt 0"
		}
		if w := k.run(t).waves[0]; w.s[20] != kept || w.s[21] != 0 || w.s[22] != 0 {
			t.Errorf("%s: SCC %d and %d, state %#x", cpu, w.s[20], w.s[21], w.s[22])
		}
	}
}

// TestClusterScratch stores to the scratch memory of each work-group of a cluster.
func TestClusterScratch(t *testing.T) {
	k := kernelTest{cpu: "gfx1250", wave: 32, cluster: [3]uint8{8, 2, 1}, grid: [3]int{32 * 32, 2, 1}, group: [3]int{32, 1, 1}, private: 16,
		directives: []string{".amdhsa_enable_private_segment 1"}, text: `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
v_mov_b32_e32 v1, s22
scratch_store_b32 off, v1, off
s_barrier_signal -3
s_barrier_wait -3
s_wait_storecnt 0
scratch_load_b32 v2, off, off
s_wait_loadcnt 0`}
	for _, w := range k.run(t).waves {
		if w.v[2*32] != w.s[22] {
			t.Errorf("work-group %v loads %d, want %d", w.group.id, w.v[2*32], w.s[22])
		}
	}
}

// clusterSeed adapts a seed to clusters of four work-groups.
func clusterSeed(k *kernelTest) { k.cluster = [3]uint8{4, 1, 1} }

// TestCheckCluster finds errors in the use of the cluster's barrier.
func TestCheckCluster(t *testing.T) {
	fixed := strings.ReplaceAll(exchange, "\n+ ", "\n")
	inv := strings.Replace(fixed, "\nglobal_inv scope:SCOPE_SE", "\n+ global_inv scope:SCOPE_SE", 1)
	near := strings.Replace(fixed, "\nglobal_inv scope:SCOPE_SE", "\n- global_inv\n+ global_inv scope:SCOPE_DEV", 1)
	barrier := strings.Replace(fixed, "\ns_barrier_wait -3", "\n+ s_barrier_wait -3", 1)
	load := "global_load_b32 v2, v1, s[4:5]"
	const races = "races with an earlier store"
	runSeeds(t, []seed{
		{name: "store not complete", check: device.CheckRace, cpu: "gfx1250", wave: 32, groups: 4, at: load, message: races, more: true, setup: clusterSeed, text: exchange},
		{name: "no invalidation", check: device.CheckRace, cpu: "gfx1250", wave: 32, groups: 4, at: load, message: races, more: true, setup: clusterSeed, text: inv},
		{name: "narrow invalidation", check: device.CheckRace, cpu: "gfx1250", wave: 32, groups: 4, at: load, message: races, more: true, setup: clusterSeed, text: near},
		{name: "no wait", check: device.CheckRace, cpu: "gfx1250", wave: 32, groups: 4, at: "global_store_b32 v1, v2, s[4:5]", message: "races with an earlier load", more: true, setup: clusterSeed, text: barrier},
		{name: "two waves signal", check: device.CheckBarrier, cpu: "gfx1250", wave: 32, group: 64, groups: 4, at: "s_barrier_signal -3", more: true, setup: clusterSeed,
			message: "work-group 0 of the cluster signals its barrier again", other: "the first signal", text: `
+ s_cmp_eq_u32 0, 0
+ s_barrier_signal_isfirst -1
+ s_barrier_wait -1
+ s_cbranch_scc0 wait
s_barrier_signal -3
wait:
s_barrier_wait -3`},
		{name: "different barriers", check: device.CheckBarrier, cpu: "gfx1250", wave: 32, groups: 4, at: "s_barrier_signal -3", more: true, setup: clusterSeed,
			message: "work-groups of a cluster signal at different barriers", text: `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_cmp_eq_u32 s22, 2
- s_cbranch_scc0 other
s_barrier_signal -3
s_branch wait
other:
s_barrier_signal -3
wait:
s_barrier_wait -3`},
		{name: "ended", check: device.CheckBarrier, cpu: "gfx1250", wave: 32, groups: 4, at: "s_barrier_wait 0xfffd", more: true, setup: clusterSeed,
			message: "waits at the barrier that work-group 2 never reaches: it has ended", other: "work-group 2 ended", text: `
s_getreg_b32 s22, hwreg(HW_REG_IB_STS2, 21, 4)
s_cmp_eq_u32 s22, 2
- s_cbranch_scc1 end
s_barrier_signal -3
s_barrier_wait -3
end:`},
	})
}
