package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
)

// completeWords registers the words that a flag accepts for shell completion.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	completeFunc(cmd, flag, func(string) ([]string, cobra.ShellCompDirective) { return words, cobra.ShellCompDirectiveNoFileComp })
}

// completeList registers the words of a flag that takes a list, whose elements
// end with one of the characters of ends, or of a flag that takes one word if
// ends is "". The shell's request calls words.
func completeList(cmd *cobra.Command, flag, ends string, words func() []string) {
	completeFunc(cmd, flag, func(given string) ([]string, cobra.ShellCompDirective) {
		before := given[:strings.LastIndexAny(given, ends)+1]
		list := words()
		out := make([]string, len(list))
		for i, w := range list {
			out[i] = before + w
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if ends != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return out, directive
	})
}

func completeFunc(cmd *cobra.Command, flag string, f func(given string) ([]string, cobra.ShellCompDirective)) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, given string) ([]string, cobra.ShellCompDirective) {
		return f(given)
	})
	if err != nil {
		panic("BUG: " + err.Error())
	}
}

// irPasses returns the names of the passes on LLVM IR.
func irPasses() []string {
	passes := prepare.AllPasses()
	names := make([]string, len(passes))
	for i := range passes {
		names[i] = passes[i].Name
	}
	return names
}
