package passtest

import (
	"os"
	"strconv"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// Parse parses a module.
func Parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	m, errs := text.Parse(name, []byte(src))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Target returns a target; "" means none.
func Target(t testing.TB, cpu string) *target.Target {
	t.Helper()
	if cpu == "" {
		return nil
	}
	tg, err := target.New("", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// Pipeline parses a pipeline of passes from a list.
func Pipeline(t testing.TB, list []opt.Pass, passes string) opt.Pipeline {
	t.Helper()
	p, err := opt.ParsePipeline(list, passes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// CheckModule checks the invariants that hold after each pass.
func CheckModule(m *ir.Module) error {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run runs passes of a list on a module and checks it after each one.
func Run(t testing.TB, list []opt.Pass, passes string, m *ir.Module) {
	t.Helper()
	RunFor(t, list, passes, m, nil)
}

// RunFor is Run for a target.
func RunFor(t testing.TB, list []opt.Pass, passes string, m *ir.Module, tg *target.Target) {
	t.Helper()
	ctx := &opt.Context{Target: tg, VerifyEach: CheckModule, VerifyFunction: (*ir.Function).CheckLinks}
	if err := Pipeline(t, list, passes).Run(ctx, m); err != nil {
		if e, ok := err.(*opt.Error); ok && e.Stack != nil {
			t.Logf("%s", e.Stack)
		}
		t.Fatal(err)
	}
}

// Tries returns the number of random modules that a test uses.
func Tries(n int) int {
	if k, err := strconv.Atoi(os.Getenv("GFX_OPT_TRIES")); err == nil {
		return k
	}
	return n
}

// Word returns a known value of one word.
func Word(x uint64) ireval.Value { return ireval.Value{Words: []uint64{x}, Taint: []uint8{0}} }

// CallWords calls a function on integers of at most 64 bits.
func CallWords(t *testing.T, m *ir.Module, name string, args ...uint64) (ireval.Value, error) {
	t.Helper()
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []ireval.Value
	for _, a := range args {
		list = append(list, ireval.Value{Words: []uint64{a}, Taint: []uint8{0}})
	}
	return mc.Call(name, list...)
}
