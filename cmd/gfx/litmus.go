package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/cycle"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

const litmusHelp = `Run litmus tests of the memory model.

A litmus test is a small concurrent program with a condition on its final state.
The command prints the outcomes that the memory model of LLVM's AMDGPU backend
allows and, with --mcpu, how often each outcome occurs when the test is compiled and
runs on the simulated processor: with --memory=weak under incoherent caches and memory
operations that complete late and out of order, in an order that --seed determines.

--search=K runs small tests with weak memory under every order of events, so that rare
outcomes are found: all orders with at most K deviations from the default order, in
which the waves run one after another, each once. Of each outcome it prints an order that
--schedule reproduces. --search-limit bounds the number of orders.

--emit-llvm prints the LLVM IR of one test instead. --object runs a code object that
another compiler has built from it.

--generate=N writes N tests without data races, each with the model's verdict, to the
folder of -o. They are random cycles of relations between accesses, with random
orderings, scopes, fences and address spaces; --seed selects them.

Exit status: 0 no forbidden outcome occurs and the model agrees with the tests' expected
verdicts, 4 otherwise, 3 a kernel fault or findings of a check, 1 invalid input,
2 invalid command line.`

const litmusExamples = `  gfx litmus mp.litmus
  gfx litmus --mcpu=gfx942 --memory=weak --executions=100000 mp.litmus sb.litmus
  gfx litmus --mcpu=gfx942 --search=2 mp.litmus
  gfx litmus --emit-llvm -o mp.ll mp.litmus
  gfx litmus --mcpu=gfx942 --object=mp.hsaco mp.litmus
  gfx litmus --generate=100 --seed=1 -o tests`

// litmusCommand holds the flags of gfx litmus.
type litmusCommand struct {
	target     targetFlags
	executions int
	memory     memoryFlags
	workers    int
	checks     []string
	object     string
	emitLLVM   bool
	generate   int
	json       bool
	output     string
}

func newLitmusCmd() *cobra.Command {
	var c litmusCommand
	cmd := &cobra.Command{
		Use:     "litmus [flags] {test.litmus...|--generate=N -o folder}",
		Short:   "Run litmus tests of the memory model",
		Long:    litmusHelp,
		Example: litmusExamples,
		RunE:    c.runFiles,
	}
	c.target.defineFlags(cmd, "`processor` to compile for and to run on (default: no run)")
	flags := cmd.Flags()
	flags.IntVar(&c.executions, "executions", 10000, "minimum `number` of executions of each test")
	c.memory.defineFlags(cmd, "the order of events with --memory=weak, and generated tests")
	flags.IntVar(&c.workers, "workers", 0, "number of work-groups to run in parallel (default: the number of host processors)")
	flags.StringSliceVar(&c.checks, "check", nil, "`list` of checks of the running kernel: "+checkNames())
	flags.StringVar(&c.object, "object", "", "run the code object in `file` instead of compiling the test")
	flags.BoolVar(&c.emitLLVM, "emit-llvm", false, "print the LLVM IR of one test")
	flags.IntVar(&c.generate, "generate", 0, "write a `number` of generated tests to the folder --output; --seed selects them")
	flags.BoolVar(&c.json, "json", false, "show everything as JSON")
	flags.StringVarP(&c.output, "output", "o", "-", "output `file`, or the folder of generated tests")
	completeList(cmd, "check", ",", checkList)
	return cmd
}

// runFiles is the body of the command.
func (c *litmusCommand) runFiles(cmd *cobra.Command, files []string) error {
	err := c.validate(cmd, files)
	switch {
	case err != nil:
	case c.generate > 0:
		err = c.writeGenerated()
	default:
		err = c.runTests(cmd, files)
	}
	var usage *usageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	return &inputError{err}
}

// validate checks the command line.
func (c *litmusCommand) validate(cmd *cobra.Command, files []string) error {
	if err := c.memory.validateSearch(cmd, "executions", "generate"); err != nil {
		return err
	}
	if cmd.Flags().Changed("generate") {
		return c.validateGenerate(files)
	}
	switch {
	case len(files) == 0:
		return usageErrorf("expected a litmus test")
	case len(files) > 1 && (c.emitLLVM || c.object != ""):
		return usageErrorf("--emit-llvm and --object take one test, found %d", len(files))
	case c.executions < 1 || c.executions > kernel.MaxExecutions:
		return usageErrorf("--executions=%d: expected 1 to %d", c.executions, kernel.MaxExecutions)
	case c.workers < 0 || c.workers > 1024:
		return usageErrorf("--workers=%d: expected 0 to 1024", c.workers)
	case c.memory.searches && c.target.cpu == "":
		return usageErrorf("--search and --schedule need --mcpu, the processor to run on")
	case c.object != "" && c.target.cpu == "":
		return usageErrorf("--object needs --mcpu, the processor to run on")
	}
	if c.target.given() && c.target.cpu == "" {
		return usageErrorf("--triple and --mattr need --mcpu")
	}
	return nil
}

