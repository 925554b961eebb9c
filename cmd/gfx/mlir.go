package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

const mlirHelp = `Read, check and print a module of MLIR, after passes or as LLVM IR.

The dialects are amdgpu and those that kernels are built on: builtin, func, gpu,
arith, math, index, cf, scf, affine, memref, vector, llvm, rocdl and ub. An invalid
module is reported in MLIR's words, at MLIR's positions.

--edition selects the syntax that is printed, and the rules where versions of LLVM
differ; both spellings of amdgpu.mfma and amdgpu.wmma are read, with --strict only
the edition's own.

The text may hold several modules between lines "// -----": --split-input-file
treats them one by one. --verify-diagnostics compares the reported errors with
annotations such as

  // expected-error@+1 {{part of the message}}

and reports each difference, with exit status 3.

--passes runs passes by MLIR's names, for builtin.module or in MLIR's notation for
operations within each other: "gpu.module(lower-affine,convert-scf-to-cf)". --to=llvm
lowers kernels completely for the processor of --mcpu, to the dialects llvm and rocdl;
--to=llvmir prints the LLVM IR of the result.

--mlir-to-llvmir prints the LLVM IR of a module in the dialects llvm and rocdl. If the
module consists of one gpu.module without functions beside it, this one is translated.

Passes:
`

const mlirExamples = `  gfx mlir kernel.mlir
  gfx mlir --edition=19 --mlir-print-op-generic kernel.mlir
  gfx mlir --passes=canonicalize,cse kernel.mlir
  gfx mlir --to=llvmir --mcpu=gfx942 -o kernel.ll kernel.mlir
  gfx mlir --mlir-to-llvmir -o kernel.ll lowered.mlir
  gfx mlir --split-input-file --verify-diagnostics invalid.mlir`

