package opt

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/internal/ireval"
	"github.com/gfx-toolchain/gfx/internal/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// controlPasses bring control flow to what code generation takes.
const controlPasses = "lower-invoke,indirectbr-expand,lower-switch,amdgpu-unify-divergent-exit-nodes,fix-irreducible,loop-simplify,lcssa"

// checkControl checks what code generation expects of control flow: one ret that every block reaches, branches only, and
// loops with one entry, a preheader and one latch, which values leave by phis.
func checkControl(f *ir.Function) error {
	rets := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		switch op := f.Op(f.Terminator(b)); op {
		case ir.OpRet:
			rets++
		case ir.OpBr:
		default:
			return fmt.Errorf("@%s: terminator %v", f.Name(), op)
		}
	}
	g := analysis.CFG(f)
	if roots := analysis.NewPostDomTree(g).Roots(); rets != 1 || len(roots) != 1 {
		return fmt.Errorf("@%s: %d rets, %d ends", f.Name(), rets, len(roots))
	}
	if len(g.RPO()) != len(g.Order()) {
		return fmt.Errorf("@%s: unreachable blocks", f.Name())
	}
	cycles := analysis.NewCycles(g)
	for c := uint32(1); c <= uint32(cycles.N()); c++ {
		if !cycles.Reducible(c) {
			return fmt.Errorf("@%s: irreducible", f.Name())
		}
	}
	loops := analysis.NewLoops(analysis.NewDomTree(g))
	for l := uint32(1); l <= uint32(loops.N()); l++ {
		before := loops.Predecessor(l)
		if loops.Latch(l) == 0 || before == 0 || len(g.Succs(before)) != 1 {
			return fmt.Errorf("@%s: loop without preheader or single latch", f.Name())
		}
	}
	return checkLCSSA(f, loops)
}

// checkLCSSA reports a value of a loop that is used outside other than by a phi of an exit.
func checkLCSSA(f *ir.Function, loops *analysis.Loops) error {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
				at := f.Parent(f.User(u))
				if f.Op(f.User(u)) == ir.OpPhi {
					at = f.Operand(f.User(u), f.UseIndex(u)+1).Block()
				}
				if l := loops.Of(uint32(b)); l != 0 && !loops.Contains(l, uint32(at)) {
					return fmt.Errorf("@%s: value leaves a loop without a phi", f.Name())
				}
			}
		}
	}
	return nil
}

// TestControlFlow brings random functions, many of them irreducible, to legal control flow and runs them before and after.
func TestControlFlow(t *testing.T) {
	n, first := execCount(160)
	for i := range n / execFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 7))
		o := execOptions(r, seed)
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
				if err := checkControl(g.Func); err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, text.PrintFunction(g.Func))
				}
			}
		}
	}
}

// TestIndirectBr runs what becomes of an indirect branch.
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
	if err := checkControl(m.Function("f")); err != nil {
		t.Error(err)
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
