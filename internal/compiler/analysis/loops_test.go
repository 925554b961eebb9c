package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naturalLoop returns the nodes of a header's loop by definition: the header
// and all nodes that reach a back edge without passing through the header.
func naturalLoop(d *DomTree, header uint32) []uint32 {
	g := d.Graph()
	var latches []uint32
	for _, p := range g.Preds(header) {
		if d.Contains(p) && d.Dominates(header, p) {
			latches = append(latches, p)
		}
	}
	if latches == nil {
		return nil
	}
	nodes := []uint32{header}
	for n, in := range reach(g, latches, header, true) {
		if in && g.Reachable(uint32(n)) {
			nodes = append(nodes, uint32(n))
		}
	}
	slices.Sort(nodes)
	return nodes
}

func TestLoopsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	d, l := &DomTree{}, &Loops{}
	for range 500 {
		g := randomGraph(r, 1+r.IntN(20), 1+r.IntN(3))
		d.Reset(g)
		l.Reset(d)
		found := 0
		for _, h := range g.RPO() {
			want := naturalLoop(d, h)
			if l.IsHeader(h) != (want != nil) {
				t.Fatalf("IsHeader(%d) is %v", h, want == nil)
			}
			if want == nil {
				continue
			}
			found++
			checkLoop(t, l, l.Of(h), want)
		}
		if l.N() != found {
			t.Fatalf("%d loops, want %d", l.N(), found)
		}
	}
}

func checkLoop(t *testing.T, l *Loops, loop uint32, want []uint32) {
	t.Helper()
	g := l.g
	blocks := l.Blocks(loop)
	if blocks[0] != l.Header(loop) || !slices.Equal(slices.Sorted(slices.Values(blocks)), want) {
		t.Fatalf("loop of %d is %v, want %v", l.Header(loop), blocks, want)
	}
	var exits, exiting []uint32
	for n := uint32(1); n <= uint32(g.N()); n++ {
		in := slices.Contains(want, n)
		if l.Contains(loop, n) != in {
			t.Fatalf("Contains(%d, %d) is %v", loop, n, !in)
		}
		leaves := slices.ContainsFunc(g.Succs(n), func(s uint32) bool { return !slices.Contains(want, s) })
		if in && leaves {
			exiting = append(exiting, n)
		}
		if !in && slices.ContainsFunc(g.Preds(n), func(p uint32) bool { return slices.Contains(want, p) }) {
			exits = append(exits, n)
		}
		if inner := l.Of(n); in && !l.ContainsLoop(loop, inner) || !in && inner != 0 && l.ContainsLoop(loop, inner) {
			t.Fatalf("node %d in loop %d, which is inside of %d", n, inner, loop)
		}
	}
	if got := l.Exits(loop, nil); !slices.Equal(slices.Sorted(slices.Values(got)), exits) {
		t.Fatalf("exits are %v, want %v", got, exits)
	}
	if got := l.Exiting(loop, nil); !slices.Equal(slices.Sorted(slices.Values(got)), exiting) {
		t.Fatalf("exiting nodes are %v, want %v", got, exiting)
	}
	seen := map[uint32]bool{}
	for _, n := range blocks {
		for _, p := range g.Preds(n) {
			if l.Contains(loop, p) && !l.IsHeader(n) && !seen[p] && !onCycle(l, p, n) {
				t.Fatalf("node %d of loop %v precedes its predecessor %d", n, blocks, p)
			}
		}
		seen[n] = true
	}
	if p := l.Parent(loop); p != 0 && (p >= loop || !l.Contains(p, l.Header(loop)) || l.Depth(p)+1 != l.Depth(loop)) {
		t.Fatalf("parent of loop %d is %d", loop, p)
	}
}

// onCycle reports whether an edge belongs to an irreducible cycle: it is
// backward in reverse post order.
func onCycle(l *Loops, from, to uint32) bool { return l.g.RPOIndex(from) >= l.g.RPOIndex(to) }

func TestLoopParts(t *testing.T) {
	// 1 -> 2 (preheader) -> 3 (header) -> 4 -> 3, 5 -> 6 (inner header, latch), 6 -> 3, 7
	g := graphOf([][]uint32{nil, {2, 8}, {3}, {4, 5}, {3}, {6}, {6, 3, 7}, {8}, {}})
	l := NewLoops(NewDomTree(g))
	outer, inner := l.Of(3), l.Of(6)
	if l.N() != 2 || outer != 1 || inner != 2 || l.Last(outer) != 2 || l.Parent(inner) != outer {
		t.Fatalf("%d loops, %d in %d", l.N(), inner, outer)
	}
	if got := l.Latches(outer, nil); !slices.Equal(got, []uint32{4, 6}) || l.Latch(outer) != 0 || l.Latch(inner) != 6 {
		t.Errorf("latches are %v", got)
	}
	if l.Preheader(outer) != 2 || l.Preheader(inner) != 5 || l.NodeDepth(6) != 2 || l.NodeDepth(4) != 1 || l.NodeDepth(7) != 0 {
		t.Errorf("preheaders are %d and %d", l.Preheader(outer), l.Preheader(inner))
	}
	g = graphOf([][]uint32{nil, {2, 3}, {2, 3}, {}})
	l.Reset(NewDomTree(g))
	if l.Predecessor(1) != 1 || l.Preheader(1) != 0 {
		t.Error("a node with two successors is a preheader")
	}
}

func TestLoopsDoNotAllocate(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(15, 16)), 300, 3)
	d := NewDomTree(g)
	l, c := NewLoops(d), NewCycles(g)
	if n := testing.AllocsPerRun(10, func() { l.Reset(d); c.ResetCycles(g) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
