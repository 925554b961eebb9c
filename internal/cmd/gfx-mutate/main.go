// Command gfx-mutate measures the compiler's tests: it changes one operator,
// constant, condition, statement or order in a pass, the selector, the register
// allocator or the wait inserter, and counts how many of the changes the tests
// detect. It draws a sample by a seed, tries one mutant at a time, fastest tests
// first, and keeps the outcomes in a folder, so that it goes on where it was
// stopped.
//
// A mutant counts as detected when a test fails or hangs. Those that survive are
// listed; each needs a test, or a line in reasons.tsv that says why no test can
// see it.
//
// github.com/go-gremlins/gremlins, the one Go tool of this kind that is kept up, has
// neither a sample nor stages, and runs all tests of a package on every mutant.
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
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.sample, "n", 150, "mutants in the sample")
	flag.Uint64Var(&o.seed, "seed", 1, "which sample to draw")
	flag.StringVar(&o.state, "state", "", "`folder` of the outcomes (default: gfx-mutate in the user's cache)")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "time for the tests of a mutant, building included")
	flag.BoolVar(&o.retry, "retry", false, "try those again that survived or ran out of time")
	flag.BoolVar(&o.list, "list", false, "list the sample and its outcomes without a test")
	flag.Float64Var(&o.bar, "bar", 90, "per cent that must be detected")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := mutate(ctx, os.Stdout, &o); err != nil {
		fmt.Fprintln(os.Stderr, "gfx-mutate:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	sample      int
	seed        uint64
	state       string
	limit       time.Duration
	retry, list bool
	bar         float64
}

// reasonsFile has the mutants that no test can detect.
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
	if err := os.MkdirAll(o.state, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gfx-mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := session{options: o, out: out, tester: tester{root: root, dir: dir, limit: o.limit, hang: 10 * time.Second, base: make(map[stage]usage)}}
	if s.state, err = readState(o.state); err != nil {
		return err
	}
	if s.reasons, err = readReasons(filepath.Join(root, filepath.FromSlash(reasonsFile))); err != nil {
		return err
	}
	if err := s.run(ctx, groups); err != nil {
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
	chosen  []candidate // of the sample, all that compile
}

// run tries the sample, a mutant of each group in turn, so that what a stopped
// run reached is a smaller sample.
func (s *session) run(ctx context.Context, all []group) error {
	lists, left := make([][]candidate, len(all)), make([]int, len(all))
	for i := range all {
		var err error
		if lists[i], err = all[i].candidates(s.root, s.seed); err != nil {
			return err
		}
		left[i] = quota(all, i, s.sample)
	}
	for more := true; more; {
		more = false
		for i := range all {
			for left[i] > 0 && len(lists[i]) > 0 {
				c := lists[i][0]
				lists[i] = lists[i][1:]
				o, err := s.outcome(ctx, &c)
				if err != nil {
					return err
				}
				if o.verdict == invalid {
					continue
				}
				more = true
				left[i]--
				s.chosen = append(s.chosen, c)
				break
			}
		}
	}
	return nil
}

// outcome returns what is known of a mutant, and tries it when nothing is. After
// an interrupt and with -list nothing is tried.
func (s *session) outcome(ctx context.Context, c *candidate) (outcome, error) {
	o, ok := s.state[c.id()]
	if ok && !(s.retry && (o.verdict == survived || o.verdict == undecided) && s.reasons[o.id] == "") {
		return o, nil
	}
	if s.list || ctx.Err() != nil {
		return o, nil
	}
	o, err := s.try(ctx, &c.mutant, c.group.stages)
	if ctx.Err() != nil {
		return outcome{}, nil
	} else if err != nil {
		return o, err
	}
	fmt.Fprintf(s.out, "%-9s %5.1f s  %s:%d %s %s\n", o.verdict, o.seconds, c.file, c.line, c.operator, o.detail)
	s.state[o.id] = o
	return o, appendState(s.options.state, o)
}

// report prints the figures and the survivors.
func (s *session) report() error {
	counts := make(map[verdict]int)
	open, tried := 0, 0
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
		} else {
			open++
		}
	}
	found := counts[detected] + counts[hung]
	percent := 100 * float64(found) / float64(max(tried, 1))
	fmt.Fprintf(s.out, "\nseed %d: %d of %d mutants tried, %d detected (%d of them hang), %d survived, %d undecided: %.1f %% detected; %d without a test or a reason\n",
		s.seed, tried, s.sample, found, counts[hung], counts[survived], counts[undecided], percent, open)
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
