package analysis

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// biggest returns the function with the most values in the shared kernels.
func biggest(b *testing.B) *ir.Function {
	var best *ir.Function
	for _, path := range sharedModules(b, "kernels/ll/gfx900", "kernels/ll-O0/gfx900") {
		m, _ := readModule(b, path)
		for _, f := range definitions(m) {
			if best == nil || f.NumBlocks()*f.NumValues() > best.NumBlocks()*best.NumValues() {
				best = f
			}
		}
	}
	b.Logf("%s: %d blocks, %d values", best.Name(), best.NumBlocks(), best.NumValues())
	b.ReportAllocs()
	b.ResetTimer()
	return best
}

func BenchmarkDomTree(b *testing.B) {
	f := biggest(b)
	g, d, p := &Graph{}, &DomTree{}, &DomTree{}
	for b.Loop() {
		g.ResetCFG(f)
		d.Reset(g)
		p.ResetPost(g)
	}
}

func BenchmarkLoops(b *testing.B) {
	f := biggest(b)
	g := CFG(f)
	d := NewDomTree(g)
	l, c := &Loops{}, &Loops{}
	for b.Loop() {
		l.Reset(d)
		c.ResetCycles(g)
	}
}

func BenchmarkUniformity(b *testing.B) {
	f := biggest(b)
	g := CFG(f)
	d, c := NewDomTree(g), NewCycles(g)
	u := &Uniformity{}
	for b.Loop() {
		u.Reset(f, d, c, 64)
	}
}

func BenchmarkAlias(b *testing.B) {
	f := biggest(b)
	a := NewAlias(f)
	var list []Location
	for blk := f.Entry(); blk != 0; blk = f.NextBlock(blk) {
		for v := f.First(blk); v != ir.None; v = f.Next(v) {
			if l, ok := a.LocationOf(v); ok && len(list) < 64 {
				list = append(list, l)
			}
		}
	}
	n := 0
	b.ResetTimer()
	for b.Loop() {
		a.Alias(list[n%len(list)], list[(n/len(list)+n)%len(list)])
		n++
	}
}

func BenchmarkKnownBits(b *testing.B) {
	f := biggest(b)
	v := ir.Value(1)
	for b.Loop() {
		if v++; int(v) >= f.NumValues() {
			v = 1
		}
		KnownBits(f, v)
	}
}
