package prepare

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// checkAccesses checks that all plain accesses of a module are legal.
func checkAccesses(ctx *opt.Context, m *ir.Module) error {
	rules := memRulesOf(ctx, m)
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		s := memSplitter{f: f, emitter: emitter{emit.Emitter{M: m}}, rules: rules}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if op := f.Op(v); (op == ir.OpLoad || op == ir.OpStore) && !f.IsAtomic(v) && !s.isLegal(s.typeOf(v), s.alignOf(v)) && (s.space != addrspace.Constant || m.StoreSize(s.typeOf(v)) <= 16) {
					return fmt.Errorf("@%s: illegal access", f.Name())
				}
			}
		}
	}
	return nil
}

// memCPUs lists processors with different rules for memory accesses.
var memCPUs = []string{"", "gfx600", "gfx700", "gfx900", "gfx942", "gfx1030", "gfx1100"}

// TestSplitMemory splits the accesses of random functions for several
// processors and compares their behaviour before and after.
func TestSplitMemory(t *testing.T) {
	n, first := passtest.ExecCount(120)
	for i := range n / passtest.ExecFuncs {
		seed := first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 8))
		o := passtest.ExecOptions(r, seed)
		o.Features |= irrandom.Memory | irrandom.Vectors
		m := irrandom.Module(o)
		before := irrandom.Run(m)
		src := text.Print(m)
		tg := passtest.Target(t, memCPUs[r.IntN(len(memCPUs))])
		passes := "split-memory"
		switch r.IntN(3) {
		case 0:
			passes = "instcombine,sroa,early-cse,split-memory,instcombine,split-memory"
		case 1:
			passes = "amdgpu-lower-kernel-arguments,amdgpu-lower-module-lds,instcombine,split-memory,early-cse,load-store-vectorizer,dce"
		}
		checkTarget(t, seed, src, passes, tg, before, checkAccesses)
	}
}

// checkTarget runs passes for a target on a module, compares its behaviour, and
// runs a check. It reduces a failing module.
func checkTarget(t *testing.T, seed uint64, src []byte, passes string, tg *target.Target, before []irrandom.Result, check func(*opt.Context, *ir.Module) error) {
	t.Helper()
	problem := func(m *ir.Module, before []irrandom.Result) string {
		ctx := &opt.Context{Target: tg, VerifyEach: passtest.VerifyModule, VerifyFunction: passtest.VerifyFunction, IgnoreOptNone: true}
		if err := pipeline(t, passes).Run(ctx, m); err != nil {
			if e, ok := err.(*opt.Error); ok {
				return err.Error() + string(e.Stack)
			}
			return err.Error()
		}
		if p := irrandom.Check(before, m); p != "" {
			return p
		}
		if check != nil {
			if err := check(ctx, m); err != nil {
				return err.Error()
			}
		}
		return ""
	}
	m, _ := text.Parse("x.ll", src)
	if problem(m, before) == "" {
		return
	}
	src = irrandom.Reduce(src, 20*time.Second, func(m *ir.Module) bool {
		before := irrandom.Run(m)
		return irrandom.Failed(before) == nil && problem(m, before) != ""
	})
	m, _ = text.Parse("x.ll", src)
	before = irrandom.Run(m)
	p := problem(m, before)
	cpu := "no processor"
	if tg != nil {
		cpu = tg.Processor.Name
	}
	t.Fatalf("seed %d, --passes=%s, %s: %s\n%s\nafter:\n%s", seed, passes, cpu, p, src, text.Print(m))
}

// TestMemRules compares the rules with LLVM 22's code for loads on amdhsa.
func TestMemRules(t *testing.T) {
	for _, c := range []struct {
		cpu   string
		space uint32
		want  string // for sizes 2, 4, 8, 12, 16 and alignments 1, 2, 4, 8, 16
	}{
		{"gfx600", 1, "-++++ --+++ --+++ ----- --+++"},
		{"gfx600", 3, "-++++ --+++ ---++ ----- -----"},
		{"gfx600", 5, "-++++ --+++ ----- ----- -----"},
		{"gfx700", 1, "+++++ +++++ +++++ +++++ +++++"},
		{"gfx700", 0, "-++++ --+++ ----- ----- -----"},
		{"gfx803", 3, "-++++ --+++ --+++ ----+ ----+"},
		{"gfx803", 5, "-++++ --+++ ----- ----- -----"},
		{"gfx900", 0, "+++++ +++++ +++++ +++++ +++++"},
		{"gfx900", 3, "+++++ +++++ +++++ ++--+ ++-++"},
		{"gfx1030", 5, "+++++ +++++ ----- ----- -----"},
		{"gfx942", 5, "+++++ +++++ +++++ +++++ +++++"},
		{"gfx1100", 5, "+++++ +++++ +++++ +++++ +++++"},
	} {
		ctx := &opt.Context{Target: passtest.Target(t, c.cpu)}
		r := memRulesOf(ctx, nil)
		got := ""
		for _, size := range []uint64{2, 4, 8, 12, 16} {
			for _, align := range []uint64{1, 2, 4, 8, 16} {
				got += map[bool]string{true: "+", false: "-"}[r.legal(c.space, size, align)]
			}
			got += " "
		}
		if got != c.want+" " {
			t.Errorf("%s, address space %d: got %s, expected %s", c.cpu, c.space, got, c.want)
		}
	}
}
