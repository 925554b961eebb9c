package cycle

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// TestGenerate checks that tests are valid, different, without races, and
// reproducible, and that all parts of the language appear.
func TestGenerate(t *testing.T) {
	list, err := Generate(300, 7)
	if err != nil || len(list) != 300 {
		t.Fatalf("%d tests, %v", len(list), err)
	}
	fewer, err := Generate(20, 7)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Generate(20, 8)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range fewer {
		if fewer[i].String() != list[i].String() {
			t.Errorf("test %d differs:\n%s%s", i, fewer[i], list[i])
		}
		if fewer[i].String() == other[i].String() {
			same++
		}
	}
	if same == len(fewer) {
		t.Error("the seed has no effect")
	}
	var all strings.Builder
	names := map[string]bool{}
	for _, x := range list {
		text := x.String()
		all.WriteString(text)
		if names[x.Name] {
			t.Errorf("two tests %s", x.Name)
		}
		names[x.Name] = true
		y, err := litmus.Parse(&diag.Source{Name: x.Name, Text: []byte(text)})
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		r, err := model.Check(y)
		if err != nil || r.Verdict() != y.Expected || r.Racy != "" {
			t.Errorf("%v: %v, %v, %v\n%s", x.Name, r.Verdict(), r.Racy, err, text)
		}
	}
	for _, word := range []string{"local", "generic", "fence", "-one-as", "xchg", "add", "if", "seq_cst", "acq_rel", "system", "wavefront", "workgroup",
		"agent", "group 1", "wave 1", "expect holds", "expect fails", "Coe", "Fre", "Rfe"} {
		if !strings.Contains(all.String(), word) {
			t.Errorf("no test has %q", word)
		}
	}
	for _, n := range []int{0, MaxTests + 1} {
		if _, err := Generate(n, 1); err == nil {
			t.Errorf("%d tests are generated", n)
		}
	}
}

// TestShapes checks that the classic cycles occur, and that no sequentially
// consistent execution has the condition of a cycle.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var names []string
	for range 3000 {
		s := newShape(r, 2+r.IntN(3))
		names = append(names, s.name())
		if s.variables < 2 {
			t.Errorf("%s has %d variables", s.name(), s.variables)
		}
	}
	for name, want := range map[string]string{
		"MP": "PodWW-Rfe-PodRR-Fre", "SB": "PodWR-Fre-PodWR-Fre", "LB": "PodRW-Rfe-PodRW-Rfe", "R": "PodWW-Coe-PodWR-Fre", "S": "PodWW-Rfe-PodRW-Coe",
		"2+2W": "PodWW-Coe-PodWW-Coe", "WRC": "PodRW-Rfe-PodRR-Fre-Rfe", "ISA2": "PodWW-Rfe-PodRW-Rfe-PodRR-Fre", "RWC": "PodRR-Fre-PodWR-Fre-Rfe",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no cycle is %s, %s", want, name)
		}
	}
	for range 200 {
		b := newBuilder(r)
		x := b.build()
		makeSequential(x)
		result, err := model.Check(x)
		if err != nil {
			t.Fatal(err)
		}
		if result.Racy != "" || result.Verdict() != litmus.Fails {
			t.Errorf("%v: %v %v\n%s", x.Name, result.Verdict(), result.Racy, x)
		}
	}
}

// makeSequential sets the ordering seq_cst and the scope of the system in all statements.
func makeSequential(x *litmus.Test) {
	var visit func(list []litmus.Statement)
	visit = func(list []litmus.Statement) {
		for i := range list {
			if s := &list[i]; s.Action != litmus.If {
				s.Ordering, s.Scope, s.OneAS = litmus.SeqCst, litmus.System, false
			}
			visit(list[i].Then)
		}
	}
	for i := range x.Threads {
		visit(x.Threads[i].Body)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if _, err := Generate(100, 1); err != nil {
			b.Fatal(err)
		}
	}
}
