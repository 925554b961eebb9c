package opt

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestCanLoad checks for each load whether it is safe wherever the object
// exists; volatile loads are not.
func TestCanLoad(t *testing.T) {
	m, list := text.Parse("load.ll", []byte(`
target datalayout = "e-p5:32:32"
define void @f(i64 %n) {
  %o = alloca [4 x i32], align 16
  %all = load i128, ptr %o, align 16
  %last = getelementptr inbounds i32, ptr %o, i64 3
  %a = load i32, ptr %last, align 4
  %byteStep = getelementptr i8, ptr %last, i64 3
  %b = load i8, ptr %byteStep, align 1
  %end = getelementptr inbounds i32, ptr %o, i64 4
  %c = load volatile i32, ptr %end, align 4
  %d = load volatile i64, ptr %last, align 4
  %wraps = getelementptr inbounds i64, ptr %o, i64 2305843009213693952
  %e = load volatile i64, ptr %wraps, align 1
  %wrapsMore = getelementptr inbounds i64, ptr %o, i64 4611686018427387904
  %g = load volatile i64, ptr %wrapsMore, align 1
  %out = getelementptr inbounds i32, ptr %o, i64 100
  %back = getelementptr inbounds i32, ptr %out, i64 -100
  %h = load volatile i32, ptr %back, align 4
  %any = getelementptr inbounds i32, ptr %o, i64 %n
  %i = load volatile i32, ptr %any, align 4
  %odd = getelementptr i8, ptr %o, i64 1
  %j = load volatile i32, ptr %odd, align 4
  %s = alloca [4 x i32], align 16, addrspace(5)
  %there = getelementptr inbounds i32, ptr addrspace(5) %s, i32 3
  %k = load i32, ptr addrspace(5) %there, align 4
  %wraps32 = getelementptr inbounds i32, ptr addrspace(5) %s, i32 1073741824
  %l = load volatile i32, ptr addrspace(5) %wraps32, align 4
  ret void
}
`))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	f := m.Global("f").Func
	loads := 0
	for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
		if f.Op(v) != ir.OpLoad {
			continue
		}
		loads++
		want := !f.IsVolatile(v)
		if got := canLoad(f, f.Operand(v, 0), m.StoreSize(f.TypeOf(v)), f.Align(v)); got != want {
			t.Errorf("load of %%%s: %v, want %v", f.NameOf(f.Operand(v, 0)), got, want)
		}
	}
	if loads != 12 {
		t.Errorf("%d loads", loads)
	}
}
