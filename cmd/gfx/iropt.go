package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

const irOptHelp = `Run passes on LLVM IR.

--passes takes a pipeline in the syntax of LLVM's opt: pass names separated by
commas, parameters in angle brackets, and groups "module(…)", "cgscc(…)" and
"function(…)". Functions with the attribute optnone stay unchanged.

Passes:
`

const irOptExamples = `  gfx ir opt --passes=mem2reg kernel.ll
  gfx ir opt --passes='function(sroa,simplifycfg<bonus-inst-threshold=2>,dce)' -o small.ll kernel.bc
  gfx ir opt --passes=sroa,dce --print-after=sroa --verify-each kernel.ll`

// irOptCommand holds the flags of gfx ir opt.
type irOptCommand struct {
	passes     string
	printAfter []string
	verifyEach bool
	optNone    bool
	output     irOutput
	target     targetFlags
}

func newIROptCmd() *cobra.Command {
	var c irOptCommand
	cmd := &cobra.Command{
		Use:     "opt [flags] in.ll|in.bc",
		Short:   "Run passes on LLVM IR",
		Long:    irOptHelp,
		Example: irOptExamples,
		Args:    oneInput,
		RunE:    run1(c.optimizeModule),
	}
	flags := cmd.Flags()
	flags.StringVar(&c.passes, "passes", "", "`pipeline` of passes (required)")
	flags.StringSliceVar(&c.printAfter, "print-after", nil, "print to standard error after these `passes`, or after \"all\"")
	flags.BoolVar(&c.verifyEach, "verify-each", false, "verify the module after each pass")
	flags.BoolVar(&c.optNone, "ignore-optnone", false, "run passes on functions with optnone too")
	completeList(cmd, "passes", ",(", irPasses)
	completeList(cmd, "print-after", ",", func() []string { return append([]string{"all"}, irPasses()...) })
	c.output.defineFlags(flags)
	c.target.defineFlags(cmd, "target `processor`")
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = irOptHelp + passList() // built on demand, not at each start of gfx ir
		cmd.Parent().HelpFunc()(cmd, args)
	})
	return cmd
}

// passList returns the names and purposes of all passes, one per line.
func passList() string {
	var b strings.Builder
	for i := range prepare.AllPasses() {
		p := &prepare.AllPasses()[i]
		fmt.Fprintf(&b, "  %-24s %s\n", p.Name, p.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *irOptCommand) optimizeModule(cmd *cobra.Command, input string) error {
	ctx, pipeline, err := c.prepare(cmd)
	if err != nil {
		return err
	}
	src, err := readInput(cmd, input)
	if err != nil {
		return err
	}
	defer working(cmd, "optimizing "+src.Name, c.output.file)()
	m, err := readIR(cmd, src)
	if err != nil {
		return err
	}
	if err := pipeline.Run(ctx, m); err != nil {
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	return c.output.write(cmd, m)
}

// prepare checks the flags, and returns the context and the pipeline.
func (c *irOptCommand) prepare(cmd *cobra.Command) (*opt.Context, opt.Pipeline, error) {
	if err := c.output.checkFlags(cmd); err != nil {
		return nil, opt.Pipeline{}, err
	}
	if c.passes == "" {
		return nil, opt.Pipeline{}, usageErrorf("missing --passes")
	}
	pipeline, err := opt.ParsePipeline(prepare.AllPasses(), c.passes)
	if err != nil {
		return nil, pipeline, usageErrorf("%s", firstLine(err))
	}
	for _, name := range c.printAfter {
		if name != "all" && opt.FindPass(prepare.AllPasses(), name) == nil {
			return nil, pipeline, usageErrorf("--print-after=%s: unknown pass '%s'", name, name)
		}
	}
	ctx := &opt.Context{Workers: runtime.GOMAXPROCS(0), IgnoreOptNone: c.optNone, PrintAfter: c.printAfter, Output: cmd.ErrOrStderr()}
	if c.target.given() {
		if ctx.Target, err = c.target.target(); err != nil {
			return nil, pipeline, err
		}
	}
	if c.verifyEach {
		ctx.VerifyEach, ctx.VerifyFunction = verifyEach, verifyFunction
	}
	return ctx, pipeline, nil
}

// firstLine returns the first line of an error's text.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// verifyEach verifies a module after a pass as gfx ir verify does.
func verifyEach(m *ir.Module) error {
	if list := verify.Module(m); len(list) > 0 {
		return errors.New(list[0].Describe(m))
	}
	return nil
}

// verifyFunction verifies a function after a pass.
func verifyFunction(f *ir.Function) error {
	if list := verify.Function(f); len(list) > 0 {
		return errors.New(list[0].Describe(f.Module()))
	}
	return nil
}
