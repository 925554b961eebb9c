package kernel_test

import (
	"bytes"
	"errors"
	"regexp"
	"testing"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// raceProcessors are the processors on which the race check examines the tests.
var raceProcessors = []string{"gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}

// racesOf runs a test with the race check, and returns its findings.
func racesOf(t *testing.T, x *litmus.Test, cpu string, o gfx.DeviceOptions) []*gfx.Finding {
	t.Helper()
	o.Checks = gfx.CheckRace
	_, err := kernel.Run(t.Context(), x, kernel.Options{Processor: cpu, Executions: 200, Device: o})
	var found *gfx.CheckError
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("%s: %s: %v", cpu, x.Name, err)
	}
	if found == nil {
		return nil
	}
	return found.Findings
}

// missedRaces lists the written tests with races that the check does not find.
var missedRaces = map[string]bool{
	"MP-plain+rlx+wave": true, "lock+relaxed+wave": true, // within a wave
	"MP+one-as+flat": true, "MP+one-as+space": true, // between address spaces
	"barrier+alone": true, // a barrier without fences
}

// TestRaceOfWritten requires that the race check finds the races of the written
// tests, and no others: with every processor for one seventh of the tests, or with
// GFX_LITMUS=full for all.
func TestRaceOfWritten(t *testing.T) {
	free, racy := 0, 0
	for i, x := range writtenTests(t) {
		for k, cpu := range raceProcessors {
			has := x.Expected == litmus.Racy
			if !full() && !has && i%len(raceProcessors) != k {
				continue
			}
			o := gfx.DeviceOptions{Workers: 1 + i/len(raceProcessors)%3}
			if has {
				o.Workers = 1
			} else if i%11 == 0 {
				o.Memory = device.MemoryWeak
			}
			found := racesOf(t, x, cpu, o)
			switch {
			case !has && len(found) > 0:
				t.Errorf("%s has no race:\n%s\n%v", cpu, x, found)
			case has && (len(found) > 0) == missedRaces[x.Name]:
				t.Errorf("%s: races of %s: %v", cpu, x.Name, found)
			case has:
				racy++
			default:
				free++
			}
		}
	}
	t.Logf("no finding in %d runs of tests without a race, %d runs with one", free, racy)
}

// plainVariant returns the test with a plain access instead of its atomic load or
// store with a number, or nil if it has fewer.
func plainVariant(x *litmus.Test, n int) *litmus.Test {
	y := *x
	y.Threads = nil
	for _, t := range x.Threads {
		t.Body = plainStatements(t.Body, &n)
		y.Threads = append(y.Threads, t)
	}
	if n >= 0 {
		return nil
	}
	return &y
}

func plainStatements(list []litmus.Statement, n *int) (out []litmus.Statement) {
	for _, s := range list {
		if s.Action <= litmus.Store && s.Ordering != litmus.Plain {
			if *n == 0 {
				s.Ordering, s.Scope, s.OneAS = litmus.Plain, 0, false
			}
			*n--
		}
		s.Then, s.Else = plainStatements(s.Then, n), plainStatements(s.Else, n)
		out = append(out, s)
	}
	return out
}

// severalWaves reports whether all threads are in waves of their own.
func severalWaves(x *litmus.Test) bool {
	seen := map[[2]int]bool{}
	for _, t := range x.Threads {
		if at := [2]int{t.Group, t.Wave}; seen[at] {
			return false
		} else {
			seen[at] = true
		}
	}
	return true
}

// TestRaceOfVariants turns accesses of the written tests into plain ones, and counts the races
// that the check finds among the ones of the model: with one worker, where the
// synchronizations of the first execution may order the accesses, and if not, in the
// random order of weak memory.
func TestRaceOfVariants(t *testing.T) {
	const share, weakShare = 70, 90 // per cent
	racy, found, weak := map[string]int{}, map[string]int{}, map[string]int{}
	for i, x := range writtenTests(t) {
		if x.Expected == litmus.Racy || !severalWaves(x) {
			continue
		}
		for n := 0; ; n++ {
			y := plainVariant(x, n)
			if y == nil {
				break
			}
			if !full() && (i+n)%4 != 0 {
				continue
			}
			r, err := model.Check(y)
			if err != nil || r.Racy == "" {
				continue
			}
			cpu := raceProcessors[(i+n)/4%len(raceProcessors)]
			racy[cpu]++
			switch {
			case len(racesOf(t, y, cpu, gfx.DeviceOptions{Workers: 1})) > 0:
				found[cpu]++
			case len(racesOf(t, y, cpu, gfx.DeviceOptions{Memory: device.MemoryWeak, Seed: 1})) > 0:
				weak[cpu]++
			default:
				t.Logf("%s: not found: %s\n%s", cpu, r.Racy, y)
			}
		}
	}
	for _, cpu := range raceProcessors {
		t.Logf("%s: of %d races, %d found, and %d with weak memory", cpu, racy[cpu], found[cpu], weak[cpu])
		if racy[cpu] < 10 || found[cpu]*100 < racy[cpu]*share || (found[cpu]+weak[cpu])*100 < racy[cpu]*weakShare {
			t.Errorf("%s: expected %d %% and %d %%", cpu, share, weakShare)
		}
	}
}

// TestRaceMessages compares the findings of some tests.
func TestRaceMessages(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`global x = 0
thread P0 group 0 { store x, 1 monotonic workgroup }
thread P1 group 1 { r0 = load x monotonic agent }
exists P1.r0 == 0`, "4-byte atomic load at … in global memory races with an earlier atomic store: the scopes do not include both waves, and no synchronization orders them"},
		{`global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 monotonic agent }
thread P1 group 1 { r0 = load y monotonic agent  if r0 == 1 { r1 = load x } }
exists P1.r1 == 0`, "4-byte load at … in global memory races with an earlier store: no synchronization orders them"},
		{`local x = 0 local y = 0
thread P0 group 0 wave 0 { store x, 1  fence release wavefront  store y, 1 monotonic workgroup }
thread P1 group 0 wave 1 { r0 = load y acquire workgroup  if r0 == 1 { r1 = load x } }
exists P1.r1 == 0`, "4-byte load at … in LDS races with an earlier store: no synchronization orders them"},
		{`global x = 0 global y = 0
thread P0 group 0 { store x, 1  fence release workgroup  store y, 1 monotonic agent }
thread P1 group 1 { r0 = load y monotonic agent  fence acquire agent  if r0 == 1 { r1 = load x } }
exists P1.r1 == 0`, "4-byte load at … in global memory races with an earlier store: no synchronization orders them"},
		{`global x = 0
thread P0 group 0 { r0 = add x, 1 acq_rel agent }
thread P1 group 1 { r0 = load x }
exists P1.r0 == 0`, "4-byte load at … in global memory races with an earlier atomic operation: no synchronization orders them"},
		{`global x = 0
thread P0 group 0 { r0 = load x }
thread P1 group 1 { r0 = cmpxchg x, 0, 1 acq_rel agent }
exists P1.r0 == 0`, "4-byte atomic operation at … in global memory races with an earlier load: no synchronization orders them"},
		{`global x = 0
thread P0 group 0 { r0 = add x, 1 monotonic agent }
thread P1 group 1 { r0 = load x }
thread P2 group 2 { r0 = add x, 1 monotonic agent }
exists P1.r0 == 0`, ""},
	} {
		found := racesOf(t, mustParse(t, x.text), "gfx900", gfx.DeviceOptions{Workers: 1})
		got := ""
		if len(found) > 0 {
			got = addressPattern.ReplaceAllString(found[0].Message, "…")
		}
		if got != x.want {
			t.Errorf("%s\n%s\nexpected %s", x.text, got, x.want)
		}
	}
}

