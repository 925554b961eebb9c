package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// exportsOf runs a kernel and returns its exports.
func exportsOf(t *testing.T, k kernelTest) []device.Export {
	t.Helper()
	var list []device.Export
	k.options.Export = func(e *device.Export) { list = append(list, *e) }
	k.run(t)
	return list
}

// TestExports compares the records of exports with the instructions' text and
// the registers.
func TestExports(t *testing.T) {
	type want struct {
		text             string
		target, enabled  uint8
		name             string
		compr, done, vm  bool
		row              bool
		components       [4]int // register of each component; 0 for none
		high             [4]bool
		since11, until10 bool
		from10           bool
	}
	all := [4]int{4, 5, 6, 7}
	cases := []want{
		{text: "exp mrt0 v4, v5, v6, v7 done", target: 0, enabled: 15, name: "mrt0", done: true, components: all},
		{text: "exp mrt7 v4, off, v6, off", target: 7, enabled: 5, name: "mrt7", components: [4]int{4, 0, 6, 0}},
		{text: "exp mrtz v4, off, off, off", target: 8, enabled: 1, name: "mrtz", components: [4]int{4}},
		{text: "exp null off, off, off, off done vm", target: 9, name: "null", done: true, vm: true, until10: true},
		{text: "exp pos0 v4, v5, v6, v7", target: 12, enabled: 15, name: "pos0", components: all},
		{text: "exp pos3 v7, v5, v6, v4 done", target: 15, enabled: 15, name: "pos3", done: true, components: [4]int{7, 5, 6, 4}},
		{text: "exp param0 v4, v5, v6, v7", target: 32, enabled: 15, name: "param0", components: all, until10: true},
		{text: "exp param31 off, v5, off, off", target: 63, enabled: 2, name: "param31", components: [4]int{0, 5}, until10: true},
		{text: "exp mrt1 v4, v4, v5, v5 compr vm", target: 1, enabled: 15, name: "mrt1", compr: true, vm: true,
			components: [4]int{4, 4, 5, 5}, high: [4]bool{1: true, 3: true}, until10: true},
		{text: "exp mrt1 off, off, v5, v5 compr", target: 1, enabled: 12, name: "mrt1", compr: true,
			components: [4]int{0, 0, 5, 5}, high: [4]bool{3: true}, until10: true},
		{text: "exp pos4 v4, v5, v6, v7", target: 16, enabled: 15, name: "pos4", components: all, from10: true},
		{text: "exp prim v4, off, off, off done", target: 20, enabled: 1, name: "prim", done: true, components: [4]int{4}, from10: true},
		{text: "exp dual_src_blend0 v4, v5, v6, v7", target: 21, enabled: 15, name: "dual_src_blend0", components: all, since11: true},
		{text: "exp dual_src_blend1 v4, v5, v6, v7", target: 22, enabled: 15, name: "dual_src_blend1", components: all, since11: true},
		{text: "exp pos0 v4, v5, v6, v7 done row_en", target: 12, enabled: 15, name: "pos0", done: true, row: true, components: all, since11: true},
	}
	forWaves(t, []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200"}, func(t *testing.T, cpu string, lanes int) {
		new11, new10 := strings.HasPrefix(cpu, "gfx11") || strings.HasPrefix(cpu, "gfx12"), strings.HasPrefix(cpu, "gfx1")
		exec := uint64(0x8001f0f3) | uint64(0xa0)<<32
		exec &= ^uint64(0) >> (64 - lanes)
		value := func(reg, lane int) uint32 { return uint32(reg)<<24 | uint32(lane)<<16 | uint32(reg*lane) | 0x8000 }
		var used []want
		text := m0Text(77)
		for _, c := range cases {
			if c.since11 && !new11 || c.until10 && new11 || c.from10 && !new10 {
				continue
			}
			if strings.HasPrefix(cpu, "gfx12") {
				c.text = strings.Replace(c.text, "exp ", "export ", 1)
			}
			used = append(used, c)
			text += c.text + "\n"
		}
		list := exportsOf(t, kernelTest{cpu: cpu, wave: lanes, text: text, setup: func(w *wave) {
			w.setMask(sExec, exec)
			for r := 4; r < 8; r++ {
				for l := range lanes {
					w.v[r*lanes+l] = value(r, l)
				}
			}
		}})
		if len(list) != len(used) {
			t.Fatalf("%d exports, want %d", len(list), len(used))
		}
		for i := range list {
			e, c := &list[i], &used[i]
			exp := device.Export{PC: e.PC, Index: uint64(i), Target: c.target, Name: c.name, Enabled: c.enabled, Compressed: c.compr,
				Done: c.done, ValidMask: c.vm, HasRow: c.row, Lanes: lanes, Exec: exec}
			if c.row {
				exp.Row = 77
			}
			for k, r := range c.components {
				for l := range lanes {
					if r == 0 || exec>>l&1 == 0 {
						continue
					}
					v := value(r, l)
					if c.compr {
						if c.high[k] {
							v >>= 16
						}
						v &= 0xffff
					}
					exp.Data[k][l] = v
				}
			}
			if *e != exp {
				t.Errorf("%s: %+v, want %+v", c.text, *e, exp)
			}
			if i > 0 && e.PC != list[i-1].PC+8 {
				t.Errorf("%s: address %#x after %#x", c.text, e.PC, list[i-1].PC)
			}
		}
	})
}

// TestExportWaves checks the origin of the exports of several groups and waves.
// Waves without active lanes export, too.
func TestExportWaves(t *testing.T) {
	var got []string
	k := kernelTest{group: [3]int{128, 1, 1}, grid: [3]int{256, 2, 1}, text: "exp pos0 v0, off, off, off\ns_mov_b64 exec, 0\nexp null off, off, off, off done vm",
		options: device.Options{Export: func(e *device.Export) {
			got = append(got, fmt.Sprintf("%v %d %d %s %#x %d", e.Group, e.Wave, e.Index, e.Name, e.Exec, e.Data[0][5]))
		}}}
	if r, _ := k.dispatch(t); r.err != nil {
		t.Fatal(r.err)
	}
	var want []string
	for y := range 2 {
		for x := range 2 {
			for wave := range 2 {
				g := fmt.Sprintf("[%d %d 0] %d", x, y, wave)
				want = append(want, fmt.Sprintf("%s 0 pos0 0xffffffffffffffff %d", g, wave*64+5), g+" 1 null 0x0 0")
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExportAllocation checks that an export does not allocate.
func TestExportAllocation(t *testing.T) {
	count := func(n int) float64 {
		k := kernelTest{text: fmt.Sprintf("s_movk_i32 s6, %d\nloop:\nexp mrt0 v0, v1, v2, v3\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\ns_cbranch_scc1 loop", n),
			options: device.Options{Workers: 1, Export: func(*device.Export) {}}}
		d, p, _ := k.load(t)
		return testing.AllocsPerRun(5, func() {
			if _, err := d.Run(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(10), count(1000); many > few+5 {
		t.Errorf("%.0f allocations for 1000 exports, %.0f for 10", many, few)
	}
}
