package main

import (
	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
)

const irHelp = `Work with LLVM IR.

The input is LLVM IR as text (.ll) of LLVM 6 to 22, or bitcode (.bc) of LLVM 3.7 to
22. The output has the form of LLVM 22: bitcode for a file whose name ends in .bc or
with --emit=bc, otherwise text.`

const irPrintHelp = `Read LLVM IR and print it as LLVM 22 does.

Old forms are upgraded: typed pointers become opaque; intrinsic functions,
attributes, data layouts and metadata get their current form.`

const irPrintExamples = `  gfx ir print kernel.ll
  gfx ir print -o new.ll old.ll
  gfx ir print ocml.bc
  gfx ir print -o kernel.bc kernel.ll
  clang -S -emit-llvm -o - kernel.c | gfx ir print -`

func newIRCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ir",
		Short: "Work with LLVM IR",
		Long:  irHelp,
	}
	cmd.AddCommand(newIRPrintCmd(), newIRVerifyCmd(), newIRLinkCmd(), newIROptCmd())
	return cmd
}

// irPrintCommand holds the flags of gfx ir print.
type irPrintCommand struct{ output irOutput }

func newIRPrintCmd() *cobra.Command {
	var c irPrintCommand
	cmd := &cobra.Command{
		Use:     "print [flags] in.ll|in.bc",
		Short:   "Print LLVM IR in the form of LLVM 22",
		Long:    irPrintHelp,
		Example: irPrintExamples,
		Args:    oneInput,
		RunE:    run1(c.printModule),
	}
	cmd.Flags().SortFlags = false
	c.output.defineFlags(cmd.Flags())
	return cmd
}

func (c *irPrintCommand) printModule(cmd *cobra.Command, input string) error {
	if err := c.output.checkFlags(cmd); err != nil {
		return err
	}
	src, err := readInput(cmd, input)
	if err != nil {
		return err
	}
	defer working(cmd, "reading "+src.Name, c.output.file)()
	m, err := readIR(cmd, src)
	if err != nil {
		return err
	}
	return c.output.write(cmd, m)
}

// readIR reads a module, text or bitcode, verifies it as LLVM's tools do, and
// prints the warnings about it.
func readIR(cmd *cobra.Command, src *diag.Source) (*ir.Module, error) {
	m, err := parseIR(cmd, src)
	if err != nil {
		return nil, err
	}
	if errs := checkIR(cmd, m, src); errs != nil {
		return nil, errs
	}
	return m, nil
}
