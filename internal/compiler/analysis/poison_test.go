package analysis

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestPoisonAround queries values that depend on each other around a loop,
// through a freeze and a shift amount: the queries must terminate.
func TestPoisonAround(t *testing.T) {
	m, errs := text.Parse("around.ll", []byte(`
define i32 @f(i32 noundef %x, i1 %c) {
entry:
  br label %loop
loop:
  %p = phi i32 [ %x, %entry ], [ %s, %loop ]
  %f = freeze i32 %p
  %a = add i32 %f, 1
  %s = shl i32 1, %a
  br i1 %c, label %loop, label %done
done:
  ret i32 %s
}
`))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	f := m.Function("f")
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if frozen := f.Op(v) == ir.OpFreeze; f.TypeOf(v) == ir.I32 && NotPoison(f, v) != frozen && f.NameOf(v)[0] != 'a' {
				t.Errorf("%s: %v", f.NameOf(v), !frozen)
			}
			KnownBits(f, v)
		}
	}
}
