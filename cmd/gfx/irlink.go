package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/target"
)

const irLinkHelp = `Link modules of LLVM IR, text or bitcode, into one, as llvm-link does.

With --device-lib-path, undefined functions are linked from ROCm's device libraries
(opencl.bc, ocml.bc, ockl.bc), with the control constants (oclc_*.bc) for the
processor and the flags. Only required functions are read and linked. Libraries
that are older than a processor have no controls for it; --make-controls generates
them.

Textual inputs and the output are verified as by gfx ir verify.

--mcpu, else the target-cpu attribute of the module's functions, specifies the
processor. --code-object-version, else the module's flags, specifies the code object
version.`

const irLinkExamples = `  gfx ir link -o all.ll a.ll b.bc
  gfx ir link -o all.bc a.bc b.bc
  gfx ir link --only-needed --internalize -o all.ll kernel.ll lib.bc
  gfx ir link --device-lib-path=/opt/rocm/amdgcn/bitcode -o all.ll kernel.ll`

// irLinkCommand holds the flags of gfx ir link.
type irLinkCommand struct {
	opt      linker.Options // of all files except the first of each kind
	override []string
	output   irOutput
	quiet    bool
	noVerify bool
	targetFlags
	libs linker.DeviceLibs
	cov  int
}

func newIRLinkCmd() *cobra.Command {
	var c irLinkCommand
	cmd := &cobra.Command{
		Use:     "link [flags] in.{ll,bc}...",
		Short:   "Link modules of LLVM IR into one",
		Long:    irLinkHelp,
		Example: irLinkExamples,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return run1(func(cmd *cobra.Command, _ string) error { return c.linkModules(cmd, args) })(cmd, nil)
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	c.output.defineFlags(flags)
	flags.BoolVar(&c.opt.OnlyNeeded, "only-needed", false, "link only symbols that the preceding files require")
	flags.BoolVar(&c.opt.Internalize, "internalize", false, "internalize symbols that the first file does not define")
	flags.StringArrayVar(&c.override, "override", nil, "`file` whose definitions replace others")
	flags.BoolVar(&c.quiet, "suppress-warnings", false, "print no warnings")
	flags.BoolVar(&c.noVerify, "disable-verify", false, "do not verify the modules")
	flags.StringVar(&c.libs.Path, "device-lib-path", "", "`folder` of device libraries")
	flags.BoolVar(&c.libs.MakeControls, "make-controls", false, "generate the controls (oclc_*.bc) instead of reading their files")
	c.defineFlags(cmd, "`processor` for the device libraries")
	flags.IntVar(&c.cov, "code-object-version", 0, "code object `version` for the device libraries: 4, 5 or 6")
	flags.BoolVar(&c.libs.DAZ, "cl-denorms-are-zero", false, "device libraries may flush float denormals to zero")
	flags.BoolVar(&c.libs.FiniteOnly, "cl-finite-math-only", false, "device libraries may ignore infinities and NaNs")
	flags.BoolVar(&c.libs.UnsafeMath, "cl-unsafe-math-optimizations", false, "device libraries may be less exact")
	flags.BoolVar(&c.libs.CorrectlyRoundedSqrt, "cl-fp32-correctly-rounded-divide-sqrt", false, "square roots of float are rounded correctly")
	return cmd
}

func (c *irLinkCommand) linkModules(cmd *cobra.Command, files []string) error {
	switch {
	case len(files) == 0:
		return usageErrorf("expected modules to link")
	case c.cov != 0 && (c.cov < 4 || c.cov > 6):
		return usageErrorf("--code-object-version=%d: expected 4, 5 or 6", c.cov)
	case c.libs.Path == "" && (c.given() || c.cov != 0):
		return usageErrorf("--mcpu and --code-object-version require --device-lib-path")
	}
	if err := c.output.checkFlags(cmd); err != nil {
		return err
	}
	done := working(cmd, "linking", c.output.file)
	collectLate()
	m, err := c.link(cmd, files)
	if err == nil && !c.noVerify {
		err = checkLinked(cmd, m)
	}
	done()
	if err != nil {
		return err
	}
	return c.output.write(cmd, m)
}

// checkLinked verifies the linked module. Invalid debug information is dropped
// with a warning.
func checkLinked(cmd *cobra.Command, m *ir.Module) error {
	dropped, wrong := verify.AfterReading(m)
	if len(dropped) > 0 {
		list := verify.Diagnostics(m, dropped, nil)
		for i := range list {
			list[i].Severity = diag.Warning
		}
		list.Warnf(nil, 0, 0, "%s: ignoring invalid debug info", m.ID)
		printDiagnostics(cmd, list)
	}
	return verify.Diagnostics(m, wrong, nil).Err()
}

func (c *irLinkCommand) link(cmd *cobra.Command, files []string) (*ir.Module, error) {
	l := linker.New("gfx-link")
	var err error
	for i, name := range append(files, c.override...) {
		opt := c.opt
		if i == 0 || i == len(files) { // the first file of each kind is linked without the options
			opt = linker.Options{}
		}
		opt.Override = i >= len(files)
		if err = c.linkFile(cmd, l, name, opt); err != nil {
			break
		}
	}
	warnings := l.Warnings()
	if err == nil && c.libs.Path != "" {
		var more []string
		more, err = c.linkLibs(l.Module())
		warnings = append(warnings, more...)
	}
	if !c.quiet {
		var list diag.List
		for _, w := range warnings {
			list.Warnf(nil, 0, 0, "%s", w)
		}
		printDiagnostics(cmd, list)
	}
	return l.Module(), err
}

func (c *irLinkCommand) linkFile(cmd *cobra.Command, l *linker.Linker, name string, opt linker.Options) error {
	src, err := readInput(cmd, name)
	if err != nil {
		return err
	}
	var in linker.Source
	if bitcode.IsBitcode(src.Text) {
		if in.File, err = bitcode.Open(src.Text, bitcode.Options{Name: src.Name, Lazy: true}); err != nil {
			return err
		}
		in.Module = in.File.Module
	} else if in.Module, err = c.readText(cmd, src); err != nil {
		return err
	}
	err = l.Link(in, opt)
	if in.File != nil && !c.quiet {
		for _, w := range in.File.Warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", src.Name, w)
		}
	}
	return err
}

func (c *irLinkCommand) readText(cmd *cobra.Command, src *diag.Source) (*ir.Module, error) {
	if c.noVerify {
		return parseIR(cmd, src)
	}
	return readIR(cmd, src)
}

// linkLibs links the device libraries.
func (c *irLinkCommand) linkLibs(m *ir.Module) (warnings []string, err error) {
	if c.cpu == "" {
		c.cpu = moduleProcessor(m)
	}
	if c.cpu == "" {
		return nil, usageErrorf("no function of the module has a target-cpu; specify the processor of the device libraries with --mcpu")
	}
	if c.libs.Target, err = c.target(); err != nil {
		return nil, err
	}
	c.libs.ABI = 100 * c.cov
	return c.libs.Link(m)
}

// moduleProcessor returns the target-cpu of the module's first function that
// has one.
func moduleProcessor(m *ir.Module) string {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		cpu, _ := m.StringAttr(m.AttrsAt(g.Func.Attributes, ir.AttrFunction), "target-cpu")
		if target.Lookup(cpu) != nil {
			return cpu
		}
	}
	return ""
}
