package opt_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
)

// instrCount counts the instructions of a module.
func instrCount(m *ir.Module) (n int) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		for b := g.Func.Entry(); b != 0; b = g.Func.NextBlock(b) {
			for v := g.Func.First(b); v != ir.None; v = g.Func.Next(v) {
				n++
			}
		}
	}
	return n
}

// BenchmarkPasses runs passes on the largest kernels, both unoptimized and
// after the passes that usually precede them.
func BenchmarkPasses(b *testing.B) {
	dir := oracle.Shared(b, "kernels")
	for _, file := range []string{"ll-O0/gfx900/noinline_calls.ll", "ll-14/gfx900/private_array.ll"} {
		src, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			b.Fatal(err)
		}
		src = bytes.ReplaceAll(src, []byte(" optnone"), nil)
		for _, c := range []struct{ before, pass string }{
			{"", "dce"}, {"", "mem2reg"}, {"", "sroa"}, {"", "simplifycfg"}, {"sroa", "simplifycfg"}, {"sroa", "adce"},
			{"sroa,simplifycfg", "loop-simplify"}, {"sroa,simplifycfg,loop-simplify", "licm"},
		} {
			b.Run(filepath.Base(file)+"/"+c.before+">"+c.pass, func(b *testing.B) {
				p := pipeline(b, c.pass)
				ctx := &opt.Context{}
				instrs := 0
				b.ReportAllocs()
				for range b.N {
					b.StopTimer()
					m := parse(b, "bench.ll", string(src))
					if c.before != "" {
						run(b, c.before, m)
					}
					instrs += instrCount(m)
					b.StartTimer()
					if err := p.Run(ctx, m); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(instrs), "ns/instr")
			})
		}
	}
}
