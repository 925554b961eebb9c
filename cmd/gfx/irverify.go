package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

const irVerifyHelp = `Check that a module follows the rules of LLVM IR.

The input is LLVM IR as text (.ll) or bitcode (.bc). All violations are
reported in the words of LLVM 22's verifier, with exit status 3. A valid module has
no output.

Invalid debug information alone is not a violation: every reader of modules drops
it with a warning, like LLVM.`

const irVerifyExamples = `  gfx ir verify kernel.ll
  gfx ir verify ocml.bc`

func newIRVerifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "verify in.{ll,bc}",
		Short:   "Check the rules of LLVM IR",
		Long:    irVerifyHelp,
		Example: irVerifyExamples,
		Args:    oneInput,
		RunE:    irVerify,
	}
}

func irVerify(cmd *cobra.Command, args []string) error {
	found := diag.List(nil)
	err := run1(func(cmd *cobra.Command, input string) error {
		src, err := readInput(cmd, input)
		if err != nil {
			return err
		}
		defer working(cmd, "checking "+src.Name, "")()
		m, err := parseIR(cmd, src)
		if err != nil {
			return err
		}
		found = checkIR(cmd, m, src)
		return nil
	})(cmd, args)
	if err == nil && found != nil {
		return &findingError{found}
	}
	return err
}

// parseIR reads a module as text or bitcode and prints the warnings about it.
func parseIR(cmd *cobra.Command, src *diag.Source) (*ir.Module, error) {
	collectLateFor(src)
	if bitcode.IsBitcode(src.Text) {
		f, err := bitcode.Open(src.Text, bitcode.Options{Name: src.Name})
		if err != nil {
			return nil, err
		}
		for _, w := range f.Warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", src.Name, w)
		}
		return f.Module, nil
	}
	if err := checkText(src, "LLVM IR as text or bitcode"); err != nil {
		return nil, err
	}
	m, list := text.Parse(src.Name, src.Text)
	if err := list.Err(); err != nil {
		return nil, err
	}
	printDiagnostics(cmd, list)
	return m, nil
}

// checkIR returns the violations in a module that was just read from src.
// Invalid debug information is dropped with a warning.
func checkIR(cmd *cobra.Command, m *ir.Module, src *diag.Source) diag.List {
	dropped, wrong := verify.AfterReading(m)
	if len(dropped)+len(wrong) == 0 {
		return nil
	}
	placed, places := m, (*text.Places)(nil)
	if !bitcode.IsBitcode(src.Text) { // read again: positions are needed only now
		placed, places, _ = text.ParsePlaces(src.Name, src.Text)
		dropped, wrong = verify.AfterReading(placed)
	}
	if len(dropped) > 0 {
		list := verify.Diagnostics(placed, dropped, places)
		for i := range list {
			list[i].Severity = diag.Warning
		}
		list.Warnf(nil, 0, 0, "%s: ignoring invalid debug info", m.ID)
		printDiagnostics(cmd, list)
	}
	return verify.Diagnostics(placed, wrong, places)
}
