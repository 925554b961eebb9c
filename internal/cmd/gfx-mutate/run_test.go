package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// smallModule has mutants of every verdict: tests detect each mutant of double;
// loop hangs without its step; nothing tests unused.
var smallModule = map[string]string{
	"go.mod": "module small\n\ngo 1.26\n",
	"p/p.go": `package p

func double(x int) int { return x * 2 }

func loop(n int) (sum int) {
	for i := 0; i < n; {
		sum += i
		i++
	}
	return sum
}

func unused(x int) int { return x + 1 }

func name(s string) string { return s + "x" }

// A label, a named result, a switch, and initializers with and without a type.
func find(list []uint8, x uint8) (at int, ok bool) {
outer:
	for i, y := range list {
		switch y {
		case x:
			at, ok = i, true
			break outer
		}
	}
	return
}

var (
	list []uint8 = []uint8{5, 6, 7}
	last         = 2
)

func note() {
	last++
}
`,
	"p/p_test.go": `package p

import "testing"

func TestDouble(t *testing.T) {
	if double(3) != 6 {
		t.Error("double")
	}
}

func TestLoop(t *testing.T) {
	if loop(4) != 6 || name("a") != "ax" {
		t.Error("loop")
	}
}

func TestFind(t *testing.T) {
	at, ok := find(list, 7)
	if at != last || !ok {
		t.Error("find")
	}
	note()
	if last != 3 {
		t.Error("note")
	}
}
`,
}

// TestRejected reads messages of the compiler.
func TestRejected(t *testing.T) {
	text := "# small/p\np/mutant3:2:7: declared and not used: x\nmutant3:9:1: missing return\np/p.go:4:1: other\nC:\\p\\mutant12:7: syntax error: x\n"
	got := rejected([]byte(text))
	if want := map[int]string{3: "2:7: declared and not used: x", 12: "7: syntax error: x"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// newSession returns a session in a copy of the small module.
func newSession(t *testing.T, o options) (*session, *strings.Builder) {
	t.Helper()
	root := t.TempDir()
	for name, text := range smallModule {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if o.state == "" {
		o.state = t.TempDir()
	}
	state, err := readState(o.state)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	return &session{options: &o, out: &out, state: state, reasons: map[string]string{},
		tester: tester{root: root, src: t.TempDir(), dir: t.TempDir(), limit: time.Minute, hang: time.Second}}, &out
}

var (
	smallGroups = []group{{"all", 1, []string{"p/*.go"}}}
	smallStages = []stage{{pkg: "p", run: "."}}
)

// TestMutate tries every mutant of a small module, with an interruption.
func TestMutate(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	s, out := newSession(t, options{sample: 3, bar: 50})
	ctx := context.Background()
	if err := s.run(ctx, smallGroups, smallStages); err != nil {
		t.Fatal(err)
	}
	first := len(s.state)
	if first < 3 {
		t.Fatalf("%d outcomes\n%s", first, out)
	}
	again, out := newSession(t, options{sample: 100, state: s.options.state, bar: 50})
	if err := again.run(ctx, smallGroups, smallStages); err != nil {
		t.Fatal(err)
	}
	if err := again.report(); err == nil || !strings.Contains(err.Error(), "mutants were not tried") {
		t.Errorf("error %v", err)
	}
	if n := strings.Count(out.String(), " s  p/p.go:"); n != len(again.state)-first {
		t.Errorf("%d of %d mutants were tried by the second run, %d by the first\n%s", n, len(again.state), first, out)
	}
	for id, want := range map[string]verdict{
		"double:arithmetic:0": detected, "double:constant:0": detected, "loop:removal:1": hung, "loop:comparison:0": detected,
		"unused:arithmetic:0": survived, "unused:constant:1": survived, "name:arithmetic:0": invalid,
		"find:constant:0": detected, "find:removal:0": detected, "find:removal:1": invalid, "list:constant:4": detected, "list:constant:0": survived,
		"last:constant:0": detected, "note:arithmetic:0": detected, "note:removal:0": detected,
	} {
		found := false
		for name, o := range again.state {
			if strings.HasPrefix(name, "p/p.go:"+id+":") {
				found = true
				if o.verdict != want {
					t.Errorf("%s: %s, want %s", name, o.verdict, want)
				}
			}
		}
		if !found {
			t.Errorf("no mutant %s", id)
		}
	}
	if want := regexp.MustCompile("survived: p/p.go:13, arithmetic: `\\+` -> `-`\n\tfunc unused.*\n.*\n\tno test executes it"); !want.MatchString(out.String()) {
		t.Errorf("no %s in\n%s", want, out)
	}
}

// TestOnly uses a subset of the tests. Mutants that they do not detect stay
// untried.
func TestOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	s, out := newSession(t, options{sample: 100, only: "^TestDouble$"})
	if err := s.run(context.Background(), smallGroups, smallStages); err != nil {
		t.Fatal(err)
	}
	for id, o := range s.state {
		if double := strings.HasPrefix(id, "p/p.go:double:"); o.verdict != invalid && (o.verdict != detected || !double) {
			t.Errorf("%s: %s", id, o.verdict)
		}
	}
	if !strings.Contains(out.String(), "detected") {
		t.Errorf("nothing is detected\n%s", out)
	}
}

// TestVerdicts judges runs by the times of the tests without a change.
func TestVerdicts(t *testing.T) {
	const sec = time.Second
	x := test{stage: &stage{pkg: "p"}, name: "TestX", base: usage{wall: 5 * sec, cpu: 8 * sec}}
	for _, c := range []struct {
		name string
		run  run
		want verdict
	}{
		{"passes", run{wall: 90 * sec}, survived},
		{"fails", run{err: os.ErrInvalid, output: "--- FAIL: TestX (0.00s)\nFAIL\n", status: 1}, detected},
		{"computes without end", run{err: os.ErrInvalid, expired: true, wall: 40 * sec, cpu: 40 * sec}, hung},
		{"waits without end", run{err: os.ErrInvalid, expired: true, wall: 100 * sec, cpu: 1 * sec}, hung},
		{"crashes", run{err: os.ErrInvalid, output: "panic: x\n", status: 2}, detected},
		{"slow machine", run{err: os.ErrInvalid, expired: true, wall: 40 * sec, cpu: 9 * sec}, undecided},
	} {
		if got, _, err := c.run.judge(&x, 10*sec); got != c.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	// The shell's status for a missing file, a kill from outside, a status
	// without a test's output, and a failure to start.
	for _, status := range []int{127, 126, 2, 1, -1, 0} {
		r := run{err: os.ErrNotExist, status: status}
		if got, _, err := r.judge(&x, 10*sec); err == nil {
			t.Errorf("exit status %d: %s, want an error", status, got)
		}
	}
}

// TestReasons checks that each reason names a mutant of a file that exists. It
// tolerates that the mutant's line has changed since.
func TestReasons(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := readReasons("reasons.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for id, reason := range reasons {
		file, _, _ := strings.Cut(id, ":")
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil || len(reason) < 20 {
			t.Errorf("%s: %q, %v", id, reason, err)
		}
	}
}
