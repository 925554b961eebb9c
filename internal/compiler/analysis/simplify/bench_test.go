package simplify

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// benchModule returns a module of random functions.
func benchModule(b testing.TB, n int) *ir.Module {
	g := &exprGen{gen: gen{rand.New(rand.NewPCG(7, 8))}, decls: map[string]bool{}}
	var src strings.Builder
	src.WriteString(header)
	for i := range n {
		src.WriteString(g.function("f" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)))
	}
	for d := range g.decls {
		src.WriteString(d + "\n")
	}
	m, errs := text.Parse("bench.ll", []byte(src.String()))
	if errs != nil {
		b.Fatal(errs)
	}
	return m
}

// simplifyAll simplifies all instructions without changing the module and
// counts the results.
func simplifyAll(m *ir.Module) (n int) {
	for _, g := range m.Globals() {
		f := g.Func
		if f == nil {
			continue
		}
		for blk := f.Entry(); blk != 0; blk = f.NextBlock(blk) {
			for v := f.First(blk); v != ir.None; v = f.Next(v) {
				Instr(f, v)
				n++
			}
		}
	}
	return n
}

func BenchmarkInstr(b *testing.B) {
	m := benchModule(b, 300)
	n := simplifyAll(m)
	b.ReportAllocs()
	for b.Loop() {
		simplifyAll(m)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
}

// TestNoAllocation checks that repeated simplification allocates almost
// nothing.
func TestNoAllocation(t *testing.T) {
	m := benchModule(t, 200)
	n := simplifyAll(m)
	if a := testing.AllocsPerRun(5, func() { simplifyAll(m) }); a > float64(n)/5 {
		t.Errorf("%v allocations for %d instructions", a, n)
	}
}
