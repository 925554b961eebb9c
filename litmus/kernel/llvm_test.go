package kernel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// llvmObject returns the code object of a test that llc and lld build.
func llvmObject(t *testing.T, x *litmus.Test, cpu string) []byte {
	t.Helper()
	module, err := kernel.Module(x)
	if err != nil {
		t.Fatal(err)
	}
	object, code := filepath.Join(t.TempDir(), "t.o"), filepath.Join(t.TempDir(), "t.hsaco")
	if _, stderr, exit := oracle.Run(t, []byte(module), time.Minute, oracle.Tool(t, "llc-22"), "-mcpu="+cpu, "-filetype=obj", "-o", object); exit != 0 {
		t.Fatalf("%s: llc: %s\n%s", x.Name, stderr, module)
	}
	if _, stderr, exit := oracle.Run(t, nil, time.Minute, oracle.Tool(t, "ld.lld-22"), "-shared", "-o", code, object); exit != 0 {
		t.Fatalf("%s: lld: %s", x.Name, stderr)
	}
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

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
					Processor: cpu, Executions: executions, Object: llvmObject(t, x, cpu), Device: gfx.DeviceOptions{Memory: device.MemoryWeak, Seed: 1},
				})
				if err != nil {
					t.Fatalf("%s: %v", x.Name, err)
				}
				for _, o := range r.Outcomes {
					switch {
					case allowed.Allows(o.Values):
					case llvmMistake(cpu, x.Name) != "":
						wrong++
					default:
						t.Errorf("%s: outcome %v is forbidden, %d of %d", x.Name, o.Values, o.Count, r.Executions)
					}
				}
			}
			t.Logf("%d known mistakes", wrong)
		})
	}
}
