package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tester runs test binaries on mutants. It changes sources through an overlay
// of the go command; it writes no file of the module.
type tester struct {
	root    string
	src     string        // folder of the overlay
	dir     string        // folder of the binaries and the traces
	limit   time.Duration // CPU time of all tests of a mutant
	hang    time.Duration // minimum time after which a test is considered hung
	overlay string
	tests   []*test
}

// stage is a set of tests of a package.
type stage struct {
	pkg  string   // folder from the module's root
	run  string   // pattern of test names
	skip string   // pattern of excluded tests; "" excludes none
	env  []string // in addition to the process's own
}

// test is a test function of a stage.
type test struct {
	stage   *stage
	name    string
	base    usage        // without a change
	reaches map[int]bool // the mutants whose statements it executes
	kills   int
}

func (t *test) String() string { return t.stage.pkg + ": " + t.name }

// cost ranks tests: fast tests that have detected many mutants run first.
func (t *test) cost() float64 {
	return (t.base.cpu + 20*time.Millisecond).Seconds() / float64(1+t.kills)
}

// usage is the time of a test.
type usage struct{ wall, cpu time.Duration }

// A test is considered hung if it takes this many times as long as without the
// change. The limit is on CPU time, so that other load on the machine has no
// effect, and on wall time for tests that do not compute.
const (
	hangCPU  = 4
	hangWall = 20
)

// memoryLimit ends a test that allocates endlessly, in KiB of address space.
const memoryLimit = 8 << 20

// build compiles a schema of the mutants and the tests of all stages. If some
// mutants do not compile, it returns them with the compiler's messages instead.
func (t *tester) build(ctx context.Context, list []candidate, stages []stage) (map[int]string, error) {
	if err := t.writeSchema(list); err != nil {
		return nil, err
	}
	changed := make(map[string]bool)
	for i := range list {
		changed["./"+path.Dir(list[i].file)] = true
	}
	args := []string{"build", "-gcflags=-e", "-overlay=" + t.overlay}
	for pkg := range changed {
		args = append(args, pkg)
	}
	if text, err := t.goCommand(ctx, args...); err != nil {
		if bad := rejected(text); len(bad) > 0 {
			return bad, nil
		}
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	built := make(map[string]bool)
	for i := range stages {
		pkg := stages[i].pkg
		if built[pkg] {
			continue
		}
		built[pkg] = true
		if text, err := t.goCommand(ctx, "test", "-c", "-vet=off", "-overlay="+t.overlay, "-o", t.binary(pkg), "./"+pkg); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", pkg, err, text)
		}
	}
	return nil, nil
}

func (t *tester) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = t.root
	return cmd.CombinedOutput()
}

// binary returns the name of a package's test binary.
func (t *tester) binary(pkg string) string {
	return filepath.Join(t.dir, strings.ReplaceAll(pkg, "/", "-")+".test.exe")
}

// trace runs each test of the stages without a change, and records its times
// and the mutants that it reaches. All tests must pass. Records of an earlier
// run with the same binary are read from the state folder. Tests whose names do
// not match the pattern only are skipped.
func (t *tester) trace(ctx context.Context, state, only string, stages []stage) error {
	t.tests = nil
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	known, err := readTraces(state)
	if err != nil {
		return err
	}
	for i := range stages {
		s := &stages[i]
		data, err := os.ReadFile(t.binary(s.pkg))
		if err != nil {
			return err
		}
		names, err := t.testNames(ctx, s)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(fmt.Append(data, s.env))
		for _, name := range names {
			if !wanted.MatchString(name) {
				continue
			}
			x, key := test{stage: s, name: name}, fmt.Sprintf("%x:%s", sum[:8], name)
			if old, ok := known[key]; ok {
				x.base, x.reaches = old.base, old.reaches
			} else if err := t.traceTest(ctx, &x); err != nil {
				return err
			} else if err := appendTrace(state, key, &x); err != nil {
				return err
			}
			t.tests = append(t.tests, &x)
		}
	}
	return nil
}

// testNames lists the tests of a stage.
func (t *tester) testNames(ctx context.Context, s *stage) ([]string, error) {
	out, err := exec.CommandContext(ctx, t.binary(s.pkg), "-test.list="+s.run).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.pkg, err)
	}
	skip, err := regexp.Compile(cmp.Or(s.skip, "^$"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(out)), skip.MatchString), nil
}

