package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm/clrx"
)

// disFormats are the values of gfx dis --format: objects, and binaries of the
// AMD Catalyst driver.
var disFormats = []string{"elf", "amd"}

// disStyles are the values of gfx dis --style.
var disStyles = []string{clrx.Auto: "auto", clrx.Config: "config", clrx.Notes: "notes"}

// disAMD holds the flags of gfx dis for binaries of the AMD Catalyst driver.
type disAMD struct {
	format, style  string
	offsets, words bool
}

// defineFlags defines the flags.
func (d *disAMD) defineFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&d.format, "format", "", "`format` of the input, elf or amd (default: the file's)")
	flags.StringVar(&d.style, "style", "auto", "`style` of the setup of a Catalyst binary's kernels: auto, config or notes")
	flags.BoolVar(&d.offsets, "offsets", false, "print the offset of each instruction of a Catalyst binary")
	flags.BoolVar(&d.words, "words", false, "print the offset and words of each instruction of a Catalyst binary")
	for name, list := range map[string][]string{"format": disFormats, "style": disStyles} {
		err := cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return list, cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

// checkFlags checks the values of the flags.
func (d *disAMD) checkFlags() error {
	if d.format != "" && !slices.Contains(disFormats, d.format) {
		return usageErrorf("--format=%s: expected elf or amd", d.format)
	}
	if !slices.Contains(disStyles, d.style) {
		return usageErrorf("--style=%s: expected auto, config or notes", d.style)
	}
	return nil
}

// applies reports whether an input is read as a binary of the AMD Catalyst
// driver.
func (d *disAMD) applies(text []byte) bool {
	return d.format == "amd" || d.format == "" && catalyst.IsBinary(text)
}

// writeText writes the text of a binary of the AMD Catalyst driver.
func (d *disAMD) writeText(w io.Writer, src *diag.Source) error {
	collectLateFor(src)
	b, err := catalyst.Read(src.Text)
	if err != nil {
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	opt := clrx.BinaryOptions{Style: clrx.Style(slices.Index(disStyles, d.style)), Offsets: d.offsets, Words: d.words}
	if err := clrx.Binary(w, b, opt); err != nil {
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	return nil
}
