package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `gfx compiles, assembles, disassembles, links, describes and runs code for AMD GPUs.

It needs no LLVM, no ROCm and no GPU. Long flags have LLVM's names and take one or
two dashes. A file named "-" is standard input or standard output.

Exit status:
  0  success
  1  invalid input; all errors are reported as file:line:col: error: ...
  2  invalid command line
  3  kernel fault, or findings of a check
  4  a result differs from the expected one`

// commands lists the constructors of the subcommands, in the order of the help.
var commands = []struct {
	name string
	make func() *cobra.Command
}{
	{"as", newAsCmd},
	{"catalyst", newCatalystCmd},
	{"compile", newCompileCmd},
	{"dis", newDisCmd},
	{"inspect", newInspectCmd},
	{"ir", newIRCmd},
	{"link", newLinkCmd},
	{"litmus", newLitmusCmd},
	{"mlir", newMLIRCmd},
	{"run", newRunCmd},
	{"targets", newTargetsCmd},
	{"version", newVersionCmd},
}

// newRoot returns the command gfx for a command line that begins with the word
// first: with all subcommands, or, for a fast start, only with the one of that
// name.
func newRoot(first string) *cobra.Command {
	root := &cobra.Command{
		Use:           "gfx",
		Short:         "An AMD GPU toolchain",
		Long:          rootHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          helpWithoutCommand,
	}
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	cobra.EnableCommandSorting = false
	for _, c := range commands {
		if c.name == first {
			cmd := c.make()
			refuseUnknown(cmd)
			root.AddCommand(cmd)
			root.CompletionOptions.DisableDefaultCmd = true
			return root
		}
	}
	root.Version = version()
	root.SetVersionTemplate("gfx {{.Version}}\n")
	for _, c := range commands {
		root.AddCommand(c.make())
	}
	root.AddCommand(newManCmd()) // requires all commands
	root.SetHelpCommand(newHelpCmd())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		refuseUnknown(cmd)
	}
	return root
}

// refuseUnknown makes a command with subcommands reject unknown names, like the
// root.
func refuseUnknown(cmd *cobra.Command) {
	if cmd.HasSubCommands() {
		cmd.Args, cmd.RunE = knownCommand, helpWithoutCommand
	}
}

// flagError reports an invalid flag. Cobra attributes the flags of an unknown
// command to the root; flagError then reports the command instead.
func flagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); !cmd.HasParent() && len(before) > 0 {
		return knownCommand(cmd, before)
	}
	return usageErrorf("%v", err)
}

// newHelpCmd returns a variant of cobra's help command that rejects unknown
// names.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageErrorf("no help topic %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// knownCommand is the argument rule of commands with subcommands: an argument
// is an unknown subcommand.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageErrorf("unknown command %q; did you mean %q?", args[0], near[0])
	}
	return usageErrorf("unknown command %q", args[0])
}

// helpWithoutCommand shows the help for a missing subcommand and returns an
// error in the command line.
func helpWithoutCommand(cmd *cobra.Command, _ []string) error {
	cmd.SetOut(cmd.ErrOrStderr())
	if err := cmd.Help(); err != nil {
		return err
	}
	return errShown
}

// noArguments is the argument rule of commands that read no file.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageErrorf("expected no arguments, found %q", args[0])
	}
	return nil
}

// oneInput is the argument rule of commands that read one file.
func oneInput(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageErrorf("expected one input file, found %d", len(args))
	}
	return nil
}
