package irrandom

import (
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// simplifyAll replaces all simplifiable instructions until none are left.
func simplifyAll(m *ir.Module) {
	for changed := true; changed; {
		changed = false
		eachInstr(m, func(f *ir.Function, v ir.Value) {
			if f.TypeOf(v) == ir.Void || !f.HasUses(v) {
				return
			}
			if s := simplify.Instr(f, v); s != ir.None && s != v {
				f.ReplaceUses(v, s)
				changed = true
			}
		})
	}
}

// TestSimplify compares the results of modules before and after simplification.
func TestSimplify(t *testing.T) {
	fails := func(m *ir.Module) bool {
		before := Run(m)
		if Failed(before) != nil {
			return false
		}
		simplifyAll(m)
		return Check(before, m) != ""
	}
	failed := 0
	for seed := range uint64(tries(60)) {
		o := Options{Seed: 7000 + seed, Profile: Profile(seed % 2), Funcs: 3, Features: All}
		m := Module(o)
		before := Run(m)
		src := text.Print(m)
		if err := Failed(before); err != nil {
			t.Fatalf("seed %d: %v", o.Seed, err)
		}
		simplifyAll(m)
		problem := Check(before, m)
		if problem == "" {
			continue
		}
		small := Reduce(src, 20*time.Second, fails)
		t.Errorf("seed %d: %s\n%s", o.Seed, problem, small)
		if failed++; failed == 4 {
			t.FailNow()
		}
	}
}
