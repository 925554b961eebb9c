package litmus

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gfx-toolchain/gfx/diag"
)

func parse(text string) (*Test, error) {
	return Parse(&diag.Source{Name: "t.litmus", Text: []byte(text)})
}

// everything has each form of the language.
const everything = `// A comment.
litmus every+thing-1.0
global x = 0
generic global y[2] = -1, 0x10
local z = 7
thread P0 agent 1 group 2 wave 3 {
  store x, 1
  store y[0], 2 release agent-one-as; r0 = load x
  r1 = load y[r0 ^ r0] acquire one-as
  add x, r1 - -1 monotonic wavefront
  r2 = cmpxchg x, 0, (r0 | 3) & 1 acq_rel singlethread-one-as
  poll 100 r3 = load z seq_cst workgroup until r3 != 0 && !(r3 == 7) || r3 <= 9
  poll 3 r4 = umax x, 1 release system until r4 > 0
  poll 3 r4 = cmpxchg x, 0, 1 acquire agent until r4 >= r0 - (r1 - 2)
  fence acq_rel workgroup-one-as
  barrier
  if r0 == 1 {
    r5 = r0 + 1
    if r5 < 2 { store x, r5 }
  } else {
    store x, r0 seq_cst system
  }
  if r5 { fence seq_cst agent }
}
thread P1 agent 1 group 2 { barrier  r0 = sub z, 1 monotonic agent
  r1 = xchg x, 0 monotonic agent
  r1 = and x, 0 monotonic agent
  or x, 0 monotonic agent xor x, 0 monotonic agent max x, 0 monotonic agent
  min x, 0 monotonic agent umin x, 0 monotonic agent }
observe x, P1.r0
~exists P0.r0 == 1 && (y[1] == 2 || !z) && x != 4294967295
expect racy
`

const canonical = `litmus every+thing-1.0
global x = 0
generic global y[2] = -1, 16
local z = 7
thread P0 agent 1 group 2 wave 3 {
  store x, 1
  store y[0], 2 release agent-one-as
  r0 = load x
  r1 = load y[r0 ^ r0] acquire one-as
  add x, r1 - -1 monotonic wavefront
  r2 = cmpxchg x, 0, (r0 | 3) & 1 acq_rel singlethread-one-as
  poll 100 r3 = load z seq_cst workgroup until r3 != 0 && !(r3 == 7) || r3 <= 9
  poll 3 r4 = umax x, 1 release system until r4 > 0
  poll 3 r4 = cmpxchg x, 0, 1 acquire agent until r4 >= r0 - (r1 - 2)
  fence acq_rel workgroup-one-as
  barrier
  if r0 == 1 {
    r5 = r0 + 1
    if r5 < 2 {
      store x, r5
    }
  } else {
    store x, r0 seq_cst system
  }
  if r5 {
    fence seq_cst agent
  }
}
thread P1 agent 1 group 2 wave 0 {
  barrier
  r0 = sub z, 1 monotonic agent
  r1 = xchg x, 0 monotonic agent
  r1 = and x, 0 monotonic agent
  or x, 0 monotonic agent
  xor x, 0 monotonic agent
  max x, 0 monotonic agent
  min x, 0 monotonic agent
  umin x, 0 monotonic agent
}
observe x, P1.r0
~exists P0.r0 == 1 && (y[1] == 2 || !z) && x != -1
expect racy
`

func TestPrint(t *testing.T) {
	x, err := parse(everything)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(canonical, x.String()); diff != "" {
		t.Error(diff)
	}
	sameAfterPrinting(t, x)
	if groups, of := x.Places(); groups != 1 || !cmp.Equal(of, []int{0, 0}) {
		t.Errorf("%d groups: %v", groups, of)
	}
	var names []string
	for _, term := range x.Outcome() {
		names = append(names, x.TermName(term))
	}
	if want := "P0.r0 y[1] z x P1.r0"; strings.Join(names, " ") != want {
		t.Errorf("outcome %q, want %s", names, want)
	}
	for _, c := range []struct {
		values []int32
		want   bool
	}{{[]int32{1, 2, 5, 0, 0}, true}, {[]int32{1, 0, 5, 0, 0}, false}, {[]int32{1, 0, 0, 0, 0}, true}, {[]int32{1, 2, 0, -1, 0}, false}} {
		if x.Satisfied(c.values) != c.want {
			t.Errorf("%v: want %v", c.values, c.want)
		}
	}
}

