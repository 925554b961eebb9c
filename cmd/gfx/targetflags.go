package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/target"
)

// targetFlags are the flags that say for which machine code is.
type targetFlags struct {
	triple, cpu string
	mattr       []string
}

// add defines the flags. cpuHelp is the help of --mcpu.
func (f *targetFlags) add(cmd *cobra.Command, cpuHelp string) {
	flags := cmd.Flags()
	flags.StringVar(&f.cpu, "mcpu", "", cpuHelp)
	flags.StringVar(&f.triple, "triple", "", "target `triple` (default amdgcn-amd-amdhsa)")
	flags.StringSliceVar(&f.mattr, "mattr", nil, "`features` to switch on or off, such as +xnack,-wavefrontsize64")
	if err := cmd.RegisterFlagCompletionFunc("mcpu", completeProcessors); err != nil {
		panic("BUG: " + err.Error())
	}
}

func completeProcessors(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	processors := target.Processors()
	names := make([]string, len(processors))
	for i := range processors {
		names[i] = processors[i].Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// target gives the target that the flags name.
func (f *targetFlags) target() (*target.Target, error) {
	t, err := target.New(f.triple, f.cpu, strings.Join(f.mattr, ","))
	var wrong *target.Error
	if errors.As(err, &wrong) {
		return nil, usageErrorf("--%s=%s: %s", wrong.What, wrong.Text, wrong.Message)
	}
	return t, err
}

// given reports whether any of the flags is set.
func (f *targetFlags) given() bool { return f.triple != "" || f.cpu != "" || len(f.mattr) > 0 }
