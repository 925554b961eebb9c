package analysis

import (
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// liveEvent is a use or definition in a node.
type liveEvent struct {
	x   uint32
	def bool
}

// liveAt determines by search whether a variable is live from event i of a node
// on.
func liveAt(g *Graph, events [][]liveEvent, atEnd []map[uint32]bool, x, node uint32, i int, seen map[uint32]bool) bool {
	for ; i < len(events[node]); i++ {
		if e := events[node][i]; e.x == x {
			return !e.def
		}
	}
	if atEnd[node][x] {
		return true
	}
	for _, s := range g.Succs(node) {
		if !seen[s] {
			seen[s] = true
			if liveAt(g, events, atEnd, x, s, 0, seen) {
				return true
			}
		}
	}
	return false
}

func TestLiveSetsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	l := &LiveSets{}
	for range 200 {
		g := randomGraph(r, 1+r.IntN(14), 1+r.IntN(3))
		vars := 1 + r.IntN(130)
		events := make([][]liveEvent, g.N()+1)
		atEnd := make([]map[uint32]bool, g.N()+1)
		l.Begin(g, vars)
		for n := uint32(1); n <= uint32(g.N()); n++ {
			atEnd[n] = map[uint32]bool{}
			for range r.IntN(8) {
				e := liveEvent{uint32(r.IntN(min(vars, 6))), r.IntN(3) == 0}
				if e.x == 5 {
					e.x = uint32(vars - 1)
				}
				events[n] = append(events[n], e)
				if e.def {
					l.Def(n, e.x)
				} else {
					l.Use(n, e.x)
				}
			}
			if r.IntN(4) == 0 {
				x := uint32(r.IntN(min(vars, 6)))
				atEnd[n][x] = true
				l.UseAtEnd(n, x)
			}
		}
		l.Solve()
		for n := uint32(1); n <= uint32(g.N()); n++ {
			for x := range uint32(vars) {
				in := liveAt(g, events, atEnd, x, n, 0, map[uint32]bool{})
				out := liveAt(g, events, atEnd, x, n, len(events[n]), map[uint32]bool{})
				if l.LiveIn(n).Has(x) != in || l.LiveOut(n).Has(x) != out {
					t.Fatalf("variable %d at node %d: live in %v, out %v, want %v, %v", x, n, l.LiveIn(n).Has(x), l.LiveOut(n).Has(x), in, out)
				}
			}
		}
	}
}

func TestLiveness(t *testing.T) {
	m := parse(t, `
define i32 @f(i1 %c, i32 %n, i32 %unused) {
entry:
  %a = add i32 %n, 1
  %local = add i32 %a, 1
  br label %loop
loop:
  %i = phi i32 [ %local, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %a, %body ]
  br i1 %c, label %body, label %out
body:
  %next = add i32 %i, %n
  br label %loop
out:
  ret i32 %s
}`)
	f := m.Global("f").Func
	v := values(f)
	l := NewLiveness(f, CFG(f))
	live := map[string][2][]string{ // block: live at its start, at its end
		"entry": {{}, {"c", "n", "a", "local"}},
		"loop":  {{"c", "n", "a"}, {"c", "n", "a", "i", "s"}},
		"body":  {{"c", "n", "a", "i"}, {"c", "n", "a", "next"}},
		"out":   {{"s"}, {}},
	}
	for block, want := range live {
		b := v[block].Block()
		for end, names := range want {
			set := l.LiveIn(uint32(b))
			if end == 1 {
				set = l.LiveOut(uint32(b))
			}
			if set.Count() != len(names) {
				t.Errorf("%s, end %d: %d values are live, want %v", block, end, set.Count(), names)
			}
			for _, name := range names {
				if in, out := l.IsLiveIn(v[name], b), l.IsLiveOut(v[name], b); end == 0 && !in || end == 1 && !out {
					t.Errorf("%s is not live in %s, end %d", name, block, end)
				}
			}
			for i := set.Next(0); i >= 0; i = set.Next(uint32(i) + 1) {
				if n, ok := l.Number(l.Value(uint32(i))); !ok || int(n) != i {
					t.Errorf("number %d is %d", i, n)
				}
			}
		}
	}
	if l.IsLiveIn(v["unused"], f.Entry()) || l.IsLiveOut(ir.None, f.Entry()) {
		t.Error("unused variable is live")
	}
}
