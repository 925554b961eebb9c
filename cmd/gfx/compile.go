package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

const compileHelp = `Compile LLVM IR or MLIR to a code object.

The input is LLVM IR as text (.ll) or bitcode (.bc), or MLIR (.mlir), which
is lowered first. --mcpu or the target-cpu attribute of the functions specifies the
processor, in MLIR also the #rocdl.target of a gpu.module. Of a text of MLIR with
gpu.modules, these are compiled without the operations beside them.

Each input has an output of its own: in.hsaco, a code object for an HSA loader; with
-c in.o, a relocatable object; with -S in.s, assembler text. With -o and without -c
or -S, several inputs are linked into one code object.

--stop-after writes the module and its functions in machine IR to standard output,
or to the file of -o. --start-after reads such a file (.mir) and continues after the
same pass, which helps to test a pass: --stop-after=spill -o k.mir k.ll, then
--start-after=spill -S k.mir, with the same processor and level. A file may also
contain only functions, as --print-after prints them; kernels then have no arguments.
The passes on machine IR in execution order: %s.`

const compileExamples = `  gfx compile --mcpu=gfx1100 -O2 kernel.ll
  gfx compile -S -o - kernel.bc
  gfx compile --mcpu=gfx90a --device-lib-path=/opt/rocm -o all.hsaco a.ll b.ll
  gfx compile --mcpu=gfx942 kernel.mlir
  gfx compile --stop-after=isel kernel.ll
  gfx compile --mcpu=gfx900 --start-after=regalloc -S -o - kernel.mir`

// compileFlags holds the compiler flags of gfx compile and gfx run.
type compileFlags struct {
	target  targetFlags
	level   string
	cov     int
	libs    string
	cache   string
	edition string
	mlir    compile.MLIROptions
	passes  []string // --print-after
	stop    string
	start   string // --start-after
	verify  bool
	remarks bool
}

// compileCommand holds the flags of gfx compile.
type compileCommand struct {
	compileFlags
	text, object bool
	output       string
	json         bool
	jobs         int
}

func newCompileCmd() *cobra.Command {
	var c compileCommand
	cmd := &cobra.Command{
		Use:     "compile [flags] in.ll|in.bc|in.mlir|in.mir …",
		Short:   "Compile LLVM IR or MLIR to a code object",
		Long:    fmt.Sprintf(compileHelp, strings.Join(compile.PassNames(), ", ")),
		Example: compileExamples,
		Args:    someInputs,
		RunE:    runAll(c.compileFiles),
	}
	flags := cmd.Flags()
	c.target.defineFlags(cmd, "`processor` to compile for (default: the functions' target-cpu)")
	c.defineFlags(cmd)
	c.addInsight(cmd)
	flags.BoolVarP(&c.text, "S", "S", false, "write assembler text")
	flags.BoolVarP(&c.object, "compile", "c", false, "write a relocatable object")
	flags.StringVarP(&c.output, "output", "o", "", "output `file`")
	flags.BoolVar(&c.json, "json", false, "show registers, memory and occupancy of all functions as JSON")
	flags.IntVarP(&c.jobs, "jobs", "j", 0, "`number` of functions or files to process in parallel (default: the number of host processors)")
	return cmd
}

// defineFlags defines the flags that compile and run share.
func (c *compileFlags) defineFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&c.level, "optimize", "O", "2", "optimization `level`: 0, 1, 2 or 3 (same as 2)")
	flags.IntVar(&c.cov, "code-object-version", 0, "code object `version`, 2 to 6 (default: the module's, or 6)")
	flags.StringVar(&c.libs, "device-lib-path", "", "`folder` of ROCm's device libraries; required functions are linked")
	flags.StringVar(&c.cache, "cache", "", "`folder` of the cache of compiled code")
	addEdition(cmd, &c.edition)
	addLayout(cmd, &c.mlir.IndexBits, &c.mlir.BarePointers)
	completeWords(cmd, "optimize", "0", "1", "2", "3")
	completeWords(cmd, "code-object-version", "2", "3", "4", "5", "6")
}

// addInsight defines the flags that show the compiler's work.
func (c *compileFlags) addInsight(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&c.passes, "print-after", nil, "print functions to standard error after these `passes`, or after \"all\"")
	flags.StringVar(&c.stop, "stop-after", "", "stop after this `pass` on machine IR and write its text")
	flags.StringVar(&c.start, "start-after", "", "read machine IR, and start after this `pass`")
	flags.BoolVar(&c.verify, "verify-each", false, "verify the code after each pass")
	flags.BoolVar(&c.remarks, "remarks", false, "report the registers, spills and occupancy of each kernel, and the limit of its occupancy")
	completeList(cmd, "stop-after", "", compile.PassNames)
	completeList(cmd, "start-after", "", compile.PassNames)
	completeList(cmd, "print-after", ",", func() []string { return append([]string{"all"}, pipeline.Names()...) })
}

// someInputs is the argument rule of commands that read one or more files.
func someInputs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageErrorf("expected input files")
	}
	return nil
}

