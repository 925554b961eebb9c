package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// tester runs test binaries on mutants. Sources are changed through an overlay of
// the go command; no file of the module is written.
type tester struct {
	root  string
	dir   string        // for the overlay and the binaries
	limit time.Duration // of all tests of a mutant
	hang  time.Duration // the least time after which a test is taken for hung
	base  map[stage]usage
}

// usage is what a stage takes without a change.
type usage struct{ wall, cpu time.Duration }

// A test that takes this many times as long as without the change is taken for hung.
// The processor's time decides, so that other work on the machine does not;
// where nothing is computed, the clock does.
const (
	hangCPU  = 4
	hangWall = 20
)

// baseline measures a stage without a change. It must pass.
func (t *tester) baseline(ctx context.Context, s stage) error {
	if _, ok := t.base[s]; ok {
		return nil
	}
	binary, text, err := t.build(ctx, s.pkg, nil)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", s.pkg, err, text)
	}
	r := t.test(ctx, s, binary, 10*time.Minute)
	if r.err != nil {
		return fmt.Errorf("%s %s, without a change: %w\n%s", s.pkg, s.run, r.err, r.output)
	}
	t.base[s] = usage{r.wall, r.cpu}
	return nil
}

// try builds and tests a mutant, stage by stage, until a test fails.
func (t *tester) try(ctx context.Context, m *mutant, stages []stage) (outcome, error) {
	begin := time.Now()
	o := outcome{id: m.id(), verdict: survived}
	overlay, err := t.overlay(m)
	if err != nil {
		return o, err
	}
	for i, s := range stages {
		// The baseline comes out of nobody's time.
		pause := time.Now()
		if err := t.baseline(ctx, s); err != nil {
			return o, err
		}
		begin = begin.Add(time.Since(pause))
		binary, text, err := t.build(ctx, s.pkg, overlay)
		if err != nil && i == 0 {
			o.verdict, o.detail = invalid, lastLine(text)
			break
		} else if err != nil {
			return o, fmt.Errorf("%s: %s: %w\n%s", o.id, s.pkg, err, text)
		}
		r := t.test(ctx, s, binary, t.limit-time.Since(begin))
		if o.verdict, o.detail = r.judge(s, t.base[s], t.hang); o.verdict != survived {
			break
		}
	}
	o.seconds = time.Since(begin).Seconds()
	return o, ctx.Err()
}

// overlay writes the changed file, and the overlay that puts it into place.
func (t *tester) overlay(m *mutant) ([]string, error) {
	name := filepath.Join(t.root, filepath.FromSlash(m.file))
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	changed, list := filepath.Join(t.dir, "changed.go"), filepath.Join(t.dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {name: changed}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(changed, m.apply(src), 0o666); err != nil {
		return nil, err
	}
	return []string{"-overlay=" + list}, os.WriteFile(list, text, 0o666)
}

// build builds a package's test binary. An error comes with the compiler's output.
func (t *tester) build(ctx context.Context, pkg string, flags []string) (binary string, text []byte, err error) {
	binary = filepath.Join(t.dir, "mutant.test.exe")
	args := append([]string{"test", "-c", "-vet=off", "-o", binary}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = t.root
	text, err = cmd.CombinedOutput()
	return binary, text, err
}

// run is a run of a test binary.
type run struct {
	err       error
	output    string
	wall, cpu time.Duration
	expired   bool // the limit ended it
}

// test runs a stage's tests for a time at most.
func (t *tester) test(ctx context.Context, s stage, binary string, limit time.Duration) run {
	if limit < time.Second {
		return run{expired: true}
	}
	if b, ok := t.base[s]; ok {
		limit = min(limit, max(hangWall*b.wall, t.hang))
	}
	cmd := exec.CommandContext(ctx, binary, "-test.short", "-test.failfast", "-test.run="+s.run, "-test.timeout="+limit.String())
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(s.pkg))
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	r := run{err: cmd.Run(), output: out.String(), wall: time.Since(begin)}
	if p := cmd.ProcessState; p != nil {
		r.cpu = p.UserTime() + p.SystemTime()
	}
	r.expired = r.err != nil && strings.Contains(r.output, "panic: test timed out after ")
	return r
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// judge says what a run shows.
func (r *run) judge(s stage, base usage, least time.Duration) (verdict, string) {
	switch {
	case r.expired && r.wall >= least && (r.cpu >= hangCPU*base.cpu || r.wall >= hangWall*base.wall):
		return hung, fmt.Sprintf("%s: %.0f s, %.0f s without the change", s.pkg, r.wall.Seconds(), base.wall.Seconds())
	case r.expired:
		return undecided, s.pkg + " " + s.run
	case r.err == nil:
		return survived, ""
	}
	var names []string
	for _, m := range failedTest.FindAllStringSubmatch(r.output, 3) {
		names = append(names, m[1])
	}
	if names == nil {
		names = []string{r.err.Error()} // a panic, a fatal error
	}
	return detected, s.pkg + ": " + strings.Join(names, " ")
}

// lastLine returns the last line of a compiler's output.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
