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
	"time"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

const runHelp = `Run kernels on a simulated GPU.

With --code, the input is a manifest that describes the run: a JSON file with
buffers, dispatches and expected contents. Otherwise the input is the code, and
flags describe the run: --kernel, --grid, --group, --offset, --cluster and an --arg for each
argument.

The code is one of:
  .hsaco, .so  a linked code object
  .o           a relocatable object, which is linked
  .s           assembler text, which is assembled for --mcpu and linked
  .ll, .bc     LLVM IR, which is compiled for --mcpu or its own target-cpu
  .mlir        MLIR, which is lowered and compiled in the same way
  other files  a file with offload bundles, of which --target selects a code object,
               or a binary of AMD Catalyst's OpenCL 1.2 driver

Comments of a text that begin with "gfx run:" specify flags; flags on the command
line override them.

With --bare-pointers a memref is the address alone, with --index-bitwidth=32 its
numbers have 32 bits, as after the conversions of MLIR with the options
use-bare-ptr-memref-call-conv and index-bitwidth.

An --arg is one of:
` + manifest.ArgSyntax + `

With --memory=weak the caches are incoherent, and memory operations complete late and
in any order, as far as the hardware permits: a missing s_waitcnt, cache policy or
invalidation has an effect. --seed=N determines the order of events, whatever
--workers is. --repeat=R then uses the seeds N to N+R-1 and stops at the first one
with a result that differs.

--search=K runs a small program with weak memory under every order of events with at most
K deviations from the default order, in which the waves run one after another, each once
and with freshly filled buffers; --search-limit bounds their number. It stops at the first
order with a result that differs, which --schedule reproduces.

--print and --expect name a buffer by its argument's number or its name. --print shows
its contents after the run, --print=0:16 the first 16 elements. --expect=0=FILE
compares it with a file of raw bytes; --expect=0=FILE,ABS,REL accepts
|got - want| <= ABS + REL*|want|. --save=0=FILE writes the contents after the run to a
file: raw bytes, or of an image a PNG file if the name ends in .png.

Exit status: 0 all results are as expected, 4 a result differs, 3 a kernel fault or
findings of a check, 1 invalid input, 2 invalid command line.`

const runExamples = `  gfx run --code=vecadd.hsaco vecadd.json
  gfx run --kernel=vecadd --grid=1024 --group=64 --arg='buf:f32[1024]=iota' \
      --arg='buf:f32[1024]=const(0.5)' --arg='buf:f32[1024]' --print=2:8 vecadd.hsaco
  gfx run --mcpu=gfx1100 --check=all vecadd.ll
  gfx run --mcpu=gfx900 --check=all --grid=64 --arg='buf:u32[64]' kernel.s
  gfx run --grid=640,480 --arg=image:in.jpg --arg=image:out.png,width=640,height=480 \
      --arg=sampler:linear,repeat blur.hsaco
  gfx run --mcpu=gfx942 --grid=64 --arg='memref:bf16[64x64]=iota' --arg='memref:f32[64x64]' gemm.mlir`

// runCommand holds the flags of gfx run.
type runCommand struct {
	target  targetFlags
	compile compileFlags
	code    string // --code
	choose  string // --target
	device  string
	kernel  string
	grid    string
	group   string
	offset  string
	cluster string
	args    []string
	prints  []string
	expects []string
	saves   []string

	checks  []string
	timeout time.Duration
	workers int
	memory  memoryFlags
	repeat  int
	trace   traceFlags
	stats   bool
	json    bool
	output  string
}

