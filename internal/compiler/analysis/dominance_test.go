package analysis

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

func parse(t testing.TB, src string) *ir.Module {
	t.Helper()
	m, diags := text.Parse("test.ll", []byte(src))
	if m == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	return m
}

// values returns the local values and blocks of a function by name.
func values(f *ir.Function) map[string]ir.Value {
	m := map[string]ir.Value{}
	for i := range f.NumArgs() {
		m[string(f.NameOf(f.Arg(i)))] = f.Arg(i)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		m[string(f.NameOf(b.Value()))] = b.Value()
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			m[string(f.NameOf(v))] = v
		}
	}
	return m
}

const dominanceText = `
define i32 @f(i1 %c, i32 %n) personality ptr null {
entry:
  %a = add i32 %n, 1
  %b = add i32 %a, 1
  br i1 %c, label %left, label %right
left:
  %l = invoke i32 @g() to label %join unwind label %pad
right:
  %r = add i32 %b, 2
  br label %join
join:
  %p = phi i32 [ %l, %left ], [ %r, %right ]
  %q = add i32 %p, 1
  ret i32 %q
pad:
  %lp = landingpad { ptr, i32 } cleanup
  ret i32 0
dead:
  %d = add i32 %n, 3
  br label %dead
}
declare i32 @g()
`

func TestInstructionDominance(t *testing.T) {
	m := parse(t, dominanceText)
	f := m.Global("f").Func
	v := values(f)
	d := NewDomTree(CFG(f))
	for _, c := range []struct {
		def, user string
		want      bool
	}{
		{"a", "b", true}, {"b", "a", false}, {"a", "a", false}, {"n", "a", true}, {"b", "q", true}, {"a", "p", true},
		{"r", "p", false}, {"l", "p", false}, {"l", "q", false}, {"l", "lp", false}, {"p", "q", true}, {"p", "p", false},
		{"d", "a", false}, {"a", "d", true}, {"r", "d", true}, {"d", "d", true}, {"b", "lp", true},
	} {
		if got := Dominates(d, f, v[c.def], v[c.user]); got != c.want {
			t.Errorf("%s dominates %s: %v", c.def, c.user, got)
		}
	}
	phi := v["p"]
	for i, want := range []bool{true, true} {
		def, _ := f.Incoming(phi, i)
		if DominatesUse(d, f, def, f.UseOf(phi, 2*i)) != want {
			t.Errorf("incoming value %d of the phi: not %v", i, want)
		}
	}
	if DominatesUse(d, f, v["l"], f.UseOf(phi, 2)) || DominatesUse(d, f, v["r"], f.UseOf(phi, 0)) {
		t.Error("values dominate the other's incoming block")
	}
}

func TestOrderFollowsChanges(t *testing.T) {
	m := parse(t, dominanceText)
	f := m.Global("f").Func
	v := values(f)
	d := NewDomTree(CFG(f))
	a, b := v["a"], v["b"]
	check := func(x, y ir.Value, want bool) {
		t.Helper()
		if Dominates(d, f, x, y) != want {
			t.Errorf("%d before %d is not %v", x, y, want)
		}
	}
	check(a, b, true)
	f.MoveBefore(b, a)
	check(a, b, false)
	n := f.NewInstr(ir.OpAdd, ir.I32, f.Arg(1), f.Arg(1))
	f.InsertBefore(n, b)
	check(n, b, true)
	check(b, n, false)
	f.Unlink(b)
	f.InsertAfter(b, a)
	check(a, b, true)
	check(n, a, true)
	f.Unlink(n)
	f.InsertAfter(n, b)
	check(b, n, true)
}
