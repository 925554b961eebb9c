package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

const asHelp = `Assemble LLVM's assembler language for AMD GPUs into a relocatable ELF object.

The output is the file of -o. Without -o it is the input's name with the extension
.o, or standard output if the input is standard input. --show-encoding writes a
listing, each instruction with its bytes, instead of an object, to the file of -o
or to standard output.

Without --mcpu and --triple, .amdgcn_target and .amdhsa_code_object_version before
the first instruction specify the target and the code object version, as in the
output of gfx dis.

--format=amd assembles the language of the CLRX assembler into a binary for
OpenCL 1.2 of the AMD Catalyst driver, for GCN 1.0 to 1.2. Its name ends in .bin
without -o. The flags --gpu-type, --arch, --64bit, --driver-version,
--include-path and --force-add-symbols are for this format only; the source can
choose the device and the size of addresses as well.`

const asExamples = `  gfx as --mcpu=gfx900 kernel.s                    # writes kernel.o
  gfx dis kernel.hsaco | gfx as -o kernel.o -        # reassembles the same code
  gfx as --mcpu=gfx1100 --show-encoding kernel.s   # prints instructions and bytes
  echo 's_mov_b32 s0, 1' | gfx as --mcpu=gfx90a --show-encoding -
  gfx as --format=amd --gpu-type=Pitcairn kernel.clrx   # writes kernel.bin`

// asCommand holds the flags of gfx as.
type asCommand struct {
	target  targetFlags
	output  string
	listing bool
	include []string
	defsym  []string
	version int
	format  string
	amd     amdFlags
}

func newAsCmd() *cobra.Command {
	var c asCommand
	cmd := &cobra.Command{
		Use:     "as [flags] in.s",
		Short:   "Assemble",
		Long:    asHelp,
		Example: asExamples,
		Args:    oneInput,
		RunE:    run1(c.assembleFile),
	}
	c.target.defineFlags(cmd, "`processor` to assemble for (gfx targets lists them)")
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "", "output `file`")
	flags.BoolVar(&c.listing, "show-encoding", false, "print a listing with the bytes of each instruction")
	flags.IntVar(&c.version, "code-object-version", target.DefaultCOV, "code object `version`, 2 to 6, for amdhsa")
	flags.StringArrayVarP(&c.include, "include", "I", nil, "search `folder` for .include and .incbin files")
	flags.StringArrayVar(&c.defsym, "defsym", nil, "define a symbol, `name=value`")
	flags.StringVar(&c.format, "format", "elf", "`format` of the output and language of the source: elf for LLVM's language, amd for CLRX's")
	c.amd.defineFlags(cmd)
	return cmd
}

func (c *asCommand) assembleFile(cmd *cobra.Command, input string) error {
	if err := c.checkFormat(cmd); err != nil {
		return err
	}
	if c.format == formatAMD {
		return c.assembleAMD(cmd, input)
	}
	return c.assembleELF(cmd, input)
}

func (c *asCommand) assembleELF(cmd *cobra.Command, input string) error {
	output := c.outputFile(input)
	if output == "-" && !c.listing && isTerminal(cmd.OutOrStdout()) {
		return usageErrorf("not writing an object to the terminal: name a file with -o")
	}
	return withInput(cmd, input, func(src *diag.Source) error { return c.assembleText(cmd, src, output) })
}

func (c *asCommand) assembleText(cmd *cobra.Command, src *diag.Source, output string) error {
	if err := checkText(src, "assembler text"); err != nil {
		return err
	}
	opt, err := c.options(src.Text, cmd.Flags().Changed("code-object-version"))
	if err != nil {
		return err
	}
	done := working(cmd, "assembling "+src.Name, output)
	result, found := asm.Assemble(src, opt)
	done()
	if found.HasErrors() {
		return found
	}
	printDiagnostics(cmd, found)
	return writeOutput(cmd, output, func(w io.Writer) error { return c.write(w, result) })
}

func (c *asCommand) write(w io.Writer, result *asm.Result) error {
	out := result.Object
	if c.listing {
		out = result.Listing
	}
	_, err := w.Write(out)
	return err
}

// options builds the assembler's options from the flags, and from the text if
// no flag names a target.
func (c *asCommand) options(text []byte, versionGiven bool) (asm.Options, error) {
	if c.version < target.MinCOV || c.version > target.MaxCOV {
		return asm.Options{}, usageErrorf("--code-object-version=%d: expected %d to %d", c.version, target.MinCOV, target.MaxCOV)
	}
	t, err := c.target.target()
	if err != nil {
		return asm.Options{}, err
	}
	t.COV = c.version
	if c.target.cpu == "" && c.target.triple == "" {
		if id, version, ok := asm.SourceTarget(text, c.version); ok {
			if t, err = id.Target(strings.Join(c.target.mattr, ",")); err != nil {
				return asm.Options{}, usageErrorf("--mattr: %v", err)
			}
			t.COV = version
			if versionGiven {
				t.COV = c.version
			}
		}
	}
	opt := asm.Options{Target: t, Open: opener(c.include), Listing: c.listing}
	for _, text := range c.defsym {
		define, err := parseDefsym(text)
		if err != nil {
			return opt, err
		}
		opt.Defines = append(opt.Defines, define)
	}
	return opt, nil
}

// parseDefsym parses the argument "name=value" of --defsym. The value is an
// integer in Go's syntax: 12, 0x1f, -3, 0b101.
func parseDefsym(text string) (asm.Define, error) {
	name, number, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return asm.Define{}, usageErrorf("--defsym=%s: expected name=value", text)
	}
	value, err := strconv.ParseInt(number, 0, 64)
	if err != nil {
		unsigned, err := strconv.ParseUint(number, 0, 64)
		if err != nil {
			return asm.Define{}, usageErrorf("--defsym=%s: expected a 64-bit integer, found %q", text, number)
		}
		value = int64(unsigned)
	}
	return asm.Define{Name: name, Value: value}, nil
}

// outputFile returns the name of the output: the argument of -o; else standard
// output for a listing or an input without a name; else the input's name with
// the extension .o or .bin.
func (c *asCommand) outputFile(input string) string {
	switch {
	case c.output != "":
		return c.output
	case c.listing || input == "-":
		return "-"
	}
	ext := ".o"
	if c.format == formatAMD {
		ext = ".bin"
	}
	return strings.TrimSuffix(input, filepath.Ext(input)) + ext
}

// opener returns the function that reads the files of .include and .incbin. It
// tries the name itself first, then the name in each of the folders.
func opener(folders []string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(name) {
			return text, err
		}
		for _, folder := range folders {
			text, err2 := os.ReadFile(filepath.Join(folder, name))
			if err2 == nil || !errors.Is(err2, fs.ErrNotExist) {
				return text, err2
			}
		}
		return nil, err
	}
}
