package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
)

const disHelp = `Disassemble a code object, a relocatable object or a binary of the AMD Catalyst
driver, or bytes written as text.

The ELF header of an object specifies the processor; --mcpu overrides it.

gfx as assembles the text to the same code and data without flags: the text
specifies its target. An instruction that would assemble to other bytes, because it
has bits set that the processor ignores, or that the assembler rejects, is written
as .long, with its text in a comment.

A binary of the AMD Catalyst driver is written in the language of the CLRX
assembler. --style chooses how the setup of its kernels is written: config as a
configuration, notes as metadata, header and notes, auto as a configuration where
it leads to the same bytes. gfx as --format=amd assembles the text to the same
file; a binary with symbols of its own needs --force-add-symbols.

With --hex the input is text with the bytes of one instruction per line, in any of
the forms 0xc0,0x06,0x00,0x00 and c0 06 00 00 and c0060000. Each input line has one
output line. An invalid instruction is an error, and disassembly continues with the
next line.`

const disExamples = `  gfx dis kernel.o
  gfx dis -o kernel.s kernel.hsaco
  gfx dis --style=notes --words catalyst.bin
  echo '0x01,0x00,0x80,0xbe' | gfx dis --mcpu=gfx900 --hex -`

// disCommand holds the flags of gfx dis.
type disCommand struct {
	target targetFlags
	output string
	hex    bool
	amd    disAMD
}

func newDisCmd() *cobra.Command {
	var c disCommand
	cmd := &cobra.Command{
		Use:     "dis [flags] in.{o,hsaco,hex,bin}",
		Short:   "Disassemble",
		Long:    disHelp,
		Example: disExamples,
		Args:    oneInput,
		RunE:    run1(c.disassembleFile),
	}
	c.target.defineFlags(cmd, "`processor` to disassemble for (default: the object's; gfx targets lists them)")
	c.amd.defineFlags(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "-", "output `file`")
	flags.BoolVar(&c.hex, "hex", false, "read bytes as text, one instruction per line")
	return cmd
}

func (c *disCommand) disassembleFile(cmd *cobra.Command, input string) error {
	if err := c.amd.checkFlags(); err != nil {
		return err
	}
	opt := disasm.Options{Encoder: asm.Encoder}
	if c.hex && c.target.cpu == "" {
		return usageErrorf("--hex requires --mcpu")
	}
	if c.target.given() {
		t, err := c.target.target()
		if err != nil {
			return err
		}
		opt.Target = t
	}
	if err := checkLarge(cmd, input); err != nil {
		return err
	}
	return withInput(cmd, input, func(src *diag.Source) error { return c.disassemble(cmd, src, opt) })
}

func (c *disCommand) disassemble(cmd *cobra.Command, src *diag.Source, opt disasm.Options) error {
	if c.hex {
		return c.runHex(cmd, src, opt)
	}
	if c.amd.applies(src.Text) {
		defer working(cmd, "disassembling "+src.Name, c.output)()
		return writeOutput(cmd, c.output, func(w io.Writer) error { return c.amd.writeText(w, src) })
	}
	if err := checkObject(src); err != nil {
		return err
	}
	defer working(cmd, "disassembling "+src.Name, c.output)()
	collectLateFor(src) // the instruction cache is in use until the end
	return writeOutput(cmd, c.output, func(w io.Writer) error {
		return disasm.Object(w, src.Text, opt)
	})
}

// checkLarge returns an error for an input that is not an object and too large
// to be read as a whole. The error names a command that reads it in parts.
func checkLarge(cmd *cobra.Command, input string) error {
	if info, err := os.Stat(input); err != nil || info.Size() <= maxInput {
		return nil
	}
	in, err := openInput(cmd, input)
	if err != nil {
		return err
	}
	defer in.close()
	return checkObject(&diag.Source{Name: in.name, Text: in.head})
}

// runHex writes the output even if there are errors: it has a line for each
// line of the input.
func (c *disCommand) runHex(cmd *cobra.Command, src *diag.Source, opt disasm.Options) error {
	if err := checkText(src, "bytes as text"); err != nil {
		return err
	}
	defer working(cmd, "disassembling "+src.Name, c.output)()
	var found diag.List
	err := writeOutput(cmd, c.output, func(w io.Writer) (err error) {
		found, err = disasm.Hex(w, src, opt)
		return err
	})
	if err != nil {
		return err
	}
	if found.HasErrors() {
		return found
	}
	printDiagnostics(cmd, found)
	return nil
}
