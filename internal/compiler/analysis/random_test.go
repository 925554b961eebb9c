package analysis

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// randomModules calls check with random AMDGPU modules that have been printed
// and parsed.
func randomModules(t *testing.T, n int, check func(m *ir.Module, src []byte)) {
	t.Helper()
	for seed := range tries(t, n) {
		var s bytes.Buffer
		made := irrandom.Module(irrandom.Options{Seed: uint64(seed) + 1, Profile: irrandom.AMDGPU, Funcs: 5, Size: 60, Features: ^irrandom.Feature(0)})
		if err := text.Fprint(&s, made); err != nil {
			t.Fatal(err)
		}
		check(parse(t, s.String()), s.Bytes())
		if t.Failed() {
			t.Fatalf("seed %d", seed+1)
		}
	}
}

func TestRandomModulesAgainstLLVM(t *testing.T) {
	tally := &aliasTally{}
	values := 0
	randomModules(t, 2, func(m *ir.Module, src []byte) {
		checkShapes(t, m, src)
		n, _ := checkUniformity(t, m, src, "gfx900")
		values += n
		checkAlias(t, m, src, tally)
	})
	t.Logf("%d values; %v", values, tally)
	if tally.noAliasBoth*100 < tally.noAlias*97 {
		t.Errorf("much weaker than LLVM: %v", tally)
	}
}

// allAnalyses runs all analyses on a function.
func allAnalyses(f *ir.Function) {
	g := CFG(f)
	d := NewDomTree(g)
	NewPostDomTree(g)
	NewLoops(d)
	c := NewCycles(g)
	NewFrontiers(d).Of(g.Entry())
	NewUniformity(f, d, c, 64)
	a := NewAlias(f)
	var last Location
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			KnownBits(f, v)
			SignBits(f, v)
			NotPoison(f, v)
			NonZero(f, v)
			if l, ok := a.LocationOf(v); ok {
				a.Alias(l, last)
				a.PointsToConstant(l)
				last = l
			}
			if last.Ptr != ir.None {
				a.ModRef(v, last)
			}
			for i, o := range f.Operands(v) {
				if o.Value != ir.None && !o.Value.IsBlock() && !o.Value.IsMetadata() {
					Dominates(d, f, o.Value, v)
					DominatesUse(d, f, o.Value, f.UseOf(v, i))
				}
			}
		}
	}
}

// TestAllModules runs all analyses on all available modules; none may crash or
// hang.
func TestAllModules(t *testing.T) {
	for _, path := range append(sharedModules(t, "kernels/ll/gfx1030", "kernels/ll-O0/gfx900", "kernels/ll-14/gfx900"), testdataModules(t)...) {
		m, _ := readModule(t, path)
		for _, f := range definitions(m) {
			allAnalyses(f)
		}
	}
}

// testdataModules returns the modules that the tests of package ir/text read.
func testdataModules(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../../ir/text/testdata/llvm/*.ll")
	if err != nil || len(list) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	return list
}

// TestBigFunctions checks that time grows linearly with the function size: long
// chains of branches, deep loop nests, many loops in one loop, and many
// SSAUpdater definitions.
func TestBigFunctions(t *testing.T) {
	const n = 3000
	chain, nest, flat := make([][]uint32, 3*n+2), make([][]uint32, 2*n+2), make([][]uint32, 2*n+3)
	for i := range uint32(n) {
		b := 3*i + 1
		chain[b], chain[b+1], chain[b+2] = []uint32{b + 1, b + 3}, []uint32{b + 2, b + 3}, []uint32{b + 3}
		nest[i+1] = []uint32{i + 2}
		nest[n+1+i] = []uint32{n - i, n + 2 + i}
		flat[2*i+1], flat[2*i+2] = []uint32{2*i + 2}, []uint32{2*i + 2, 2*i + 3}
	}
	flat[2*n+1] = []uint32{1, 2*n + 2}
	for name, succs := range map[string][][]uint32{"chain": chain, "nest": nest, "flat": flat} {
		g := graphOf(succs)
		start := time.Now()
		d := NewDomTree(g)
		p := NewPostDomTree(g)
		l, c := NewLoops(d), NewCycles(g)
		if len(d.PreOrder()) != g.N() || len(p.PreOrder()) != g.N() || l.N() != c.N() {
			t.Errorf("%s: %d of %d nodes dominated, %d loops, %d cycles", name, len(d.PreOrder()), g.N(), l.N(), c.N())
		}
		if want := map[string]int{"chain": 0, "nest": n, "flat": n + 1}[name]; l.N() != want {
			t.Errorf("%s: %d loops, want %d", name, l.N(), want)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestManyDivergentBranches builds a long chain of divergent branches:
// uniformity must not examine the whole function for each branch.
func TestManyDivergentBranches(t *testing.T) {
	var s strings.Builder
	s.WriteString("define void @f(i1 %c, i32 %x) {\nb0:\n  br label %b1\n")
	const n = 4000
	for i := 1; i < n; i++ {
		fmt.Fprintf(&s, "b%d:\n  br i1 %%c, label %%t%d, label %%b%d\nt%d:\n  br label %%b%d\n", i, i, i+1, i, i+1)
	}
	fmt.Fprintf(&s, "b%d:\n  ret void\n}\n", n)
	f := parse(t, s.String()).Global("f").Func
	g := CFG(f)
	start := time.Now()
	u := NewUniformity(f, NewDomTree(g), NewCycles(g), 64)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	count := 0
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if u.DivergentBranch(b) {
			count++
		}
	}
	if count != n-1 {
		t.Errorf("%d divergent branches", count)
	}
}
