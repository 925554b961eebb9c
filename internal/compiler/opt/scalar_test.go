package opt_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// scalarPasses lists the pipelines that must preserve the behaviour of random
// functions.
var scalarPasses = []string{"instsimplify", "early-cse", "mem2reg,early-cse", "instcombine", "sroa,early-cse,instcombine,early-cse"}

// scalarTries returns the number of random modules of a test: GFX_OPT_TRIES, or
// some.
func scalarTries(some int) int {
	if n, err := strconv.Atoi(os.Getenv("GFX_OPT_TRIES")); err == nil {
		return n
	}
	return some
}

// scalarResults runs the test functions of a random module and returns a line
// for each.
func scalarResults(t *testing.T, m *ir.Module, n int) string {
	t.Helper()
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, _ := mc.Alloc(irrandom.InSize, 16)
	out, _ := mc.Alloc(irrandom.OutSize, 16)
	var lines strings.Builder
	ptr := func(x uint64) ireval.Value { return ireval.Value{Words: []uint64{x}, Taint: []uint8{0}} }
	for i := range n {
		for j := range mc.Bytes(in, irrandom.InSize) {
			mc.Bytes(in, irrandom.InSize)[j] = byte(j * 37)
		}
		clear(mc.Bytes(out, irrandom.OutSize))
		r, err := mc.Call(fmt.Sprintf("test%d", i), ptr(in), ptr(out))
		if err != nil {
			return fmt.Sprintf("test%d: %v", i, err)
		}
		unsure := r.Taint[0] != 0 || bytes.ContainsFunc(mc.Shadow(out, irrandom.OutSize), func(r rune) bool { return r != 0 })
		fmt.Fprintf(&lines, "%d %x %x %v\n", i, r.Words[0], mc.Bytes(out, irrandom.OutSize), unsure)
	}
	return lines.String()
}

// TestScalarRandom compares random functions before and after passes.
func TestScalarRandom(t *testing.T) {
	for seed := range scalarTries(40) {
		for _, passes := range scalarPasses {
			features := irrandom.All
			if seed%2 == 0 {
				features &^= irrandom.Irreducible
			}
			m := irrandom.Module(irrandom.Options{Seed: uint64(seed), Funcs: 2, Size: 40 + seed%60, Features: features})
			src := text.Print(m)
			want := scalarResults(t, m, 2)
			run(t, passes, m)
			if passes == "instcombine" {
				settles(t, seed, m)
			}
			if got := scalarResults(t, m, 2); got != want {
				t.Errorf("seed %d, %s:\n%s\nbefore:\n%s", seed, passes, got, want)
				if dir := os.Getenv("GFX_KEEP"); dir != "" {
					name := fmt.Sprintf("%s/%d", dir, seed)
					os.WriteFile(name+".before.ll", src, 0o666)
					os.WriteFile(name+".after.ll", text.Print(m), 0o666)
				}
			}
		}
	}
}

// settles checks that rules do not undo each other: repeated instcombine must
// soon reach a fixed point.
func settles(t *testing.T, seed int, m *ir.Module) {
	t.Helper()
	once := text.Print(m)
	for range 3 {
		run(t, "instcombine", m)
		twice := text.Print(m)
		if bytes.Equal(once, twice) {
			return
		}
		once = twice
	}
	t.Errorf("seed %d: instcombine never ends", seed)
}

// TestScalarLLVM counts the remaining instructions of the shared kernels and
// runs LLVM's verifier on them.
func TestScalarLLVM(t *testing.T) {
	names, sources := kernels(t, "ll-O0/*/*.ll", "ll-14/*/*.ll")
	for _, passes := range []string{"mem2reg,instsimplify", "mem2reg,early-cse", "mem2reg,instcombine,early-cse"} {
		ours, theirs, same := 0, 0, 0
		for i, src := range sources {
			if i%5 != 0 && os.Getenv("GFX_OPT_TRIES") == "" {
				continue // only as many as are fast
			}
			m := parse(t, "<stdin>", string(src))
			src = text.Print(m)
			run(t, passes, m)
			passtest.VerifyLLVM(t, names[i], m)
			passtest.DropNames(m)
			got, want := passtest.WithoutPreds(text.Print(m)), passtest.WithoutPreds(passtest.LLVMOpt(t, strings.ReplaceAll(passes, "instcombine", "instcombine<no-verify-fixpoint>"), src))
			if bytes.Equal(got, want) {
				same++
			} else if dir := os.Getenv("GFX_KEEP"); dir != "" {
				name := fmt.Sprintf("%s/%s.%d", dir, strings.ReplaceAll(passes, ",", "."), i)
				os.WriteFile(name+".gfx.ll", got, 0o666)
				os.WriteFile(name+".llvm.ll", want, 0o666)
			}
			ours, theirs = ours+countLines(got, "  "), theirs+countLines(want, "  ")
		}
		t.Logf("%s: %d of %d kernels the same, %d lines left, LLVM leaves %d", passes, same, len(names), ours, theirs)
		if ours*100 > theirs*105 {
			t.Errorf("%s: %d lines left, LLVM leaves %d", passes, ours, theirs)
		}
	}
}
