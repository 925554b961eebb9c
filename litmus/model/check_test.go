package model_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

func mustParse(t testing.TB, text string) *litmus.Test {
	t.Helper()
	x, err := litmus.Parse(&diag.Source{Name: "t.litmus", Text: []byte("litmus t\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestOutcomes compares the allowed outcomes, or the race.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain code of one thread", `global x = 0
thread P0 { store x, 1  r0 = load x  r0 = r0 + 1  store x, r0 }
exists P0.r0 == 2 && x == 2`, "[[2 2]]"},
		{"message passing, relaxed", `global x = 0 global y = 0
thread P0 group 0 { store x, 1 monotonic agent  store y, 1 monotonic agent }
thread P1 group 1 { r0 = load y monotonic agent  r1 = load x monotonic agent }
exists P1.r0 == 1 && P1.r1 == 0`, "[[0 0] [0 1] [1 0] [1 1]]"},
		{"message passing, release and acquire", `global x = 0 global y = 0
thread P0 group 0 { store x, 1 monotonic agent  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  r1 = load x monotonic agent }
exists P1.r0 == 1 && P1.r1 == 0`, "[[0 0] [0 1] [1 1]]"},
		{"coherence of reads", `global x = 0
thread P0 group 0 { store x, 1 monotonic agent  store x, 2 monotonic agent }
thread P1 group 1 { r0 = load x monotonic agent  r1 = load x monotonic agent }
forall P1.r0 <= P1.r1 && x == 2`, "[[0 0 2] [0 1 2] [0 2 2] [1 1 2] [1 2 2] [2 2 2]]"},
		{"atomic additions", `global x = 0
thread P0 group 0 { r0 = add x, 1 monotonic agent }
thread P1 group 1 { r0 = add x, 1 monotonic agent }
thread P2 group 2 { add x, 1 monotonic agent }
exists P0.r0 == P1.r0 && x == 3`, "[[0 1 3] [0 2 3] [1 0 3] [1 2 3] [2 0 3] [2 1 3]]"},
		{"compare and exchange", `global x = 0
thread P0 group 0 { r0 = cmpxchg x, 0, 1 acq_rel agent }
thread P1 group 1 { r0 = cmpxchg x, 0, 2 release agent }
exists P0.r0 == 0 && P1.r0 == 0`, "[[0 1] [2 0]]"},
		{"a lock protects plain accesses", `global l = 0 global x = 0
thread P0 group 0 { poll 9 r0 = cmpxchg l, 0, 1 acquire agent until r0 == 0  if r0 == 0 { r1 = load x  store x, r1 + 1  store l, 0 release agent } }
thread P1 group 1 { poll 9 r0 = cmpxchg l, 0, 1 acquire agent until r0 == 0  if r0 == 0 { r1 = load x  store x, r1 + 1  store l, 0 release agent } }
~exists P0.r0 == 0 && P1.r0 == 0 && x != 2`, "[[0 0 2] [0 1 1] [1 0 1]]"},
		{"a failed cmpxchg does not release", `global x = 0 global y = 7
thread P0 group 0 { store x, 1 monotonic agent  r0 = cmpxchg y, 0, 1 acq_rel agent }
thread P1 group 1 { r1 = load y acquire agent  r2 = load x monotonic agent }
exists P0.r0 == 7 && P1.r1 == 7 && P1.r2 == 0`, "[[7 7 0] [7 7 1]]"},
		{"independent branches are no dependency", `global x = 0 global y = 0
thread P0 group 0 { r0 = load x monotonic agent  if r0 { store y, 1 monotonic agent } else { store y, 1 monotonic agent } }
thread P1 group 1 { r1 = load y monotonic agent  store x, r1 ^ r1 | 1 monotonic agent }
exists P0.r0 == 1 && P1.r1 == 1`, "[[0 0] [0 1] [1 0] [1 1]]"},
		{"a dependency of an address", `global x = 0 global y[2] = 0, 0
thread P0 group 0 { r0 = load x monotonic agent  store y[r0 & 1], 1 monotonic agent }
thread P1 group 1 { r1 = load y[1] monotonic agent  if r1 { store x, 1 monotonic agent } }
observe y[0]
exists P0.r0 == 1 && P1.r1 == 1`, "[[0 0 1]]"},
		{"a barrier without fences", `local x = 0
thread P0 wave 0 { store x, 1  barrier }
thread P1 wave 1 { barrier  r0 = load x }
exists P1.r0 == 0`, "race: accesses of P0 and P1 to x"},
		{"a barrier with fences", `local x = 0
thread P0 wave 0 { store x, 1  fence release workgroup  barrier }
thread P1 wave 1 { barrier fence acquire workgroup  r0 = load x }
exists P1.r0 == 0`, "[[1]]"},
		{"a barrier orders its own work-group alone", `global x = 0
thread P0 group 0 { store x, 1  fence release workgroup  barrier }
thread P1 group 1 { barrier fence acquire workgroup  r0 = load x }
exists P1.r0 == 0`, "race: accesses of P0 and P1 to x"},
		{"one-as fences around a barrier order each address space", `local x = 0 global y = 0
thread P0 wave 0 { store x, 1  store y, 1  fence release workgroup-one-as  barrier }
thread P1 wave 1 { barrier fence acquire workgroup-one-as  r0 = load x  r1 = load y }
exists P1.r0 == 0 || P1.r1 == 0`, "[[1 1]]"},
		{"waves of one work-group with wavefront scope", `global x = 0
thread P0 wave 0 { store x, 1 monotonic wavefront }
thread P1 wave 1 { r0 = load x monotonic wavefront }
exists P1.r0 == 0`, "race: accesses of P0 and P1 to x"},
		{"lanes of one wave with wavefront scope", `global x = 0
thread P0 wave 0 { store x, 1 monotonic wavefront }
thread P1 wave 0 { r0 = load x monotonic system }
exists P1.r0 == 0`, "[[0] [1]]"},
		{"seq_cst in two address spaces", `global x = 0 local y = 0
thread P0 wave 0 { store x, 1 seq_cst workgroup  r0 = load y seq_cst workgroup }
thread P1 wave 1 { store y, 1 seq_cst workgroup  r1 = load x seq_cst workgroup }
exists P0.r0 == 0 && P1.r1 == 0`, "[[0 1] [1 0] [1 1]]"},
		{"one-as seq_cst in two address spaces", `global x = 0 local y = 0
thread P0 wave 0 { store x, 1 seq_cst workgroup-one-as  r0 = load y seq_cst workgroup-one-as }
thread P1 wave 1 { store y, 1 seq_cst workgroup-one-as  r1 = load x seq_cst workgroup-one-as }
exists P0.r0 == 0 && P1.r1 == 0`, "[[0 0] [0 1] [1 0] [1 1]]"},
		{"seq_cst fences", `global x = 0 global y = 0
thread P0 group 0 { store x, 1 monotonic agent  fence seq_cst agent  r0 = load y monotonic agent }
thread P1 group 1 { store y, 1 monotonic agent  fence seq_cst agent  r1 = load x monotonic agent }
exists P0.r0 == 0 && P1.r1 == 0`, "[[0 1] [1 0] [1 1]]"},
		{"one-as seq_cst fences order each address space", `global x = 0 local y = 0
thread P0 wave 0 { store x, 1 monotonic workgroup  fence seq_cst workgroup-one-as  r0 = load y monotonic workgroup }
thread P1 wave 1 { store y, 1 monotonic workgroup  fence seq_cst workgroup-one-as  r1 = load x monotonic workgroup }
exists P0.r0 == 0 && P1.r1 == 0`, "[[0 0] [0 1] [1 0] [1 1]]"},
		{"a release sequence of an atomic addition", `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release agent }
thread P1 group 1 { add y, 1 monotonic agent }
thread P2 group 2 { r0 = load y acquire agent  if r0 == 2 { r1 = load x } }
exists P2.r0 == 2 && P2.r1 == 0`, "[[0 0] [1 0] [2 1]]"},
		{"a race that a load finds only if it reads from the racing store", `global x = 0 global y = 0
thread P0 group 0 { r0 = load y monotonic agent  if r0 == 1 { store x, 1 release agent } }
thread P1 group 1 { r0 = load x seq_cst agent  if r0 == 1 { r1 = load y } }
thread P2 group 2 { xchg y, 1 acq_rel agent }
exists P1.r1 == 1`, "race: accesses of P1 and P2 to y"},
		{"narrow scopes do not include another work-group", `global x = 0
thread P0 group 0 { store x, 1 monotonic agent }
thread P1 group 1 { r0 = load x monotonic singlethread }
exists P1.r0 == 0`, "race: accesses of P0 and P1 to x"},
	} {
		r, err := model.Check(mustParse(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := fmt.Sprint(r.Outcomes)
		if r.Racy != "" {
			got = "race: " + r.Racy
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if r.Racy == "" && (!r.Allows(r.Outcomes[0]) || r.Allows([]int32{99, 99, 99})) || r.Racy != "" && !r.Allows([]int32{99}) {
			t.Errorf("%s: Allows is wrong", c.name)
		}
	}
}

func TestVerdicts(t *testing.T) {
	const program = "global x = 0 thread P0 { r0 = load x monotonic agent } thread P1 { store x, 1 monotonic agent } "
	for text, want := range map[string]litmus.Verdict{
		"exists P0.r0 == 1": litmus.Holds, "exists P0.r0 == 2": litmus.Fails, "~exists P0.r0 == 1": litmus.Fails, "~exists P0.r0 == 2": litmus.Holds,
		"forall P0.r0 <= 1": litmus.Holds, "forall P0.r0 == 1": litmus.Fails,
	} {
		r, err := model.Check(mustParse(t, program+text))
		if err != nil || r.Verdict() != want {
			t.Errorf("%s: %v, %v", text, r.Verdict(), err)
		}
	}
}

func TestLimits(t *testing.T) {
	ladder := strings.Repeat("r = load x monotonic agent ", 20)
	for _, c := range []struct{ text, want string }{
		{"global x = 0 thread P0 { r0 = load x  store x[r0 + 1], 1 } exists x == 0", "variable x has no element 1"},
		{"global x = 0 thread P0 { r0 = load x } thread P1 { " + strings.Repeat("store x, 1 ", 64) + " } exists x == 0",
			"an execution has more than 64 events"},
		{"global x = 0 thread P0 {" + strings.Repeat("fence acquire agent ", 65) + "} exists x == 0", "more than 64 events in a thread"},
		{"global x = 0 global y = 0 thread P0 { r = load x store x, r + 1 } thread P2 { r = load x store x, r + 1 } thread P1 {" + strings.Repeat("store y, 0 ", 40) + "} exists x == 0", "a variable has more than 32 possible values"},
		{"global x = 0 thread P0 { store x, 1 monotonic agent } thread P1 {" + ladder + "} exists x == 0", "thread P1 has more than 8192 executions"},
		{"global x = 0 global y = 0 " + many("thread P%d group %d { add x, 1 monotonic agent add x, 1 monotonic agent }\n", 4) + "exists x == 8",
			"deciding the test takes more than 262144 steps"},
		{"global x = 0 " + many("thread P%d group %d { store x, 1 monotonic agent }\n", 12) + "exists x == 0", "deciding the test takes more than 262144 steps"},
		{"global x = 0 global y = 0 " + many("thread P%d group %d { store x, 1 seq_cst agent store y, 1 seq_cst agent }\n", 8) + "exists x == 0",
			"deciding the test takes more than 262144 steps"},
		{"global x = 0 " + many("thread P%d { store x, %d monotonic agent "+strings.Repeat("r = load x monotonic agent ", 3)+"}\n", 14) + "exists x == 0",
			"the threads have more than 65536 executions"},
	} {
		_, err := model.Check(mustParse(t, c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	var at *model.PositionError
	if _, err := model.Check(mustParse(t, "global x = 0 thread P0 { r0 = load x[1 - 2] } exists x == 0")); !errors.As(err, &at) || at.At.Off == 0 {
		t.Errorf("%v: no position", err)
	}
}

func many(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i)
	}
	return b.String()
}

func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"MP", `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  if r0 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`},
		{"IRIW", `global x = 0 global y = 0
thread P0 group 0 { store x, 1 seq_cst agent }
thread P1 group 1 { store y, 1 seq_cst agent }
thread P2 group 2 { r1 = load x seq_cst agent  r2 = load y seq_cst agent }
thread P3 group 3 { r3 = load y seq_cst agent  r4 = load x seq_cst agent }
exists P2.r1 == 1 && P2.r2 == 0 && P3.r3 == 1 && P3.r4 == 0`},
	} {
		b.Run(c.name, func(b *testing.B) {
			test := mustParse(b, c.text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := model.Check(test); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
