package asmcore_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/asmcore"
)

// chain returns n variables, each defined by fn of the next one.
func chain(n int, fn func(next string) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d = %s\n", i, fn(fmt.Sprintf("x%d", i+1)))
	}
	fmt.Fprintf(&b, ".long x0\n")
	return b.String()
}

// TestLimits assembles sources that request too much. Each must end soon and
// with little memory, with an error that names the exceeded limit.
func TestLimits(t *testing.T) {
	rec := ".macro m\n m\n m\n m\n m\n m\n m\n m\n m\n m\n m\n.endm\nm\n"
	wide := ""
	for i := range 19 {
		wide += fmt.Sprintf(".macro m%d\n%s.endm\n", i, strings.Repeat(fmt.Sprintf(" m%d\n", i+1), 10))
	}
	wide += ".macro m19\n.endm\nm0\n"
	for _, test := range []struct{ name, src, want string }{
		{"recursion", rec, "nested more than 20 levels"},
		{"tree", wide, "bytes of text"},
		{"rept", ".rept 1000000000\n.byte 1\n.endr\n", "repetition produces more than"},
		{"rept overflow", ".rept 0x7fffffffffffffff\n.byte 1\n.endr\n", "repetition produces more than"},
		{"nested rept", strings.Repeat(".rept 1000\n", 10) + ".byte 1\n" + strings.Repeat(".endr\n", 10), "bytes of text"},
		{"doubling", ".macro d a\n.if 1\nd \"\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a\"\n.endif\n.endm\nd 0123456789abcdef0123456789abcdef\n", ""},
		{"fill", ".fill 1000000000000, 8\n", "output is larger"},
		{"fill overflow", ".fill 0x7fffffffffffffff, 8\n", "output is larger"},
		{"fills", strings.Repeat(".fill 100000000\n", 100), "output is larger"},
		{"late fill", ".fill a-b, 8\nb: .zero 1000\n a = b+0x100000000000\n", ""},
		{"org", ".org 0x100000000000\n.byte 1\n", "larger than"},
		{"org far", ".org 0x7fffffffffffffff\n.byte 1\n", "invalid .org offset"},
		{"bss", ".bss\n.zero 0x7fffffffffffffff\n", ""},
		{"align", ".byte 1\n.p2align 31\n.byte 1\n.data\n.byte 1\n.p2align 31\n", "larger than"},
		{"growing", ".fill e-s\ns: .fill e-s+1\ne:\n", ""},
		{"parens", ".long " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + "\n", "nested too deeply"},
		{"unary", ".long " + strings.Repeat("-", 100000) + "1\n", "nested too deeply"},
		{"long sum", ".long a" + strings.Repeat("+a", 500000) + "\n", "too long"},
		{"tower", chain(60, func(n string) string { return n + "+" + n }), "too complex"},
		{"chain", chain(50000, func(n string) string { return n + "+1" }), ""},
		{"ring", chain(1000, func(n string) string { return n + "+1" }) + "x1000 = x0\n", "cyclic"},
		{"include", ".include \"self\"\n", "included more than"},
		{"subsections", subsections(20000), "subsections"},
		{"files", ".file 1000000 \"a\"\n", "unassigned"},
		{"file number", ".file 10000000000 \"a\"\n", "out of range"},
		{"errors", strings.Repeat(".foo\n", 100000), "too many errors"},
		{"symver", strings.Repeat(".symver a, b@c\n", 100000), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			open := func(string) ([]byte, error) { return []byte(test.src), nil }
			o, p := assemble(t, test.src, asmcore.Options{Open: open, Limits: asmcore.Limits{Expansion: 16 << 20, Output: 64 << 20}})
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
			runtime.ReadMemStats(&after)
			if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 1500 {
				t.Errorf("allocates %d MB", n)
			}
			if test.want == "" {
				return
			}
			if o != nil {
				t.Fatal("it assembles")
			}
			list := p.Diagnostics()
			if len(list) > 1100 {
				t.Errorf("%d messages", len(list))
			}
			if !strings.Contains(list.Error(), test.want) {
				t.Errorf("errors do not contain %q:\n%.2000s", test.want, list.Error())
			}
		})
	}
}

// subsections switches to n subsections, in descending order.
func subsections(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".text %d\n.byte 1\n", n-i)
	}
	return b.String()
}
