package kernel_test

import (
	"regexp"
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// llvmMistakes are the written tests with forbidden outcomes of llc's code, by
// processors and names.
var llvmMistakes = []struct{ processors, tests, reason string }{
	{"gfx[6-9].*", "ISA2.*", "a release of the work-group does not wait for vector memory, see docs/memorymodel.md"},
}

// llvmMistake returns the reason of a forbidden outcome, or "".
func llvmMistake(cpu, test string) string {
	for _, m := range llvmMistakes {
		if regexp.MustCompile("^(?:"+m.processors+")$").MatchString(cpu) && regexp.MustCompile("^(?:"+m.tests+")$").MatchString(test) {
			return m.reason
		}
	}
	return ""
}

// TestLLVMOnWeakMemory runs llc's code of written tests: a few on each generation, or with
// GFX_LITMUS=full all of them.
func TestLLVMOnWeakMemory(t *testing.T) {
	list := writtenTests(t)
	for k, cpu := range generations {
		t.Run(cpu, func(t *testing.T) {
			wrong := 0
			for i, x := range list {
				if cpu == "gfx600" && hasGeneric(x) || !full() && (i+k)%(8*len(generations)) != 0 {
					continue
				}
				executions := 500
				if full() {
					executions = 20_000
				}
				allowed, err := model.Check(x)
				if err != nil {
					t.Fatal(err)
				}
				r, err := kernel.Run(t.Context(), x, kernel.Options{
					Processor: cpu, Executions: executions, Object: compileWithLLVM(t, x, cpu), Device: gfx.DeviceOptions{Memory: device.MemoryWeak, Seed: 1},
				})
				if err != nil {
					t.Fatalf("%s: %v", x.Name, err)
				}
				for _, o := range forbidden(allowed, r) {
					if llvmMistake(cpu, x.Name) != "" {
						wrong++
						continue
					}
					t.Errorf("%s: outcome %v is forbidden, %d of %d", x.Name, o.Values, o.Count, r.Executions)
				}
			}
			t.Logf("%d known mistakes", wrong)
		})
	}
}
