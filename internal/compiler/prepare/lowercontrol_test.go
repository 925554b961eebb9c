package prepare

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// controlPasses lower control flow for code generation.
const controlPasses = "lower-invoke,indirectbr-expand,lower-switch,amdgpu-unify-divergent-exit-nodes,fix-irreducible,loop-simplify,lcssa"

// TestControlFlow lowers random functions, many of them irreducible, to legal
// control flow and compares their behaviour before and after.
func TestControlFlow(t *testing.T) {
	n, first := passtest.ExecCount(160)
	for i := range n / passtest.ExecFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 7))
		o := passtest.ExecOptions(r, seed)
		o.Features |= irrandom.Control | irrandom.Irreducible
		m := irrandom.Module(o)
		before := irrandom.Run(m)
		src := text.Print(m)
		passes := controlPasses
		if r.IntN(2) == 0 {
			passes = "simplifycfg<no-keep-loops>," + passes
		}
		problem := execProblem(src, passes, before)
		if problem != "" {
			reportExec(t, seed, src, passes, problem)
			continue
		}
		run(t, passes, m)
		for _, g := range m.Globals() {
			if g.Func != nil && g.Func.Entry() != 0 {
				if problem := illegalControl(g.Func); problem != "" {
					t.Errorf("seed %d: %s\n%s", seed, problem, text.PrintFunction(g.Func))
				}
			}
		}
	}
}

// TestIndirectBr runs a lowered indirect branch.
func TestIndirectBr(t *testing.T) {
	m := parse(t, "x.ll", `
@table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
define i32 @f(i32 %i) {
entry:
  %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %i
  %t = load ptr, ptr %p
  indirectbr ptr %t, [label %a, label %b]
a:
  ret i32 10
b:
  ret i32 20
}`)
	run(t, controlPasses, m)
	if problem := illegalControl(m.Function("f")); problem != "" {
		t.Error(problem)
	}
	for i, want := range []uint64{10, 20} {
		mc, err := ireval.New(m, ireval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := mc.Call("f", ireval.Value{Words: []uint64{uint64(i)}, Taint: []uint8{0}})
		if err != nil || got.Words[0] != want {
			t.Errorf("f(%d) = %v, %v", i, got.Words, err)
		}
	}
}
