package irrandom

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestLLVM optimizes modules of both kinds with LLVM. The results of functions
// without undefined behaviour must not change.
func TestLLVM(t *testing.T) {
	opt := oracle.Tool(t, "opt-22")
	for seed := range tries(4) {
		o := Options{Seed: 5000 + uint64(seed), Profile: Profile(seed % 2), Funcs: 20, Features: All}
		if o.Profile == AMDGPU {
			o.Features &^= Wide | Odd // amdgpu-promote-alloca creates invalid casts for them
		}
		m := Module(o)
		before := Run(m)
		if err := Failed(before); err != nil {
			t.Fatalf("seed %d: %v", o.Seed, err)
		}
		src := text.Print(m)
		passes := []string{"-O1", "-O2", "-O3"}[seed/2%3]
		out, stderr, exit := oracle.Run(t, src, time.Minute, opt, "-S", passes, "-verify-each", "-")
		if exit != 0 {
			t.Fatalf("seed %d: %s", o.Seed, stderr)
		}
		after, errs := text.Parse("llvm.ll", out)
		if errs.HasErrors() {
			t.Fatalf("seed %d: %v", o.Seed, errs)
		}
		if problem := Check(before, after); problem != "" {
			keep(t, fmt.Sprintf("llvm.%d.ll", o.Seed), src)
			keep(t, fmt.Sprintf("llvm.%d.out.ll", o.Seed), out)
			t.Errorf("seed %d, %s: %s", o.Seed, passes, problem)
		}
	}
}

// miscompile swaps the operands of subtractions. Tests must detect this
// miscompilation.
func miscompile(m *ir.Module) {
	eachInstr(m, func(f *ir.Function, v ir.Value) {
		if f.Op(v) == ir.OpSub {
			x, y := f.Operand(v, 0), f.Operand(v, 1)
			f.SetOperand(v, 0, y)
			f.SetOperand(v, 1, x)
		}
	})
}

// TestReduce detects a miscompilation and reduces the module.
func TestReduce(t *testing.T) {
	fails := func(m *ir.Module) bool {
		before := Run(m)
		if Failed(before) != nil {
			return false
		}
		miscompile(m)
		return Check(before, m) != ""
	}
	found := 0
	for seed := range uint64(20) {
		src := text.Print(Module(Options{Seed: seed, Profile: Profile(seed % 2), Features: All}))
		m, errs := text.Parse("random.ll", src)
		if errs.HasErrors() {
			t.Fatal(errs)
		}
		if !fails(m) {
			continue
		}
		found++
		small := Reduce(src, 10*time.Second, fails)
		m, _ = text.Parse("small.ll", small)
		if f := m.Function("test0"); f.CC.IsKernel() && f.NumArgs() > 3 {
			t.Errorf("seed %d: reduced to a kernel with %d parameters:\n%s", seed, f.NumArgs(), small)
		}
		if n := bytes.Count(small, []byte("\n  ")); n > 14 || !bytes.Contains(small, []byte("sub ")) {
			t.Errorf("seed %d: reduced to %d instructions:\n%s", seed, n, small)
		}
		if found == 2 {
			return
		}
	}
	t.Errorf("found in %d of 20 modules", found)
}
