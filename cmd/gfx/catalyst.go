package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/catalysthsa"
)

const catalystHelp = `Convert kernels between binaries of the AMD Catalyst driver and code objects.

Kernels keep their instructions, except for the loads of their arguments and of the
sizes of the dispatch, which the other format keeps in another place. An error names
each kernel that the other format cannot express, and the offset of the instruction.`

const toHSAHelp = `Convert a binary of the AMD Catalyst driver into a code object for an HSA loader.

The code object is for the processor of the binary's device, or for the one of --mcpu if
it has the same instructions, such as gfx803 for Tonga. Its kernels have the same names, and the same
arguments in the usual layout: each aligned to its size, pointers with 8 bytes, pointers
to local memory with 4. gfx inspect shows the layout.

Kernels may use buffers in global and constant memory, values, structures, local memory,
the program's constant data, and the ids and sizes of the dispatch. Images, samplers,
counters, printf, scratch and region memory are refused; so are loads of descriptors
and arguments at offsets in registers, other uses of their addresses, and jumps to
addresses. A pointer has no size: kernels that rely on a check of a buffer's limits do
not find it, and kernels that read the limit are refused.`

const toHSAExamples = `  gfx catalyst to-hsa kernel.bin                # writes kernel.hsaco
  gfx catalyst to-hsa --kernel=sum -o sum.hsaco all.bin
  gfx catalyst to-hsa -o - kernel.bin | gfx inspect --kernels -`

const fromHSAHelp = `Convert a linked code object for amdhsa into a binary of the AMD Catalyst driver.

The code object is for a processor of gfx6 to gfx8, of code object version 3 or later.
The binary has 64-bit addresses, and is for the first device with the processor, or for
the one of --gpu-type if it has the same instructions. Its kernels have the same names and arguments.

Kernels may use buffers in global and constant memory, values, local memory, and the ids
and sizes of the dispatch. Images, samplers, queues, scratch memory, data and functions
outside the kernel, and hidden arguments for printf and other services of the runtime are
refused if the kernel uses them; so are loads of arguments at offsets in registers.`

const fromHSAExamples = `  gfx compile --mcpu=gfx803 -O2 -o kernel.hsaco kernel.ll
  gfx catalyst from-hsa kernel.hsaco            # writes kernel.bin
  gfx catalyst from-hsa --gpu-type=Hawaii -o kernel.bin kernel.hsaco`

func newCatalystCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalyst",
		Short: "Convert kernels from and to AMD Catalyst binaries",
		Long:  catalystHelp,
	}
	cmd.AddCommand(newToHSACmd(), newFromHSACmd())
	return cmd
}

// convertCommand holds the flags of a conversion.
type convertCommand struct {
	output  string
	kernels []string
	ext     string // of the output
	convert func(data []byte, kernels []string) ([]byte, error)
}

// defineFlags defines the flags.
func (c *convertCommand) defineFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "", "output `file` (default: the input's name with the extension "+c.ext+")")
	flags.StringArrayVar(&c.kernels, "kernel", nil, "convert only the kernel with this `name`; several are possible")
}

func newToHSACmd() *cobra.Command {
	var processor string
	c := convertCommand{ext: ".hsaco", convert: func(data []byte, kernels []string) ([]byte, error) {
		b, err := catalyst.Read(data)
		if err != nil {
			return nil, err
		}
		return catalysthsa.ToHSA(b, processor, kernels...)
	}}
	cmd := &cobra.Command{
		Use:     "to-hsa [flags] in.bin",
		Short:   "Convert a Catalyst binary into a code object",
		Long:    toHSAHelp,
		Example: toHSAExamples,
		Args:    oneInput,
		RunE:    run1(c.convertFile),
	}
	c.defineFlags(cmd)
	cmd.Flags().StringVar(&processor, "mcpu", "", "`processor` to convert for (default: the device's)")
	if err := cmd.RegisterFlagCompletionFunc("mcpu", completeProcessors); err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

// defaultDriver is the default version of the driver of converted binaries.
const defaultDriver = 180005

func newFromHSACmd() *cobra.Command {
	var device string
	driver := uint32(defaultDriver)
	c := convertCommand{ext: ".bin"}
	c.convert = func(data []byte, kernels []string) ([]byte, error) {
		opt := catalysthsa.Options{Driver: catalyst.DriverOf(driver), Kernels: kernels}
		if device != "" {
			if opt.Device = catalyst.LookupDevice(device); opt.Device == nil {
				return nil, usageErrorf("--gpu-type=%s: unknown device", device)
			}
		}
		return catalysthsa.FromHSA(data, opt)
	}
	cmd := &cobra.Command{
		Use:     "from-hsa [flags] in.hsaco",
		Short:   "Convert a code object into a Catalyst binary",
		Long:    fromHSAHelp,
		Example: fromHSAExamples,
		Args:    oneInput,
		RunE:    run1(c.convertFile),
	}
	c.defineFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&device, "gpu-type", "", "`device` to convert for, such as Pitcairn or Tonga (default: the first one with the processor)")
	flags.Uint32Var(&driver, "driver-version", defaultDriver, "driver `version` to write for, major * 100 + minor, 134805 or later")
	err := cmd.RegisterFlagCompletionFunc("gpu-type", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return deviceNames(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

func (c *convertCommand) convertFile(cmd *cobra.Command, input string) error {
	output := c.output
	switch {
	case output == "" && input == "-":
		output = "-"
	case output == "":
		output = strings.TrimSuffix(input, filepath.Ext(input)) + c.ext
	}
	if output == "-" && isTerminal(cmd.OutOrStdout()) {
		return usageErrorf("not writing a binary to the terminal: name a file with -o")
	}
	src, err := readInput(cmd, input)
	if err != nil {
		return err
	}
	done := working(cmd, "converting "+src.Name, output)
	out, err := c.convert(src.Text, c.kernels)
	done()
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return listErrors(src.Name, err)
	}
	return writeOutput(cmd, output, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(out))
		return err
	})
}

// listErrors returns joined errors as a list, each with the file's name.
func listErrors(file string, err error) error {
	list := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		list = joined.Unwrap()
	}
	var found diag.List
	for _, e := range list {
		found = append(found, diag.Diagnostic{Message: file + ": " + e.Error()})
	}
	return found
}
