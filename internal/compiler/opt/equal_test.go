package opt_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// outcomeOf runs a test function and returns its result and output.
func outcomeOf(t *testing.T, m *ir.Module, name string, seed uint64) (string, error) {
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := mc.Alloc(irrandom.InSize, 16)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := mc.Alloc(irrandom.OutSize, 16)
	x := seed*0x9e3779b97f4a7c15 + 1
	for i := range mc.Bytes(in, irrandom.InSize) {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		mc.Bytes(in, irrandom.InSize)[i] = byte(x)
	}
	v, err := mc.Call(name, passtest.Word(in), passtest.Word(out))
	if err != nil {
		return "", err
	}
	return fmt.Sprint(v, bytes.Clone(mc.Bytes(out, irrandom.OutSize))), nil
}

// TestRandom compares random functions before and after passes.
func TestRandom(t *testing.T) {
	const funcs = 4
	for _, passes := range []string{"mem2reg", "sroa", "dce", "adce", "simplifycfg", "loop-simplify", "loop-simplify,lcssa", "sroa,loop-simplify,licm", "sroa,loop-simplify,lcssa,licm,simplifycfg", "sroa,simplifycfg<hoist-common-insts;sink-common-insts;no-keep-loops;switch-range-to-icmp;bonus-inst-threshold=8>,adce,simplifycfg"} {
		t.Run(strings.ReplaceAll(passes, ",", "+"), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(passtest.Tries(10)) {
				checkRandom(t, passes, irrandom.Options{Seed: seed, Funcs: funcs, Size: 40, Features: irrandom.All}, funcs)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// checkRandom creates a module, runs passes on it, and compares the behaviour
// of its functions.
func checkRandom(t *testing.T, passes string, o irrandom.Options, funcs int) {
	t.Helper()
	before := irrandom.Module(o)
	src := text.Print(before)
	after := parse(t, "random", string(src))
	run(t, passes, after)
	for i := range funcs {
		name := "test" + strconv.Itoa(i)
		for in := range uint64(3) {
			want, err := outcomeOf(t, before, name, in)
			if err != nil {
				t.Logf("seed %d: %s: %v", o.Seed, name, err)
				break // not supported by the evaluator
			}
			got, err := outcomeOf(t, after, name, in)
			if err != nil || got != want {
				t.Errorf("seed %d, passes %s: %s returns %s, %v; want %s", o.Seed, passes, name, got, err, want)
				return
			}
		}
	}
}
