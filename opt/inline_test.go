package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// callChain is a module of n functions, each of which calls the one before twice where that is not too much, and a kernel.
func callChain(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "define internal i32 @f%d(i32 %%x, ptr addrspace(1) noalias %%p) alwaysinline {\nentry:\n  %%a = alloca i32, align 4, addrspace(5)\n  store i32 %%x, ptr addrspace(5) %%a\n", i)
		s.WriteString("  %c = icmp eq i32 %x, 7\n  br i1 %c, label %yes, label %no\nyes:\n")
		if i%8 != 0 {
			fmt.Fprintf(&s, "  %%r = call i32 @f%d(i32 %%x, ptr addrspace(1) %%p)\n", i-1)
		} else {
			s.WriteString("  %r = load i32, ptr addrspace(1) %p\n")
		}
		s.WriteString("  store i32 %r, ptr addrspace(1) %p\n  br label %no\nno:\n  %q = phi i32 [ %r, %yes ], [ 1, %entry ]\n  %y = load i32, ptr addrspace(5) %a\n  %z = add i32 %q, %y\n  ret i32 %z\n}\n")
	}
	s.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n")
	for i := 7; i < n; i += 8 {
		fmt.Fprintf(&s, "  %%r%d = call i32 @f%d(i32 %d, ptr addrspace(1) %%p)\n", i, i, i)
	}
	s.WriteString("  ret void\n}\n")
	return s.String()
}

func BenchmarkInline(b *testing.B) {
	src := callChain(400)
	p := pipeline(b, "always-inline")
	ctx := &Context{}
	b.ReportAllocs()
	instrs := 0
	for range b.N {
		b.StopTimer()
		m := parse(b, "chain.ll", src)
		b.StartTimer()
		if err := p.Run(ctx, m); err != nil {
			b.Fatal(err)
		}
		instrs = m.Function("k").NumValues()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(instrs), "ns/value")
}

// TestInlineRefuses checks that what cannot be inlined stays, and what is said of it.
func TestInlineRefuses(t *testing.T) {
	const src = `
define internal void @rec(i32 %x) alwaysinline { 
  call void @rec(i32 %x)
  ret void
}
define internal void @va(...) alwaysinline { 
  ret void
}
define internal void @strict() alwaysinline strictfp {
  ret void
}
define internal void @no() noinline { 
  ret void
}
define internal void @ind(ptr %p) alwaysinline {
  indirectbr ptr %p, [label %x]
x:
  ret void
}
define internal void @bundle() alwaysinline { 
  ret void
}
define void @caller(ptr %p) {
  call void @rec(i32 1)
  call void (...) @va()
  call void @strict()
  call void @no()
  call void @ind(ptr %p)
  call void @bundle() [ "deopt"(i32 1) ]
  call void %p()
  ret void
}`
	m := parse(t, "refuse.ll", src)
	var said []string
	ctx := &Context{VerifyEach: checkModule, Remark: func(r Remark) { said = append(said, r.Message) }}
	if err := pipeline(t, "inline").Run(ctx, m); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"'rec' not inlined into 'caller': callee is recursive", "varargs", "strictfp", "noinline function attribute",
		"indirectbr", "operand bundle 'deopt'"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing said of %s:\n%s", want, all)
		}
	}
	calls := 0
	f := m.Function("caller")
	for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
		if f.Op(v) == ir.OpCall {
			calls++
		}
	}
	if calls != 7 {
		t.Errorf("%d calls are left, not 7", calls)
	}
}
