package kernel_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/cycle"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// generations lists a processor of each generation.
var generations = []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}

// full reports whether the tests run everything (make litmus) instead of a sample.
func full() bool { return os.Getenv("GFX_LITMUS") == "full" }

// writtenTests returns the tests of litmus/testdata.
func writtenTests(t *testing.T) (list []*litmus.Test) {
	t.Helper()
	files, err := filepath.Glob("../testdata/*/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		x, err := litmus.Parse(&diag.Source{Name: name, Text: text})
		if err != nil {
			t.Error(err)
			continue
		}
		if want := filepath.Base(name); x.Name+".litmus" != want {
			t.Errorf("%s has the name %s", name, x.Name)
		}
		list = append(list, x)
	}
	return list
}

// TestWrittenVerdicts compares the expected verdicts of the written tests with the
// model's.
func TestWrittenVerdicts(t *testing.T) {
	list := writtenTests(t)
	counts := map[litmus.Verdict]int{}
	for _, x := range list {
		r, err := model.Check(x)
		if err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		counts[r.Verdict()]++
		if r.Verdict() != x.Expected || x.Expected == litmus.Unknown {
			t.Errorf("%s: %v, expected %v %s", x.Name, r.Verdict(), x.Expected, r.Racy)
		}
	}
	t.Logf("%d tests: %v", len(list), counts)
	if len(list) < 200 {
		t.Errorf("%d tests", len(list))
	}
}

// runWeak runs a test with weak memory and reports forbidden outcomes. It returns
// whether the condition occurred.
func runWeak(t *testing.T, x *litmus.Test, cpu string, executions int, seed uint64) bool {
	t.Helper()
	allowed, err := model.Check(x)
	if err != nil {
		t.Error(err)
		return false
	}
	r, err := kernel.Run(t.Context(), x, kernel.Options{Processor: cpu, Executions: executions, Device: gfx.DeviceOptions{Memory: device.MemoryWeak, Seed: seed}})
	if err != nil {
		t.Errorf("%s: %s: %v", cpu, x.Name, err)
		return false
	}
	seen := false
	for _, o := range r.Outcomes {
		seen = seen || x.Satisfied(o.Values)
	}
	for _, o := range forbidden(allowed, r) {
		t.Errorf("%s, --seed=%d: outcome %v is forbidden, %d of %d\n%s", cpu, seed, o.Values, o.Count, r.Executions, x)
	}
	return seen
}

// hasGeneric reports whether a test has generic variables, for which gfx6 has no
// instructions.
func hasGeneric(x *litmus.Test) bool {
	for i := range x.Variables {
		if x.Variables[i].Generic {
			return true
		}
	}
	return false
}

// TestWrittenOnWeakMemory runs the written tests: each on one generation, or with
// GFX_LITMUS=full 100,000 executions on all of them.
func TestWrittenOnWeakMemory(t *testing.T) {
	list := writtenTests(t)
	for k, cpu := range generations {
		t.Run(cpu, func(t *testing.T) {
			weak := 0
			for i, x := range list {
				if cpu == "gfx600" && hasGeneric(x) || !full() && (i+k)%len(generations) != 0 {
					continue
				}
				executions := 500
				if full() {
					executions = 100000
				}
				if runWeak(t, x, cpu, executions, 1) && x.Kind == litmus.Exists {
					weak++
				}
			}
			t.Logf("weak outcomes of %d tests", weak)
			if weak == 0 {
				t.Error("no weak outcome occurs")
			}
		})
	}
}

// TestGeneratedOnWeakMemory runs generated tests: some on one generation, or with
// GFX_LITMUS=full 2,000 tests with 5,000 executions on all of them.
func TestGeneratedOnWeakMemory(t *testing.T) {
	n, seed := 110, uint64(1)
	if full() {
		n = 2000
	}
	if text := os.Getenv("GFX_LITMUS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	list, err := cycle.Generate(n, seed)
	if err != nil {
		t.Fatal(err)
	}
	for k, cpu := range generations {
		t.Run(cpu, func(t *testing.T) {
			for i, x := range list {
				if cpu == "gfx600" && hasGeneric(x) || !full() && i%len(generations) != k {
					continue
				}
				executions := 500
				if full() {
					executions = 5000
				}
				runWeak(t, x, cpu, executions, seed)
			}
		})
	}
}

// TestTransitivity runs tests that need a wait at a release of the work-group: the
// forbidden outcome occurs with llc's code, which lacks the wait on gfx942, and does not
// with gfx's on any generation.
func TestTransitivity(t *testing.T) {
	names := map[string]bool{"ISA2+lds-flag+agent": true, "ISA2+barrier+agent": true, "ISA2+barrier-one-as+agent": true, "ISA2+wg+agent": true, "ISA2+wg-fences+agent": true}
	for _, x := range writtenTests(t) {
		if !names[x.Name] {
			continue
		}
		delete(names, x.Name)
		for _, cpu := range []string{"gfx700", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100"} {
			runWeak(t, x, cpu, 10000, 1)
		}
		if x.Name == "ISA2+wg+agent" || x.Name == "ISA2+wg-fences+agent" {
			continue
		}
		o := kernel.Options{Processor: "gfx942", Executions: 20000, Object: compileWithLLVM(t, x, "gfx942"), Device: gfx.DeviceOptions{Memory: device.MemoryWeak}}
		r, err := kernel.Run(t.Context(), x, o)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, o := range r.Outcomes {
			found = found || x.Satisfied(o.Values)
		}
		if !found {
			t.Errorf("%s: the forbidden outcome does not occur with llc's code", x.Name)
		}
	}
	if len(names) > 0 {
		t.Errorf("tests %v are missing", names)
	}
}