func (t *tester) traceTest(ctx context.Context, x *test) error {
	folder, err := os.MkdirTemp(t.dir, "trace")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := t.test(ctx, x, traceVariable+"="+folder, 10*time.Minute, 10*time.Minute)
	if r.err != nil {
		return fmt.Errorf("%v, without a change: %w\n%s", x, r.err, r.output)
	}
	x.base, x.reaches = usage{r.wall, r.cpu}, make(map[int]bool)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			return err
		}
		x.reaches[n] = true
	}
	return nil
}

// try runs the tests that reach a mutant until one fails.
func (t *tester) try(ctx context.Context, id string, n int) (outcome, error) {
	o := outcome{id: id, verdict: survived}
	var list []*test
	for _, x := range t.tests {
		if x.reaches[n] {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(x, y *test) int { return cmp.Compare(x.cost(), y.cost()) })
	if len(list) == 0 {
		o.detail = "no test executes it"
	}
	left := t.limit
	for _, x := range list {
		r := t.test(ctx, x, mutantVariable+"="+strconv.Itoa(n), max(hangWall*x.base.wall, t.hang), min(left, max(hangCPU*x.base.cpu, t.hang)))
		left -= r.cpu
		o.seconds += r.cpu.Seconds()
		if ctx.Err() != nil {
			break
		}
		var err error
		if o.verdict, o.detail, err = r.judge(x, t.hang); err != nil {
			return o, err
		}
		if o.verdict == detected {
			// Without this check, a test whose data or machine has changed
			// would detect everything.
			if again := t.test(ctx, x, mutantVariable+"=", 10*time.Minute, 10*time.Minute); again.err != nil && ctx.Err() == nil {
				return o, fmt.Errorf("%v no longer passes without a change: %w\n%s", x, again.err, again.output)
			}
		}
		if o.verdict == survived && left < time.Second {
			o.verdict, o.detail = undecided, x.String()
		}
		if o.verdict == detected || o.verdict == hung {
			x.kills++
		}
		if o.verdict != survived {
			break
		}
	}
	return o, ctx.Err()
}

// run is an execution of a test.
type run struct {
	err       error
	status    int // the exit status, -1 after a signal
	output    string
	wall, cpu time.Duration
	expired   bool // a limit ended it
}

// test runs a test with limits on wall time and CPU time.
func (t *tester) test(ctx context.Context, x *test, variable string, wall, cpu time.Duration) run {
	args := []string{t.binary(x.stage.pkg), "-test.short", "-test.failfast", "-test.run=^" + x.name + "$", "-test.timeout=" + wall.String()}
	if runtime.GOOS == "linux" {
		limit := fmt.Sprintf(`ulimit -t %d && ulimit -v %d && exec "$@"`, int(cpu.Seconds())+1, memoryLimit)
		args = append([]string{"sh", "-c", limit, "sh"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(x.stage.pkg))
	cmd.Env = append(append(os.Environ(), x.stage.env...), variable)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	r := run{err: cmd.Run(), output: out.String(), wall: time.Since(begin)}
	if p := cmd.ProcessState; p != nil {
		r.cpu, r.status = p.UserTime()+p.SystemTime(), p.ExitCode()
	}
	r.expired = r.err != nil && (r.cpu >= cpu || strings.Contains(r.output, "panic: test timed out after "))
	return r
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// failure maps an exit status to the output of a test binary that ends with it:
// a failed test, a panic or an error of the runtime. No other status matches.
var failure = map[int]*regexp.Regexp{
	1: regexp.MustCompile(`(?m)^FAIL$`), 2: regexp.MustCompile(`(?m)^(panic|fatal error|runtime): |^goroutine `),
}

// judge returns the verdict of a run. A run that ended in a way that is unusual
// for tests is an error of the command, not of the mutant.
func (r *run) judge(x *test, least time.Duration) (verdict, string, error) {
	switch {
	case r.expired && max(r.cpu, r.wall) >= least && (r.cpu >= hangCPU*x.base.cpu || r.wall >= hangWall*x.base.wall):
		return hung, fmt.Sprintf("%v: %.1f s, %.1f s without the change", x, r.cpu.Seconds(), x.base.cpu.Seconds()), nil
	case r.expired:
		return undecided, x.String(), nil
	case r.err == nil:
		return survived, "", nil
	case failure[r.status] == nil || !failure[r.status].MatchString(r.output):
		return undecided, "", fmt.Errorf("%v: %w\n%s", x, r.err, r.output)
	}
	var names []string
	for _, m := range failedTest.FindAllStringSubmatch(r.output, 3) {
		names = append(names, m[1])
	}
	if names == nil {
		names = []string{x.name, r.err.Error()} // a panic, a fatal error
	}
	return detected, x.stage.pkg + ": " + strings.Join(names, " "), nil
}
