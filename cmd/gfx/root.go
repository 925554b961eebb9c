package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `gfx compiles, assembles, disassembles, links, describes and runs code for AMD GPUs.

It needs no LLVM, no ROCm and no GPU. Long flags take LLVM's names and work
with one dash as well as with two. A file named "-" is standard input or
standard output.

Exit status:
  0  done
  1  the input is wrong; every mistake is shown as file:line:col: error: ...
  2  the command line is wrong
  3  a kernel faulted or a check found something
  4  a result differs from what was expected`

// commands makes the subcommands, in the order of the help.
var commands = []struct {
	name string
	make func() *cobra.Command
}{
	{"as", newAsCmd},
	{"compile", newCompileCmd},
	{"dis", newDisCmd},
	{"inspect", newInspectCmd},
	{"ir", newIRCmd},
	{"link", newLinkCmd},
	{"run", newRunCmd},
	{"targets", newTargetsCmd},
	{"version", newVersionCmd},
}

// newRoot makes the command gfx for a command line that begins with a word: with the subcommand of that name
// alone, as a start should take no longer than it must, or with all of them.
func newRoot(first string) *cobra.Command {
	root := &cobra.Command{
		Use:           "gfx",
		Short:         "An AMD GPU toolchain",
		Long:          rootHelp,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          helpWithoutCommand,
	}
	root.SetVersionTemplate("gfx {{.Version}}\n")
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
	for _, c := range commands {
		root.AddCommand(c.make())
	}
	root.AddCommand(newManCmd()) // which needs all commands
	root.SetHelpCommand(newHelpCmd())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		refuseUnknown(cmd)
	}
	return root
}

// refuseUnknown makes a command that only holds others refuse unknown names, as the root does.
func refuseUnknown(cmd *cobra.Command) {
	if cmd.HasSubCommands() {
		cmd.Args, cmd.RunE = knownCommand, helpWithoutCommand
	}
}

// flagError reports a wrong flag. The flags of an unknown command count as the
// root's, so there the command is what is wrong.
func flagError(cmd *cobra.Command, err error) error {
	if before := cmd.Flags().Args(); !cmd.HasParent() && len(before) > 0 {
		return knownCommand(cmd, before)
	}
	return usageErrorf("%v", err)
}

// newHelpCmd is cobra's help command, but that it refuses unknown names.
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

// knownCommand is the argument rule of commands that only hold others: an
// argument is a misspelt command.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usageErrorf("unknown command %q; did you mean %q?", args[0], near[0])
	}
	return usageErrorf("unknown command %q", args[0])
}

// helpWithoutCommand shows the help when no command is given, which is a wrong
// command line all the same.
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