// runAll returns cobra's RunE for a body that takes all arguments; see run1.
func runAll(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := body(cmd, args)
		var usage *usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &inputError{err}
	}
}

// options converts the flags to the compiler's options.
func (c *compileFlags) options(cmd *cobra.Command) (o compile.Options, err error) {
	level, err := strconv.Atoi(c.level)
	if err != nil || level < 0 || level > compile.MaxLevel {
		return o, usageErrorf("-O%s: expected -O0 to -O%d", c.level, compile.MaxLevel)
	}
	if c.cov != 0 && (c.cov < target.MinCOV || c.cov > target.MaxCOV) {
		return o, usageErrorf("--code-object-version=%d: expected %d to %d", c.cov, target.MinCOV, target.MaxCOV)
	}
	if c.target.cpu != "" {
		if _, err := c.target.target(); err != nil {
			return o, err
		}
	}
	for _, name := range append([]string{c.stop, c.start}, c.passes...) {
		if err := knownPass(name, name == c.stop || name == c.start); err != nil {
			return o, err
		}
	}
	if passes := compile.PassNames(); c.start == passes[len(passes)-1] {
		return o, usageErrorf("--start-after=%s: no pass follows", c.start)
	}
	edition, err := parseEdition(c.edition)
	if err != nil {
		return o, err
	}
	c.mlir.Edition = edition
	return compile.Options{MLIR: c.mlir, Triple: c.target.triple, CPU: c.target.cpu, Features: strings.Join(c.target.mattr, ","), COV: c.cov, Level: level,
		DeviceLibs: c.libs, Cache: c.cache, Verify: c.verify, PrintAfter: c.passes, StopAfter: c.stop, StartAfter: c.start, Output: cmd.ErrOrStderr()}, nil
}

func knownPass(name string, stop bool) error {
	if name == "" || compile.KnownPass(name, stop) {
		return nil
	}
	return usageErrorf("unknown pass %q; the passes on machine code are %s", name, strings.Join(compile.PassNames(), ", "))
}

