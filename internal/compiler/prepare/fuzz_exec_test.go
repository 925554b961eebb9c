package prepare

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// maxFuzzSize bounds the functions of FuzzPasses. Without it, most of the time
// is spent on large functions, which find no more bugs than several small ones.
const maxFuzzSize = 48

// FuzzPasses runs a random pipeline on random modules: all invariants must hold
// after each pass, and results must not change.
func FuzzPasses(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, uint32(irrandom.All), uint8(30), seed%2 == 1)
	}
	f.Fuzz(func(t *testing.T, seed uint64, features uint32, size uint8, gpu bool) {
		o := irrandom.Options{Seed: seed, Funcs: 2, Size: int(size) % maxFuzzSize, Features: irrandom.Feature(features) & irrandom.All}
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
		all := passtest.ExecPipelines(r, AllPasses(), o.Profile, false)
		passes := all[r.IntN(len(all))]
		if problem := execProblem(src, passes, before); problem != "" {
			reportExec(t, seed, src, passes, problem)
		}
	})
}