func newRunCmd() *cobra.Command {
	var c runCommand
	cmd := &cobra.Command{
		Use:     "run [flags] {manifest.json|in.hsaco}",
		Short:   "Run kernels on a simulated GPU",
		Long:    runHelp,
		Example: runExamples,
		Args:    oneInput,
		RunE:    run1(c.runInput),
	}
	c.target.defineFlags(cmd, "`processor` to assemble or compile for, and to run on (default: the code's)")
	flags := cmd.Flags()
	flags.StringVar(&c.code, "code", "", "`file` with the code, if the input is a manifest")
	flags.StringVar(&c.choose, "target", "", "run the code object for `target` from a file with several")
	c.compile.defineFlags(cmd)
	flags.StringVar(&c.device, "device", "sim", "`device` to run on: sim, the simulator")
	flags.StringVar(&c.kernel, "kernel", "", "`name` of the kernel (default: the only one)")
	flags.StringVar(&c.grid, "grid", "", "`work-items` of the grid: X, X,Y or X,Y,Z")
	flags.StringVar(&c.group, "group", "", "`work-items` of a work-group: X, X,Y or X,Y,Z (default: the kernel's required size, else 64)")
	flags.StringVar(&c.offset, "offset", "", "global `offset` of OpenCL: X, X,Y or X,Y,Z")
	flags.StringVar(&c.cluster, "cluster", "", "`work-groups` of a cluster (gfx12.5): X, X,Y or X,Y,Z (default: the kernel's required size, else 1)")
	flags.StringArrayVar(&c.args, "arg", nil, "an `argument` of the kernel, in order; see above")
	flags.StringArrayVar(&c.prints, "print", nil, "show a `buffer` after the run, or its first N elements: BUFFER:N")
	flags.StringArrayVar(&c.expects, "expect", nil, "compare a buffer with a file: `BUFFER=FILE[,ABS,REL]`")
	flags.StringArrayVar(&c.saves, "save", nil, "write a buffer or an image to a file after the run: `BUFFER=FILE`")
	flags.StringSliceVar(&c.checks, "check", nil, "`list` of checks of the running kernel: "+checkNames())
	flags.DurationVar(&c.timeout, "timeout", 10*time.Minute, "maximum `time` of a dispatch; 0: unlimited")
	flags.IntVar(&c.workers, "workers", 0, "number of work-groups to run in parallel (default: the number of host processors)")
	c.memory.defineFlags(cmd, "the order of events with --memory=weak")
	flags.IntVar(&c.repeat, "repeat", 1, "`number` of runs, with freshly filled buffers and, with --memory=weak, the seeds from --seed on")
	c.trace.defineFlags(cmd)
	flags.BoolVar(&c.stats, "stats", false, "count executed instructions by class")
	flags.BoolVar(&c.json, "json", false, "show everything as JSON")
	flags.StringVarP(&c.output, "output", "o", "-", "output `file`")
	c.complete(cmd)
	return cmd
}

// complete registers the shell completion of the flags.
func (c *runCommand) complete(cmd *cobra.Command) {
	var args []string
	for i := range manifest.Types {
		args = append(args, manifest.Types[i].Name+":")
	}
	args = append(args, "buf:", "memref:", "ref:", "local:", "bytes:", "image:", "sampler:")
	completeWords(cmd, "device", "sim")
	completeList(cmd, "check", ",", checkList)
	completeWords(cmd, "arg", args...)
}

// checkWord is a word that --check accepts.
type checkWord struct {
	name   string
	checks device.Checks
}

// checkWords returns the words that --check accepts.
func checkWords() (words []checkWord) {
	for c := device.Checks(1); c&device.CheckAll != 0; c <<= 1 {
		words = append(words, checkWord{c.String(), c})
	}
	return append(words, checkWord{"all", device.CheckAll})
}

func checkList() (names []string) {
	for _, w := range checkWords() {
		names = append(names, w.name)
	}
	return names
}

func checkNames() string { return strings.Join(checkList(), ", ") }

// checkName returns the name of one check.
func checkName(c device.Checks) string {
	for _, w := range checkWords() {
		if w.checks == c {
			return w.name
		}
	}
	return "check"
}

func parseChecks(list []string) (checks device.Checks, err error) {
next:
	for _, name := range list {
		for _, w := range checkWords() {
			if w.name == name {
				checks |= w.checks
				continue next
			}
		}
		return 0, usageErrorf("--check=%s: expected some of %s", name, checkNames())
	}
	return checks, nil
}

func (c *runCommand) runInput(cmd *cobra.Command, input string) error {
	if err := c.describe(cmd, input); err != nil {
		return err
	}
	opt, err := c.options(cmd)
	if err != nil {
		return err
	}
	m, open, err := c.manifest(cmd, input)
	if err != nil {
		return err
	}
	out := &runOutput{cmd: c, m: m}
	if out.prints, err = parsePrints(c.prints, m); err != nil {
		return err
	}
	if out.saves, err = parseSaves(c.saves, m); err != nil {
		return err
	}
	file := c.code
	if file == "" {
		file = input
	}
	if out.code, err = c.readCode(cmd, file); err != nil {
		return err
	}
	if c.target.given() {
		if opt.Target, err = c.target.target(); err != nil {
			return err
		}
	}
	return c.execute(cmd, out, open, opt)
}

