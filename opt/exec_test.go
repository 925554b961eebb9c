package opt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ireval"
	"github.com/gfx-toolchain/gfx/internal/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// resultOf runs one test function of a random module and says what it gave.
func resultOf(m *ir.Module, name string, in []byte) string {
	mc, err := ireval.New(m, ireval.Options{Steps: 1 << 22})
	if err != nil {
		return err.Error()
	}
	from, err := mc.Alloc(irrandom.InSize, 16)
	if err != nil {
		return err.Error()
	}
	copy(mc.Bytes(from, irrandom.InSize), in)
	to, err := mc.Alloc(irrandom.OutSize, 16)
	if err != nil {
		return err.Error()
	}
	v, err := mc.Call(name, ireval.Value{Words: []uint64{from}, Taint: []uint8{0}}, ireval.Value{Words: []uint64{to}, Taint: []uint8{0}})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x %v %x", v.Words, v.Taint, bytes.Clone(mc.Bytes(to, irrandom.OutSize)))
}

// loweringPasses are the pipelines that TestLoweringKeepsResults runs.
var loweringPasses = []string{
	"lower-switch", "inline", "lower-mem-intrinsics", "expand-large-div-rem", "expand-large-ints", "always-inline,globaldce",
}

// TestLoweringKeepsResults runs random functions before and after passes.
func TestLoweringKeepsResults(t *testing.T) {
	for _, passes := range loweringPasses {
		t.Run(passes, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			good, all := 0, 0
			for seed := range uint64(tries(15)) {
				o := irrandom.Options{Seed: seed, Funcs: 3, Size: 60, Features: irrandom.All}
				before, after := irrandom.Module(o), irrandom.Module(o)
				old := string(text.Print(before))
				run(t, passes, after)
				in := make([]byte, irrandom.InSize)
				for range 3 {
					for i := range in {
						in[i] = byte(rng.Uint32())
					}
					for i := range o.Funcs {
						name := "test" + strconv.Itoa(i)
						want, got := resultOf(before, name, in), resultOf(after, name, in)
						all++
						if strings.Contains(want, " [") {
							good++
						}
						if got != want {
							t.Fatalf("seed %d, %s, input %x: %s, was %s\n%s\n%s", seed, name, in, got, want, old, text.Print(after))
						}
					}
				}
			}
			if good*10 < all*9 {
				t.Errorf("%d of %d runs gave no result", all-good, all)
			}
		})
	}
}
