package analysis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

func bruteFrontier(d *DomTree, n uint32) []uint32 {
	var list []uint32
	for y := uint32(1); y <= uint32(d.g.N()); y++ {
		for _, p := range d.backward(y) {
			if d.Contains(n) && d.Contains(y) && d.Contains(p) && d.Dominates(n, p) && !d.StrictlyDominates(n, y) {
				list = append(list, y)
				break
			}
		}
	}
	return list
}

func bruteIterated(d *DomTree, defs []uint32) []uint32 {
	in := make([]bool, d.g.N()+1)
	work := slices.Clone(defs)
	var list []uint32
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		for _, y := range bruteFrontier(d, n) {
			if !in[y] {
				in[y] = true
				list = append(list, y)
				work = append(work, y)
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestFrontiersAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	d, fr := &DomTree{}, &Frontiers{}
	for i := range 400 {
		g := randomGraph(r, 1+r.IntN(20), 1+r.IntN(3))
		if i&1 == 0 {
			d.Reset(g)
		} else {
			d.ResetPost(g)
		}
		fr.Reset(d)
		for n := uint32(1); n <= uint32(g.N()); n++ {
			if got, want := fr.Of(n), bruteFrontier(d, n); !slices.Equal(got, want) {
				t.Fatalf("frontier of %d is %v, want %v", n, got, want)
			}
		}
		for range 5 {
			var defs []uint32
			for range 1 + r.IntN(4) {
				defs = append(defs, uint32(1+r.IntN(g.N())))
			}
			got := fr.Iterated(defs, nil, nil)
			slices.Sort(got)
			if want := bruteIterated(d, defs); !slices.Equal(got, want) {
				t.Fatalf("post %v: iterated frontier of %v is %v, want %v", d.Post(), defs, got, want)
			}
		}
	}
}

func TestIteratedLive(t *testing.T) {
	g := graphOf([][]uint32{nil, {2, 3}, {4}, {4}, {5, 1}, {}})
	fr := NewFrontiers(NewDomTree(g))
	if got := fr.Iterated([]uint32{2}, nil, nil); !slices.Equal(got, []uint32{1, 4}) {
		t.Errorf("iterated frontier is %v", got)
	}
	if got := fr.Iterated([]uint32{2}, func(n uint32) bool { return n != 1 }, nil); !slices.Equal(got, []uint32{4}) {
		t.Errorf("pruned iterated frontier is %v", got)
	}
}

// randomFunction returns a function of n blocks with random edges; its blocks
// define nothing.
func randomFunction(t *testing.T, r *rand.Rand, n int) *ir.Function {
	t.Helper()
	var s strings.Builder
	s.WriteString("define void @f(i1 %c) {\nentry:\n  br label %b1\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&s, "b%d:\n", i)
		a, b := 1+r.IntN(n), min(max(i-2+r.IntN(5), 1), n)
		switch r.IntN(5) {
		case 0:
			s.WriteString("  ret void\n")
		case 1:
			fmt.Fprintf(&s, "  br label %%b%d\n", a)
		default:
			fmt.Fprintf(&s, "  br i1 %%c, label %%b%d, label %%b%d\n", a, b)
		}
	}
	s.WriteString("}\n")
	return parse(t, s.String()).Global("f").Func
}

// TestSSAUpdater defines a value in random blocks. It compares the updater's
// value at the end of each block with the definitions that reach the block on
// random walks.
func TestSSAUpdater(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	u := &SSAUpdater{}
	for range 200 {
		f := randomFunction(t, r, 2+r.IntN(12))
		u.Begin(f, ir.I32, []byte("v"))
		def := map[ir.Block]ir.Value{}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			if r.IntN(3) == 0 || b == f.Entry() {
				def[b] = f.Module().NewInt(ir.I32, uint64(b)+100)
				u.Define(b, def[b])
			}
		}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			u.AtEnd(b)
		}
		checkWalks(t, r, f, u, def)
		checkNoTrivialPhi(t, f, u)
	}
}

// checkWalks walks through the function at random and evaluates phis on entry
// to each block.
func checkWalks(t *testing.T, r *rand.Rand, f *ir.Function, u *SSAUpdater, def map[ir.Block]ir.Value) {
	t.Helper()
	for range 20 {
		at, from := f.Entry(), ir.Block(0)
		now, phis := ir.None, map[ir.Value]ir.Value{}
		for range 30 {
			next := map[ir.Value]ir.Value{}
			for v := f.First(at); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
				in := f.PhiValue(v, from)
				if x, ok := phis[in]; ok {
					in = x
				}
				next[v] = in
			}
			for v, x := range next {
				phis[v] = x
			}
			if def[at] != ir.None {
				now = def[at]
			}
			got := u.AtEnd(at)
			if x, ok := phis[got]; ok {
				got = x
			}
			if got != now {
				t.Fatalf("value at the end of block %d is wrong", at)
			}
			succs := f.Successors(at)
			if len(succs) == 0 {
				break
			}
			at, from = succs[r.IntN(len(succs))].Value.Block(), at
		}
	}
}

func checkNoTrivialPhi(t *testing.T, f *ir.Function, u *SSAUpdater) {
	t.Helper()
	g := CFG(f)
	for _, phi := range u.Phis() {
		if !g.Reachable(uint32(f.Parent(phi))) {
			continue
		}
		other := map[ir.Value]bool{}
		for i := range f.NumIncoming(phi) {
			if v, b := f.Incoming(phi, i); v != phi && g.Reachable(uint32(b)) {
				other[v] = true
			}
		}
		unreachable := slices.ContainsFunc(g.Preds(uint32(f.Parent(phi))), func(p uint32) bool { return !g.Reachable(p) })
		if len(other) < 2 && !unreachable {
			t.Fatalf("phi %d has only %d different values", phi, len(other))
		}
	}
}

func TestSSAUpdaterRewrite(t *testing.T) {
	m := parse(t, `
define i32 @f(i1 %c, i32 %x) {
entry:
  br label %loop
loop:
  %i = add i32 %x, 1
  br i1 %c, label %loop, label %out
out:
  ret i32 %x
}`)
	f := m.Global("f").Func
	v := values(f)
	u := &SSAUpdater{}
	u.Begin(f, ir.I32, []byte("x"))
	u.Define(f.Entry(), v["x"])
	u.Define(v["loop"].Block(), v["i"])
	u.RewriteUse(f.UseOf(v["i"], 0))
	ret := f.Terminator(v["out"].Block())
	u.RewriteUse(f.UseOf(ret, 0))
	phi := f.Operand(v["i"], 0)
	if f.Op(phi) != ir.OpPhi || f.PhiValue(phi, f.Entry()) != v["x"] || f.PhiValue(phi, v["loop"].Block()) != v["i"] {
		t.Error("no phi in the loop")
	}
	if f.Operand(ret, 0) != v["i"] {
		t.Error("the result is not the last definition")
	}
}
