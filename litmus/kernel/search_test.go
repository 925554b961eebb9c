package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// searchOf runs a test under all schedules with at most some deviations.
func searchOf(t *testing.T, x *litmus.Test, m machine, search *device.Search) *kernel.Result {
	t.Helper()
	r, err := kernel.Run(t.Context(), x, kernel.Options{Processor: m.processor, Features: m.features, Device: gfx.DeviceOptions{Search: search}})
	if err != nil {
		t.Fatalf("%s: %s: %v", m.processor, x.Name, err)
	}
	return r
}

// has reports whether an outcome is in a list.
func has(list []kernel.Outcome, values []int32) bool {
	return slices.ContainsFunc(list, func(o kernel.Outcome) bool { return slices.Equal(o.Values, values) })
}

// searched holds short tests with the number of deviations that reach all outcomes.
var searched = []struct {
	name       string
	deviations int
	full       bool // only with GFX_LITMUS=full
}{
	{"MP+rlx+agent", 2, false}, {"MP+relacq+agent", 2, false}, {"SB+rlx+agent", 2, false}, {"SB+sc+agent", 2, false}, {"LB+rlx+agent", 2, false},
	{"CoRR+rlx+agent", 2, false}, {"2+2W+rlx+agent", 2, false}, {"MP+rlx+wg", 2, false}, {"MP+relacq+wg", 2, false}, {"MP+relacq+lds", 2, false},
	{"SB+sc+system", 2, false}, {"IRIW+rlx+agent", 3, true},
}

// TestSearchOutcomes compares the outcomes of a search with the outcomes of random executions and with the
// model.
func TestSearchOutcomes(t *testing.T) {
	executions := 1000
	if full() {
		executions = 100000
	}
	tests := map[string]*litmus.Test{}
	for _, x := range writtenTests(t) {
		tests[x.Name] = x
	}
	for _, cpu := range []string{"gfx900", "gfx942", "gfx1100"} {
		t.Run(cpu, func(t *testing.T) {
			for _, c := range searched {
				if c.full && !full() {
					continue
				}
				x := tests[c.name]
				allowed, err := model.Check(x)
				if err != nil {
					t.Fatal(err)
				}
				search := device.NewSearch(device.SearchOptions{Deviations: c.deviations})
				r := searchOf(t, x, machine{cpu, ""}, search)
				p := search.Progress()
				if !p.Exhausted || p.Schedules != r.Executions {
					t.Errorf("%s: %v, %d executions", x.Name, p, r.Executions)
				}
				t.Logf("%s: %v: %d outcomes", x.Name, p, len(r.Outcomes))
				for _, o := range forbidden(allowed, r) {
					t.Errorf("%s: outcome %v is forbidden: schedule %v", x.Name, o.Values, o.Schedule)
				}
				random, err := kernel.Run(t.Context(), x, kernel.Options{Processor: cpu, Executions: executions, Device: gfx.DeviceOptions{Memory: device.MemoryWeak}})
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range random.Outcomes {
					if !has(r.Outcomes, o.Values) {
						t.Errorf("%s: no schedule has the outcome %v, %d of %d random executions", x.Name, o.Values, o.Count, random.Executions)
					}
				}
			}
		})
	}
}

// TestSearchReplay runs the schedule of each outcome again.
func TestSearchReplay(t *testing.T) {
	x := mustParse(t, programs["message passing"])
	m := machine{"gfx942", ""}
	r := searchOf(t, x, m, device.NewSearch(device.SearchOptions{Deviations: 2}))
	if len(r.Outcomes) < 2 {
		t.Errorf("%d outcomes", len(r.Outcomes))
	}
	for _, o := range r.Outcomes {
		again := searchOf(t, x, m, device.NewReplay(o.Schedule))
		if again.Executions != 1 || !has(again.Outcomes, o.Values) {
			t.Errorf("schedule %v: %v, then %v", o.Schedule, o.Values, again.Outcomes)
		}
	}
	for _, c := range []struct{ schedule, want string }{
		{"3:99", "decision 3 has the alternatives 0 to "}, {"1000000:1", "the program has "},
	} {
		list, err := device.ParseSchedule(c.schedule)
		if err != nil {
			t.Fatal(err)
		}
		_, err = kernel.Run(t.Context(), x, kernel.Options{Processor: "gfx942", Device: gfx.DeviceOptions{Search: device.NewReplay(list)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.schedule, err)
		}
	}
}

// TestSearchPrograms searches programs with locks, barriers and several lanes.
func TestSearchPrograms(t *testing.T) {
	for name, text := range programs {
		x := mustParse(t, text)
		allowed, err := model.Check(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, cpu := range []string{"gfx90a", "gfx1030", "gfx1250"} {
			search := device.NewSearch(device.SearchOptions{Deviations: 1})
			r := searchOf(t, x, machine{cpu, ""}, search)
			if !search.Progress().Exhausted {
				t.Errorf("%s: %s: %v", cpu, name, search.Progress())
			}
			for _, o := range forbidden(allowed, r) {
				t.Errorf("%s: %s: outcome %v is forbidden: schedule %v", cpu, name, o.Values, o.Schedule)
			}
		}
	}
}

// TestSearchMutations removes cells from the tables of the memory model: a search notices.
func TestSearchMutations(t *testing.T) {
	tests := judgedTests(t)
	tried := 0
	for _, x := range readMutations(t) {
		if !slices.Contains(searchedCells, x.processor+x.features+" "+x.cell) {
			continue
		}
		tried++
		search := device.NewSearch(device.SearchOptions{Deviations: 2, Schedules: 20000})
		ctx := codegen.WithMemoryCells(t.Context(), &codegen.MemoryCells{Without: cellOf(x.cell)})
		test := tests[x.catcher]
		r, err := kernel.Run(ctx, test.Test, kernel.Options{Processor: x.processor, Features: x.features, Device: gfx.DeviceOptions{Search: search}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: %s: %v", x.processor, x.cell, x.catcher, search.Progress())
		if len(forbidden(test.allowed, r)) == 0 {
			t.Errorf("%s %s: no schedule of %s has a forbidden outcome: %v", x.processor, x.cell, x.catcher, search.Progress())
		}
	}
	if tried != len(searchedCells) {
		t.Errorf("%d of %d cells are in %s", tried, len(searchedCells), mutationsFile)
	}
}

// searchedCells are cells whose absence a search notices with few deviations.
var searchedCells = []string{
	"gfx900 gfx7-9/atomicrmw/workgroup/before/vmcnt", "gfx900 gfx7-9/store/agent/before/vmcnt", "gfx90a gfx90a/fence/system/before/buffer_wbl2",
	"gfx90a+tgsplit gfx90a tgsplit/fence/workgroup/after/buffer_wbinvl1_vol", "gfx942 gfx942/store/system/before/vmcnt",
	"gfx942+tgsplit gfx942 tgsplit/fence/system/after/buffer_inv", "gfx1100 gfx11 WGP/fence/agent/after/buffer_gl1_inv",
	"gfx1200 gfx12 WGP/load/system/after/dscnt",
}