func (c *litmusCommand) validateGenerate(files []string) error {
	switch {
	case len(files) > 0:
		return usageErrorf("--generate takes no tests, found %q", files[0])
	case c.generate < 1 || c.generate > cycle.MaxTests:
		return usageErrorf("--generate=%d: expected 1 to %d", c.generate, cycle.MaxTests)
	case c.output == "-":
		return usageErrorf("--generate needs -o, the folder of the tests")
	}
	return nil
}

// writeGenerated writes generated tests to a folder.
func (c *litmusCommand) writeGenerated() error {
	tests, err := cycle.Generate(c.generate, c.memory.seed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.output, 0o777); err != nil {
		return err
	}
	for _, t := range tests {
		if err := os.WriteFile(filepath.Join(c.output, t.Name+".litmus"), []byte(t.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// runTests prints the outcomes of all tests.
func (c *litmusCommand) runTests(cmd *cobra.Command, files []string) error {
	opt, err := c.options(cmd)
	if err != nil {
		return err
	}
	var all litmusOutput
	for _, name := range files {
		src, err := readInput(cmd, name)
		if err != nil {
			return err
		}
		test, err := litmus.Parse(src)
		if err != nil {
			return err
		}
		if c.emitLLVM {
			return writeLast(cmd, c.output, []byte(kernel.Module(test)))
		}
		report, err := c.runTest(cmd, src, test, opt)
		if err != nil {
			return err
		}
		all.reports = append(all.reports, report)
	}
	written := writeOutput(cmd, c.output, func(w io.Writer) error {
		if c.json {
			return printJSON(w, all.document())
		}
		return all.writeText(w)
	})
	if written != nil {
		return written
	}
	return all.status()
}

// options converts the flags to the options of a run; nil for no run.
func (c *litmusCommand) options(cmd *cobra.Command) (*kernel.Options, error) {
	checks, err := parseChecks(c.checks)
	if err != nil || c.target.cpu == "" {
		return nil, err
	}
	mode, err := c.memory.mode()
	if err != nil {
		return nil, err
	}
	t, err := c.target.target()
	if err != nil {
		return nil, err
	}
	o := &kernel.Options{Processor: t.Processor.Name, Features: strings.Join(c.target.mattr, ","), Executions: c.executions}
	o.Device = gfx.DeviceOptions{Checks: gfx.Checks(checks), Workers: c.workers, Memory: mode, Seed: c.memory.seed}
	if c.object != "" {
		src, err := readInput(cmd, c.object)
		if err != nil {
			return nil, err
		}
		o.Object = src.Text
	}
	return o, nil
}

// runTest decides a test, and runs it unless opt is nil.
func (c *litmusCommand) runTest(cmd *cobra.Command, src *diag.Source, test *litmus.Test, opt *kernel.Options) (*litmusReport, error) {
	allowed, err := model.Check(test)
	var at *model.PositionError
	switch {
	case errors.As(err, &at):
		return nil, diag.List{{Source: src, Off: at.At.Off, End: at.At.End, Message: at.Message}}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	r := &litmusReport{test: test, file: src.Name, allowed: allowed}
	if opt == nil {
		return r, nil
	}
	run := *opt
	// validate has reported an invalid schedule.
	run.Device.Search, _ = c.memory.newSearch()
	r.search = run.Device.Search
	done := r.watchSearch(cmd)
	defer done()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r.processor = opt.Processor
	r.result, err = kernel.Run(ctx, test, run)
	var found *gfx.CheckError
	var fault *gfx.Fault
	switch {
	case ctx.Err() != nil && r.search != nil:
		return nil, &interruptError{fmt.Errorf("interrupted: %v", r.search.Progress())}
	case ctx.Err() != nil:
		return nil, &interruptError{errors.New("interrupted")}
	case errors.As(err, &found), errors.As(err, &fault):
		return nil, &findingError{fmt.Errorf("%s: %w", src.Name, err)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return r, nil
}

// watchSearch shows the progress of a search on a terminal.
func (r *litmusReport) watchSearch(cmd *cobra.Command) (done func()) {
	if r.search == nil {
		return func() {}
	}
	return workingOn(cmd, func() string { return "searching " + r.test.Name + ": " + searchText(r.search) }, "")
}

// searchText describes how far a search has got.
func searchText(s *device.Search) string {
	p := s.Progress()
	return fmt.Sprintf("schedule %d, %d deviations", p.Schedules, p.Deviations)
}
