package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// normalizeArgs adds a second dash to long flags that are written with one
// dash, as LLVM's tools allow: "-mcpu=gfx900". A word that is valid as short
// flags stays unchanged: "-o", "-ofile", "-O2".
func normalizeArgs(root *cobra.Command, args []string) []string {
	var long, short map[string]bool
	out := make([]string, len(args))
	copy(out, args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' {
			continue
		}
		if long == nil {
			long, short = flagNames(root)
		}
		name, _, _ := strings.Cut(arg[1:], "=")
		if long[name] || !short[arg[1:2]] {
			out[i] = "-" + arg
		}
	}
	return out
}

// flagNames returns the long and the short flags of a command and of all its
// subcommands.
func flagNames(cmd *cobra.Command) (long, short map[string]bool) {
	long = map[string]bool{"help": true, "version": true}
	short = map[string]bool{"h": true, "v": true}
	add := func(f *pflag.Flag) {
		long[f.Name] = true
		if f.Shorthand != "" {
			short[f.Shorthand] = true
		}
	}
	cmd.Flags().VisitAll(add)
	for _, sub := range cmd.Commands() {
		sub.Flags().VisitAll(add)
	}
	return long, short
}
