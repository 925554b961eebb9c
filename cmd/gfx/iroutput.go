package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// irOutput is the destination and the form of an output module.
type irOutput struct {
	file  string
	emit  string // "ll", "bc", or "" to select by the file's extension
	text  bool   // -S
	force bool   // allow bitcode on a terminal
}

// defineFlags defines the flags.
func (o *irOutput) defineFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.file, "output", "o", "-", "output `file`; bitcode when its name ends in .bc")
	flags.StringVar(&o.emit, "emit", "", "write text (ll) or bitcode (bc), regardless of the file's name")
	flags.BoolVarP(&o.text, "S", "S", false, "write text, like --emit=ll")
	flags.BoolVarP(&o.force, "force", "f", false, "write bitcode even to a terminal")
}

// checkFlags returns an error for contradictory flags, and for bitcode on a
// terminal.
func (o *irOutput) checkFlags(cmd *cobra.Command) error {
	switch {
	case o.emit != "" && o.emit != "ll" && o.emit != "bc":
		return usageErrorf("--emit=%s: expected ll or bc", o.emit)
	case o.text && o.emit == "bc":
		return usageErrorf("-S and --emit=bc exclude each other")
	case o.isBitcode() && o.file == "-" && !o.force && isTerminal(cmd.OutOrStdout()):
		return usageErrorf("not writing bitcode to the terminal: name a file with -o, or force it with -f")
	}
	return nil
}

func (o *irOutput) isBitcode() bool {
	return o.emit == "bc" || o.emit == "" && !o.text && strings.HasSuffix(o.file, ".bc")
}

// write writes a module.
func (o *irOutput) write(cmd *cobra.Command, m *ir.Module) error {
	if !o.isBitcode() {
		return writeOutput(cmd, o.file, func(w io.Writer) error { return text.Fprint(w, m) })
	}
	data, err := bitcode.Encode(m)
	if err != nil {
		return fmt.Errorf("%s: %w", m.ID, err)
	}
	return writeLast(cmd, o.file, data)
}