// sameAfterPrinting checks that the printed test is the same test.
func sameAfterPrinting(t *testing.T, x *Test) {
	t.Helper()
	y, err := parse(x.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, x)
	}
	if diff := cmp.Diff(x, y, cmpopts.IgnoreTypes(Span{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s\n%s", diff, x)
	}
}

func TestErrors(t *testing.T) {
	const head = "litmus a\nglobal x = 0\nlocal l = 0\nglobal a[2] = 0, 0\n"
	body := func(s string) string { return head + "thread P0 {\n" + s + "\n}\nexists x == 0" }
	// A row has a text and its error, without the file.
	for _, c := range [][2]string{
		{"", `1:1: error: expected "litmus", found the end of the text`},
		{"lit a", `1:1: error: expected "litmus", found "lit"`},
		{"litmus", `1:7: error: expected a name of letters, digits and "_+-.", found ""`},
		{"litmus é", `1:8: error: expected a name of letters, digits and "_+-.", found "é"`},
		{"litmus a exists 1", `1:18: error: a test needs a thread`},
		{"litmus a global = 0", `1:17: error: expected the name of a variable, found "="`},
		{"litmus a generic x = 0", `1:18: error: expected "global", found "x"`},
		{"litmus a global load = 0", `1:17: error: expected the name of a variable, found "load"`},
		{"litmus a global x[17] = 0", `1:19: error: expected a number of elements of 1 to 16, found "17"`},
		{"litmus a global x = 0, 1", `1:17: error: variable x has 2 initial values, expected 1`},
		{"litmus a global x = y", `1:21: error: expected a number, found "y"`},
		{"litmus a global x = -4294967296", `1:21: error: -4294967296 is not a number of 32 bits`},
		{"litmus a global x = 09", `1:21: error: 09 is not a number of 32 bits`},
		{"litmus a global x = 0 global x = 0", `1:30: error: variable x is declared twice`},
		{"litmus a global x = 0 thread x {} exists 1", `1:30: error: x is a variable already`},
		{"litmus a thread P {} thread P {} exists 1", `1:29: error: thread P is declared twice`},
		{"litmus a thread P wave 16 {} exists 1", `1:24: error: expected the number of a wave of 0 to 15, found "16"`},
		{"litmus a thread P {} ~forall 1", `1:23: error: expected "exists", found "forall"`},
		{"litmus a thread P {}", `1:21: error: expected thread, exists, ~exists or forall, found the end of the text`},
		{"litmus a thread P {} exists 1 expect maybe", `1:38: error: expected holds, fails or racy, found "maybe"`},
		{"litmus a thread P {} exists 1 2", `1:31: error: expected the end of the text, found "2"`},
		{"litmus a thread P {} exists Q", `1:29: error: Q is neither a thread nor a variable`},
		{"litmus a thread P {} exists P.r", `1:31: error: thread P has no register r`},
		{"litmus a local l = 0 thread P {} exists 1", `1:16: error: no thread accesses local variable l`},
		{body("r0 = load y"), `6:11: error: y is not a variable`},
		{body("r0 = r1"), `6:6: error: register r1 has no value here`},
		{body("r0 = "), `7:1: error: expected an expression, found "}"`},
		{body("x = 1"), `6:1: error: x is a variable; memory is written by store`},
		{body("load x"), `6:1: error: the result needs a register`},
		{body("1"), `6:1: error: the result needs a register`},
		{body("r0 = store x, 1"), `6:1: error: a store has no result`},
		{body("store x 1"), `6:9: error: expected ",", found "1"`},
		{body("store x, 1 acquire agent"), `6:12: error: ordering acquire does not exist for this statement`},
		{body("r0 = load x release agent"), `6:13: error: ordering release does not exist for this statement`},
		{body("add x, 1"), `7:1: error: expected an ordering, found "}"`},
		{body("fence agent"), `6:7: error: expected an ordering, found "agent"`},
		{body("fence acquire"), `7:1: error: expected a scope, found "}"`},
		{body("fence acquire agent-one"), `7:1: error: expected "-", found "}"`},
		{body("fence acquire agent-one-is"), `6:15: error: unknown scope`},
		{body("fence acquire one-is"), `6:15: error: unknown scope`},
		{body("fence acquire system-one-as"), `6:15: error: the one-as form of scope system is "one-as"`},
		{body("poll 0 r0 = load x until r0"), `6:6: error: expected a number of accesses of 1 to 1048576, found "0"`},
		{body("poll 1 r0 = load x"), `7:1: error: expected "until", found "}"`},
		{body("poll 1 store x, 1"), `6:1: error: expected a load, read-modify-write or cmpxchg after poll`},
		{body("poll 1 add x, 1 monotonic agent until 1"), `6:1: error: a polling loop needs a register for its condition`},
		{body("r0 = load a[2]"), `6:1: error: variable a has no element 2`},
		{body("if 1 { barrier }"), `6:8: error: a barrier in a conditional statement: all threads of a work-group execute the same barriers`},
		{head + "thread P {} exists a == 0", `5:22: error: expected "[", found "=="`},
		{head + "thread P { store l, 1 } thread Q group 1 { store l, 1 } exists 1",
			`5:44: error: local variable l is accessed by threads of two work-groups: P and Q`},
		{head + "thread P { store l, 1 } thread Q { barrier } exists 1",
			`5:32: error: threads P and Q of one work-group have 0 and 1 barriers`},
		{body(strings.Repeat("if 1 {", 33) + strings.Repeat("}", 33)), `6:190: error: more than 32 nested expressions`},
		{body("r0 = " + strings.Repeat("(", 32) + "1" + strings.Repeat(")", 32)), `6:38: error: more than 32 nested expressions`},
		{body("r0 = " + strings.Repeat("!", 32) + "1"), `6:37: error: more than 32 nested expressions`},
		{body("r0 = 1" + strings.Repeat("+1", 33)), `6:71: error: more than 32 operators in a row`},
		{body(strings.Repeat("store x, 1\n", 257)), `262:1: error: more than 256 statements in a thread`},
		{strings.Repeat(" ", MaxText+1), "1:1: error: the text has more than 1048576 bytes"},
	} {
		_, err := parse(c[0])
		got := "no error"
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "t.litmus:")
		}
		if got != c[1] {
			t.Errorf("%.80q:\ngot  %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestLimits(t *testing.T) {
	var variables, threads, registers strings.Builder
	for i := range 33 {
		n := strconv.Itoa(i)
		variables.WriteString("global x" + n + " = 0\n")
		threads.WriteString("thread P" + n + " {}\n")
		registers.WriteString("r" + n + " = 1\n")
	}
	for _, c := range [][2]string{
		{"litmus a " + variables.String(), "more than 32 variables"},
		{"litmus a " + threads.String(), "more than 16 threads"},
		{"litmus a thread P {" + registers.String() + "} exists 1", "more than 32 registers in a thread"},
	} {
		if _, err := parse(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%v, want %s", err, c[1])
		}
	}
}

func TestOperations(t *testing.T) {
	for i, want := range []int32{3, -2, -8, 3, -5, -8, 3, -5, -5, 3} {
		if got := RMWOp(i).Result(-5, 3); got != want {
			t.Errorf("%s: %d, want %d", RMWOp(i), got, want)
		}
	}
	values := map[string]int32{
		"2 || 0": 1, "2 && 0": 0, "2 == 2": 1, "2 != 2": 0, "1 < 2": 1, "2 <= 1": 0, "1 > 2": 0, "1 >= 1": 1, "1 + 2": 3, "1 - 2": -1, "1 | 2": 3,
		"3 ^ 1": 2, "3 & 6": 2, "!3": 0, "1 - 2 - 3": -4, "1 + 2 == 3 && 1 == 2 || 4 & 4 == 4": 1, "0x7fffffff": 1<<31 - 1,
	}
	for text, want := range values {
		x, err := parse("litmus a thread P {} exists " + text)
		if err != nil {
			t.Error(err)
		} else if got := x.Condition.Eval(nil); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
		if err == nil {
			sameAfterPrinting(t, x)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(canonical)
	files, err := filepath.Glob("testdata/*/*.litmus")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if x, err := parse(text); err == nil {
			sameAfterPrinting(t, x)
		}
	})
}
