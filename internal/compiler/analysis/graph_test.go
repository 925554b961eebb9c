package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomGraph returns a graph of n nodes with about deg edges from each node.
// Some nodes may be unreachable or have no successor.
func randomGraph(r *rand.Rand, n, deg int) *Graph {
	succs := make([][]uint32, n+1)
	for i := 1; i <= n; i++ {
		for range r.IntN(deg + 1) {
			s := uint32(1 + r.IntN(n))
			if r.IntN(3) > 0 { // near targets form loop structures
				s = uint32(min(max(i-2+r.IntN(6), 1), n))
			}
			succs[i] = append(succs[i], s)
		}
	}
	return graphOf(succs)
}

func graphOf(succs [][]uint32) *Graph {
	return NewGraph(len(succs)-1, 1, func(n uint32, to []uint32) []uint32 { return append(to, succs[n]...) })
}

// reach returns the nodes that are reachable from some nodes without passing
// through one node, along edges or against them.
func reach(g *Graph, from []uint32, without uint32, against bool) []bool {
	seen := make([]bool, g.N()+1)
	var visit func(n uint32)
	visit = func(n uint32) {
		if n == without || seen[n] {
			return
		}
		seen[n] = true
		next := g.Succs(n)
		if against {
			next = g.Preds(n)
		}
		for _, s := range next {
			visit(s)
		}
	}
	for _, n := range from {
		visit(n)
	}
	return seen
}

func checkDominance(t *testing.T, g *Graph, d *DomTree) {
	t.Helper()
	all := reach(g, d.Roots(), 0, d.Post())
	for a := uint32(1); a <= uint32(g.N()); a++ {
		if d.Contains(a) != all[a] {
			t.Fatalf("Contains(%d) = %v", a, d.Contains(a))
		}
		left := reach(g, d.Roots(), a, d.Post())
		for b := uint32(1); b <= uint32(g.N()); b++ {
			want := !all[b] || all[a] && !left[b]
			if d.Dominates(a, b) != want {
				t.Fatalf("post %v: Dominates(%d, %d) = %v; succs %v", d.Post(), a, b, !want, g.succ)
			}
		}
	}
	seen := map[uint32]bool{0: true}
	for _, n := range d.PreOrder() {
		if !seen[d.IDom(n)] || n != d.PreOrder()[0] && d.Depth(n) != d.Depth(d.IDom(n))+1 {
			t.Fatalf("node %d precedes its dominator %d, or its depth %d is wrong", n, d.IDom(n), d.Depth(n))
		}
		if n != g.Entry() && !slices.Contains(d.Children(d.IDom(n)), n) {
			t.Fatalf("node %d is not a child of %d", n, d.IDom(n))
		}
		seen[n] = true
	}
}

func TestDominatorsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d, p := &DomTree{}, &DomTree{}
	for range 400 {
		g := randomGraph(r, 1+r.IntN(24), 1+r.IntN(3))
		d.Reset(g)
		checkDominance(t, g, d)
		p.ResetPost(g)
		checkDominance(t, g, p)
		if len(p.PreOrder()) != g.N() {
			t.Fatalf("post-dominator tree holds %d of %d nodes", len(p.PreOrder()), g.N())
		}
		for range 20 {
			a, b := uint32(1+r.IntN(g.N())), uint32(1+r.IntN(g.N()))
			if !d.Contains(a) || !d.Contains(b) {
				continue
			}
			c := d.Common(a, b)
			if !d.Dominates(c, a) || !d.Dominates(c, b) {
				t.Fatalf("Common(%d, %d) = %d", a, b, c)
			}
			for _, x := range d.Children(c) {
				if d.Dominates(x, a) && d.Dominates(x, b) {
					t.Fatalf("Common(%d, %d) = %d, but %d is nearer", a, b, c, x)
				}
			}
		}
	}
}

func TestEdgeDominance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		succs := make([][]uint32, 2+r.IntN(12))
		for i := range succs[1:] {
			for range r.IntN(3) {
				succs[i+1] = append(succs[i+1], uint32(1+r.IntN(len(succs)-1)))
			}
		}
		g := graphOf(succs)
		d := NewDomTree(g)
		for _, from := range g.RPO() {
			for k, to := range g.Succs(from) {
				// Put a node on the edge: it must dominate the same nodes as
				// the edge.
				n := uint32(len(succs))
				split := append(slices.Clone(succs), []uint32{to})
				split[from] = slices.Clone(succs[from])
				split[from][k] = n
				sd := NewDomTree(graphOf(split))
				for b := uint32(1); b < n; b++ {
					if g.Reachable(b) && d.DominatesEdge(from, to, b) != sd.Dominates(n, b) {
						t.Fatalf("DominatesEdge(%d, %d, %d) is not %v in %v", from, to, b, sd.Dominates(n, b), succs)
					}
				}
			}
		}
	}
}

func TestGraph(t *testing.T) {
	g := graphOf([][]uint32{nil, {2, 3, 3}, {4}, {4, 1}, {}, {4, 5}})
	if got := g.RPO(); !slices.Equal(got, []uint32{1, 3, 2, 4}) {
		t.Errorf("RPO is %v", got)
	}
	if got := g.Preds(4); !slices.Equal(got, []uint32{2, 3, 5}) {
		t.Errorf("Preds(4) is %v", got)
	}
	if got := g.Preds(3); !slices.Equal(got, []uint32{1, 1}) {
		t.Errorf("Preds(3) is %v", got)
	}
	if g.RPOIndex(5) != -1 || g.Reachable(5) || g.RPOIndex(3) != 1 {
		t.Error("wrong RPOIndex")
	}
	empty := NewGraph(0, 0, nil)
	if d := NewDomTree(empty); len(d.PreOrder()) != 0 {
		t.Error("tree of nothing")
	}
	if d := NewPostDomTree(empty); len(d.PreOrder()) != 0 {
		t.Error("post-dominator tree of nothing")
	}
}

func TestNoAllocationWhenReused(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	big := randomGraph(r, 300, 3)
	d, p, g := NewDomTree(big), NewPostDomTree(big), &Graph{}
	succs := func(n uint32, to []uint32) []uint32 { return append(to, big.Succs(n)...) }
	g.Reset(big.N(), 1, succs)
	if n := testing.AllocsPerRun(10, func() {
		g.Reset(big.N(), 1, succs)
		d.Reset(g)
		p.ResetPost(g)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
