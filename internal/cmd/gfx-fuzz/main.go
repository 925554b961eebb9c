// Command gfx-fuzz runs every fuzz test of the module for a duration or a
// number of executions, and prints the number of executions of each. A fuzz
// test that fails or executes nothing is an error.
//
// It differs from "go test -fuzz" in four ways: a package's test binary is
// built once for all its fuzz tests; new inputs are minimized only on request,
// so that the time is spent on the search; the end of the time is not reported
// as a failure (Go issue 75804); one failure does not end the run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.fuzztime, "fuzztime", "10m", "time (30s) or number of executions (200x) of each fuzz test")
	flag.StringVar(&o.minimize, "fuzzminimizetime", "0s", "time or executions for minimizing each new input, failing ones included")
	flag.StringVar(&o.name, "name", "Fuzz", "run the fuzz tests whose name contains this `text`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, &o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gfx-fuzz:", err)
		os.Exit(1)
	}
}

// options holds the command's flags.
type options struct {
	fuzztime, minimize, name string
}

// run fuzzes the packages that match the patterns, or the whole module without
// patterns, and prints the summary. After an interrupt it starts no further
// tests.
func run(ctx context.Context, out io.Writer, o *options, patterns []string) error {
	packages, err := findPackages(patterns, o.name)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return fmt.Errorf("no fuzz test has %q in its name", o.name)
	}
	dir, err := os.MkdirTemp("", "gfx-fuzz-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cache, err := inputCache(o.fuzztime, dir)
	if err != nil {
		return err
	}
	var results []result
	for _, p := range packages {
		results = append(results, fuzzPackage(ctx, out, o, p, dir, filepath.Join(cache, p.path))...)
	}
	failed := summary(out, results)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case failed > 0:
		return fmt.Errorf("%d of %d fuzz tests failed", failed, len(results))
	}
	return nil
}

// fuzzPackage builds a package's test binary in dir and runs its fuzz tests one
// after the other.
func fuzzPackage(ctx context.Context, out io.Writer, o *options, p pkg, dir, cache string) (results []result) {
	if ctx.Err() != nil {
		return nil
	}
	binary := filepath.Join(dir, filepath.Base(p.path)+".test.exe")
	defer os.Remove(binary)
	// Any pattern enables the instrumentation.
	build := exec.Command("go", "test", "-c", "-fuzz=Fuzz", "-o", binary, p.path)
	build.Dir = p.dir
	if text, err := build.CombinedOutput(); err != nil {
		return []result{{pkg: p.path, name: "(build)", problem: fmt.Sprintf("%v\n%s", err, text)}}
	}
	for _, name := range p.tests {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(out, "fuzz %s %s\n", p.path, name)
		var text strings.Builder
		cmd := exec.Command(binary, "-test.v", "-test.run=^$", "-test.fuzz=^"+name+"$", "-test.fuzztime="+o.fuzztime,
			"-test.fuzzminimizetime="+o.minimize, "-test.fuzzcachedir="+cache)
		cmd.Dir = p.dir
		if isCheck(o.fuzztime) {
			cmd.Args = append(cmd.Args, "-test.parallel=1")
			cmd.Env = append(os.Environ(), "GODEBUG=fuzzseed=1")
		}
		cmd.Stdout = io.MultiWriter(out, &text)
		cmd.Stderr = cmd.Stdout
		begin := time.Now()
		err := cmd.Run()
		results = append(results, judge(p.path, name, text.String(), time.Since(begin), err))
	}
	return results
}

// isCheck reports whether fuzz tests run a fixed number of times. This is not a
// search but a check, which always tries the same inputs.
func isCheck(fuzztime string) bool { return strings.HasSuffix(fuzztime, "x") }

// inputCache returns the folder that keeps new inputs: for a search, the folder
// of "go test -fuzz". A check must not depend on earlier searches; it starts
// from the seeds alone.
func inputCache(fuzztime, dir string) (string, error) {
	if isCheck(fuzztime) {
		return filepath.Join(dir, "inputs"), nil
	}
	text, err := exec.Command("go", "env", "GOCACHE").Output()
	return filepath.Join(strings.TrimSpace(string(text)), "fuzz"), err
}

// summary prints a table of the results and returns how many failed.
func summary(out io.Writer, results []result) (failed int) {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tfuzz test\texecutions\tper second\tresult")
	for _, r := range results {
		verdict := "ok"
		if r.problem != "" {
			first, _, _ := strings.Cut(r.problem, "\n")
			verdict = "FAIL: " + first
			failed++
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%s\n", r.pkg, r.name, r.execs, float64(r.execs)/max(r.took.Seconds(), 0.001), verdict)
	}
	w.Flush()
	for _, r := range results {
		if _, rest, ok := strings.Cut(r.problem, "\n"); ok {
			fmt.Fprintf(out, "\n%s %s:\n%s\n", r.pkg, r.name, rest)
		}
	}
	return failed
}
