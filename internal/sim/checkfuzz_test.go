package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// checkedWave returns a wave whose kernel has run with all checks, with space
// for other code.
func checkedWave(t testing.TB, cpu string, lanes int) *wave {
	k := kernelTest{cpu: cpu, wave: lanes, text: strings.Repeat("s_nop 0\n", 64), lds: 256, private: 64, buffers: [][]byte{noise(8192, 1)},
		options: device.Options{Checks: device.CheckAll, Finding: func(*device.Finding) {}}}
	w := k.run(t).waves[0]
	renewScratch(t, w)
	return w
}

// runCode executes code on the wave, at most n instructions.
func runCode(w *wave, code []byte, r *rand.Rand, n int) {
	k := w.group.launch.kernel
	region := k.prog.region
	at := k.entry - region.Addr
	copy(region.Pages()[at:at+256], code)
	region.Derived.Clear()
	hostile(w, r)
	w.prog = w.dev.programOf(region, w.lanes)
	w.pc, w.group.launch.check.findings.by = int32(at/4), nil
	w.checkStart()
	w.runInstructions(n)
	w.checkEnd()
}

// TestChecksOfEverything executes all known instructions in random order with
// all checks. The only permitted outcomes are findings and faults.
func TestChecksOfEverything(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		w := checkedWave(t, cpu, lanes)
		r := rand.New(rand.NewPCG(3, uint64(lanes)))
		var encs []isa.Enc
		for e := range isa.Enc(isa.NumEncs()) {
			if e.Sets().Has(w.dev.set) {
				encs = append(encs, e)
			}
		}
		found := 0
		for range 1500 {
			var code []byte
			for len(code) < 200 {
				if in, ok := isa.Sample(encs[r.IntN(len(encs))], w.dev.set, lanes); ok {
					code = isa.Encode(code, &in)
				}
			}
			runCode(w, code, r, 60)
			found += len(w.group.launch.check.findings.by)
		}
		if found == 0 {
			t.Error("no finding at all")
		}
	})
}

func FuzzChecks(f *testing.F) {
	f.Add([]byte{0, 0x02, 0x00, 0x50, 0xdc}, uint64(1))
	f.Add(append([]byte{1}, binary.LittleEndian.AppendUint64(nil, 0xbf8c00007e020301)...), uint64(2))
	var waves []*wave
	for _, cpu := range testCPUs {
		waves = append(waves, checkedWave(f, cpu, 64))
	}
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		if len(code) < 5 {
			return
		}
		runCode(waves[int(code[0])%len(waves)], code[1:], rand.New(rand.NewPCG(seed, 1)), 200)
	})
}
