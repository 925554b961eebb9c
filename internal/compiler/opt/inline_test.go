package opt_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// callChain returns a module of n functions and a kernel. Each function calls
// the previous one, twice if that is not too much.
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
	ctx := &opt.Context{}
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

// TestInlineRefuses checks that calls that cannot be inlined are kept, and
// checks the remarks about them.
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
	ctx := &opt.Context{VerifyEach: passtest.CheckModule, Remark: func(r opt.Remark) { said = append(said, r.Message) }}
	if err := pipeline(t, "inline").Run(ctx, m); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"'rec' not inlined into 'caller': callee is recursive", "varargs", "strictfp", "noinline function attribute",
		"indirectbr", "operand bundle 'deopt'"} {
		if !strings.Contains(all, want) {
			t.Errorf("no remark about %s:\n%s", want, all)
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

// inlineCase is a module and the expected decision for the only call of @k.
type inlineCase struct {
	name, src, cpu string
	inlined        bool
}

// callSquare returns a module in which @k calls @f or an alias of it, with the
// given attributes and additional lines.
func callSquare(callee, attrsF, attrsK, more string) string {
	return fmt.Sprintf(`define internal i32 @f(i32 %%x) %s {
  %%y = mul i32 %%x, %%x
  ret i32 %%y
}
define void @k(ptr addrspace(1) %%p, i32 %%n) %s {
  %%r = call i32 @%s(i32 %%n)
  store i32 %%r, ptr addrspace(1) %%p
  ret void
}
%s
`, attrsF, attrsK, callee, more)
}

// features returns the attributes of a function for a processor.
func features(cpu, list string) string {
	return fmt.Sprintf(`"target-cpu"=%q "target-features"=%q`, cpu, list)
}

var inlineCases = []inlineCase{
	{"implied feature", callSquare("f", features("gfx900", "+16-bit-insts,+image-insts"), features("gfx900", "+16-bit-insts"), ""), "", true},
	{"features in another order", callSquare("f", features("gfx906", "+dot1-insts,+dl-insts"), features("gfx906", "+dl-insts"), ""), "", true},
	{"feature of the other name of the processor", callSquare("f", features("fiji", "+dpp"), features("gfx803", ""), ""), "", true},
	{"processor of the context", callSquare("f", features("gfx900", "+dpp"), "", ""), "gfx900", true},
	{"ignored feature", callSquare("f", features("gfx90a", "+xnack"), features("gfx90a", "-xnack"), ""), "", true},
	{"missing feature", callSquare("f", features("gfx900", "+dot1-insts"), features("gfx900", ""), ""), "", false},
	{"feature switched off", callSquare("f", features("gfx906", ""), features("gfx906", "-dl-insts"), ""), "", false},
	{"other wave size", callSquare("f", features("gfx1030", "+wavefrontsize32"), features("gfx1030", "+wavefrontsize64"), ""), "", false},
	{"other processor", callSquare("f", features("gfx906", ""), features("gfx900", ""), ""), "", false},

	{"alias", callSquare("a", "", "", "@a = internal alias i32 (i32), ptr @f"), "", true},
	{"external alias", callSquare("a", "", "", "@a = alias i32 (i32), ptr @f"), "", true},
	{"alias of an alias", callSquare("b", "", "", "@b = internal alias i32 (i32), ptr @a\n@a = internal alias i32 (i32), ptr @f"), "", true},
	{"weak alias", callSquare("a", "", "", "@a = weak alias i32 (i32), ptr @f"), "", false},
	{"alias of another type", callSquare("a", "", "", "@a = internal alias float (float), ptr @f"), "", true},
}

// TestInlineCases checks which calls are inlined, and that the resulting
// modules are valid.
func TestInlineCases(t *testing.T) {
	for _, x := range inlineCases {
		t.Run(x.name, func(t *testing.T) {
			m := parse(t, "k.ll", x.src)
			runFor(t, "inline", m, passtest.Target(t, x.cpu))
			f := m.Function("k")
			if got := f.CalledFunction(f.First(f.Entry())) == nil && f.Op(f.First(f.Entry())) != ir.OpCall; got != x.inlined {
				t.Errorf("inlined: %v, want %v\n%s", got, x.inlined, text.Print(m))
			}
			accepted(t, m)
		})
	}
}

// accepted checks that a module can be parsed from its text, by LLVM too if it
// is installed.
func accepted(t *testing.T, m *ir.Module) {
	t.Helper()
	out := text.Print(m)
	if list := verify.Module(parse(t, "out.ll", string(out))); len(list) > 0 {
		t.Errorf("%s\n%s", list[0].String(), out)
	}
	if _, ok := oracle.Find("llvm-as-22"); !ok && os.Getenv("GFX_ORACLE") != "require" {
		return
	}
	if _, stderr, exit := oracle.Run(t, out, time.Minute, "llvm-as-22", "-o", os.DevNull, "-"); exit != 0 {
		t.Errorf("llvm-as-22: %s\n%s", stderr, out)
	}
}

// TestInlineThreshold determines the maximum size of a callee with one block:
// one and a half times the threshold, 743 instructions, plus accesses of its
// own memory, which are free.
func TestInlineThreshold(t *testing.T) {
	const add, own = "  %%x%d = add i32 %%x%d, %%n\n", "  store volatile i32 %%n, ptr addrspace(5) %%a ; %d %d\n"
	for _, c := range []struct {
		name, line string
		count      int
		want       bool
	}{
		{"cheap", add, 700, true},
		{"too long", add, 1000, false},
		{"accesses of its own memory", strings.Replace(own, "volatile ", "", 1), 2000, true},
		{"volatile accesses of its own memory", own, 1000, false},
	} {
		var s strings.Builder
		s.WriteString("target triple = \"amdgcn-amd-amdhsa\"\ndefine i32 @f(i32 %x0, i32 %n) {\n  %a = alloca i32, addrspace(5)\n")
		last := 0
		for i := range c.count {
			fmt.Fprintf(&s, c.line, i+1, i)
			if c.line == add {
				last = i + 1
			}
		}
		fmt.Fprintf(&s, "  ret i32 %%x%d\n}\ndefine i32 @k(i32 %%x, i32 %%y) {\n  %%r = call i32 @f(i32 %%x, i32 %%y)\n  ret i32 %%r\n}\n", last)
		m := parse(t, "threshold.ll", s.String())
		if err := pipeline(t, "inline").Run(&opt.Context{}, m); err != nil {
			t.Fatal(err)
		}
		if got := m.Function("k").NumValues() > c.count/2; got != c.want {
			t.Errorf("%s: inlined %t, want %t", c.name, got, c.want)
		}
	}
}

// TestInlineAccepted covers cases whose output LLVM once rejected; they are
// inlined or refused.
func TestInlineAccepted(t *testing.T) {
	for _, src := range []string{`
define internal i32 @f(i32 %x) alwaysinline {
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 %x) [ "deopt"(i32 %x) ]
  ret i32 %r
}
define void @k(ptr %p) {
  %r = call i32 @f(i32 5)
  store i32 %r, ptr %p
  ret void
}
declare i32 @llvm.experimental.deoptimize.i32(...)
`, `
define internal void @f(ptr %q) {
  %e = alloca swifterror ptr
  store ptr null, ptr %e
  call void @t(ptr swifterror %e)
  ret void
}
define void @k(ptr %p) {
  call void @f(ptr %p)
  ret void
}
declare void @t(ptr swifterror)
`, `
define internal i32 @f(i32 %x) !dbg !5 {
    #dbg_value(i32 %x, !8, !DIExpression(), !9)
  %r = add i32 %x, 1, !dbg !9
    #dbg_value(i32 %r, !8, !DIExpression(), !9)
  ret i32 %r, !dbg !9
}
define void @k(ptr %p) {
  %r = call i32 @f(i32 5)
  store i32 %r, ptr %p
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocalVariable(name: "x", scope: !5, file: !1, line: 1)
!9 = !DILocation(line: 1, scope: !5)
`} {
		m := parse(t, "k.ll", src)
		run(t, "inline", m)
		accepted(t, m)
	}
}
