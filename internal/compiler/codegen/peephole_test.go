package codegen

import (
	"maps"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// TestPeephole cleans up random blocks: memory and observable events must be
// the same, with fewer instructions.
func TestPeephole(t *testing.T) {
	p := new(peephole)
	before, after := 0, 0
	for seed := range uint64(tries(400)) {
		x := schedTargets[seed%uint64(len(schedTargets))]
		g := schedGen{mirGen: *newMIRGen(seed, mir.MachineOf(x.set, x.wave))}
		f := g.block(5 + g.rng.IntN(100))
		text := f.AppendText(nil)
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: the generator produced %v\n%s", seed, errs[0], text)
		}
		want := []*blockRun{runBlock(f, seed*2), runBlock(f, seed*2+1)}
		before += countInstrs(f)
		p.cleanFunction(f)
		after += countInstrs(f)
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], text, f.AppendText(nil))
		}
		for k, w := range want {
			got := runBlock(f, seed*2+uint64(k))
			if got.wrong || !maps.Equal(got.mem, w.mem) || !slices.Equal(got.trace, w.trace) || !maps.Equal(got.phys, w.phys) {
				t.Fatalf("seed %d: the results differ\n%s\nafter:\n%s", seed, text, f.AppendText(nil))
			}
		}
	}
	if after*10 > before*9 {
		t.Errorf("%d instructions became %d", before, after)
	}
}

func countInstrs(f *mir.Func) (n int) {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			n++
		}
	}
	return n
}

// TestPeepholeAllocate allocates registers after cleaning up functions of
// several blocks.
func TestPeepholeAllocate(t *testing.T) {
	p, a := new(peephole), new(allocator)
	for seed := range uint64(tries(60)) {
		f := newMIRGen(seed, mir.MachineOf(schedTargets[2].set, 64)).generate()
		p.cleanFunction(f)
		before := f.AppendText(nil)
		if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, errs[0], before)
		}
		if err := a.allocateRegisters(f, regLimits{mir.FileS: 100, mir.FileV: 250, mir.FileSCC: 1}); err != nil {
			continue
		}
		if errs := checkRegs(a); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
		}
	}
}