// options converts the flags to the runtime's options.
func (c *runCommand) options(cmd *cobra.Command) (o kernelrun.Options, err error) {
	switch {
	case c.device != "sim":
		return o, usageErrorf("--device=%s: expected sim, the simulator", c.device)
	case c.timeout < 0:
		return o, usageErrorf("--timeout=%v: expected 0 or more", c.timeout)
	case c.workers < 0 || c.workers > 1024:
		return o, usageErrorf("--workers=%d: expected 0 to 1024", c.workers)
	case c.repeat < 1:
		return o, usageErrorf("--repeat=%d: expected 1 or more", c.repeat)
	}
	if err = c.memory.validateSearch(cmd, "repeat"); err != nil {
		return o, err
	}
	if o.Simulator.Memory, err = c.memory.mode(); err != nil {
		return o, err
	}
	// validateSearch has reported an invalid schedule.
	o.Simulator.Search, _ = c.memory.newSearch()
	o.Simulator.Seed = c.memory.seed
	o.Repeat = c.repeat
	o.Simulator.Timeout = c.timeout
	o.Simulator.Workers = c.workers
	if o.Simulator.Checks, err = parseChecks(c.checks); err != nil {
		return o, err
	}
	err = c.trace.options(&o)
	return o, err
}

// manifest returns the manifest to run: the input if --code names the code,
// else the manifest that the flags describe.
func (c *runCommand) manifest(cmd *cobra.Command, input string) (*manifest.Manifest, manifest.Open, error) {
	if c.code == "" {
		if strings.EqualFold(filepath.Ext(input), ".json") {
			return nil, nil, usageErrorf("%s is a manifest: specify the file with the code with --code", input)
		}
		m, err := c.flagManifest()
		return m, manifest.Folder("."), err
	}
	for flag, given := range map[string]bool{
		"kernel": c.kernel != "", "grid": c.grid != "", "group": c.group != "", "offset": c.offset != "", "cluster": c.cluster != "", "arg": c.args != nil, "expect": c.expects != nil,
	} {
		if given {
			return nil, nil, usageErrorf("--%s and --code exclude each other: the manifest describes the run", flag)
		}
	}
	if c.code == "-" && input == "-" {
		return nil, nil, usageErrorf("the manifest and the code cannot both be standard input")
	}
	src, err := readInput(cmd, input)
	if err == nil {
		err = checkText(src, "a manifest")
	}
	if err != nil {
		return nil, nil, err
	}
	m, found := manifest.Read(src)
	if found != nil {
		return nil, nil, found
	}
	return m, manifest.Folder(filepath.Dir(input)), nil
}

// execute runs the manifest and writes the results.
func (c *runCommand) execute(cmd *cobra.Command, out *runOutput, open manifest.Open, opt kernelrun.Options) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	closeTrace, err := c.trace.open(cmd, &opt)
	if err != nil {
		return err
	}
	out.search = opt.Simulator.Search
	opt.Simulator.Finding = out.found
	if c.json {
		opt.Simulator.Export = out.exports.record
	}
	done := watchRun(cmd, out.m, &opt)
	out.result, err = kernelrun.Run(ctx, out.code.name, out.code.data, out.m, open, opt)
	done()
	err = errors.Join(err, closeTrace())
	switch {
	case ctx.Err() != nil && out.search != nil:
		return &interruptError{fmt.Errorf("interrupted: %v", out.search.Progress())}
	case ctx.Err() != nil:
		return &interruptError{errors.New("interrupted")}
	}
	out.fault = nil
	if out.result == nil || err != nil && !errors.As(err, &out.fault) {
		return err
	}
	if err := out.saveBuffers(cmd); err != nil {
		return err
	}
	written := writeOutput(cmd, c.output, func(w io.Writer) error {
		if c.json {
			return out.writeJSON(w)
		}
		return out.writeText(w)
	})
	if written != nil {
		return written
	}
	return out.status(err)
}

// status returns the error that determines the exit status.
func (o *runOutput) status(err error) error {
	var list diag.List
	for i := range o.findings {
		list = append(list, diag.Diagnostic{Message: findingText(&o.findings[i])})
	}
	if n := o.unseen; n > 0 {
		list = append(list, diag.Diagnostic{Message: fmt.Sprintf("and %d more findings", n)})
	}
	if o.fault != nil {
		list = append(list, diag.Diagnostic{Message: faultText(err, o.fault)})
	}
	switch n := o.differing(); {
	case list != nil:
		return &findingError{list}
	case n > 0:
		with := ""
		switch {
		case o.search != nil:
			with = fmt.Sprintf(" with --schedule=%v", o.result.Schedule)
		case o.weak():
			with = fmt.Sprintf(" with --seed=%d", o.result.Seed)
		}
		return &differsError{fmt.Errorf("%s: %d of %d results differ%s", o.name(), n, len(o.result.Compared), with)}
	}
	return nil
}

// watchRun shows the progress of a long run on a terminal.
func watchRun(cmd *cobra.Command, m *manifest.Manifest, opt *kernelrun.Options) (done func()) {
	p := &runProgress{m: m, repeat: opt.Repeat, search: opt.Simulator.Search}
	opt.Starting, opt.Simulator.Progress = p.starting, p.groups
	return workingOn(cmd, p.text, "")
}
