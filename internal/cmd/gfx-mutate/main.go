// Command gfx-mutate measures the compiler's tests: it changes one operator,
// constant, condition, statement or order in a pass, the selector, the register
// allocator or the wait inserter, and counts how many of the changes the tests
// detect. It draws a sample by a seed, compiles all of its mutants at once,
// runs every test to see which mutants it executes, and tries one mutant at a
// time on these tests, fastest first. It keeps the outcomes in a folder, so
// that an interrupted run can continue.
//
// A mutant counts as detected if a test fails or hangs. Survivors are listed;
// each needs a test, or a line in reasons.tsv with the reason why no test can
// detect it. The required score excludes mutants with such a line.
//
// github.com/go-gremlins/gremlins, the only maintained Go tool of this kind,
// has neither a sample nor stages, and runs all tests of a package on every
// mutant.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.sample, "n", 150, "mutants in the sample")
	flag.Uint64Var(&o.seed, "seed", 1, "which sample to draw")
	flag.StringVar(&o.state, "state", "", "`folder` of the outcomes (default: gfx-mutate in the user's cache)")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "processor time for the tests of a mutant")
	flag.BoolVar(&o.retry, "retry", false, "try surviving and undecided mutants again")
	flag.StringVar(&o.only, "run", "", "use only tests whose names match this `pattern`; mutants that they do not detect keep their outcome")
	flag.BoolVar(&o.list, "list", false, "list the sample and its outcomes without a test")
	flag.Float64Var(&o.bar, "bar", 90, "required percentage of detected mutants, excluding those with a reason")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutate(ctx, os.Stdout, &o); err != nil {
		fmt.Fprintln(os.Stderr, "gfx-mutate:", err)
		os.Exit(1)
	}
}

// options holds the command's flags.
type options struct {
	sample      int
	seed        uint64
	state       string
	limit       time.Duration
	retry, list bool
	only        string
	bar         float64
}

// reasonsFile lists the mutants that no test can detect.
const reasonsFile = "internal/cmd/gfx-mutate/reasons.tsv"

func mutate(ctx context.Context, out io.Writer, o *options) error {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return err
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	if o.state == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		o.state = filepath.Join(cache, "gfx-mutate")
	}
	if o.state, err = filepath.Abs(o.state); err != nil {
		return err
	}
	// The sources are in the same folder each time, so that the build cache can
	// be used; the binaries are this run's own.
	src := filepath.Join(o.state, "src")
	if err := os.MkdirAll(src, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gfx-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := session{options: o, out: out, tester: tester{root: root, src: src, dir: dir, limit: o.limit, hang: 10 * time.Second}}
	if s.state, err = readState(o.state); err != nil {
		return err
	}
	if s.reasons, err = readReasons(filepath.Join(root, filepath.FromSlash(reasonsFile))); err != nil {
		return err
	}
	if err := s.run(ctx, groups, stages); err != nil {
		return err
	}
	return s.report()
}

// session is a run of the command.
type session struct {
	*options
	tester
	out     io.Writer
	state   map[string]outcome
	reasons map[string]string
	chosen  []candidate // the mutants of the sample that compile
}

// run tries the sample.
func (s *session) run(ctx context.Context, all []group, stages []stage) error {
	lists := make([][]candidate, len(all))
	for i := range all {
		var err error
		if lists[i], err = all[i].candidates(s.root, s.seed); err != nil {
			return err
		}
	}
	for {
		s.choose(all, lists)
		if s.list || !slices.ContainsFunc(s.chosen, func(c candidate) bool { return s.wanted(&c) }) {
			return nil
		}
		bad, err := s.build(ctx, s.chosen, stages)
		if err != nil {
			return err
		}
		if len(bad) == 0 {
			return s.tryAll(ctx, stages)
		}
		for i, message := range bad {
			if err := s.note(&s.chosen[i], outcome{id: s.chosen[i].id(), verdict: invalid, detail: message}); err != nil {
				return err
			}
		}
	}
}

// choose fills the sample with mutants that may compile, one of each group in
// turn, so that the outcomes of an interrupted run form a smaller sample.
func (s *session) choose(all []group, lists [][]candidate) {
	s.chosen = nil
	next, left := make([]int, len(all)), make([]int, len(all))
	for i := range all {
		left[i] = quota(all, i, s.sample)
	}
	for more := true; more; {
		more = false
		for i, list := range lists {
			for next[i] < len(list) && s.state[list[next[i]].id()].verdict == invalid {
				next[i]++
			}
			if left[i] > 0 && next[i] < len(list) {
				s.chosen = append(s.chosen, list[next[i]])
				next[i]++
				left[i]--
				more = true
			}
		}
	}
}

// wanted reports whether a mutant is to be tried.
func (s *session) wanted(c *candidate) bool {
	o, ok := s.state[c.id()]
	return !ok || s.retry && (o.verdict == survived || o.verdict == undecided) && s.reasons[o.id] == ""
}

// tryAll tries the wanted mutants of the sample. An interrupt ends it early,
// without an error.
func (s *session) tryAll(ctx context.Context, stages []stage) error {
	if err := s.trace(ctx, s.options.state, s.only, stages); err != nil {
		return err
	}
	for i := range s.chosen {
		c := &s.chosen[i]
		if !s.wanted(c) {
			continue
		}
		o, err := s.try(ctx, c.id(), i)
		if ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
		if s.only != "" && o.verdict != detected && o.verdict != hung {
			continue
		}
		if err := s.note(c, o); err != nil {
			return err
		}
	}
	return nil
}

// note prints and stores an outcome.
func (s *session) note(c *candidate, o outcome) error {
	fmt.Fprintf(s.out, "%-9s %5.1f s  %s:%d %s %s\n", o.verdict, o.seconds, c.file, c.line, c.operator, o.detail)
	s.state[o.id] = o
	return appendState(s.options.state, o)
}

// report prints the figures and the survivors.
func (s *session) report() error {
	counts := make(map[verdict]int)
	excused, tried := 0, 0
	for i := range s.chosen {
		c := &s.chosen[i]
		o, ok := s.state[c.id()]
		if !ok {
			continue
		}
		tried++
		counts[o.verdict]++
		if o.verdict == detected || o.verdict == hung {
			continue
		}
		src, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(c.file)))
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "\n%s: %s:%d, %s: %s\n\t%s\n\t%s\n", o.verdict, c.file, c.line, c.operator, c.change(src), c.text, o.id)
		if reason := s.reasons[o.id]; reason != "" {
			fmt.Fprintf(s.out, "\treason: %s\n", reason)
			excused++
		} else if o.detail != "" {
			fmt.Fprintf(s.out, "\t%s\n", o.detail)
		}
	}
	found := counts[detected] + counts[hung]
	percent := 100 * float64(found) / float64(max(tried-excused, 1))
	fmt.Fprintf(s.out, "\nseed %d: %d of %d mutants tried, %d detected (%d of them hang), %d survived, %d undecided, %d of these with a reason: %.1f %% of the others detected\n",
		s.seed, tried, s.sample, found, counts[hung], counts[survived], counts[undecided], excused, percent)
	switch {
	case s.list:
		return nil
	case tried < s.sample:
		return fmt.Errorf("%d of %d mutants were not tried", s.sample-tried, s.sample)
	case percent < s.bar:
		return fmt.Errorf("%.1f %% of the mutants are detected, expected %.1f %%", percent, s.bar)
	}
	return nil
}
