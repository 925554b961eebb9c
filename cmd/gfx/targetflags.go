package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/target"
)

// targetFlags holds the flags that specify the target.
type targetFlags struct {
	triple, cpu string
	mattr       []string
}

// defineFlags defines the flags. cpuHelp is the help of --mcpu.
func (f *targetFlags) defineFlags(cmd *cobra.Command, cpuHelp string) {
	flags := cmd.Flags()
	flags.StringVar(&f.cpu, "mcpu", "", cpuHelp)
	flags.StringVar(&f.triple, "triple", "", "target `triple` (default amdgcn-amd-amdhsa)")
	flags.StringSliceVar(&f.mattr, "mattr", nil, "`features` to enable or disable, such as +xnack,-wavefrontsize64")
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

// target returns the target that the flags specify.
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
