package kernel_test

import (
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// sequential are programs whose forbidden outcomes occur unless all accesses have one order.
var sequential = map[string]string{
	"store buffering": `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent  r0 = load y seq_cst agent }
thread P1 group 1 { store y, 1 seq_cst agent  r0 = load x seq_cst agent }
exists P0.r0 == 0 && P1.r0 == 0`,
	"Dekker": `global x = 0 global y = 0 global c = 0
thread P0 group 0 { store x, 1 seq_cst agent  r0 = load y seq_cst agent  if r0 == 0 { r1 = add c, 1 monotonic agent } }
thread P1 group 1 { store y, 1 seq_cst agent  r0 = load x seq_cst agent  if r0 == 0 { r1 = add c, 1 monotonic agent } }
exists c == 2`,
	"Peterson": `global x = 0 global y = 0 global turn = 0 global c = 0
thread P0 group 0 {
  store x, 1 seq_cst agent  store turn, 1 seq_cst agent
  r0 = load y seq_cst agent  r1 = load turn seq_cst agent
  if r0 == 0 || r1 == 0 { r2 = add c, 1 monotonic agent }
}
thread P1 group 1 {
  store y, 1 seq_cst agent  store turn, 0 seq_cst agent
  r0 = load x seq_cst agent  r1 = load turn seq_cst agent
  if r0 == 0 || r1 == 1 { r2 = add c, 1 monotonic agent }
}
observe P0.r0, P0.r1, P1.r0, P1.r1
exists c == 2`,
	"IRIW": `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent }
thread P1 group 1 { store y, 1 seq_cst agent }
thread P2 group 2 { r0 = load x seq_cst agent  r1 = load y seq_cst agent }
thread P3 group 3 { r0 = load y seq_cst agent  r1 = load x seq_cst agent }
exists P2.r0 == 1 && P2.r1 == 0 && P3.r0 == 1 && P3.r1 == 0`,
}

// TestSequentialConsistency runs the programs in the strong mode with several workers.
func TestSequentialConsistency(t *testing.T) {
	executions := 10_000
	if full() {
		executions = 100_000
	}
	for name, text := range sequential {
		test := mustParse(t, text)
		allowed, err := model.Check(test)
		if err != nil {
			t.Fatal(err)
		}
		for _, cpu := range []string{"gfx700", "gfx900", "gfx942", "gfx1030", "gfx1100", "gfx1250"} {
			for _, workers := range []int{1, 2, 4} {
				r, err := kernel.Run(t.Context(), test, kernel.Options{Processor: cpu, Executions: executions, Device: gfx.DeviceOptions{Workers: workers}})
				if err != nil {
					t.Fatalf("%s on %s: %v", name, cpu, err)
				}
				for _, o := range forbidden(allowed, r) {
					t.Errorf("%s on %s with %d workers: outcome %v is forbidden, %d of %d", name, cpu, workers, o.Values, o.Count, r.Executions)
				}
			}
		}
	}
}