func (c *compileCommand) compileFiles(cmd *cobra.Command, files []string) error {
	o, err := c.options(cmd)
	switch {
	case err != nil:
		return err
	case c.text && c.object:
		return usageErrorf("-S and -c exclude each other")
	case c.jobs < 0 || c.jobs > 1024:
		return usageErrorf("--jobs=%d: expected 0 to 1024", c.jobs)
	case c.start != "" && len(files) > 1:
		return usageErrorf("--start-after expects one file")
	case c.output != "" && len(files) > 1 && c.stop != "":
		return usageErrorf("--stop-after with several inputs writes to standard output; remove -o")
	case c.output != "" && len(files) > 1 && (c.text || c.object):
		return usageErrorf("-o with several inputs links them into one code object; remove -S or -c")
	}
	o.Workers = c.jobs
	outputs, err := c.outputs(cmd, files)
	if err != nil {
		return err
	}
	o.Format = c.format(len(files))
	ctx := cmd.Context()
	if c.cache != "" { // the cache must not keep partial files
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	done := working(cmd, "compiling", outputs[0])
	if len(files) > 1 || c.libs != "" {
		collectLate()
	}
	results, err := c.compileAll(ctx, cmd, files, o)
	done()
	if ctx.Err() != nil {
		return &interruptError{errors.New("interrupted")}
	}
	if err != nil {
		return err
	}
	return c.write(cmd, files, outputs, results)
}

// format returns the output format of the compiler.
func (c *compileCommand) format(files int) compile.Format {
	switch {
	case c.text:
		return compile.Assembly
	case c.object, c.output != "" && files > 1:
		return compile.Object
	}
	return compile.Linked
}

// outputs returns the names of the outputs. Linked inputs share one.
func (c *compileCommand) outputs(cmd *cobra.Command, files []string) ([]string, error) {
	if c.output != "" {
		if c.output == "-" && !c.text && c.stop == "" && isTerminal(cmd.OutOrStdout()) {
			return nil, usageErrorf("not writing an object to the terminal: name a file with -o")
		}
		return []string{c.output}, nil
	}
	ext := map[compile.Format]string{compile.Assembly: ".s", compile.Object: ".o", compile.Linked: ".hsaco"}[c.format(1)]
	var list []string
	for _, f := range files {
		if f == "-" || c.stop != "" {
			list = append(list, "-")
			continue
		}
		list = append(list, strings.TrimSuffix(f, filepath.Ext(f))+ext)
	}
	return list, nil
}

// compileAll compiles the files, several at a time.
func (c *compileCommand) compileAll(ctx context.Context, cmd *cobra.Command, files []string, o compile.Options) ([]*compile.Result, error) {
	jobs := c.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if len(files) > 1 {
		o.Workers = max(jobs/len(files), 1)
	}
	results, errs := make([]*compile.Result, len(files)), make([]error, len(files))
	turns := make(chan struct{}, jobs)
	var group sync.WaitGroup
	for i, name := range files {
		src, err := readInput(cmd, name)
		if err == nil && c.start == "" {
			err = checkModule(src)
		} else if err == nil {
			err = checkText(src, "machine IR")
		}
		if err != nil {
			errs[i] = err
			continue
		}
		if len(files) == 1 {
			collectLateFor(src)
			results[i], errs[i] = compileSource(ctx, src, o)
			break
		}
		turns <- struct{}{}
		group.Go(func() {
			results[i], errs[i] = compileSource(ctx, src, o)
			<-turns
		})
	}
	group.Wait()
	return results, joinDiagnostics(errs)
}

// compileSource compiles one file.
func compileSource(ctx context.Context, src *diag.Source, o compile.Options) (*compile.Result, error) {
	r, err := compile.Compile(ctx, []compile.Input{{Name: src.Name, Data: src.Text, MLIR: isMLIR(src.Name)}}, o)
	if errors.Is(err, compile.ErrNoProcessor) {
		err = fmt.Errorf("%s: %w; specify the processor with --mcpu", src.Name, err)
	}
	return r, err
}

// isMLIR reports whether a file is a text of MLIR, by its name.
func isMLIR(name string) bool { return strings.EqualFold(filepath.Ext(name), ".mlir") }

// checkModule returns an error for an input that is neither LLVM IR nor MLIR.
func checkModule(src *diag.Source) error {
	if isMLIR(src.Name) {
		return checkText(src, "MLIR")
	}
	name, hint := formatOf(src.Text)
	if strings.HasPrefix(name, "LLVM bitcode") {
		return nil
	}
	if name != "" {
		return mismatch(src, "LLVM IR", name, hint)
	}
	return checkText(src, "LLVM IR")
}

// joinDiagnostics merges the errors of several files into one list.
func joinDiagnostics(errs []error) error {
	var all diag.List
	for _, err := range errs {
		var list diag.List
		var wrong *target.Error
		switch {
		case err == nil:
		case errors.As(err, &list):
			all = append(all, list...)
		case errors.As(err, &wrong):
			all = append(all, wrong.Diagnostic())
		default:
			all = append(all, diag.Diagnostic{Message: err.Error()})
		}
	}
	return all.Err()
}

// write writes the results and the messages about them.
func (c *compileCommand) write(cmd *cobra.Command, files, outputs []string, results []*compile.Result) error {
	data := make([][]byte, len(results))
	for i, r := range results {
		data[i] = r.Data
	}
	if len(outputs) == 1 && len(files) > 1 {
		one, err := linkResults(files, data)
		if err != nil {
			return err
		}
		data = [][]byte{one}
	}
	for i, name := range outputs {
		if err := writeLast(cmd, name, data[i]); err != nil {
			return err
		}
	}
	return c.notify(cmd, files, results)
}

// linkResults links the objects of several files.
func linkResults(files []string, data [][]byte) ([]byte, error) {
	var inputs []link.Input
	for i, name := range files {
		inputs = append(inputs, link.Input{Name: name, Data: data[i]})
	}
	out, err := link.Link(inputs, link.Options{})
	var list link.Errors
	if errors.As(err, &list) {
		return nil, linkErrors(list)
	}
	return out, err
}

// fileReport is the --json report of a file.
type fileReport struct {
	File   string `json:"file"`
	Cached bool   `json:"cached,omitempty"`
	*compile.Report
}

// notify writes warnings, remarks and the report.
func (c *compileCommand) notify(cmd *cobra.Command, files []string, results []*compile.Result) error {
	for i, r := range results {
		for _, w := range r.Report.Warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", files[i], w)
		}
	}
	if c.remarks {
		for i, r := range results {
			printRemarks(cmd, files[i], r.Report)
		}
	}
	if !c.json {
		return nil
	}
	var list []fileReport
	for i, r := range results {
		list = append(list, fileReport{files[i], r.Cached, r.Report})
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if c.output == "-" {
		w = cmd.ErrOrStderr()
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// printRemarks prints the resources of each kernel and the limit of its waves.
func printRemarks(cmd *cobra.Command, file string, r *compile.Report) {
	w := cmd.ErrOrStderr()
	for _, f := range r.Functions {
		fmt.Fprintf(w, "%s: remark: %s: %d bytes of code, %d SGPRs, %d VGPRs", file, f.Name, f.CodeBytes, f.SGPRs, f.VGPRs)
		if f.AGPRs > 0 {
			fmt.Fprintf(w, ", %d AGPRs", f.AGPRs)
		}
		fmt.Fprintf(w, ", %d bytes of scratch memory, %d bytes of LDS", f.ScratchBytes, f.LDSBytes)
		if f.SpilledSGPRs+f.SpilledVGPRs > 0 {
			fmt.Fprintf(w, "; spilled: %d SGPRs, %d VGPRs", f.SpilledSGPRs, f.SpilledVGPRs)
		}
		if f.Kernel {
			fmt.Fprintf(w, "; %d waves per execution unit, limited by %s", f.WavesPerEU, f.Limit)
		}
		fmt.Fprintln(w)
	}
}