var addressPattern = regexp.MustCompile("0x[0-9a-f]+")

// BenchmarkRaceCheck measures the race check of code with the list of its atomic
// accesses and without.
func BenchmarkRaceCheck(b *testing.B) {
	for name, text := range map[string]string{
		"messages": `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  if r0 == 1 { r1 = load x } }
exists P1.r1 == 0`,
		"counters": `global x = 0
thread P0 group 0 { r0 = add x, 1 monotonic agent  r1 = add x, 1 monotonic agent  r2 = add x, 1 monotonic agent }
thread P1 group 1 { r0 = add x, 1 monotonic agent  r1 = add x, 1 monotonic agent  r2 = add x, 1 monotonic agent }
exists x == 6`,
	} {
		x := mustParse(b, text)
		listed, err := kernel.Compile(b.Context(), x, "gfx900", "")
		if err != nil {
			b.Fatal(err)
		}
		stripped := bytes.ReplaceAll(listed, []byte(".gfx.atomics\x00"), []byte(".gfx.removed\x00"))
		for _, run := range []struct {
			name   string
			object []byte
			checks gfx.Checks
		}{{"listed", listed, gfx.CheckRace}, {"stripped", stripped, gfx.CheckRace}, {"unchecked", listed, 0}} {
			b.Run(name+"/"+run.name, func(b *testing.B) {
				for b.Loop() {
					_, err := kernel.Run(b.Context(), x, kernel.Options{Processor: "gfx900", Executions: 4 * 4096, Object: run.object, Device: gfx.DeviceOptions{Checks: run.checks, Workers: 1}})
					var found *gfx.CheckError
					if err != nil && !errors.As(err, &found) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