// mlirPassList lists the passes of MLIR with their options.
func mlirPassList() string {
	var text strings.Builder
	for _, p := range lower.Passes() {
		fmt.Fprintf(&text, "  %-35s %s\n", p.Name, p.Summary)
		for _, o := range p.Options {
			fmt.Fprintf(&text, "    %-33s %s\n", o.Name, o.Help)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// mlirCommand holds the flags of gfx mlir.
type mlirCommand struct {
	output       string
	edition      string
	print        mlir.PrintOptions
	strict       bool
	unregistered bool
	split        bool
	verify       bool
	passes       string
	to           string
	options      lower.Options
	toIR         bool
}

func newMLIRCmd() *cobra.Command {
	var c mlirCommand
	cmd := &cobra.Command{
		Use:     "mlir [flags] in.mlir",
		Short:   "Read, check and print MLIR",
		Long:    mlirHelp + mlirPassList(),
		Example: mlirExamples,
		Args:    oneInput,
		RunE:    c.runFiles,
	}
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "-", "output `file`")
	addEdition(cmd, &c.edition)
	flags.BoolVar(&c.print.Generic, "mlir-print-op-generic", false, "print all operations in the generic form")
	flags.BoolVar(&c.print.DebugInfo, "mlir-print-debuginfo", false, "print locations")
	flags.BoolVar(&c.strict, "strict", false, "read only the syntax of the edition")
	flags.BoolVar(&c.unregistered, "allow-unregistered-dialect", false, "accept operations of unknown dialects")
	flags.BoolVar(&c.split, "split-input-file", false, "treat the parts between lines \"// -----\" as modules")
	flags.BoolVar(&c.verify, "verify-diagnostics", false, "compare errors with the annotations in the text")
	flags.StringVar(&c.to, "to", "", "lower kernels completely: to the `form` llvm (the dialects llvm and rocdl) or llvmir (LLVM IR)")
	flags.StringVar(&c.options.Chipset, "mcpu", "", "`processor` for --to: gfx942")
	addLayout(cmd, &c.options.IndexBits, &c.options.BarePointers)
	flags.StringVar(&c.passes, "passes", "", "run a `pipeline` of passes: \"a,b{option=value}\" or \"builtin.module(gpu.module(a))\"")
	flags.BoolVar(&c.toIR, "mlir-to-llvmir", false, "print the LLVM IR of a module in the dialects llvm and rocdl")
	completeWords(cmd, "to", "llvm", "llvmir")
	return cmd
}

// mlirEditions are the values of --edition.
var mlirEditions = [...]struct {
	name    string
	edition mlir.Edition
}{{"19", mlir.Edition19}, {"22", mlir.Edition22}}

// addEdition defines --edition.
func addEdition(cmd *cobra.Command, edition *string) {
	cmd.Flags().StringVar(edition, "edition", "22", "`version` of LLVM whose MLIR is read and printed: 19 or 22")
	completeWords(cmd, "edition", "19", "22")
}

// addLayout defines the flags that determine what memrefs and indices become when
// MLIR is lowered.
func addLayout(cmd *cobra.Command, indexBits *int, bare *bool) {
	cmd.Flags().IntVar(indexBits, "index-bitwidth", 64, "width of MLIR's index in `bits`: 32 or 64")
	cmd.Flags().BoolVar(bare, "bare-pointers", false, "memref arguments of MLIR's functions are plain pointers")
}

func parseEdition(text string) (mlir.Edition, error) {
	for _, e := range mlirEditions {
		if e.name == text {
			return e.edition, nil
		}
	}
	return 0, usageErrorf("--edition=%s: expected 19 or 22", text)
}

func (c *mlirCommand) context() (*mlir.Context, error) {
	edition, err := parseEdition(c.edition)
	if err != nil {
		return nil, err
	}
	ctx := mlir.NewContext(edition, dialects.All()...)
	ctx.Strict, ctx.AllowUnregistered = c.strict, c.unregistered
	return ctx, nil
}

func (c *mlirCommand) runFiles(cmd *cobra.Command, args []string) error {
	var wrong diag.List
	err := run1(func(cmd *cobra.Command, input string) (err error) {
		wrong, err = c.runFile(cmd, input)
		return err
	})(cmd, args)
	if err == nil && len(wrong) > 0 {
		return &findingError{wrong}
	}
	return err
}

// The heap of a large module: from hugeFrom bytes of text on, sizeOfText bytes for
// each, up to maxHuge, or sizeOfEach bytes if it is never in memory as a whole.
const (
	hugeFrom   = 1 << 20
	sizeOfText = 12
	sizeOfEach = 4
	maxHuge    = 1 << 30
)

// eachPercent is the heap growth between garbage collections, in percent, while a module
// is treated by functions: most of the heap is soon free.
const eachPercent = 200

// limitHeap prepares for a module that is treated by functions, until restore is called.
func limitHeap(src *diag.Source) (restore func()) {
	n := len(src.Text)
	if n < hugeFrom {
		return func() {}
	}
	hugeHeap(min(n*sizeOfEach, maxHuge))
	percent := debug.SetGCPercent(eachPercent)
	return func() { debug.SetGCPercent(percent) }
}

// keepHeap prepares for a module that is in memory as a whole.
func keepHeap(src *diag.Source) {
	if n := len(src.Text); n >= hugeFrom {
		hugeHeap(min(n*sizeOfText, maxHuge))
	}
	collectLateFor(src)
}

// runFile prints the modules of a file or standard input, or with --verify-diagnostics returns the
// differences between its annotations and its errors.
func (c *mlirCommand) runFile(cmd *cobra.Command, input string) (wrong diag.List, err error) {
	if _, err := c.context(); err != nil {
		return nil, err
	}
	if err := c.checkTarget(); err != nil {
		return nil, err
	}
	err = withInput(cmd, input, func(src *diag.Source) error {
		if wrong, err = c.runSource(cmd, src); len(wrong) > 0 {
			src.Text = bytes.Clone(src.Text) // messages quote it later
		}
		return err
	})
	return wrong, err
}

func (c *mlirCommand) runSource(cmd *cobra.Command, src *diag.Source) (wrong diag.List, err error) {
	if err := checkText(src, "MLIR"); err != nil {
		return nil, err
	}
	defer working(cmd, "reading "+src.Name, c.output)()
	parts := []mlir.Part{{End: len(src.Text)}}
	if c.split {
		parts = mlir.Split(src.Text)
	}
	if c.verify {
		return c.compareParts(src, parts)
	}
	if len(parts) == 1 && c.print == (mlir.PrintOptions{}) {
		return nil, writeOutput(cmd, c.output, func(w io.Writer) error { return c.printModule(w, src) })
	}
	keepHeap(src)
	var modules []printedModule
	var found diag.List
	for _, part := range parts {
		module, err := c.readPart(src, part)
		var list diag.List
		if err != nil && !errors.As(err, &list) {
			return nil, err
		}
		found = append(found, list...)
		modules = append(modules, module)
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return nil, writeOutput(cmd, c.output, func(w io.Writer) error { return writeModules(w, modules) })
}

// A printedModule writes a module that is valid.
type printedModule func(w io.Writer) error

// writeModules writes modules as mlir-opt does: an empty line follows each.
func writeModules(w io.Writer, modules []printedModule) error {
	before := ""
	for _, module := range modules {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := module(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		before = mlir.Separator + "\n"
	}
	return nil
}

// printModule prints the only module of a file.
func (c *mlirCommand) printModule(w io.Writer, src *diag.Source) error {
	ctx, err := c.context()
	if err != nil {
		return err
	}
	part := mlir.Part{End: len(src.Text)}
	restore := limitHeap(src)
	var done bool
	if !c.isToIR() {
		done, err = ctx.PrintEach(w, src, part, c.changes())
	} else if m := translate.Each(ctx, src, part, c.changes()); m != nil {
		done, err = true, text.Fprint(w, m)
	}
	if !done {
		restore()
		keepHeap(src)
		module, err := c.readPart(src, part)
		if err != nil {
			return err
		}
		return writeModules(w, []printedModule{module})
	}
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	return err
}

// isToIR reports whether the output is LLVM IR.
func (c *mlirCommand) isToIR() bool { return c.toIR || c.to == "llvmir" }

// changes returns what the flags do with a module, or nil for nothing.
func (c *mlirCommand) changes() func(*mlir.Context, *mlir.Op) error {
	switch {
	case c.passes != "" && c.to != "":
		return func(ctx *mlir.Context, top *mlir.Op) error {
			if err := c.runPasses(ctx, top); err != nil {
				return err
			}
			return lower.ToLLVM(ctx, top, c.options)
		}
	case c.passes != "":
		return c.runPasses
	case c.to != "":
		return func(ctx *mlir.Context, top *mlir.Op) error { return lower.ToLLVM(ctx, top, c.options) }
	}
	return nil
}

// parsePart reads and checks a module.
func (c *mlirCommand) parsePart(src *diag.Source, part mlir.Part) (*mlir.Context, *mlir.Op, error) {
	ctx, err := c.context()
	if err != nil {
		return nil, nil, err
	}
	top, err := ctx.ParsePart(src, part)
	if err == nil {
		err = ctx.Verify(top)
	}
	if change := c.changes(); err == nil && change != nil {
		err = change(ctx, top)
	}
	return ctx, top, err
}

// checkTarget checks the flags of --to.
func (c *mlirCommand) checkTarget() error {
	switch {
	case c.to == "":
		return nil
	case c.to != "llvm" && c.to != "llvmir":
		return usageErrorf("--to=%s: expected llvm or llvmir", c.to)
	case c.options.Chipset == "":
		return usageErrorf("--to=%s needs --mcpu, as in --mcpu=gfx942", c.to)
	case c.options.IndexBits != 32 && c.options.IndexBits != 64:
		return usageErrorf("--index-bitwidth=%d: expected 32 or 64", c.options.IndexBits)
	}
	return nil
}

func (c *mlirCommand) runPasses(ctx *mlir.Context, top *mlir.Op) error {
	p, err := rewrite.ParsePipeline(c.passes, lower.Lookup)
	if err != nil {
		return usageErrorf("--passes: %v", err)
	}
	return p.Execute(ctx, top, true)
}

func (c *mlirCommand) readPart(src *diag.Source, part mlir.Part) (printedModule, error) {
	ctx, top, err := c.parsePart(src, part)
	if err != nil {
		return nil, err
	}
	if !c.isToIR() {
		return func(w io.Writer) error { return ctx.PrintTo(w, top, c.print) }, nil
	}
	module := translate.OnlyGPUModule(top)
	if list := lower.KernelModules(top); c.to != "" && len(list) == 1 {
		module = list[0] // the host's code around it remains in MLIR
	}
	m, err := translate.Module(ctx, module)
	if err == nil {
		err = translate.Check(ctx, module, m)
	}
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return text.Fprint(w, m) }, nil
}

func (c *mlirCommand) compareParts(src *diag.Source, parts []mlir.Part) (wrong diag.List, err error) {
	for _, part := range parts {
		expected, err := mlir.Expectations(src, part)
		if err != nil {
			return nil, err
		}
		_, _, err = c.parsePart(src, part)
		var found diag.List
		if err != nil && !errors.As(err, &found) {
			return nil, err
		}
		wrong = slices.Concat(wrong, mlir.CheckExpectations(src, expected, found))
	}
	return wrong, nil
}
