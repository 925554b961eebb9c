package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestFindingPlace checks that a finding includes symbol, text and source line
// of both instructions.
func TestFindingPlace(t *testing.T) {
	var list []*device.Finding
	k := kernelTest{text: "s_load_dword s4, s[0:1], 0x0\ns_mov_b32 s5, s4", buffers: [][]byte{make([]byte, 4)}}
	k.options = device.Options{Checks: device.CheckWait, Finding: func(f *device.Finding) { list = append(list, f) }}
	k.setup = func(w *wave) {
		r := w.prog.region
		entry := w.group.launch.kernel.entry
		r.Symbol = func(pc uint64) string { return fmt.Sprintf("k+%#x", pc-entry) }
		r.Line = func(pc uint64) (string, int) { return "k.cl", int(pc-entry)/4 + 10 }
	}
	k.run(t)
	if len(list) != 1 {
		t.Fatal(describeFindings(list))
	}
	f := list[0]
	if f.Where != "k+0x8" || f.Source != "k.cl:12" || f.Text != "s_mov_b32 s5, s4" || !strings.HasSuffix(f.Other, "(k+0x0) k.cl:10: s_load_dword s4, s[0:1], 0x0") || f.Count != 1 || f.Lane != -1 {
		t.Errorf("%+v", *f)
	}
}

// manyFindings returns a kernel with n faulty instructions, each of which every
// wave executes.
func manyFindings(n int) kernelTest {
	text := ""
	for range n {
		text += "s_load_dword s4, s[0:1], 0x0\ns_mov_b32 s5, s4\ns_waitcnt lgkmcnt(0)\n"
	}
	return kernelTest{text: text, buffers: [][]byte{make([]byte, 4)}, grid: [3]int{64 * 50, 1, 1}}
}

// TestFindingsOrder checks that the findings do not depend on the execution
// order of the groups.
func TestFindingsOrder(t *testing.T) {
	var first []*device.Finding
	for range 4 {
		var list []*device.Finding
		k := manyFindings(7)
		k.options = device.Options{Checks: device.CheckAll, Workers: 4, Finding: func(f *device.Finding) { list = append(list, f) }}
		if r, _ := k.dispatch(t); r.err != nil {
			t.Fatal(r.err)
		}
		if len(list) != 7 || !slices.IsSortedFunc(list, func(a, b *device.Finding) int { return int(int64(a.PC) - int64(b.PC)) }) {
			t.Fatal(describeFindings(list))
		}
		for _, f := range list {
			if f.Count != 50 || f.Group != [3]uint32{} || f.Wave != 0 {
				t.Errorf("%+v", *f)
			}
		}
		if first == nil {
			first = list
		}
		if !reflect.DeepEqual(first, list) {
			t.Errorf("%s\nbefore %s", describeFindings(list), describeFindings(first))
		}
	}
}

// TestFindingsLimit checks that findings beyond the limit are counted.
func TestFindingsLimit(t *testing.T) {
	var list []*device.Finding
	k := manyFindings(maxFindings + 11)
	k.options = device.Options{Checks: device.CheckWait, Finding: func(f *device.Finding) { list = append(list, f) }}
	k.dispatch(t)
	if len(list) != maxFindings+1 || list[maxFindings].Message != "11 more locations with findings are not reported" {
		t.Errorf("%d findings, the last one %+v", len(list), *list[len(list)-1])
	}
}

// TestFindingFault checks that a finding ends the dispatch with a fault if
// Options.Finding is nil.
func TestFindingFault(t *testing.T) {
	k := manyFindings(3)
	k.options = device.Options{Checks: device.CheckWait}
	r, _ := k.dispatch(t)
	if f := r.fault(); f == nil || f.Kind != device.FaultCheck || !strings.Contains(f.Message, "wait: s4 is read") || f.Text != "s_mov_b32 s5, s4" {
		t.Error(r.err)
	}
}

// TestProgramsWithChecks runs a device with checks and one without on the same
// memory.
func TestProgramsWithChecks(t *testing.T) {
	m := device.NewMemory(0)
	k := manyFindings(1)
	k.memory = m
	d, p, _ := k.load(t)
	for range 2 {
		for _, checks := range []device.Checks{0, device.CheckWait} {
			n := 0
			o := device.Options{Checks: checks, Finding: func(*device.Finding) { n++ }}
			x, err := New(d.Target, m, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := x.Run(t.Context(), p); err != nil || n != int(checks&1) {
				t.Errorf("checks %v: %d findings, %v", checks, n, err)
			}
		}
	}
}
