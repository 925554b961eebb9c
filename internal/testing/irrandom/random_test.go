package irrandom

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// comments matches comments at labels, whose predecessor lists are in a
// different order after reading, and the source_filename line.
var comments = regexp.MustCompile(`(?m) *;.*$|^source_filename.*$`)

// tries returns the number of modules in a test: n, or GFX_RANDOM_TRIES.
func tries(n int) int {
	if x, err := strconv.Atoi(os.Getenv("GFX_RANDOM_TRIES")); err == nil {
		return x
	}
	return n
}

// TestModule generates modules of both kinds. The same seed must produce the
// same module, the lists must be consistent, and the text must parse to the
// same module.
func TestModule(t *testing.T) {
	for seed := range tries(40) {
		o := Options{Seed: uint64(seed), Profile: Profile(seed % 2), Funcs: 3, Features: All}
		m := Module(o)
		for _, g := range m.Globals() {
			if g.Func != nil {
				if err := g.Func.CheckLinks(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		src := text.Print(m)
		if again := text.Print(Module(o)); !bytes.Equal(src, again) {
			t.Errorf("seed %d: modules differ", seed)
		}
		parsed, errs := text.Parse("random.ll", src)
		if len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, errs, src)
		}
		if again := text.Print(parsed); !bytes.Equal(comments.ReplaceAll(src, nil), comments.ReplaceAll(again, nil)) {
			keep(t, "a.ll", src)
			keep(t, "b.ll", again)
			t.Errorf("seed %d: text differs after parsing", seed)
		}
		if a, b := results(t, m), results(t, parsed); a != b {
			t.Errorf("seed %d: %s\n%s", seed, a, b)
		}
	}
}

// results runs all test functions of a module and returns a line for each.
func results(t *testing.T, m *ir.Module) string {
	t.Helper()
	list := Run(m)
	if err := Failed(list); err != nil {
		t.Fatalf("%s: %v\n%s", m.ID, err, text.Print(m))
	}
	var lines strings.Builder
	for i := range list[:len(list)-1] {
		fmt.Fprintf(&lines, "%d %016x\n", i, list[i].Hash)
	}
	return lines.String()
}

// mainText returns a main function that calls all test functions and prints a
// checksum for each.
func mainText(n int) string {
	var s strings.Builder
	s.WriteString("\n@main.in = constant [64 x i8] [")
	in := make([]byte, InSize)
	input(in)
	for i, b := range in {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "i8 %d", int8(b))
	}
	s.WriteString(`], align 16
@main.out = global [64 x i8] zeroinitializer, align 16
@main.format = constant [11 x i8] c"%d %016lx\0A\00"
declare i32 @printf(ptr, ...)
define void @main.one(i32 %i, ptr %f) noinline {
entry:
  store [64 x i8] zeroinitializer, ptr @main.out
  %r = call i64 %f(ptr @main.in, ptr @main.out)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k2, %loop ]
  %h = phi i64 [ %r, %entry ], [ %h2, %loop ]
  %p = getelementptr i8, ptr @main.out, i64 %k
  %b = load i8, ptr %p
  %z = zext i8 %b to i64
  %m = mul i64 %h, 1099511628211
  %h2 = add i64 %m, %z
  %k2 = add i64 %k, 1
  %c = icmp ult i64 %k2, 64
  br i1 %c, label %loop, label %done
done:
  call i32 (ptr, ...) @printf(ptr @main.format, i32 %i, i64 %h2)
  ret void
}
define i32 @main() {
`)
	for i := range n {
		fmt.Fprintf(&s, "  call void @main.one(i32 %d, ptr @test%d)\n", i, i)
	}
	s.WriteString("  ret i32 0\n}\n")
	return s.String()
}

// TestLLI compares the results of host modules with LLVM's interpreter.
func TestLLI(t *testing.T) {
	lli, opt := oracle.Tool(t, "lli-22"), oracle.Tool(t, "opt-22")
	const funcs = 60
	for seed := range tries(1) {
		m := Module(Options{Seed: 1000 + uint64(seed), Profile: Host, Funcs: funcs, Features: All})
		want := results(t, m)
		src := append(text.Print(m), mainText(funcs)...)
		stdout, stderr, exit := oracle.Run(t, src, 5*time.Minute, lli, "-O0", "-")
		got := string(stdout)
		if got != want && exit == 0 { // LLVM miscompiles some odd types for x86: try again after its optimizer
			better, _, _ := oracle.Run(t, src, 5*time.Minute, opt, "-O2", "-")
			stdout, stderr, exit = oracle.Run(t, better, 5*time.Minute, lli, "-O0", "-")
			again := string(stdout)
			got = agreed(want, got, again)
		}
		if got != want || exit != 0 {
			name := keep(t, fmt.Sprintf("lli.%d.ll", 1000+seed), src)
			t.Errorf("seed %d (%s): exit %d, %.1000s\n%s", 1000+seed, name, exit, stderr, firstLines(want, got))
		}
	}
}

// keep writes a file that reproduces a failure.
func keep(t *testing.T, name string, data []byte) string {
	t.Helper()
	dir := os.Getenv("GFX_KEEP")
	if dir == "" {
		return "set GFX_KEEP to a directory to keep it"
	}
	name = dir + "/" + name
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Error(err)
	}
	return name
}

// agreed returns the lines of got, but takes lines that differ from want from
// again.
func agreed(want, got, again string) string {
	w, g, a := strings.Split(want, "\n"), strings.Split(got, "\n"), strings.Split(again, "\n")
	if len(w) != len(g) || len(w) != len(a) {
		return got
	}
	for i := range w {
		if w[i] != g[i] {
			g[i] = a[i]
		}
	}
	return strings.Join(g, "\n")
}

// firstLines returns the first pair of lines that differ.
func firstLines(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out strings.Builder
	n := 0
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && n < 5 {
			fmt.Fprintf(&out, "expected %s, got %s\n", x[i], y[i])
			n++
		}
	}
	return out.String()
}
