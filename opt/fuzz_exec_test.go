package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/irrandom"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// FuzzPasses runs random pipelines on random modules: all that must hold after each pass holds, and results stay the same.
func FuzzPasses(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, uint32(irrandom.All), uint8(30), seed%2 == 1)
	}
	f.Fuzz(func(t *testing.T, seed uint64, features uint32, size uint8, gpu bool) {
		o := irrandom.Options{Seed: seed, Funcs: 2, Size: int(size), Features: irrandom.Feature(features) & irrandom.All}
		if gpu {
			o.Profile = irrandom.AMDGPU
		}
		m := irrandom.Module(o)
		before := irrandom.Run(m)
		src := text.Print(m)
		if err := irrandom.Failed(before); err != nil {
			t.Fatalf("the module itself: %v\n%s", err, src)
		}
		r := rand.New(rand.NewPCG(seed, uint64(features)))
		for _, passes := range execPipelines(r, o.Profile, false) {
			if problem := execProblem(src, passes, before); problem != "" {
				reportExec(t, seed, src, passes, problem)
			}
		}
	})
}
