package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
)

// Values of gfx as --format.
const (
	formatELF = "elf" // relocatable object, LLVM's language
	formatAMD = "amd" // binary of the AMD Catalyst driver, CLRX's language
)

// amdFlags holds the flags of gfx as for --format=amd.
type amdFlags struct {
	device, arch  string
	wide, symbols bool
	driver        uint32
	include       []string
}

// Flags of gfx as for one format only.
var (
	amdOnly = []string{"gpu-type", "arch", "64bit", "driver-version", "include-path", "force-add-symbols"}
	elfOnly = []string{"mcpu", "triple", "mattr", "show-encoding", "code-object-version"}
)

// defineFlags defines the flags.
func (f *amdFlags) defineFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.device, "gpu-type", "", "`device` to assemble for, such as Pitcairn or Tonga (default CapeVerde)")
	flags.StringVar(&f.arch, "arch", "", "`architecture` to assemble for, such as GCN1.1, instead of a device")
	flags.BoolVar(&f.wide, "64bit", false, "use 64-bit addresses")
	flags.Uint32Var(&f.driver, "driver-version", 0, "driver `version` to write for, major * 100 + minor, such as 180005")
	flags.StringArrayVar(&f.include, "include-path", nil, "search `folder` for .include and .incbin files, as --include does")
	flags.BoolVar(&f.symbols, "force-add-symbols", false, "add the source's global and weak symbols to the binary")
	for name, complete := range map[string]func() []string{"gpu-type": deviceNames, "arch": archNames, "format": formatNames} {
		err := cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return complete(), cobra.ShellCompDirectiveNoFileComp
		})
		if err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

func formatNames() []string { return []string{formatELF, formatAMD} }

// deviceNames lists the devices that the format has binaries for.
func deviceNames() (names []string) {
	for _, d := range catalyst.Devices() {
		if d.Machine != 0 {
			names = append(names, d.Name)
		}
	}
	return names
}

func archNames() []string {
	return []string{catalyst.GCN10.String(), catalyst.GCN11.String(), catalyst.GCN12.String()}
}

// checkFormat checks the argument of --format, and that no flag is for another
// format.
func (c *asCommand) checkFormat(cmd *cobra.Command) error {
	if !slices.Contains(formatNames(), c.format) {
		return usageErrorf("--format=%s: expected elf or amd", c.format)
	}
	wrong, other := amdOnly, formatAMD
	if c.format == formatAMD {
		wrong, other = elfOnly, formatELF
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && slices.Contains(wrong, f.Name) {
			err = usageErrorf("--%s applies to --format=%s only", f.Name, other)
		}
	})
	return err
}

// assembleAMD assembles a source in CLRX's language.
func (c *asCommand) assembleAMD(cmd *cobra.Command, input string) error {
	output := c.outputFile(input)
	if output == "-" && isTerminal(cmd.OutOrStdout()) {
		return usageErrorf("not writing a binary to the terminal: name a file with -o")
	}
	opt, err := c.amdOptions()
	if err != nil {
		return err
	}
	return withInput(cmd, input, func(src *diag.Source) error { return c.assembleAMDText(cmd, src, output, opt) })
}

func (c *asCommand) assembleAMDText(cmd *cobra.Command, src *diag.Source, output string, opt clrx.Options) error {
	if err := checkText(src, "assembler text"); err != nil {
		return err
	}
	collectLateFor(src)
	opt.Print = func(text string) { fmt.Fprintln(printTo(cmd, output), text) }
	done := working(cmd, "assembling "+src.Name, output)
	result, found := clrx.Assemble(src, opt)
	done()
	if found.HasErrors() {
		return found
	}
	printDiagnostics(cmd, found)
	return writeOutput(cmd, output, func(w io.Writer) error {
		_, err := w.Write(result.Binary)
		return err
	})
}

// printTo returns where .print writes: standard output, unless it is for the
// binary.
func printTo(cmd *cobra.Command, output string) io.Writer {
	if output == "-" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// amdOptions builds the assembler's options from the flags.
func (c *asCommand) amdOptions() (clrx.Options, error) {
	f := &c.amd
	opt := clrx.Options{
		Wide: f.wide, DriverVersion: f.driver, ForceSymbols: f.symbols,
		Open: openFile, IncludePaths: slices.Concat(c.include, f.include),
	}
	if f.arch != "" {
		arch, ok := catalyst.ParseArch(f.arch)
		if !ok {
			return opt, usageErrorf("--arch=%s: unknown architecture: expected GCN1.0, GCN1.1 or GCN1.2", f.arch)
		}
		opt.Device = arch.Lowest()
	}
	if f.device != "" {
		if opt.Device = catalyst.LookupDevice(f.device); opt.Device == nil {
			return opt, usageErrorf("--gpu-type=%s: unknown device", f.device)
		}
	}
	for _, text := range c.defsym {
		define, err := clrx.ParseDefine(text)
		if err != nil {
			return opt, usageErrorf("--defsym=%s: %v", text, err)
		}
		opt.Defines = append(opt.Defines, define)
	}
	return opt, nil
}

// openFile reads a file of a source.
func openFile(name string) ([]byte, error) { return os.ReadFile(name) }
